//! Microbenchmarks of the image ([`qpu_programs::microbench`]), as words for the line.
//!
//! Simulated, not yet run on hardware.

use qpu::job::Runner;
use qpu_programs::microbench::{
    ENDLESS_LIMIT_US, Error, Microbench, RUNS, What, recovery, reservations, times,
};

/// The findings of a microbenchmark, as the protocol has it (`MEASURED` in the crate `wire`).
pub type Words = heapless::Vec<u32, { 3 + 2 * RUNS }>;

/// Runs a microbenchmark.
///
/// # Errors
/// Those of the runner, or that there is no plan.
pub fn measure<R: Runner>(runner: &mut R, bench: &Microbench) -> Result<Words, Error<R::Error>> {
    let mut words = Words::new();
    let mut put = |new: &[u32]| {
        // It has room for the longest list.
        let _ = words.extend_from_slice(new);
    };
    match bench.what {
        What::Time { test, repetitions } => {
            let [few, many] = times(runner, test, repetitions)?;
            put(&[test.operations()]);
            put(&repetitions);
            put(&few);
            put(&many);
        }
        What::Reservations => put(&[reservations(runner)?.bits().into()]),
        What::Recovery => {
            let (way, works) = recovery(runner);
            put(&[way as u32, works.into(), ENDLESS_LIMIT_US]);
        }
    }
    Ok(words)
}

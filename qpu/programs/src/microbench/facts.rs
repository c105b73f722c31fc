//! Facts that are no times: whether programs start where they should, and whether V3D comes back.

use qpu::job::{QpuSet, Recovery, Runner};
use qpu::machine::QPUS;

use crate::code::{BENCH_ENDLESS, BENCH_NUMBER, place, run_once};

/// The time limit of the program that does not end.
pub const ENDLESS_LIMIT_US: u32 = 10_000;

/// The time limit for a program to say where it runs.
const NUMBER_LIMIT_US: u32 = 10_000;

/// The content of a place that no program has written.
const NOBODY: u32 = u32::MAX;

/// The QPUs on which a program ran when all others were reserved (SQRSV): all of them where
/// reservation works as documented. The runner has no buffers before and after.
///
/// # Errors
/// Those of the runner.
pub fn reservations<R: Runner>(runner: &mut R) -> Result<QpuSet, R::Error> {
    let mut right = QpuSet::NONE;
    for qpu in 0..QPUS {
        let only = QpuSet::only(qpu);
        if runs_on(runner, only)? == u32::from(qpu) {
            right = right.with(only);
        }
    }
    Ok(right)
}

/// The QPU on which a program ran that was allowed on these only.
fn runs_on<R: Runner>(runner: &mut R, qpus: QpuSet) -> Result<u32, R::Error> {
    runner.release_all();
    let code = place(runner, BENCH_NUMBER)?;
    let result = runner.alloc(64, 64)?;
    runner.write(result, 0, &[NOBODY; 16])?;
    run_once(runner, code, &[result.addr.0], qpus, NUMBER_LIMIT_US)?;
    let mut number = [NOBODY];
    runner.read(result, 0, &mut number)?;
    runner.release_all();
    Ok(number[0])
}

/// Runs a program that does not end, for [`ENDLESS_LIMIT_US`], and then one that does: how the
/// first was ended, and whether the second ran. The runner has no buffers before and after.
pub fn recovery<R: Runner>(runner: &mut R) -> (Recovery, bool) {
    runner.release_all();
    let ended = place(runner, BENCH_ENDLESS)
        .and_then(|code| run_once(runner, code, &[], QpuSet::ALL, ENDLESS_LIMIT_US))
        .is_err();
    let works = runs_on(runner, QpuSet::only(0)).is_ok_and(|qpu| qpu != NOBODY);
    runner.release_all();
    (runner.last_recovery(), ended && works)
}

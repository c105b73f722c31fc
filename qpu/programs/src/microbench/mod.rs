//! Microbenchmarks: small programs whose times tell one constant of V3D each.
//!
//! The firmware and the host run the same words by the same code, the one on a board and the other
//! on the simulator. What a comparison needs is a time without the ARM's share of it. So each
//! microbenchmark is run with few and with many repetitions, and the difference of the two times,
//! divided by the difference of the repetitions, is what one repetition takes: starts, ends and
//! cold caches cancel. Each run is a few hundred microseconds long, because a board's clock counts
//! microseconds, and is done [`RUNS`] times.
//!
//! [`LIST`] has all of them in the order of the protocol's numbers. [`times`] runs one,
//! [`reservations`] and [`recovery`] are the two entries that are no times.
//!
//! Simulated, not yet run on hardware.

mod facts;
mod list;
mod prepared;

pub use facts::{ENDLESS_LIMIT_US, recovery, reservations};
pub use list::LIST;
pub use prepared::Prepared;

use qpu::job::{CacheClear, Runner};
use qpu_fft::request;

/// Times that each number of repetitions is run.
pub const RUNS: usize = 3;

/// Longest time of a run. The longest takes about a millisecond (simulated).
pub const LIMIT_US: u32 = 50_000;

/// Launches of a job, where launches are what is repeated.
pub const LAUNCHES: usize = 16;

/// One entry of [`LIST`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Microbench {
    /// Its name on the line and in files.
    pub name: &'static str,
    /// The subject of the measurement.
    pub what: What,
}

/// The subject of an entry's measurement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// The time that a repetition takes.
    Time {
        /// The programs.
        test: Test,
        /// Few repetitions, and many.
        repetitions: [u32; 2],
    },
    /// On which QPUs programs ran that should run there: [`reservations`].
    Reservations,
    /// The way in which a program that does not end was ended: [`recovery`].
    Recovery,
}

/// Programs that are timed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Test {
    /// Jobs of [`LAUNCHES`] launches of so many programs without work.
    Launch {
        /// Programs of a launch.
        programs: u8,
    },
    /// [`LAUNCHES`] launches on one QPU: one program that keeps it busy while as many programs
    /// without work as there are repetitions are queued, which then start one after the other.
    Queue {
        /// Times round of the program that keeps the QPU busy, 20 clocks each.
        spins: u32,
    },
    /// Uniforms that are read again and again, in lines of their own on each of so many QPUs of a
    /// slice.
    Uniforms {
        /// QPUs, 1 to 4.
        qpus: u8,
        /// Lines of each.
        lines: u8,
    },
    /// Lookups by TMU0.
    Lookups {
        /// QPUs.
        qpus: u8,
        /// Lines of 64 bytes that the lanes of a lookup touch, 1 to 16, a power of two.
        lines: u8,
        /// True: the lookups of the QPUs that share a TMU go round 8 KiB, which its cache does not
        /// hold and V3D's L2 does, instead of being all the same.
        misses: bool,
    },
    /// Vectors written to the VPM.
    Vectors {
        /// QPUs.
        qpus: u8,
        /// True: they are columns.
        columns: bool,
    },
    /// Two QPUs that hand the right to go on to each other.
    Handover,
    /// A loop without work on one QPU.
    Code {
        /// Its length, a multiple of 64.
        bytes: u32,
    },
    /// Jobs of [`LAUNCHES`] launches of a program that fits the instruction cache.
    Relaunch {
        /// The caches that are cleared before each.
        clear: CacheClear,
    },
    /// A transform of 2^14 points.
    Transform {
        /// True: it reads past the system L2 (alias 0x8) where its plan would.
        streamed: bool,
    },
}

impl Test {
    /// Operations of a repetition: a launch, a line of uniforms, a lookup, a vector, a handover, an
    /// instruction or a transform. Where QPUs share a unit, those of all of them count.
    #[must_use]
    pub const fn operations(self) -> u32 {
        match self {
            Self::Launch { .. } | Self::Relaunch { .. } | Self::Queue { .. } => LAUNCHES as u32,
            Self::Uniforms { lines, .. } => lines as u32,
            Self::Lookups {
                qpus,
                lines,
                misses,
            } => {
                let lookups = 8 * qpus as u32;
                // What misses is limited by V3D's L2, which serves lines.
                if misses {
                    lookups * lines as u32
                } else {
                    lookups
                }
            }
            Self::Vectors { qpus, .. } => 16 * qpus as u32,
            Self::Handover => 2,
            Self::Code { bytes } => bytes / 8,
            Self::Transform { .. } => 1,
        }
    }
}

/// Why a microbenchmark did not run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Error<E> {
    /// The runner's.
    Runner(E),
    /// There is no plan for the transform.
    NoPlan,
}

impl<E> From<E> for Error<E> {
    fn from(error: E) -> Self {
        Self::Runner(error)
    }
}

/// A planner's error.
fn of_plan<E>(error: request::Error<E>) -> Error<E> {
    match error {
        request::Error::Runner(error) | request::Error::Memory { error, .. } => {
            Error::Runner(error)
        }
        _ => Error::NoPlan,
    }
}

/// The times of a test in microseconds, [`RUNS`] with few and [`RUNS`] with many repetitions. The
/// runner has no buffers before and after.
///
/// # Errors
/// Those of the runner, or that there is no plan.
pub fn times<R: Runner>(
    runner: &mut R,
    test: Test,
    repetitions: [u32; 2],
) -> Result<[[u32; RUNS]; 2], Error<R::Error>> {
    runner.release_all();
    let result = times_of(runner, test, repetitions);
    runner.release_all();
    result
}

fn times_of<R: Runner>(
    runner: &mut R,
    test: Test,
    repetitions: [u32; 2],
) -> Result<[[u32; RUNS]; 2], Error<R::Error>> {
    let mut prepared = Prepared::new(runner, test)?;
    // The first run of new code and data is not like the others.
    prepared.run(runner, repetitions[0])?;
    let mut times = [[0; RUNS]; 2];
    for run in 0..RUNS {
        for (times, repetitions) in times.iter_mut().zip(repetitions) {
            times[run] = prepared.run(runner, repetitions)?.elapsed_us;
        }
    }
    Ok(times)
}

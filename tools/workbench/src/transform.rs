//! A transform in the words of a user, for the planner, and its runs on QPUs.

use std::fmt::Debug;

use qpu::job::{CacheClear, Job, Launch, Program, QpuSet, Report, Runner};
use qpu_fft::planner::BOARD_BYTES;
use qpu_fft::request::{Error, Request};
use qpu_fft::{Direction, Plan};
use qpu_programs::FFT;
use v3d_sim::Board;

use common::failure::{Failure, Result};

/// Time that a run may take; on a board no more than the protocol has.
pub const LIMIT_US: u32 = 60_000_000;

/// The sign of the exponent.
#[must_use]
pub const fn direction(is_inverse: bool) -> Direction {
    match is_inverse {
        false => Direction::Forward,
        true => Direction::Inverse,
    }
}

/// A direction's name.
#[must_use]
pub const fn name(direction: Direction) -> &'static str {
    match direction {
        Direction::Forward => "forward",
        Direction::Inverse => "inverse",
    }
}

/// The board of that name.
///
/// # Errors
/// Usage, when there is none.
pub fn board(name: &str) -> Result<Board> {
    Board::from_name(name).ok_or_else(|| {
        let names = Board::ALL.map(Board::name).join(", ");
        Failure::usage(format!("there is no board `{name}`; choose one of {names}"))
    })
}

/// The failure of a plan: usage, or what its runner says.
pub fn failed<E: Debug>(error: Error<E>) -> Failure
where
    Failure: From<E>,
{
    match error {
        Error::Runner(error) | Error::Memory { error, .. } => error.into(),
        error => Failure::usage(error.to_string()),
    }
}

/// Bytes of a plan with its buffers, which begin at multiples of 4096. `what` begins the sentence
/// about a plan that needs more than a board has, and `remedy` ends it.
///
/// # Errors
/// Usage, when there is no such plan, or no board has the memory for it.
pub fn memory(request: &Request, what: &str, remedy: &str) -> Result<u32> {
    let memory = Plan::memory(FFT, request).map_err(failed::<Failure>)?;
    let bytes = u64::from(memory.total()) + request.input_bytes() + request.output_bytes();
    if bytes > BOARD_BYTES {
        return Err(Failure::usage(format!(
            "{what} {bytes} bytes, and a board has {BOARD_BYTES} for the QPUs{remedy}"
        )));
    }
    Ok(bytes as u32 + 3 * 4096)
}

/// Runs programs that are queued together on all QPUs. All caches are cleared first: code and data
/// are new to V3D.
///
/// # Errors
/// What the runner says.
pub fn launch<R: Runner>(runner: &mut R, programs: &[Program]) -> Result<Report, R::Error> {
    let launches = &[Launch {
        programs,
        clear: CacheClear::All,
        qpus: QpuSet::ALL,
    }];
    runner.run(&Job { launches }, LIMIT_US)
}

/// Complex bins: real and imaginary parts.
pub type Bins = Vec<[f32; 2]>;

/// Transforms complex points; gives as many bins, and what it took.
///
/// # Errors
/// What the plan or its runner says.
pub fn run<R: Runner>(
    plan: &mut Plan,
    runner: &mut R,
    direction: Direction,
    points: &[[f32; 2]],
) -> Result<(Bins, Report), Error<R::Error>> {
    let mut words: Vec<u32> = points.iter().flatten().map(|x| x.to_bits()).collect();
    let written = runner.write(plan.input(), 0, &words);
    written.map_err(Error::Runner)?;
    let report = plan.run(runner, direction, LIMIT_US)?;
    let read = runner.read(plan.output(), 0, &mut words);
    read.map_err(Error::Runner)?;
    let bins = words.as_chunks::<2>().0.iter();
    Ok((bins.map(|bin| bin.map(f32::from_bits)).collect(), report))
}

//! A transform in the words of a user, for the planner, and its runs on QPUs.

use std::fmt::Debug;

use qpu::fft::kernels::spectral::power::Powers;
use qpu::fft::planner::tuning::Chip;
use qpu::fft::request::{Error, Request, Transform};
use qpu::fft::{Direction, Plan};
use qpu::job::{CacheClear, Job, Launch, Program, QpuSet, Report, Runner};
use qpu_programs::FFT;
use v3d_sim::{Board, SimError};

use crate::failure::{Failure, Result};

/// Bytes that a Pi 1 can leave to the QPUs beside the system.
pub const MEMORY: u64 = flowgraph::plan::BOARD_BYTES;
/// Time that a run may take; on a board no more than the protocol has.
pub const LIMIT_US: u32 = 60_000_000;

impl From<SimError> for Failure {
    fn from(error: SimError) -> Self {
        Self::integrity(format!(
            "the simulated V3D failed: {error}; report it with the command"
        ))
    }
}

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

/// The chip that plans for a board are made for.
#[must_use]
pub const fn chip(board: Board) -> Chip {
    match board.has_system_l2() {
        true => Chip::Bcm2835,
        false => Chip::Bcm2836,
    }
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
    if bytes > MEMORY {
        return Err(Failure::usage(format!(
            "{what} {bytes} bytes, and a board has {MEMORY} for the QPUs{remedy}"
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

/// The kind of a transform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Complex points to complex bins.
    Complex,
    /// Real points to bins; inverse, bins to real points.
    Real,
    /// A plane of so many rows.
    Plane(u64),
    /// The mean power spectrum of so many segments.
    Powers {
        /// True for real samples.
        is_real: bool,
        /// Segments in the mean.
        segments: u32,
    },
}

impl Kind {
    /// The transform of this kind of `points` points, of a plane of so many columns.
    ///
    /// # Errors
    /// Usage, when a number of points is no power of two, or the kind has no such direction.
    pub fn of(self, points: u64, direction: Direction) -> Result<Transform> {
        let one = |log2_points: u32| match (self, direction) {
            (Self::Powers { is_real, segments }, _) => {
                Transform::Powers(Powers::new(is_real, log2_points, segments))
            }
            (Self::Real, Direction::Forward) => Transform::RealToBins { log2_points },
            (Self::Real, Direction::Inverse) => Transform::BinsToReal { log2_points },
            (Self::Complex | Self::Plane(_), _) => Transform::Complex { log2_points },
        };
        let log2 = |count: u64| {
            if count.is_power_of_two() {
                return Ok(count.ilog2());
            }
            let [least, most] = one(0).lengths();
            Err(Failure::usage(format!(
                "no plan has {count} points; lengths are the powers of two {}, {}, {} .. {}",
                1u64 << least,
                2u64 << least,
                4u64 << least,
                1u64 << most
            )))
        };
        if matches!(self, Self::Powers { .. }) && direction == Direction::Inverse {
            return Err(Failure::usage(
                "powers have no inverse; transform forward, or without powers",
            ));
        }
        Ok(match self {
            Self::Plane(rows) => Transform::Plane {
                log2_rows: log2(rows)?,
                log2_columns: log2(points)?,
            },
            _ => one(log2(points)?),
        })
    }
}

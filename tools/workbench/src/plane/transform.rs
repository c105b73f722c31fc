//! Transforms of planes: on the simulated V3D, or on a board's.

use std::fmt::Debug;

use qpu::job::{Report, Runner};
use qpu_fft::request::{Error, Request, Scale, Transform};
use qpu_fft::{Direction, Plan};
use qpu_programs::FFT;
use v3d_sim::SimError;

use super::{MIN_SIDE, Spectrum};
use crate::transform;
use common::failure::{Failure, Result};
use qpu_fft::planner::BOARD_BYTES;

/// A plan for planes of one size, and the QPUs that it runs on.
pub struct Planes<R> {
    runner: R,
    plan: Plan,
    width: usize,
    height: usize,
}

/// A size that the planner refuses.
fn refused(width: usize, height: usize, error: Error<impl Debug>) -> Failure {
    Failure::usage(format!(
        "{width} x {height}: {error}; take a smaller picture"
    ))
}

/// Bytes of QPU memory for planes of `width` columns and `height` rows.
///
/// # Errors
/// As [`request`].
pub fn bytes(width: usize, height: usize) -> Result<u32> {
    let (_, bytes) = request(width, height)?;
    // Buffers begin at multiples of 4096.
    Ok(bytes as u32 + 3 * 4096)
}

/// The request for planes of this size, and the bytes that it needs.
///
/// # Errors
/// Usage, when a side is no power of two, or the plane needs more memory than a board has.
pub fn request(width: usize, height: usize) -> Result<(Request, u64)> {
    let too_large = |bytes: u64| {
        Failure::usage(format!(
            "{width} x {height} needs {bytes} bytes for points, spectrum and between the passes, and a board \
             has {BOARD_BYTES} for the QPUs; take a smaller picture"
        ))
    };
    for (side, name) in [(width, "wide"), (height, "high")] {
        if !side.is_power_of_two() || side < MIN_SIDE {
            return Err(Failure::usage(format!(
                "the spectrum is {side} bins {name}; the QPUs transform powers of two from {MIN_SIDE} on"
            )));
        }
    }
    // Two planes of two numbers are the least that is needed.
    let least = (width as u64)
        .saturating_mul(height as u64)
        .saturating_mul(16);
    if least > BOARD_BYTES {
        return Err(too_large(least));
    }
    let transform = Transform::Plane {
        log2_rows: height.ilog2(),
        log2_columns: width.ilog2(),
    };
    let mut request = Request::of(transform, 1);
    request.inverse = Scale::ByPoints;
    let memory = Plan::memory::<SimError>(FFT, &request);
    let memory = memory.map_err(|error| refused(width, height, error))?;
    let bytes = u64::from(memory.total()) + 2 * request.input_bytes();
    if bytes > BOARD_BYTES {
        return Err(too_large(bytes));
    }
    Ok((request, bytes))
}

impl<R: Runner> Planes<R>
where
    R::Error: Debug,
    Failure: From<R::Error>,
{
    /// Planes of `width` columns and `height` rows on QPUs with [`bytes`] bytes of memory; the
    /// inverse divides by their points.
    ///
    /// # Errors
    /// Usage, when a side is no power of two, or the plane needs more memory than a board has; what
    /// the board says.
    pub fn new(width: usize, height: usize, mut runner: R) -> Result<Self> {
        let (request, _) = request(width, height)?;
        let plan = Plan::with_buffers(FFT, &request, &mut runner)
            .map_err(|error| refused(width, height, error))?;
        Ok(Self {
            runner,
            plan,
            width,
            height,
        })
    }

    /// Transforms points of the plane's size; gives the result and what it took.
    ///
    /// # Errors
    /// When the simulated V3D faults, which is a bug; what the board says.
    ///
    /// # Panics
    /// When there are fewer points.
    pub fn run(&mut self, direction: Direction, points: &[[f32; 2]]) -> Result<(Spectrum, Report)> {
        let count = self.width * self.height;
        let (plan, runner) = (&mut self.plan, &mut self.runner);
        let ran = transform::run(plan, runner, direction, &points[..count]);
        let (bins, report) = ran.map_err(|error| match error {
            Error::Runner(error) => error.into(),
            error => Failure::integrity(format!("the plan failed: {error}; report this")),
        })?;
        let spectrum = Spectrum {
            width: self.width,
            height: self.height,
            bins,
        };
        Ok((spectrum, report))
    }
}

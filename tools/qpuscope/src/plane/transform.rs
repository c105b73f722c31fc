//! Transforms of planes on the simulated V3D.

use qpu::fft::request::{Error, Request, Scale, Transform};
use qpu::fft::{Direction, Plan};
use qpu::job::Runner;
use qpu_programs::FFT;
use v3d_sim::{SimError, SimRunner};

use super::{MIN_SIDE, Spectrum};
use crate::failure::{Failure, Result};

/// Simulated time that a launch may take.
const LIMIT_US: u32 = 60_000_000;
/// Bytes that a Pi 1 can leave to the QPUs beside the system.
const MEMORY: u64 = 384 << 20;

/// A plan for planes of one size.
pub struct Planes {
    runner: SimRunner,
    plan: Plan,
    width: usize,
    height: usize,
}

impl Planes {
    /// Planes of `width` columns and `height` rows; the inverse divides by their points.
    ///
    /// # Errors
    /// Usage, when a side is no power of two, or the plane needs more memory than a board has.
    pub fn new(width: usize, height: usize) -> Result<Self> {
        for (side, name) in [(width, "wide"), (height, "high")] {
            if !side.is_power_of_two() || side < MIN_SIDE {
                return Err(Failure::usage(format!(
                    "the spectrum is {side} bins {name}; the QPUs transform powers of two from {MIN_SIDE} on"
                )));
            }
        }
        let transform = Transform::Plane {
            log2_rows: height.ilog2(),
            log2_columns: width.ilog2(),
        };
        let mut request = Request::of(transform, 1);
        request.inverse = Scale::ByPoints;
        let refused = |error: Error<SimError>| {
            Failure::usage(format!(
                "{width} x {height}: {error}; take a smaller picture"
            ))
        };
        let memory = Plan::memory(FFT, &request).map_err(refused)?;
        let bytes = u64::from(memory.total()) + 2 * request.input_bytes();
        if bytes > MEMORY {
            return Err(Failure::usage(format!(
                "{width} x {height} needs {bytes} bytes for points, spectrum and between the passes, and a board \
                 has {MEMORY} for the QPUs; take a smaller picture"
            )));
        }
        // Buffers begin at multiples of 4096.
        let mut runner = SimRunner::new(bytes as u32 + 3 * 4096);
        let plan = Plan::with_buffers(FFT, &request, &mut runner).map_err(refused)?;
        Ok(Self {
            runner,
            plan,
            width,
            height,
        })
    }

    /// Transforms points of the plane's size; gives the result and the V3D clocks that it took, simulated.
    ///
    /// # Errors
    /// When the simulated V3D faults: a bug.
    ///
    /// # Panics
    /// When there are fewer points.
    pub fn run(&mut self, direction: Direction, points: &[[f32; 2]]) -> Result<(Spectrum, u64)> {
        let count = self.width * self.height;
        let words: Vec<u32> = points[..count]
            .iter()
            .flatten()
            .map(|x| x.to_bits())
            .collect();
        let broken = |error: &dyn std::fmt::Display| {
            Failure::integrity(format!(
                "the simulated V3D failed: {error}; report it with the picture's size"
            ))
        };
        self.runner
            .write(self.plan.input(), 0, &words)
            .map_err(|error| broken(&error))?;
        let report = self
            .plan
            .run(&mut self.runner, direction, LIMIT_US)
            .map_err(|error| broken(&error))?;
        let mut words = vec![0; 2 * count];
        self.runner
            .read(self.plan.output(), 0, &mut words)
            .map_err(|error| broken(&error))?;
        let bins = words.chunks_exact(2);
        let spectrum = Spectrum {
            width: self.width,
            height: self.height,
            bins: bins
                .map(|pair| [pair[0], pair[1]].map(f32::from_bits))
                .collect(),
        };
        Ok((spectrum, report.cycles.unwrap_or(0)))
    }
}

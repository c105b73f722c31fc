//! Averaged power spectra of samples: what an instrument shows, from the samples of an ADC.
//!
//! Segments of N samples begin a hop apart. Each is multiplied by a window and transformed; |X|² of
//! K segments becomes one spectrum: its mean, or the greatest or least of each bin. The QPUs do all
//! of it, in the passes of a [`Plan`] of [`Transform::Powers`]. The ARM writes samples and reads
//! powers.
//!
//! # Scale
//!
//! The scale is that of the power spectra of the CPU engine: a sine of full scale on a bin (of
//! amplitude 1, or magnitude 1 where it is complex) has power 1 in every window, a constant of full
//! scale 2 in real spectra. |X|² is divided by the square of the window's sum, and bins of real
//! samples other than 0 and N/2 carry the power of both halves.
//!
//! # Error
//!
//! Relative to the power of the strongest bin: that of the transform, some 1e-6. What is lost on
//! average in K sums in f32, each truncated, is made up for in the scale; what is left is below K ·
//! 2^-25 of a bin's power. Decibels are those of the powers beside them to 0.0004 dB
//! ([`DECIBELS`](crate::kernels::spectral::power::DECIBELS)). Where a constant was removed,
//! less than 1e-6 of its amplitude is left.

use super::Direction;
use super::window::{self, Shape};
use crate::kernels::program::Program;
use crate::kernels::samples::Format;
use crate::kernels::spectral::power::{Detector, Hold, Powers, Removed};
use crate::planner::plan::Plan;
use crate::planner::request::{Error, Request, Transform};
use qpu::job::{Report, Runner};

/// The longest time that one transform of a constant may take: 2^22 complex points take 222 ms
/// (simulated, `cargo xtask bench`).
const LEARN_LIMIT_US: u32 = 60_000_000;

/// The settings of a spectrum.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// True: samples are real; false: they are I and Q in turn.
    pub is_real: bool,
    /// The format of a number in memory.
    pub format: Format,
    /// N, samples of a segment, as a power of two.
    pub log2_points: u32,
    /// Samples from the start of a segment to the start of the next: N/2 for 50 % overlap.
    pub hop: u32,
    /// K, segments of a spectrum.
    pub segments: u32,
    /// Spectra that one run makes.
    pub spectra: u32,
    /// The combination of K segments.
    pub detector: Detector,
    /// True if decibels are stored behind the powers.
    pub decibels: bool,
    /// The first bin that is wanted and the one behind the last, or all.
    pub bins: Option<[i32; 2]>,
    /// True if the contribution of a constant is removed from each segment
    /// ([`crate::kernels::spectral::power`]). The window has to be symmetric.
    pub removes_constant: bool,
}

impl Settings {
    /// The mean of `segments` segments of 2^`log2_points` samples with half of it in common, all
    /// bins.
    #[must_use]
    pub const fn new(is_real: bool, format: Format, log2_points: u32, segments: u32) -> Self {
        Self {
            is_real,
            format,
            log2_points,
            hop: match log2_points {
                1..=31 => 1 << (log2_points - 1),
                _ => 0,
            },
            segments,
            spectra: 1,
            detector: Detector::Mean,
            decibels: false,
            bins: None,
            removes_constant: false,
        }
    }

    /// The request of its plan, for a window of the terms a(0), a(1), .. ([`window::cosines`]); one
    /// term or none is the rectangular window.
    #[must_use]
    pub fn request(&self, terms: &[f64]) -> Request {
        let shape = Shape::of_terms(terms, self.log2_points);
        let mut request = self.request_for(&shape);
        request.windowed = terms.len() > 1;
        request
    }

    /// The request of its plan, for any window, which the plan is given by [`Plan::set_window`].
    #[must_use]
    pub fn request_for(&self, window: &Shape) -> Request {
        let mut powers = Powers::new(self.is_real, self.log2_points, self.segments);
        powers.detector = self.detector;
        powers.decibels = self.decibels;
        powers.bins = self.bins;
        let sides = if self.is_real { 4.0 } else { 1.0 };
        powers.scale = ((sides / (window.sum * window.sum)) as f32).to_bits();
        if self.removes_constant {
            powers.removed = if window.is_narrow {
                Removed::Near(window.near.map(|ratio| (ratio as f32).to_bits()))
            } else {
                Removed::Everywhere
            };
        }
        let mut request = Request::of(Transform::Powers(powers), self.spectra);
        request.samples = self.format;
        request.hop = Some(self.hop);
        request.windowed = true;
        request
    }
}

/// A plan for spectra, ready to run.
#[derive(Clone, Debug)]
pub struct Spectrum {
    plan: Plan,
    powers: Powers,
}

impl Spectrum {
    /// A plan with buffers that it takes from the runner, and with a window of terms as
    /// [`window::cosines`] has them: `[1.0]` for none, `[0.5, 0.5]` for Hann's.
    ///
    /// # Errors
    /// The errors of [`Plan::with_buffers`].
    pub fn with_buffers<R: Runner>(
        catalogue: &'static [Program],
        settings: &Settings,
        terms: &[f64],
        runner: &mut R,
    ) -> Result<Self, Error<R::Error>> {
        let plan = Plan::with_buffers(catalogue, &settings.request(terms), runner)?;
        let coefficient = |index| window::cosines(terms, index, settings.log2_points);
        Self::with_window(plan, coefficient, runner)
    }

    /// Makes a spectrum like [`Spectrum::with_buffers`], with any window: sample n of a segment is
    /// multiplied by `window(n)`, such as [`window::kaiser`] or numbers of a table. It is called
    /// several times for each sample.
    ///
    /// Where a constant is to be removed, and the window spreads it further than
    /// [`window::REMOVED_BINS`], a constant is transformed once ([`Plan::learn_window`]).
    ///
    /// # Errors
    /// [`Error::Window`] when the sum of the coefficients is 0 or not finite, or a constant is to
    /// be removed and coefficient n is not number N - n too; as [`Plan::with_buffers`] and
    /// [`Plan::run`].
    pub fn with_coefficients<R: Runner>(
        catalogue: &'static [Program],
        settings: &Settings,
        window: impl Fn(u32) -> f64,
        runner: &mut R,
    ) -> Result<Self, Error<R::Error>> {
        // Of a length that there is: coefficients of others would be counted for nothing.
        settings.request(&[]).check()?;
        let shape = Shape::of_coefficients(&window, settings.log2_points);
        if settings.removes_constant && !shape.is_symmetric {
            return Err(Error::Window);
        }
        let plan = Plan::with_buffers(catalogue, &settings.request_for(&shape), runner)?;
        Self::with_window(plan, window, runner)
    }

    fn with_window<R: Runner>(
        mut plan: Plan,
        window: impl Fn(u32) -> f64,
        runner: &mut R,
    ) -> Result<Self, Error<R::Error>> {
        if plan.request().windowed {
            plan.set_window(runner, window)?;
        }
        plan.learn_window(runner, LEARN_LIMIT_US)?;
        let Transform::Powers(powers) = plan.request().transform else {
            return Err(Error::NoPowers);
        };
        Ok(Self { plan, powers })
    }

    /// Its plan: buffers, memory, passes.
    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Numbers of the first bin that is stored and of the one behind the last; f32, in order of
    /// frequency.
    #[must_use]
    pub const fn bins(&self) -> [i32; 2] {
        self.powers.stored_bins()
    }

    /// Bytes from the powers of a spectrum to its decibels, where there are any.
    #[must_use]
    pub const fn level_offset(&self) -> u32 {
        self.powers.power_bytes()
    }

    /// Bytes from a spectrum to the next.
    #[must_use]
    pub const fn pitch(&self) -> u32 {
        self.powers.output_bytes()
    }

    /// Makes spectra of the samples, which replace those in the output.
    ///
    /// # Errors
    /// The errors of [`Plan::run`].
    pub fn run<R: Runner>(
        &mut self,
        runner: &mut R,
        limit_us: u32,
    ) -> Result<Report, Error<R::Error>> {
        self.run_onto(runner, Hold::Add, [0.0, 1.0], limit_us)
    }

    /// Runs and combines the result with what is in the output: see [`Plan::set_hold`]. The mean of
    /// n + 1 runs is [`Hold::Add`] with n/(n + 1) and 1/(n + 1), the greatest since the last
    /// [`Spectrum::run`] is [`Hold::Max`] with 1 and 1.
    ///
    /// # Errors
    /// The errors of [`Plan::set_hold`] and [`Plan::run`].
    pub fn run_onto<R: Runner>(
        &mut self,
        runner: &mut R,
        hold: Hold,
        weights: [f32; 2],
        limit_us: u32,
    ) -> Result<Report, Error<R::Error>> {
        self.plan.set_hold(runner, hold, weights)?;
        self.plan.run(runner, Direction::Forward, limit_us)
    }
}

//! rustfft in double precision: the transform that results are compared with.
//!
//! rustfft is generic: a crate that plans one of its transforms compiles some seven thousand
//! functions (counted with rustc's `-Zprint-mono-items`), and its tests compile them again. Here
//! they are compiled once for all crates.
#![forbid(unsafe_code)]

pub use rustfft::Fft;
pub use rustfft::num_complex::Complex;
pub use signal::Direction;

use rustfft::FftPlanner;
use std::sync::Arc;

/// The transform of `points` points, which is not scaled in either direction.
#[must_use]
pub fn plan(points: usize, direction: Direction) -> Arc<dyn Fft<f64>> {
    let mut planner = FftPlanner::new();
    match direction {
        Direction::Forward => planner.plan_fft_forward(points),
        Direction::Inverse => planner.plan_fft_inverse(points),
    }
}

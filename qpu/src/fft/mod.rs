//! FFT plans: complex transforms of 2^8 to 2^12 points on the QPUs.
//!
//! A plan is a length made ready on one [`Runner`](crate::job::Runner): programs, uniforms and
//! twiddles lie in memory that V3D sees, and [`Plan::run`] transforms what is in the plan's input
//! buffer into its output buffer. The firmware and the host's tests use the same plan; nothing is
//! allocated but buffers of the runner.
//!
//! # Method
//!
//! N = N1 · N2 in two passes over memory, a launch each, because the TMU reads through caches that
//! nothing but the ARM can clear ([`Layout`] has the index maps):
//!
//! 1. N1-point transforms of the columns, times the twiddles of N, stored transposed;
//! 2. N2-point transforms of those, stored in natural order.
//!
//! Sixteen independent transforms lie in the sixteen lanes of a vector and their points in
//! registers, so no butterfly moves data between lanes. A program computes 16 outputs of each of
//! its 16 transforms; a pass of 32 or 64 points is split into 2 or 4 such parts, and every part
//! reads all rows. N/256 programs per pass therefore run side by side: one for 2^8, twelve and then
//! four more for 2^12.
//!
//! Between the passes the planes lie transposed by the VPM; the programs take the mutex around VPM
//! and DMA, so no two of them ever share either, whatever the order in which QPUs advance.
//!
//! The inverse transform uses the same programs and tables: pass 1 reads real and imaginary parts
//! exchanged, pass 2 exchanges them back and reads its rows backwards.
//!
//! # Accuracy and work
//!
//! The QPU's adder and multiplier truncate. Truncation loses about the same share of every bin, so
//! the twiddles of pass 1 are scaled up by the loss that is expected ([`twiddle::gain`]).
//!
//! | points | programs per pass | instructions of pass 1, pass 2 | rounds | error, random | error, worst |
//! |---:|---:|---:|---:|---:|---:|
//! | 256 | 1 | 296, 270 | 837 | 0.13 ppm | 0.13 ppm |
//! | 512 | 2 | 296, 408 | 1325 | 0.16 | 0.22 |
//! | 1024 | 4 | 433, 408 | 2162 | 0.18 | 0.26 |
//! | 2048 | 8 | 433, 536 | 3690 | 0.19 | 0.20 |
//! | 4096 | 16 | 564, 536 | 6623 | 0.18 | 0.32 |
//!
//! All simulated, not yet run on hardware. Errors are relative rms against a DFT in f64, the worst
//! over random input, tones, impulses and both directions (`tests/tests/qpu_fft`). A round is 4 V3D
//! clocks without memory latency (`cargo run -p tests --example qpu_fft_rounds`); from 2^10 on most
//! of them wait for the one store DMA.
//!
//! Source of the machine's rules: VideoCore IV 3D Architecture Reference Guide, sections 3, 4 and 7.

#[cfg(feature = "std")]
pub mod arithmetic;
mod catalogue;
pub mod coop;
pub mod geometry;
#[cfg(feature = "std")]
pub mod interpreter;
mod layout;
#[cfg(all(test, feature = "std"))]
mod layout_tests;
pub mod memory;
#[cfg(test)]
mod model;
mod numbers;
pub mod pass;
mod plan;
pub mod prepared;
pub mod program;
pub mod request;
pub mod roots;
pub mod split;
pub mod steps;
pub mod table;
pub mod tables;
mod tuned;
pub mod twiddle;
pub mod values;
mod write;

pub use catalogue::{Catalogue, Pass, Program, Uniform};
pub use layout::{Layout, MAX_LOG2_POINTS, MAX_PROGRAMS, MIN_LOG2_POINTS};
pub use plan::{Error, Plan};
pub use split::{Role, Split};

/// Which transform, both without a scale factor: forward then inverse gives N times the input.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// Exponents negative: X\[k\] = Σ x\[n\] exp(-2πi nk/N).
    Forward,
    /// Exponents positive.
    Inverse,
}

//! Signal processing on the CPU: transforms, levels, generator.
//!
//! Everything here gives the same bits on the board, in QEMU and on a host: plain IEEE operations,
//! elementary functions from libm, and no state but what the caller holds. Nothing allocates.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

pub mod dft;
pub mod generator;
pub mod level;
pub mod reversal;
pub mod sample;
pub mod spectrum;

mod complex;
mod error;
mod fft;

pub use complex::{Complex, Float};
pub use error::Error;
pub use fft::{MAX_LOG2, Plan, Radix};
pub use signal::{Direction, Gain, Window};

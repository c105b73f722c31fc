//! Signal processing on the CPU: transforms, windows, levels, generator.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

mod complex;

pub use complex::{Complex, Direction, Float};

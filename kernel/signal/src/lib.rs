//! Terms of spectra: domain, detector, sample format, window, rate and direction.
//!
//! The protocol, the engines on the ARM and on the QPUs, the instrument and the host's tool all
//! take these types from here, so that there is nothing to translate between them. A term that has
//! a code in the protocol has it here, beside its name.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

mod code;
mod detector;
mod rate;
mod sample;
mod window;

pub use code::{Code, Named};
pub use detector::Detector;
pub use rate::Rate;
pub use sample::{Channels, Domain, SampleFormat};
pub use window::{Beta, Gain, Window, cosines, harmonics, kaiser};

/// The direction of a transform. Neither scales: forward then inverse gives N times the input.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// Samples to spectrum, exponents negative: X\[k\] = Σ x\[n\] exp(-2πi nk/N).
    Forward,
    /// Spectrum to samples, exponents positive.
    Inverse,
}

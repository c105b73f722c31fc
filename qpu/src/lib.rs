//! The VideoCore IV QPU as data: instructions, hazard checks, jobs and FFT plans.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

#[cfg(feature = "text")]
pub mod check;
#[cfg(feature = "text")]
pub mod disasm;
pub mod fft;
#[cfg(feature = "generate")]
pub mod generate;
pub mod isa;
pub mod job;
pub mod vpm;

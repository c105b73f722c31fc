//! The VideoCore IV QPU as data: instructions, hazard checks, jobs and FFT plans.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

pub mod fft;
pub mod isa;
pub mod job;

//! FFT plans of every length on the simulated QPUs, against DFTs in f64.
//!
//! The simulator is strict, so whatever the reference forbids or leaves open stops a program;
//! memory that a plan writes before it reads is filled with NaN. Short lengths run by the cycle
//! model too, long ones functionally.

mod accuracy;
mod averaged;
mod batches;
mod channels;
mod constants;
mod harness;
mod orders;
mod planes;
mod powers;
mod real;
mod refusals;
mod samples;
mod signals;
mod spectra;
mod tiles;
mod units;
mod windows;

//! A bare-metal image that transforms on the ARM, makes a plan or digests, and counts.
//!
//! `qpu bench --engine cpu` and `qpu selftest sha256 --engine arm` run it on the virtual
//! Pi; the library of this package says what they agree on. Built by xtask for
//! `armv6-none-eabihf` with the firmware's own flags, so that what is counted is what the
//! firmware's compiler makes of `dsp` and `qpu`; on the host it is an empty program.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod guest;

/// The host has nothing to run here.
#[cfg(not(target_os = "none"))]
fn main() {}

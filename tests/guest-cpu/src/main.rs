//! A bare-metal image that exercises the ARM1176 and prints what it finds.
//!
//! It boots on the virtual Pi and in QEMU's raspi0, and both print the same text on the PL011
//! (`tests/golden/guest-cpu.txt`) but for lines that name what QEMU does not model; the test
//! `tests/tests/virtual_pi_cpu.rs` says which and compares. It ends by a reset from the watchdog.
//! Exceptions, the MMU, aborts, alignment, exclusives, media instructions, cache maintenance, SRS
//! and RFE, user mode, interrupts and WFI are in the assembly; arithmetic on the VFP is in Rust, so
//! that what the compiler makes of it is exercised too.
//!
//! Built by xtask for `armv6-none-eabihf`; on the host it is an empty program:
//! `RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 cargo build -Zbuild-std=core --target armv6-none-eabihf
//! --profile firmware -p guest-cpu`.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod guest;

/// The host has nothing to run here.
#[cfg(not(target_os = "none"))]
fn main() {}

//! The processor: barriers, caches, interrupts, MMU, exceptions, reset-proof memory.
//!
//! Drivers use only what [`cpu`] exports, which exists twice: for the ARM1176 and, as operations
//! that do nothing, for the host that runs their tests.
#![allow(unsafe_code)]

#[cfg(target_os = "none")]
#[path = "armv6/mod.rs"]
pub mod cpu;

#[cfg(not(target_os = "none"))]
#[path = "host.rs"]
pub mod cpu;

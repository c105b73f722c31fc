//! The firmware: drivers for the BCM2835, the FFT engines and the instrument.
//!
//! One hardware block a file; `arch` is the processor, [`mmio`] the only place where an address
//! becomes registers, [`dma_buf`] the memory that V3D and the VideoCore see. Everything here
//! compiles for the host too, where what does not touch hardware is tested; only the processor
//! itself exists for the target alone. `src/main.rs` is the boot order.
#![cfg_attr(target_os = "none", no_std)]
// Allowed by name where it must be: `arch`, `mmio`, `dma_buf` and `log`.
#![deny(unsafe_code)]
// Registers and their fields are spelled as in Broadcom's and ARM's manuals.
#![allow(non_snake_case)]

pub mod arch;
pub mod asb;
pub mod atags;
pub mod baud;
pub mod board;
pub mod clock_manager;
pub mod device;
pub mod dma;
pub mod dma_buf;
pub mod engine;
pub mod fault;
pub mod gpio;
pub mod instrument;
pub mod interrupt;
pub mod job_memory;
pub mod live_port;
pub mod mailbox;
pub mod mmio;
pub mod pcm;
pub mod pm;
pub mod property;
pub mod smi;
pub mod startup;
pub mod timer;
pub mod uart;
pub mod v3d;

#[cfg(target_os = "none")]
pub mod log;
#[cfg(not(target_os = "none"))]
#[path = "log_host.rs"]
pub mod log;

//! The peripherals, one file each.
//!
//! A device has `read` and `write` for its registers, `advance(now)` to bring it to the clock
//! `now`, and returns from it the clock of its next event of its own, so that an idle board costs
//! nothing.

pub mod asb;
pub mod clock_manager;
pub mod dma;
pub mod gpio;
pub mod host_end;
pub mod intc;
pub mod mailbox;
pub mod oscillation;
pub mod pcm;
pub mod pm;
pub mod property;
pub mod pull;
pub mod sampling;
pub mod serial_line;
pub mod smi;
pub mod timer;
pub mod uart;
pub mod v3d;

/// No event to come.
pub const NEVER: u64 = u64::MAX;

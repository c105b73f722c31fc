//! The planner: from a request to memory, lists of uniforms and launches.
//!
//! A [`request`] is written as a list of passes ([`steps`]), whose split is looked up among those
//! that were measured fastest ([`tuning`]). [`memory`] places everything, [`upload`] writes it, and
//! a [`Plan`] runs it. A plane is its rows and then its columns ([`plane`]). Nothing here knows
//! what a pass computes: that is asked of its [`Layout`](super::kernels::layout::Layout).

pub mod memory;
pub mod plan;
pub mod plane;
pub mod request;
pub mod steps;
pub mod streams;
pub mod tuned;
pub mod tuning;
mod upload;

pub use plan::Plan;

/// Bytes that a Pi 1 can leave to the QPUs beside the system.
pub const BOARD_BYTES: u64 = 384 << 20;

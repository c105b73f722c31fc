//! The cycle model: what instructions wait for, and how long.

pub mod constants;

pub use constants::{Constants, Described, LaunchOrder, REFERENCE_HZ, Replacement};

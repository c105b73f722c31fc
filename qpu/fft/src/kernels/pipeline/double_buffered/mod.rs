//! Transforms of 2^12 points: a pipeline whose producers have two units each.

#[cfg(feature = "generate")]
pub(in crate::kernels) mod code;
pub mod handover;
pub mod layout;

pub use layout::DoubleBuffered;

//! A batch of transforms of 2^8 points in one pass, each on one QPU.

#[cfg(feature = "generate")]
pub(super) mod code;
pub mod layout;

pub use layout::Batch;

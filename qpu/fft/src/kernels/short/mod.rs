//! Transforms of 2^4 to 2^9 points in one pass: several on a QPU, or one on several.

#[cfg(feature = "generate")]
pub(super) mod code;
pub mod layout;

pub use layout::Short;

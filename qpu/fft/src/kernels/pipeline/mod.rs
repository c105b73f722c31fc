//! Transforms of 2^9 to 2^12 points in one pass, by producers and consumers.

#[cfg(feature = "generate")]
pub(super) mod code;
pub mod double_buffered;
pub mod layout;
#[cfg(feature = "generate")]
mod roles;
pub mod uniforms;

pub use layout::Pipeline;

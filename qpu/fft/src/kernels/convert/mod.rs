//! Samples to points, before passes that read points only.

#[cfg(feature = "generate")]
pub(super) mod code;
pub mod layout;

pub use layout::{ConvertPass, VECTORS};

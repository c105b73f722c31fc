//! Passes whose units of 256 points are each on one QPU by itself.

pub mod addresses;
#[cfg(feature = "generate")]
pub(super) mod code;
pub mod geometry;
mod layout;
pub mod pairs;
pub mod twiddle_tables;
pub mod uniforms;

pub use geometry::Geometry;

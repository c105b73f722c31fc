//! The kernels: programs for the passes of a transform, each with the layout that a planner asks.
//!
//! A kernel has a folder. In it are the layout, which the device runs too (addresses, tables,
//! uniforms; [`layout::Layout`]), and the code, which writes the program on the host. The planner
//! and the kernels know of each other only what is in this folder's own files; the
//! [`catalogue`] is the only list of kernels.
//!
//! | kernel | passes |
//! |---|---|
//! | [`mod@unit`] | first, middle, last and single passes; each unit of 256 points on one QPU |
//! | [`tile`] | first and last passes of 128 and 256 points whose tiles QPUs share |
//! | [`short`] | transforms of 2^4 to 2^9 points in one pass: several on a QPU, or one on several |
//! | [`pipeline`] | transforms of 2^9 to 2^12 points in one pass, by producers and consumers |
//! | [`spectral`] | real spectra, products and powers |
//! | [`convert`] | samples to points, before passes that read points only |
//!
//! [`one_pass`] is what `short` and `pipeline` have in common. `unit_loop` is the loop over units
//! around the code of `unit`, `tile` and `spectral`.

pub mod catalogue;
pub mod code;
pub mod context;
pub mod convert;
#[cfg(feature = "generate")]
mod generated;
pub mod layout;
pub mod one_pass;
pub(super) mod pipeline;
pub mod program;
pub mod samples;
pub(super) mod short;
pub mod sizes;
pub mod spectral;
pub mod tile;
pub mod truncation;
pub mod twiddle;
pub mod uniform;
pub mod unit;
#[cfg(feature = "generate")]
mod unit_loop;

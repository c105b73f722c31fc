//! Data-flow graphs of transforms: rows of points, butterflies, and twiddles on their edges.
//!
//! [`network`] says what flows where, [`rows`] which points are drawn, [`scene`] where everything
//! stands on paper; [`svg`] and [`pdf`] write it.

pub(crate) mod network;
pub(crate) mod pdf;
pub(crate) mod rows;
pub(crate) mod scene;
pub(crate) mod svg;

//! Programs over bins: [`split`], [`product`] and [`power`]; [`crate::fft::bins`] says what they
//! compute.

mod half;
mod power;
mod product;
mod removed;
mod short;
mod split;

pub use split::interleaved;

use super::Generated;
use super::frame::Written;
use crate::fft::bins::Bins;

/// The operations to schedule of a program of a kind, where that is a codelet in a frame.
pub fn written(bins: Bins) -> Option<Written> {
    match bins {
        Bins::Split => Some(split::program()),
        Bins::ShortSplit { .. } => None,
        Bins::Product => Some(product::program()),
        Bins::Power { .. } | Bins::SplitPower { .. } => Some(power::program(bins)),
    }
}

/// The program of a kind.
pub fn program(bins: Bins) -> Generated {
    match written(bins) {
        Some(written) => written.finish(),
        None => short::program(bins),
    }
}

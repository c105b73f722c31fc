//! Programs over bins: [`split`], [`product`] and [`power`]; [`crate::fft::bins`] says what they compute.

mod half;
mod power;
mod product;
mod split;

use super::frame::Written;
use crate::fft::bins::Bins;

/// The program of a kind.
pub fn program(bins: Bins) -> Written {
    match bins {
        Bins::Split => split::program(),
        Bins::Product => product::program(),
        Bins::Power { .. } | Bins::SplitPower { .. } => power::program(bins),
    }
}

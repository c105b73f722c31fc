//! Programs over bins: [`real_split`], [`product`] and [`power`]; [`crate::fft::kernels::spectral`]
//! says what they compute.

mod half;
mod power;
mod product;
mod real_split;
mod removed;
mod short_split;

pub use real_split::interleaved;

use super::{Bins, Record, Row, Start};
use crate::fft::kernels::generated::Generated;
use crate::fft::kernels::uniform::{Pack, UniformId};
use crate::fft::kernels::unit_loop::{List, Written};

/// The operations to schedule of a program of a kind, where that has a unit loop around it.
pub fn written(bins: Bins) -> Option<Written> {
    match bins {
        Bins::Split => Some(real_split::program()),
        Bins::ShortSplit { .. } => None,
        Bins::Product => Some(product::program()),
        Bins::Power { .. } | Bins::SplitPower { .. } => Some(power::program(bins)),
    }
}

/// The program of a kind.
pub fn program(bins: Bins) -> Generated {
    match written(bins) {
        Some(written) => written.finish(),
        None => short_split::program(bins),
    }
}

/// The names of uniforms, for listings.
fn name(list: List, id: UniformId) -> String {
    match list {
        List::Start => format!("Bins({:?})", Start::of(id)),
        List::Record => format!("Bins({:?})", Record::of(id)),
        List::Row => format!("Bins({:?})", Row::of(id)),
        List::Scalar => unreachable!("there are no such uniforms"),
    }
}

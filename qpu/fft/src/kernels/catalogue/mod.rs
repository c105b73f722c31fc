//! Passes of every kind behind one type.

#[cfg(feature = "generate")]
pub mod programs;

use super::convert::ConvertPass;
use super::layout::Layout;
use super::pipeline::Pipeline;
use super::pipeline::double_buffered::DoubleBuffered;
use super::samples::Reading;
use super::short::Short;
use super::spectral::power::PowerPass;
use super::spectral::product::ProductPass;
use super::spectral::real_split::RealPass;
use super::unit::Geometry;
use crate::split::Split;

/// A pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pass {
    /// A pass of complex transforms whose points follow each other in memory.
    Points(Geometry),
    /// Half a transform to a real spectrum, or back.
    Real(RealPass),
    /// Spectra of signals and kernels to their products.
    Product(ProductPass),
    /// Spectra to powers.
    Power(PowerPass),
    /// Samples to complex points.
    Convert(ConvertPass),
    /// Transforms through the VPM, several on a QPU or one on several.
    Short(Short),
    /// Transforms through the VPM, by producers and consumers.
    Pipeline(Pipeline),
    /// Transforms of 2^12 points through the VPM, by producers and consumers.
    DoubleBuffered(DoubleBuffered),
}

impl Pass {
    /// Its layout.
    #[must_use]
    pub const fn layout(&self) -> &dyn Layout {
        match self {
            Self::Points(geometry) => geometry,
            Self::Real(pass) => pass,
            Self::Product(pass) => pass,
            Self::Power(pass) => pass,
            Self::Convert(pass) => pass,
            Self::Short(short) => short,
            Self::Pipeline(pipeline) => pipeline,
            Self::DoubleBuffered(double_buffered) => double_buffered,
        }
    }

    /// The pass that does a transform of 2^`log2_points` points through the VPM; `None` when there
    /// is none.
    #[must_use]
    pub fn one(log2_points: u32) -> Option<Self> {
        match log2_points {
            9 => Short::new(9).map(Self::Short),
            DoubleBuffered::LOG2_POINTS => Some(Self::DoubleBuffered(DoubleBuffered)),
            _ => Pipeline::new(log2_points, false).map(Self::Pipeline),
        }
    }

    /// The pass that does several such transforms at a time, or one of 2^8 on two QPUs; `None` when
    /// there is none.
    #[must_use]
    pub fn several(log2_points: u32) -> Option<Self> {
        let groups = Pipeline::new(log2_points, true).map(Self::Pipeline);
        groups.or_else(|| Short::new(log2_points).map(Self::Short))
    }

    /// The one pass that takes a split, if it is one through the VPM that there is a program for.
    #[must_use]
    pub fn of(split: &Split) -> Option<Self> {
        let log2_points = split.log2_points();
        match (split.passes(), split.is_shared(0)) {
            (1, true) => Self::several(log2_points),
            (1, false) => Self::one(log2_points),
            _ => None,
        }
    }

    /// The pass with `reading`, where it reads the caller's input and that is not complex points.
    /// Transforms through the VPM read points, behind a pass that converts
    /// ([`crate::planner::steps::Steps::reading`]).
    #[must_use]
    pub fn reads(self, reading: Reading) -> Self {
        match self {
            Self::Points(geometry) => Self::Points(geometry.reads(reading)),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_qpus_share_is_moved_once() {
        let traffic = |log2_points| Pass::one(log2_points).expect("a pass").layout().traffic(3);
        assert_eq!(traffic(12), [3 * 32 * 1024; 2]);
        assert_eq!(traffic(11), [3 * 16 * 1024; 2]);
    }
}

//! Splits that `cargo xtask tune` found fastest, by chip ([`super::tuning::Chip`]).

pub mod bcm2835;
pub mod bcm2836;
pub mod conservative;

use super::streams::Streams;
use crate::kernels::catalogue::Pass;
use crate::split::Split;

/// A length, its split, and what that took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tuned {
    /// Points, as a power of two.
    pub log2_points: u8,
    /// Transforms of a batch.
    pub batch: u8,
    /// Radices of the split, as powers of two.
    pub log2_radices: &'static [u8],
    /// Most programs that run at the same time: more can be slower where memory is what they wait
    /// for.
    pub qpus: u8,
    /// True if all passes run in one launch.
    pub one_launch: bool,
    /// The data that passes read past the system L2; passes of plans of other kinds that follow
    /// these do so too.
    pub streams: Streams,
    /// V3D clocks of the batch, in the second run; 0 where it has not been measured.
    pub cycles: u32,
}

impl Tuned {
    /// A row as `cargo xtask tune` writes it, `streams` as [`Streams::from_bits`] has them.
    pub(super) const fn measured(
        [log2_points, batch]: [u8; 2],
        log2_radices: &'static [u8],
        (qpus, one_launch): (u8, bool),
        streams: u32,
        cycles: u32,
    ) -> Self {
        Self {
            log2_points,
            batch,
            log2_radices,
            qpus,
            one_launch,
            streams: Streams::from_bits(streams),
            cycles,
        }
    }

    /// True if samples need a pass of their own before it
    /// ([`crate::kernels::convert::layout`]).
    #[must_use]
    pub fn reads_points(&self) -> bool {
        self.log2_radices.len() == 1
    }

    /// True if it is one pass with several groups of producers
    /// ([`crate::kernels::pipeline::layout`]).
    pub(super) fn has_groups(&self) -> bool {
        let pass = Split::new(self.log2_radices).and_then(|split| Pass::of(&split));
        matches!(pass, Some(Pass::Pipeline(pipeline)) if pipeline.groups() > 1)
    }
}

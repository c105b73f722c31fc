//! Samples that a source lends to the QPUs, where they lie.
//!
//! A ring that DMA fills lies in memory that V3D reads. The QPUs transform its samples in place, so
//! nothing is copied. The source lends a block, the engine starts the QPUs on it, and the source
//! gets it back when their work has ended, or when it was given up. Then the source says if DMA has
//! left the block alone in the meantime: if not, the result is thrown away whole and the samples
//! are counted as lost.

use qpu::job::BusAddr;

use super::samples::Coding;

/// A block in memory that V3D reads and that is not the engine's.
///
/// It is neither `Copy` nor `Clone`: whoever lends one out gets the same one back.
#[must_use = "a block that is not given back is never filled again"]
#[derive(PartialEq, Eq, Debug)]
pub struct SampleBlock {
    /// The first byte as V3D sees it, through the system L2. A multiple of 64.
    pub addr: BusAddr,
    /// Samples from there on without a gap: those of all blocks that become one launch
    /// ([`super::Spectra::samples`]).
    pub samples: usize,
    /// Their coding: packed, the first byte lowest in its word ([`super::samples`]).
    pub coding: Coding,
    /// Index of the first sample since the source began, counting those that were lost.
    pub first_sample: u64,
    /// Samples that were lost between the block before and this one.
    pub lost_before: u64,
}

impl SampleBlock {
    /// Bytes that it takes.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.samples * self.coding.bytes()
    }
}

//! The size of the chip, and its clock.

/// QPUs of the chip.
pub const QPUS: usize = 12;

/// Slices: groups of four QPUs with an instruction cache, a uniform cache and two TMUs.
pub const SLICES: usize = 3;

/// V3D clocks of a round: one instruction of each QPU.
pub const ROUND_CLOCKS: u64 = 4;

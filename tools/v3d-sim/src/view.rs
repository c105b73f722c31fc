//! A QPU as an observer or a debugger sees it.
//!
//! Nothing here changes anything: no read takes a uniform, a VPM vector or a TMU result.

use crate::qpu::{Qpu, QpuStatus, state};
use qpu::isa::File;

/// Flags of all lanes, a bit for each lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlagBits {
    /// Zero.
    pub z: u16,
    /// Negative.
    pub n: u16,
    /// Carry.
    pub c: u16,
}

/// A QPU, to look at.
#[derive(Clone, Copy)]
pub struct QpuView<'a>(pub(crate) &'a Qpu);

impl QpuView<'_> {
    /// QPU number, 0..11.
    #[must_use]
    pub fn number(self) -> u8 {
        self.0.number
    }

    /// True if it runs.
    #[must_use]
    pub fn status(self) -> QpuStatus {
        self.0.status()
    }

    /// Bus address of the instruction that it executes next.
    #[must_use]
    pub fn pc(self) -> u32 {
        self.0.pc
    }

    /// A register of file A or B, by number modulo 32.
    #[must_use]
    pub fn register(self, file: File, number: u8) -> [u32; 16] {
        *self.0.registers.at(state::of_file(file, number))
    }

    /// r0..r5, by number; those above 5 are r5.
    #[must_use]
    pub fn accumulator(self, number: u8) -> [u32; 16] {
        *self.0.registers.at(state::accumulator(number.min(5)))
    }

    /// The flags.
    #[must_use]
    pub fn flags(self) -> FlagBits {
        let [z, n, c] = self.0.registers.flags.bits();
        FlagBits { z, n, c }
    }

    /// Bus address of the next uniform.
    #[must_use]
    pub fn uniforms(self) -> u32 {
        self.0.uniforms.address
    }

    /// Lookups on TMU 0 or 1 of its slice whose results it has not taken.
    #[must_use]
    pub fn lookups(self, tmu: u8) -> usize {
        self.0.tmus.outstanding(tmu & 1)
    }

    /// Vectors that it can still read from the VPM with the setups it has given.
    #[must_use]
    pub fn vpm_vectors_left(self) -> u32 {
        self.0.vpm_reads.left()
    }
}

//! What an observer or a debugger sees of a V3D that stands still.
//!
//! Nothing here changes anything: no read takes a uniform, a VPM vector or a TMU result.

use crate::qpu::{Qpu, state};
use crate::shared::QPUS;
use crate::v3d::V3d;
use qpu::isa::File;

/// Whether a QPU has a program, and whether that goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QpuStatus {
    /// It has no program.
    Idle,
    /// It executes or waits.
    Running,
    /// It stands still for the host, after a breakpoint signal or DBQHLT.
    Halted,
    /// It has faulted.
    Hung,
}

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

    /// Whether it runs.
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
        self.0.uniforms.address()
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

impl V3d {
    /// QPU `number`, taken modulo 12.
    #[must_use]
    pub fn qpu(&self, number: u8) -> QpuView<'_> {
        QpuView(&self.qpus[usize::from(number) % QPUS])
    }

    /// The counts of the sixteen semaphores.
    #[must_use]
    pub fn semaphores(&self) -> [u8; 16] {
        self.shared.semaphores.counts()
    }

    /// The QPU that holds the mutex.
    #[must_use]
    pub fn mutex_holder(&self) -> Option<u8> {
        self.shared.mutex.holder()
    }

    /// A row of the VPM, 0..127 (QPUs reach 0..63), without QPU writes that are on their way.
    #[must_use]
    pub fn vpm_row(&self, row: u8) -> [u32; 16] {
        std::array::from_fn(|column| {
            self.shared
                .vpm
                .linear(usize::from(row) * crate::vpm::COLUMNS + column)
        })
    }

    /// The QPUs whose DMA loads are not complete, oldest first.
    #[must_use]
    pub fn loads_pending(&self) -> Vec<u8> {
        self.shared.vdr.pending()
    }

    /// The QPUs whose DMA stores are not complete, oldest first.
    #[must_use]
    pub fn stores_pending(&self) -> Vec<u8> {
        self.shared.vdw.pending()
    }
}

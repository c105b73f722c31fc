//! The state of a V3D that stands still, for debuggers.
//!
//! Nothing here changes anything.

use super::V3d;
use crate::chip::QPUS;
use crate::view::QpuView;
use crate::vpm::COLUMNS;

impl V3d {
    /// QPU `number`, taken modulo 12.
    #[must_use]
    pub fn qpu(&self, number: u8) -> QpuView<'_> {
        QpuView(&self.qpus[usize::from(number) % QPUS])
    }

    /// The counts of the sixteen semaphores.
    #[must_use]
    pub fn semaphores(&self) -> [u8; 16] {
        self.shared.semaphores.counts
    }

    /// The QPU that holds the mutex.
    #[must_use]
    pub fn mutex_holder(&self) -> Option<u8> {
        self.shared.mutex
    }

    /// A row of the VPM, 0..127 (QPUs reach 0..63), without QPU writes that are on their way.
    #[must_use]
    pub fn vpm_row(&self, row: u8) -> [u32; 16] {
        std::array::from_fn(|column| self.shared.vpm.linear(usize::from(row) * COLUMNS + column))
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

//! Accesses to memory by others than V3D, which take its time.
//!
//! Times are hundredths of a V3D clock after the last round of V3D, which has been advanced to the
//! time of the access, so that it takes its place among those of V3D. An idle V3D is told how long
//! it has been idle, so that its memory knows how much time has passed.

use super::V3d;
use crate::time::{Outside, ROUND, Served};

/// An access of DMA or of the ARM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutsideAccess {
    /// Hundredths of a V3D clock after the last round of V3D at which it comes to the bus.
    pub ahead: u64,
    /// Bus address.
    pub address: u32,
    /// Bytes, within a line of 64.
    pub bytes: u32,
    /// True for a write.
    pub write: bool,
    /// Hundredths of a clock for which it has the L2 of the system.
    pub busy: u64,
    /// True if SDRAM serves it before others that wait.
    pub passes: bool,
}

impl V3d {
    /// Lets an idle V3D's time pass: its memory has been idle as long. Nothing is counted.
    pub fn pass_idle(&mut self, rounds: u64) {
        if self.shared.time.is_some() && !self.is_running() {
            self.shared.now += rounds;
            self.settled_at += rounds;
        }
    }

    /// DMA reaches memory. What it writes, V3D's own caches may hold as it was before, as with
    /// [`V3d::memory_changed`]. Gives the hundredths of a clock for which it waits for V3D, the ARM
    /// and others of its own; none without the cycle model.
    pub fn dma_access(&mut self, access: OutsideAccess) -> u64 {
        if access.write {
            self.shared.stale.store(access.address, access.bytes, None);
        }
        self.reach(access).map_or(0, |(_, served)| served.waited)
    }

    /// The ARM reaches memory. Gives the hundredths of a clock until the data is there; none
    /// without the cycle model.
    pub fn arm_access(&mut self, access: OutsideAccess) -> Option<u64> {
        let (at, served) = self.reach(access)?;
        Some(served.done.saturating_sub(at))
    }

    /// The time of an access, and how it is served.
    fn reach(&mut self, access: OutsideAccess) -> Option<(u64, Served)> {
        let at = self.shared.now * ROUND + access.ahead;
        let time = self.shared.time.as_mut()?;
        Some((at, time.l2c.system.outside(at, access.on_bus())))
    }
}

impl OutsideAccess {
    fn on_bus(self) -> Outside {
        Outside {
            line: self.address >> 6,
            write: self.write,
            part: self.bytes < 64,
            busy: self.busy,
            passes: self.passes,
        }
    }
}

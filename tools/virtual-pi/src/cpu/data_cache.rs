//! Time of loads and stores: the data cache, and memory that no cache holds.
//!
//! The checks take every line that was touched for held; for time, the cache has its 16 KiB in 4
//! ways. A load of a line that is not there waits for it, at the system L2 or at SDRAM, behind V3D
//! and DMA. A store to such a line brings nothing in: it goes to memory by the write buffer, and so
//! does a dirty line that makes room. Both take the bus and nothing from the ARM.
//!
//! Loads and stores that no cache holds, all of them while the MMU or the cache is off, wait for
//! memory each time. The words of one instruction in one line are one access. A store to Normal
//! memory could go on before it has arrived; the slow end.
//!
//! Not counted: table walks, and the time that the write buffer takes when it is full.
//!
//! Source: ARM1176JZF-S TRM (DDI 0301H), section 7: allocation by loads only; section 8.5: bursts.

use super::Cpu;
use super::ways::{SETS, Ways};
use crate::checks::{COLD, DIRTY, LINE_BYTES, PRESENT};
use crate::clock::UNCACHED_ACCESS_CLOCKS;

/// The lines that the data cache holds at a time.
pub struct DataCache {
    /// Tags are the bits of a line's number above those of its set.
    ways: Ways,
    /// The line of the last store that went past the cache: the write buffer gathers those of one
    /// line.
    stored_past: u32,
    /// The end of the last access to memory that is not cached, and its line.
    uncached: (u64, u32),
}

impl DataCache {
    /// An empty cache.
    pub fn new() -> Self {
        Self {
            ways: Ways::new(),
            stored_past: u32::MAX,
            uncached: (u64::MAX, 0),
        }
    }
}

/// The line with a tag in a set.
fn line_of(tag: u32, set: usize) -> u32 {
    tag * SETS as u32 + set as u32
}

impl Cpu {
    /// The cache does not hold the line of `physical`, which is loaded from or stored to.
    pub fn miss_line(&mut self, physical: u32, store: bool) {
        let line = physical / LINE_BYTES;
        if store {
            self.board.lines.cool(physical);
            return self.write_past(line);
        }
        let lines = &mut self.board.lines;
        let set = line as usize % SETS;
        let is_held =
            |tag| lines.real(line_of(tag, set) * LINE_BYTES) & (PRESENT | COLD) == PRESENT;
        let victim = self
            .data_cache
            .ways
            .insert(set, line / SETS as u32, is_held);
        lines.warm(physical);
        if let Some(victim) = victim.map(|tag| line_of(tag, set) * LINE_BYTES) {
            let is_dirty = lines.real(victim) & DIRTY != 0;
            lines.cool(victim);
            if is_dirty {
                self.board.arm_access(victim, true, self.clock);
            }
        }
        self.wait_for_line(physical);
    }

    /// A store to a line that is not there, which the TLB has, and which was stored to before.
    #[cold]
    #[inline(never)]
    pub fn store_past(&mut self, address: u32) {
        let start = self.tlb.entry(address).lines;
        let physical = self.board.lines.physical(start, address);
        self.write_past(physical / LINE_BYTES);
        self.drop_unmade();
    }

    /// Hands a line to the write buffer.
    fn write_past(&mut self, line: u32) {
        if self.data_cache.stored_past != line {
            self.data_cache.stored_past = line;
            self.board.arm_access(line * LINE_BYTES, true, self.clock);
        }
    }

    /// Waits until a line has come from memory.
    pub fn wait_for_line(&mut self, physical: u32) {
        let line = physical & !(LINE_BYTES - 1);
        let clocks = self.board.arm_access(line, false, self.clock);
        self.wait(clocks);
        self.drop_unmade();
    }

    /// Waits for memory that is not cached, unless the instruction has done so for this line.
    pub fn wait_for_memory(&mut self, physical: u32) {
        let line = physical / LINE_BYTES;
        if self.data_cache.uncached != (self.clock, line) {
            self.wait(UNCACHED_ACCESS_CLOCKS);
        }
        self.data_cache.uncached = (self.clock, line);
    }
}

//! Time of line fills: which lines the data cache holds at a time, and what a missing one costs.
//!
//! The checks take every line that was touched for held; for time, the cache has its 16 KiB in 4
//! ways. A load of a line that is not there waits for it, at the system L2 or at SDRAM, behind V3D
//! and DMA. A store to such a line goes to memory by the write buffer, and so does a dirty line
//! that makes room: both take the bus and nothing from the ARM. Not counted: the instruction cache,
//! table walks, loads of uncached memory, and cleaning.
//!
//! Source: ARM1176JZF-S TRM (DDI 0301H), section 7: 16 KiB, 4 ways, lines of 8 words, allocation by
//! loads, pseudo-random replacement.

use super::Cpu;
use crate::checks::{DIRTY, LINE_BYTES, PRESENT};

const WAYS: usize = 4;
const SETS: usize = (16 << 10) / (WAYS * LINE_BYTES as usize);
/// No line.
const NONE: u32 = u32::MAX;

/// The tags.
pub struct DataCache {
    /// Line numbers.
    tags: Box<[[u32; WAYS]; SETS]>,
    random: u32,
}

impl DataCache {
    /// An empty cache.
    pub fn new() -> Self {
        Self {
            tags: Box::new([[NONE; WAYS]; SETS]),
            random: 12_345,
        }
    }

    /// Puts a line in; gives the one that makes room. `is_held` says which lines are still there.
    fn insert(&mut self, line: u32, is_held: impl Fn(u32) -> bool) -> Option<u32> {
        let set = &mut self.tags[line as usize % SETS];
        let free = |tag: &u32| *tag == line || *tag == NONE || !is_held(*tag);
        let way = set.iter().position(free).unwrap_or_else(|| {
            // Numerical Recipes' generator; its low bits are poor.
            self.random = self
                .random
                .wrapping_mul(1_664_525)
                .wrapping_add(1_013_904_223);
            (self.random >> 16) as usize % WAYS
        });
        let victim = std::mem::replace(&mut set[way], line);
        (victim != line && victim != NONE && is_held(victim)).then_some(victim)
    }
}

impl Cpu {
    /// The cache does not hold the line of `physical`, which is loaded from or stored to.
    pub fn fill_line(&mut self, physical: u32, store: bool) {
        let Some(cache) = &mut self.data_cache else {
            return;
        };
        let lines = &mut self.board.lines;
        let address = |line: u32| line * LINE_BYTES;
        let victim = cache.insert(physical / LINE_BYTES, |line| {
            lines.real(address(line)) & PRESENT != 0
        });
        lines.warm(physical);
        if let Some(victim) = victim.map(address) {
            let is_dirty = lines.real(victim) & DIRTY != 0;
            lines.cool(victim);
            if is_dirty {
                self.board.arm_access(victim, true, self.clock);
            }
        }
        let line = physical & !(LINE_BYTES - 1);
        let clocks = self.board.arm_access(line, store, self.clock);
        if !store {
            self.clock += clocks;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_four_ways_and_lines_that_were_dropped_make_room_first() {
        let mut cache = DataCache::new();
        let sets = SETS as u32;
        for way in 0..4 {
            assert_eq!(cache.insert(7 + way * sets, |_| true), None);
        }
        assert_eq!(cache.insert(7 + 2 * sets, |_| true), None, "it is there");
        let victim = cache.insert(7 + 4 * sets, |_| true).expect("one of four");
        assert_eq!(victim % sets, 7);
        assert_eq!(cache.insert(8, |_| true), None, "another set");
        let dropped = 7 + 4 * sets;
        assert_eq!(cache.insert(7 + 5 * sets, |line| line != dropped), None);
        assert_eq!(sets, 128);
    }
}

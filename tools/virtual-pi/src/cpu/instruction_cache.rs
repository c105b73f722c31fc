//! Time of instruction fetches: the instruction cache, and code that it does not hold.
//!
//! A line that the cache lacks is waited for as a whole, as [`super::data_cache`] says. Code that
//! is not cached comes in groups: from where a branch leads, or from where the last group ended, to
//! the end of its line. The cache is transparent but for time: a program that changes its code
//! without invalidating it is not found out.
//!
//! Source: ARM1176JZF-S TRM (DDI 0301H), sections 6.3.2, 7 and 8.5: with the MMU off code is
//! cacheable, and SCTLR.I alone decides; fetches past the cache are bursts that end with the line.

use super::Cpu;
use super::mmu::Access;
use super::ways::{SETS, Ways};
use crate::checks::LINE_BYTES;
use crate::clock::UNCACHED_FETCH_CLOCKS;

/// No line, and no page: no aligned address is this.
pub const NOWHERE: u32 = 1;

/// A page of code.
#[derive(Clone, Copy)]
pub struct CodePlace {
    /// Start of its words in [`crate::memory::Memory`].
    pub start: u32,
    /// Physical address.
    pub physical: u32,
    /// The cache may hold it.
    pub is_cached: bool,
}

/// The lines that the instruction cache holds.
pub struct InstructionCache {
    /// For each page, by [`page_of`], a bit for each line.
    held: Vec<u128>,
    /// Tags are numbers of pages; a page has a line in each set.
    ways: Ways,
}

/// The number of the page whose words start at `start`.
fn page_of(start: u32) -> usize {
    start as usize / 1024
}

impl InstructionCache {
    /// An empty cache.
    pub fn new() -> Self {
        Self {
            held: Vec::new(),
            ways: Ways::new(),
        }
    }

    /// True if the line of `address` in a page is there.
    #[inline(always)]
    fn holds(&self, start: u32, address: u32) -> bool {
        self.held
            .get(page_of(start))
            .is_some_and(|lines| lines >> set_of(address) & 1 != 0)
    }

    /// Puts a line in.
    fn insert(&mut self, start: u32, address: u32) {
        let (page, set) = (page_of(start), set_of(address));
        if page >= self.held.len() {
            self.held.resize(page + 1, 0);
        }
        let held = &self.held;
        let is_held = |page: u32| held[page as usize] >> set & 1 != 0;
        if let Some(victim) = self.ways.insert(set, page as u32, is_held) {
            self.held[victim as usize] &= !(1 << set);
        }
        self.held[page] |= 1 << set;
    }

    /// Drops everything.
    fn invalidate(&mut self) {
        self.held.fill(0);
    }

    /// Drops the line of `address` in a page.
    fn invalidate_line(&mut self, start: u32, address: u32) {
        if let Some(lines) = self.held.get_mut(page_of(start)) {
            *lines &= !(1 << set_of(address));
        }
    }
}

/// The set of a line; pages are as large as a way.
#[inline(always)]
fn set_of(address: u32) -> usize {
    (address / LINE_BYTES) as usize % SETS
}

impl Cpu {
    /// Execution comes to another line, in `place` if it is still in that page; false if not.
    #[inline(always)]
    pub fn enter_line(&mut self, address: u32, place: CodePlace) -> bool {
        if address & !0xfff != self.fetch_page {
            return false;
        }
        if place.is_cached && self.instruction_cache.holds(place.start, address) {
            self.fetch_line = address & !(LINE_BYTES - 1);
        } else {
            self.fetch_from_memory(address, place);
        }
        true
    }

    /// Drops everything that the instruction cache holds.
    pub fn invalidate_code(&mut self) {
        self.instruction_cache.invalidate();
        self.fetch_line = NOWHERE;
    }

    /// Drops the line of a virtual address.
    pub fn invalidate_code_line(&mut self, address: u32) {
        if let Ok(found) = self.walk(address, Access::Read, false) {
            let start = self.board.memory.start(found.page);
            self.instruction_cache.invalidate_line(start, address);
            self.fetch_line = NOWHERE;
        }
    }

    #[cold]
    #[inline(never)]
    fn fetch_from_memory(&mut self, address: u32, place: CodePlace) {
        if place.is_cached {
            self.fetch_line = address & !(LINE_BYTES - 1);
            self.instruction_cache.insert(place.start, address);
            self.wait_for_line(place.physical | address & 0xfff);
            return;
        }
        // Every instruction comes here, as a branch may lead into its own line.
        self.fetch_line = NOWHERE;
        if address != self.pc().wrapping_add(4) || address.is_multiple_of(LINE_BYTES) {
            self.wait(UNCACHED_FETCH_CLOCKS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_pages_have_room_for_all_their_lines_and_a_fifth_takes_some() {
        let mut cache = InstructionCache::new();
        let pages = [1, 2, 3, 4].map(|page| page * 1024);
        for start in pages {
            for line in 0..128 {
                assert!(!cache.holds(start, line * LINE_BYTES));
                cache.insert(start, line * LINE_BYTES);
            }
        }
        let held = |cache: &InstructionCache, start| {
            (0..128)
                .filter(|line| cache.holds(start, line * LINE_BYTES))
                .count()
        };
        assert_eq!(pages.map(|start| held(&cache, start)), [128; 4]);
        cache.insert(5 * 1024, 0x40);
        assert!(cache.holds(5 * 1024, 0x5c));
        assert_eq!(
            pages.map(|start| held(&cache, start)).iter().sum::<usize>(),
            511
        );
        cache.invalidate_line(5 * 1024, 0x44);
        assert!(!cache.holds(5 * 1024, 0x40));
        cache.invalidate();
        assert_eq!(pages.map(|start| held(&cache, start)), [0; 4]);
    }
}

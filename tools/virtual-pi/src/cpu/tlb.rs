//! The TLBs, which are what makes loads, stores and fetches fast.
//!
//! An entry of the data TLB exists only for RAM that the cache may hold, as all other accesses take
//! their time. Its tags say whether loads and stores may use it, and it says where the words of the
//! page and its line states start (see [`crate::checks`]). A page that was never written has no
//! words of its own yet: loads find the common zeros, until some page is written for the first
//! time.
//! The sizes are ours, not the chip's: nothing here takes time, and tables are walked again after
//! every operation that a program must use to make changes visible.

use super::Cpu;
use super::instruction_cache::{CodePlace, NOWHERE};
use super::mmu::{Access, MemoryType, Translation, WalkError};
use super::registers::USR;
use crate::fault::FaultKind;
use crate::memory::NOT_MADE;

/// A tag that no page has.
const NO_TAG: u32 = 1;
/// Entries of the data TLB; a size of ours, not of the chip's.
pub const ENTRIES: usize = 1024;
/// Entries of the instruction TLB.
const FETCH_ENTRIES: usize = 256;

/// An entry of the data TLB.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Page of the virtual address if loads may use it.
    pub read: u32,
    /// Page of the virtual address if stores may use it.
    pub write: u32,
    /// Start of the page in [`crate::memory::Memory`].
    pub page: u32,
    /// Start of its line states in [`crate::checks::Lines`].
    pub lines: u32,
}

/// Both TLBs.
pub struct Tlb {
    entries: Box<[Entry; ENTRIES]>,
    fetch: Box<[(u32, CodePlace); FETCH_ENTRIES]>,
    /// There are entries of pages that were never written.
    has_unmade: bool,
    /// Pages of memory that were written when there were none.
    made: usize,
}

impl Tlb {
    /// Empty TLBs.
    pub fn new() -> Self {
        let none = Entry {
            read: NO_TAG,
            write: NO_TAG,
            page: 0,
            lines: 0,
        };
        let nowhere = CodePlace {
            start: NOT_MADE,
            physical: 0,
            is_cached: false,
        };
        Self {
            entries: Box::new([none; ENTRIES]),
            fetch: Box::new([(NO_TAG, nowhere); FETCH_ENTRIES]),
            has_unmade: false,
            made: 0,
        }
    }

    /// The entry that a virtual address would use.
    #[inline(always)]
    pub fn entry(&self, virtual_address: u32) -> &Entry {
        &self.entries[(virtual_address >> 12) as usize % ENTRIES]
    }
}

impl Cpu {
    /// Drops all translations.
    pub fn flush_tlb(&mut self) {
        for entry in self.tlb.entries.iter_mut() {
            entry.read = NO_TAG;
            entry.write = NO_TAG;
        }
        for entry in self.tlb.fetch.iter_mut() {
            entry.0 = NO_TAG;
        }
        // The page that is executing has to be looked up again.
        self.fetch_page = NOWHERE;
        self.fetch_line = NOWHERE;
    }

    /// Remembers a translation of RAM for the fast path.
    pub fn fill_tlb(&mut self, virtual_address: u32, found: &Translation) {
        if !found.kind.is_cached() {
            return;
        }
        let start = self.board.memory.start(found.page);
        if start == NOT_MADE && !self.tlb.has_unmade {
            self.tlb.has_unmade = true;
            self.tlb.made = self.board.memory.pages_made();
        }
        let tag = virtual_address & !0xfff;
        let lines = self.board.lines.start_for(found.page);
        self.tlb.entries[(virtual_address >> 12) as usize % ENTRIES] = Entry {
            read: if found.read { tag } else { NO_TAG },
            // Stores to write-through memory go to memory each time.
            write: if found.write && found.kind == MemoryType::WriteBack && start != NOT_MADE {
                tag
            } else {
                NO_TAG
            },
            page: start,
            lines,
        };
    }

    /// Drops the translations of pages that were never written, if one may have been written since.
    /// Whatever lets anyone write memory, the core itself included, calls this before the next load
    /// of the core.
    #[inline]
    pub fn drop_unmade(&mut self) {
        if self.tlb.has_unmade && self.tlb.made != self.board.memory.pages_made() {
            self.drop_entries_of_unmade();
        }
    }

    #[cold]
    fn drop_entries_of_unmade(&mut self) {
        let entries = self.tlb.entries.iter_mut();
        for entry in entries.filter(|entry| entry.page == NOT_MADE) {
            entry.read = NO_TAG;
        }
        self.tlb.has_unmade = false;
    }

    /// The RAM page that holds the instruction at `address`.
    ///
    /// # Errors
    /// None: the abort has been taken, or the run stopped.
    pub fn fetch_translation(&mut self, address: u32) -> Option<CodePlace> {
        let tag = address & !0xfff;
        let slot = (address >> 12) as usize % FETCH_ENTRIES;
        if self.tlb.fetch[slot].0 == tag {
            return Some(self.tlb.fetch[slot].1);
        }
        match self.walk(address, Access::Execute, self.mode == USR) {
            Ok(found) if found.page < self.board.memory.size() => {
                let place = CodePlace {
                    start: self.board.memory.start(found.page),
                    physical: found.page,
                    is_cached: found.code_is_cached && self.cp15.sctlr & 1 << 12 != 0,
                };
                if place.start != NOT_MADE {
                    self.tlb.fetch[slot] = (tag, place);
                }
                Some(place)
            }
            Ok(found) => {
                self.r[15] = address.wrapping_add(8);
                self.fault(FaultKind::Unmapped, Some(found.page | address & 0xfff));
                None
            }
            Err(WalkError::Abort(status)) => {
                self.prefetch_abort(address, status);
                None
            }
            Err(WalkError::Stop(kind, at)) => {
                self.r[15] = address.wrapping_add(8);
                self.fault(kind, Some(at));
                None
            }
        }
    }
}

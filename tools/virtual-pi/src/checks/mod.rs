//! State of each 32-byte line in the ARM's data cache, and of stores that have not reached memory
//! yet.
//!
//! The cache is not modelled as a cache: a line counts as held from the first access until it is
//! invalidated, and as dirty from the first store until it is cleaned. A real cache evicts lines at
//! times of its own and so hides such mistakes now and then; here every one of them shows.
//!
//! The ARM's fast path looks up one byte per access in the page that its TLB entry names. States
//! are kept with the check off, too: the time of loads and stores needs them.
//!
//! Source: ARM1176JZF-S TRM (DDI 0301H), sections 7 and 8; docs/hardware/virtual-pi.md, checks 1
//! and 5.

mod past_l2;

use std::collections::HashMap;
use std::ops::Range;

use crate::fault::{Agent, FaultKind};
use crate::memory::Memory;
use crate::pages::Pages;
use past_l2::PastL2;

/// The cache may hold this line.
pub const PRESENT: u8 = 1;
/// The cache may hold newer data than memory.
pub const DIRTY: u8 = 2;
/// Memory has been written behind the cache while it held the line.
pub const STALE: u8 = 4;
/// It was the mailbox firmware that did so, not V3D.
const BY_MAILBOX: u8 = 8;
/// Dirty data was thrown away by an invalidation; until the line is written, what memory holds
/// of it depends on whether the cache had written it back before.
const DISCARDED: u8 = 16;
/// It was DMA that did so.
const BY_DMA: u8 = 32;
/// For time, it is not there: another line has taken its place, or it has only been stored to.
pub const COLD: u8 = 64;

/// A line of the ARM's data cache.
pub const LINE_BYTES: u32 = 32;

/// Changed lines that are remembered at most.
const CHANGES_LIMIT: usize = 1 << 20;

/// Lines in a page.
const LINES: usize = 4096 / LINE_BYTES as usize;

/// State of every line.
pub struct Lines {
    /// Those of each page that has ever had a line whose state is not 0.
    pages: Pages<u8, LINES>,
    /// The first store or clean since the last DSB that may still be in the write buffer: its
    /// physical address.
    pub undrained: Option<u32>,
    /// Lines that the ARM has changed in memory since V3D was last told.
    changed: Vec<u32>,
    /// The whole cache has been invalidated since reset.
    pub invalidated: bool,
    past_l2: PastL2,
    /// Pages that the table walk has read.
    table_pages: Vec<u32>,
    /// Contents in memory of the dirty lines in these pages, by line number. A table that is being
    /// changed is often walked for its neighbours, which is fine while the entry itself is the
    /// same.
    table_lines: HashMap<u32, [u32; 8]>,
    /// Mistakes are found.
    enabled: bool,
}

impl Lines {
    /// Nothing held. With `enabled` false no mistake is ever found.
    pub fn new(enabled: bool) -> Self {
        Self {
            pages: Pages::new(&[[0; LINES]]),
            undrained: None,
            changed: Vec::new(),
            invalidated: false,
            past_l2: PastL2::default(),
            table_pages: Vec::new(),
            table_lines: HashMap::new(),
            enabled,
        }
    }

    /// The state that the fast path of an access to `address` checks; `start` from the TLB entry.
    #[inline(always)]
    pub fn state(&self, start: u32, address: u32) -> u8 {
        *self.pages.at(start, address as usize >> 5)
    }

    /// The start for TLB entries of cached memory.
    pub fn start_for(&mut self, physical: u32) -> u32 {
        self.pages.make(physical >> 12)
    }

    /// The physical address behind a virtual one; `start` from the TLB entry.
    pub fn physical(&self, start: u32, address: u32) -> u32 {
        self.pages.page(start) << 12 | address & 0xfff
    }

    fn line_mut(&mut self, physical: u32) -> &mut u8 {
        let start = self.pages.make(physical >> 12);
        self.pages.at_mut(start, physical as usize >> 5)
    }

    /// The state of a line.
    #[inline]
    pub fn real(&self, physical: u32) -> u8 {
        self.state(self.pages.start(physical >> 12), physical)
    }

    /// The ARM loads from, or (`store`) stores to, a cacheable line.
    ///
    /// # Errors
    /// The line is an old copy.
    pub fn touch(
        &mut self,
        physical: u32,
        store: bool,
        write_back: bool,
        memory: &Memory,
    ) -> Result<(), FaultKind> {
        if self.enabled {
            self.judge_touch(physical, store, write_back, memory)?;
        }
        let line = self.line_mut(physical);
        *line &= !DISCARDED;
        *line |= if store && write_back {
            PRESENT | DIRTY
        } else {
            PRESENT
        };
        Ok(())
    }

    fn judge_touch(
        &mut self,
        physical: u32,
        store: bool,
        write_back: bool,
        memory: &Memory,
    ) -> Result<(), FaultKind> {
        let state = self.real(physical);
        if state & STALE != 0 {
            let by = match state & (BY_MAILBOX | BY_DMA) {
                0 => Agent::V3d,
                BY_DMA => Agent::Dma,
                _ => Agent::Mailbox,
            };
            return Err(FaultKind::StaleLineRead(by));
        }
        if state & PRESENT == 0 && self.past_l2.old_in_l2(physical & !31, LINE_BYTES).is_some() {
            return Err(FaultKind::StaleL2Read(Agent::Arm));
        }
        if state & DISCARDED != 0 && !store {
            return Err(FaultKind::DiscardedLineRead(Agent::Arm));
        }
        if store && write_back && state & DIRTY == 0 && self.table_pages.contains(&(physical >> 12))
        {
            let first = physical & !31;
            let words = std::array::from_fn(|index| memory.word(first + 4 * index as u32));
            self.table_lines.insert(physical >> 5, words);
        }
        Ok(())
    }

    /// The line is not there, for time.
    pub fn cool(&mut self, physical: u32) {
        *self.line_mut(physical) |= COLD;
    }

    /// The line has come.
    pub fn warm(&mut self, physical: u32) {
        if self.real(physical) & COLD != 0 {
            *self.line_mut(physical) &= !COLD;
        }
    }

    /// The table walk, which looks at memory past the cache, reads a word.
    ///
    /// # Errors
    /// The cache holds another value of it.
    pub fn walk_read(&mut self, physical: u32, memory: &Memory) -> Result<(), FaultKind> {
        if !self.enabled {
            return Ok(());
        }
        if !self.table_pages.contains(&(physical >> 12)) {
            self.table_pages.push(physical >> 12);
        }
        if self.real(physical) & DIRTY != 0 {
            let held = self.table_lines.get(&(physical >> 5));
            if held.map(|words| words[(physical as usize >> 2) % 8]) != Some(memory.word(physical))
            {
                return Err(FaultKind::DirtyLineRead(Agent::TableWalk));
            }
        }
        Ok(())
    }

    /// A store that went past the cache is on its way to memory.
    pub fn store_past_cache(&mut self, physical: u32) {
        self.undrained.get_or_insert(physical);
        note_change(&mut self.changed, physical);
    }

    /// Clean (write dirty data to memory) the line, if `clean`; drop it, if `invalidate`.
    pub fn maintain(&mut self, physical: u32, clean: bool, invalidate: bool) {
        if clean {
            self.undrained.get_or_insert(physical);
        }
        if self.real(physical) == 0 {
            return;
        }
        if clean && self.real(physical) & DIRTY != 0 {
            note_change(&mut self.changed, physical);
        }
        maintain(self.line_mut(physical), clean, invalidate);
        self.table_lines.remove(&(physical >> 5));
    }

    /// Maintains the whole cache.
    pub fn maintain_all(&mut self, clean: bool, invalidate: bool) {
        if clean {
            self.undrained.get_or_insert(0);
        }
        self.invalidated |= invalidate;
        for (page, lines) in self.pages.made_mut() {
            for (index, line) in lines.iter_mut().enumerate() {
                if clean && *line & DIRTY != 0 {
                    note_change(&mut self.changed, (page << 12) + LINE_BYTES * index as u32);
                }
                maintain(line, clean, invalidate);
            }
        }
        self.table_lines.clear();
    }

    /// Physical addresses of the lines that cleans, and stores past the cache, have changed in
    /// memory since the last call.
    pub fn take_changed(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.changed)
    }

    /// DSB: everything has reached memory.
    pub fn drain(&mut self) {
        self.undrained = None;
    }

    /// The numbers of the lines of a range; none where no states are kept.
    fn lines_of(&self, physical: u32, bytes: u32) -> Range<u32> {
        if !self.enabled || bytes == 0 {
            return 0..0;
        }
        physical >> 5..((physical + (bytes - 1)) >> 5) + 1
    }

    /// A device beside the ARM reads memory.
    ///
    /// # Errors
    /// The first line of the range that the cache holds dirty, and its address.
    pub fn outside_read(
        &self,
        physical: u32,
        bytes: u32,
        agent: Agent,
    ) -> Result<(), (FaultKind, u32)> {
        for line in self.lines_of(physical, bytes) {
            let state = self.real(line << 5);
            let kind = match state & (DIRTY | DISCARDED) {
                0 => continue,
                DISCARDED => FaultKind::DiscardedLineRead(agent),
                _ => FaultKind::DirtyLineRead(agent),
            };
            return Err((kind, (line << 5).max(physical)));
        }
        Ok(())
    }

    /// A device beside the ARM reads memory through the system L2, or `past` it.
    ///
    /// # Errors
    /// As [`Lines::outside_read`]; else the first address of which what is read may be an old copy.
    #[inline]
    pub fn beside_read(
        &self,
        physical: u32,
        bytes: u32,
        past: bool,
        agent: Agent,
    ) -> Result<(), (FaultKind, u32)> {
        self.outside_read(physical, bytes, agent)?;
        if !self.enabled {
            return Ok(());
        }
        let fault = if past {
            let old = self.past_l2.old_in_memory(physical, bytes);
            old.map(|address| (FaultKind::L2Passed(agent), address))
        } else {
            let old = self.past_l2.old_in_l2(physical, bytes);
            old.map(|address| (FaultKind::StaleL2Read(agent), address))
        };
        fault.map_or(Ok(()), Err)
    }

    /// A device beside the ARM writes memory through the system L2, or `past` it.
    #[inline]
    pub fn beside_write(&mut self, physical: u32, bytes: u32, past: bool) {
        if !past {
            self.past_l2.write_through(physical, bytes);
        } else if self.enabled {
            self.past_l2.write_past(physical, bytes);
        }
    }

    /// A device beside the ARM writes memory: copies that the cache holds become old.
    ///
    /// # Errors
    /// The first line of the range that the cache holds dirty, and its address.
    pub fn outside_write(
        &mut self,
        physical: u32,
        bytes: u32,
        agent: Agent,
    ) -> Result<(), (FaultKind, u32)> {
        for line in self.lines_of(physical, bytes) {
            let address = line << 5;
            let state = self.real(address);
            if state & DIRTY != 0 {
                let kind = FaultKind::DirtyLineOverwritten(agent);
                return Err((kind, address.max(physical)));
            }
            if state & PRESENT != 0 {
                let by = match agent {
                    Agent::Mailbox => BY_MAILBOX,
                    Agent::Dma => BY_DMA,
                    _ => 0,
                };
                let line = self.line_mut(address);
                *line = (*line & !(BY_MAILBOX | BY_DMA | DISCARDED)) | STALE | by;
            } else if state & DISCARDED != 0 {
                *self.line_mut(address) &= !DISCARDED;
            }
        }
        Ok(())
    }
}

/// Adds the line of an address to those that were changed.
fn note_change(changed: &mut Vec<u32>, physical: u32) {
    let line = physical & !(LINE_BYTES - 1);
    if changed.len() == CHANGES_LIMIT {
        changed.sort_unstable();
        changed.dedup();
        // All different: forget some rather than grow without bound; only a warning is lost.
        changed.truncate(CHANGES_LIMIT / 2);
    }
    if changed.last() != Some(&line) {
        changed.push(line);
    }
}

fn maintain(line: &mut u8, clean: bool, invalidate: bool) {
    if clean {
        *line &= !DIRTY;
    }
    if invalidate {
        *line = if *line & DIRTY != 0 {
            DISCARDED
        } else {
            *line & DISCARDED
        };
    }
}

#[cfg(test)]
mod tests;

//! What the ARM's data cache may hold of each 32-byte line, and what has not reached memory yet.
//!
//! The cache is not modelled as a cache: a line counts as held from the first access until it is
//! invalidated, and as dirty from the first store until it is cleaned. A real cache evicts lines at
//! times of its own and so hides such mistakes now and then; here every one of them shows.
//!
//! The ARM's fast path looks up one byte per access through the page number that its TLB entry
//! holds. Pages that are not write-back cacheable use one of two constant pages instead: on `OPEN`
//! every access is fast, on `WATCH_STORES` every store takes the slow path.
//!
//! Source: ARM1176JZF-S TRM (DDI 0301H), sections 7 and 8; reference/virtual_pi.md, checks 1 and 5.

use crate::fault::{Agent, FaultKind};
use crate::memory::PAGES;

/// The cache may hold this line.
pub const PRESENT: u8 = 1;
/// The cache may hold newer data than memory.
pub const DIRTY: u8 = 2;
/// Memory has been written behind the cache while it held the line.
pub const STALE: u8 = 4;
/// It was the mailbox firmware that did so, not V3D.
const BY_MAILBOX: u8 = 8;

/// Lines in a page.
const LINES: usize = 4096 / 32;

/// Number of the constant page on which every access is fast.
pub const OPEN: u32 = PAGES as u32;
/// Number of the constant page on which loads are fast and stores are not.
pub const WATCH_STORES: u32 = PAGES as u32 + 1;

/// State of every line.
pub struct Lines {
    /// Twice the pages, so that any page number and the two constants are in range by a mask.
    pages: Box<[[u8; LINES]; 2 * PAGES]>,
    /// Pages that have a line whose state is not 0, each once; what "all" operations walk.
    touched: Vec<u32>,
    listed: Vec<bool>,
    /// The first store or clean since the last DSB that may still be in the write buffer: its
    /// physical address.
    undrained: Option<u32>,
    invalidated: bool,
    enabled: bool,
}

impl Lines {
    /// Nothing held. With `enabled` false every page is open and nothing is ever found.
    pub fn new(enabled: bool) -> Self {
        let pages = vec![[0u8; LINES]; 2 * PAGES].into_boxed_slice();
        let Ok(mut pages): Result<Box<[[u8; LINES]; 2 * PAGES]>, _> = pages.try_into() else {
            unreachable!("the vector was made with 2 * PAGES pages");
        };
        pages[OPEN as usize] = [PRESENT | DIRTY; LINES];
        pages[WATCH_STORES as usize] = [PRESENT; LINES];
        Self {
            pages,
            touched: Vec::new(),
            listed: vec![false; PAGES],
            undrained: None,
            invalidated: false,
            enabled,
        }
    }

    /// What the fast path of an access to `address` looks at; `page` from the TLB entry.
    #[inline(always)]
    pub fn state(&self, page: u32, address: u32) -> u8 {
        self.pages[page as usize % (2 * PAGES)][(address as usize >> 5) % LINES]
    }

    /// The page number for TLB entries of write-back memory.
    pub fn page_for(&self, physical: u32) -> u32 {
        if self.enabled { physical >> 12 } else { OPEN }
    }

    fn line_mut(&mut self, physical: u32) -> &mut u8 {
        let page = (physical >> 12) as usize % PAGES;
        if !self.listed[page] {
            self.listed[page] = true;
            self.touched.push(page as u32);
        }
        &mut self.pages[page][(physical as usize >> 5) % LINES]
    }

    fn real(&self, physical: u32) -> u8 {
        self.pages[(physical >> 12) as usize % PAGES][(physical as usize >> 5) % LINES]
    }

    /// The ARM loads from, or (`store`) stores to, a cacheable line.
    ///
    /// # Errors
    /// The line is an old copy.
    pub fn touch(&mut self, physical: u32, store: bool, write_back: bool) -> Result<(), FaultKind> {
        if !self.enabled {
            return Ok(());
        }
        let line = self.line_mut(physical);
        if *line & STALE != 0 {
            let by = if *line & BY_MAILBOX != 0 {
                Agent::Mailbox
            } else {
                Agent::V3d
            };
            return Err(FaultKind::StaleLineRead(by));
        }
        *line |= if store && write_back {
            PRESENT | DIRTY
        } else {
            PRESENT
        };
        Ok(())
    }

    /// A store that went past the cache is on its way to memory.
    pub fn store_past_cache(&mut self, physical: u32) {
        self.undrained.get_or_insert(physical);
    }

    /// Clean (write dirty data to memory) the line, if `clean`; drop it, if `invalidate`.
    pub fn maintain(&mut self, physical: u32, clean: bool, invalidate: bool) {
        if clean {
            self.undrained.get_or_insert(physical);
        }
        if !self.enabled || self.real(physical) == 0 {
            return;
        }
        let line = self.line_mut(physical);
        if clean {
            *line &= !DIRTY;
        }
        if invalidate {
            *line = 0;
        }
    }

    /// The same for the whole cache.
    pub fn maintain_all(&mut self, clean: bool, invalidate: bool) {
        if clean {
            self.undrained.get_or_insert(0);
        }
        self.invalidated |= invalidate;
        for page in std::mem::take(&mut self.touched) {
            for line in &mut self.pages[page as usize % PAGES] {
                if clean {
                    *line &= !DIRTY;
                }
                if invalidate {
                    *line = 0;
                }
            }
            if invalidate {
                self.listed[page as usize % PAGES] = false;
            } else {
                self.touched.push(page);
            }
        }
    }

    /// Whether the whole cache has been invalidated since reset.
    pub fn invalidated(&self) -> bool {
        self.invalidated
    }

    /// DSB: everything has reached memory.
    pub fn drain(&mut self) {
        self.undrained = None;
    }

    /// What may not have reached memory yet.
    pub fn undrained(&self) -> Option<u32> {
        self.undrained
    }

    /// Somebody else reads memory.
    ///
    /// # Errors
    /// The first line of the range that the cache holds dirty, and its address.
    pub fn outside_read(
        &self,
        physical: u32,
        bytes: u32,
        agent: Agent,
    ) -> Result<(), (FaultKind, u32)> {
        if !self.enabled || bytes == 0 {
            return Ok(());
        }
        for line in physical >> 5..=(physical + (bytes - 1)) >> 5 {
            if self.real(line << 5) & DIRTY != 0 {
                return Err((FaultKind::DirtyLineRead(agent), (line << 5).max(physical)));
            }
        }
        Ok(())
    }

    /// Somebody else writes memory: copies that the cache holds become old.
    ///
    /// # Errors
    /// The first line of the range that the cache holds dirty, and its address.
    pub fn outside_write(
        &mut self,
        physical: u32,
        bytes: u32,
        agent: Agent,
    ) -> Result<(), (FaultKind, u32)> {
        if !self.enabled || bytes == 0 {
            return Ok(());
        }
        for line in physical >> 5..=(physical + (bytes - 1)) >> 5 {
            let address = line << 5;
            let state = self.real(address);
            if state & DIRTY != 0 {
                return Err((
                    FaultKind::DirtyLineOverwritten(agent),
                    address.max(physical),
                ));
            }
            if state & PRESENT != 0 {
                let by = if agent == Agent::Mailbox {
                    BY_MAILBOX
                } else {
                    0
                };
                let line = self.line_mut(address);
                *line = *line & !BY_MAILBOX | STALE | by;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dirty_line_may_not_be_read_from_outside() {
        let mut lines = Lines::new(true);
        lines.touch(0x1_0040, true, true).unwrap();
        let fault = lines.outside_read(0x1_0000, 128, Agent::V3d).unwrap_err();
        assert_eq!(fault, (FaultKind::DirtyLineRead(Agent::V3d), 0x1_0040));
        lines.maintain(0x1_0044, true, false);
        assert_eq!(lines.undrained(), Some(0x1_0044));
        lines.outside_read(0x1_0000, 128, Agent::V3d).unwrap();
        lines.drain();
        assert_eq!(lines.undrained(), None);
    }

    #[test]
    fn a_held_line_goes_stale_and_recovers() {
        let mut lines = Lines::new(true);
        lines.touch(0x2000, false, true).unwrap();
        lines.outside_write(0x2010, 4, Agent::Mailbox).unwrap();
        assert_eq!(lines.state(2, 0x2000) & (PRESENT | STALE), PRESENT | STALE);
        assert_eq!(
            lines.touch(0x2000, false, true),
            Err(FaultKind::StaleLineRead(Agent::Mailbox))
        );
        lines.maintain(0x2000, false, true);
        lines.touch(0x2000, false, true).unwrap();
        lines.outside_write(0x3000, 4, Agent::V3d).unwrap();
        lines.touch(0x3000, false, true).unwrap();
    }

    #[test]
    fn whole_cache_operations_reach_every_touched_line() {
        let mut lines = Lines::new(true);
        lines.touch(0x2000, true, true).unwrap();
        lines.touch(0x9fe0, true, true).unwrap();
        assert!(lines.outside_write(0x9fe0, 4, Agent::V3d).is_err());
        lines.maintain_all(true, false);
        lines.outside_write(0x9fe0, 4, Agent::V3d).unwrap();
        assert!(lines.touch(0x9fe0, false, true).is_err());
        lines.maintain_all(false, true);
        lines.touch(0x9fe0, false, true).unwrap();
        assert!(lines.invalidated());
    }
}

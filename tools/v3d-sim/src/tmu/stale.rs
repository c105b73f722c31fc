//! Which memory lines a TMU may hold an old copy of.
//!
//! Lookups go through TMU cache and L2C, which see neither stores by VDW nor those of the ARM until
//! they are cleared. Values here always come from memory; this remembers the lines
//! that the chip may still hold as they were, so that a program that relies on luck is told.

use crate::memory::ALIAS_MASK;

const LINE_BYTES: u32 = 64;
const PAGE_LINES: usize = 4096;

/// A TMU has read the line since the last clear.
const READ: u8 = 1;
/// And somebody has stored to it since.
const STORED: u8 = 2;
/// VDW has stored to it since the last clear, before or after.
const BY_DMA: u8 = 4;

/// What is known of a line that a lane reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineRead {
    /// The caches may hold an old copy.
    pub is_stale: bool,
    /// A DMA store may have written it in this launch.
    pub is_stored: bool,
}

/// State of every line of the bus.
pub struct StaleLines {
    pages: Vec<Option<Box<[u8; PAGE_LINES]>>>,
    tmu_cleared: bool,
    l2_cleared: bool,
}

impl Default for StaleLines {
    fn default() -> Self {
        let lines = (ALIAS_MASK as usize + 1) / LINE_BYTES as usize;
        Self {
            pages: vec![None; lines / PAGE_LINES],
            tmu_cleared: false,
            l2_cleared: false,
        }
    }
}

impl StaleLines {
    fn line(&mut self, addr: u32) -> &mut u8 {
        let line = ((addr & ALIAS_MASK) / LINE_BYTES) as usize;
        let page = self.pages[line / PAGE_LINES].get_or_insert_with(|| Box::new([0; PAGE_LINES]));
        &mut page[line % PAGE_LINES]
    }

    /// A lane reads at `addr`.
    pub fn read(&mut self, addr: u32) -> LineRead {
        (self.tmu_cleared, self.l2_cleared) = (false, false);
        let line = self.line(addr);
        *line |= READ;
        LineRead {
            is_stale: *line & STORED != 0,
            is_stored: *line & BY_DMA != 0,
        }
    }

    /// A QPU starts a DMA store of `bytes` bytes to `addr`.
    pub fn start_store(&mut self, addr: u32, bytes: u32) {
        self.mark(addr, bytes, |_| BY_DMA);
    }

    /// `bytes` bytes at `addr` have been stored.
    pub fn store(&mut self, addr: u32, bytes: u32) {
        self.mark(
            addr,
            bytes,
            |line| if line & READ != 0 { STORED } else { 0 },
        );
    }

    fn mark(&mut self, addr: u32, bytes: u32, what: impl Fn(u8) -> u8) {
        let first = addr & !(LINE_BYTES - 1);
        let end = u64::from(addr) + u64::from(bytes);
        for at in (u64::from(first)..end).step_by(LINE_BYTES as usize) {
            let line = self.line(at as u32);
            *line |= what(*line);
        }
    }

    /// SLCACTL has cleared the TMU caches of all slices.
    pub fn clear_tmu(&mut self) {
        self.tmu_cleared = true;
        self.forget();
    }

    /// L2CACTL has cleared the L2 cache.
    pub fn clear_l2(&mut self) {
        self.l2_cleared = true;
        self.forget();
    }

    /// Nothing is cached once both are clear, with no lookup in between.
    fn forget(&mut self) {
        if self.tmu_cleared && self.l2_cleared {
            self.pages.fill(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_stale_when_read_then_stored_and_not_cleared() {
        let mut lines = StaleLines::default();
        let read = |lines: &mut StaleLines, addr| lines.read(addr).is_stale;
        assert!(!read(&mut lines, 0x4000_0040));
        lines.store(0x4000_0000, 64);
        assert!(
            !read(&mut lines, 0x4000_0044),
            "the store ended before this line"
        );
        lines.store(0x4000_007c, 8);
        assert!(read(&mut lines, 0x4000_0040));
        assert!(
            !read(&mut lines, 0x4000_0080),
            "stored before its first read"
        );
        lines.clear_tmu();
        assert!(read(&mut lines, 0x4000_0040), "L2 may still hold it");
        lines.clear_l2();
        lines.clear_tmu();
        assert!(!read(&mut lines, 0x4000_0040));
    }
}

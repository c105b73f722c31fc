//! Lines of memory of which V3D's caches may hold an old copy.
//!
//! Lookups go through TMU cache and L2C, uniforms through uniform cache and L2C; neither sees
//! stores by VDW or by the ARM until it is cleared. Values here always come from memory; this
//! remembers the lines that the chip may still hold as they were, so that a program that relies on
//! luck is told. What was evicted in the meantime is not asked: that is the luck.

use crate::memory::ALIAS_MASK;
use crate::report::At;
use crate::sparse::Sparse;
use std::ops::Range;

const LINE_BYTES: u32 = 64;
const PAGE_LINES: usize = 4096;

/// A cache, by its bit: it has read the line since it was last cleared. The bit to its left: what
/// it holds is old.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Cache {
    /// V3D's own L2.
    L2c = 1,
    /// The TMU caches of all slices.
    Tmu = 1 << 2,
    /// The uniform caches of all slices.
    Uniforms = 1 << 4,
}

const ALL_READ: u8 = 0b01_0101;
/// A DMA store to the line was started; stays for good.
const STORED: u8 = 1 << 6;

/// The knowledge about a line that a lane reads.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LineRead {
    /// The caches may hold an old copy.
    pub is_stale: bool,
    /// A DMA store may have written it in this launch.
    pub is_stored: bool,
}

struct Page {
    lines: [u8; PAGE_LINES],
    /// Words of each line that were stored to since a cache that has it read it, a bit each.
    words: [u16; PAGE_LINES],
    /// The storer that made the copy of each line old: 0, or 1 + its place in `storers`.
    storers: [u16; PAGE_LINES],
}

/// State of every line of the bus.
#[derive(Default)]
pub struct StaleLines {
    pages: Sparse<Page>,
    /// Instructions that started stores; the first 65,535 of them.
    storers: Vec<At>,
}

fn place(addr: u32) -> (usize, usize) {
    let line = ((addr & ALIAS_MASK) / LINE_BYTES) as usize;
    (line / PAGE_LINES, line % PAGE_LINES)
}

/// The words of the line at `line` that `bytes` touches.
fn words_of(line: u64, bytes: Range<u64>) -> u16 {
    let first = bytes.start.saturating_sub(line) / 4;
    let end = bytes.end.saturating_sub(line).div_ceil(4).min(16);
    (first..end).fold(0, |words, word| words | 1 << word)
}

impl StaleLines {
    #[inline]
    fn page(&mut self, number: usize) -> &mut Page {
        self.pages.get_or_make(number, || {
            Box::new(Page {
                lines: [0; PAGE_LINES],
                words: [0; PAGE_LINES],
                storers: [0; PAGE_LINES],
            })
        })
    }

    /// A line comes through L2C into another cache, unless it is there. Its state then.
    #[inline]
    fn read_through(&mut self, addr: u32, cache: Cache) -> u8 {
        let (page, line) = place(addr);
        let state = &mut self.page(page).lines[line];
        let cache = cache as u8;
        if *state & cache == 0 {
            *state |= cache | Cache::L2c as u8;
            if *state & (Cache::L2c as u8) << 1 != 0 {
                *state |= cache << 1;
            }
        }
        *state
    }

    /// True if the word at `addr` is one of those that made the copy of its line old: programs that
    /// work in place on what is not aligned read the others.
    #[must_use]
    pub fn is_word_stale(&self, addr: u32) -> bool {
        let (page, line) = place(addr);
        let page = self.pages.get(page);
        page.is_some_and(|page| page.words[line] & 1 << (addr / 4 % 16) != 0)
    }

    /// A lane reads at `addr`.
    #[inline]
    pub fn read_lookup(&mut self, addr: u32) -> LineRead {
        let state = self.read_through(addr, Cache::Tmu);
        LineRead {
            is_stale: state & (Cache::Tmu as u8) << 1 != 0,
            is_stored: state & STORED != 0,
        }
    }

    /// A uniform is read at `addr`. True when its line may be an old copy.
    #[inline]
    pub fn read_uniform(&mut self, addr: u32) -> bool {
        self.read_through(addr, Cache::Uniforms) & (Cache::Uniforms as u8) << 1 != 0
    }

    /// A QPU starts a DMA store of `bytes` bytes to `addr`.
    pub fn start_store(&mut self, addr: u32, bytes: u32) {
        self.for_each_line(addr, bytes, |page, line, _| {
            page.lines[line] |= STORED;
        });
    }

    /// `bytes` bytes at `addr` have been stored: by a DMA store that an instruction started, or by
    /// the ARM.
    pub fn store(&mut self, addr: u32, bytes: u32, by: Option<At>) {
        let storer = by.map_or(0, |by| self.storer_number(by));
        let end = u64::from(addr) + u64::from(bytes);
        self.for_each_line(addr, bytes, |page, line, at| {
            let read = page.lines[line] & ALL_READ;
            if read != 0 {
                page.lines[line] |= read << 1;
                page.words[line] |= words_of(at, u64::from(addr)..end);
                page.storers[line] = storer;
            }
        });
    }

    fn for_each_line(
        &mut self,
        addr: u32,
        bytes: u32,
        mut each: impl FnMut(&mut Page, usize, u64),
    ) {
        let first = addr & !(LINE_BYTES - 1);
        let end = u64::from(addr) + u64::from(bytes);
        for at in (u64::from(first)..end).step_by(LINE_BYTES as usize) {
            let (page, line) = place(at as u32);
            each(self.page(page), line, at);
        }
    }

    /// Rows of one store follow each other, so the last one is mostly meant.
    fn storer_number(&mut self, by: At) -> u16 {
        let known = self.storers.iter().rposition(|at| *at == by);
        let place = known.unwrap_or_else(|| {
            if self.storers.len() < usize::from(u16::MAX) {
                self.storers.push(by);
            }
            self.storers.len() - 1
        });
        place as u16 + 1
    }

    /// The instruction that made the copy of a line old; `None` for the ARM.
    #[must_use]
    pub fn storer(&self, addr: u32) -> Option<At> {
        let (page, line) = place(addr);
        let number = self.pages.get(page)?.storers[line];
        number
            .checked_sub(1)
            .map(|place| self.storers[usize::from(place)])
    }

    /// SLCACTL or L2CACTL has cleared a cache, in all slices.
    pub fn clear(&mut self, cache: Cache) {
        let keep = !(3 * cache as u8);
        self.pages.retain(|page| {
            for (line, words) in page.lines.iter_mut().zip(&mut page.words) {
                *line &= keep;
                if *line & ALL_READ << 1 == 0 {
                    *words = 0;
                }
            }
            // Nothing left to know but what was stored once: no need to remember that.
            page.lines.iter().any(|line| *line & !STORED != 0)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stale(lines: &mut StaleLines, addr: u32) -> bool {
        lines.read_lookup(addr).is_stale
    }

    #[test]
    fn a_line_is_stale_when_read_then_stored_and_not_cleared() {
        let mut lines = StaleLines::default();
        assert!(!stale(&mut lines, 0x4000_0040));
        lines.store(0x4000_0000, 64, None);
        assert!(
            !stale(&mut lines, 0x4000_0044),
            "the store ended before this line"
        );
        lines.store(0x4000_007c, 8, None);
        assert!(stale(&mut lines, 0x4000_0040));
        assert!(lines.is_word_stale(0x4000_007c));
        assert!(!lines.is_word_stale(0x4000_0078), "this word is as it was");
        assert!(
            !stale(&mut lines, 0x4000_0080),
            "stored before its first read"
        );
        lines.clear(Cache::Tmu);
        assert!(stale(&mut lines, 0x4000_0040), "L2C may still hold it");
        lines.clear(Cache::L2c);
        assert!(
            stale(&mut lines, 0x4000_0040),
            "the TMU cache has read it again"
        );
        lines.clear(Cache::Tmu);
        assert!(!stale(&mut lines, 0x4000_0040));
        assert!(!lines.is_word_stale(0x4000_007c));
    }

    #[test]
    fn caches_share_l2c_only() {
        let mut lines = StaleLines::default();
        assert!(!lines.read_uniform(0x40));
        lines.store(0x40, 4, None);
        assert!(
            stale(&mut lines, 0x40),
            "a uniform read has brought it into L2C"
        );
        lines.clear(Cache::L2c);
        lines.clear(Cache::Tmu);
        assert!(!stale(&mut lines, 0x40));
        assert!(
            lines.read_uniform(0x40),
            "the uniform cache was not cleared"
        );
        lines.clear(Cache::Uniforms);
        assert!(!lines.read_uniform(0x40));
    }

    #[test]
    fn the_storer_is_remembered() {
        let mut lines = StaleLines::default();
        let [first, second] = [8, 16].map(|pc| At {
            qpu: 1,
            pc,
            word: None,
        });
        for addr in [0, 64, 128] {
            lines.read_lookup(addr);
        }
        lines.store(0, 64, Some(first));
        lines.store(64, 64, Some(second));
        lines.store(128, 64, None);
        let storers = [0, 64, 128].map(|addr| lines.storer(addr));
        assert_eq!(storers, [Some(first), Some(second), None]);
        lines.start_store(0x100, 4);
        assert!(lines.read_lookup(0x13c).is_stored && !lines.read_lookup(0x140).is_stored);
    }
}

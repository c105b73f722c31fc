//! Bytes of memory that DMA stores have written since V3D was last idle, and the QPUs that stored
//! them.

use super::{Actor, Clock, Epoch, Race};
use crate::chip::QPUS;
use crate::memory::ALIAS_MASK;
use crate::rule::Rule;
use crate::sparse::Sparse;
use std::collections::VecDeque;

const LINE_BYTES: u32 = 64;
const PAGE_LINES: u32 = 256;

/// Pages that are remembered, 16 KiB of memory each; beyond, the oldest is forgotten, so that the
/// notes of a launch take 4 MiB at most.
const MOST_PAGES: usize = 512;

/// A store, and what is left of it in a line.
#[derive(Clone, Copy)]
struct Part {
    by: Epoch,
    /// A bit for each byte.
    bytes: u64,
}

/// Two stores to a line are remembered: rows of two QPUs may meet in it. A third takes the place of
/// one.
type Line = [Part; 2];

const UNTOUCHED: Line = [Part {
    by: Epoch::NONE,
    bytes: 0,
}; 2];

type Page = [Line; PAGE_LINES as usize];

/// The stores that are remembered.
#[derive(Default)]
pub struct Stores {
    pages: Sparse<Page>,
    /// Pages that there are, oldest first.
    kept: VecDeque<u32>,
    /// The time of each QPU's last store, in its time.
    latest: [u32; QPUS],
}

/// The parts of `bytes` bytes at `addr` that lie in one line each: address of the first byte in the
/// part, its line, its bytes as bits.
fn lines(addr: u32, bytes: u32) -> impl Iterator<Item = (u32, u32, u64)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let at = addr.wrapping_add(done);
        let offset = at % LINE_BYTES;
        let count = (LINE_BYTES - offset).min(bytes - done);
        done += count;
        let mask = u64::MAX >> (LINE_BYTES - count.max(1)) << offset;
        (count > 0).then_some((at, (at & ALIAS_MASK) / LINE_BYTES, mask))
    })
}

impl Stores {
    /// Nothing was stored.
    pub fn forget(&mut self) {
        for page in self.kept.drain(..) {
            self.pages.take(page as usize);
        }
        self.latest = [0; QPUS];
    }

    /// True if there is anything that a reader who knows `seen` may not read.
    #[must_use]
    pub fn are_open(&self, seen: &Clock) -> bool {
        let latest = self.latest.iter().enumerate();
        latest.fold(false, |open, (qpu, latest)| {
            open | (seen.passed(Actor::Stores, qpu) < *latest)
        })
    }

    fn line(&mut self, line: u32) -> &mut Line {
        let number = line / PAGE_LINES;
        if self.pages.get(number as usize).is_none() {
            if self.kept.len() == MOST_PAGES
                && let Some(oldest) = self.kept.pop_front()
            {
                self.pages.take(oldest as usize);
            }
            self.kept.push_back(number);
        }
        let untouched = || Box::new([UNTOUCHED; PAGE_LINES as usize]);
        let page = self.pages.get_or_make(number as usize, untouched);
        &mut page[(line % PAGE_LINES) as usize]
    }

    /// A store by `me` writes `bytes` bytes at `addr`. Gives the first store to some of them that
    /// it is not ordered after.
    pub fn write(&mut self, me: Epoch, seen: &Clock, addr: u32, bytes: u32) -> Option<Race> {
        let mut race = None;
        self.latest[usize::from(me.qpu())] = me.time();
        for (at, number, mask) in lines(addr, bytes) {
            let line = self.line(number);
            for part in line.iter_mut() {
                if part.bytes & mask != 0 && !seen.orders(part.by, me) {
                    race.get_or_insert(Race {
                        rule: Rule::StoreRace,
                        other: part.by,
                        other_wrote: true,
                        place: first_byte(at, part.bytes & mask),
                    });
                }
                part.bytes &= !mask;
            }
            let own = line.iter().position(|part| part.by == me);
            let free = || line.iter().position(|part| part.bytes == 0);
            let part = &mut line[own.or_else(free).unwrap_or(1)];
            let kept = if part.by == me { part.bytes } else { 0 };
            *part = Part {
                by: me,
                bytes: kept | mask,
            };
        }
        race
    }

    /// True if a reader with the knowledge `seen` may not read all of these bytes of the line at
    /// `addr`, a bit each.
    #[inline]
    #[must_use]
    pub fn bytes_are_open(&self, seen: &Clock, addr: u32, bytes: u64) -> bool {
        let number = (addr & ALIAS_MASK) / LINE_BYTES;
        let page = self.pages.get((number / PAGE_LINES) as usize);
        page.is_some_and(|page| {
            let line = &page[(number % PAGE_LINES) as usize];
            line.iter()
                .any(|part| part.bytes & bytes != 0 && is_open(part.by, seen))
        })
    }

    /// A reader who knows `seen` reads `bytes` bytes at `addr`. Gives the first store to some of
    /// them that is not known to be over.
    pub fn read(&self, seen: &Clock, addr: u32, bytes: u32) -> Option<Race> {
        lines(addr, bytes).find_map(|(at, number, mask)| {
            let page = self.pages.get((number / PAGE_LINES) as usize)?;
            let line = page[(number % PAGE_LINES) as usize];
            let unordered = line
                .iter()
                .find(|Part { by, bytes }| bytes & mask != 0 && is_open(*by, seen))?;
            Some(Race {
                rule: Rule::LoadRace,
                other: unordered.by,
                other_wrote: true,
                place: first_byte(at, unordered.bytes & mask),
            })
        })
    }
}

/// True if a store is not known to be over.
fn is_open(by: Epoch, seen: &Clock) -> bool {
    seen.passed(by.actor(), usize::from(by.qpu())) < by.time()
}

/// The address of the first byte of `bytes`, in the line of `at`.
fn first_byte(at: u32, bytes: u64) -> u32 {
    at & !(LINE_BYTES - 1) | bytes.trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_cut_into_lines() {
        let parts: Vec<_> = lines(0x4000_003e, 70).collect();
        assert_eq!(
            parts,
            [
                (0x4000_003e, 0, 3 << 62),
                (0x4000_0040, 1, u64::MAX),
                (0x4000_0080, 2, 15)
            ]
        );
        assert_eq!(lines(0xffff_fffc, 8).count(), 2, "addresses wrap");
    }

    #[test]
    fn no_more_than_so_many_pages_are_kept() {
        let mut stores = Stores::default();
        let me = Epoch::new(1, Actor::Stores, 1, 0);
        for page in 0..2 * MOST_PAGES as u32 {
            stores.write(me, &Clock::default(), page * PAGE_LINES * LINE_BYTES, 64);
        }
        assert_eq!(stores.kept.len(), MOST_PAGES);
        assert_eq!(stores.read(&Clock::default(), 0, 4), None, "forgotten");
        let last = (2 * MOST_PAGES as u32 - 1) * PAGE_LINES * LINE_BYTES;
        assert!(stores.read(&Clock::default(), last, 4).is_some());
        stores.forget();
        assert_eq!(stores.read(&Clock::default(), last, 4), None);
    }
}

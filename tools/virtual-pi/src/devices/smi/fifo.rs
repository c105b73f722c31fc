//! SMI's FIFO: the words that wait for DMA, and how SMIFD and CS show them.
//!
//! The depth is not published, so it is a setting ([`crate::Config::smi_fifo_words`]). The words of
//! a burst make room one after the other, as the channel reads them.
//!
//! Sources: Linux `bcm2835_smi.h` for the fields of SMIFD; `sw/smi.h` of fenlogic/IDE_trial, which
//! calls the documentation of the high-water mark ambiguous.

use std::collections::VecDeque;

use crate::config::SmiLevels;

/// Both fields of SMIFD have six bits: 64 words read as 0.
const FIELD: usize = 0x3f;

/// The FIFO.
pub struct Fifo {
    depth: usize,
    levels: SmiLevels,
    words: VecDeque<u32>,
    /// The clocks at which words that were taken have left, in their order.
    leaving: VecDeque<u64>,
    /// The most words that were in it, as SMIFD says.
    high: usize,
}

impl Fifo {
    /// An empty FIFO of `depth` words.
    pub fn new(depth: usize, levels: SmiLevels) -> Self {
        Self {
            depth: depth.max(1),
            levels,
            words: VecDeque::new(),
            leaving: VecDeque::new(),
            high: 0,
        }
    }

    /// Words that it holds when full.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Words that nobody has taken.
    pub fn level(&self) -> usize {
        self.words.len()
    }

    /// Words that take up room at a clock.
    pub fn occupied(&self, at: u64) -> usize {
        let leaving = self.leaving.iter().filter(|leaves| **leaves > at);
        self.words.len() + leaving.count()
    }

    /// The clock, `at` or later, from which there is room for a word; none until one is taken.
    pub fn room_from(&self, at: u64) -> Option<u64> {
        if self.occupied(at) < self.depth {
            return Some(at);
        }
        // So many that are leaving may still be there.
        let others = self.depth.checked_sub(self.words.len() + 1)?;
        let leaving = self.leaving.len().checked_sub(others + 1)?;
        self.leaving.get(leaving).copied()
    }

    /// A word comes at a clock, when there is room.
    pub fn put(&mut self, word: u32, at: u64) {
        self.words.push_back(word);
        self.high = self.high.max(self.occupied(at));
    }

    /// Takes the oldest word, if there is one; its place is free from `leaves` on.
    pub fn take(&mut self, leaves: u64) -> Option<u32> {
        let word = self.words.pop_front()?;
        while self.leaving.len() >= self.depth {
            self.leaving.pop_front();
        }
        self.leaving.push_back(leaves);
        Some(word)
    }

    /// Empties it.
    pub fn clear(&mut self) {
        self.words.clear();
        self.leaving.clear();
    }

    /// A transfer begins at a clock: the mark begins anew.
    pub fn begin(&mut self, at: u64) {
        self.high = self.occupied(at);
    }

    /// SMIFD at a clock.
    pub fn debug(&mut self, at: u64) -> u32 {
        let level = self.occupied(at);
        let high = match self.levels {
            SmiLevels::SinceStart => self.high,
            SmiLevels::SinceRead => std::mem::replace(&mut self.high, level),
            SmiLevels::Zero => return 0,
        };
        ((high & FIELD) << 8 | level & FIELD) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A FIFO with so many words, all of which came at clock 0.
    fn filled(depth: usize, levels: SmiLevels, words: u32) -> Fifo {
        let mut fifo = Fifo::new(depth, levels);
        (0..words).for_each(|word| fifo.put(word, 0));
        fifo
    }

    #[test]
    fn there_is_room_when_a_word_of_a_burst_has_left() {
        let mut fifo = filled(4, SmiLevels::SinceStart, 4);
        assert_eq!(fifo.room_from(10), None);
        for leaves in [100, 200, 300] {
            assert!(fifo.take(leaves).is_some());
        }
        assert_eq!(fifo.room_from(10), Some(100));
        fifo.put(9, 100);
        assert_eq!(fifo.room_from(100), Some(200));
        assert_eq!(fifo.room_from(250), Some(250));
        assert_eq!((fifo.level(), fifo.occupied(250)), (2, 3));
    }

    #[test]
    fn the_mark_reads_as_the_board_was_asked_to() {
        for (levels, first, second) in [
            (SmiLevels::SinceStart, 3 << 8 | 3, 3 << 8 | 1),
            (SmiLevels::SinceRead, 3 << 8 | 3, 3 << 8 | 1),
            (SmiLevels::Zero, 0, 0),
        ] {
            let mut fifo = filled(16, levels, 3);
            assert_eq!(fifo.debug(0), first, "{levels:?}");
            fifo.take(0);
            fifo.take(0);
            assert_eq!(fifo.debug(0), second, "{levels:?}");
            let third = if levels == SmiLevels::SinceRead {
                1 << 8 | 1
            } else {
                second
            };
            assert_eq!(fifo.debug(0), third, "{levels:?}");
        }
    }

    #[test]
    fn sixty_four_words_read_as_none() {
        let mut fifo = filled(64, SmiLevels::SinceStart, 64);
        assert_eq!((fifo.debug(0), fifo.room_from(0)), (0, None));
    }
}

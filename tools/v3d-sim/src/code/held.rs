//! Lines of code that [`crate::Defect::StaleInstructions`] keeps: as many as the chip's cache has
//! room for.
//!
//! A line is the words that were executed of it, as they were read first. The line that was wanted
//! longest ago makes room; that a line was wanted is seen when it is read for the first time since
//! SLCACTL.ICC.

use super::{FetchFault, LINE_BYTES, LINE_CODES, read};
use crate::memory::Memory;
use std::collections::VecDeque;

struct Line {
    number: u32,
    words: [Option<u64>; LINE_CODES],
}

/// The lines, of which the last was wanted last.
pub struct Held {
    lines: VecDeque<Line>,
    most: usize,
}

impl Held {
    /// None of at most so many.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self {
            lines: VecDeque::new(),
            most: most.max(1),
        }
    }

    /// The word at `pc` as it was when it was first read.
    ///
    /// # Errors
    /// When it was not, and there is no memory.
    pub fn word(&mut self, pc: u32, memory: &mut impl Memory) -> Result<u64, Box<FetchFault>> {
        let slot = self.slot(pc);
        match slot {
            Some(word) => Ok(*word),
            None => Ok(*slot.insert(read(pc, memory)?)),
        }
    }

    /// The word at `pc` has been read before.
    pub fn keep(&mut self, pc: u32, word: u64) {
        *self.slot(pc) = Some(word);
    }

    /// The place of the word at `pc`, in a line that was wanted last.
    fn slot(&mut self, pc: u32) -> &mut Option<u64> {
        let number = pc / LINE_BYTES;
        let line = match self.lines.iter().rposition(|line| line.number == number) {
            Some(place) => self.lines.remove(place),
            None => None,
        };
        let line = line.unwrap_or(Line {
            number,
            words: [None; LINE_CODES],
        });
        self.lines.push_back(line);
        if self.lines.len() > self.most {
            self.lines.pop_front();
        }
        let last = self.lines.len() - 1;
        &mut self.lines[last].words[pc as usize / 8 % LINE_CODES]
    }
}

//! The VPM with [`crate::Defect::LateVpm`]: what QPUs of other slices still see of it.
//!
//! The VPM itself holds what was written last. Beside it stands for each word what it held before
//! its last writes, so that a read can go back to where its slice is.

use crate::vpm::{COLUMNS, ROWS};
use std::collections::VecDeque;

/// Rounds for which QPUs of other slices do not see a write: 400 clocks. A program that hands a row
/// over by a semaphore is through with it by then, and a barrier of all QPUs takes less.
pub const LATE_ROUNDS: u64 = 100;

/// Rounds after which a write is forgotten: QPUs are at most so far apart without time, and then
/// some.
const KEPT_ROUNDS: u64 = LATE_ROUNDS + 1024;

/// A write of a word.
struct Write {
    at: u64,
    slice: u8,
    /// The earlier value of the word.
    older: u32,
}

/// Writes of all words that some QPUs may not see yet.
pub struct Late {
    /// By word; the oldest first.
    writes: Vec<VecDeque<Write>>,
}

impl Default for Late {
    fn default() -> Self {
        Self {
            writes: (0..ROWS * COLUMNS).map(|_| VecDeque::new()).collect(),
        }
    }
}

impl Late {
    /// A QPU of `slice` has written word `place` in round `at`, which held `older`.
    pub fn wrote(&mut self, place: usize, at: u64, slice: u8, older: u32) {
        let writes = &mut self.writes[place];
        while writes
            .front()
            .is_some_and(|write| write.at + KEPT_ROUNDS < at)
        {
            writes.pop_front();
        }
        writes.push_back(Write { at, slice, older });
    }

    /// Something that everybody sees at once has written word `place`.
    pub fn replaced(&mut self, place: usize) {
        self.writes[place].clear();
    }

    /// The value that a QPU of `slice` reads in round `now` from word `place`, which holds `value`.
    #[must_use]
    pub fn seen(&self, place: usize, value: u32, slice: u8, now: u64) -> u32 {
        let unseen = self.writes[place]
            .iter()
            .rev()
            .take_while(|write| write.slice != slice && now < write.at + LATE_ROUNDS);
        unseen.last().map_or(value, |write| write.older)
    }
}

//! Words of the VPM that an access reads or writes.

use super::{COLUMNS, ROWS};

/// Words of the VPM.
pub const WORDS: usize = ROWS * COLUMNS;

/// Words of the VPM, taken modulo its size, and which bytes of each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Words {
    /// The first, as 16 * Y + X.
    pub first: usize,
    /// From one to the next: 1 along a row, 16 down a column.
    pub step: usize,
    /// The count.
    pub count: usize,
    /// A bit for each byte.
    pub bytes: u8,
}

impl Words {
    /// The last, before it is taken modulo the size.
    #[must_use]
    pub fn last(self) -> usize {
        self.first + self.count.saturating_sub(1) * self.step
    }

    /// The places of words that follow each other, if these do: as many as a row has.
    #[must_use]
    pub fn row_places(self) -> Option<std::ops::Range<usize>> {
        let end = self.first + COLUMNS;
        (self.step == 1 && self.count == COLUMNS && end <= WORDS).then_some(self.first..end)
    }

    /// Each of them.
    pub fn indices(self) -> impl Iterator<Item = usize> {
        (0..self.count).map(move |n| (self.first + n * self.step) % WORDS)
    }
}

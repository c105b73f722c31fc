//! Rows of the VPM that DMA transfers move, and whether they are used before the transfer was
//! waited for.
//!
//! Covers only setup words that are constants and move words of 32 bits: nothing is known of others
//! here, and the simulator reports them. Source: guide, VPM and VCD setup registers; vc4asm's
//! addendum for the load's address.

use crate::machine::VPM_ROWS;

/// Rows 0 to 63, a bit each; none where nothing is known.
type Rows = u64;

const ROWS: u32 = VPM_ROWS as u32;

/// One direction: what is set up, what is moving, and whether the vectors that are set up lie in
/// it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Transfer {
    set_up: Rows,
    moving: Rows,
    meets: bool,
}

impl Transfer {
    pub const NONE: Self = Self {
        set_up: 0,
        moving: 0,
        meets: false,
    };

    /// Rows of the next transfer.
    pub fn set_up(&mut self, rows: Rows) {
        self.set_up = rows;
    }

    /// A transfer starts. It waits for the one before.
    pub fn start(&mut self) {
        (self.moving, self.meets) = (self.set_up, false);
    }

    pub fn wait(&mut self) {
        (self.moving, self.meets) = (0, false);
    }

    /// Rows of the vectors that the QPU uses next.
    pub fn vectors(&mut self, rows: Rows) {
        self.meets = self.moving & rows != 0;
    }

    /// Reports if the vector that the QPU uses now is still moved, and reports it once.
    pub fn is_met(&mut self) -> bool {
        std::mem::take(&mut self.meets)
    }
}

fn row(number: u32) -> Rows {
    1 << (number % ROWS)
}

/// Those of the rows that there are; none where what is moved are no words.
fn bits(is_words: bool, rows: impl Iterator<Item = u32>) -> Rows {
    let rows = rows.filter(|y| *y < ROWS && is_words);
    rows.fold(0, |all, y| all | row(y))
}

/// Or, if zero, the greatest number of a field.
fn or(count: u32, greatest: u32) -> u32 {
    if count == 0 { greatest } else { count }
}

/// Rows that a load fills, by its basic setup word.
pub(super) fn of_load(word: u32) -> Rows {
    let is_words = word >> 28 & 7 == 0;
    let (length, count) = (or(word >> 20 & 15, 16), or(word >> 16 & 15, 16));
    let (pitch, y) = (or(word >> 12 & 15, 16), word >> 4 & 127);
    let high = if word >> 11 & 1 == 1 { length } else { 1 };
    let rows = (0..count).flat_map(|n| (0..high).map(move |e| y + n * pitch + e));
    bits(is_words, rows)
}

/// Rows that a store takes, by its basic setup word; of columns those of the first block.
pub(super) fn of_store(word: u32) -> Rows {
    let (units, depth) = (or(word >> 23 & 127, 128), or(word >> 16 & 127, 128));
    let high = if word >> 14 & 1 == 1 { units } else { depth };
    let y = word >> 7 & 127;
    bits(word & 7 == 0, y..y + high)
}

/// Returns whether a store takes words of a column below row 15 of the block of 16 rows that it
/// begins in, by its basic setup word.
pub(super) fn column_passes_block(word: u32) -> bool {
    let (depth, y) = (or(word >> 16 & 127, 128), word >> 7 & 127);
    let is_column_of_words = word >> 14 & 1 == 0 && word & 7 == 0;
    is_column_of_words && y % 16 + depth > 16
}

/// The row of the first vector that a QPU reads or writes, by its setup word, if it is a row: a
/// column may lie beside those that are moved. The rows of vectors before one that is read late may
/// be moved anew meanwhile.
pub(super) fn of_vector(word: u32) -> Rows {
    let is_row_of_words = word >> 8 & 0b1011 == 0b1010;
    if is_row_of_words { row(word) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stay_in_their_block_or_pass_its_last_row() {
        let column = |y: u32, depth: u32| 0x8800_0000 | depth << 16 | y << 7;
        for (word, expected) in [
            (column(0, 16), false),
            (column(0, 32), true),
            (column(0, 17), true),
            // A depth of 0 is 128.
            (column(0, 0), true),
            (column(8, 8), false),
            (column(8, 16), true),
            (column(48, 16), false),
            // Rows, and columns of halfwords.
            (column(0, 32) | 1 << 14, false),
            (column(0, 32) | 2, false),
        ] {
            assert_eq!(column_passes_block(word), expected, "{word:#010x}");
        }
    }

    #[test]
    fn rows_of_words_that_others_published() {
        // GPU_FFT's and asurati's.
        assert_eq!(of_load(0x8300_1000), 0xffff);
        assert_eq!(of_load(0x8301_1000 | 9 << 4), 1 << 9);
        assert_eq!(of_load(0x8304_080f), u64::MAX);
        assert_eq!(of_load(0xa300_1000), 0, "halfwords");
        assert_eq!(of_store(0x9010_5000), 0xffff_ffff << 32);
        assert_eq!(of_store(0x8090_4000 | 5 << 7), 1 << 5);
        assert_eq!(of_store(0x8090_0078), 0xffff);
        assert_eq!(of_vector(0x0000_1a00 | 62), 1 << 62);
        assert_eq!(of_vector(0x0041_020f), 0, "a column");
        assert_eq!(of_vector(0x0000_1900), 0, "halfwords");
    }
}

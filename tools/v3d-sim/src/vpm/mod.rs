//! VPM: the memory that QPUs and both DMA engines share.
//!
//! 128 rows (Y) of 16 words (X). QPUs reach rows 0..63, and their writes only the rows that VPMBASE
//! reserves; DMA reaches all rows. QPU writes take effect some rounds after their instruction, or
//! when the writer reads the VPM or starts a store: another QPU sees them for sure only then, which
//! is why GPU_FFT and Broadcom's shaders read a row before they release. Source: guide, "VPM"; the
//! 64 rows that all QPUs share: errata HW-2253 and experiments on a Pi Zero.

mod late;
pub mod setup;
mod words;

pub use words::{WORDS, Words};

use crate::alu::Lanes;
use crate::chip::QPUS;
use late::Late;
use setup::BlockSetup;
use std::collections::VecDeque;

/// Rows that DMA can address.
pub const ROWS: usize = 128;

/// Rows that QPUs can reach.
pub const USER_ROWS: usize = 64;

/// Words in a row.
pub const COLUMNS: usize = 16;

/// Rounds for which another QPU may not see a write. No source gives a figure; this is the longest
/// that lets py-videocore's semaphore test pass, which hands a row over without a drain and ran on
/// hardware.
const WRITE_ROUNDS: u64 = 3;

/// A write on its way.
struct PendingWrite {
    due: u64,
    setup: BlockSetup,
    value: Lanes,
}

/// The memory, and writes on their way to it.
pub struct Vpm {
    words: Box<[u32; ROWS * COLUMNS]>,
    /// Writes of each QPU on their way, oldest first.
    pending: [VecDeque<PendingWrite>; QPUS],
    /// A bit for each QPU with writes on their way.
    writing: u16,
    /// Rows that QPUs may write.
    reserved_rows: usize,
    /// A mask for each row: a bit for each word of which a QPU or a load has written anything.
    put: [u16; ROWS],
    /// [`crate::Defect::LateVpm`].
    late: Option<Box<Late>>,
}

impl Default for Vpm {
    fn default() -> Self {
        Self {
            words: Box::new([0; ROWS * COLUMNS]),
            pending: Default::default(),
            writing: 0,
            reserved_rows: 0,
            put: [0; ROWS],
            late: None,
        }
    }
}

impl Vpm {
    /// The word at a linear address {Y, X}, modulo the size.
    #[must_use]
    pub fn linear(&self, address: usize) -> u32 {
        self.words[address % (ROWS * COLUMNS)]
    }

    /// Words that follow each other and do not wrap, else `None`.
    #[must_use]
    pub fn row(&self, words: Words) -> Option<&[u32]> {
        let first = words.first;
        let row = self.words.get(first..first + words.count);
        row.filter(|_| words.step == 1)
    }

    /// Like [`Vpm::linear`], for writing.
    pub fn linear_mut(&mut self, address: usize) -> &mut u32 {
        let address = address % (ROWS * COLUMNS);
        self.put[address / COLUMNS] |= 1 << (address % COLUMNS);
        if let Some(late) = &mut self.late {
            late.replaced(address);
        }
        &mut self.words[address]
    }

    /// True if something has written any of these words. Some are enough: lanes that nobody wants
    /// may hold anything.
    #[must_use]
    pub fn is_put(&self, words: Words) -> bool {
        let mut words = words.indices();
        words.any(|word| self.put[word / COLUMNS] & 1 << (word % COLUMNS) != 0)
    }

    /// [`crate::Defect::LateVpm`].
    pub fn set_late(&mut self, late: bool) {
        self.late = late.then(Box::default);
    }

    /// VPMBASE: `units` of 4 rows are reserved for user programs.
    pub fn reserve(&mut self, units: u32) {
        self.reserved_rows = (units as usize * 4).min(USER_ROWS);
    }

    /// True if all of a vector lies in the reserved rows.
    #[must_use]
    pub fn is_reserved(&self, setup: &BlockSetup) -> bool {
        // The rows of a vector are in ascending order from element 0 to element 15.
        setup.place(15).word / COLUMNS < self.reserved_rows
    }

    /// A vector that a QPU writes in round `now`.
    pub fn write(&mut self, qpu: u8, now: u64, setup: BlockSetup, value: Lanes) {
        let due = now + WRITE_ROUNDS;
        if let Some(row) = setup.whole_row() {
            self.put[row.start / COLUMNS] = !0;
        } else if let Some(first) = setup.whole_column() {
            let rows = self.put[first / COLUMNS..].iter_mut().take(value.len());
            rows.for_each(|row| *row |= 1 << (first % COLUMNS));
        } else {
            for word in setup.words().indices() {
                self.put[word / COLUMNS] |= 1 << (word % COLUMNS);
            }
        }
        self.pending[usize::from(qpu)].push_back(PendingWrite { due, setup, value });
        self.writing |= 1 << qpu;
    }

    /// The vector that a QPU reads in round `now`, its own writes drained. Bytes and halves are
    /// extended with zeros: the guide does not say, VC4C assumes it.
    pub fn read(&mut self, qpu: u8, now: u64, setup: &BlockSetup) -> Lanes {
        self.drain(qpu);
        if let Some(late) = &self.late {
            return std::array::from_fn(|element| {
                let place = setup.place(element);
                let word = late.seen(place.word, self.words[place.word], qpu / 4, now);
                word >> place.shift & place.mask
            });
        }
        if let Some(words) = setup.whole_row() {
            return std::array::from_fn(|element| self.words[words.start + element]);
        }
        if let Some(first) = setup.whole_column() {
            return std::array::from_fn(|element| self.linear(first + element * COLUMNS));
        }
        std::array::from_fn(|element| {
            let place = setup.place(element);
            self.words[place.word] >> place.shift & place.mask
        })
    }

    /// Puts all writes of one QPU in place.
    pub fn drain(&mut self, qpu: u8) {
        if self.is_writing(qpu) {
            self.writing &= !(1 << qpu);
            for write in self.pending[usize::from(qpu)].drain(..) {
                if let Some(late) = &mut self.late {
                    write.note(qpu, &self.words, self.reserved_rows, late);
                }
                write.apply(&mut self.words, self.reserved_rows);
            }
        }
    }

    /// Puts the writes in place that are due in round `now`, in the order in which QPUs made them.
    pub fn advance(&mut self, now: u64) {
        while let Some((due, number)) = self.next()
            && due <= now
        {
            let own = &mut self.pending[number];
            if let Some(write) = own.pop_front() {
                if let Some(late) = &mut self.late {
                    write.note(number as u8, &self.words, self.reserved_rows, late);
                }
                write.apply(&mut self.words, self.reserved_rows);
            }
            self.writing &= !(u16::from(own.is_empty()) << number);
        }
    }

    /// The time at which the next write takes effect, and its QPU. In a round QPUs write from the
    /// highest number down.
    fn next(&self) -> Option<(u64, usize)> {
        let mut writing = self.writing;
        let mut next: Option<(u64, usize)> = None;
        while writing != 0 {
            let number = writing.ilog2() as usize;
            writing ^= 1 << number;
            let due = self.pending[number].front().map(|write| write.due);
            if let Some(due) = due
                && next.is_none_or(|(earliest, _)| due < earliest)
            {
                next = Some((due, number));
            }
        }
        next
    }

    /// The round in which the next write takes effect.
    #[must_use]
    pub fn next_due(&self) -> u64 {
        self.next().map_or(u64::MAX, |(due, _)| due)
    }

    /// True if writes of one QPU are on their way.
    #[must_use]
    pub fn is_writing(&self, qpu: u8) -> bool {
        self.writing & 1 << qpu != 0
    }

    /// True if any writes are on their way.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.writing != 0
    }
}

impl PendingWrite {
    /// Notes what it will replace.
    fn note(&self, qpu: u8, words: &[u32; ROWS * COLUMNS], reserved_rows: usize, late: &mut Late) {
        let at = self.due - WRITE_ROUNDS;
        for word in self.setup.words().indices() {
            if word / COLUMNS < reserved_rows {
                late.wrote(word, at, qpu / 4, words[word]);
            }
        }
    }

    /// Puts it in place, as far as QPUs may write there.
    fn apply(&self, words: &mut [u32; ROWS * COLUMNS], reserved_rows: usize) {
        let Self { setup, value, .. } = self;
        if let Some(row) = setup.whole_row() {
            if row.start / COLUMNS < reserved_rows {
                words[row].copy_from_slice(value);
            }
            return;
        }
        if let Some(first) = setup.whole_column() {
            let rows = reserved_rows.saturating_sub(first / COLUMNS);
            let column = words[first..].iter_mut().step_by(COLUMNS);
            for (word, value) in column.zip(value).take(rows) {
                *word = *value;
            }
            return;
        }
        for (element, value) in value.iter().enumerate() {
            let place = setup.place(element);
            if place.word / COLUMNS < reserved_rows {
                let word = &mut words[place.word];
                *word = *word & !(place.mask << place.shift) | (value & place.mask) << place.shift;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iota(base: u32) -> Lanes {
        std::array::from_fn(|lane| base + lane as u32)
    }

    fn vpm() -> Vpm {
        let mut vpm = Vpm::default();
        vpm.reserve(16);
        vpm
    }

    fn setup(word: u32) -> BlockSetup {
        BlockSetup::from_word(word).unwrap()
    }

    #[test]
    fn a_write_is_seen_by_its_writer_at_once_and_by_others_later() {
        let mut vpm = vpm();
        let row = setup(0x1a05);
        vpm.write(3, 0, row, iota(100));
        assert_eq!(vpm.read(2, 0, &row), [0; 16]);
        vpm.advance(WRITE_ROUNDS - 1);
        assert_eq!(vpm.read(2, 0, &row), [0; 16]);
        vpm.advance(WRITE_ROUNDS);
        assert_eq!(vpm.read(2, 0, &row), iota(100));
        vpm.write(3, 50, row, iota(7));
        assert_eq!(vpm.read(3, 50, &row), iota(7));
        assert!(!vpm.is_busy());
    }

    #[test]
    fn writes_outside_the_reservation_are_masked() {
        let mut vpm = vpm();
        vpm.reserve(1);
        assert!(vpm.is_reserved(&setup(0x1a03)) && !vpm.is_reserved(&setup(0x1a04)));
        vpm.write(0, 0, setup(0x1200), iota(1));
        vpm.drain(0);
        let column: Vec<u32> = (0..6).map(|y| vpm.linear(y * COLUMNS)).collect();
        assert_eq!(column, [1, 2, 3, 4, 0, 0]);
    }

    #[test]
    fn a_column_written_is_a_row_read() {
        let mut vpm = vpm();
        for x in 0..16 {
            vpm.write(0, 0, setup(0x1200 | x), iota(x * 16));
        }
        let row: Lanes = std::array::from_fn(|x| x as u32 * 16 + 9);
        assert_eq!(vpm.read(0, 0, &setup(0x1a09)), row);
    }
}

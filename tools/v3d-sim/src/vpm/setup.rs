//! Generic block setup: how vectors lie in the VPM, and the queue of reads.
//!
//! Source: guide, tables of "VPM generic block write setup" and "read setup"; examples of asurati,
//! py-videocore and GPU_FFT were run on hardware.

use super::COLUMNS;
use crate::conflicts::VpmReadSetups;
use crate::vpm::Words;
use std::collections::VecDeque;

/// Width of an element in the VPM.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// 8 bits.
    Byte,
    /// 16 bits.
    Half,
    /// 32 bits.
    Word,
}

impl Width {
    /// log2 of the elements in a word; also the count of bits by which an address grows.
    #[must_use]
    pub const fn per_word_log2(self) -> u32 {
        match self {
            Self::Byte => 2,
            Self::Half => 1,
            Self::Word => 0,
        }
    }

    /// Bits of an element.
    #[must_use]
    pub const fn bits(self) -> u32 {
        32 >> self.per_word_log2()
    }

    /// Bytes of an element.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        4 >> self.per_word_log2()
    }

    /// The low bits of an element.
    #[must_use]
    pub const fn mask(self) -> u32 {
        u32::MAX >> (32 - self.bits())
    }
}

/// Place of an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Word, as 16 * Y + X.
    pub word: usize,
    /// Lowest bit inside the word.
    pub shift: u32,
    /// The element's bits, before the shift.
    pub mask: u32,
}

/// Orientation, width, address and stride of the next vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockSetup {
    /// True if a vector lies along a row.
    pub horizontal: bool,
    laned: bool,
    /// The width of an element; of a lane the VPM takes no more.
    pub width: Width,
    stride: u32,
    addr: u32,
    /// The stride has led past the last row, so that the address began anew and the next vector
    /// lies in one of the first.
    pub wrapped: bool,
}

impl BlockSetup {
    /// The fields of a setup word with bits 31:30 = 0. `None` when SIZE is the reserved 3.
    #[must_use]
    pub fn from_word(word: u32) -> Option<Self> {
        let width = match word >> 8 & 3 {
            0 => Width::Byte,
            1 => Width::Half,
            2 => Width::Word,
            _ => return None,
        };
        let stride = word >> 12 & 63;
        let mut setup = Self {
            horizontal: word & 1 << 11 != 0,
            laned: word & 1 << 10 != 0,
            width,
            stride: if stride == 0 { 64 } else { stride },
            addr: word & 0xff,
            wrapped: false,
        };
        setup.addr &= setup.addr_mask();
        Some(setup)
    }

    /// The ADDR field has 6 bits for words, 7 for halves, 8 for bytes; arithmetic is modulo that.
    fn addr_mask(&self) -> u32 {
        (64 << self.width.per_word_log2()) - 1
    }

    /// On to the next vector.
    pub fn advance(&mut self) {
        let next = self.addr + self.stride;
        self.addr = next & self.addr_mask();
        self.wrapped |= next != self.addr;
    }

    /// The words of a vector that is a row of the VPM.
    #[must_use]
    pub fn whole_row(&self) -> Option<std::ops::Range<usize>> {
        let first = self.addr as usize * COLUMNS;
        (self.horizontal && self.width == Width::Word).then_some(first..first + COLUMNS)
    }

    /// The first word of a vector that is a column of whole words.
    #[must_use]
    pub fn whole_column(&self) -> Option<usize> {
        let addr = self.addr as usize;
        let first = (addr & !15) * COLUMNS + (addr & 15);
        (!self.horizontal && self.width == Width::Word).then_some(first)
    }

    /// The words in which a vector lies.
    #[must_use]
    pub fn words(&self) -> Words {
        let first = self.place(0);
        let log2 = self.width.per_word_log2();
        let is_packed = !self.laned && self.width != Width::Word;
        Words {
            first: first.word,
            step: if self.horizontal { 1 } else { COLUMNS },
            count: if is_packed { 16 >> log2 } else { 16 },
            bytes: if is_packed {
                15
            } else {
                15_u8 >> (4 - self.width.bytes()) << (first.shift / 8)
            },
        }
    }

    /// The place of element 0..15.
    #[must_use]
    pub fn place(&self, element: usize) -> Place {
        let log2 = self.width.per_word_log2();
        let part = self.addr as usize & ((1 << log2) - 1);
        let address = self.addr as usize >> log2;
        // Laned (and 32-bit): one element a word. Packed: a run of words holds all sixteen.
        let (step, part) = if self.laned || self.width == Width::Word {
            (element, part)
        } else {
            (
                part * (16 >> log2) + (element >> log2),
                element & ((1 << log2) - 1),
            )
        };
        let word = if self.horizontal {
            (address * COLUMNS + step) % (64 * COLUMNS)
        } else {
            ((address & !15) + step) * COLUMNS + (address & 15)
        };
        Place {
            word,
            shift: part as u32 * self.width.bits(),
            mask: self.width.mask(),
        }
    }
}

/// Bits of ADDR that no vector of the width has: they are ignored.
const fn unused_address(word: u32) -> u32 {
    match word >> 8 & 3 {
        1 => 0x80,
        2 => 0xc0,
        _ => 0,
    }
}

/// Bits of a word for `rd_setup` that have no function and are not 0.
#[must_use]
pub const fn reserved_in_read(word: u32) -> u32 {
    word & match word >> 28 {
        0..=3 => 0x3f0c_0000 | unused_address(word),
        // The pitch word; bits 13 to 15 have a rule of their own.
        9 => 0x0fff_0000,
        _ => 0,
    }
}

/// Bits of a word for `wr_setup` that have no function and are not 0. NUM has none, but GPU_FFT and
/// Broadcom's shaders share one word between `rd_setup` and `wr_setup`.
#[must_use]
pub const fn reserved_in_write(word: u32) -> u32 {
    word & match word >> 30 {
        0 => 0x3f0c_0000 | unused_address(word),
        3 => 0x3ffe_0000,
        _ => 0,
    }
}

/// A read setup with vectors left.
#[derive(Clone, Copy, Debug)]
struct ReadBlock {
    setup: BlockSetup,
    left: u32,
}

/// The VPM read setups of a QPU.
///
/// Three descriptions of a setup while vectors are unread: see [`VpmReadSetups`]. The default is
/// vc4asm's measurement, the strictest.
#[derive(Clone, Default, Debug)]
pub struct ReadQueue {
    blocks: VecDeque<ReadBlock>,
}

impl ReadQueue {
    /// Queues the block of a setup word for reading. False when vectors got lost: those of this
    /// block, or the unread ones.
    pub fn push(&mut self, word: u32, setup: BlockSetup, rule: VpmReadSetups) -> bool {
        let refused = match rule {
            VpmReadSetups::AlmostRead => self.left() > 1,
            VpmReadSetups::QueueOfTwo => self.blocks.len() > 1,
            VpmReadSetups::Replace => false,
        };
        if refused {
            return false;
        }
        let replaced = rule == VpmReadSetups::Replace && self.left() > 0;
        if replaced {
            self.clear();
        }
        let count = word >> 20 & 15;
        self.blocks.push_back(ReadBlock {
            setup,
            left: if count == 0 { 16 } else { count },
        });
        !replaced
    }

    /// Vectors that can still be read.
    #[must_use]
    pub fn left(&self) -> u32 {
        self.blocks.iter().map(|block| block.left).sum()
    }

    /// The place of the next vector; it counts as read.
    pub fn pop(&mut self) -> Option<BlockSetup> {
        let block = self.blocks.front_mut()?;
        let setup = block.setup;
        block.setup.advance();
        block.left -= 1;
        if block.left == 0 {
            self.blocks.pop_front();
        }
        Some(setup)
    }

    /// Drops what is unread.
    pub fn clear(&mut self) {
        self.blocks.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(word: u32) -> Vec<(usize, usize, u32)> {
        let setup = BlockSetup::from_word(word).unwrap();
        (0..16)
            .map(|element| setup.place(element))
            .map(|place| (place.word / 16, place.word % 16, place.shift))
            .collect()
    }

    const H: u32 = 1 << 11;
    const LANED: u32 = 1 << 10;

    /// The guide's table of orientations and widths, row by row.
    #[test]
    fn elements_lie_where_the_table_says() {
        for i in 0..16usize {
            let at = |word| places(word)[i];
            assert_eq!(at(H | 2 << 8 | 37), (37, i, 0), "H32");
            assert_eq!(
                at(H | LANED | 1 << 8 | 37 << 1 | 1),
                (37, i, 16),
                "H16 laned"
            );
            assert_eq!(
                at(H | 1 << 8 | 37 << 1 | 1),
                (37, 8 + i / 2, 16 * (i as u32 & 1)),
                "H16"
            );
            assert_eq!(at(H | LANED | 37 << 2 | 3), (37, i, 24), "H8 laned");
            assert_eq!(
                at(H | 37 << 2 | 2),
                (37, 8 + i / 4, 8 * (i as u32 & 3)),
                "H8"
            );
            assert_eq!(at(2 << 8 | 32 | 5), (32 + i, 5, 0), "V32");
            assert_eq!(
                at(LANED | 1 << 8 | (32 | 5) << 1 | 1),
                (32 + i, 5, 16),
                "V16 laned"
            );
            assert_eq!(
                at(1 << 8 | (32 | 5) << 1 | 1),
                (40 + i / 2, 5, 16 * (i as u32 & 1)),
                "V16"
            );
            assert_eq!(at(LANED | (32 | 5) << 2 | 1), (32 + i, 5, 8), "V8 laned");
            assert_eq!(
                at((32 | 5) << 2 | 3),
                (44 + i / 4, 5, 8 * (i as u32 & 3)),
                "V8"
            );
        }
    }

    #[test]
    fn the_words_of_a_vector_are_those_of_its_elements() {
        for word in (0..0x1000_u32).filter(|word| word >> 8 & 3 != 3) {
            let setup = BlockSetup::from_word(word).unwrap();
            let mut wanted = std::collections::BTreeMap::new();
            for element in 0..16 {
                let place = setup.place(element);
                *wanted.entry(place.word).or_insert(0) |= place.mask << place.shift;
            }
            let words = setup.words();
            let bits = (0..4).filter(|byte| words.bytes & 1 << byte != 0);
            let bits = bits.fold(0, |bits, byte| bits | 0xff_u32 << (8 * byte));
            let found: Vec<_> = (0..words.count)
                .map(|n| (words.first + n * words.step, bits))
                .collect();
            assert_eq!(found, wanted.into_iter().collect::<Vec<_>>(), "{word:#x}");
        }
    }

    #[test]
    fn addresses_advance_by_the_stride_and_wrap() {
        let mut row = BlockSetup::from_word(0x1a00 | 63).unwrap();
        row.advance();
        assert_eq!(row.place(0).word, 0);
        let mut block = BlockSetup::from_word(0x0041_020f).unwrap();
        assert_eq!(block.place(0).word, 15);
        // Stride 16: the same column of the next block of 16 rows (run on a Pi 1 B).
        block = BlockSetup::from_word(0x0041_020f | 16 << 12).unwrap();
        block.advance();
        assert_eq!(block.place(1).word, 17 * 16 + 15);
        let mut column = BlockSetup::from_word(0x1200 | 0x3f).unwrap();
        assert_eq!(column.place(15).word, 63 * 16 + 15);
        column.advance();
        assert_eq!(column.place(0).word, 0);
        // Stride 0 is 64: the same vector for words, 32 rows on for halves, 16 for bytes.
        for (word, row) in [
            (H | 2 << 8 | 3, 3),
            (H | 1 << 8 | 3 << 1, 35),
            (H | 3 << 2, 19),
        ] {
            let mut setup = BlockSetup::from_word(word).unwrap();
            setup.advance();
            assert_eq!(setup.place(0).word, row * 16);
        }
    }

    #[test]
    fn bits_without_a_function_are_reported() {
        // Every bit of a word that sets nothing else, alone.
        let bits = |reserved: fn(u32) -> u32, base: u32| -> u32 {
            let bits = (0..32)
                .map(|bit| base | 1 << bit)
                .filter(|word| word >> 28 == base >> 28);
            bits.fold(0, |all, word| all | reserved(word))
        };
        assert_eq!(
            bits(reserved_in_read, 0x0000_1a00) & 0x0fff_ffff,
            0x0f0c_00c0
        );
        assert_eq!(bits(reserved_in_read, 0x9000_0000), 0x0fff_0000);
        assert_eq!(bits(reserved_in_read, 0x8000_0000), 0);
        assert_eq!(
            bits(reserved_in_write, 0x0000_1900) & 0x0fff_ffff,
            0x0f0c_0080
        );
        assert_eq!(bits(reserved_in_write, 0xc000_0000), 0x0ffe_0000);
        assert_eq!(bits(reserved_in_write, 0x8000_0000), 0);
        assert_eq!(
            reserved_in_read(0x2000_1a00),
            0x2000_0000,
            "later cores' VPM"
        );
        assert_eq!(reserved_in_write(0x00f0_1a00), 0, "NUM");
    }

    #[test]
    fn the_reserved_width_is_refused() {
        assert_eq!(BlockSetup::from_word(3 << 8), None);
    }

    #[test]
    fn a_second_read_setup_needs_the_first_to_be_almost_read() {
        use VpmReadSetups::AlmostRead;
        let setup = BlockSetup::from_word(0x1a00).unwrap();
        let mut queue = ReadQueue::default();
        assert!(queue.push(3 << 20, setup, AlmostRead));
        assert!(!queue.push(2 << 20, setup, AlmostRead));
        queue.pop();
        queue.pop();
        assert!(queue.push(2 << 20, setup, AlmostRead));
        assert_eq!(queue.left(), 3);
        queue.clear();
        assert!(queue.push(0, setup, AlmostRead));
        assert_eq!(queue.left(), 16);
    }

    #[test]
    fn other_descriptions_queue_two_or_replace() {
        let setup = BlockSetup::from_word(0x1a00).unwrap();
        let mut queue = ReadQueue::default();
        let two = VpmReadSetups::QueueOfTwo;
        assert!(queue.push(3 << 20, setup, two) && queue.push(2 << 20, setup, two));
        assert!(!queue.push(1 << 20, setup, two));
        assert_eq!(queue.left(), 5);
        let replace = VpmReadSetups::Replace;
        assert!(
            !queue.push(7 << 20, setup, replace),
            "five vectors got lost"
        );
        assert_eq!(queue.left(), 7);
    }
}

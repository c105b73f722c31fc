//! VDW: DMA from the VPM to memory.
//!
//! UNITS rows of DEPTH elements; STRIDE is the gap in bytes from the end of a row to the start of
//! the next. Source: guide, "VPM DMA store"; GPU_FFT's and asurati's words were run on hardware;
//! vc4asm for the 16 bits of STRIDE.

use super::setup::Mode;
use super::{Pace, Shape, Transfer, or_most};
use crate::conflicts::VdwBlockmode;
use crate::event::Access;
use crate::memory::{Memory, MemoryFault};
use crate::vpm::Vpm;
use crate::vpm::setup::Width;

/// The VDW setup of a QPU. The basic word stays until it is written again, whatever program runs;
/// the stride starts at 0 with each program (what the chip does is open).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Setup {
    /// The last basic word.
    pub basic: u32,
    /// The last stride word.
    pub stride: u32,
    /// True if the program that runs has written the basic word.
    pub basic_given: bool,
    /// True if it has written the stride word.
    pub stride_given: bool,
}

impl Setup {
    /// A new program starts.
    pub fn start_program(&mut self) {
        *self = Self {
            basic: self.basic,
            ..Self::default()
        };
    }

    /// Takes a setup word with bit 31 set.
    pub fn write(&mut self, word: u32) {
        if word >> 30 == 3 {
            (self.stride, self.stride_given) = (word, true);
        } else {
            (self.basic, self.basic_given) = (word, true);
        }
    }

    /// A store to `memory` with the setup as it is now.
    #[must_use]
    pub fn start(&self, memory: u32, blockmode: VdwBlockmode) -> Option<Store> {
        let mut store = Store::new(self.basic, self.stride, memory)?;
        store.packed = store.blockmode && blockmode == VdwBlockmode::Packed;
        Some(store)
    }
}

/// A store with its setup as it was at its start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Store {
    shape: Shape,
    y: u32,
    x: u32,
    blockmode: bool,
    /// Rows lie in the VPM one behind the other.
    packed: bool,
}

impl Store {
    /// The store to `memory` that a basic and a stride word describe. `None` for LANED and MODEW 1,
    /// which have no function.
    #[must_use]
    pub fn new(basic: u32, stride: u32, memory: u32) -> Option<Self> {
        let laned = basic & 1 << 15 != 0;
        let mode = Mode::from_bits(basic & 7)?;
        let elements = or_most(basic >> 16 & 0x7f, 128);
        (!laned).then_some(Self {
            shape: Shape {
                memory,
                pitch: elements * mode.width.bytes() + (stride & 0xffff),
                rows: or_most(basic >> 23 & 0x7f, 128),
                elements,
                mode,
                vertical: basic & 1 << 14 == 0,
            },
            y: basic >> 7 & 0x7f,
            x: basic >> 3 & 15,
            blockmode: stride & 1 << 16 != 0,
            packed: false,
        })
    }

    /// Stores a row of whole words by way of `bytes`.
    fn store_words(
        &self,
        row: u32,
        bytes: &mut [u8],
        vpm: &Vpm,
        memory: &mut impl Memory,
    ) -> Result<(), MemoryFault> {
        let mut rest = bytes.as_chunks_mut().0;
        for words in self.words(row) {
            let (outs, others) = rest.split_at_mut(words.count);
            if let Some(row) = vpm.row(words) {
                for (out, word) in outs.iter_mut().zip(row) {
                    *out = word.to_le_bytes();
                }
            } else {
                for (n, out) in outs.iter_mut().enumerate() {
                    *out = vpm.linear(words.first + n * words.step).to_le_bytes();
                }
            }
            rest = others;
        }
        memory.write(self.row_address(row), &bytes[..self.row_bytes() as usize])
    }

    /// True if BLOCKMODE is set where it might matter.
    #[must_use]
    pub fn uses_blockmode(&self) -> bool {
        self.blockmode && self.rows() > 1
    }

    /// True if columns of words go on below row 15 of the block of 16 rows that they begin in: what
    /// the chip takes there is an open question.
    #[must_use]
    pub fn column_passes_block(&self) -> bool {
        let Shape {
            elements,
            mode,
            vertical,
            ..
        } = self.shape;
        vertical && mode.width == Width::Word && self.y % 16 + elements > 16
    }
}

impl Transfer for Store {
    /// 39 + 14 clocks a row, the line through rates measured on a Pi 2 by Terminus-IMRC, in rounds.
    const PACE: Pace = Pace { start: 10, row: 4 };
    const ACCESS: Access = Access::Vdw;

    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn row_start(&self, row: u32) -> (u32, u32, u32) {
        let part = self.shape.mode.part;
        if self.packed {
            (self.y, self.x, part + row * self.shape.elements)
        } else if self.shape.vertical {
            // Vertical rows are columns; past column 15 they go on in the next block of 16 rows
            // (asurati, on hardware).
            let x = self.x + row;
            (self.y + x / 16 * 16, x % 16, part)
        } else {
            (self.y + row, self.x, part)
        }
    }

    fn move_row(
        &self,
        row: u32,
        vpm: &mut Vpm,
        memory: &mut impl Memory,
    ) -> Result<(), MemoryFault> {
        let Shape { elements, mode, .. } = self.shape;
        if mode.width == Width::Word && elements <= 16 {
            let mut bytes = [0; 64];
            return self.store_words(row, &mut bytes, vpm, memory);
        }
        let mut bytes = [0; 512];
        if mode.width == Width::Word {
            return self.store_words(row, &mut bytes, vpm, memory);
        }
        let start = self.row_start(row);
        let width = mode.width.bytes() as usize;
        for (element, out) in bytes
            .chunks_exact_mut(width)
            .take(elements as usize)
            .enumerate()
        {
            let place = self.place(start, element);
            let value = vpm.linear(place.word) >> place.shift & place.mask;
            out.copy_from_slice(&value.to_le_bytes()[..width]);
        }
        memory.write(self.row_address(row), &bytes[..self.row_bytes() as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::SparseMemory;

    /// Memory of 0xff bytes after a store from a VPM whose word at linear address n is n << 16 | n.
    fn store(basic: u32, stride: u32) -> Vec<u8> {
        let mut vpm = Vpm::default();
        for n in 0..2048 {
            *vpm.linear_mut(n) = (n << 16 | n) as u32;
        }
        let mut memory = SparseMemory::new();
        memory.put(0, &[0xff; 65536]);
        let store = Store::new(basic, stride, 0).unwrap();
        for row in 0..store.rows() {
            store.move_row(row, &mut vpm, &mut memory).unwrap();
        }
        memory.get(0, 65536).unwrap()
    }

    fn words(bytes: &[u8]) -> Vec<u32> {
        bytes
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
            .collect()
    }

    fn at(y: u32, x: u32) -> u32 {
        (16 * y + x) << 16 | (16 * y + x)
    }

    #[test]
    fn one_row_and_no_more() {
        let memory = words(&store(0x8090_4000 | 7 << 7, 0xc000_0000));
        assert_eq!(
            memory[..16],
            std::array::from_fn::<u32, 16, _>(|x| at(7, x as u32))
        );
        assert_eq!(memory[16], u32::MAX);
    }

    /// GPU_FFT: 32 rows of 16 from row 32, and its stride of 192 bytes.
    #[test]
    fn rows_with_a_gap() {
        let memory = words(&store(0x9010_5000, 0xc000_00c0));
        for row in 0..32 {
            assert_eq!(memory[row * 64], at(32 + row as u32, 0));
            assert_eq!(memory[row * 64 + 15], at(32 + row as u32, 15));
            assert_eq!(memory[row * 64 + 16], u32::MAX);
        }
    }

    /// asurati, on hardware: the column at X = 15, and how the next ones go on.
    #[test]
    fn columns_and_what_follows_the_last() {
        let memory = words(&store(0x8090_0078, 0xc000_0000));
        assert_eq!(
            memory[..16],
            std::array::from_fn::<u32, 16, _>(|y| at(y as u32, 15))
        );
        let memory = words(&store(0x8110_0078, 0xc000_0000));
        assert_eq!(memory[16], at(16, 0));
        assert_eq!(memory[31], at(31, 0));
    }

    #[test]
    fn zero_fields_are_128_and_rows_of_dma_go_to_127() {
        let memory = words(&store(0x8001_4000, 0xc000_0000));
        assert_eq!(memory[127], at(127, 0));
        assert_eq!(memory[128], u32::MAX);
        let memory = words(&store(0x8080_4000, 0xc000_0000));
        assert_eq!(memory[127], at(7, 15));
    }

    #[test]
    fn halves_and_bytes_from_their_part_of_a_word() {
        // Halves from half 1 of word X = 3, row 1: high of 19, low of 20, high of 20.
        assert_eq!(
            store(0x8083_4000 | 1 << 7 | 3 << 3 | 3, 0xc000_0000)[..8],
            [19, 0, 20, 0, 20, 0, 0xff, 0xff]
        );
        // Bytes from byte 2 of word 0x0102, row 16.
        assert_eq!(
            store(0x8083_4000 | 16 << 7 | 2 << 3 | 6, 0xc000_0000)[..4],
            [2, 1, 3, 0xff],
            "bytes 2 and 3 of 0x01020102, then byte 0 of 0x01030103"
        );
        // Two rows of three bytes with a gap of one byte.
        let memory = store(0x8103_4004, 0xc000_0001);
        assert_eq!(memory[..8], [0, 0, 0, 0xff, 16, 0, 16, 0xff]);
    }

    #[test]
    fn a_column_of_32_goes_on_in_the_next_block_and_is_noted() {
        let memory = words(&store(0x8820_0000, 0xc000_0000));
        assert_eq!(
            memory[..32],
            std::array::from_fn::<u32, 32, _>(|y| at(y as u32, 0))
        );
        for (basic, expected) in [
            (0x8820_0000, true),
            (0x8810_0000, false),
            (0x8810_0400, true),
            (0x8820_4000, false),
        ] {
            let store = Store::new(basic, 0, 0).unwrap();
            assert_eq!(store.column_passes_block(), expected, "{basic:#010x}");
        }
    }

    #[test]
    fn words_without_a_function_are_refused() {
        assert_eq!(Store::new(0x8090_4001, 0, 0), None);
        assert_eq!(Store::new(0x8090_c000, 0, 0), None);
        assert!(
            Store::new(0x8110_4000, 0xc001_0000, 0)
                .unwrap()
                .uses_blockmode()
        );
        assert!(
            !Store::new(0x8090_4000, 0xc001_0000, 0)
                .unwrap()
                .uses_blockmode()
        );
    }
}

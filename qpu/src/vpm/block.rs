//! Vectors that a QPU reads from or writes to the VPM: "generic block" setup.

use super::{OutOfRange, pack};

/// Width of the vector's elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// Words.
    Bits32,
    /// Halfwords.
    Bits16 {
        /// Half `part` of sixteen words (true), or two elements in each of eight words (false).
        laned: bool,
        /// The half of the words (laned), or the eight words: 0 or 1.
        part: u8,
    },
    /// Bytes.
    Bits8 {
        /// Byte `part` of sixteen words (true), or four elements in each of four words (false).
        laned: bool,
        /// The byte of the words (laned), or the four words: 0..=3.
        part: u8,
    },
}

/// The place of the first vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Along row `y`, 0..=63.
    Row {
        /// The row.
        y: u8,
    },
    /// Down column `x`, 0..=15, from row `y` on: 0, 16, 32 or 48.
    Column {
        /// The first row.
        y: u8,
        /// The column.
        x: u8,
    },
}

/// A vector, and how far it is from there to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// The place of the first vector.
    pub place: Place,
    /// Width of the elements.
    pub size: Size,
    /// Added to the address after each vector, 1..=64. The address counts rows or columns, and
    /// below them parts of 16-bit and 8-bit vectors: for words, 1 is the next row or column, and
    /// from a column 16 is the same column 16 rows below; 64 is the same vector again.
    pub stride: u8,
}

impl Block {
    /// Rows of words from row `y` on.
    #[must_use]
    pub const fn row(y: u8) -> Self {
        Self {
            place: Place::Row { y },
            size: Size::Bits32,
            stride: 1,
        }
    }

    /// Columns of words from column `x` on, each 16 words from row `y` down.
    #[must_use]
    pub const fn column(y: u8, x: u8) -> Self {
        Self {
            place: Place::Column { y, x },
            size: Size::Bits32,
            stride: 1,
        }
    }

    /// This block with another stride.
    #[must_use]
    pub const fn stride(self, stride: u8) -> Self {
        Self { stride, ..self }
    }

    /// The word for `wr_setup`; it holds for any number of writes.
    ///
    /// # Errors
    /// When a number does not fit its field.
    pub const fn write_setup(self) -> Result<u32, OutOfRange> {
        self.setup(0)
    }

    /// The word for `rd_setup`, for `vectors` reads, 1..=16.
    ///
    /// # Errors
    /// When a number does not fit its field.
    pub const fn read_setup(self, vectors: u8) -> Result<u32, OutOfRange> {
        match pack(0, &[("vectors", vectors as u32, 1, 16, 20)]) {
            Ok(word) => self.setup(word),
            Err(error) => Err(error),
        }
    }

    const fn setup(self, word: u32) -> Result<u32, OutOfRange> {
        // Size code, laned, part, and how many bits of the address the part takes.
        let (size, laned, part, part_bits) = match self.size {
            Size::Bits32 => (2, false, 0, 0),
            Size::Bits16 { laned, part } => (1, laned, part, 1),
            Size::Bits8 { laned, part } => (0, laned, part, 2),
        };
        let (horizontal, place) = match self.place {
            Place::Row { y } => (1, pack(0, &[("y", y as u32, 0, 63, 0)])),
            Place::Column { y, x } => (0, column(y as u32, x as u32)),
        };
        let place = match place {
            Ok(place) => place,
            Err(error) => return Err(error),
        };
        pack(
            word | horizontal << 11 | (laned as u32) << 10 | size << 8 | place << part_bits,
            &[
                ("part", part as u32, 0, (1 << part_bits) - 1, 0),
                ("stride", self.stride as u32, 1, 64, 12),
            ],
        )
    }
}

/// {Y[5:4], X[3:0]}.
const fn column(y: u32, x: u32) -> Result<u32, OutOfRange> {
    pack(
        0,
        &[
            ("y modulo 16 of a column", y % 16, 0, 0, 0),
            ("y / 16 of a column", y / 16, 0, 3, 4),
            ("x", x, 0, 15, 0),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_published_programs() {
        // GPU_FFT's rows and columns; the last from asurati's QPU demo.
        assert_eq!(Block::row(7).write_setup(), Ok(0x0000_1a07));
        assert_eq!(Block::row(7).read_setup(3), Ok(0x0030_1a07));
        assert_eq!(Block::row(7).read_setup(16), Ok(0x0000_1a07));
        assert_eq!(Block::column(0, 9).write_setup(), Ok(0x0000_1209));
        assert_eq!(
            Block::column(0, 15).stride(16).read_setup(4),
            Ok(0x0041_020f)
        );
        // Broadcom's OpenVG shaders: row 1, the same vector again (it also writes NUM, which is
        // ignored).
        assert_eq!(Block::row(1).stride(64).write_setup(), Ok(0x0000_0a01));
    }

    #[test]
    fn narrow_elements_have_parts() {
        let bytes = |laned, part| Block {
            size: Size::Bits8 { laned, part },
            ..Block::row(5)
        };
        assert_eq!(bytes(true, 3).write_setup(), Ok(0x0000_1c00 | 5 << 2 | 3));
        assert_eq!(bytes(false, 1).write_setup(), Ok(0x0000_1800 | 5 << 2 | 1));
        assert!(bytes(false, 4).write_setup().is_err());
        let halves = Block {
            size: Size::Bits16 {
                laned: true,
                part: 1,
            },
            ..Block::column(32, 6)
        };
        assert_eq!(
            halves.write_setup(),
            Ok(0x0000_1500 | (2 << 4 | 6) << 1 | 1)
        );
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(Block::row(64).write_setup().is_err());
        assert!(Block::column(8, 0).write_setup().is_err());
        assert!(Block::column(64, 0).write_setup().is_err());
        assert!(Block::column(0, 16).write_setup().is_err());
        assert!(Block::row(0).stride(65).write_setup().is_err());
        assert!(Block::row(0).stride(0).write_setup().is_err());
        assert!(Block::row(0).read_setup(0).is_err());
        assert!(Block::row(0).read_setup(17).is_err());
    }
}

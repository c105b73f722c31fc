//! DMA from the VPM to memory (VDW).
//!
//! The words are written to `wr_setup`; a write to `st_addr` starts the transfer.

use super::{OutOfRange, Width, pack};
use crate::machine::VPM_ROW_WORDS;

/// A block of the VPM and its shape in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Store {
    /// Rows in memory, 1..=128. Each starts one VPM row (or column, if vertical) after the one
    /// before.
    pub rows: u8,
    /// Elements in each row, 1..=128.
    pub row_elements: u8,
    /// True if a row in memory is taken from a column of the VPM.
    pub vertical: bool,
    /// First row of the VPM, 0..=127.
    pub y: u8,
    /// First column of the VPM, 0..=15.
    pub x: u8,
    /// Width of the elements.
    pub width: Width,
}

impl Store {
    /// `rows` whole rows of 16 words, from row `y` on.
    #[must_use]
    pub const fn rows(rows: u8, y: u8) -> Self {
        Self {
            rows,
            row_elements: VPM_ROW_WORDS,
            vertical: false,
            y,
            x: 0,
            width: Width::Bits32,
        }
    }

    /// The word for `wr_setup`.
    ///
    /// # Errors
    /// When a number does not fit its field.
    pub const fn setup(self) -> Result<u32, OutOfRange> {
        let modew = match self.width.modew() {
            Ok(modew) => modew,
            Err(error) => return Err(error),
        };
        let horizontal = !self.vertical as u32;
        pack(
            2 << 30 | horizontal << 14 | modew,
            &[
                ("rows", self.rows as u32, 1, 128, 23),
                ("row_elements", self.row_elements as u32, 1, 128, 16),
                ("y", self.y as u32, 0, 127, 7),
                ("x", self.x as u32, 0, 15, 3),
            ],
        )
    }
}

/// The word for `wr_setup` with the bytes from the end of a row in memory to the start of the next.
#[must_use]
pub const fn store_stride(bytes: u16) -> u32 {
    3 << 30 | bytes as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_published_programs() {
        assert_eq!(Store::rows(1, 5).setup(), Ok(0x8090_4000 | 5 << 7));
        assert_eq!(Store::rows(64, 0).setup(), Ok(0xa010_4000));
        // GPU_FFT.
        assert_eq!(Store::rows(32, 0).setup(), Ok(0x9010_4000));
        assert_eq!(Store::rows(32, 32).setup(), Ok(0x9010_5000));
        assert_eq!(store_stride(192), 0xc000_00c0);
        // asurati's QPU demo: the column at X = 15.
        let column = Store {
            vertical: true,
            x: 15,
            ..Store::rows(1, 0)
        };
        assert_eq!(column.setup(), Ok(0x8090_0078));
        // Broadcom's OpenVG shaders: one word of row 1.
        let word = Store {
            row_elements: 1,
            ..Store::rows(1, 1)
        };
        assert_eq!(word.setup(), Ok(0x8081_4080));
    }

    #[test]
    fn full_counts_are_zero_and_parts_are_in_modew() {
        let most = Store {
            row_elements: 128,
            ..Store::rows(128, 0)
        };
        assert_eq!(most.setup(), Ok(0x8000_4000));
        let width = |width| Store { width, ..most }.setup();
        assert_eq!(width(Width::Bits16(1)), Ok(0x8000_4003));
        assert_eq!(width(Width::Bits8(2)), Ok(0x8000_4006));
        assert!(width(Width::Bits16(2)).is_err());
        assert!(width(Width::Bits8(4)).is_err());
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let one = Store::rows(1, 0);
        for store in [
            Store { rows: 0, ..one },
            Store { rows: 129, ..one },
            Store {
                row_elements: 0,
                ..one
            },
            Store {
                row_elements: 129,
                ..one
            },
            Store { y: 128, ..one },
            Store { x: 16, ..one },
        ] {
            assert!(store.setup().is_err(), "{store:?}");
        }
    }
}

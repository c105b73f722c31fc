//! DMA between memory and the VPM: loads (VDR) and stores (VDW).
//!
//! The words are written to `rd_setup` for loads and to `wr_setup` for stores; a write to `ld_addr`
//! or `st_addr` starts the transfer.

use super::{OutOfRange, pack};
use crate::machine::{VECTOR_BYTES, VPM_ROW_WORDS};

/// Width of the elements that a DMA transfer moves, and which part of a word holds them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// Words.
    Bits32,
    /// Halfwords, from this half (0 or 1) of the first word on.
    Bits16(u8),
    /// Bytes, from this byte (0..=3) of the first word on.
    Bits8(u8),
}

impl Width {
    /// MODEW: 0, 2 + half, 4 + byte.
    const fn modew(self) -> Result<u32, OutOfRange> {
        let (code, part, value, greatest) = match self {
            Self::Bits32 => return Ok(0),
            Self::Bits16(half) => (2, "half", half, 1),
            Self::Bits8(byte) => (4, "byte", byte, 3),
        };
        pack(code, &[(part, value as u32, 0, greatest, 0)])
    }
}

/// Bytes from the start of a row in memory to the start of the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pitch {
    /// The pitch that the last [`load_pitch`] gave.
    Separate,
    /// 16, 32, 64 ... 262,144 bytes.
    Bytes(u32),
}

/// A block in memory and its shape in the VPM.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Load {
    /// Rows in memory, 1..=16.
    pub rows: u8,
    /// Elements in each row, 1..=16.
    pub row_elements: u8,
    /// From row to row in memory.
    pub pitch: Pitch,
    /// From row to row in the VPM, 1..=16: added to Y (for halfwords and bytes to Y and the part
    /// together), whether the rows are laid along rows or down columns.
    pub vpm_pitch: u8,
    /// True if a row of memory is laid down a column of the VPM.
    pub vertical: bool,
    /// First row of the VPM, 0..=127.
    pub y: u8,
    /// First column of the VPM, 0..=15.
    pub x: u8,
    /// Width of the elements.
    pub width: Width,
}

impl Load {
    /// `rows` whole rows of 16 words, 64 bytes apart in memory, from row `y` on.
    #[must_use]
    pub const fn rows(rows: u8, y: u8) -> Self {
        Self {
            rows,
            row_elements: VPM_ROW_WORDS,
            pitch: Pitch::Bytes(VECTOR_BYTES),
            vpm_pitch: 1,
            vertical: false,
            y,
            x: 0,
            width: Width::Bits32,
        }
    }

    /// The word for `rd_setup`.
    ///
    /// # Errors
    /// When a number does not fit its field.
    pub const fn setup(self) -> Result<u32, OutOfRange> {
        let (modew, mpitch) = match (self.width.modew(), self.pitch.mpitch()) {
            (Ok(modew), Ok(mpitch)) => (modew, mpitch),
            (Err(error), _) | (_, Err(error)) => return Err(error),
        };
        pack(
            1 << 31 | modew << 28 | mpitch << 24 | (self.vertical as u32) << 11,
            &[
                ("row_elements", self.row_elements as u32, 1, 16, 20),
                ("rows", self.rows as u32, 1, 16, 16),
                ("vpm_pitch", self.vpm_pitch as u32, 1, 16, 12),
                ("y", self.y as u32, 0, 127, 4),
                ("x", self.x as u32, 0, 15, 0),
            ],
        )
    }
}

impl Pitch {
    /// 0, or n for 8 * 2^n bytes.
    const fn mpitch(self) -> Result<u32, OutOfRange> {
        match self {
            Self::Separate => Ok(0),
            Self::Bytes(bytes) if bytes.is_power_of_two() && bytes >= 16 && bytes <= 8 << 15 => {
                Ok(bytes.trailing_zeros() - 3)
            }
            Self::Bytes(bytes) => Err(OutOfRange {
                field: "pitch (a power of two)",
                value: bytes,
                least: 16,
                greatest: 8 << 15,
            }),
        }
    }
}

/// The word for `rd_setup` with the pitch for [`Pitch::Separate`], 0..=8191 bytes from start to
/// start.
///
/// # Errors
/// When it does not fit.
pub const fn load_pitch(bytes: u32) -> Result<u32, OutOfRange> {
    pack(9 << 28, &[("pitch", bytes, 0, 8191, 0)])
}

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
    fn published_words_of_loads() {
        assert_eq!(Load::rows(16, 3).setup(), Ok(0x8300_1000 | 3 << 4));
        assert_eq!(Load::rows(1, 3).setup(), Ok(0x8301_1000 | 3 << 4));
        // asurati's QPU demo: four vertical vectors in column 15.
        let columns = Load {
            vertical: true,
            vpm_pitch: 16,
            x: 15,
            ..Load::rows(4, 0)
        };
        assert_eq!(columns.setup(), Ok(0x8304_080f));
        // py-videocore: 8x8 words to (4, 4), 32 bytes apart.
        let block = Load {
            row_elements: 8,
            pitch: Pitch::Bytes(32),
            x: 4,
            ..Load::rows(8, 4)
        };
        assert_eq!(block.setup(), Ok(0x8288_1044));
        // Broadcom's OpenVG shaders.
        let far = Load {
            vpm_pitch: 16,
            ..Load::rows(2, 15)
        };
        assert_eq!(far.setup(), Ok(0x8302_00f0));
        let narrow = Load {
            row_elements: 2,
            vpm_pitch: 5,
            pitch: Pitch::Separate,
            ..Load::rows(3, 0)
        };
        assert_eq!(narrow.setup(), Ok(0x8023_5000));
        assert_eq!(load_pitch(8), Ok(0x9000_0008));
        assert_eq!(load_pitch(128), Ok(0x9000_0080));
    }

    #[test]
    fn parts_are_in_modew_and_never_make_a_pitch_word() {
        let width = |width| {
            Load {
                width,
                pitch: Pitch::Separate,
                ..Load::rows(16, 0)
            }
            .setup()
        };
        assert_eq!(width(Width::Bits16(0)), Ok(0xa000_1000));
        assert_eq!(width(Width::Bits16(1)), Ok(0xb000_1000));
        assert_eq!(width(Width::Bits8(3)), Ok(0xf000_1000));
    }

    #[test]
    fn loads_that_do_not_fit_are_refused() {
        let one = Load::rows(1, 0);
        for load in [
            Load { rows: 17, ..one },
            Load {
                row_elements: 0,
                ..one
            },
            Load {
                vpm_pitch: 0,
                ..one
            },
            Load { y: 128, ..one },
            Load { x: 16, ..one },
            Load {
                pitch: Pitch::Bytes(8),
                ..one
            },
            Load {
                pitch: Pitch::Bytes(48),
                ..one
            },
            Load {
                pitch: Pitch::Bytes(1 << 19),
                ..one
            },
        ] {
            assert!(load.setup().is_err(), "{load:?}");
        }
        assert!(load_pitch(8192).is_err());
    }

    #[test]
    fn published_words_of_stores() {
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
    fn stores_that_do_not_fit_are_refused() {
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

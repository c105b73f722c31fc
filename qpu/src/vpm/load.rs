//! DMA from memory to the VPM (VDR).
//!
//! The words are written to `rd_setup`; a write to `ld_addr` starts the transfer.

use super::{OutOfRange, Width, pack};
use crate::machine::{VECTOR_BYTES, VPM_ROW_WORDS};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_published_programs() {
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
    fn what_does_not_fit_is_refused() {
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
}

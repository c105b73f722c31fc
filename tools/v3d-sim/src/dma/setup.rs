//! What VDR and VDW setup words have in common: MODEW, and where an item lies.

use crate::vpm::COLUMNS;
use crate::vpm::setup::{Place, Width};

/// MODEW: element width, and the part of the first word at which a row starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mode {
    /// Element width.
    pub width: Width,
    /// First half (0..1) or byte (0..3).
    pub part: u32,
}

impl Mode {
    /// 0: words; 2 and 3: halves; 4..7: bytes. 1 is none.
    #[must_use]
    pub const fn from_bits(bits: u32) -> Option<Self> {
        match bits {
            0 => Some(Self {
                width: Width::Word,
                part: 0,
            }),
            2 | 3 => Some(Self {
                width: Width::Half,
                part: bits & 1,
            }),
            4..=7 => Some(Self {
                width: Width::Byte,
                part: bits & 3,
            }),
            _ => None,
        }
    }
}

/// Where item `number`, counted from the first part of word (y, x), lies.
///
/// Items are packed: along the row, going on in the next row after column 15 (that is how published
/// programs come out; none runs past it), or down the column inside words (an assumption for
/// sub-words). Rows wrap at 128.
#[must_use]
pub fn item(y: u32, x: u32, vertical: bool, width: Width, number: u32) -> Place {
    let log2 = width.per_word_log2();
    let step = number >> log2;
    let word = if vertical {
        (y + step) * COLUMNS as u32 + x
    } else {
        y * COLUMNS as u32 + x + step
    };
    Place {
        word: word as usize,
        shift: (number & ((1 << log2) - 1)) * width.bits(),
        mask: width.mask(),
    }
}

//! Fields that VDR and VDW setup words share: MODEW, and where an item lies.

use crate::vpm::COLUMNS;
use crate::vpm::Words;
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
        let (width, part) = match bits {
            0 => (Width::Word, 0),
            2 | 3 => (Width::Half, bits & 1),
            4..=7 => (Width::Byte, bits & 3),
            _ => return None,
        };
        Some(Self { width, part })
    }
}

/// The place of item `number`, counted from the first part of word (y, x).
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

/// The words in which items `numbers`, counted as in [`item`], lie.
pub fn words(
    y: u32,
    x: u32,
    vertical: bool,
    width: Width,
    numbers: std::ops::Range<u32>,
) -> impl Iterator<Item = Words> {
    let per_word = 1 << width.per_word_log2();
    let step = if vertical { COLUMNS } else { 1 };
    let mut next = numbers.start;
    std::iter::from_fn(move || {
        if next >= numbers.end {
            return None;
        }
        let first = item(y, x, vertical, width, next).word;
        // Whole words at once, else the items of one word.
        let part = next % per_word;
        let whole = (numbers.end - next) / per_word;
        let (count, items) = if part == 0 && whole > 0 {
            (whole, whole * per_word)
        } else {
            (1, (per_word - part).min(numbers.end - next))
        };
        let bits = if count * per_word == items {
            4
        } else {
            items * width.bytes()
        };
        let bytes = 15_u32 >> (4 - bits) << (part * width.bytes());
        next += items;
        Some(Words {
            first,
            step,
            count: count as usize,
            bytes: bytes as u8,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_the_items() {
        for (width, first, count) in [
            (Width::Word, 0, 16),
            (Width::Half, 1, 16),
            (Width::Half, 0, 3),
            (Width::Byte, 3, 128),
            (Width::Byte, 1, 2),
        ] {
            for vertical in [false, true] {
                let mut wanted = std::collections::BTreeMap::new();
                for number in first..first + count {
                    let place = item(3, 5, vertical, width, number);
                    *wanted.entry(place.word).or_insert(0) |= place.mask << place.shift;
                }
                let mut found = std::collections::BTreeMap::new();
                for words in words(3, 5, vertical, width, first..first + count) {
                    let bits = (0..4).filter(|byte| words.bytes & 1 << byte != 0);
                    let bits = bits.fold(0, |bits, byte| bits | 0xff_u32 << (8 * byte));
                    for n in 0..words.count {
                        found.insert(words.first + n * words.step, bits);
                    }
                }
                assert_eq!(found, wanted, "{width:?} {first} {count} {vertical}");
            }
        }
    }
}

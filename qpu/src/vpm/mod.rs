//! Setup words of the VPM: QPU access, DMA stores (VDW) and loads (VDR).
//!
//! User programs see 64 rows (Y) of 16 words (X), shared by all QPUs. A program writes the words
//! made here to `rd_setup` or `wr_setup`: [`Block`] describes vectors that a QPU reads or writes,
//! [`Store`] and [`store_stride`] a transfer to memory, [`Load`] and [`load_pitch`] one from
//! memory.
//!
//! Surprises: counts of 0 mean the greatest count, and are written here as that number. A store's
//! stride counts from the end of a row in memory to the start of the next, a load's pitch from
//! start to start. Setup at the start of a program is undefined: write every word, the stride too.
//!
//! Source: VideoCore IV 3D Architecture Reference Guide, the VPM and VCD setup register tables,
//! with vc4asm's addendum for the 16-bit stride and the 11-bit load address.

mod block;
#[cfg(feature = "text")]
pub(crate) mod functions;
mod transfer;

pub use block::{Block, Place, Size};
pub use transfer::{Load, Pitch, Store, Width, load_pitch, store_stride};

/// A number that does not fit its field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfRange {
    /// The meaning of the number.
    pub field: &'static str,
    /// The number.
    pub value: u32,
    /// Least number that fits.
    pub least: u32,
    /// Greatest number that fits.
    pub greatest: u32,
}

impl core::fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self {
            field,
            value,
            least,
            greatest,
        } = self;
        write!(f, "{field} is {value}, and must be {least} to {greatest}")
    }
}

impl core::error::Error for OutOfRange {}

/// Puts numbers into a word: (name, value, least, greatest, lowest bit). A value equal to the size
/// of its field is written as 0, as the hardware counts.
const fn pack(
    mut word: u32,
    fields: &[(&'static str, u32, u32, u32, u32)],
) -> Result<u32, OutOfRange> {
    let mut i = 0;
    while i < fields.len() {
        let (field, value, least, greatest, low) = fields[i];
        if value < least || value > greatest {
            return Err(OutOfRange {
                field,
                value,
                least,
                greatest,
            });
        }
        // Counts (least 1) of a full field are 0; their greatest is the field's size.
        if least != 1 || value != greatest {
            word |= value << low;
        }
        i += 1;
    }
    Ok(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_out_of_range_is_named() {
        let error = Block::row(64).write_setup().unwrap_err();
        assert_eq!(
            error,
            OutOfRange {
                field: "y",
                value: 64,
                least: 0,
                greatest: 63
            }
        );
        assert_eq!(error.to_string(), "y is 64, and must be 0 to 63");
    }

    #[test]
    fn words_can_be_constants() {
        const SETUP: u32 = match Block::row(5).read_setup(16) {
            Ok(word) => word,
            Err(_) => panic!(),
        };
        assert_eq!(SETUP, 0x0000_1a05);
    }
}

//! Control blocks: what one says, and what the two kinds of channels can do.
//!
//! What silicon ignores or leaves undefined is a mistake here: the limits of the lite channels,
//! lengths of 0, addresses that are no multiple of a word. Not modelled: 2D transfers, and sources
//! and destinations that are ignored.
//!
//! Source: BCM2835 ARM Peripherals, sections 4.2 and 4.5.

use crate::fault::FaultKind;
use crate::map::is_peripheral;

pub const INTEN: u32 = 1 << 0;
pub const TDMODE: u32 = 1 << 1;
pub const WAIT_RESP: u32 = 1 << 3;
pub const DEST_INC: u32 = 1 << 4;
pub const DEST_WIDTH: u32 = 1 << 5;
pub const DEST_DREQ: u32 = 1 << 6;
pub const DEST_IGNORE: u32 = 1 << 7;
pub const SRC_INC: u32 = 1 << 8;
pub const SRC_WIDTH: u32 = 1 << 9;
pub const SRC_DREQ: u32 = 1 << 10;
pub const SRC_IGNORE: u32 = 1 << 11;

/// Bytes of a control block, and its alignment.
pub const BYTES: u32 = 32;
/// Greatest length that a lite channel counts.
const LITE_LENGTH: u32 = 0xffff;
/// Beats of a burst from a peripheral that fit a full channel's buffer, and a lite one's.
const MOST_BEATS: [u32; 2] = [8, 4];

/// The registers that a control block fills.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct ControlBlock {
    /// Transfer information.
    pub ti: u32,
    /// Bus address of the source.
    pub source: u32,
    /// Bus address of the destination.
    pub destination: u32,
    /// Bytes that are left.
    pub length: u32,
    /// Strides of a 2D transfer.
    pub stride: u32,
    /// Bus address of the next control block, or 0.
    pub next: u32,
}

/// A mistake of a guest that uses DMA.
pub fn misuse(what: &'static str) -> FaultKind {
    FaultKind::Misuse("DMA", what)
}

impl ControlBlock {
    /// The block in these words.
    pub fn from_words(words: [u32; 8]) -> Self {
        let [ti, source, destination, length, stride, next, _, _] = words;
        Self {
            ti,
            source,
            destination,
            length: length & 0x3fff_ffff,
            stride,
            next,
        }
    }

    /// Data request of a peripheral that paces it, or 0.
    pub fn permap(&self) -> u32 {
        match self.ti & (SRC_DREQ | DEST_DREQ) {
            0 => 0,
            _ => self.ti >> 16 & 0x1f,
        }
    }

    /// Words that are read at a time.
    pub fn beats(&self, is_lite: bool) -> u32 {
        let most = MOST_BEATS[usize::from(is_lite)];
        ((self.ti >> 12 & 0xf) + 1).min(most)
    }

    /// Finds what a channel cannot do, or should not be asked to.
    ///
    /// # Errors
    /// The mistake, or the gap of this model.
    pub fn check(&self, is_lite: bool) -> Result<(), FaultKind> {
        let misuse = |what| Err(misuse(what));
        if !self.next.is_multiple_of(BYTES) {
            return misuse("NEXTCONBK is no multiple of 32");
        }
        if is_lite && self.length > LITE_LENGTH {
            return misuse("a lite channel was given more than 65,535 bytes");
        }
        if is_lite && self.ti & (TDMODE | SRC_IGNORE | DEST_IGNORE) != 0 {
            return misuse("a lite channel has no 2D transfers, and ignores no side");
        }
        if self.length == 0 {
            return misuse("a control block has a length of 0");
        }
        let wide = |width: u32, bus: u32| self.ti & width != 0 && is_peripheral(bus);
        if wide(SRC_WIDTH, self.source) || wide(DEST_WIDTH, self.destination) {
            return misuse("peripherals are 32 bits wide, not 128");
        }
        if (self.length | self.source | self.destination) & 3 != 0 {
            return misuse("a length or an address is no multiple of 4");
        }
        if self.ti & (TDMODE | SRC_IGNORE | DEST_IGNORE) != 0 {
            let what = "2D transfers by DMA, and ignored sources and destinations";
            return Err(FaultKind::NotModelled(what.into()));
        }
        if self.ti & DEST_DREQ != 0 {
            let what = "DMA paced by its destination";
            return Err(FaultKind::NotModelled(what.into()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(ti: u32, length: u32) -> ControlBlock {
        ControlBlock::from_words([ti, 0x7e20_3004, 0x4010_0000, length, 0, 0, 0, 0])
    }

    #[test]
    fn a_lite_channel_has_its_limits() {
        for (ti, length, full, lite) in [
            (DEST_INC, 0xfffc, true, true),
            (DEST_INC, 0x1_0000, true, false),
            (DEST_INC | DEST_WIDTH, 64, true, true),
            (DEST_INC | SRC_WIDTH, 64, false, false),
            (DEST_INC, 0, false, false),
            (DEST_INC, 6, false, false),
        ] {
            let check = |is_lite| block(ti, length).check(is_lite).is_ok();
            assert_eq!(
                (check(false), check(true)),
                (full, lite),
                "{ti:#x} {length:#x}"
            );
        }
        let two_dimensions = block(DEST_INC | TDMODE, 64);
        assert!(matches!(
            two_dimensions.check(true),
            Err(FaultKind::Misuse(..))
        ));
        assert!(matches!(
            two_dimensions.check(false),
            Err(FaultKind::NotModelled(_))
        ));
    }

    #[test]
    fn bursts_fit_the_buffer() {
        assert_eq!(block(15 << 12, 64).beats(false), 8);
        assert_eq!(block(15 << 12, 64).beats(true), 4);
        assert_eq!(block(0, 64).beats(true), 1);
    }
}

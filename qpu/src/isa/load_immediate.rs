//! Sig 14: load immediates and semaphore instructions.
//!
//! A load immediate has one value for all lanes, or a 2-bit value for each. A semaphore instruction
//! (bits 59:57 = 4) counts one of sixteen up or down; it stalls while the count would leave 0..=15.
//! Its low word is also delivered to both ALU outputs as by a load immediate, so its ignored bits
//! 31:5 are kept.

use super::bits::{field, field_values, place};
use super::{DecodeError, WriteBack};
use crate::machine::SEMAPHORES;

field_values! {
    /// The meaning of the low 32 bits. Codes 2 and 5..7 are undefined, 4 is a semaphore.
    LoadImmediateKind {
        /// One 32-bit value in every lane.
        Word = 0, "ldi";
        /// Lane i gets bit i minus twice bit 16 + i: -2, -1, 0 or 1.
        PerElementSigned = 1, "ldis";
        /// Lane i gets bit i plus twice bit 16 + i: 0..=3.
        PerElementUnsigned = 3, "ldiu";
    }
}

/// A constant to both ALU outputs; it counts as the result of an integer add.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LoadImmediate {
    /// The meaning of `immediate`.
    pub kind: LoadImmediateKind,
    /// The destination.
    pub write: WriteBack,
    /// The low 32 bits.
    pub immediate: u32,
}

impl LoadImmediate {
    pub(super) const fn decode(word: u64) -> Result<Self, DecodeError> {
        let bits = field(word, 59, 57);
        let Some(kind) = LoadImmediateKind::from_bits(bits) else {
            return Err(DecodeError::UndefinedLoadImmediate(bits));
        };
        Ok(Self {
            kind,
            write: WriteBack::decode(word),
            immediate: word as u32,
        })
    }

    /// The 64-bit word.
    #[must_use]
    pub const fn encode(&self) -> u64 {
        14 << 60
            | place(self.kind.bits() as u64, 59, 57)
            | self.write.encode()
            | self.immediate as u64
    }

    /// The value in one lane, 0..=15.
    #[must_use]
    pub const fn value(&self, lane: usize) -> u32 {
        let low = self.immediate >> (lane & 15) & 1;
        let high = self.immediate >> (16 + (lane & 15)) & 1;
        match self.kind {
            LoadImmediateKind::Word => self.immediate,
            LoadImmediateKind::PerElementSigned => low.wrapping_sub(2 * high),
            LoadImmediateKind::PerElementUnsigned => low + 2 * high,
        }
    }

    /// The low 32 bits that give each lane its value: -2..=1 signed, 0..=3 unsigned.
    ///
    /// `None` when a value does not fit, or the kind is [`LoadImmediateKind::Word`].
    #[must_use]
    pub fn pack_elements(kind: LoadImmediateKind, values: [i32; 16]) -> Option<u32> {
        let allowed = match kind {
            LoadImmediateKind::Word => return None,
            LoadImmediateKind::PerElementSigned => -2..=1,
            LoadImmediateKind::PerElementUnsigned => 0..=3,
        };
        let pack = |all: u32, (lane, value): (u32, i32)| {
            all | (value as u32 & 1) << lane | (value as u32 >> 1 & 1) << (16 + lane)
        };
        let fits = values.iter().all(|value| allowed.contains(value));
        fits.then(|| (0..).zip(values).fold(0, pack))
    }
}

/// The change of the count.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SemaphoreAction {
    /// Up by one ("release"); stalls at 15.
    Increment,
    /// Down by one ("acquire"); stalls at 0.
    Decrement,
}

/// Counts a semaphore and delivers the low word as a result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Semaphore {
    /// The destination of the low word.
    pub write: WriteBack,
    /// The low word: bit 4 the action, bits 3:0 the semaphore; the rest is ignored.
    pub immediate: u32,
}

impl Semaphore {
    /// Bits 59:57.
    pub(super) const SUB_CODE: u8 = 4;

    /// An instruction that only counts semaphore `number`, 0..=15; `None` for another number.
    #[must_use]
    pub const fn new(action: SemaphoreAction, number: u8) -> Option<Self> {
        if number >= SEMAPHORES {
            return None;
        }
        let decrement = matches!(action, SemaphoreAction::Decrement) as u32;
        Some(Self {
            write: WriteBack::NOTHING,
            immediate: decrement << 4 | number as u32,
        })
    }

    pub(super) const fn decode(word: u64) -> Self {
        Self {
            write: WriteBack::decode(word),
            immediate: word as u32,
        }
    }

    /// The 64-bit word.
    #[must_use]
    pub const fn encode(&self) -> u64 {
        14 << 60 | (Self::SUB_CODE as u64) << 57 | self.write.encode() | self.immediate as u64
    }

    /// Up or down.
    #[must_use]
    pub const fn action(&self) -> SemaphoreAction {
        if self.immediate & 0x10 == 0 {
            SemaphoreAction::Increment
        } else {
            SemaphoreAction::Decrement
        }
    }

    /// The number of the semaphore, 0..=15.
    #[must_use]
    pub const fn number(&self) -> u8 {
        (self.immediate & 15) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_get_the_values_they_were_packed_from() {
        let cases = [
            (
                LoadImmediateKind::PerElementSigned,
                core::array::from_fn(|i| i as i32 % 4 - 2),
            ),
            (
                LoadImmediateKind::PerElementUnsigned,
                core::array::from_fn(|i| i as i32 % 4),
            ),
        ];
        for (kind, values) in cases {
            let immediate = LoadImmediate::pack_elements(kind, values).unwrap();
            let load = LoadImmediate {
                kind,
                write: WriteBack::NOTHING,
                immediate,
            };
            for (lane, value) in values.into_iter().enumerate() {
                assert_eq!(load.value(lane) as i32, value, "{kind:?}, lane {lane}");
            }
        }
    }

    #[test]
    fn signed_codes_are_those_of_the_guide() {
        // MS,LS of lane 0: 00 = 0, 01 = 1, 10 = -2, 11 = -1.
        for (immediate, value) in [(0, 0), (1, 1), (0x1_0000, -2), (0x1_0001, -1)] {
            let kind = LoadImmediateKind::PerElementSigned;
            let load = LoadImmediate {
                kind,
                write: WriteBack::NOTHING,
                immediate,
            };
            assert_eq!(load.value(0) as i32, value);
        }
    }

    #[test]
    fn values_out_of_range_do_not_pack() {
        assert_eq!(
            LoadImmediate::pack_elements(LoadImmediateKind::PerElementSigned, [2; 16]),
            None
        );
        assert_eq!(
            LoadImmediate::pack_elements(LoadImmediateKind::PerElementUnsigned, [-1; 16]),
            None
        );
        assert_eq!(
            LoadImmediate::pack_elements(LoadImmediateKind::Word, [5; 16]),
            None
        );
    }
}

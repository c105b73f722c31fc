//! QPU instructions as data: 64-bit words to typed fields and back.
//!
//! [`decode`] keeps every bit: [`Instruction::encode`] of what it returns is the word it was given.
//! Published programs carry live addresses and conditions on idle ALUs, register numbers on
//! branches that add no register, non-zero bits 59:56 on branches and high bits in semaphore
//! instructions; all of that is kept, nothing is brought to a canonical form.
//!
//! What does not decode has no meaning to give it: see [`DecodeError`]. A word that decodes may
//! still be wrong to run; that is for `qpu::check`.
//!
//! Source: VideoCore IV 3D Architecture Reference Guide, the QPU instruction encoding tables,
//! with the addendum of maazl/vc4asm.

mod alu;
mod bits;
mod branch;
mod condition;
mod load_immediate;
mod opcode;
mod pack;
mod register;
mod signal;
mod small_immediate;
mod write_back;

#[cfg(all(test, feature = "text"))]
pub(crate) use tests::known_words::WORDS as KNOWN_WORDS;

pub use alu::{Alu, Mux, RaddrB};
pub use branch::{Branch, DELAY_SLOTS};
pub use condition::{BranchCond, Cond};
pub use load_immediate::{LoadImmediate, LoadImmediateKind, Semaphore, SemaphoreAction};
pub use opcode::{AddOp, MulOp};
pub use pack::{MulPack, Pack, Unpack};
pub use register::{File, Raddr, Waddr, raddr, waddr};
pub use signal::Signal;
pub use small_immediate::{Rotation, SmallImmediate};
pub use write_back::{Slot, WriteBack};

use bits::field;

/// Bytes of one instruction.
pub const INSTRUCTION_BYTES: u32 = 8;

/// One QPU instruction, every field kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Instruction {
    /// Both ALUs, with a signal or a small immediate (sig 0..13).
    Alu(Alu),
    /// A 32-bit value, or sixteen 2-bit values, to both ALU outputs (sig 14).
    LoadImmediate(LoadImmediate),
    /// Count a semaphore up or down (sig 14, bits 59:57 = 4).
    Semaphore(Semaphore),
    /// Branch, with an optional link (sig 15).
    Branch(Branch),
}

impl Instruction {
    /// Does nothing: both ALUs idle, no signal, no port read.
    pub const NOP: Self = Self::Alu(Alu::NOP);

    /// The 64-bit word.
    #[must_use]
    pub const fn encode(&self) -> u64 {
        match self {
            Self::Alu(alu) => alu.encode(),
            Self::LoadImmediate(load) => load.encode(),
            Self::Semaphore(semaphore) => semaphore.encode(),
            Self::Branch(branch) => branch.encode(),
        }
    }

    /// The use that the instruction makes of its results; a branch makes it of its link address.
    #[must_use]
    pub const fn write_back(&self) -> WriteBack {
        match self {
            Self::Alu(alu) => alu.write,
            Self::LoadImmediate(load) => load.write,
            Self::Semaphore(semaphore) => semaphore.write,
            Self::Branch(branch) => branch.link_write(),
        }
    }

    /// The signal; [`Signal::None`] in formats that cannot carry one.
    #[must_use]
    pub const fn signal(&self) -> Signal {
        match self {
            Self::Alu(alu) => alu.signal(),
            _ => Signal::None,
        }
    }
}

/// Why a word is no instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DecodeError {
    /// `op_add` 9..11 or 25..29: no source says what they do.
    ReservedAddOp(u8),
    /// Bits 59:57 of a word with sig 14 that are neither a load immediate (0, 1, 3) nor a semaphore
    /// (4).
    UndefinedLoadImmediate(u8),
    /// `cond_br` 12..14.
    ReservedBranchCond(u8),
}

impl core::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::ReservedAddOp(bits) => write!(f, "reserved op_add {bits}"),
            Self::UndefinedLoadImmediate(bits) => {
                write!(f, "undefined load immediate, bits 59:57 = {bits}")
            }
            Self::ReservedBranchCond(bits) => write!(f, "reserved cond_br {bits}"),
        }
    }
}

impl core::error::Error for DecodeError {}

/// Decodes one word.
///
/// # Errors
/// When the word uses a value that no source defines; see [`DecodeError`].
pub fn decode(word: u64) -> Result<Instruction, DecodeError> {
    Ok(match (field(word, 63, 60), field(word, 59, 57)) {
        (15, _) => Instruction::Branch(Branch::decode(word)?),
        (14, Semaphore::SUB_CODE) => Instruction::Semaphore(Semaphore::decode(word)),
        (14, _) => Instruction::LoadImmediate(LoadImmediate::decode(word)?),
        _ => Instruction::Alu(Alu::decode(word)?),
    })
}

#[cfg(test)]
mod tests {
    pub(super) mod known_words;

    use super::*;
    use proptest::prelude::*;

    fn assert_same_word(word: u64) {
        if let Ok(instruction) = decode(word) {
            assert_eq!(instruction.encode(), word, "{instruction:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn decode_then_encode_gives_the_word_back(word: u64) {
            assert_same_word(word);
        }

        // Sig 14 and 15 are one word in eight of the above: give them as many cases again.
        #[test]
        fn decode_then_encode_of_immediates_and_branches(word: u64) {
            assert_same_word(word | 0xe << 60);
        }
    }

    #[test]
    fn every_single_bit_and_pair_of_bits_survives() {
        for base in [0, 14 << 60, 0xe8 << 56, 15 << 60, 13 << 60] {
            for high in 0..64 {
                for low in 0..=high {
                    assert_same_word(base ^ (1 << high | 1 << low));
                }
            }
        }
    }

    #[test]
    fn every_value_of_every_short_field_survives_or_is_reserved() {
        // (high, low) of the fields that have tables; the base is an instruction of that format.
        let fields = [
            (63, 60),
            (59, 57),
            (55, 52),
            (51, 49),
            (48, 46),
            (43, 38),
            (37, 32),
            (31, 29),
            (28, 24),
        ];
        for base in [Instruction::NOP.encode(), 14 << 60, 15 << 60] {
            for (high, low) in fields {
                let rest = base & !bits::place(u64::MAX, high, low);
                for value in 0..1 << (high - low + 1) {
                    assert_same_word(rest | bits::place(value, high, low));
                }
            }
        }
    }

    #[test]
    fn what_has_no_meaning_does_not_decode() {
        let nop = Instruction::NOP.encode();
        for op in [9, 10, 11, 25, 26, 27, 28, 29] {
            assert_eq!(
                decode(nop | op << 24),
                Err(DecodeError::ReservedAddOp(op as u8))
            );
        }
        for kind in [2, 5, 6, 7] {
            let word = 14 << 60 | kind << 57;
            assert_eq!(
                decode(word),
                Err(DecodeError::UndefinedLoadImmediate(kind as u8))
            );
        }
        for condition in [12, 13, 14] {
            let word = 15 << 60 | condition << 52;
            assert_eq!(
                decode(word),
                Err(DecodeError::ReservedBranchCond(condition as u8))
            );
        }
    }

    #[test]
    fn all_other_words_decode() {
        for sig in 0..=13 {
            for op in (0..=8).chain(12..=24).chain(30..=31) {
                assert!(
                    decode(sig << 60 | op << 24).is_ok(),
                    "sig {sig}, op_add {op}"
                );
            }
        }
    }
}

//! The uniforms stream of a QPU.
//!
//! A program reads 32-bit words one after the other from where SRQUA pointed when it was queued, or
//! from where it pointed the stream itself. The two words that the chip fetches ahead, and its
//! uniform cache, are not modelled: a word is read from memory when the program asks for it.

use crate::conflicts::SrqulZero;
use crate::memory::{Memory, MemoryFault};

/// Values of SRQUL above this do not limit the stream (guide, SRQUL); neither does 0, which
/// Broadcom's own driver leaves in it.
const LARGEST_LIMIT: u32 = 1023;

/// The position of the stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Uniforms {
    /// Address of the next word.
    pub address: u32,
    /// Words left, when SRQUL limits them.
    left: Option<u32>,
    given: bool,
}

impl Uniforms {
    /// The stream of a program queued with these values of SRQUA and SRQUL.
    pub fn new(srqua: u32, srqul: u32, zero: SrqulZero) -> Self {
        let limits = srqul <= LARGEST_LIMIT && (srqul > 0 || zero == SrqulZero::None);
        Self {
            address: srqua & !3,
            left: limits.then_some(srqul),
            given: srqua != 0,
        }
    }

    /// Points the stream at `address`.
    pub fn jump(&mut self, address: u32) {
        *self = Self {
            address: address & !3,
            left: None,
            given: true,
        };
    }

    /// Moves the stream by a signed count of words.
    pub fn jump_relative(&mut self, words: u32) {
        self.address = self.address.wrapping_add(words.wrapping_mul(4));
    }

    /// True if the stream has a next word by what the driver said.
    pub fn is_given(&self) -> bool {
        self.given && self.left != Some(0)
    }

    /// Takes the next word.
    #[inline]
    pub fn pop(&mut self, memory: &mut impl Memory) -> Result<u32, MemoryFault> {
        let word = memory.read_word(self.address)?;
        self.address = self.address.wrapping_add(4);
        self.left = self.left.map(|left| left.saturating_sub(1));
        Ok(word)
    }
}

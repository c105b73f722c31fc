//! Semaphore instruction: counts one of sixteen up or down.
//!
//! Sig 14 with bits 59:57 = 4.
//!
//! It stalls while the count would leave 0..=15. Its low word is also delivered to both ALU outputs
//! as by a load immediate, so its ignored bits 31:5 are kept.

use super::WriteBack;
use crate::machine::SEMAPHORES;

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

//! The one place where an address becomes a reference to registers.
//!
//! [`Mmio`] is a `&'static` to a block of tock-registers with the BCM2835's ordering rule built in:
//! reads from different peripherals may return out of order, so a memory barrier stands before the
//! first and after the last access of every visit (BCM2835 ARM Peripherals, section 1.3).
//! [`peripherals`] hands each block out once.

#![allow(unsafe_code)]

pub mod peripherals;

use crate::arch::cpu::data_memory_barrier;
use crate::board::PERIPHERAL_BASE;

/// A block of registers.
pub struct Mmio<T: 'static> {
    registers: &'static T,
}

// SAFETY: a register block is not memory of one thread; there is one core, and a driver that shares
// its block with an interrupt handler does so under a critical section.
unsafe impl<T> Send for Mmio<T> {}

impl<T> Mmio<T> {
    /// The registers at `offset` from the peripheral base.
    ///
    /// # Safety
    /// The block is of type `T`, mapped as Device memory, and what the caller does with the second
    /// of two handles agrees with what the owner of the first does.
    const unsafe fn at(offset: usize) -> Self {
        // SAFETY: as this function's; all bit patterns are valid registers and `T` is made of
        // cells.
        let registers = unsafe { &*((PERIPHERAL_BASE + offset) as *const T) };
        Self { registers }
    }

    /// A second handle, for a block whose every use ends within one call: there is one core, and no
    /// interrupt handler touches it.
    pub(crate) const fn again(&self) -> Self {
        Self {
            registers: self.registers,
        }
    }

    /// One visit: barrier, accesses to this block only, barrier.
    #[inline]
    pub fn visit<R>(&self, visit: impl FnOnce(&T) -> R) -> R {
        data_memory_barrier();
        let result = visit(self.registers);
        data_memory_barrier();
        result
    }
}

/// A block without side effects: every register in it is read-only, so handles may be copied.
pub trait ReadOnlyBlock {}

impl<T: ReadOnlyBlock> Clone for Mmio<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ReadOnlyBlock> Copy for Mmio<T> {}

/// Registers in plain memory, and a view of the words behind them.
#[cfg(test)]
pub mod fake {
    use super::Mmio;
    use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

    /// The words behind a fake block.
    #[derive(Clone, Copy)]
    pub struct Words(&'static [AtomicU32]);

    impl Words {
        /// The word at this offset in bytes.
        pub fn at(&self, offset: usize) -> u32 {
            self.0[offset / 4].load(Relaxed)
        }

        /// Changes the word at this offset in bytes.
        pub fn set(&self, offset: usize, value: u32) {
            self.0[offset / 4].store(value, Relaxed);
        }
    }

    /// A block of zeros.
    pub fn zeros<T>() -> (Mmio<T>, Words) {
        let words = (0..size_of::<T>() / 4).map(|_| AtomicU32::new(0));
        let words: &'static [AtomicU32] = Vec::leak(words.collect());
        // SAFETY: as long as `T`, aligned like it, never freed; a register block is cells of words.
        let registers = unsafe { &*words.as_ptr().cast::<T>() };
        (Mmio { registers }, Words(words))
    }
}

//! The sixteen counting semaphores, shared by all QPUs.
//!
//! Counts are 0..=15, start at 0 after a power cycle and survive the end of programs. Source: guide,
//! "Semaphores"; programs by others leave them at 0.

/// Largest count.
pub const LARGEST: u8 = 15;

/// The counts.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Semaphores {
    counts: [u8; 16],
}

impl Semaphores {
    /// All counts.
    pub fn counts(&self) -> [u8; 16] {
        self.counts
    }

    /// Whether the semaphore can be counted up now.
    pub fn can_increment(&self, number: u8) -> bool {
        self.counts[usize::from(number & 15)] < LARGEST
    }

    /// Whether the semaphore can be counted down now.
    pub fn can_decrement(&self, number: u8) -> bool {
        self.counts[usize::from(number & 15)] > 0
    }

    /// Counts up; the caller has made sure that it can.
    pub fn increment(&mut self, number: u8) {
        self.counts[usize::from(number & 15)] += 1;
    }

    /// Counts down; the caller has made sure that it can.
    pub fn decrement(&mut self, number: u8) {
        self.counts[usize::from(number & 15)] -= 1;
    }
}

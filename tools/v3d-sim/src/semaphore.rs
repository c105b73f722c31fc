//! The sixteen counting semaphores, shared by all QPUs.
//!
//! Counts are 0..=15, start at 0 after a power cycle and survive the end of programs. Source:
//! guide, "Semaphores"; programs by others leave them at 0.

/// Largest count.
pub const LARGEST: u8 = 15;

/// The counts, and who waits to count down.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Semaphores {
    /// All counts.
    pub counts: [u8; 16],
    /// A bit for each QPU that has waited to count down and has not done so yet.
    waiting: [u16; 16],
    /// With [`crate::Defect::SemaphoreTwo`]: how many of those go on besides.
    surplus: [u8; 16],
    lets_two_through: bool,
}

impl Semaphores {
    /// True if the semaphore can be counted up now.
    pub fn can_increment(&self, number: u8) -> bool {
        self.counts[usize::from(number & 15)] < LARGEST
    }

    /// True if the semaphore can be counted down now by this QPU.
    pub fn can_decrement(&self, number: u8, qpu: u8) -> bool {
        let place = usize::from(number & 15);
        self.counts[place] > 0 || self.surplus[place] > 0 && self.waiting[place] & 1 << qpu != 0
    }

    /// A QPU waits to count down.
    pub fn wait(&mut self, number: u8, qpu: u8) {
        self.waiting[usize::from(number & 15)] |= 1 << qpu;
    }

    /// [`crate::Defect::SemaphoreTwo`].
    pub fn let_two_through(&mut self, lets_two_through: bool) {
        self.lets_two_through = lets_two_through;
        self.surplus = [0; 16];
    }

    /// Counts up; the caller has made sure that it can. Gives how many that wait go on.
    pub fn increment(&mut self, number: u8) -> u8 {
        let place = usize::from(number & 15);
        self.counts[place] += 1;
        let go_on = u32::from(self.counts[place]) + u32::from(self.surplus[place]);
        if self.lets_two_through && self.waiting[place].count_ones() > go_on {
            self.surplus[place] += 1;
            return 2;
        }
        1
    }

    /// A QPU counts down; the caller has made sure that it can.
    pub fn decrement(&mut self, number: u8, qpu: u8) {
        let place = usize::from(number & 15);
        self.waiting[place] &= !(1 << qpu);
        if self.counts[place] > 0 {
            self.counts[place] -= 1;
        } else {
            self.surplus[place] -= 1;
        }
    }
}

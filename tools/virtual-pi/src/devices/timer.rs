//! System timer: a free-running 1 MHz counter and four compare registers.
//!
//! A match is the tick on which the low half becomes equal to a compare register, so a compare
//! value of "now" waits for 71 minutes: whether silicon matches at once is not documented, and this
//! is the strict reading. A compare value that is one tick ahead when it is written is missed as
//! well; how far ahead one must be is not documented.
//!
//! Sources: BCM2835 ARM Peripherals, section 12; Linux `bcm2835_timer.c` and `bcm2708.c` keep 15 us
//! away.

use super::NEVER;
use crate::clock::{ARM_HZ, SYSTEM_TIMER_HZ};
use crate::fault::FaultKind;

const CLOCKS_PER_TICK: u64 = ARM_HZ / SYSTEM_TIMER_HZ;

/// The timer.
#[derive(Default)]
pub struct SystemTimer {
    /// Clock at which the counter was 0.
    zero: u64,
    /// The counter at the last `advance`.
    counter: u64,
    /// Match bits (CS): GPU interrupts 0 to 3.
    pub matched: u32,
    compare: [u32; 4],
    /// Ticks ahead up to which a compare is missed.
    misses: u32,
    /// The counter up to which each compare matches nothing.
    deaf_until: [u64; 4],
}

impl SystemTimer {
    /// A timer that starts to count at `now`, and misses compares so few ticks ahead.
    pub fn new(now: u64, misses: u32) -> Self {
        Self {
            misses,
            zero: now,
            ..Self::default()
        }
    }

    fn counter_at(&self, now: u64) -> u64 {
        (now - self.zero) / CLOCKS_PER_TICK
    }

    /// Ticks from `counter` to the next match of a compare register, 1 to 2^32.
    fn ticks_to_match(&self, index: usize) -> u64 {
        let ahead = self.compare[index].wrapping_sub(self.counter as u32);
        let ticks = u64::from(ahead.wrapping_sub(1)) + 1;
        if self.counter + ticks <= self.deaf_until[index] {
            ticks + (1 << 32)
        } else {
            ticks
        }
    }

    /// Sets the match bits up to `now`; returns the clock of the next match that would set one.
    pub fn advance(&mut self, now: u64) -> u64 {
        let counter = self.counter_at(now);
        let elapsed = counter - self.counter;
        for index in 0..4 {
            if elapsed >= self.ticks_to_match(index) {
                self.matched |= 1 << index;
            }
        }
        self.counter = counter;
        (0..4)
            .filter(|index| self.matched & 1 << index == 0)
            .map(|index| self.zero + (counter + self.ticks_to_match(index)) * CLOCKS_PER_TICK)
            .min()
            .unwrap_or(NEVER)
    }

    /// Reads a register; `advance` has been called.
    pub fn read(&self, offset: u32) -> Result<u32, FaultKind> {
        Ok(match offset {
            0x00 => self.matched,
            0x04 => self.counter as u32,
            0x08 => (self.counter >> 32) as u32,
            0x0c..=0x18 => self.compare[(offset as usize - 0x0c) / 4],
            _ => return Err(FaultKind::Unmapped),
        })
    }

    /// Writes a register; `advance` has been called.
    pub fn write(&mut self, offset: u32, value: u32) -> Result<(), FaultKind> {
        match offset {
            0x00 => self.matched &= !value,
            0x04 | 0x08 => {}
            0x0c..=0x18 => {
                let index = (offset as usize - 0x0c) / 4;
                self.compare[index] = value;
                self.deaf_until[index] = self.counter + u64::from(self.misses);
            }
            _ => return Err(FaultKind::Unmapped),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compare_matches_on_its_tick() {
        let mut timer = SystemTimer::new(0, 1);
        for offset in [0x0c, 0x14, 0x18] {
            timer.write(offset, 0xffff_0000).unwrap();
        }
        timer.write(0x10, 5).unwrap();
        assert_eq!(timer.advance(10), 5 * CLOCKS_PER_TICK);
        timer.advance(5 * CLOCKS_PER_TICK - 1);
        assert_eq!(timer.matched, 0);
        timer.advance(5 * CLOCKS_PER_TICK);
        assert_eq!(timer.matched, 2);
        assert_eq!(timer.read(0x04), Ok(5));
        timer.write(0x00, 2).unwrap();
        assert_eq!(timer.matched, 0);
    }

    #[test]
    fn a_compare_of_the_next_tick_is_missed() {
        let now = 100 * CLOCKS_PER_TICK;
        for (misses, ahead, missed) in
            [(1, 1, true), (1, 2, false), (15, 15, true), (15, 16, false)]
        {
            let mut timer = SystemTimer::new(0, misses);
            timer.advance(now);
            for offset in [0x0c, 0x14, 0x18] {
                timer.write(offset, 0).unwrap();
            }
            timer.write(0x10, 100 + ahead).unwrap();
            timer.advance(now + 1_000_000 * CLOCKS_PER_TICK);
            assert_eq!(timer.matched == 0, missed, "{ahead} of {misses}");
            timer.advance(now + ((1 << 32) + 20) * CLOCKS_PER_TICK);
            assert_eq!(timer.matched & 2, 2, "a wrap later");
        }
    }

    #[test]
    fn a_compare_of_now_waits_for_the_wrap() {
        let mut timer = SystemTimer::new(0, 1);
        timer.advance(7 * CLOCKS_PER_TICK);
        for offset in [0x0c, 0x10, 0x14, 0x18] {
            timer.write(offset, 7).unwrap();
        }
        assert_eq!(
            timer.advance(7 * CLOCKS_PER_TICK),
            (7 + (1 << 32)) * CLOCKS_PER_TICK
        );
    }
}

//! System timer: 1 MHz counter, delays, and the compare interrupt that ends a sleep.
//!
//! The counter runs from reset and never stops; compare channel 1 is free for the ARM (0 and 2
//! belong to the VideoCore). A compare value that has already passed matches only 71 minutes later,
//! and one that is a microsecond ahead may be missed too. So [`Alarm`] takes none that is nearer
//! than 20 us, and the caller looks at the clock again before it sleeps.
//!
//! Sources: BCM2835 ARM Peripherals, chapter 12; Linux bcm2835_timer.c keeps 15 us away.

use embedded_hal::delay::DelayNs;
use tock_registers::interfaces::{Readable, Writeable};
use tock_registers::registers::{ReadOnly, ReadWrite};
use tock_registers::{register_bitfields, register_structs};

use crate::mmio::{Mmio, ReadOnlyBlock};

register_bitfields! { u32,
    CS [ M1 OFFSET(1) NUMBITS(1) [] ]
}

register_structs! {
    /// The counter.
    pub Counter {
        (0x00 => _cs),
        (0x04 => CLO: ReadOnly<u32>),
        (0x08 => CHI: ReadOnly<u32>),
        (0x0c => @END),
    },
    /// The compare channel that is used.
    pub Compare {
        (0x00 => CS: ReadWrite<u32, CS::Register>),
        (0x04 => _counter_and_c0),
        (0x10 => C1: ReadWrite<u32>),
        (0x14 => @END),
    }
}

impl ReadOnlyBlock for Counter {}

/// A block has not done in time what it was to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timeout;

/// The running microsecond counter. Copies of it read the same counter.
#[derive(Clone, Copy)]
pub struct Clock {
    registers: Mmio<Counter>,
}

impl Clock {
    /// The counter of the system timer.
    #[must_use]
    pub const fn new(registers: Mmio<Counter>) -> Self {
        Self { registers }
    }

    /// Microseconds since reset.
    #[must_use]
    pub fn now_us(self) -> u64 {
        self.registers.visit(|timer| {
            let high = timer.CHI.get();
            let low = timer.CLO.get();
            // The low word may have wrapped between the two reads.
            let again = timer.CHI.get();
            let low = if again == high { low } else { timer.CLO.get() };
            (u64::from(again) << 32) | u64::from(low)
        })
    }

    /// Asks `done` until it says yes or `limit_us` microseconds are over; whether it said yes.
    pub fn wait_for(self, limit_us: u64, mut done: impl FnMut() -> bool) -> bool {
        let start = self.now_us();
        loop {
            if done() {
                return true;
            }
            if self.now_us() - start > limit_us {
                return done();
            }
        }
    }
}

impl DelayNs for Clock {
    fn delay_ns(&mut self, ns: u32) {
        // One more than asked: the first microsecond is already running.
        let us = u64::from(ns.div_ceil(1000)) + 1;
        let start = self.now_us();
        while self.now_us() - start < us {}
    }
}

/// The nearest compare value that is set, in microseconds ahead.
const NEAREST_US: u64 = 20;

/// Compare channel 1.
pub struct Alarm {
    registers: Mmio<Compare>,
}

impl Alarm {
    /// Takes the compare registers.
    #[must_use]
    pub const fn new(registers: Mmio<Compare>) -> Self {
        Self { registers }
    }

    /// Raises GPU interrupt 1 when the counter's low word reaches `at_us`'s. Returns false, and
    /// sets nothing, when that is nearer to `now_us` than 20 us or in the past.
    #[must_use]
    pub fn set(&mut self, now_us: u64, at_us: u64) -> bool {
        let far_enough = at_us >= now_us + NEAREST_US;
        if far_enough {
            self.registers.visit(|timer| {
                timer.CS.write(CS::M1::SET);
                timer.C1.set(at_us as u32);
            });
        }
        far_enough
    }

    /// Takes the interrupt back.
    pub fn clear(&mut self) {
        self.registers.visit(|timer| timer.CS.write(CS::M1::SET));
    }
}

#[cfg(test)]
pub(crate) mod fake {
    use super::Clock;

    /// A counter that runs by itself, for tests of waits.
    pub fn clock() -> Clock {
        running(500, || ())
    }

    /// A counter for tests of what happens in a wait: `look` is called before each of its steps.
    /// They are so short that each wait has several.
    pub fn watched(look: impl FnMut() + Send + 'static) -> Clock {
        running(5, look)
    }

    fn running(step_us: usize, mut look: impl FnMut() + Send + 'static) -> Clock {
        let (registers, words) = crate::mmio::fake::zeros();
        std::thread::spawn(move || {
            for now_us in (0..).step_by(step_us) {
                look();
                words.set(0x04, now_us);
                std::thread::sleep(std::time::Duration::from_micros(100));
            }
        });
        Clock::new(registers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mmio::fake;
    use core::mem::offset_of;

    #[test]
    fn registers_lie_where_the_manual_says() {
        assert_eq!(offset_of!(Counter, CLO), 0x04);
        assert_eq!(offset_of!(Compare, C1), 0x10);
    }

    #[test]
    fn the_counter_has_64_bits() {
        let (registers, words) = fake::zeros();
        words.set(0x04, 0xffff_fff0);
        words.set(0x08, 3);
        assert_eq!(Clock::new(registers).now_us(), 0x3_ffff_fff0);
    }

    #[test]
    fn the_alarm_is_cleared_by_writing_its_own_bit() {
        let (registers, words) = fake::zeros();
        let mut alarm = Alarm::new(registers);
        assert!(alarm.set(0, 0x1_0000_0007));
        assert_eq!((words.at(0x10), words.at(0x00)), (7, 0b10));
    }

    #[test]
    fn no_alarm_is_nearer_than_20_us() {
        let (registers, words) = fake::zeros();
        let mut alarm = Alarm::new(registers);
        for at_us in [0, 999, 1000, 1001, 1019] {
            assert!(!alarm.set(1000, at_us), "{at_us}");
        }
        assert_eq!(words.at(0x10), 0, "nothing is set");
        assert!(alarm.set(1000, 1020));
        assert_eq!(words.at(0x10), 1020);
    }
}

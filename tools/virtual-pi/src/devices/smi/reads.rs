//! The reads of a programmed transfer: their times, what they latch, and the FIFO behind them.
//!
//! A read takes setup, strobe and hold; reads of a transfer follow each other without a pause. The
//! pins are latched at the end of the strobe, with the rising edge of SOE. While the FIFO is full
//! no read begins, and no flag tells: the ADC gets no clock, and the samples of that time are
//! missing.
//!
//! Sources: Linux `bcm2835_smi.h` for the phases of a read; librerpi `docs/smi.txt`, experiments:
//! "sampled at the end of STROBE"; jbentham/rpi issue 20: when the FIFO is not emptied "the ADC
//! will skip samples".

use std::collections::VecDeque;

use crate::devices::NEVER;
use crate::devices::oscillation::Oscillation;
use crate::parts::parallel::{FIRST_PIN, ParallelAdc};
use crate::parts::signal::mixed;

/// Words of the FIFO, which nobody has published: the least power of two above the panic level of
/// 8 words that iosoft's programs set.
pub const DEPTH: usize = 16;
/// Data pins of a read, SD0 to SD15.
pub const DATA_PINS: u32 = 16;
/// GPIO of SD0.
const SD0: u32 = 8;

/// The pins as GPIO routes them, and the ADC on them.
#[derive(Default)]
pub struct Pins {
    /// The ADC.
    pub adc: ParallelAdc,
    /// A bit for each of SD0 to SD15 that its pin routes.
    pub routed: u32,
    /// SOE reaches the ADC.
    pub strobes: bool,
    /// Those of SD0 to SD15 that are pulled up.
    pub pulled_up: u32,
    /// Those without a pull.
    pub floating: u32,
}

impl Pins {
    /// True if the ADC drives a pin that SMI has as well.
    pub fn is_driven(&self) -> bool {
        self.routed >> (FIRST_PIN - SD0) & u32::from(self.adc.driven()) != 0
    }

    /// A read with the strobe's end at sample `index`: the levels of SD0 to SD15. What a pin does
    /// not route is not defined, and here anything.
    fn read(&mut self, index: u64, rate_hz: f64) -> u32 {
        let wires = |bits: u8| u32::from(bits) << (FIRST_PIN - SD0);
        let driven = wires(self.adc.driven());
        let noise = mixed(!index) as u32 & self.floating;
        let levels = wires(self.adc.levels()) & driven | (self.pulled_up | noise) & !driven;
        if self.strobes {
            self.adc.clock(index, rate_hz);
        }
        levels & self.routed | mixed(index) as u32 & !self.routed & 0xffff
    }
}

/// Settings of a transfer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// Cycles of the clock for a read.
    pub cycles: u64,
    /// Bits of a read: 8 or 16.
    pub bits: u32,
    /// Reads in a word of the FIFO.
    pub per_word: u64,
}

/// A transfer, and the FIFO.
#[derive(Default)]
pub struct Reads {
    /// The clock, while it runs.
    clock: Option<Oscillation>,
    setup: Setup,
    /// Cycles of the clock at which read `base` of the transfer begins or began.
    first: u64,
    base: u64,
    /// The next read, since START; those that did not take place are counted too.
    pub next: u64,
    /// Reads to go.
    pub left: u32,
    /// Reads of the word that is being filled, and its bits.
    begun: u64,
    word: u32,
    fifo: VecDeque<u32>,
    /// The most words that were in it since START.
    pub high: usize,
    /// Reads that did not take place in time, because the FIFO was full.
    pub missed: u64,
}

impl Reads {
    /// True while reads are to come.
    pub fn is_active(&self) -> bool {
        self.left != 0
    }

    /// Words in the FIFO.
    pub fn level(&self) -> usize {
        self.fifo.len()
    }

    /// The clock is another one from `now` on; `advance` has been called.
    pub fn set_clock(&mut self, clock: Option<Oscillation>, now: u64) {
        if clock != self.clock {
            self.clock = clock;
            self.align(now);
        }
    }

    /// The next read begins with the next cycle of the clock.
    fn align(&mut self, now: u64) {
        self.base = self.next;
        self.first = self.clock.map_or(0, |clock| clock.cycles_at(now) + 1);
    }

    /// Starts a transfer of `count` reads at `now`, the first with number `first`, or gives one
    /// that is under way a new count.
    pub fn start(&mut self, count: u32, setup: Setup, first: u64, now: u64) {
        if !self.is_active() {
            self.setup = setup;
            self.next = first;
            self.begun = 0;
            self.word = 0;
            self.high = self.fifo.len();
            self.align(now);
        }
        self.left = count;
    }

    /// Ends the transfer; what is in the FIFO stays there.
    pub fn stop(&mut self) {
        self.left = 0;
    }

    /// Empties the FIFO.
    pub fn clear(&mut self) {
        self.fifo.clear();
    }

    /// Takes the oldest word, if there is one; `advance` has been called.
    pub fn take(&mut self) -> Option<u32> {
        self.fifo.pop_front()
    }

    /// The time at which read `number` has ended.
    fn ends_at(&self, number: u64, clock: &Oscillation) -> u64 {
        let read = number.saturating_sub(self.base).saturating_add(1);
        clock.clock_after(
            self.first
                .saturating_add(read.saturating_mul(self.setup.cycles)),
        )
    }

    /// Reads up to `now`.
    pub fn advance(&mut self, now: u64, pins: &mut Pins) {
        let Some(clock) = self.clock else { return };
        let rate_hz = clock.hz() / self.setup.cycles.max(1) as f64;
        while self.left != 0 && self.ends_at(self.next, &clock) <= now {
            if self.fifo.len() == DEPTH {
                return self.skip(now, &clock);
            }
            let bits = pins.read(self.next, rate_hz);
            let mask = (1 << self.setup.bits) - 1;
            self.word |= (bits & mask) << (self.setup.bits as u64 * self.begun);
            self.begun += 1;
            self.next += 1;
            self.left -= 1;
            if self.begun == self.setup.per_word {
                self.fifo.push_back(std::mem::take(&mut self.word));
                self.begun = 0;
                self.high = self.high.max(self.fifo.len());
            }
        }
    }

    /// Reads that would have ended by `now` do not take place.
    fn skip(&mut self, now: u64, clock: &Oscillation) {
        let cycles = clock.cycles_at(now).saturating_sub(self.first);
        let next = self.base + cycles / self.setup.cycles.max(1);
        self.missed += next.saturating_sub(self.next);
        self.next = self.next.max(next);
    }

    /// The time at which `wanted` words are in the FIFO, or all that are to come.
    pub fn level_at(&self, wanted: usize) -> u64 {
        if self.fifo.len() >= wanted {
            return 0;
        }
        let Some(clock) = &self.clock else {
            return NEVER;
        };
        let words = (wanted - self.fifo.len()) as u64;
        let reads = (words * self.setup.per_word - self.begun).min(self.left.into());
        match reads {
            0 => NEVER,
            reads => self.ends_at(self.next + reads - 1, clock),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ARM_HZ;
    use crate::parts::{ParallelPart, Signal};

    /// 16 bits, packed, at 20 MS/s: 35 ARM clocks a read.
    const SETUP: Setup = Setup {
        cycles: 5,
        bits: 16,
        per_word: 2,
    };
    const READ: u64 = ARM_HZ / 20_000_000;

    fn pins() -> Pins {
        Pins {
            adc: ParallelAdc::new(Some(ParallelPart::new(Signal::Count))),
            routed: 0xff00,
            strobes: true,
            ..Pins::default()
        }
    }

    fn started(count: u32) -> Reads {
        let mut reads = Reads::default();
        reads.set_clock(Some(Oscillation::new(0, 100_000_000, 1)), 0);
        reads.start(count, SETUP, 0, 0);
        reads
    }

    /// Counts in the upper bytes of a word, the first read's first.
    fn counts(word: u32) -> [u8; 2] {
        [(word >> 8) as u8, (word >> 24) as u8]
    }

    #[test]
    fn reads_come_at_their_rate_two_in_a_word() {
        let (mut reads, mut pins) = (started(1000), pins());
        let begins = ARM_HZ / 100_000_000;
        for word in 0..500_u64 {
            let at = reads.level_at(1);
            assert_eq!(at, begins + READ * 2 * (word + 1));
            reads.advance(at - 1, &mut pins);
            assert_eq!(reads.take(), None);
            reads.advance(at, &mut pins);
            let counts = counts(reads.take().unwrap());
            if word >= 4 {
                let first = (2 * word - 8) as u8;
                assert_eq!(counts, [first, first + 1]);
            }
        }
        assert!(!reads.is_active());
        assert_eq!(reads.level_at(1), NEVER);
    }

    #[test]
    fn while_the_fifo_is_full_time_passes_without_reads() {
        let (mut reads, mut pins) = (started(1000), pins());
        reads.advance(1_000 * READ, &mut pins);
        assert_eq!((reads.level(), reads.left), (DEPTH, 1000 - 32));
        assert_eq!(reads.missed, 999 - 32);
        while reads.take().is_some() {}
        reads.advance(1_200 * READ, &mut pins);
        let words: Vec<u32> = std::iter::from_fn(|| reads.take()).collect();
        // The ADC stood still: the samples on their way through it are old ones.
        assert_eq!(counts(words[0]), [24, 25]);
        assert_eq!(counts(words[4])[0], 999_u32 as u8);
    }

    #[test]
    fn a_new_count_goes_on_without_a_gap() {
        let (mut reads, mut pins) = (started(20), pins());
        let mut last = None;
        for step in 1..400 {
            reads.advance(step * READ, &mut pins);
            if step % 10 == 5 {
                reads.start(20, SETUP, 0, step * READ);
            }
            while let Some(word) = reads.take() {
                let [first, second] = counts(word);
                if step > 12 {
                    assert_eq!(last, Some(first.wrapping_sub(1)), "{step}");
                }
                last = Some(second);
            }
        }
    }

    #[test]
    fn a_clock_that_stands_stops_the_reads() {
        let (mut reads, mut pins) = (started(1000), pins());
        reads.advance(100, &mut pins);
        reads.set_clock(None, 100);
        reads.advance(100_000, &mut pins);
        assert_eq!((reads.level(), reads.missed), (1, 0));
        assert_eq!(reads.level_at(2), NEVER);
    }
}

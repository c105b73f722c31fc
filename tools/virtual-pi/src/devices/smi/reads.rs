//! The reads of a programmed transfer: their times, what they latch, and the FIFO behind them.
//!
//! A read takes setup, strobe and hold; reads of a transfer follow each other without a pause. The
//! pins are latched at the end of the strobe, with the rising edge of SOE. While the FIFO is full
//! no read begins, and no flag tells: the ADC gets no clock, and the samples of that time are
//! missing. The next read begins with the first cycle of SMI's clock after a word has left, so the
//! reads behind a wait have another phase than those before it.
//!
//! Sources: Linux `bcm2835_smi.h` for the phases of a read; librerpi, smi.txt, experiments:
//! "sampled at the end of STROBE"; jbentham/rpi issue 20: when the FIFO is not emptied "the ADC
//! will skip samples".

use super::fifo::Fifo;
use crate::config::SmiLevels;
use crate::devices::NEVER;
use crate::devices::oscillation::Oscillation;
use crate::parts::parallel::{FIRST_PIN, ParallelAdc};
use crate::parts::signal::mixed;

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

/// Reads of SMI for its FIFO since power-on, resets of the board included. They tell what a program
/// should have got, and what it did get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SmiReads {
    /// Reads that would have ended by now, had none waited for room in the FIFO: what the converter
    /// delivers at the rate of the transfers. It counts while a transfer is under way (ACTIVE);
    /// between two of them the converter gets no clock, and no read is due.
    pub due: u64,
    /// Reads that took place.
    pub done: u64,
    /// Reads of the words that DMA or the ARM has taken from the FIFO.
    pub taken: u64,
}

impl SmiReads {
    /// Samples that are missing: reads that were due and did not take place. A wait of less than a
    /// read adds up with the others of its transfer.
    pub fn missed(&self) -> u64 {
        self.due - self.done
    }
}

/// A transfer, and the FIFO.
pub struct Reads {
    /// The clock, while it runs.
    clock: Option<Oscillation>,
    setup: Setup,
    /// Cycles of the clock at which read `base` of the transfer begins or began.
    first: u64,
    base: u64,
    /// The next read, since START.
    pub next: u64,
    /// Reads to go.
    pub left: u32,
    /// Reads of the word that is being filled, and its bits.
    begun: u64,
    word: u32,
    /// The FIFO.
    pub fifo: Fifo,
    /// The clock up to which time has passed.
    now: u64,
    /// The next read waits for a word to be taken.
    waits: bool,
    /// Cycles for which reads of this transfer have waited.
    late: u64,
    /// The counts, but for the reads that this transfer has missed.
    counts: SmiReads,
}

impl Reads {
    /// No transfer, and an empty FIFO of `depth` words.
    pub fn new(depth: usize, levels: SmiLevels) -> Self {
        Self {
            clock: None,
            setup: Setup::default(),
            first: 0,
            base: 0,
            next: 0,
            left: 0,
            begun: 0,
            word: 0,
            fifo: Fifo::new(depth, levels),
            now: 0,
            waits: false,
            late: 0,
            counts: SmiReads::default(),
        }
    }

    /// True while reads are to come.
    pub fn is_active(&self) -> bool {
        self.left != 0
    }

    /// The clock up to which time has passed.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// The counts up to now.
    pub fn counts(&self) -> SmiReads {
        let missed = self.late_by(self.now) / self.setup.cycles.max(1);
        SmiReads {
            due: self.counts.due + missed,
            ..self.counts
        }
    }

    /// Goes on to count from there.
    pub fn count_from(&mut self, counts: SmiReads) {
        self.counts = counts;
    }

    /// The clock is another one from `now` on; `advance` has been called.
    pub fn set_clock(&mut self, clock: Option<Oscillation>, now: u64) {
        if clock != self.clock {
            self.late = self.late_by(now);
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
            self.end(now);
            self.setup = setup;
            self.next = first;
            self.begun = 0;
            self.word = 0;
            self.fifo.begin(now);
            self.align(now);
            self.left = count;
            self.look_for_room(now);
        }
        self.left = count;
    }

    /// Ends the transfer; what is in the FIFO stays there.
    pub fn stop(&mut self) {
        self.end(self.now);
        self.left = 0;
    }

    /// A transfer has ended: what it missed is known.
    fn end(&mut self, now: u64) {
        self.counts.due += self.late_by(now) / self.setup.cycles.max(1);
        self.late = 0;
        self.waits = false;
    }

    /// Empties the FIFO.
    pub fn clear(&mut self) {
        self.fifo.clear();
    }

    /// Takes the oldest word, if there is one, whose place is free from `leaves` on; `advance` has
    /// been called.
    pub fn take(&mut self, leaves: u64) -> Option<u32> {
        let word = self.fifo.take(leaves)?;
        self.counts.taken += self.setup.per_word;
        if self.waits {
            self.look_for_room(self.now);
        }
        Some(word)
    }

    /// The cycle with which the next read begins, or should have begun.
    fn begins(&self) -> u64 {
        self.first + (self.next - self.base) * self.setup.cycles
    }

    /// Cycles for which reads of this transfer have waited by `now`.
    fn late_by(&self, now: u64) -> u64 {
        match self.clock {
            Some(clock) if self.waits => {
                self.late + clock.cycles_at(now).saturating_sub(self.begins())
            }
            _ => self.late,
        }
    }

    /// The next read begins when there is room in the FIFO, which is looked at from a clock on.
    fn look_for_room(&mut self, from: u64) {
        let room = self.fifo.room_from(from);
        self.waits = room.is_none();
        let (Some(room), Some(clock)) = (room, self.clock) else {
            return;
        };
        let (should, may) = (self.begins(), clock.cycles_at(room) + 1);
        // The end of a read and the start of the next are the same cycle.
        if room > clock.clock_after(should) {
            self.late += may - should;
            self.base = self.next;
            self.first = may;
        }
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
        self.now = now;
        let Some(clock) = self.clock else { return };
        let cycles = self.setup.cycles.max(1);
        let rate_hz = clock.hz() / cycles as f64;
        while self.left != 0 && !self.waits {
            let ends = self.ends_at(self.next, &clock);
            if ends > now {
                return;
            }
            // Behind a wait the converter is where it is to the sample, not to a part of one.
            let bits = pins.read(self.next + self.late / cycles, rate_hz);
            let mask = (1 << self.setup.bits) - 1;
            self.word |= (bits & mask) << (self.setup.bits as u64 * self.begun);
            self.begun += 1;
            self.next += 1;
            self.left -= 1;
            self.counts.due += 1;
            self.counts.done += 1;
            if self.begun == self.setup.per_word {
                let word = std::mem::take(&mut self.word);
                self.fifo.put(word, ends);
                self.begun = 0;
                if self.left != 0 {
                    self.look_for_room(ends);
                }
            }
            if self.left == 0 {
                self.end(ends);
            }
        }
    }

    /// The time at which `wanted` words are in the FIFO, or all that are to come.
    pub fn level_at(&self, wanted: usize) -> u64 {
        let level = self.fifo.level();
        if level >= wanted {
            return 0;
        }
        let Some(clock) = &self.clock else {
            return NEVER;
        };
        let reads_of = |words: usize| words as u64 * self.setup.per_word - self.begun;
        let reads = reads_of(wanted - level).min(self.left.into());
        let room = self.fifo.depth().saturating_sub(level);
        if reads == 0 || self.waits || room == 0 || reads > reads_of(room) {
            return NEVER;
        }
        self.ends_at(self.next + reads - 1, clock)
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
    const DEPTH: usize = 16;

    fn pins() -> Pins {
        Pins {
            adc: ParallelAdc::new(Some(ParallelPart::new(Signal::Count))),
            routed: 0xff00,
            strobes: true,
            ..Pins::default()
        }
    }

    fn started(count: u32) -> Reads {
        let mut reads = Reads::new(DEPTH, SmiLevels::SinceStart);
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
            assert_eq!(reads.take(at - 1), None);
            reads.advance(at, &mut pins);
            let counts = counts(reads.take(at).unwrap());
            if word >= 4 {
                let first = (2 * word - 8) as u8;
                assert_eq!(counts, [first, first + 1]);
            }
        }
        assert!(!reads.is_active());
        assert_eq!(reads.level_at(1), NEVER);
    }

    /// A cycle of the clock of 100 MHz.
    const CYCLE: u64 = ARM_HZ / 100_000_000;

    #[test]
    fn while_the_fifo_is_full_no_read_begins() {
        let (mut reads, mut pins) = (started(1000), pins());
        // The first read begins with the first cycle.
        let end = CYCLE + 1_000 * READ;
        reads.advance(end, &mut pins);
        assert_eq!((reads.fifo.level(), reads.left), (DEPTH, 1000 - 32));
        let [due, done, taken] = [1000, 32, 0];
        assert_eq!(reads.counts(), SmiReads { due, done, taken });
        assert_eq!(reads.level_at(DEPTH + 1), NEVER);
        while reads.take(end).is_some() {}
        reads.advance(end + 200 * READ, &mut pins);
        let words: Vec<u32> = std::iter::from_fn(|| reads.take(end + 200 * READ)).collect();
        // The ADC stood still: the samples on their way through it are old ones.
        assert_eq!(counts(words[0]), [24, 25]);
        assert_eq!(counts(words[4])[0], 1000_u32 as u8);
        let counts = reads.counts();
        assert_eq!((counts.done, counts.taken), (64, 64));
        assert_eq!(counts.missed(), 1200 - 64);
    }

    #[test]
    fn reads_go_on_with_the_next_cycle_after_a_word_has_left() {
        let (mut reads, mut pins) = (started(1000), pins());
        let full = CYCLE + 32 * READ;
        reads.advance(full + 3 * CYCLE, &mut pins);
        assert_eq!(reads.counts().missed(), 0, "less than a read");
        reads.take(full + 4 * CYCLE - 1);
        assert_eq!(reads.level_at(DEPTH), full + 4 * CYCLE + 2 * READ);
        // Waits of less than a read add up.
        for _ in 0..5 {
            let at = reads.level_at(DEPTH) + 4 * CYCLE - 1;
            reads.advance(at, &mut pins);
            reads.take(at);
        }
        assert_eq!(reads.counts().missed(), 6 * 4 / 5);
    }

    #[test]
    fn what_a_transfer_has_missed_stays_counted() {
        let (mut reads, mut pins) = (started(1000), pins());
        reads.advance(CYCLE + 100 * READ, &mut pins);
        reads.stop();
        reads.clear();
        reads.advance(CYCLE + 200 * READ, &mut pins);
        assert_eq!(reads.counts().missed(), 68);
        reads.start(10, SETUP, 0, CYCLE + 200 * READ);
        reads.advance(CYCLE + 300 * READ, &mut pins);
        let counts = reads.counts();
        assert_eq!((counts.due, counts.done, counts.missed()), (110, 42, 68));
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
            while let Some(word) = reads.take(step * READ) {
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
        assert_eq!((reads.fifo.level(), reads.counts().missed()), (1, 0));
        assert_eq!(reads.level_at(2), NEVER);
    }
}

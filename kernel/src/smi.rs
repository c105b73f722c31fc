//! SMI: the reading half of the Secondary Memory Interface, as the clock and the bus of an ADC.
//!
//! SMI reads a memory that is not there. SOE, the read strobe, is the clock of the ADC, and each
//! read takes what the ADC has on the data pins at the end of the strobe. Reads of 16 bits are
//! packed two to a word, the first one in the lower half.
//!
//! A transfer has a length, and reads end with it. The register of the length may be written again
//! while the transfer runs; the block takes the new length with the start bit. When the FIFO is
//! full, reads stop until there is room: samples are late then, and no register counts them.
//! (Linux' header has a high-water mark, and nobody says when it is reset.) So time tells
//! (`instrument::capture`). How many words the FIFO has is not documented either: they are counted
//! before reads begin.
//!
//! Sources: Linux bcm2835_smi.h (registers, fields, order of a start in bcm2835_smi.c); iosoft's
//! rpi_smi_defs.h and rpi_smi_adc_test.c (timings of an AD9226, thresholds); grishka/miscellaneous
//! AVDecoder/rpi/adc_stream.c (a transfer without end, on real Zeros at 20 MS/s).

use tock_registers::fields::FieldValue;
use tock_registers::interfaces::{Readable, Writeable};
use tock_registers::registers::{ReadOnly, ReadWrite};
use tock_registers::{register_bitfields, register_structs};

use qpu::job::BusAddr;

use crate::mmio::Mmio;
use crate::timer::{Clock, Timeout};

register_bitfields! { u32,
    CS [
        RXF OFFSET(31) NUMBITS(1) [],
        AFERR OFFSET(25) NUMBITS(1) [],
        PXLDAT OFFSET(14) NUMBITS(1) [],
        SETERR OFFSET(13) NUMBITS(1) [],
        WRITE OFFSET(5) NUMBITS(1) [],
        CLEAR OFFSET(4) NUMBITS(1) [],
        START OFFSET(3) NUMBITS(1) [],
        ACTIVE OFFSET(2) NUMBITS(1) [],
        DONE OFFSET(1) NUMBITS(1) [],
        ENABLE OFFSET(0) NUMBITS(1) []
    ],
    DSR [
        RWIDTH OFFSET(30) NUMBITS(2) [ Bits16 = 1 ],
        RSETUP OFFSET(24) NUMBITS(6) [],
        RHOLD OFFSET(16) NUMBITS(6) [],
        RPACE OFFSET(8) NUMBITS(7) [],
        RSTROBE OFFSET(0) NUMBITS(7) []
    ],
    DMC [
        DMAEN OFFSET(28) NUMBITS(1) [],
        PANICR OFFSET(18) NUMBITS(6) [],
        PANICW OFFSET(12) NUMBITS(6) [],
        REQR OFFSET(6) NUMBITS(6) [],
        REQW OFFSET(0) NUMBITS(6) []
    ],
    FD [
        FLVL OFFSET(8) NUMBITS(6) [],
        FCNT OFFSET(0) NUMBITS(6) []
    ]
}

register_structs! {
    /// The registers of SMI, as far as they are used.
    pub Registers {
        (0x00 => CS: ReadWrite<u32, CS::Register>),
        (0x04 => L: ReadWrite<u32>),
        (0x08 => A: ReadWrite<u32>),
        (0x0c => D: ReadWrite<u32>),
        (0x10 => DSR0: ReadWrite<u32, DSR::Register>),
        (0x14 => DSW0: ReadWrite<u32>),
        (0x18 => _reserved0),
        (0x30 => DMC: ReadWrite<u32, DMC::Register>),
        (0x34 => DCS: ReadWrite<u32>),
        (0x38 => _reserved1),
        (0x40 => FD: ReadOnly<u32, FD::Register>),
        (0x44 => @END),
    }
}

/// The FIFO as DMA sees it.
pub const FIFO: BusAddr = BusAddr(0x7e60_000c);

/// The clock of the block: 500 MHz of PLLD divided by 5, so a cycle has 10 ns.
pub const CLOCK_HZ: u64 = 100_000_000;

/// Cycles of the shortest read.
pub const LEAST_CYCLES: u32 = 5;
/// Cycles of the longest read that is used. Setup and hold have six bits each, the strobe seven.
pub const MOST_CYCLES: u32 = 100;

/// Words in the FIFO at which DMA is asked for, and at which it is to hurry (iosoft), where it has
/// four and two times as many.
const REQUEST_WORDS: u32 = 4;
const PANIC_WORDS: u32 = 8;
/// The most words that the FIFO may have: the register of its level has six bits.
pub const MOST_WORDS: u32 = 64;
/// The words of a FIFO that does not show them: so few that DMA takes each word.
const FEWEST_WORDS: u32 = 4;

/// The time that the block may take to end a read, or to show that it is there.
const READY_US: u64 = 1000;
/// The time in which a FIFO that has room gets a word: two of the longest reads, and more.
const WORD_US: u64 = 10;

/// Why reads are not what they should be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Defect {
    /// DMA has read a word that was not there (AFERR), or a timing was changed in the middle of a
    /// read (SETERR).
    Disturbed,
    /// The transfer has ended.
    Ended,
}

/// The SMI block.
pub struct Smi {
    registers: Mmio<Registers>,
    clock: Clock,
    fifo_words: Option<u32>,
}

impl Smi {
    /// Takes the block.
    #[must_use]
    pub const fn new(registers: Mmio<Registers>, clock: Clock) -> Self {
        Self {
            registers,
            clock,
            fifo_words: None,
        }
    }

    /// The words of the FIFO, as they were counted when reads were set up; `None` before, and where
    /// the level does not show.
    #[must_use]
    pub const fn fifo_words(&self) -> Option<u32> {
        self.fifo_words
    }

    /// Sets up reads of `cycles` cycles each, [`LEAST_CYCLES`] to [`MOST_CYCLES`]. The block's
    /// clock runs. When this returns it does not read yet. Meanwhile it does, to count the words of
    /// its FIFO, so its pins must not be routed.
    ///
    /// # Errors
    /// When the block does not answer: its registers do not keep what is written.
    pub fn set_up(&mut self, cycles: u32) -> Result<(), Timeout> {
        self.registers.visit(|smi| smi.DCS.set(0));
        self.rest()?;
        self.registers.visit(|smi| {
            smi.L.set(0);
            smi.A.set(0);
            smi.DSR0.write(timing(cycles));
            smi.DMC.set(0);
        });
        self.clear();
        let is_on = || self.registers.visit(|smi| smi.CS.is_set(CS::ENABLE));
        if !self.clock.wait_for(READY_US, is_on) {
            return Err(Timeout);
        }
        self.read_on();
        self.fifo_words = self.count_words();
        // Nobody says if a transfer that waits for room ends at once. It has no pins.
        let _ = self.rest();
        let requests = requests(self.fifo_words.unwrap_or(FEWEST_WORDS));
        self.registers.visit(|smi| smi.DMC.write(requests));
        self.clear();
        Ok(())
    }

    /// Ends reads, and waits for the end of the one under way: timings may not change before.
    fn rest(&self) -> Result<(), Timeout> {
        self.registers.visit(|smi| smi.CS.set(0));
        let reads = || self.registers.visit(|smi| smi.CS.is_set(CS::ACTIVE));
        let rests = self.clock.wait_for(READY_US, || !reads());
        rests.then_some(()).ok_or(Timeout)
    }

    /// Switches the block on, with an empty FIFO and without the errors of the last user, which are
    /// cleared by writing ones.
    fn clear(&self) {
        self.registers.visit(|smi| {
            smi.CS.write(enabled());
            smi.CS
                .write(enabled() + CS::CLEAR::SET + CS::SETERR::SET + CS::AFERR::SET);
        });
    }

    /// Waits until the FIFO is full, because nobody reads it; returns the words in it.
    fn count_words(&self) -> Option<u32> {
        let level = || self.registers.visit(|smi| smi.FD.read(FD::FCNT));
        let mut words = level();
        let grows = |words: &mut u32| {
            let before = *words;
            let grew = self.clock.wait_for(WORD_US, || level() != before);
            *words = level();
            grew
        };
        self.clock.wait_for(READY_US, || !grows(&mut words));
        let is_full = self.registers.visit(|smi| smi.CS.is_set(CS::RXF));
        // A level of 64 does not fit in six bits. One that stands still for another reason is none.
        let full = if words == 0 { MOST_WORDS } else { words };
        is_full.then_some(full)
    }

    /// Begins to read, or goes on for the greatest length there is from now on: 214 s at 20 MS/s.
    pub fn read_on(&mut self) {
        self.registers.visit(|smi| {
            smi.L.set(u32::MAX);
            smi.CS.write(enabled() + CS::START::SET);
        });
    }

    /// Reports what has gone wrong since the start.
    ///
    /// # Errors
    /// When something has.
    pub fn check(&self) -> Result<(), Defect> {
        self.registers.visit(|smi| {
            let status = smi.CS.extract();
            if status.is_set(CS::AFERR) || status.is_set(CS::SETERR) {
                Err(Defect::Disturbed)
            } else if !status.is_set(CS::ACTIVE) {
                Err(Defect::Ended)
            } else {
                Ok(())
            }
        })
    }

    /// Stops; SOE carries no clock any more.
    pub fn stop(&mut self) {
        self.registers.visit(|smi| smi.CS.set(0));
    }
}

/// Requests of DMA, and when it is to hurry, for a FIFO of so many words.
fn requests(fifo_words: u32) -> FieldValue<u32, DMC::Register> {
    let request = (fifo_words / 4).clamp(1, REQUEST_WORDS);
    let panic = (fifo_words / 2).clamp(1, PANIC_WORDS);
    DMC::DMAEN::SET
        + DMC::PANICR.val(panic)
        + DMC::PANICW.val(panic)
        + DMC::REQR.val(request)
        + DMC::REQW.val(request)
}

/// The block on, for reads that are packed into words.
fn enabled() -> FieldValue<u32, CS::Register> {
    CS::ENABLE::SET + CS::PXLDAT::SET
}

/// The timing of a read. SOE is low for about half of it. Without a pace between reads, as in all
/// timings that iosoft and AVDecoder ran: a pace of 1 may count or not.
fn timing(cycles: u32) -> FieldValue<u32, DSR::Register> {
    let cycles = cycles.clamp(LEAST_CYCLES, MOST_CYCLES);
    let strobe = cycles / 2;
    let setup = (cycles - strobe) / 2;
    let hold = cycles - strobe - setup;
    DSR::RWIDTH::Bits16
        + DSR::RSETUP.val(setup)
        + DSR::RSTROBE.val(strobe)
        + DSR::RHOLD.val(hold)
        + DSR::RPACE.val(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mmio::fake;
    use crate::timer::fake::{clock as fake_clock, watched};
    use core::mem::offset_of;

    #[test]
    fn registers_lie_where_linux_says() {
        assert_eq!(offset_of!(Registers, DSR0), 0x10);
        assert_eq!(offset_of!(Registers, DMC), 0x30);
        assert_eq!(offset_of!(Registers, FD), 0x40);
    }

    #[test]
    fn a_read_takes_the_cycles_that_are_asked_for() {
        for cycles in LEAST_CYCLES..=MOST_CYCLES {
            let word = timing(cycles).value;
            let parts = [word >> 24 & 0x3f, word >> 16 & 0x3f, word & 0x7f];
            assert_eq!(parts.iter().sum::<u32>(), cycles, "{parts:?}");
            assert!(parts.iter().all(|part| *part > 0), "{cycles}: {parts:?}");
            assert_eq!(word >> 8 & 0x7f, 0, "pace");
            assert_eq!(word >> 30, 1, "16 bits");
        }
        assert_eq!(timing(5).value, 1 << 30 | 1 << 24 | 2 << 16 | 2);
    }

    #[test]
    fn it_is_set_up_before_it_reads_and_each_defect_is_reported() {
        // ENABLE reads back what was written into this memory, as on a block that answers.
        let enabled = 1 << 14 | 1;
        for (level, depth, wanted) in [
            (16, Some(16), 8 << 18 | 8 << 12 | 4 << 6 | 4),
            (8, Some(8), 4 << 18 | 4 << 12 | 2 << 6 | 2),
            (63, Some(63), 8 << 18 | 8 << 12 | 4 << 6 | 4),
            // A level that does not fit.
            (0, Some(64), 8 << 18 | 8 << 12 | 4 << 6 | 4),
            // Not known: DMA takes each word.
            (3, None, 2 << 18 | 2 << 12 | 1 << 6 | 1),
            (0, None, 2 << 18 | 2 << 12 | 1 << 6 | 1),
        ] {
            let (registers, words) = fake::zeros();
            words.set(0x40, level);
            // The block sets RXF when reads have filled its FIFO.
            let full = words;
            let clock = watched(move || {
                if depth.is_some() && full.at(0x00) & 1 << 3 != 0 {
                    full.set(0x00, full.at(0x00) | 1 << 31);
                }
            });
            let mut smi = Smi::new(registers, clock);
            assert_eq!(smi.set_up(10), Ok(()));
            assert_eq!(smi.fifo_words(), depth);
            assert_eq!(words.at(0x00), enabled | 1 << 25 | 1 << 13 | 1 << 4);
            assert_eq!(words.at(0x30), 1 << 28 | wanted, "{level}");
        }
        let (registers, words) = fake::zeros();
        let mut smi = Smi::new(registers, fake_clock());
        smi.read_on();
        assert_eq!(
            (words.at(0x04), words.at(0x00)),
            (u32::MAX, enabled | 1 << 3)
        );
        for (status, level, found) in [
            (1 << 2, 12 << 8, Ok(())),
            (0, 0, Err(Defect::Ended)),
            // A full FIFO says nothing of what was lost, nor does the mark of the highest level.
            (1 << 2 | 1 << 31, 0, Ok(())),
            (1 << 2, 63 << 8, Ok(())),
            (1 << 2 | 1 << 25, 0, Err(Defect::Disturbed)),
            (1 << 2 | 1 << 13, 0, Err(Defect::Disturbed)),
        ] {
            words.set(0x00, status);
            words.set(0x40, level);
            assert_eq!(smi.check(), found);
        }
        smi.stop();
        assert_eq!(words.at(0x00), 0);
    }
}

//! SMI: the reading half of the Secondary Memory Interface, as the clock and the bus of an ADC.
//!
//! SMI reads a memory that is not there. SOE, the read strobe, is the clock of the ADC, and each
//! read takes what the ADC has on the data pins at the end of the strobe. Reads of 16 bits are
//! packed two to a word, the first one in the lower half.
//!
//! A transfer has a length, and reads end with it. The register of the length may be written again
//! while the transfer runs; the block takes the new length with the start bit. When the FIFO is
//! full, reads stop until there is room: samples are late then, and nothing counts them. The FIFO's
//! high-water mark says if that may have been.
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

/// Words in the FIFO at which DMA is asked for, and at which it is to hurry (iosoft).
const REQUEST_WORDS: u32 = 4;
const PANIC_WORDS: u32 = 8;
/// A high-water mark that may be that of a full FIFO: the highest that the register can say. How
/// many words the FIFO has is not documented.
const FULL_WORDS: u32 = 0x3f;

/// The time that the block may take to end a read, or to show that it is there.
const READY_US: u64 = 1000;

/// Why reads are not what they should be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Defect {
    /// The FIFO was full, so reads may have waited.
    Overrun,
    /// The transfer has ended.
    Ended,
}

/// The SMI block.
pub struct Smi {
    registers: Mmio<Registers>,
    clock: Clock,
}

impl Smi {
    /// Takes the block.
    #[must_use]
    pub const fn new(registers: Mmio<Registers>, clock: Clock) -> Self {
        Self { registers, clock }
    }

    /// Sets up reads of `cycles` cycles each, [`LEAST_CYCLES`] to [`MOST_CYCLES`]. The block's
    /// clock runs, and it does not read yet.
    ///
    /// # Errors
    /// When the block does not answer: its registers do not keep what is written.
    pub fn set_up(&mut self, cycles: u32) -> Result<(), Timeout> {
        self.registers.visit(|smi| {
            smi.CS.set(0);
            smi.DCS.set(0);
        });
        // Timings may not change while a read is under way.
        let reads = || self.registers.visit(|smi| smi.CS.is_set(CS::ACTIVE));
        if !self.clock.wait_for(READY_US, || !reads()) {
            return Err(Timeout);
        }
        self.registers.visit(|smi| {
            smi.L.set(0);
            smi.A.set(0);
            smi.DSR0.write(timing(cycles));
            smi.DMC.write(
                DMC::DMAEN::SET
                    + DMC::PANICR.val(PANIC_WORDS)
                    + DMC::PANICW.val(PANIC_WORDS)
                    + DMC::REQR.val(REQUEST_WORDS)
                    + DMC::REQW.val(REQUEST_WORDS),
            );
            smi.CS.write(enabled());
            // The errors of the last user are cleared by writing ones.
            smi.CS
                .write(enabled() + CS::CLEAR::SET + CS::SETERR::SET + CS::AFERR::SET);
        });
        let is_on = || self.registers.visit(|smi| smi.CS.is_set(CS::ENABLE));
        let answers = self.clock.wait_for(READY_US, is_on);
        answers.then_some(()).ok_or(Timeout)
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
            let is_full = status.is_set(CS::RXF) || smi.FD.read(FD::FLVL) >= FULL_WORDS;
            // AFERR: DMA has read a word that was not there.
            if is_full || status.is_set(CS::AFERR) {
                Err(Defect::Overrun)
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
    use crate::timer::fake::clock as fake_clock;
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
        let (registers, words) = fake::zeros();
        let mut smi = Smi::new(registers, fake_clock());
        assert_eq!(smi.set_up(10), Ok(()));
        let enabled = 1 << 14 | 1;
        assert_eq!(words.at(0x00), enabled | 1 << 25 | 1 << 13 | 1 << 4);
        assert_eq!(words.at(0x30), 1 << 28 | 8 << 18 | 8 << 12 | 4 << 6 | 4);
        smi.read_on();
        assert_eq!(
            (words.at(0x04), words.at(0x00)),
            (u32::MAX, enabled | 1 << 3)
        );
        for (status, level, found) in [
            (1 << 2, 12 << 8, Ok(())),
            (0, 0, Err(Defect::Ended)),
            (1 << 2 | 1 << 31, 0, Err(Defect::Overrun)),
            (1 << 2 | 1 << 25, 0, Err(Defect::Overrun)),
            (1 << 2, 63 << 8, Err(Defect::Overrun)),
        ] {
            words.set(0x00, status);
            words.set(0x40, level);
            assert_eq!(smi.check(), found);
        }
        smi.stop();
        assert_eq!(words.at(0x00), 0);
    }
}

//! PM: the watchdog, resets, and why the last one happened.
//!
//! The watchdog counts 16 us ticks in 20 bits, so it must be fed at least every 16 s. PM_RSTS says
//! what kind of reset it was, but it is cleared when it is read, and the boot firmware has read it:
//! its value then comes from the mailbox. The reason behind the reset is a note in memory that
//! outlives it ([`crate::arch`]'s `keep`), with a checksum, because nobody promises that SDRAM
//! survives. The spare bits of PM_RSTS are left alone: the boot ROM reads a partition number from
//! them.
//!
//! [`Grafx`] is one register of the same block with another owner: power and reset of V3D. Its
//! power is the firmware's to switch; from here only the reset line is moved.
//!
//! Sources: Linux drivers/watchdog/bcm2835_wdt.c and include/linux/mfd/bcm2835-pm.h;
//! bcm2835-power.c for PM_GRAFX; bit names of PM_RSTS as in Broadcom's headers (HADPOR 12,
//! HADWRF/WRQ/WRH 5, 4, 6); who clears it: raspberrypi/linux 932.

use core::fmt::{self, Display, Write};
use core::sync::atomic::Ordering::Relaxed;

use embedded_hal::delay::DelayNs;
use tock_registers::interfaces::{ReadWriteable, Readable, Writeable};
use tock_registers::registers::ReadWrite;
use tock_registers::{LocalRegisterCopy, register_bitfields, register_structs};
use wire::ResetCause;

use crate::arch::cpu::{self, KEEP_WORDS};
use crate::mmio::Mmio;
use crate::timer::Clock;

register_bitfields! { u32,
    RSTC [
        PASSWORD OFFSET(24) NUMBITS(8) [ Key = 0x5a ],
        WRCFG OFFSET(4) NUMBITS(2) [ Off = 0, FullReset = 2 ]
    ],
    RSTS [
        HADPOR OFFSET(12) NUMBITS(1) [],
        HADWRH OFFSET(6) NUMBITS(1) [],
        HADWRF OFFSET(5) NUMBITS(1) [],
        HADWRQ OFFSET(4) NUMBITS(1) []
    ],
    WDOG [
        PASSWORD OFFSET(24) NUMBITS(8) [ Key = 0x5a ],
        TIME OFFSET(0) NUMBITS(20) []
    ],
    GRAFX [
        PASSWORD OFFSET(24) NUMBITS(8) [ Key = 0x5a ],
        V3DRSTN OFFSET(6) NUMBITS(1) [],
        ISFUNC OFFSET(5) NUMBITS(1) [],
        MRDONE OFFSET(4) NUMBITS(1) [],
        ISPOW OFFSET(2) NUMBITS(1) [],
        POWOK OFFSET(1) NUMBITS(1) [],
        POWUP OFFSET(0) NUMBITS(1) []
    ]
}

register_structs! {
    /// The PM registers, as far as they are used.
    pub Registers {
        (0x00 => _reserved),
        (0x1c => RSTC: ReadWrite<u32, RSTC::Register>),
        (0x20 => RSTS: ReadWrite<u32, RSTS::Register>),
        (0x24 => WDOG: ReadWrite<u32, WDOG::Register>),
        (0x28 => @END),
    },
    /// PM_GRAFX, at offset 0x10c of the block.
    pub GrafxRegisters {
        (0x00 => GRAFX: ReadWrite<u32, GRAFX::Register>),
        (0x04 => @END),
    }
}

const TICK_US: u32 = 16;
const MAX_TICKS: u32 = (1 << 20) - 1;

fn ticks(us: u32) -> u32 {
    us.div_ceil(TICK_US).clamp(1, MAX_TICKS)
}

/// The power management block.
pub struct Pm {
    registers: Mmio<Registers>,
}

impl Pm {
    /// Takes the block.
    #[must_use]
    pub const fn new(registers: Mmio<Registers>) -> Self {
        Self { registers }
    }

    /// Resets the board `us` microseconds from now (at most 16.7 s) unless called again before.
    pub fn arm(&mut self, us: u32) {
        self.registers.visit(|pm| {
            pm.WDOG
                .write(WDOG::PASSWORD::Key + WDOG::TIME.val(ticks(us)));
            // Reading first keeps the fields that are not ours.
            pm.RSTC.modify(RSTC::PASSWORD::Key + RSTC::WRCFG::FullReset);
        });
    }

    /// Gives a watchdog that was armed another `us` microseconds; leaves one that was not alone.
    pub fn feed(&mut self, us: u32) {
        let armed = self
            .registers
            .visit(|pm| pm.RSTC.matches_all(RSTC::WRCFG::FullReset));
        if armed {
            self.arm(us);
        }
    }

    /// Resets the board now. Returns: the reset takes some microseconds.
    pub fn reset(&mut self) {
        self.arm(10 * TICK_US);
    }

    /// Why the board started, from PM_RSTS, also as the firmware has `found` it, and the note of
    /// the run before. Takes the note away.
    #[must_use]
    pub fn reset_cause(&mut self, found: u32) -> Start {
        let status = self.registers.visit(|pm| pm.RSTS.get());
        let status = LocalRegisterCopy::<u32, RSTS::Register>::new(status | found);
        let watchdog = status.is_set(RSTS::HADWRF)
            || status.is_set(RSTS::HADWRQ)
            || status.is_set(RSTS::HADWRH);
        let note = Note::load();
        Note::erase();
        Start::decide(watchdog, note)
    }
}

/// V3D's part of the block.
pub struct Grafx {
    registers: Mmio<GrafxRegisters>,
}

/// The time that V3D is held in reset. Linux waits 1 us, for 32 of its clocks.
const RESET_US: u32 = 10;

impl Grafx {
    /// Takes the register.
    #[must_use]
    pub const fn new(registers: Mmio<GrafxRegisters>) -> Self {
        Self { registers }
    }

    /// The bits that say whether V3D has power and is out of reset.
    #[must_use]
    pub fn status(&self) -> u32 {
        let bits = GRAFX::V3DRSTN::SET
            + GRAFX::ISFUNC::SET
            + GRAFX::MRDONE::SET
            + GRAFX::ISPOW::SET
            + GRAFX::POWOK::SET
            + GRAFX::POWUP::SET;
        self.registers.visit(|pm| pm.GRAFX.get()) & bits.mask()
    }

    /// Pulls V3D's reset line and lets it go. Its bridges stand ([`crate::asb`]).
    pub fn reset_v3d(&mut self, mut delay: Clock) {
        let low = GRAFX::PASSWORD::Key + GRAFX::V3DRSTN::CLEAR;
        self.registers.visit(|pm| pm.GRAFX.modify(low));
        delay.delay_us(RESET_US);
        let high = GRAFX::PASSWORD::Key + GRAFX::V3DRSTN::SET;
        self.registers.visit(|pm| pm.GRAFX.modify(high));
        delay.delay_us(RESET_US);
    }
}

/// Why the run before ended, as far as it could say so itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// It was running: if a reset comes now, it came unasked.
    Running,
    /// It was asked to restart.
    Reboot,
    /// It panicked or took an exception.
    Fault,
}

/// The note that one run leaves for the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Note {
    reason: Reason,
    stage: u8,
    early_ends: u8,
    text: [u8; Note::TEXT_BYTES],
    length: usize,
}

impl Note {
    /// Bytes of text that fit.
    pub const TEXT_BYTES: usize = (KEEP_WORDS - 4) * 4;

    const MAGIC: u32 = 0x4e4f_5445;

    /// A note that says `reason`, the code of the stage it came in, and as much of `text` as fits.
    #[must_use]
    pub fn new(reason: Reason, stage: u8, text: impl Display) -> Self {
        let mut note = Self {
            reason,
            stage,
            early_ends: 0,
            text: [0; Self::TEXT_BYTES],
            length: 0,
        };
        // Text that does not fit is cut off; the writer below never fails.
        let _ = write!(note, "{text}");
        note
    }

    /// The same with the number of starts in a row that will have ended early, should the run end
    /// now ([`crate::fault::early_ends`]).
    #[must_use]
    pub const fn after(mut self, early_ends: u8) -> Self {
        self.early_ends = early_ends;
        self
    }

    /// The code of the stage that the run had reached; 0 before the first.
    #[must_use]
    pub fn stage(&self) -> u8 {
        self.stage
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        let bytes = &self.text[..self.length];
        core::str::from_utf8(bytes).unwrap_or("(not text)")
    }

    /// Leaves the note for the next run.
    pub fn store(&self) {
        for (cell, word) in cpu::keep().iter().zip(self.encode()) {
            cell.store(word, Relaxed);
        }
        cpu::clean_keep();
    }

    /// Stores it for a reset that may come at once: the note is in SDRAM when this returns.
    pub fn store_to_sdram(&self) {
        self.store();
        cpu::drain_system_cache();
    }

    fn load() -> Option<Self> {
        let mut words = [0; KEEP_WORDS];
        for (word, cell) in words.iter_mut().zip(cpu::keep()) {
            *word = cell.load(Relaxed);
        }
        Self::decode(&words)
    }

    fn erase() {
        cpu::keep()[0].store(0, Relaxed);
        cpu::clean_keep();
    }

    fn encode(&self) -> [u32; KEEP_WORDS] {
        let mut words = [0; KEEP_WORDS];
        words[0] = Self::MAGIC;
        words[1] =
            self.reason as u32 | u32::from(self.stage) << 8 | u32::from(self.early_ends) << 16;
        words[2] = self.length as u32;
        for (word, bytes) in words[3..].iter_mut().zip(self.text.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        words[KEEP_WORDS - 1] = checksum(&words[..KEEP_WORDS - 1]);
        words
    }

    fn decode(words: &[u32; KEEP_WORDS]) -> Option<Self> {
        let intact = words[0] == Self::MAGIC
            && words[KEEP_WORDS - 1] == checksum(&words[..KEEP_WORDS - 1])
            && words[2] as usize <= Self::TEXT_BYTES;
        if !intact {
            return None;
        }
        let reason = [Reason::Running, Reason::Reboot, Reason::Fault]
            .into_iter()
            .find(|reason| *reason as u32 == words[1] & 0xff)?;
        let mut text = [0; Self::TEXT_BYTES];
        for (bytes, word) in text.as_chunks_mut().0.iter_mut().zip(&words[3..]) {
            *bytes = word.to_le_bytes();
        }
        Some(Self {
            reason,
            stage: (words[1] >> 8) as u8,
            early_ends: (words[1] >> 16) as u8,
            text,
            length: words[2] as usize,
        })
    }
}

impl Write for Note {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            // One line: a panic's text has two.
            let character = if character.is_control() {
                ' '
            } else {
                character
            };
            let mut bytes = [0; 4];
            let bytes = character.encode_utf8(&mut bytes).as_bytes();
            let Some(room) = self.text.get_mut(self.length..self.length + bytes.len()) else {
                break;
            };
            room.copy_from_slice(bytes);
            self.length += bytes.len();
        }
        Ok(())
    }
}

/// FNV-1a over words: random SDRAM contents pass it once in 2^32, on top of the magic.
fn checksum(words: &[u32]) -> u32 {
    words.iter().fold(0x811c_9dc5, |sum, word| {
        (sum ^ word).wrapping_mul(0x0100_0193)
    })
}

/// Why the board started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Start {
    /// The cause.
    pub cause: ResetCause,
    /// What the run before noted, after a fault or the watchdog. After a fault it is always there;
    /// the watchdog may have found none.
    pub note: Option<Note>,
}

impl Start {
    fn decide(watchdog: bool, note: Option<Note>) -> Self {
        let (cause, note) = match (note.map(|note| note.reason), watchdog) {
            (Some(Reason::Fault), _) => (ResetCause::Fault, note),
            (Some(Reason::Reboot), _) => (ResetCause::Command, None),
            (_, true) => (ResetCause::Watchdog, note),
            // SDRAM holds for seconds without power: a note of a run that did not end proves
            // nothing.
            (_, false) => (ResetCause::PowerOn, None),
        };
        Self { cause, note }
    }
}

impl Start {
    /// Starts in a row before this one that ended soon, in a fault or by the watchdog.
    #[must_use]
    pub fn early_ends(&self) -> u8 {
        self.note.map_or(0, |note| note.early_ends)
    }
}

impl Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.cause, &self.note) {
            (ResetCause::Fault, Some(note)) => write!(f, "watchdog after fault: {}", note.text()),
            (cause, _) => f.write_str(cause.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mmio::fake;
    use core::mem::offset_of;

    #[test]
    fn registers_lie_where_the_manual_says() {
        assert_eq!(offset_of!(Registers, RSTC), 0x1c);
        assert_eq!(offset_of!(Registers, WDOG), 0x24);
    }

    #[test]
    fn the_state_of_v3d_is_six_bits_of_its_register() {
        let (registers, words) = fake::zeros();
        let grafx = Grafx::new(registers);
        words.set(0, 0xffff_ffff);
        assert_eq!(grafx.status(), 0x77);
        words.set(0, 0x0000_1027);
        assert_eq!(grafx.status(), 0x27);
    }

    #[test]
    fn watchdog_times_are_rounded_up_and_kept_in_20_bits() {
        assert_eq!(ticks(0), 1);
        assert_eq!(ticks(17), 2);
        assert_eq!(ticks(u32::MAX), 0xf_ffff);
    }

    #[test]
    fn arming_writes_the_password_and_keeps_the_other_fields() {
        let (registers, words) = fake::zeros();
        let mut pm = Pm::new(registers);
        words.set(0x1c, 0x0000_0102);
        pm.feed(1_000_000);
        assert_eq!(words.at(0x24), 0, "a watchdog that sleeps is not woken");
        pm.arm(1_000_000);
        assert_eq!(words.at(0x24), 0x5a00_0000 | 62_500);
        assert_eq!(words.at(0x1c), 0x5a00_0122);
        pm.feed(16);
        assert_eq!(words.at(0x24), 0x5a00_0001);
    }

    #[test]
    fn the_watchdog_shows_in_the_register_or_in_what_the_firmware_found() {
        let (registers, words) = fake::zeros();
        let mut pm = Pm::new(registers);
        let start = |cause| Start { cause, note: None };
        assert_eq!(pm.reset_cause(0x1000), start(ResetCause::PowerOn));
        assert_eq!(pm.reset_cause(0x20), start(ResetCause::Watchdog));
        words.set(0x20, 0x20);
        assert_eq!(pm.reset_cause(0), start(ResetCause::Watchdog));
    }

    #[test]
    fn a_note_comes_back_as_it_was_left() {
        let note = Note::new(
            Reason::Fault,
            3,
            format_args!("data abort at {:#x}", 0x1234),
        );
        assert_eq!(Note::decode(&note.encode()), Some(note));
        assert_eq!(note.text(), "data abort at 0x1234");
        assert_eq!(note.stage(), 3);
        assert_eq!(Note::decode(&note.after(7).encode()), Some(note.after(7)));
        assert_eq!(Note::new(Reason::Fault, 0, "at x:\nno").text(), "at x: no");
    }

    #[test]
    fn a_long_note_is_cut_between_characters() {
        let note = Note::new(Reason::Fault, 0, "x".repeat(239) + "µµ");
        assert_eq!(note.text(), "x".repeat(239));
        assert_eq!(Note::decode(&note.encode()), Some(note));
    }

    #[test]
    fn one_flipped_bit_makes_it_no_note() {
        let words = Note::new(Reason::Reboot, 7, "").encode();
        for bit in 0..KEEP_WORDS * 32 {
            let mut flipped = words;
            flipped[bit / 32] ^= 1 << (bit % 32);
            assert_eq!(Note::decode(&flipped), None, "bit {bit}");
        }
    }

    #[test]
    fn the_cause_is_what_is_known() {
        let note = |reason| Some(Note::new(reason, 6, "fft"));
        let said = |watchdog, note| Start::decide(watchdog, note).to_string();
        assert_eq!(said(false, None), "power on");
        assert_eq!(said(true, None), "watchdog");
        assert_eq!(said(true, note(Reason::Fault)), "watchdog after fault: fft");
        assert_eq!(said(true, note(Reason::Running)), "watchdog");
        assert_eq!(said(false, note(Reason::Running)), "power on");
        assert_eq!(said(true, note(Reason::Reboot)), "reboot command");
    }

    #[test]
    fn faults_and_hangs_that_follow_each_other_count_and_nothing_else_does() {
        let early_ends = |watchdog, reason| {
            let note = Note::new(reason, 2, "").after(3);
            Start::decide(watchdog, Some(note)).early_ends()
        };
        assert_eq!(early_ends(true, Reason::Fault), 3);
        assert_eq!(early_ends(true, Reason::Running), 3);
        assert_eq!(early_ends(true, Reason::Reboot), 0);
        assert_eq!(early_ends(false, Reason::Running), 0, "the plug was pulled");
        assert_eq!(Start::decide(true, None).early_ends(), 0, "SDRAM lost it");
    }
}

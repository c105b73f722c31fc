//! The end of a run: say what happened, leave a note for the next boot, reset.
//!
//! Runs with interrupts masked on whatever stack the fault left, uses no queue, no lock and nothing
//! that the broken run may have held; every wait in it is bounded. A fault inside the report resets
//! at once. The host gets a FAULT frame and, for people, the same in text.

use core::fmt::Arguments;
use core::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};

use wire::MAX_PAYLOAD;

use crate::arch::cpu;
use crate::instrument::fault_report;
use crate::mmio::peripherals::Peripherals;
use crate::pm::{Note, Pm, Reason};
use crate::timer::Clock;
use crate::uart::LastWords;

/// A report must fit the watchdog's patience: 700 bytes at the slowest rates take less.
const REPORT_US: u32 = 2_000_000;

/// Frame and text of a report: twice the note, and what stands around it.
const REPORT_BYTES: usize = 1024;

/// The kinds of ends; the codes of the FAULT record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u16)]
pub enum Kind {
    /// A Rust panic.
    Panic = 1,
    /// The undefined instruction vector.
    Undefined = 2,
    /// The prefetch abort vector.
    PrefetchAbort = 3,
    /// The data abort vector.
    DataAbort = 4,
    /// Any other vector.
    OtherException = 5,
    /// A job of a host changed memory of the firmware.
    MemoryChanged = wire::Fault::MEMORY_CHANGED,
}

/// The end of a run: its kind and place.
#[derive(Clone, Copy, Debug)]
pub struct Fault<'a> {
    /// The kind of end.
    pub kind: Kind,
    /// The instruction, or 0.
    pub pc: u32,
    /// The address it accessed, or 0.
    pub address: u32,
    /// A description in words.
    pub text: Arguments<'a>,
}

/// The stage that a fault's note names ([`crate::instrument::Stage`]'s code).
static STAGE: AtomicU8 = AtomicU8::new(0);

/// Says which stage the firmware is in, should a fault come.
pub fn note_stage(code: u8) {
    STAGE.store(code, Relaxed);
}

/// A run that has lasted this long began well.
pub const EARLY_US: u64 = 10_000_000;

/// Starts in a row that will have ended early if this run ends now; 0: it has lasted.
static EARLY_ENDS: AtomicU8 = AtomicU8::new(0);

/// Begins a run after so many starts in a row that ended early.
pub fn begin_run(early_ends_before: u8) {
    EARLY_ENDS.store(early_ends_before.saturating_add(1), Relaxed);
}

/// Says that the run has lasted [`EARLY_US`].
pub fn run_has_lasted() {
    EARLY_ENDS.store(0, Relaxed);
}

/// The number for the note of a run that did not end because it was asked to.
#[must_use]
pub fn early_ends() -> u8 {
    EARLY_ENDS.load(Relaxed)
}

/// Reports `fault` to the host and to the next boot, and resets the board.
pub fn report_and_reset(fault: Fault) -> ! {
    static REPORTING: AtomicBool = AtomicBool::new(false);
    cpu::mask_interrupts();
    let peripherals = Peripherals::steal();
    let mut pm = Pm::new(peripherals.pm);
    if !REPORTING.load(Relaxed) {
        REPORTING.store(true, Relaxed);
        pm.feed(REPORT_US);
        let note = Note::new(Reason::Fault, STAGE.load(Relaxed), fault.text).after(early_ends());
        note.store_to_sdram();
        let clock = Clock::new(peripherals.clock);
        let mut line = LastWords::new(peripherals.uart, clock);
        let record = wire::Fault {
            code: fault.kind as u16,
            pc: fault.pc,
            address: fault.address,
            text: note.text(),
        };
        let mut payload = [0; MAX_PAYLOAD];
        let mut report = [0; REPORT_BYTES];
        let report = fault_report(&record, clock.now_us(), &mut payload, &mut report);
        line.send(report);
        line.flush();
    }
    pm.reset();
    loop {
        cpu::data_sync_barrier();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_counts_as_one_more_until_it_has_lasted() {
        begin_run(2);
        assert_eq!(early_ends(), 3);
        begin_run(u8::MAX);
        assert_eq!(early_ends(), u8::MAX);
        run_has_lasted();
        assert_eq!(early_ends(), 0);
    }
}

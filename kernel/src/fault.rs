//! The end of a run: say what happened, leave a note for the next boot, reset.
//!
//! Runs with interrupts masked on whatever stack the fault left, uses no queue, no lock and nothing
//! that the broken run may have held; every wait in it is bounded. A fault inside the report resets
//! at once. The host gets a FAULT frame and, for people, the same in text.

use core::fmt::{Arguments, Write};
use core::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};

use wire::{Encoder, Envelope, Message};

use crate::arch::cpu;
use crate::mmio::Peripherals;
use crate::pm::{Note, Pm, Reason};
use crate::timer::Clock;
use crate::uart::LastWords;

/// A report must fit the watchdog's patience: 700 bytes at the slowest rates take less.
const REPORT_US: u32 = 2_000_000;

/// What kind of end it was; the codes of the FAULT record.
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
}

/// What happened and where.
#[derive(Clone, Copy, Debug)]
pub struct Fault<'a> {
    /// What kind of end it was.
    pub kind: Kind,
    /// The instruction, or 0.
    pub pc: u32,
    /// The address it accessed, or 0.
    pub address: u32,
    /// The same in words.
    pub text: Arguments<'a>,
}

/// The stage that a fault's note names ([`crate::instrument::Stage`]'s code).
static STAGE: AtomicU8 = AtomicU8::new(0);

/// Says which stage the firmware is in, should a fault come.
pub fn note_stage(code: u8) {
    STAGE.store(code, Relaxed);
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
        let note = Note::new(Reason::Fault, STAGE.load(Relaxed), fault.text);
        note.store();
        let clock = Clock::new(peripherals.clock);
        let mut line = LastWords::new(peripherals.uart, clock);
        let mut frame = [0; 512];
        let length = encode(&fault, note.text(), clock.now_us(), &mut frame);
        line.send(&frame[..length]);
        // Writing to the line cannot fail, it can only take too long.
        let _ = write!(
            line,
            "\r\nqpuscope fault: {}\r\nrestarting\r\n",
            note.text()
        );
        line.flush();
    }
    pm.reset();
    loop {
        cpu::data_sync_barrier();
    }
}

/// The FAULT frame; 0 bytes when it does not fit.
fn encode(fault: &Fault, text: &str, now_us: u64, out: &mut [u8]) -> usize {
    let message = Message::Fault(wire::Fault {
        code: fault.kind as u16,
        pc: fault.pc,
        address: fault.address,
        text,
    });
    let envelope = Envelope {
        time_us: now_us,
        ..Envelope::default()
    };
    let mut scratch = [0; 384];
    Encoder::new()
        .message(envelope, &message, &mut scratch, out)
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::{Decoder, Item};

    #[test]
    fn the_longest_fault_fits_its_frame() {
        let text = "x".repeat(Note::TEXT_BYTES);
        let fault = Fault {
            kind: Kind::DataAbort,
            pc: 0x8000,
            address: 0x2100_0000,
            text: format_args!(""),
        };
        let mut frame = [0; 512];
        let length = encode(&fault, &text, 5, &mut frame);
        let mut decoder = Decoder::new();
        let found = frame[..length]
            .iter()
            .any(|byte| match decoder.push(*byte) {
                Some(Item::Frame(header, payload)) => {
                    let message =
                        Message::decode(header.kind, payload).expect("it was just encoded");
                    let Message::Fault(fault) = message else {
                        panic!("{message:?} is no fault")
                    };
                    assert_eq!((fault.code, fault.pc), (4, 0x8000));
                    assert_eq!((fault.address, fault.text), (0x2100_0000, text.as_str()));
                    true
                }
                _ => false,
            });
        assert!(found, "no frame in {length} bytes");
    }
}

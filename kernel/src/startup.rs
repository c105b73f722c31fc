//! Questions of the boot order to the VideoCore's firmware, and the first line of text.
//!
//! Nothing here is needed for the board to come up: a question without an answer leaves a default
//! that is safe on every board, and a line in the log.

use core::fmt::Write as _;

use embedded_io::Write as _;
use heapless::String;
use wire::{Clocks, Name, ResetCause};

use crate::arch::cpu;
use crate::atags;
use crate::baud::Divisor;
use crate::board::Revision;
use crate::dma::USUAL_CHANNELS;
use crate::engine::qpu_selftest;
use crate::fault;
use crate::instrument::{BoardInfo, BootTimes, EngineChoice, Settings, Stage};
use crate::log;
use crate::mailbox::Mailbox;
use crate::pm::{Note, Reason, Start};
use crate::property::{ClockId, Tag, is_dated};
use crate::uart::{BOOT_BAUD, Uart};
use crate::v3d::V3d;

/// The UART clock that is asked for: 3 Mbaud, and what firmware sets by itself today.
const UART_HZ: u32 = 48_000_000;

/// The least RAM that a board leaves the ARM: the smallest has 256 MiB, of which the GPU may take
/// 128.
const LEAST_RAM_BYTES: u32 = 128 << 20;

/// Bytes of `cmdline.txt` that are looked at.
pub const COMMAND_LINE_BYTES: usize = 1024;

/// Finds out in which order QPUs get programs. Sources contradict each other; not to know it costs
/// speed and no more.
pub fn learn_launch_order(v3d: &mut V3d) {
    let found = qpu_selftest::launch_order(v3d).ok().flatten();
    if let Some(order) = found {
        log::info!("QPUs get programs in the order {=[u8]}", order.qpus());
        v3d.set_launch_order(order);
    } else {
        log::warn!("the order in which QPUs get programs was not found out");
    }
}

/// PM_RSTS as the firmware found it; 0 from firmware that does not say.
pub fn found_reset_status(mailbox: &mut Mailbox) -> u32 {
    // Two words, as vcmailbox sends them in the issue that brought this tag.
    let found = mailbox.property::<1>(Tag::ResetStatus, &[0, 0]);
    found.map_or(0, |[status]| status)
}

/// The DMA channels that the firmware leaves the ARM, one bit each.
pub fn dma_channels(mailbox: &mut Mailbox) -> u32 {
    let answer = mailbox.property::<1>(Tag::DmaChannels, &[]);
    answer.map_or(USUAL_CHANNELS, |[mask]| mask)
}

/// Sets the UART's clock; returns the rate to compute divisors from, which has one for
/// [`BOOT_BAUD`].
///
/// Firmware may set another rate, and says a wrong one at times (raspberrypi/firmware 951, 967,
/// 1619). So the measured clock is asked as well, which old firmware and QEMU do not know.
pub fn uart_clock(mailbox: &mut Mailbox) -> u32 {
    let uart = ClockId::Uart as u32;
    let set = mailbox.property::<2>(Tag::SetClockRate, &[uart, UART_HZ, 0]);
    let asked = mailbox.property::<2>(Tag::ClockRate, &[uart]);
    let stated = asked.or(set).map_or(0, |[_, hz]| hz);
    let measured = mailbox.clock_hz(Tag::MeasuredClockRate, ClockId::Uart);
    let believed = believed_uart_hz(stated, measured);
    if believed != stated {
        log::warn!(
            "UART clock: stated {=u32} Hz, measured {=u32} Hz; {=u32} Hz is believed",
            stated,
            measured,
            believed
        );
    }
    believed
}

/// The clock to believe, 0 being one that is not known. A measured clock is good to a few tenths of
/// a percent, so the stated one is kept where they agree to one percent. A clock without a divisor
/// for [`BOOT_BAUD`] cannot be the UART's.
fn believed_uart_hz(stated: u32, measured: u32) -> u32 {
    let possible = |hz| Divisor::nearest(hz, BOOT_BAUD).is_ok();
    let agree = stated.abs_diff(measured) <= stated / 100;
    if possible(measured) && !(agree && possible(stated)) {
        measured
    } else if possible(stated) {
        stated
    } else {
        UART_HZ
    }
}

/// Takes an abort that is pending and logs it. Boot goes on.
pub fn log_pending_abort(when: &str) {
    if let Some(status) = cpu::take_pending_abort() {
        log::error!(
            "an abort was pending {=str}; DFSR {=u32:#06x}",
            when,
            status
        );
    }
}

/// Text of the note while V3D is powered up.
const BRING_UP: &str = "V3D";

/// Leaves a note of what comes next for the start after this one.
pub fn note_bring_up() {
    let note = Note::new(Reason::Running, Stage::Boot as u8, BRING_UP);
    note.after(fault::early_ends()).store_to_sdram();
}

/// Reports if the last start ended by the watchdog while it powered up V3D. A second try would end
/// like it, and so on for ever.
#[must_use]
pub fn hung_in_bring_up(start: &Start) -> bool {
    let was_in_it = |note: &Note| note.text() == BRING_UP;
    start.cause == ResetCause::Watchdog && start.note.as_ref().is_some_and(was_in_it)
}

/// Begins the count of this run. A fault or a hang before this is the end of none.
pub fn begin_run(start: &Start) {
    fault::begin_run(start.early_ends());
    let note = Note::new(Reason::Running, Stage::Boot as u8, "");
    note.after(fault::early_ends()).store();
}

/// Lets a start after several that ended early do as little as possible, whatever `cmdline.txt`
/// says: a board that restarts for ever is of no use, and cannot be asked what is wrong.
pub fn be_careful(board: &BoardInfo, settings: &mut Settings) {
    if board.is_careful() {
        settings.engine = EngineChoice::Cpu;
        settings.start = false;
        settings.selftest_rounds = 0;
    }
}

/// The line that tells a terminal at once that the board runs, and why it started.
///
/// It leaves before interrupts are on, so that it is seen whatever happens next. The zero byte ends
/// the frame in which a run may have been cut off.
pub fn greet(uart: &mut Uart, start: &Start) {
    let mut line = String::<512>::new();
    let version = env!("CARGO_PKG_VERSION");
    // The longest cause fits.
    let _ = write!(
        line,
        "\0\r\nqpuscope {version} starts; reset cause: {start}\r\n"
    );
    // The queue is empty and takes it.
    let _ = uart.write_all(line.as_bytes());
    uart.drain();
}

/// The answers of the firmware.
pub struct Facts {
    /// The board, with 0 for what could not be found out.
    pub board: BoardInfo,
    /// The text of `cmdline.txt`.
    pub command_line: String<COMMAND_LINE_BYTES>,
    /// True for a Raspberry Pi's firmware, and not one whose watchdog fires when it is armed.
    pub watchdog_counts: bool,
}

/// Raises the ARM to its highest clock and asks for all that is to be known.
pub fn ask_firmware(mailbox: &mut Mailbox, atags: u32, uart_hz: u32, start: &Start) -> Facts {
    let mut ask =
        |tag, request: &[u32]| mailbox.property::<1>(tag, request).ok().map(|[word]| word);
    let firmware = ask(Tag::FirmwareRevision, &[]).unwrap_or(0);
    let revision = Revision(ask(Tag::BoardRevision, &[]).unwrap_or(0));
    let memory_bytes = match mailbox.property::<2>(Tag::ArmMemory, &[]) {
        Ok([0, bytes]) if bytes >= LEAST_RAM_BYTES => bytes,
        _ => LEAST_RAM_BYTES,
    };
    raise_arm_clock(mailbox);
    let mut rate = |clock| mailbox.clock_hz(Tag::ClockRate, clock);
    let clocks = Clocks {
        arm_hz: rate(ClockId::Arm),
        core_hz: rate(ClockId::Core),
        v3d_hz: rate(ClockId::V3d),
        uart_hz,
    };
    log::info!(
        "VideoCore firmware {=u32}, board {=u32:#x}, ARM RAM {=u32} bytes",
        firmware,
        revision.0,
        memory_bytes
    );
    Facts {
        board: BoardInfo {
            name: Name::new(revision.name()),
            revision: revision.0,
            memory_bytes,
            clocks,
            reset_cause: start.cause,
            last_stage: last_stage(start),
            early_ends: start.early_ends(),
            firmware: Name::new(env!("CARGO_PKG_VERSION")),
            v3d_ident0: 0,
            v3d_hung: hung_in_bring_up(start),
            v3d_unwanted: false,
            boot: BootTimes::default(),
        },
        command_line: command_line(mailbox, atags),
        watchdog_counts: is_dated(firmware),
    }
}

/// The ARM starts at its lowest clock.
fn raise_arm_clock(mailbox: &mut Mailbox) {
    let arm = ClockId::Arm as u32;
    if let Ok([_, highest]) = mailbox.property::<2>(Tag::MaxClockRate, &[arm])
        && highest != 0
    {
        let set = mailbox.property::<2>(Tag::SetClockRate, &[arm, highest, 0]);
        if set.is_err() {
            log::warn!("ARM clock: not set by the firmware");
        }
    }
}

/// The text of `cmdline.txt`: from the ATAGs, or else from the mailbox.
fn command_line(mailbox: &mut Mailbox, atags: u32) -> String<COMMAND_LINE_BYTES> {
    let mut bytes = [0; COMMAND_LINE_BYTES];
    let length = atags::command_line(cpu::atag_words(atags), &mut bytes)
        .or_else(|| mailbox.command_line(&mut bytes).ok())
        .unwrap_or(0);
    // Bytes that are no ASCII cannot be settings; a space keeps the words around them apart.
    bytes[..length]
        .iter()
        .map(|byte| match byte {
            b' '..=b'~' => char::from(*byte),
            _ => ' ',
        })
        .collect()
}

fn last_stage(start: &Start) -> Option<Stage> {
    <Stage as signal::Code>::from_code(start.note?.stage())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_measured_uart_clock_is_believed_where_the_stated_one_is_off() {
        for (stated, measured, believed) in [
            (48_000_000, 48_000_000, 48_000_000),
            (48_000_000, 47_990_123, 48_000_000),
            (48_000_000, 48_480_000, 48_000_000),
            (48_000_000, 48_480_001, 48_480_001),
            (48_000_000, 3_000_000, 3_000_000),
            (3_000_000, 48_001_234, 48_001_234),
            (3_000_000, 0, 3_000_000),
            (0, 47_990_123, 47_990_123),
        ] {
            let found = believed_uart_hz(stated, measured);
            assert_eq!(found, believed, "stated {stated}, measured {measured}");
        }
    }

    #[test]
    fn a_clock_without_a_divisor_counts_as_48_mhz() {
        for stated in [0, 1, 1_000_000, 1_500_000] {
            for measured in [0, 1, 1_000_000] {
                assert_eq!(believed_uart_hz(stated, measured), UART_HZ, "{stated}");
            }
            let found = believed_uart_hz(stated, 3_000_000);
            assert_eq!(found, 3_000_000, "stated {stated}");
        }
        assert_eq!(believed_uart_hz(3_000_000, 1_000_000), 3_000_000);
    }
}

//! `report` typed by hand: the microbenchmarks of the board, a line at a time.
//!
//! Each microbenchmark is a step of the instrument's loop, so that the watchdog is fed, and a byte
//! from the host ends the rest. Times of repetitions are given in V3D clocks at the rate that the
//! mailbox stated at the start. The answers to `get clocks`, `get boot` and `get stack` are here,
//! too.

use core::fmt::{self, Write};
use qpu::machine::QPUS;

use qpu_programs::microbench::{LIST, Microbench, RUNS, What};

use super::board::{Board, BootTimes, Clocks, Stage};
use super::capture::Port;
use super::notice::Notice;
use super::settings::fixed;
use super::text::engine_error;
use crate::engine::measure::Words;
use crate::engine::{EngineError, QpuHost};

/// Room that the lines of a step need among the text that waits.
pub(super) const LINE_ROOM: usize = 768;

/// Writes the lines of `get clocks`.
pub(super) fn write_clocks(clocks: &Clocks, out: &mut impl Write) {
    for (name, clock) in Clocks::NAMES.iter().zip(clocks.readings) {
        let _ = writeln!(
            out,
            "clock-{name}={},{}",
            clock.stated_hz, clock.measured_hz
        );
    }
    let _ = writeln!(out, "temperature={}", clocks.temperature);
}

/// Writes the line of `get boot`.
pub(super) fn write_boot(boot: &BootTimes, first_spectrum_us: u32, out: &mut impl Write) {
    let _ = writeln!(
        out,
        "boot={},{},{},{first_spectrum_us}",
        boot.entry_us, boot.greeting_us, boot.v3d_us
    );
}

/// Writes the line of `get stack`.
pub(super) fn write_stack(left_bytes: u32, out: &mut impl Write) {
    let _ = writeln!(out, "stack-left={left_bytes}");
}

/// Does one step, the microbenchmark of this number; reports if there are more.
pub(super) fn step<Q: QpuHost>(
    number: usize,
    mut qpu: Result<&mut Q, EngineError>,
    first_spectrum_us: u32,
    board: &mut impl Board,
    out: &mut Notice,
) -> bool {
    if number == 0 {
        write_head(&mut qpu, first_spectrum_us, board, out);
    }
    let goes_on = LIST.get(number).is_some_and(|bench| {
        let v3d_hz = board.info().clocks.v3d_hz;
        let result = time_bench(qpu, bench, board);
        let _ = write_bench(bench, &result, v3d_hz, out);
        !matches!(result, Err(EngineError::NotAvailable))
    });
    if !goes_on {
        // After the microbenchmarks, which are among what takes most of it.
        let mut line = heapless::String::<32>::new();
        write_stack(board.stack_left_bytes(), &mut line);
        let _ = write!(out, "report: {}\r\n", line.trim_end());
        out.say("report: done; `qpuscope report PORT -o FILE` writes all of it to a file");
    }
    goes_on
}

fn write_head<Q: QpuHost>(
    qpu: &mut Result<&mut Q, EngineError>,
    first_spectrum_us: u32,
    board: &mut impl Board,
    out: &mut Notice,
) {
    let info = *board.info();
    let _ = write!(
        out,
        "report: qpuscope {}, {}, revision {:06x}; any byte ends it\r\n",
        info.firmware, info.name, info.revision
    );
    let mut text = heapless::String::<320>::new();
    write_clocks(&board.clocks(), &mut text);
    write_boot(&info.boot, first_spectrum_us, &mut text);
    for line in text.lines() {
        let _ = write!(out, "report: {line}\r\n");
    }
    let _ = match board.port().smi_fifo_words() {
        Some(words) => write!(out, "report: smi-fifo-words={words}\r\n"),
        None => write!(
            out,
            "report: smi-fifo-words: not counted before input=smi and probe\r\n"
        ),
    };
    if let Ok(qpu) = qpu
        && let Ok(block) = qpu.host_block(0)
    {
        let order = block.launch_order;
        let _ = write!(out, "report: launch-order={order:?}\r\n");
    }
}

/// Runs a microbenchmark: the microseconds that all of it took, and what it found.
pub(super) fn time_bench<Q: QpuHost>(
    qpu: Result<&mut Q, EngineError>,
    bench: &Microbench,
    board: &mut impl Board,
) -> Result<(u32, Words), EngineError> {
    board.stage(Stage::QpuWait);
    let start_us = board.now_us();
    let result = qpu.and_then(|qpu| qpu.measure(bench));
    let elapsed_us = (board.now_us() - start_us) as u32;
    board.stage(Stage::Idle);
    result.map(|words| (elapsed_us, words))
}

/// Writes the line of a microbenchmark.
fn write_bench(
    bench: &Microbench,
    result: &Result<(u32, Words), EngineError>,
    v3d_hz: u32,
    out: &mut Notice,
) -> fmt::Result {
    write!(out, "report: {}: ", bench.name)?;
    let (elapsed_us, words) = match result {
        Ok((elapsed_us, words)) => (elapsed_us, &words[..]),
        Err(error) => return write!(out, "{}\r\n", engine_error(*error)),
    };
    match (bench.what, words) {
        (What::Time { .. }, words) => match milliclocks(words, v3d_hz) {
            Some(clocks) => write!(out, "{} clocks", fixed(clocks as i64, 3)),
            None => write!(out, "no time"),
        },
        (What::Reservations, [right, ..]) => {
            write!(out, "{} of {QPUS} QPUs as told", right.count_ones())
        }
        (What::Recovery, [way, works, limit_us]) => write!(
            out,
            "way {way}, {} us, the next program {}",
            elapsed_us.saturating_sub(*limit_us),
            if *works == 1 { "ran" } else { "did NOT run" }
        ),
        _ => write!(out, "nothing"),
    }?;
    write!(out, "\r\n")
}

/// Thousandths of V3D clocks of an operation.
fn milliclocks(words: &[u32], v3d_hz: u32) -> Option<u64> {
    let (&[operations, few, many], times) = words.split_first_chunk::<3>()?;
    let (of_few, of_many) = times.split_at_checked(RUNS)?;
    let sum = |times: &[u32]| times.iter().map(|&us| u64::from(us)).sum::<u64>();
    let us = sum(of_many).saturating_sub(sum(of_few));
    let operations = u64::from(operations) * u64::from(many.checked_sub(few)?) * RUNS as u64;
    // 1000 us are as many thousandths of a clock as V3D has clocks in a second.
    (us * u64::from(v3d_hz) / 1000).checked_div(operations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_count_and_starts_do_not() {
        // 100 us of start; 2 us a repetition of 5 operations.
        let words = [5, 10, 60, 120, 120, 120, 220, 220, 220];
        assert_eq!(milliclocks(&words, 250_000_000), Some(100_000));
        assert_eq!(milliclocks(&words[..2], 250_000_000), None);
        assert_eq!(milliclocks(&[5, 7, 7, 1, 1, 1, 1, 1, 1], 1), None);
    }
}

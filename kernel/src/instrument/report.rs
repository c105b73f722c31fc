//! `report` typed by hand: what the board finds out about itself, a line at a time.
//!
//! Each microbenchmark is a step of the instrument's loop, so that the watchdog is fed, and a byte from the host
//! ends the rest. Times of repetitions are given in V3D clocks at the rate that the mailbox stated at the start. Here
//! also are the texts that `get clocks` and `get boot` answer with.

use core::fmt::Write;

use qpu::job::QPUS;
use qpu_programs::microbench::{LIST, Microbench, RUNS, What};

use super::text::engine_error;
use super::{Board, BootTimes, ClockReading, Clocks, Core};
use crate::engine::{Engine, EngineError};

/// Room that the lines of a step need among the text that waits.
const LINE_ROOM: usize = 768;

/// How far the summary has come: the number of the next microbenchmark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Report {
    next: usize,
}

/// Writes the lines of `get clocks`.
pub(super) fn write_clocks(clocks: &Clocks, out: &mut impl Write) {
    let all: [(&str, ClockReading); 4] = [
        ("arm", clocks.arm),
        ("core", clocks.core),
        ("v3d", clocks.v3d),
        ("uart", clocks.uart),
    ];
    for (name, reading) in all {
        let ClockReading {
            stated_hz,
            measured_hz,
        } = reading;
        let _ = writeln!(out, "clock-{name}={stated_hz},{measured_hz}");
    }
    let _ = writeln!(out, "temperature={}", clocks.temperature);
}

/// Writes the line of `get boot`.
pub(super) fn write_boot(boot: &BootTimes, first_spectrum_us: u32, out: &mut impl Write) {
    let BootTimes {
        entry_us,
        greeting_us,
        v3d_us,
    } = *boot;
    let _ = writeln!(
        out,
        "boot={entry_us},{greeting_us},{v3d_us},{first_spectrum_us}"
    );
}

impl<Q: Engine> Core<'_, Q> {
    pub(super) fn begin_report(&mut self) {
        self.report = Some(Report { next: 0 });
    }

    /// Ends the summary, if it is being made, and says so.
    pub(super) fn stop_report(&mut self) {
        if self.report.take().is_some() {
            self.say("report: stopped");
        }
    }

    /// One step of the summary, when there is one to do; whether there was.
    pub(super) fn step_report(&mut self, board: &mut impl Board) -> bool {
        if self.notice.capacity() - self.notice.len() < LINE_ROOM {
            return false;
        }
        let Some(Report { next }) = self.report else {
            return false;
        };
        if next == 0 {
            self.write_report_head(board);
        }
        let going_on = match LIST.get(next) {
            Some(bench) => self.report_bench(bench, board),
            None => false,
        };
        self.report = going_on.then_some(Report { next: next + 1 });
        if !going_on {
            self.say("report: done; `qpuscope report PORT -o FILE` writes all of it to a file");
        }
        true
    }

    fn write_report_head(&mut self, board: &mut impl Board) {
        let info = *board.info();
        let out = &mut self.notice;
        let _ = write!(
            out,
            "report: qpuscope {}, {}, revision {:06x}; any byte ends it\r\n",
            info.firmware, info.name, info.revision
        );
        let mut text = heapless::String::<320>::new();
        write_clocks(&board.clocks(), &mut text);
        write_boot(&info.boot, self.first_spectrum_us, &mut text);
        for line in text.lines() {
            let _ = write!(self.notice, "report: {line}\r\n");
        }
        if let Ok(block) = self.analyser.qpu_mut().host_block(0) {
            let order = block.launch_order;
            let _ = write!(self.notice, "report: launch-order={order:?}\r\n");
        }
    }

    /// Whether there is any use in going on.
    fn report_bench(&mut self, bench: &Microbench, board: &mut impl Board) -> bool {
        let v3d_hz = board.info().clocks.v3d_hz;
        let result = self.time_bench(bench, board);
        let out = &mut self.notice;
        let _ = write!(out, "report: {}: ", bench.name);
        let (elapsed_us, words) = match result {
            Ok(found) => found,
            Err(error) => {
                let _ = write!(out, "{}\r\n", engine_error(error));
                return error != EngineError::NotAvailable;
            }
        };
        let _ = match (bench.what, &words[..]) {
            (What::Time { .. }, words) => match milliclocks(words, v3d_hz) {
                Some(clocks) => write!(out, "{}.{:03} clocks", clocks / 1000, clocks % 1000),
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
        };
        let _ = write!(out, "\r\n");
        true
    }
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

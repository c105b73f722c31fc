//! The QPU self-test as a state machine: each QPU by itself, then all together, a round at a time.
//!
//! `qputest=ROUNDS` in `cmdline.txt` asks for it: a QPU that computes wrongly, for example at a
//! clock that is too high for it, is named. Rounds are steps of the instrument's loop, so that
//! lines appear as they are earned, the watchdog is fed, and a byte from the host ends the test.

use core::fmt::Write;
use qpu::machine::QPUS;

use qpu::job::QpuSet;

use super::notice::Notice;
use super::text::engine_error;
use crate::engine::EngineError;
use crate::engine::qpu_selftest::Verdict;

/// The progress of the self-test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct QpuSelftest {
    rounds: u32,
    /// Rounds done on the QPU under test.
    done: u32,
    /// The QPU under test; after the last, all together.
    qpu: u8,
    has_failed: bool,
}

impl QpuSelftest {
    /// Room that the lines of a round need among the text that waits.
    pub(super) const LINE_ROOM: usize = 256;

    /// Begins the test and says so.
    pub(super) fn begin(rounds: u32, out: &mut Notice) -> Self {
        let _ = write!(
            out,
            "qpu test: SHA-256, {rounds} rounds on each QPU and on all together; any byte ends it\r\n"
        );
        Self {
            rounds,
            done: 0,
            qpu: 0,
            has_failed: false,
        }
    }

    /// The QPUs of the next round.
    pub(super) const fn on(&self) -> QpuSet {
        if self.qpu < QPUS {
            QpuSet::only(self.qpu)
        } else {
            QpuSet::ALL
        }
    }

    /// Takes the result of a round; returns if all went well once the test has come to its end.
    pub(super) fn take(
        &mut self,
        result: Result<Verdict, EngineError>,
        out: &mut Notice,
    ) -> Option<bool> {
        self.done += 1;
        let right = self.judge(result, out);
        self.has_failed |= !right;
        if right && self.done < self.rounds {
            return None;
        }
        if right {
            self.write_subject(out);
            let _ = write!(out, "ok\r\n");
        }
        (self.qpu, self.done) = (self.qpu + 1, 0);
        // Without QPUs there is nothing more to find out.
        if self.qpu <= QPUS && result != Err(EngineError::NotAvailable) {
            return None;
        }
        out.say(match self.has_failed {
            true => {
                "qpu test: FAILED; engine: cpu. Overclocked? Lower v3d_freq and core_freq in config.txt"
            }
            false => "qpu test: passed",
        });
        Some(!self.has_failed)
    }

    /// Reports if a round was right; says so when it was not.
    fn judge(&self, result: Result<Verdict, EngineError>, out: &mut Notice) -> bool {
        let alone = self.qpu < QPUS;
        let failure = match result {
            Ok(verdict) if !verdict.is_right() && alone => "its results are wrong",
            Ok(verdict) if !verdict.is_right() => "wrong results, of qpu",
            Ok(verdict) if alone && verdict.ran != self.on() => {
                "the program ran on another QPU (SQRSV)"
            }
            Ok(_) => return true,
            Err(error) => engine_error(error),
        };
        self.write_subject(out);
        let _ = write!(out, "FAILED in round {}: {failure}", self.done);
        if let Ok(verdict) = result
            && !alone
        {
            for qpu in verdict.wrong.numbers() {
                let _ = write!(out, " {qpu}");
            }
            if verdict.unnamed > 0 {
                let _ = write!(out, " (one that cannot be named)");
            }
        }
        let _ = write!(out, "\r\n");
        false
    }

    /// Writes the beginning of a line about the QPUs under test.
    fn write_subject(&self, out: &mut Notice) {
        let _ = if self.qpu < QPUS {
            write!(out, "qpu test: qpu {} ", self.qpu)
        } else {
            write!(out, "qpu test: all together ")
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of a test of two rounds, and its end.
    fn test(round: impl Fn(QpuSet) -> Result<Verdict, EngineError>) -> (String, bool) {
        let mut out = Notice::default();
        let mut test = QpuSelftest::begin(2, &mut out);
        let mut text = String::new();
        loop {
            let passed = test.take(round(test.on()), &mut out);
            text.push_str(out.as_str());
            out.clear();
            if let Some(passed) = passed {
                return (text, passed);
            }
        }
    }

    #[test]
    fn every_qpu_is_tested_and_then_all_together() {
        let (text, passed) = test(|on| {
            let ran = on;
            Ok(Verdict {
                ran,
                ..Verdict::default()
            })
        });
        assert!(passed);
        assert_eq!(text.matches(" ok\r\n").count(), 13, "{text}");
        assert!(text.ends_with("qpu test: all together ok\r\nqpu test: passed\r\n"));
    }

    #[test]
    fn a_failure_is_named_and_the_next_qpu_follows() {
        let (text, passed) = test(|on| {
            let wrong = QpuSet::only(5);
            Ok(Verdict {
                ran: on,
                wrong: if on.contains(5) { wrong } else { QpuSet::NONE },
                unnamed: 0,
            })
        });
        assert!(!passed);
        assert!(text.contains("qpu 5 FAILED in round 1: its results are wrong\r\n"));
        assert!(text.contains("all together FAILED in round 1: wrong results, of qpu 5\r\n"));
        assert_eq!(text.matches(" ok\r\n").count(), 11, "{text}");
    }

    #[test]
    fn without_qpus_it_ends_at_once() {
        let (text, passed) = test(|_| Err(EngineError::NotAvailable));
        assert!(!passed && text.matches("FAILED in").count() == 1, "{text}");
    }
}

//! The QPU test: each QPU by itself, then all together, a round at a time.
//!
//! It is what `qputest=ROUNDS` in `cmdline.txt` asks for: a QPU that computes wrongly, for example at a
//! clock that is too high for it, is named. Rounds are steps of the instrument's loop, so that lines
//! appear as they are earned, the watchdog is fed, and a byte from the host ends the test.

use core::fmt::Write;

use qpu::job::{QPUS, QpuSet};

use super::text::engine_error;
use super::{Board, Core, Stage};
use crate::engine::qpu_test::Verdict;
use crate::engine::{Engine, EngineError};

/// Room that the lines of a round need among the text that waits.
const LINE_ROOM: usize = 256;

/// How far the test has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct QpuTest {
    rounds: u32,
    /// Rounds done on the QPU under test.
    done: u32,
    /// The QPU under test; after the last, all together.
    qpu: u8,
    failed: bool,
}

impl QpuTest {
    const fn on(&self) -> QpuSet {
        if self.qpu < QPUS {
            QpuSet::only(self.qpu)
        } else {
            QpuSet::ALL
        }
    }

    /// Writes how the lines about the QPUs under test begin.
    fn write_subject(&self, out: &mut impl Write) {
        let _ = if self.qpu < QPUS {
            write!(out, "qpu test: qpu {} ", self.qpu)
        } else {
            write!(out, "qpu test: all together ")
        };
    }
}

impl<Q: Engine> Core<'_, Q> {
    /// Begins the test that the settings ask for.
    pub(super) fn begin_qpu_test(&mut self) {
        let rounds = self.settings.qpu_test;
        let _ = write!(
            self.notice,
            "qpu test: SHA-256, {rounds} rounds on each QPU and on all together; any byte ends it\r\n"
        );
        self.qpu_test = Some(QpuTest {
            rounds,
            done: 0,
            qpu: 0,
            failed: false,
        });
    }

    /// Ends the test, if it runs, and says so.
    pub(super) fn stop_qpu_test(&mut self) {
        if self.qpu_test.take().is_some() {
            self.say("qpu test: stopped");
        }
    }

    /// One round, when the test runs; whether it does.
    pub(super) fn step_qpu_test(&mut self, board: &mut impl Board) -> bool {
        if self.notice.capacity() - self.notice.len() < LINE_ROOM {
            return false;
        }
        let Some(mut test) = self.qpu_test.take() else {
            return false;
        };
        board.stage(Stage::QpuWait);
        let result = self.analyser.qpu_mut().test_qpus(test.on());
        board.stage(Stage::SelfTest);
        test.done += 1;
        let right = self.judge(&test, result);
        test.failed |= !right;
        if right && test.done < test.rounds {
            self.qpu_test = Some(test);
            return true;
        }
        if right {
            test.write_subject(&mut self.notice);
            let _ = write!(self.notice, "ok\r\n");
        }
        (test.qpu, test.done) = (test.qpu + 1, 0);
        // Without QPUs there is nothing more to find out.
        if test.qpu <= QPUS && result != Err(EngineError::NotAvailable) {
            self.qpu_test = Some(test);
        } else {
            self.finish_qpu_test(test.failed, board);
        }
        true
    }

    /// Whether a round was right; says so when it was not.
    fn judge(&mut self, test: &QpuTest, result: Result<Verdict, EngineError>) -> bool {
        let alone = test.qpu < QPUS;
        let what = match result {
            Ok(verdict) if !verdict.is_right() && alone => "its results are wrong",
            Ok(verdict) if !verdict.is_right() => "wrong results, of qpu",
            Ok(verdict) if alone && verdict.ran != test.on() => {
                "the program ran on another QPU (SQRSV)"
            }
            Ok(_) => return true,
            Err(error) => engine_error(error),
        };
        let out = &mut self.notice;
        test.write_subject(out);
        let _ = write!(out, "FAILED in round {}: {what}", test.done);
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

    fn finish_qpu_test(&mut self, failed: bool, board: &mut impl Board) {
        if failed {
            self.analyser.distrust_qpu();
            self.say(
                "qpu test: FAILED; engine: cpu. Overclocked? Lower v3d_freq and core_freq in config.txt",
            );
        } else {
            self.say("qpu test: passed");
        }
        board.stage(Stage::Idle);
        self.begin_unasked(board);
    }
}

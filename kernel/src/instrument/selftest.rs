//! Tests that the instrument makes of itself: at the start, and of the QPUs one by one.

use core::fmt::Write;

use super::analyser::Analyser;
use super::board::{Board, Stage};
use super::notice::Notice;
use super::qpu_selftest::QpuSelftest;
use super::settings::fixed;
use super::text::{engine_error, write_finding, write_plan};
use crate::engine::{EngineError, Fft, QpuHost};

/// The ARM is as it should be when it differs from the definition by no more than this.
const CPU_LIMIT_PPB: u32 = 500;

/// The result of a step of the QPU self-test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// There was nothing to do.
    Nothing,
    /// A round was done.
    Round,
    /// The last round was done, and all went well.
    Passed,
    /// The last round was done.
    Failed,
}

/// The tests under way.
#[derive(Default)]
pub(super) struct SelfTest {
    qpus: Option<QpuSelftest>,
}

impl SelfTest {
    /// Begins the QPU self-test.
    pub(super) fn begin_qpus(&mut self, rounds: u32, out: &mut Notice) {
        self.qpus = Some(QpuSelftest::begin(rounds, out));
    }

    /// Ends the QPU self-test, as any byte from the host does.
    pub(super) fn stop(&mut self, out: &mut Notice) {
        if self.qpus.take().is_some() {
            out.say("qpu test: stopped");
        }
    }

    /// Does one round of the QPU self-test, when it is under way.
    pub(super) fn step_qpus<Q: QpuHost>(
        &mut self,
        qpu: Result<&mut Q, EngineError>,
        board: &mut impl Board,
        out: &mut Notice,
    ) -> Step {
        let Some(test) = &mut self.qpus else {
            return Step::Nothing;
        };
        if out.room() < QpuSelftest::LINE_ROOM {
            return Step::Nothing;
        }
        board.stage(Stage::QpuWait);
        let result = qpu.and_then(|qpu| qpu.self_test(test.on()));
        board.stage(Stage::SelfTest);
        let Some(passed) = test.take(result, out) else {
            return Step::Round;
        };
        self.qpus = None;
        board.stage(Stage::Idle);
        if passed { Step::Passed } else { Step::Failed }
    }
}

/// Tests the ARM, and the plans of the QPUs that the settings ask for until one is right. Writes
/// the results.
pub(super) fn test_engines(
    analyser: &mut Analyser<impl Fft>,
    board: &mut impl Board,
    out: &mut Notice,
) {
    let _ = match analyser.check_cpu() {
        Ok(ppb) => {
            let verdict = if ppb <= CPU_LIMIT_PPB { "ok" } else { "FAILED" };
            let ppm = fixed(ppb.into(), 3);
            write!(
                out,
                "self-test: cpu {verdict}, {ppm} ppm off the definition\r\n"
            )
        }
        Err(error) => write!(out, "self-test: cpu FAILED, {}\r\n", engine_error(error)),
    };
    analyser.prove_line(board, |candidate, finding| {
        let _ = out.write_str("self-test: qpu ");
        let _ = write_plan(candidate, out);
        let _ = write_finding(finding, out);
        let _ = out.write_str("\r\n");
    });
}

#[cfg(test)]
mod tests {
    use super::super::tests::{FakeBoard, FakeQpu};
    use super::*;

    #[test]
    fn a_byte_ends_the_test() {
        let (mut tests, mut out) = (SelfTest::default(), Notice::default());
        let (mut board, mut qpu) = (FakeBoard::new(), FakeQpu::default());
        assert_eq!(
            tests.step_qpus(Ok(&mut qpu), &mut board, &mut out),
            Step::Nothing
        );
        tests.begin_qpus(2, &mut out);
        assert_eq!(
            tests.step_qpus(Ok(&mut qpu), &mut board, &mut out),
            Step::Round
        );
        out.clear();
        tests.stop(&mut out);
        assert_eq!(out.as_str(), "qpu test: stopped\r\n");
        assert_eq!(
            tests.step_qpus(Ok(&mut qpu), &mut board, &mut out),
            Step::Nothing
        );
    }

    #[test]
    fn a_round_waits_for_room() {
        let (mut tests, mut out) = (SelfTest::default(), Notice::default());
        let mut board = FakeBoard::new();
        tests.begin_qpus(1, &mut out);
        while out.room() >= QpuSelftest::LINE_ROOM {
            out.say("text that nobody has taken yet");
        }
        let mut step = |out: &mut Notice| {
            let none = Err::<&mut FakeQpu, _>(EngineError::NotAvailable);
            tests.step_qpus(none, &mut board, out)
        };
        assert_eq!(step(&mut out), Step::Nothing);
        out.clear();
        assert_eq!(step(&mut out), Step::Failed);
    }
}

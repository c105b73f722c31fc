//! The firmware's QPU self-test on the simulator, and on runners in which a QPU is broken.
#![forbid(unsafe_code)]

use kernel::engine::qpu_selftest::{Verdict, launch_order, round};
use qpu::job::{Buffer, Job, QpuSet, Report, Runner};
use qpu::machine::QPUS;
use v3d_sim::{Constants, LaunchOrder, SimRunner};

/// Words of a result of SHA-256, and the first of the row that names the QPU.
const RESULT_WORDS: usize = 144;
const QPU_WORD: usize = 128;

/// A simulated V3D in which some QPUs compute wrongly.
struct Broken {
    inner: SimRunner,
    wrong: QpuSet,
    /// The word of the result that is wrong.
    word: usize,
}

impl Runner for Broken {
    type Error = <SimRunner as Runner>::Error;

    fn alloc(&mut self, bytes: u32, align: u32) -> Result<Buffer, Self::Error> {
        self.inner.alloc(bytes, align)
    }
    fn release_all(&mut self) {
        self.inner.release_all();
    }
    fn write(&mut self, buffer: Buffer, first: u32, words: &[u32]) -> Result<(), Self::Error> {
        self.inner.write(buffer, first, words)
    }
    fn read(&mut self, buffer: Buffer, first: u32, words: &mut [u32]) -> Result<(), Self::Error> {
        self.inner.read(buffer, first, words)?;
        if words.len() == RESULT_WORDS && self.wrong.contains(words[QPU_WORD] as u8) {
            words[self.word] ^= 1 << 7;
        }
        Ok(())
    }
    fn use_qpus(&mut self, qpus: QpuSet) {
        self.inner.use_qpus(qpus);
    }
    fn run(&mut self, job: &Job, limit_us: u32) -> Result<Report, Self::Error> {
        self.inner.run(job, limit_us)
    }
}

fn runner() -> SimRunner {
    SimRunner::new(1 << 20).with_order_seed(tests::seed())
}

#[test]
fn every_qpu_passes_alone_and_all_pass_together() {
    let mut runner = runner();
    let all = (0..QPUS).map(QpuSet::only).chain([QpuSet::ALL]);
    for on in all {
        let verdict = round(&mut runner, on).expect("the round ends");
        let expected = Verdict {
            ran: on,
            ..Verdict::default()
        };
        assert_eq!(verdict, expected);
        assert!(verdict.is_right());
    }
}

#[test]
fn the_order_in_which_qpus_get_programs_is_found_out() {
    for order in [LaunchOrder::Descending, LaunchOrder::RoundSlices] {
        let constants = Constants {
            launch_order: order,
            ..Constants::recommended()
        };
        let mut runner = SimRunner::new(1 << 20).with(|config| config.constants = constants);
        let found = launch_order(&mut runner).expect("the programs end");
        assert_eq!(found, Some(order.order()));
    }
}

#[test]
fn an_order_in_which_a_qpu_is_missing_is_none() {
    let mut runner = Broken {
        inner: runner(),
        wrong: QpuSet::only(3),
        word: QPU_WORD,
    };
    let found = launch_order(&mut runner).expect("the programs end");
    assert_eq!(found, None);
}

#[test]
fn a_qpu_that_computes_wrongly_is_named_in_every_lane() {
    for (qpu, word) in [(0, 0), (3, 15), (7, 64), (11, 127)] {
        let mut runner = Broken {
            inner: runner(),
            wrong: QpuSet::only(qpu),
            word,
        };
        for on in [QpuSet::only(qpu), QpuSet::ALL] {
            let verdict = round(&mut runner, on).expect("the round ends");
            assert_eq!((verdict.ran, verdict.wrong), (on, QpuSet::only(qpu)));
            assert!(!verdict.is_right());
        }
        let other = QpuSet::only((qpu + 1) % QPUS);
        assert!(
            round(&mut runner, other)
                .expect("the round ends")
                .is_right()
        );
    }
}

#[test]
fn a_result_without_a_number_is_wrong_too() {
    let mut runner = Broken {
        inner: runner(),
        wrong: QpuSet::only(2),
        word: QPU_WORD,
    };
    let verdict = round(&mut runner, QpuSet::ALL).expect("the round ends");
    assert_eq!((verdict.wrong, verdict.unnamed), (QpuSet::NONE, 1));
    assert!(!verdict.is_right());
}

#[test]
fn a_runner_without_memory_is_an_error_and_all_qpus_are_free_again() {
    let mut runner = SimRunner::new(4096);
    assert!(round(&mut runner, QpuSet::only(3)).is_err());
    let hello = qpu_programs::hello::hello(&mut runner, 100, 1000);
    assert_eq!(hello.expect("any QPU does"), [0x1298; 16]);
}

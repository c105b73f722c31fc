//! The QPU self-test: hello and SHA-256, on chosen QPUs.
//!
//! Programs start on QPUs that the runner is told to use (SQRSV), and each program leaves the
//! number of the QPU it ran on beside its digests, so that a QPU that computes wrongly can be
//! named, alone or while all run. A round begins from empty memory and depends on nothing of the
//! one before. What is tested is the whole of a QPU's integer side, its registers, a TMU, the VPM
//! and the DMA store; the proofs of the plans ([`super::proof`]) see the float side.
//!
//! Simulated, not yet run on hardware.

use qpu::job::{Job, Launch, LaunchOrder, Program, QpuSet, Runner};
use qpu::machine::QPUS;
use qpu_programs::hello::{ADDED, hello};
use qpu_programs::sha256::{Answer, Group, Sha256, known};

/// The time that a round may take. All QPUs together take well under a millisecond (simulated).
pub const LIMIT_US: u32 = 50_000;

/// The number that hello adds to.
const NUMBER: u32 = 100;

/// The result of a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Verdict {
    /// QPUs on which a program ran, as the programs say.
    pub ran: QpuSet,
    /// Those of them that computed wrongly.
    pub wrong: QpuSet,
    /// Wrong results whose number is that of no QPU, or hello's, which says no number.
    pub unnamed: u32,
}

impl Verdict {
    /// Reports if all results were right.
    #[must_use]
    pub const fn is_right(&self) -> bool {
        self.wrong.is_empty() && self.unnamed == 0
    }
}

/// One round on the QPUs of `on`: hello on one of them, then SHA-256 on all at the same time. The
/// runner may use all QPUs afterwards, and has no buffers left.
///
/// # Errors
/// Those of the runner, when a program does not end or there is not enough memory.
pub fn round<R: Runner>(runner: &mut R, on: QpuSet) -> Result<Verdict, R::Error> {
    runner.release_all();
    runner.use_qpus(on);
    let verdict = round_on(runner, on);
    runner.use_qpus(QpuSet::ALL);
    runner.release_all();
    verdict
}

fn round_on<R: Runner>(runner: &mut R, on: QpuSet) -> Result<Verdict, R::Error> {
    let mut verdict = Verdict::default();
    let sums = hello(runner, NUMBER, LIMIT_US)?;
    verdict.unnamed += u32::from(sums != [NUMBER + ADDED; 16]);

    let count = on.numbers().count();
    sha256(runner, count, &mut |_, answer| {
        let qpu = u8::try_from(answer.qpu).map_or(QpuSet::NONE, QpuSet::only);
        verdict.ran = verdict.ran.with(qpu);
        if !known::are_right(&answer.digests) {
            verdict.wrong = verdict.wrong.with(qpu);
            verdict.unnamed += u32::from(qpu.is_empty());
        } else if qpu.is_empty() {
            verdict.unnamed += 1;
        }
    })?;
    Ok(verdict)
}

/// Finds the order in which QPUs get programs by running programs on all at once; `None` when they
/// do not name each QPU once. The runner may use all QPUs, and has no buffers, before and after.
///
/// # Errors
/// As [`round`].
pub fn launch_order<R: Runner>(runner: &mut R) -> Result<Option<LaunchOrder>, R::Error> {
    let mut qpus = [QPUS; QPUS as usize];
    runner.release_all();
    let result = sha256(runner, QPUS.into(), &mut |place, answer| {
        qpus[place] = u8::try_from(answer.qpu).unwrap_or(QPUS);
    });
    runner.release_all();
    result.map(|()| LaunchOrder::new(qpus))
}

/// SHA-256, queued `count` times at once, 1 to [`QPUS`]; `tell` gets what came of each, and its
/// place in the queue.
fn sha256<R: Runner>(
    runner: &mut R,
    count: usize,
    tell: &mut dyn FnMut(usize, Answer),
) -> Result<(), R::Error> {
    let mut sha256 = Sha256::new(runner)?;
    let first = sha256.load(runner, &known::messages())?;
    let mut groups = [first; QPUS as usize];
    for group in groups.iter_mut().take(count).skip(1) {
        *group = first.again(runner)?;
    }
    let groups = &groups[..count];
    let mut programs = [first.program(); QPUS as usize];
    for (program, group) in programs.iter_mut().zip(groups) {
        *program = group.program();
    }
    run(runner, &programs[..count])?;
    for (place, group) in groups.iter().enumerate() {
        tell(place, group.answer(runner)?);
    }
    Ok(())
}

fn run<R: Runner>(runner: &mut R, programs: &[Program]) -> Result<(), R::Error> {
    let launches = [Launch {
        programs,
        clear: Group::CLEAR,
        qpus: QpuSet::ALL,
    }];
    let job = Job {
        launches: &launches,
    };
    runner.run(&job, LIMIT_US).map(|_| ())
}

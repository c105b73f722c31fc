//! Running a list of launches, at once or step by step.
//!
//! Programs are queued as a driver would, by writes to SRQUA and SRQPC; a full queue is waited
//! for. The first fault, a deadlock or the clock limit ends the job.

use crate::chip::ROUND_CLOCKS;
use crate::config::Config;
use crate::counters::Statistics;
use crate::event::{DeadlockReport, Fault, Place, Warning};
use crate::launch::{self, AT_A_TIME, Progress, Stop};
use crate::memory::{Memory, SparseMemory};
use crate::observe::{Observer, Unobserved};
use crate::v3d::V3d;
use qpu::job::{CacheClear, Program};

/// Programs that are queued together; the next launch starts when all of them ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobLaunch {
    /// Queued in this order.
    pub programs: Vec<Program>,
    /// The V3D caches that are cleared before the first is queued.
    pub clear: CacheClear,
}

/// Settings of a job: those of its V3D.
pub type JobOptions = Config;

/// The end of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JobEnd {
    /// All programs ended.
    Completed,
    /// A QPU faulted; see [`Outcome::faults`].
    Fault,
    /// No QPU could go on; see [`Outcome::deadlock`].
    Deadlock,
    /// `limit_cycles` clocks passed.
    CycleLimit,
    /// The caller stopped it; only [`JobRun::outcome`] is asked for this.
    Interrupted,
}

/// The outcome of a job.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// Its end.
    pub end: JobEnd,
    /// True if the cycle model was at work: `cycles` and stalls are then figures for the chip.
    pub timed: bool,
    /// V3D clocks from the first request to the end.
    pub cycles: u64,
    /// Instructions, stalls, counters, TMU and DMA work, host interrupts.
    pub statistics: Statistics,
    /// The first ends the job; QPUs that fault in the same round are all here.
    pub faults: Vec<Fault>,
    /// The first of each kind, with its count.
    pub warnings: Vec<Warning>,
    /// The waits of all QPUs, when the job ended in a deadlock.
    pub deadlock: Option<DeadlockReport>,
    /// The place of every QPU whose program had not ended.
    pub running: Vec<Place>,
}

/// A job on its way, for callers that stop it now and then: debuggers, and tools that can be
/// interrupted.
pub struct JobRun {
    v3d: V3d,
    launches: Vec<JobLaunch>,
    /// The launch that runs.
    launch: usize,
    progress: Option<Progress>,
    rounds_left: u64,
    end: Option<JobEnd>,
}

impl JobRun {
    /// A V3D that is ready for the first launch.
    #[must_use]
    pub fn new(launches: Vec<JobLaunch>, options: &JobOptions) -> Self {
        let mut v3d = V3d::new(options.clone());
        launch::prepare(&mut v3d);
        Self {
            v3d,
            launches,
            launch: 0,
            progress: None,
            rounds_left: options.limit_cycles / ROUND_CLOCKS,
            end: None,
        }
    }

    /// Lets at most `rounds` rounds of 4 clocks pass; stops early at the end of a launch. How the
    /// job ended, once it has.
    pub fn advance<O: Observer>(
        &mut self,
        memory: &mut impl Memory,
        rounds: u64,
        observer: &mut O,
    ) -> Option<JobEnd> {
        let until = self.rounds_left.saturating_sub(rounds);
        while self.end.is_none() {
            let most = self.rounds_left.saturating_sub(until);
            self.end = self.step(memory, most, observer);
            // With none left the next step says whether that is the limit or the end.
            if (self.rounds_left <= until && self.rounds_left > 0) || self.progress.is_none() {
                break;
            }
        }
        self.end
    }

    /// Queues the programs of the next launch, so that a QPU has the first before any clock has
    /// passed, and without time each that there is a QPU for.
    pub fn begin(&mut self) {
        if let Some(JobLaunch { programs, clear }) = self.launches.get(self.launch) {
            if self.progress.is_none() {
                launch::clear_caches(&mut self.v3d, *clear);
            }
            let progress = self.progress.get_or_insert_default();
            progress.queue(&mut self.v3d, programs);
        }
    }

    /// Lets QPUs go on that stand still after a breakpoint signal.
    pub fn release_halted(&mut self) {
        launch::release_halted(&mut self.v3d);
    }

    fn step<O: Observer>(
        &mut self,
        memory: &mut impl Memory,
        rounds: u64,
        observer: &mut O,
    ) -> Option<JobEnd> {
        if self.progress.is_none() {
            self.begin();
        }
        let (Some(JobLaunch { programs, .. }), Some(progress)) =
            (self.launches.get(self.launch), &mut self.progress)
        else {
            return Some(JobEnd::Completed);
        };
        let (v3d, left) = (&mut self.v3d, &mut self.rounds_left);
        match progress.step(v3d, memory, programs, rounds.min(AT_A_TIME), left, observer) {
            Ok(false) => None,
            Ok(true) => {
                self.launch += 1;
                self.progress = None;
                None
            }
            Err(Stop::Fault) => Some(JobEnd::Fault),
            Err(Stop::Deadlock) => Some(JobEnd::Deadlock),
            Err(Stop::Limit) => Some(JobEnd::CycleLimit),
        }
    }

    /// Its end, once it has ended.
    #[must_use]
    pub fn end(&self) -> Option<JobEnd> {
        self.end
    }

    /// The launch that runs, or that runs next: its place in the list.
    #[must_use]
    pub fn launch(&self) -> usize {
        self.launch
    }

    /// The block, to look at.
    #[must_use]
    pub fn v3d(&self) -> &V3d {
        &self.v3d
    }

    /// The outcome so far; `end` is the end given for a job that has not ended.
    #[must_use]
    pub fn outcome(&self, end: JobEnd) -> Outcome {
        let (v3d, end) = (&self.v3d, self.end.unwrap_or(end));
        Outcome {
            end,
            timed: v3d.config().is_timed(),
            cycles: v3d.clocks(),
            statistics: v3d.statistics(),
            faults: v3d.faults().to_vec(),
            warnings: v3d.warnings().cloned().collect(),
            deadlock: (end == JobEnd::Deadlock).then(|| v3d.deadlock_report()),
            running: v3d.running(),
        }
    }
}

/// Runs `launches` one after the other on `memory`, which then holds what the programs stored.
///
/// This is compiled with the simulator, so it is fast in debug builds of its users, too;
/// [`run_job_observed`] takes any memory.
#[must_use]
pub fn run_job(memory: &mut SparseMemory, launches: &[JobLaunch], options: &JobOptions) -> Outcome {
    run_job_observed(memory, launches, options, &mut Unobserved)
}

/// Like [`run_job`], with an observer.
#[must_use]
pub fn run_job_observed<O: Observer>(
    memory: &mut impl Memory,
    launches: &[JobLaunch],
    options: &JobOptions,
    observer: &mut O,
) -> Outcome {
    let mut run = JobRun::new(launches.to_vec(), options);
    // The limit of cycles ends every job.
    loop {
        if let Some(end) = run.advance(memory, u64::MAX, observer) {
            return run.outcome(end);
        }
    }
}

//! Running a list of launches on a sparse memory, for `qpuscope run`.
//!
//! Programs are queued as a driver would, by writes to SRQUA and SRQPC; a full queue is waited
//! for. The first fault, a deadlock or the clock limit ends the job.

use crate::config::{Config, DEFAULT_CLOCK_HZ};
use crate::counters::{ROUND_CLOCKS, Statistics};
use crate::event::{DeadlockReport, Fault, Place, Warning};
use crate::launch::{self, Stop};
use crate::memory::SparseMemory;
use crate::v3d::V3d;
use qpu::job::{CacheClear, Program};

/// Programs that are queued together; the next launch starts when all of them ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobLaunch {
    /// Queued in this order.
    pub programs: Vec<Program>,
    /// Which V3D caches are cleared before the first is queued.
    pub clear: CacheClear,
}

/// How a job is run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobOptions {
    /// V3D clock in hertz.
    pub clock_hz: u32,
    /// The most V3D clocks that the whole job may take.
    pub limit_cycles: u64,
    /// The order in which QPUs advance; see [`Config::order_seed`].
    pub order_seed: Option<u64>,
    /// Warnings stop the job.
    pub strict: bool,
}

impl Default for JobOptions {
    fn default() -> Self {
        Self {
            clock_hz: DEFAULT_CLOCK_HZ,
            limit_cycles: 1_000_000_000,
            order_seed: None,
            strict: false,
        }
    }
}

/// How a job ended.
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
}

/// What a job did.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// How it ended.
    pub end: JobEnd,
    /// V3D clocks from the first request to the end.
    pub cycles: u64,
    /// Instructions, stalls, counters, TMU and DMA work, host interrupts.
    pub statistics: Statistics,
    /// The first ends the job; QPUs that fault in the same round are all here.
    pub faults: Vec<Fault>,
    /// The first of each kind, with its count.
    pub warnings: Vec<Warning>,
    /// Who waited for what, when the job ended in a deadlock.
    pub deadlock: Option<DeadlockReport>,
    /// Where every QPU was whose program had not ended.
    pub running: Vec<Place>,
}

/// Runs `launches` one after the other on `memory`, which then holds what the programs stored.
#[must_use]
pub fn run_job(memory: &mut SparseMemory, launches: &[JobLaunch], options: &JobOptions) -> Outcome {
    let mut v3d = V3d::new(Config {
        clock_hz: options.clock_hz,
        order_seed: options.order_seed,
        strict: options.strict,
        ..Config::default()
    });
    launch::prepare(&mut v3d);
    let mut rounds_left = options.limit_cycles / ROUND_CLOCKS;
    let mut end = JobEnd::Completed;
    for JobLaunch { programs, clear } in launches {
        launch::clear_caches(&mut v3d, *clear);
        if let Err(stop) = launch::run(&mut v3d, memory, programs, &mut rounds_left) {
            end = match stop {
                Stop::Fault => JobEnd::Fault,
                Stop::Deadlock => JobEnd::Deadlock,
                Stop::Limit => JobEnd::CycleLimit,
            };
            break;
        }
    }
    Outcome {
        end,
        cycles: v3d.clocks(),
        statistics: v3d.statistics(),
        faults: v3d.faults().to_vec(),
        warnings: v3d.warnings().cloned().collect(),
        deadlock: (end == JobEnd::Deadlock).then(|| v3d.deadlock_report()),
        running: v3d.running(),
    }
}

//! A [`qpu::job::Runner`] on a simulated V3D with its own RAM, for host tests.
//!
//! It is strict unless told otherwise: a program that breaks a rule stops with a sentence that says
//! which, where. Memory outside the buffers is not there.

use crate::chip::ROUND_CLOCKS;
use crate::config::Config;
use crate::counters::Statistics;
use crate::defect::Defect;
use crate::event::Warning;
use crate::launch::{self, Stop};
use crate::memory::Memory;
use crate::observe::{Observer, Unobserved};
use crate::ram::Ram;
use crate::v3d::V3d;
use qpu::job::{Buffer, BusAddr, Job, LaunchOrder, QpuSet, Report, Runner};
use std::fmt;

/// Runs jobs on a simulated V3D with RAM of its own, at bus address 0x4000_0000.
pub struct SimRunner {
    v3d: V3d,
    ram: Ram,
    qpus: QpuSet,
}

/// Why a [`SimRunner`] could not do what it was asked for.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SimError(String);

/// The text as displayed, so that `unwrap` in a test shows the report.
impl fmt::Debug for SimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl SimRunner {
    /// A runner with `ram_bytes` of RAM and a strict V3D, QPUs advancing in their fixed order.
    #[must_use]
    pub fn new(ram_bytes: u32) -> Self {
        let config = Config {
            strict: true,
            ..Config::default()
        };
        Self::with_config(ram_bytes, config)
    }

    /// A runner with `ram_bytes` of RAM and a V3D with these settings.
    #[must_use]
    pub fn with_config(ram_bytes: u32, config: Config) -> Self {
        let mut runner = Self {
            v3d: V3d::new(config),
            ram: Ram::new(ram_bytes),
            qpus: QpuSet::ALL,
        };
        runner.prepare();
        runner
    }

    /// Makes a new V3D ready for programs.
    fn prepare(&mut self) {
        launch::prepare(&mut self.v3d);
        launch::reserve(&mut self.v3d, self.qpus);
    }

    /// The runner with some settings changed.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Config)) -> Self {
        let mut config = self.v3d.config().clone();
        change(&mut config);
        self.v3d = V3d::new(config);
        self.prepare();
        self
    }

    /// The runner with QPUs advancing in the order that `seed` makes.
    #[must_use]
    pub fn with_order_seed(self, seed: u64) -> Self {
        self.with(|config| config.order_seed = Some(seed))
    }

    /// The runner without the cycle model, or with it.
    #[must_use]
    pub fn with_functional(self, functional: bool) -> Self {
        self.with(|config| config.functional = functional)
    }

    /// The runner with warnings that only warn, or stop the job (the default).
    #[must_use]
    pub fn with_strict(self, strict: bool) -> Self {
        self.with(|config| config.strict = strict)
    }

    /// Breaks something from now on, or repairs it: [`V3d::set_defect`].
    pub fn set_defect(&mut self, defect: Option<Defect>) {
        self.v3d.set_defect(defect);
    }

    /// True if the cycle model is at work.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.v3d.config().is_timed()
    }

    /// The work of V3D since the runner was made, or since a job failed.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.v3d.statistics()
    }

    /// The first warning of each kind, with its count; empty when strict.
    #[must_use]
    pub fn warnings(&self) -> Vec<Warning> {
        self.v3d.warnings().cloned().collect()
    }

    /// The bus address of a part of a buffer.
    fn range(buffer: Buffer, first: u32, words: usize) -> Result<u32, SimError> {
        let start = u64::from(first) * 4;
        if start + words as u64 * 4 > u64::from(buffer.bytes) {
            return Err(SimError(format!(
                "words {first}..{} do not lie in a buffer of {} bytes",
                u64::from(first) + words as u64,
                buffer.bytes
            )));
        }
        Ok(buffer.addr.0 + start as u32)
    }

    /// The reason why a job stopped, as text; V3D is then as after a power cycle.
    fn failed(&mut self, stop: Stop, limit_us: u32) -> SimError {
        let text = match stop {
            Stop::Fault => {
                let faults: Vec<String> =
                    self.v3d.faults().iter().map(ToString::to_string).collect();
                faults.join("\n")
            }
            Stop::Deadlock => self.v3d.deadlock_report().to_string(),
            Stop::Limit => {
                let places: Vec<String> = self
                    .v3d
                    .running()
                    .iter()
                    .map(|place| format!("  {place} runs"))
                    .collect();
                format!(
                    "programs did not end within {limit_us} us\n{}",
                    places.join("\n")
                )
            }
        };
        self.v3d = V3d::new(self.v3d.config().clone());
        self.prepare();
        SimError(text)
    }
}

impl Runner for SimRunner {
    type Error = SimError;

    fn alloc(&mut self, bytes: u32, align: u32) -> Result<Buffer, SimError> {
        if !align.is_power_of_two() {
            return Err(SimError(format!(
                "an alignment of {align} is not a power of two"
            )));
        }
        match self.ram.alloc(bytes, align) {
            Some(addr) => Ok(Buffer {
                addr: BusAddr(addr),
                bytes,
            }),
            None => Err(SimError(format!(
                "no room for {bytes} bytes: {} are left; make the runner with more RAM",
                self.ram.free()
            ))),
        }
    }

    fn release_all(&mut self) {
        self.ram.release_all();
    }

    fn write(&mut self, buffer: Buffer, first: u32, words: &[u32]) -> Result<(), SimError> {
        let addr = Self::range(buffer, first, words.len())?;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.v3d.memory_changed(addr, bytes.len() as u32);
        self.ram
            .write(addr, &bytes)
            .map_err(|_| SimError("the buffer has been released".into()))
    }

    fn read(&mut self, buffer: Buffer, first: u32, words: &mut [u32]) -> Result<(), SimError> {
        let addr = Self::range(buffer, first, words.len())?;
        let mut bytes = vec![0; words.len() * 4];
        self.ram
            .read(addr, &mut bytes)
            .map_err(|_| SimError("the buffer has been released".into()))?;
        for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(4)) {
            *word = u32::from_le_bytes(bytes.try_into().expect("chunks of 4"));
        }
        Ok(())
    }

    fn use_qpus(&mut self, qpus: QpuSet) {
        self.qpus = qpus;
    }

    fn launch_order(&self) -> LaunchOrder {
        let order = self.v3d.config().constants.launch_order;
        order.order().on(self.qpus)
    }

    fn run(&mut self, job: &Job, limit_us: u32) -> Result<Report, SimError> {
        self.run_observed(job, limit_us, &mut Unobserved)
    }
}

impl SimRunner {
    /// Like [`Runner::run`], with an observer.
    ///
    /// # Errors
    /// Like [`Runner::run`].
    pub fn run_observed<O: Observer>(
        &mut self,
        job: &Job,
        limit_us: u32,
        observer: &mut O,
    ) -> Result<Report, SimError> {
        let clock_hz = u64::from(self.v3d.config().clock_hz);
        let start = self.v3d.clocks();
        let mut programs = 0;
        for launch in job.launches {
            let mut rounds_left = u64::from(limit_us) * clock_hz / 1_000_000 / ROUND_CLOCKS;
            launch::reserve(&mut self.v3d, self.qpus.common(launch.qpus));
            launch::clear_caches(&mut self.v3d, launch.clear);
            launch::run(
                &mut self.v3d,
                &mut self.ram,
                launch.programs,
                &mut rounds_left,
                observer,
            )
            .map_err(|stop| self.failed(stop, limit_us))?;
            programs += launch.programs.len() as u32;
        }
        let cycles = self.v3d.clocks() - start;
        let elapsed_us = (cycles * 1_000_000).div_ceil(clock_hz) as u32;
        Ok(Report {
            elapsed_us,
            cycles: Some(cycles),
            programs,
        })
    }
}

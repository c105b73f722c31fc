//! A [`qpu::job::Runner`] on a simulated V3D with its own RAM, for host tests.

use crate::config::Config;
use qpu::job::{Buffer, Job, Report, Runner};
use std::fmt;

/// Runs jobs on a simulated V3D with RAM of its own, at bus address 0x4000_0000.
pub struct SimRunner {
    config: Config,
}

/// Why a [`SimRunner`] could not do what it was asked for.
#[derive(Clone, PartialEq, Eq)]
pub struct SimError(String);

impl fmt::Display for SimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for SimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SimError {}

impl SimRunner {
    /// A runner with `ram_bytes` of RAM and a strict V3D, QPUs advancing in their fixed order.
    #[must_use]
    pub fn new(_ram_bytes: u32) -> Self {
        Self {
            config: Config {
                strict: true,
                ..Config::default()
            },
        }
    }

    /// The same with QPUs advancing in the order that `seed` makes.
    #[must_use]
    pub fn with_order_seed(mut self, seed: u64) -> Self {
        self.config.order_seed = Some(seed);
        self
    }

    /// The same with warnings that only warn, or stop the job (the default).
    #[must_use]
    pub fn with_strict(mut self, strict: bool) -> Self {
        self.config.strict = strict;
        self
    }
}

impl Runner for SimRunner {
    type Error = SimError;

    fn alloc(&mut self, _bytes: u32, _align: u32) -> Result<Buffer, SimError> {
        Err(SimError("the simulator is not in the tree yet".into()))
    }

    fn release_all(&mut self) {}

    fn write(&mut self, _buffer: Buffer, _first: u32, _words: &[u32]) -> Result<(), SimError> {
        Err(SimError("the simulator is not in the tree yet".into()))
    }

    fn read(&mut self, _buffer: Buffer, _first: u32, _words: &mut [u32]) -> Result<(), SimError> {
        Err(SimError("the simulator is not in the tree yet".into()))
    }

    fn run(&mut self, _job: &Job, _limit_us: u32) -> Result<Report, SimError> {
        Err(SimError("the simulator is not in the tree yet".into()))
    }
}

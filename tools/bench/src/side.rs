//! Measurements of one side: ours or the peer's.

use crate::case::Case;
use crate::samples::Stimulus;
use anyhow::Result;
use fidelity::machine::Run;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use v3d_sim::{Board, Statistics};

/// Two launches of one program or plan on a machine of their own.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Side {
    /// Times that all data go through memory.
    pub passes: u32,
    /// V3D clocks of the first launch.
    pub cold_cycles: u64,
    /// V3D clocks of the second launch.
    pub cycles: u64,
    /// The clocks where all of a plan's reads go through alias 0x4 and allocate in the system L2;
    /// `None` where that was not run, as of the peer, which reads so anyway.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allocating_cycles: Option<u64>,
    /// Instructions of all QPUs in the second launch.
    pub instructions: u64,
    /// Relative rms error with the stimulus of hello_fft, in parts per million.
    pub hello_ppm: f64,
    /// The error with uniform random numbers.
    pub random_ppm: f64,
    /// The work of the second launch.
    pub work: Work,
}

/// V3D clocks of a Pi 1 as microseconds.
#[must_use]
pub fn microseconds(clocks: f64) -> f64 {
    clocks * 1e6 / f64::from(Board::Pi1.clock_hz())
}

/// The work of shared units, and the waits of QPUs.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Work {
    /// Clocks for which QPUs had programs, all together.
    pub active: u64,
    /// TMU lookups of 16 lanes.
    pub tmu_lookups: u64,
    /// Lines that TMUs did not find in their own caches.
    pub tmu_misses: u64,
    /// Lines that the L2C had, and had not.
    pub l2c: (u64, u64),
    /// DMA stores.
    pub stores: u64,
    /// Bytes that they stored.
    pub stored_bytes: u64,
    /// DMA loads.
    pub loads: u64,
    /// Lines of code that instruction caches did not hold.
    pub code_misses: u64,
    /// Clocks for which QPUs waited, all together, by what for.
    pub stall: BTreeMap<String, u64>,
}

/// QPUs of the chip.
const QPUS: f64 = 12.0;

/// V3D clocks in which a QPU issues one instruction.
const SLOT_CLOCKS: f64 = 4.0;

impl Side {
    /// The side of a program or plan with so many passes, by two launches: the first with the
    /// stimulus of hello_fft, the second with random numbers. `launch` gives the run and its error.
    ///
    /// # Errors
    /// Those of `launch`.
    pub fn of(passes: u32, mut launch: impl FnMut(Stimulus) -> Result<(Run, f64)>) -> Result<Self> {
        let (cold, hello_ppm) = launch(Stimulus::HelloFft)?;
        let (steady, random_ppm) = launch(Stimulus::Random)?;
        Ok(Self {
            passes,
            cold_cycles: cold.clocks,
            cycles: steady.clocks,
            allocating_cycles: None,
            instructions: steady.statistics.instructions.iter().sum(),
            hello_ppm,
            random_ppm,
            work: Work::new(&steady.statistics),
        })
    }

    /// Microseconds of the second launch.
    #[must_use]
    pub fn us(&self) -> f64 {
        microseconds(self.cycles as f64)
    }

    /// Microseconds where all reads allocate in the system L2.
    #[must_use]
    pub fn allocating_us(&self) -> Option<f64> {
        let cycles = self.allocating_cycles?;
        Some(microseconds(cycles as f64))
    }

    /// GFLOPS, by 5 N log2 N.
    #[must_use]
    pub fn gflops(&self, case: &Case) -> f64 {
        case.flops() as f64 / (1e3 * self.us())
    }

    /// GB/s of input, output, and all points between passes.
    #[must_use]
    pub fn gigabytes_per_second(&self, case: &Case) -> f64 {
        self.moved(case) as f64 / (1e3 * self.us())
    }

    /// Instructions over what all twelve QPUs could have issued.
    #[must_use]
    pub fn slot_use(&self) -> f64 {
        self.instructions as f64 * SLOT_CLOCKS / (self.cycles as f64 * QPUS)
    }

    /// Bytes that it moves: input and output, and what goes to memory between passes.
    #[must_use]
    pub fn moved(&self, case: &Case) -> u64 {
        case.moved(self.passes)
    }
}

impl Work {
    /// The work in the statistics of one launch.
    #[must_use]
    pub fn new(statistics: &Statistics) -> Self {
        let mut stall = BTreeMap::new();
        for (cause, clocks) in statistics.stall.iter().flatten() {
            *stall.entry((*cause).to_owned()).or_default() += clocks;
        }
        let count = |source: usize| statistics.counters[source];
        Self {
            active: count(14),
            tmu_lookups: statistics.tmu_requests,
            tmu_misses: count(25),
            l2c: (count(28), count(29)),
            stores: statistics.vdw.commands,
            stored_bytes: statistics.vdw.bytes,
            loads: statistics.vdr.commands,
            code_misses: count(21),
            stall,
        }
    }
}

//! Running GPU_FFT's test for many batches, on as many threads as the machine has.
//!
//! One run of a batch gives its time, its counters and its error; rows share them. Each run has a
//! machine of its own, so that the order in which they end changes nothing.

use crate::gpu_fft::{Error, Shape, hello_fft};
use crate::machine::config;
use crate::parallel::in_parallel;
use crate::userland::Userland;
use std::collections::{BTreeMap, BTreeSet};
use v3d_sim::{Board, Constants, SOURCES};

/// A run that is asked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Wanted {
    /// The batch.
    pub shape: Shape,
    /// Results and counts only.
    pub functional: bool,
}

impl Wanted {
    /// Points, by which the time that a run takes grows.
    const fn points(&self) -> u64 {
        (self.shape.jobs as u64) << self.shape.log2n
    }
}

/// The result of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Measured {
    /// V3D clocks from the first request to the end; no figure for the chip when functional.
    pub clocks: u64,
    /// Instructions of all QPUs.
    pub instructions: u64,
    /// Performance counters by source.
    pub counters: [u64; SOURCES],
    /// Clocks for which QPUs were stalled, all together, by cause.
    pub stall: BTreeMap<&'static str, u64>,
    /// Error relative to the signal, parts per million.
    pub ppm: f64,
}

/// Runs by what was wanted.
pub type Measurements = BTreeMap<Wanted, Measured>;

/// Runs all of them on a Pi 1 with `constants`, the longest first. `progress` is told what is done.
///
/// # Errors
/// The first that happened; runs under way are finished.
pub fn measure(
    userland: &Userland,
    wanted: &BTreeSet<Wanted>,
    constants: &Constants,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Measurements, Error> {
    let wanted: Vec<Wanted> = wanted.iter().copied().collect();
    let measured = in_parallel(&wanted, Wanted::points, |next| {
        let result = run(userland, *next, constants);
        progress(&next.shape.name());
        result
    })?;
    Ok(wanted.into_iter().zip(measured).collect())
}

/// One run.
///
/// # Errors
/// When the batch cannot be made, or a program faults or does not end.
pub fn run(userland: &Userland, wanted: Wanted, constants: &Constants) -> Result<Measured, Error> {
    let mut config = config(Board::Pi1, constants);
    config.functional = wanted.functional;
    let outcome = hello_fft::run(userland, wanted.shape, config)?;
    let statistics = outcome.run.statistics;
    let mut stall = BTreeMap::new();
    for (cause, clocks) in statistics.stall.iter().flatten() {
        *stall.entry(*cause).or_default() += clocks;
    }
    Ok(Measured {
        clocks: outcome.run.clocks,
        instructions: statistics.instructions.iter().sum(),
        counters: statistics.counters,
        stall,
        ppm: 1e6 * outcome.relative_rms_error,
    })
}

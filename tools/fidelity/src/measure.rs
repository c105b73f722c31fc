//! Running GPU_FFT's test for many batches, on as many threads as the machine has.
//!
//! One run of a batch gives its time, its counters and its error; rows share them. Each run has a
//! machine of its own, so that the order in which they end changes nothing.

use crate::gpu_fft::hello_fft::{self, Outcome};
use crate::gpu_fft::{Error, Shape};
use crate::machine::config;
use crate::parallel::in_parallel;
use crate::userland::Userland;
use std::collections::{BTreeMap, BTreeSet};
use v3d_sim::{Board, Constants};

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

/// Runs by what was wanted.
pub type Measurements = BTreeMap<Wanted, Outcome>;

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
pub fn run(userland: &Userland, wanted: Wanted, constants: &Constants) -> Result<Outcome, Error> {
    let mut config = config(Board::Pi1, constants);
    config.functional = wanted.functional;
    hello_fft::run(userland, wanted.shape, config)
}

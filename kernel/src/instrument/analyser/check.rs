//! Checks of a plan while it computes.
//!
//! One block in [`BLOCKS_A_CHECK`] goes through the same programs by itself, and the energy of its
//! bins is compared with that of its samples; every [`FULL_CHECK_US`] each of its bins is compared
//! with the ARM's. When a check fails, the plan is dropped, and everything that it computed since
//! the check before is in doubt.
//!
//! Where the QPUs make powers, the block of a check stands between those that were begun before and
//! the ones that it is taken from. These are begun again when it fails.

use dsp::Complex;
use wire::Doubt;

use super::trust::Finding;
use super::{Analyser, go_on, on};
use crate::engine::proof::{self, Block, LIMIT_PPB};
use crate::engine::{Candidate, EngineError, Fft, Manner, Samples, Spectra};
use crate::instrument::board::{Board, SECOND_US};

/// Blocks from one check to the next.
pub const BLOCKS_A_CHECK: u32 = 64;
/// Time between two checks of all bins.
pub const FULL_CHECK_US: u64 = 10_000_000;
/// The error that the energy of a block may have. The QPUs lose a part of it to truncation, less
/// than 10^-5 (simulated, of noise).
const ENERGY_TOLERANCE: f64 = 1e-4;

/// The checks of a stream.
#[derive(Default)]
pub(super) struct Checks {
    /// Blocks of the stream since the last check.
    since: u32,
    /// The first sample whose result no check has vouched for: of energy, and of all bins.
    unchecked_from: [u64; 2],
    /// When all bins were compared last, since the start.
    full_us: u64,
    /// Samples of the stream whose results may be wrong.
    pub doubt: Option<Doubt>,
    /// The check that is under way.
    pub(super) under_way: Option<Begun>,
}

/// A check of energy that the QPUs have begun.
#[derive(Clone, Copy)]
pub(super) struct Begun {
    candidate: Candidate,
    alone: Spectra,
    /// The energy that its bins should have.
    energy: f64,
    /// The first sample of its block.
    first: u64,
    /// Lots of blocks that were begun before and are not finished.
    pub behind: usize,
}

/// A check that is due.
#[derive(Clone, Copy)]
pub(super) struct Due {
    /// All bins are compared.
    is_full: bool,
    now_us: u64,
}

impl Checks {
    /// A stream begins at its sample 0.
    pub(super) fn begin(&mut self) {
        *self = Self {
            full_us: self.full_us,
            ..Self::default()
        };
    }

    /// The check that is due before so many blocks; these are counted otherwise.
    pub(super) fn due(&mut self, blocks: u32, now_us: u64) -> Option<Due> {
        let is_full = now_us >= self.full_us + FULL_CHECK_US;
        let since = self.since.saturating_add(blocks);
        if since < BLOCKS_A_CHECK && !is_full {
            self.since = since;
            return None;
        }
        Some(Due { is_full, now_us })
    }

    /// Reports if a check may be due before so many blocks.
    pub(super) fn is_near(&self, blocks: u32, now_us: u64) -> bool {
        self.since.saturating_add(blocks) >= BLOCKS_A_CHECK
            || now_us + SECOND_US >= self.full_us + FULL_CHECK_US
    }
}

impl<Q: Fft> Analyser<'_, Q> {
    /// Checks the plan that is about to do the next blocks; it is dropped when it fails. The first
    /// of them is in the history.
    pub(super) fn check(&mut self, candidate: &Candidate, due: Due, board: &mut impl Board) {
        let (Due { is_full, now_us }, start_us) = (due, board.now_us());
        self.checks.since = 0;
        if is_full {
            self.checks.full_us = now_us;
        }
        let is_begun = !is_full && self.begin_check(candidate);
        let found = (!is_begun).then(|| self.check_block(candidate, is_full));
        let costs = &mut self.trust.costs;
        costs.checks = costs.checks.saturating_add(1);
        costs.check_us += board.now_us().saturating_sub(start_us);
        if let Some(found) = found {
            let first = self.in_stream(self.next_block());
            self.judge_check(*candidate, first, found, is_full);
        }
    }

    /// Begins a check of energy; reports if it could be.
    fn begin_check(&mut self, candidate: &Candidate) -> bool {
        let Candidate::Power(spectra) = candidate else {
            return false;
        };
        let (alone, behind) = (spectra.alone(), self.lots());
        let ahead = self.in_history(self.next_block());
        // With no blocks before it, it may have to be planned, and others made room for it.
        if behind == 0 || self.checks.under_way.is_some() {
            return false;
        }
        self.gain(alone.window, alone.points());
        let coding = alone.coding;
        let window = &self.buffers.window[..alone.points()];
        let samples = &self.buffers.history.words()[coding.words(ahead)..];
        let samples = &samples[..coding.words(alone.points())];
        let copied = Samples::Copied(samples);
        let started = on(&mut self.qpu).and_then(|qpu| qpu.start_power(&alone, window, copied));
        if started.is_err() {
            return false;
        }
        // While the QPUs are at work.
        let qpu = &mut self.qpu;
        let energy = proof::energy_in(&alone, window, samples, || go_on(qpu));
        self.checks.under_way = Some(Begun {
            candidate: *candidate,
            alone,
            energy,
            first: self.in_stream(self.next_block()),
            behind,
        });
        true
    }

    /// Finishes the check that is under way, whose powers are there or lost. When it fails, what
    /// was begun behind it is begun again.
    pub(super) fn finish_check(&mut self, check: Begun) {
        self.checks.under_way = None;
        let got = &mut self.buffers.got[..check.alone.held()];
        got.fill(0.0);
        let result = on(&mut self.qpu).and_then(|qpu| qpu.finish_power(got));
        let found = result.map(|_| energy_ppb(proof::energy_out(&check.alone, got), check.energy));
        if !self.judge_check(check.candidate, check.first, found, false) {
            self.begin_again();
        }
    }

    /// Judges the check of a block that begins at a sample of the stream; reports if it passed.
    fn judge_check(
        &mut self,
        candidate: Candidate,
        first: u64,
        found: Result<u32, EngineError>,
        is_full: bool,
    ) -> bool {
        let finding = match found {
            Ok(error_ppb) if error_ppb <= limit_ppb(is_full) => {
                let [energy, bins] = &mut self.checks.unchecked_from;
                *energy = first;
                if is_full {
                    *bins = first;
                }
                return true;
            }
            Ok(error_ppb) => Finding::Check { error_ppb, is_full },
            Err(error) => Finding::Failed(error),
        };
        let [energy, bins] = self.checks.unchecked_from;
        // What changes no energy only a check of all bins finds.
        let (from, until) = (if is_full { bins } else { energy }, first);
        // What is begun by now is in doubt; of a stream that has just begun nothing is.
        if from < until {
            let before = self.checks.doubt.map_or(from, |doubt| doubt.from.min(from));
            self.checks.doubt = Some(Doubt {
                from: before,
                until,
            });
        }
        self.checks.unchecked_from = [until; 2];
        self.drop_plan(candidate, finding);
        false
    }

    /// The difference between what a plan makes of the next block and what it should, in parts of
    /// 10^9.
    fn check_block(&mut self, candidate: &Candidate, is_full: bool) -> Result<u32, EngineError> {
        match candidate {
            Candidate::Power(spectra) => self.check_power(&spectra.alone(), is_full),
            Candidate::Transform { log2n, manner } => {
                self.check_transform((*log2n, *manner), is_full)
            }
        }
    }

    fn check_power(&mut self, alone: &Spectra, is_full: bool) -> Result<u32, EngineError> {
        let points = alone.points();
        let gain = self.gain(alone.window, points);
        let ahead = self.in_history(self.next_block());
        let buffers = &mut self.buffers;
        let held = alone.held();
        let window = &buffers.window[..points];
        // The next block begins in a word: the first, or one behind blocks that begin in words.
        let samples = &buffers.history.words()[alone.coding.words(ahead)..];
        let samples = &samples[..alone.coding.words(points)];
        let got = &mut buffers.got[..held];
        got.fill(0.0);
        // While the QPUs do what was begun before.
        let qpu = &mut self.qpu;
        let energy = (!is_full).then(|| proof::energy_in(alone, window, samples, || go_on(qpu)));
        let qpu = on(&mut self.qpu)?;
        let result = match qpu.take_power(alone, window, samples, got) {
            // Not every split of many blocks can do one: then that of one block does it.
            Err(EngineError::NotAvailable) => {
                let own = Spectra {
                    split_for: 0,
                    ..*alone
                };
                qpu.take_power(&own, window, samples, got)
            }
            result => result,
        };
        result?;
        if let Some(wanted) = energy {
            return Ok(energy_ppb(proof::energy_out(alone, got), wanted));
        }
        let wanted = &mut buffers.wanted[..held];
        wanted.fill(0.0);
        let block = Block {
            samples,
            first: 0,
            is_pair: false,
        };
        let work = &mut *buffers.work;
        proof::power_by_the_arm(&mut self.cpu, alone, (window, gain), block, work, wanted)?;
        Ok(silent_or(wanted, || proof::spectra_ppb(alone, got, wanted)))
    }

    fn check_transform(
        &mut self,
        (log2n, manner): (u32, Manner),
        is_full: bool,
    ) -> Result<u32, EngineError> {
        self.load_block(0);
        let n = self.shape.n;
        let squares = |work: &[Complex<f32>], held: &mut [f64]| {
            for (held, z) in held.iter_mut().zip(work) {
                *held = f64::from(z.re) * f64::from(z.re) + f64::from(z.im) * f64::from(z.im);
            }
        };
        squares(&self.buffers.work[..n], &mut self.buffers.wanted[..n]);
        let energy = self.buffers.wanted[..n].iter().sum::<f64>() * n as f64;
        let qpu = on(&mut self.qpu)?;
        qpu.prepare(log2n, manner)?;
        qpu.transform(dsp::Direction::Forward, &mut self.buffers.work[..n])?;
        squares(&self.buffers.work[..n], &mut self.buffers.got[..n]);
        if !is_full {
            let got = self.buffers.got[..n].iter().sum();
            return Ok(energy_ppb(got, energy));
        }
        self.load_block(0);
        self.cpu.prepare(log2n)?;
        self.cpu
            .transform(dsp::Direction::Forward, &mut self.buffers.work[..n])?;
        let wanted = &mut self.buffers.wanted[..n];
        squares(&self.buffers.work[..n], wanted);
        let got = &self.buffers.got[..n];
        Ok(silent_or(wanted, || proof::difference_ppb(got, wanted)))
    }
}

/// The largest error that a check may find.
fn limit_ppb(is_full: bool) -> u32 {
    if is_full {
        LIMIT_PPB
    } else {
        (1e9 * ENERGY_TOLERANCE) as u32
    }
}

/// Relative difference of energies in parts of 10^9; none where they are too small or too great for
/// single precision.
fn energy_ppb(got: f64, wanted: f64) -> u32 {
    const SMALLEST: f64 = 1e-28;
    const GREATEST: f64 = 1e36;
    if !(SMALLEST..=GREATEST).contains(&wanted) {
        return 0;
    }
    let ppb = 1e9 * (got - wanted).abs() / wanted;
    if ppb.is_nan() { u32::MAX } else { ppb as u32 }
}

/// Nothing differs where there is nothing.
fn silent_or(wanted: &[f64], difference: impl FnOnce() -> u32) -> u32 {
    let energy: f64 = wanted.iter().sum();
    if energy_ppb(0.0, energy) == 0 {
        0
    } else {
        difference()
    }
}

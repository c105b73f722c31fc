//! The choice of a plan: the QPUs compute with the first that has proven itself on this board.
//!
//! Each kind of record has a line of plans: the fastest, the conservative one, then the ARM. A plan
//! is held to the ARM on noise before its first result is used ([`crate::engine::proof`]); one that
//! is wrong or fails is dropped, alone, and the next in line is tried. Plans are checked while they
//! compute as well ([`super::check`]), and a plan that fails such a check is dropped, too.

use heapless::Deque;

use super::super::board::{Board, Stage};
use super::super::settings::EngineChoice;
use super::{Analyser, Buffers, on};
use crate::engine::proof::{self, Bench, Proof};
use crate::engine::{Candidate, EngineError, EngineKind, Fft, Manner, Spectra};

/// Kinds that are remembered as dropped. One that is forgotten is proven again, and dropped again.
const DROPPED: usize = 16;
/// Drops that wait to be reported.
const REPORTS: usize = 4;

/// A finding about a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::instrument) enum Finding {
    /// The result of its proof on noise, before it was used.
    Proof(Proof),
    /// It could not be run.
    Failed(EngineError),
    /// A check while it was used found another energy, or other bins.
    Check {
        /// Difference in parts of 10^9.
        error_ppb: u32,
        /// True if bins were compared one by one.
        is_full: bool,
    },
}

impl Finding {
    /// Reports if the plan may be used.
    pub(in crate::instrument) const fn is_right(&self) -> bool {
        match self {
            Self::Proof(proof) => proof.is_right(),
            Self::Failed(_) | Self::Check { .. } => false,
        }
    }
}

/// A plan, and the finding about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::instrument) struct Report {
    pub candidate: Candidate,
    pub finding: Finding,
    /// The plan that is tried in its place; the ARM where there is no other.
    pub next: Option<Manner>,
}

/// The knowledge about plans on this board.
#[derive(Default)]
pub(super) struct Trust {
    dropped: Deque<Candidate, DROPPED>,
    reports: Deque<Report, REPORTS>,
    /// Another one for each proof.
    seed: u32,
    pub(super) costs: Costs,
}

/// The cost of proofs and checks since the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::instrument) struct Costs {
    /// Plans that were proven or dropped.
    pub proofs: u32,
    /// Plans that were dropped.
    pub dropped: u32,
    /// Time of proofs, in microseconds.
    pub proof_us: u64,
    /// Checks of single blocks.
    pub checks: u32,
    /// Their time.
    pub check_us: u64,
}

impl Trust {
    fn is_dropped(&self, candidate: &Candidate) -> bool {
        self.dropped.iter().any(|dropped| dropped == candidate)
    }

    fn drop_plan(&mut self, report: Report) {
        if self.dropped.is_full() {
            self.dropped.pop_front();
        }
        let _ = self.dropped.push_back(report.candidate);
        if self.reports.is_full() {
            self.reports.pop_front();
        }
        let _ = self.reports.push_back(report);
        self.costs.dropped = self.costs.dropped.saturating_add(1);
    }
}

impl<Q: Fft> Analyser<'_, Q> {
    /// The plan in line for so many blocks of the record under way that is of this manner, if there
    /// is one.
    fn candidate(&self, blocks: u32, manner: Manner) -> Option<Candidate> {
        let power = Candidate::Power(Spectra {
            manner,
            ..self.shape.spectra(blocks)
        });
        let takes_power = self.shape.engine == EngineChoice::Auto && self.takes_power(blocks);
        let candidate = if takes_power {
            power
        } else {
            let log2n = self.shape.log2n();
            Candidate::Transform { log2n, manner }
        };
        self.has_plan(&candidate).then_some(candidate)
    }

    /// Reports if the QPUs make powers of so many blocks, and not only transforms.
    pub(super) fn takes_power(&self, blocks: u32) -> bool {
        self.has_plan(&Candidate::Power(self.shape.spectra(blocks)))
    }

    /// The first plan in line that has not been dropped.
    pub(super) fn in_line(&self, blocks: u32) -> Option<Candidate> {
        let mut all = Manner::ALL
            .into_iter()
            .filter_map(|manner| self.candidate(blocks, manner));
        all.find(|candidate| !self.trust.is_dropped(candidate))
    }

    /// The first plan in line that has proven itself, and whether it is not the fastest: plans are
    /// proven, and dropped, as long as it takes. None where the ARM is left.
    pub(super) fn proven(&mut self, blocks: u32, board: &mut impl Board) -> Option<Candidate> {
        loop {
            let candidate = self.in_line(blocks)?;
            let is_believed = |qpu: &Q| qpu.is_believed(&candidate);
            if self.qpu.as_ref().is_some_and(is_believed)
                || self.prove(&candidate, board).is_right()
            {
                return Some(candidate);
            }
        }
    }

    /// Holds a plan to the ARM; drops it when it is not right.
    pub(in crate::instrument) fn prove(
        &mut self,
        candidate: &Candidate,
        board: &mut impl Board,
    ) -> Finding {
        let start_us = board.now_us();
        board.stage(Stage::QpuWait);
        let finding = self.find(candidate);
        let costs = &mut self.trust.costs;
        costs.proofs = costs.proofs.saturating_add(1);
        costs.proof_us += board.now_us().saturating_sub(start_us);
        if finding.is_right() {
            if let Some(qpu) = &mut self.qpu {
                qpu.believe(candidate);
            }
        } else {
            self.drop_plan(*candidate, finding);
        }
        finding
    }

    /// Proves a plan; returns the finding.
    pub(in crate::instrument) fn find(&mut self, candidate: &Candidate) -> Finding {
        self.trust.seed = self.trust.seed.wrapping_add(1);
        let seed = self.trust.seed;
        let (window, points) = match candidate {
            Candidate::Power(spectra) => (spectra.window, spectra.points()),
            Candidate::Transform { .. } => (self.shape.window, self.shape.n),
        };
        let gain = self.gain(window, points);
        let buffers = &mut self.buffers;
        let mut bench = Bench {
            samples: &mut *buffers.noise,
            work: &mut *buffers.work,
            wanted: &mut *buffers.wanted,
            got: &mut *buffers.got,
        };
        let window = (&buffers.window[..points], gain);
        let cpu = &mut self.cpu;
        let proof = on(&mut self.qpu)
            .and_then(|qpu| proof::prove(qpu, cpu, candidate, window, &mut bench, seed));
        match proof {
            Ok(proof) => Finding::Proof(proof),
            Err(error) => Finding::Failed(error),
        }
    }

    pub(super) fn drop_plan(&mut self, candidate: Candidate, finding: Finding) {
        let mut after = Manner::ALL
            .into_iter()
            .skip(candidate.manner() as usize + 1);
        let next = after.find(|&manner| {
            let next = match candidate {
                Candidate::Transform { log2n, .. } => Candidate::Transform { log2n, manner },
                Candidate::Power(spectra) => Candidate::Power(Spectra { manner, ..spectra }),
            };
            self.has_plan(&next) && !self.trust.is_dropped(&next)
        });
        self.trust.drop_plan(Report {
            candidate,
            finding,
            next,
        });
    }

    /// The next plan that was dropped and not reported yet.
    pub(in crate::instrument) fn take_report(&mut self) -> Option<Report> {
        self.trust.reports.pop_front()
    }

    /// The cost of proofs and checks.
    pub(in crate::instrument) const fn costs(&self) -> Costs {
        self.trust.costs
    }

    /// Reports if the plan in line is another one than the fastest, because that was dropped.
    pub(super) fn is_replaced(&self, blocks: u32) -> bool {
        let mut fastest = [blocks, self.record_blocks()]
            .into_iter()
            .filter_map(|blocks| self.candidate(blocks, Manner::Fastest));
        fastest.any(|candidate| self.trust.is_dropped(&candidate))
    }

    /// Reports if the QPUs have a plan for the record under way that has not been dropped.
    pub(super) fn has_plan_left(&self) -> bool {
        self.in_line(self.record_blocks()).is_some()
    }

    /// Proves the plans of records before their samples come, with those of checks, so that a ring
    /// does not run over meanwhile.
    pub(in crate::instrument) fn get_ready(&mut self, board: &mut impl Board) {
        if self.engine_for(self.shape.engine, self.shape.n) != EngineKind::Qpu {
            return;
        }
        let most = self.record_blocks();
        let rest = self.shape.average % most;
        let lots = [most, rest].into_iter().filter(|blocks| *blocks > 0);
        let is_there = |blocks| {
            let believes = |candidate| {
                self.qpu
                    .as_ref()
                    .is_some_and(|it| it.is_believed(&candidate))
            };
            // Of a length without a plan none will be made.
            self.in_line(blocks).is_none_or(believes)
        };
        // Plans of other records may leave too little room for these, and each that is made would
        // take the place of the one before.
        if !lots.clone().all(is_there) {
            self.abandon();
            if let Some(qpu) = &mut self.qpu {
                qpu.make_room();
            }
        }
        for blocks in lots {
            let Some(Candidate::Power(spectra)) = self.proven(blocks, board) else {
                continue;
            };
            let alone = spectra.alone();
            self.gain(alone.window, alone.points());
            let Buffers {
                window, noise, got, ..
            } = &mut self.buffers;
            let samples = &noise[..alone.coding.words(alone.points())];
            let bins = alone.coding.domain.bins(alone.points());
            let window = &window[..alone.points()];
            // What fails is found out by checks.
            let _ = on(&mut self.qpu)
                .and_then(|qpu| qpu.take_power(&alone, window, samples, &mut got[..bins]));
        }
    }

    /// The plans in line for the settings' records, each proven until one is right; what was found
    /// is given to `say`.
    pub(in crate::instrument) fn prove_line(
        &mut self,
        board: &mut impl Board,
        mut say: impl FnMut(&Candidate, &Finding),
    ) {
        if self.engine_for(self.shape.engine, self.shape.n) != EngineKind::Qpu {
            return;
        }
        let blocks = self.due();
        while let Some(candidate) = self.in_line(blocks) {
            let finding = self.prove(&candidate, board);
            say(&candidate, &finding);
            if finding.is_right() {
                return;
            }
        }
    }
}

//! Blocks under way: the QPUs do some while the ARM finishes those before them.
//!
//! Blocks are begun when their samples are there, and finished in order. Those that the QPUs make
//! powers of are under way in between, two lots at the most: one that runs, and the next. Their
//! samples stay in the history or in a ring ([`super::ring`]) until they are finished, so that the
//! ARM can do them when the QPUs fail; what was begun behind them is begun again then. All others
//! are done when they are finished, one lot at a time.

use heapless::Deque;

use super::{Analyser, on};
use crate::engine::{Candidate, EngineError, EngineKind, Fft, Samples, Spectra};
use crate::instrument::board::{Board, Stage};
use crate::instrument::capture::Capture;

/// Lots of blocks that may be under way.
const LOTS: usize = 2;

/// Blocks that are done together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lot {
    pub blocks: u32,
    /// They are the last of their record.
    pub ends_record: bool,
    /// The plan that does them; none where the ARM does.
    pub plan: Option<Candidate>,
    /// The fastest plan was dropped, and another does them.
    pub is_replaced: bool,
    /// Why the QPUs did not begin with them.
    pub result: Result<(), EngineError>,
    /// Time of the ARM until now.
    pub cpu_us: u32,
    /// Samples that are clipped, where they lie in a ring.
    pub clipped: u32,
}

impl Lot {
    /// Reports if the QPUs are at them, or will be next.
    pub(super) fn is_on_qpus(&self) -> bool {
        matches!(self.plan, Some(Candidate::Power(_))) && self.result.is_ok()
    }
}

/// The lots under way, first to last.
#[derive(Default)]
pub(super) struct Pipeline {
    lots: Deque<Lot, LOTS>,
    /// Blocks of the record under way that were begun; those of one whose last were begun do not
    /// count.
    pub begun: u32,
}

impl Pipeline {
    /// Blocks under way.
    fn blocks(&self) -> u32 {
        self.lots.iter().map(|lot| lot.blocks).sum()
    }

    fn push(&mut self, lot: Lot) {
        self.begun = match lot.ends_record {
            true => 0,
            false => self.begun + lot.blocks,
        };
        // Blocks are begun only when there is room.
        let _ = self.lots.push_back(lot);
    }

    /// Takes the first.
    pub(super) fn pop(&mut self) -> Option<Lot> {
        self.lots.pop_front()
    }

    /// Forgets what is under way, in a record that has so many blocks.
    pub(super) fn undo(&mut self, blocks: u32) {
        self.lots.clear();
        self.begun = blocks;
    }
}

impl<Q: Fft> Analyser<'_, Q> {
    /// Samples of the history before the first block that is not begun.
    pub(super) fn ahead(&self) -> usize {
        self.pipeline.blocks() as usize * self.shape.hop()
    }

    /// Index of the first sample of the next block to begin.
    pub(super) fn next_block(&self) -> u64 {
        self.position + self.ahead() as u64
    }

    /// Samples of a lot.
    pub(in crate::instrument) fn lot_samples(&self) -> usize {
        self.shape.spectra(self.at_a_time).samples()
    }

    /// Lots that are begun and not finished.
    pub(super) fn lots(&self) -> usize {
        self.pipeline.lots.len()
    }

    /// Gives up the blocks that are under way.
    pub(in crate::instrument) fn abandon(&mut self) {
        let is_idle = self.pipeline.lots.is_empty() && self.checks.under_way.is_none();
        if let Some(qpu) = self.qpu.as_mut().filter(|_| !is_idle) {
            qpu.abandon();
        }
        self.checks.under_way = None;
        self.pipeline.undo(0);
    }

    /// Lets all blocks that are under way be begun again. The first are those that follow what is
    /// finished of the record under way.
    pub(super) fn begin_again(&mut self) {
        self.abandon();
        self.pipeline.undo(self.summary.blocks);
    }

    /// Reports if blocks are ready and can be begun now.
    pub(in crate::instrument) fn may_begin(&self, now_us: u64) -> bool {
        if self.pipeline.lots.is_full() || !self.is_ready() {
            return false;
        }
        match self.pipeline.lots.back() {
            None => true,
            Some(last) => !self.is_behind() && last.is_on_qpus() && self.may_follow(now_us),
        }
    }

    /// Reports if the blocks that are ready can be begun while others are under way: the QPUs make
    /// powers of them with a plan that is proven and stands in memory.
    fn may_follow(&self, now_us: u64) -> bool {
        let (coding, blocks) = (self.shape.coding, self.due());
        // The QPUs are given whole words.
        let is_whole = self.ring_end.is_some() || (self.ahead() * coding.bytes()).is_multiple_of(4);
        let Some(qpu) = self.qpu.as_ref().filter(|_| is_whole) else {
            return false;
        };
        if self.engine_for(self.shape.engine, self.shape.n) != EngineKind::Qpu {
            return false;
        }
        match self.in_line(blocks) {
            Some(plan @ Candidate::Power(spectra)) => {
                let may_check =
                    || self.checks.under_way.is_none() && qpu.can_start(&spectra.alone());
                qpu.can_start(&spectra)
                    && qpu.is_believed(&plan)
                    && (!self.checks.is_near(blocks, now_us) || may_check())
            }
            _ => false,
        }
    }

    /// Begins the blocks that are due. `capture`: that of a ring.
    // Inlined into its only caller it takes the ARM longer.
    #[inline(never)]
    pub(in crate::instrument) fn begin_blocks(
        &mut self,
        capture: &mut Capture,
        board: &mut impl Board,
    ) {
        let blocks = self.due();
        let ends_record = self.pipeline.begun + blocks == self.shape.average;
        let check = self.checks.due(blocks, board.now_us());
        if check.is_some() {
            self.bring(self.next_block(), self.shape.n, capture, board);
            self.let_qpus_go_on();
        }
        let plan = self.plan(blocks, check, board);
        let is_replaced = self.is_replaced(blocks);
        self.let_qpus_go_on();
        // From here on: what proofs and checks take is no time of the record's.
        let start_us = board.now_us();
        self.gain(self.shape.window, self.shape.n);
        if plan.is_some() {
            board.stage(Stage::QpuWait);
        }
        let mut result = Ok(());
        if let Some(Candidate::Power(spectra)) = &plan {
            result = self.start(spectra, capture, board);
        }
        self.let_qpus_go_on();
        // While the QPUs are at work.
        let clipped = self.count_clipped(&self.shape.spectra(blocks), capture, board);
        self.pipeline.push(Lot {
            blocks,
            ends_record,
            plan,
            is_replaced,
            result,
            cpu_us: board.now_us().saturating_sub(start_us) as u32,
            clipped,
        });
    }

    /// Lets the QPUs begin with blocks, whose samples they read in a ring or are given.
    fn start(
        &mut self,
        spectra: &Spectra,
        capture: &mut Capture,
        board: &mut impl Board,
    ) -> Result<(), EngineError> {
        let place = self.lend(spectra, capture, board);
        let first = self.next_block();
        if place.is_none() {
            self.bring(first, spectra.samples(), capture, board);
        }
        let window = &self.buffers.window[..self.shape.n];
        let samples = match place {
            Some(buffer) => Samples::InPlace(buffer),
            None => {
                let coding = self.shape.coding;
                let samples = &self.buffers.history.words()[coding.words(self.in_history(first))..];
                Samples::Copied(&samples[..coding.words(spectra.samples())])
            }
        };
        on(&mut self.qpu)?.start_power(spectra, window, samples)
    }

    /// Reports if blocks are under way, and then, if the first of them end a record.
    pub(in crate::instrument) fn first_ends_record(&self) -> Option<bool> {
        self.pipeline.lots.front().map(|lot| lot.ends_record)
    }

    /// Reports if [`Analyser::finish_blocks`] would not wait. A check that comes before the first
    /// blocks is finished, if it can be.
    pub(in crate::instrument) fn has_first(&mut self) -> bool {
        if let Some(check) = self.checks.under_way.filter(|check| check.behind == 0) {
            if !self.qpu.as_mut().is_none_or(Q::has_power) {
                return false;
            }
            self.finish_check(check);
        }
        match self.pipeline.lots.front() {
            Some(lot) if lot.is_on_qpus() => self.qpu.as_mut().is_none_or(Q::has_power),
            _ => true,
        }
    }
}

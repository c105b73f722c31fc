//! Blocks of samples to powers, by the QPUs where they can, and otherwise by the ARM.

use dsp::Direction;
use dsp::spectrum::{accumulate, remove_mean};

use super::check::Due;
use super::pipeline::Lot;
use super::{Analyser, on};
use crate::engine::{Candidate, EngineError, EngineKind, Fft, Manner};
use crate::instrument::board::Board;
use crate::instrument::capture::Capture;

/// The end of a lot of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::instrument) struct Finished {
    /// Why the QPUs did not do all of it; the CPU engine has then done the rest.
    pub trouble: Option<EngineError>,
    /// DMA has overtaken its samples, so it is not done. Then [`Analyser::restart_at`] has to
    /// follow.
    pub is_overtaken: bool,
    /// Samples that were clipped, where they lie in a ring.
    pub clipped: u32,
}

impl<Q: Fft> Analyser<'_, Q> {
    /// Takes the power of the blocks that were begun first. `capture`: that of a ring.
    // Inlined into its only caller it takes the ARM longer.
    #[inline(never)]
    pub(in crate::instrument) fn finish_blocks(
        &mut self,
        capture: &mut Capture,
        board: &mut impl Board,
    ) -> Finished {
        let start_us = board.now_us();
        let Some(lot) = self.pipeline.pop() else {
            return Finished::default();
        };
        let mut finished = Finished {
            clipped: lot.clipped,
            ..Finished::default()
        };
        let mut qpu_us = 0_u32;
        // The time in which the ARM does nothing else.
        let mut waited_us = 0;
        if lot.is_on_qpus() && !self.still_has_first(capture, board) {
            finished.is_overtaken = true;
            return finished;
        }
        let (mut manner, together) = match lot.plan {
            Some(Candidate::Power(_)) => (None, Some(self.finish_power(lot.result))),
            Some(Candidate::Transform { manner, .. }) => (Some(manner), None),
            None => (None, None),
        };
        if let Some(Ok(took)) = together {
            qpu_us = took;
        } else {
            finished.trouble = together.and_then(Result::err);
            let samples = self.shape.spectra(lot.blocks).samples();
            self.bring(self.position, samples, capture, board);
            if !self.still_has_first(capture, board) {
                finished.is_overtaken = true;
                return finished;
            }
            for block in 0..lot.blocks {
                match self.take_block(&mut manner, block as usize * self.shape.hop()) {
                    Ok(took) => qpu_us = qpu_us.saturating_add(took),
                    Err(error) => finished.trouble = Some(error),
                }
            }
            waited_us = qpu_us;
        }
        self.advance(&lot);
        if let Some(check) = &mut self.checks.under_way {
            check.behind = check.behind.saturating_sub(1);
        }
        if finished.trouble.is_some() {
            self.begin_again();
            if lot.ends_record {
                self.pipeline.undo(0);
            }
        }
        let elapsed_us = board.now_us().saturating_sub(start_us) as u32;
        let cpu_us = lot.cpu_us + elapsed_us.saturating_sub(waited_us);
        let total = &mut self.summary;
        total.qpu_us = total.qpu_us.saturating_add(qpu_us);
        total.cpu_us = total.cpu_us.saturating_add(cpu_us);
        finished
    }

    /// The plan that does the blocks that are due, proven and checked; none where the ARM does
    /// them.
    pub(super) fn plan(
        &mut self,
        blocks: u32,
        check: Option<Due>,
        board: &mut impl Board,
    ) -> Option<Candidate> {
        if self.engine_for(self.shape.engine, self.shape.n) != EngineKind::Qpu {
            return None;
        }
        let plan = self.proven(blocks, board)?;
        let Some(due) = check else {
            return Some(plan);
        };
        self.check(&plan, due, board);
        // One that has failed its check is not in line any more.
        self.proven(blocks, board)
    }

    /// Takes the powers that the QPUs have made, where they began.
    fn finish_power(&mut self, begun: Result<(), EngineError>) -> Result<u32, EngineError> {
        let values = self.values();
        let held = &mut self.buffers.held[..values];
        let result = begun.and_then(|()| on(&mut self.qpu)?.finish_power(held));
        self.judge(result)
    }

    /// Transforms the block that begins at a sample, and takes its power. An error is why it was
    /// not done by the QPUs; otherwise it returns their time in microseconds.
    fn take_block(
        &mut self,
        manner: &mut Option<Manner>,
        start: usize,
    ) -> Result<u32, EngineError> {
        let (n, log2n) = (self.shape.n, self.shape.log2n());
        let mut result = Ok(0);
        self.load_block(start);
        if let Some(of_qpu) = *manner {
            let work = &mut self.buffers.work[..n];
            let done = on(&mut self.qpu).and_then(|qpu| {
                qpu.prepare(log2n, of_qpu)?;
                qpu.transform(Direction::Forward, work)
            });
            result = self.judge(done);
            if result.is_err() {
                *manner = None;
                self.load_block(start);
            }
        }
        if manner.is_none() {
            self.summary.engine = EngineKind::Cpu;
            // The CPU engine has every length that settings admit.
            let work = &mut self.buffers.work[..n];
            let done = self.cpu.prepare(log2n).is_ok()
                && self.cpu.transform(Direction::Forward, work).is_ok();
            debug_assert!(done);
        }
        let values = self.values();
        accumulate(
            self.shape.coding.domain,
            self.shape.detector,
            &self.buffers.work[..n],
            &mut self.buffers.held[..values],
        );
        result
    }

    /// Counts failures of the QPUs; after one the CPU engine goes on.
    fn judge(&mut self, result: Result<u32, EngineError>) -> Result<u32, EngineError> {
        if result.is_ok() {
            self.failures = 0;
        } else {
            self.failures += 1;
            self.summary.fallback = true;
        }
        result
    }

    pub(super) fn load_block(&mut self, start: usize) {
        let n = self.shape.n;
        let gain = self.gain(self.shape.window, n);
        let buffers = &mut self.buffers;
        let (window, work) = (&buffers.window[..n], &mut buffers.work[..n]);
        buffers.history.load(start, window, work);
        if self.shape.removes_mean {
            remove_mean(window, gain.coherent, work);
        }
    }

    /// Counts the blocks and keeps what the next one shares with them.
    fn advance(&mut self, lot: &Lot) {
        if self.summary.blocks == 0 {
            self.summary.first_sample = self.in_stream(self.position);
        }
        self.summary.replaced |= lot.is_replaced;
        self.summary.blocks = self.summary.blocks.saturating_add(lot.blocks);
        let samples = self.shape.spectra(lot.blocks).samples();
        let first = self.in_stream(self.position);
        self.newest.take(first, first + samples as u64);
        let done = lot.blocks as usize * self.shape.hop();
        self.position += done as u64;
        if self.ring_end.is_none() {
            self.buffers.history.discard(done);
            self.history_first = self.position;
        }
    }
}

//! Runs of plain instructions, executed in one go.
//!
//! Only their QPU can see when plain instructions are executed: the cycle model lets a run take its
//! rounds and executes it when they are over; without time it is executed before. Between two
//! instructions of a run nothing has to be remembered for hazards, for [`crate::run`] has seen to
//! it that there are none; after the last one all is as if each had been executed by itself.

use super::Qpu;
use super::state::accumulator;
use super::{QpuStatus, TRAIL};
use crate::code::{CodeCache, place_in_block};
use crate::decoded::Code;
use crate::run::Run;
use qpu::isa::INSTRUCTION_BYTES;

impl Qpu {
    /// The number of instructions, from the next one on, that can be executed in one go; they have
    /// been read.
    #[inline]
    pub fn run_length(&mut self, cache: &mut CodeCache) -> u32 {
        match cache.run(self.pc, &mut self.cursor) {
            Some((run, first)) => self.length_of(&run, first),
            None => 0,
        }
    }

    /// The number of instructions of a run, the next ones, that can be executed in one go.
    #[inline]
    pub(super) fn length_of(&self, run: &Run, first: &Code) -> u32 {
        let goes_on = self.status == QpuStatus::Running && !self.halted;
        if run.length() == 0 || !goes_on || !self.hazards.allows(run, first) {
            return 0;
        }
        (run.length() as u32).min(self.flow.straight())
    }

    /// Executes so many instructions, of which the first are a run that [`Qpu::run_length`] has
    /// found.
    pub fn execute_run(&mut self, cache: &CodeCache, count: u32) {
        let first = place_in_block(self.pc);
        let codes = cache.peek(self.pc, &mut self.cursor);
        let run = codes.and_then(|codes| codes.get(first..first + count as usize));
        let Some(run @ [others @ .., Some(last)]) = run else {
            debug_assert!(false, "the run was read");
            return;
        };
        for code in others.iter().flatten() {
            if code.simple {
                self.execute_within(code);
            } else {
                self.execute_plain(code);
            }
        }
        self.execute_plain(last);
        self.word = Some(last.word);
        self.remember(run);
        self.go_on_by(count);
    }

    /// Remembers the last instructions of a run, which begins with the next one.
    #[inline]
    pub(super) fn remember(&mut self, run: &[Option<Code>]) {
        let skipped = (run.len() + 1).saturating_sub(TRAIL);
        for (n, code) in run.iter().enumerate().skip(skipped) {
            if let Some(code) = code {
                let at = self.pc.wrapping_add(n as u32 * INSTRUCTION_BYTES);
                self.trail[(self.hazards.index as usize + n) % TRAIL] = (at, code.word);
            }
        }
    }

    /// Executes a simple instruction that the next one may come too early for.
    #[inline]
    pub(super) fn execute_simple(&mut self, code: &Code) {
        self.hazards.begin();
        let enabled = self.registers.enabled_lanes(code);
        for (index, enabled) in code.direct.into_iter().zip(enabled) {
            if enabled == 0 || index > accumulator(5) {
                continue;
            }
            if index < accumulator(0) {
                let keep = self.hazards.overwrite(index, enabled);
                *self.registers.at_mut(keep) = *self.registers.at(index);
            } else {
                self.hazards
                    .write_accumulator(index - accumulator(0), enabled);
            }
        }
        (code.handler)(&mut self.registers, code);
    }

    /// Executes a simple instruction that is followed by another of its run.
    #[inline]
    pub(super) fn execute_within(&mut self, code: &Code) {
        self.define(code);
        (code.handler)(&mut self.registers, code);
    }

    /// Notes what an instruction writes.
    #[inline]
    pub(super) fn define(&mut self, code: &Code) {
        if !self.hazards.has_defined(code.defines) {
            self.define_anew(code);
        }
    }

    #[cold]
    fn define_anew(&mut self, code: &Code) {
        let enabled = self.registers.enabled_lanes(code);
        for (destination, enabled) in code.destinations.into_iter().zip(enabled) {
            if enabled != 0 {
                self.hazards.define(destination.bits());
            }
        }
    }
}

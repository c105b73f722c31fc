//! Instructions executed before their rounds have come; without time only.
//!
//! Most instructions are their QPU's own business: registers and ALUs, uniforms, results of
//! lookups, its writes to the VPM. Others cannot tell in which round they were executed. What QPUs
//! wait for each other with, DMA and the end of a program are not ([`Units::ORDERED`]): those take
//! their turns in their rounds, in order, so that whatever is ordered by a semaphore, the mutex or
//! a wait for DMA comes out as if every instruction had been executed in its round. So do lookups,
//! although only races can tell: one that comes some rounds before the store that it races with
//! would not be reported.

use super::{Qpu, QpuStatus};
use crate::code::CodeCache;
use crate::conflicts::DmaSetupScope;
use crate::decoded::{Code, Units};
use crate::event::Wait;
use crate::memory::Memory;
use crate::run::Run;
use crate::shared::Shared;
use qpu::isa::INSTRUCTION_BYTES;

impl Qpu {
    /// Executes up to `limit` further instructions as long as they are decoded, need not wait, and
    /// nobody can tell when they were executed. Gives how many. A QPU that hangs does so at its
    /// place, earlier.
    pub fn run_ahead(
        &mut self,
        cache: &mut CodeCache,
        limit: u32,
        shared: &mut Shared,
        memory: &mut impl Memory,
    ) -> u32 {
        // Then setup words are not a QPU's own either.
        if self.conflicts.dma_setup_scope == DmaSetupScope::Shared {
            return 0;
        }
        let now = shared.now;
        let mut ahead = 0;
        while ahead < limit && self.status == QpuStatus::Running && !self.flow.is_ending() {
            let Some((run, codes)) = cache.stretch(self.pc, &mut self.cursor) else {
                break;
            };
            let Some(first) = codes.first().and_then(Option::as_ref) else {
                break;
            };
            // What it writes to the VPM is on its way from the round that it belongs to.
            shared.now = now + 1 + u64::from(ahead);
            let length = self.length_of(&run, first).min(limit - ahead);
            if length > 0 {
                let codes = &codes[..length as usize];
                let done = self.execute_stretch(&run, codes, shared, memory);
                ahead += done;
                if done < length {
                    break;
                }
                continue;
            }
            if first.units.uses(Units::ORDERED) || self.attempt(first, shared, memory).is_err() {
                break;
            }
            self.go_on();
            ahead += 1;
        }
        shared.now = now;
        ahead
    }

    /// Executes the instructions of a run with units, up to one that waits or hangs. Gives how
    /// many.
    fn execute_stretch(
        &mut self,
        run: &Run,
        codes: &[Option<Code>],
        shared: &mut Shared,
        memory: &mut impl Memory,
    ) -> u32 {
        let knows = self.hazards.has_defined(run.defines);
        let last = codes.len() - 1;
        let mut done = 0;
        while done <= last {
            let simple = run.simple_from(done).min(last - done);
            if simple > 0 {
                self.execute_simples(&codes[done..done + simple], knows);
                self.remember(&codes[done..done + simple]);
                self.advance_by(simple, shared);
                done += simple;
            }
            let Some(code) = &codes[done] else {
                break;
            };
            self.word = Some(code.word);
            if code.plain {
                self.execute_plain(code);
            } else if self.use_units(code, done == last, shared, memory).is_err() {
                // The instruction before has not said what it wrote, but this one reads nothing of
                // it.
                self.hazards.settle();
                break;
            }
            self.remember(&codes[done..=done]);
            self.advance_by(1, shared);
            done += 1;
        }
        self.follow_branches(done as u32);
        done as u32
    }

    /// Executes simple instructions of a run; the next one is of that run too.
    #[inline]
    fn execute_simples(&mut self, codes: &[Option<Code>], knows: bool) {
        for code in codes.iter().flatten() {
            if !knows {
                self.define(code);
            }
            (code.handler)(&mut self.registers, code);
        }
    }

    #[inline]
    fn advance_by(&mut self, count: usize, shared: &mut Shared) {
        self.hazards.index += count as i64;
        self.pc = self.pc.wrapping_add(count as u32 * INSTRUCTION_BYTES);
        shared.now += count as u64;
    }

    fn use_units(
        &mut self,
        code: &Code,
        is_last: bool,
        shared: &mut Shared,
        memory: &mut impl Memory,
    ) -> Result<(), Wait> {
        let done = if is_last {
            self.execute_tidy::<false>(code, shared, memory)
        } else {
            self.execute_tidy::<true>(code, shared, memory)
        };
        if done.is_ok() && !shared.report.is_broken() {
            return Ok(());
        }
        self.conclude(done, shared)
    }
}

//! Runs of plain instructions, executed in one go.
//!
//! Only their QPU can see when plain instructions are executed: the cycle model lets a run take its
//! rounds and executes it when they are over; without time it is executed before. Between two
//! instructions of a run nothing has to be remembered for hazards, for [`crate::run`] has seen to it that
//! there are none; after the last one all is as if each had been executed by itself.

use super::Qpu;
use super::Status;
use super::operands::{moves_far, rotated};
use super::state::{accumulator, last_quad};
use crate::alu::{LaneMask, Lanes, Operation};
use crate::code::{CodeCache, place_in_line};
use crate::decoded::{Code, NO_REGISTER};
use qpu::isa::INSTRUCTION_BYTES;

impl Qpu {
    /// How many instructions from the next one on can be executed in one go; they have been read.
    #[inline]
    pub fn run_length(&mut self, cache: &mut CodeCache) -> u32 {
        if self.status != Status::Running || self.halted || !self.hazards.calm {
            return 0;
        }
        let Some((run, first)) = cache.run(self.pc, &mut self.cursor) else {
            return 0;
        };
        if !self.hazards.allows(&run, first) {
            return 0;
        }
        (run.length() as u32).min(self.flow.straight())
    }

    /// Executes that many instructions, or the first of them.
    pub fn execute_run(&mut self, cache: &CodeCache, count: u32) {
        let Some(codes) = cache.peek(self.pc, &mut self.cursor) else {
            return;
        };
        let first = place_in_line(self.pc);
        let codes = codes[first..].iter().map_while(Option::as_ref);
        let (mut left, start) = (count, self.hazards.index);
        for code in codes.take(count as usize) {
            left -= 1;
            if !code.simple {
                self.execute_plain(code);
            } else if left > 0 {
                self.execute_simple(code, false);
            } else {
                self.hazards.begin();
                self.execute_simple(code, true);
            }
            if left < self.trail.len() as u32 {
                let index = start + i64::from(count - left) - 1;
                let pc = self.pc + (count - left - 1) * INSTRUCTION_BYTES;
                self.trail[index as usize % self.trail.len()] = (pc, Some(code.word));
            }
            self.word = Some(code.word);
        }
        debug_assert_eq!(left, 0, "the run was read");
        self.go_on_by(count - left);
    }

    /// Executes a simple instruction; `is_last` when the next one may not be of the same run.
    #[inline(always)]
    pub(super) fn execute_simple(&mut self, code: &Code, is_last: bool) {
        for (quad, index) in self.registers.last_port.iter_mut().zip(code.through) {
            if index != NO_REGISTER {
                *quad = last_quad(&self.registers.lanes[usize::from(index)]);
            }
        }
        let enabled = self.enabled_lanes(code);
        let [a, b, c, d] = code.operands.map(|index| self.registers.at(index));
        let [add, mul] = code.operations;
        match code.works {
            [true, true] => {
                let sum = add(a, b);
                let product = self.product(code, mul, c, d);
                self.registers.last_mul = last_quad(&product);
                self.write_direct(code.direct[0], &sum, enabled[0], is_last);
                self.write_direct(code.direct[1], &product, enabled[1], is_last);
            }
            [true, false] => {
                let sum = add(a, b);
                self.write_direct(code.direct[0], &sum, enabled[0], is_last);
            }
            [false, true] => {
                let product = self.product(code, mul, c, d);
                self.registers.last_mul = last_quad(&product);
                self.write_direct(code.direct[1], &product, enabled[1], is_last);
            }
            [false, false] => {}
        }
    }

    /// The mul result, rotated.
    #[inline(always)]
    fn product(&self, code: &Code, mul: Operation, a: &Lanes, b: &Lanes) -> Lanes {
        let [_, _, first, second] = code.operands;
        if code.rotation == 0 {
            mul(a, b)
        } else if moves_far(first) == moves_far(second) {
            // Lanes do not see each other: what moves alike may move later.
            rotated(first, &mul(a, b), self.rotation(code))
        } else {
            let [a, b] = self.rotated(code, code.operands);
            mul(&a, &b)
        }
    }

    /// Writes a result as it is. What an instruction overwrites is kept if the next may still see it.
    #[inline(always)]
    fn write_direct(&mut self, index: u8, value: &Lanes, enabled: LaneMask, is_last: bool) {
        if index == NO_REGISTER || enabled == 0 {
            return;
        }
        if is_last && index < accumulator(0) {
            self.write_register(index, value, enabled);
            return;
        }
        if index < accumulator(0) {
            self.hazards.define(index);
        } else {
            self.hazards.write_accumulator(index - accumulator(0));
        }
        super::writeback::write_lanes(self.registers.at_mut(index), value, enabled);
    }
}

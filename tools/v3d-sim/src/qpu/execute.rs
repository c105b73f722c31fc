//! Execution of the formats other than branches.
//!
//! There are two ways through: a plain instruction that meets no hazard goes straight from
//! registers to registers, everything else passes the checks and the units. What is computed is the
//! same code.

use super::operands::{moves_far, rotated};
use super::state::{HELD_A, HELD_B, Index, accumulator, last_quad, repeat_quad};
use super::{Qpu, Stop};
use crate::alu::{self, LANES, LaneMask, Lanes, float, integer};
use crate::conflicts::{
    FlagsAddNever, FmulCarry, FtoiRounding, ItofCarry, MixedRotation, Mul24Carry, UnaryOperand,
};
use crate::decoded::{Code, Destination, NO_REGISTER, Units};
use crate::event::FaultKind;
use crate::memory::Memory;
use crate::rule::Rule;
use crate::shared::Shared;
use crate::unit_event::UnitEvent;
use qpu::isa::{
    AddOp, Cond, Instruction, LoadImmediateKind, MulOp, SemaphoreAction, Signal, Unpack,
};

/// The results of both ALUs.
#[derive(Default)]
pub struct Results {
    /// The 32-bit results; undefined for an ALU that is idle.
    pub values: [Lanes; 2],
    /// C flags, when flags are set.
    carry: LaneMask,
}

impl Qpu {
    /// Executes a plain instruction for which [`super::hazards::Hazards::is_clear`] holds.
    #[inline]
    pub(super) fn execute_plain(&mut self, code: &Code) {
        if code.simple {
            self.execute_simple(code);
        } else {
            self.hazards.begin();
            self.execute_not_simple(code);
        }
    }

    fn execute_not_simple(&mut self, code: &Code) {
        let mut results = Results::default();
        if let Instruction::Alu(_) = code.instruction {
            self.read_plain(code);
            self.compute(code, code.operands, &mut results);
        } else {
            results.values = immediate(code);
        }
        let enabled = self.registers.enabled_lanes(code);
        if code.sf {
            self.update_flags(code, &results, enabled);
        }
        self.write_plain(code, &results, enabled);
    }

    /// Notes what comes through the ports of a plain instruction, and unpacks it.
    #[inline(always)]
    fn read_plain(&mut self, code: &Code) {
        for (place, index) in code.through.into_iter().enumerate() {
            if index != NO_REGISTER {
                self.registers.last_port[place] = last_quad(self.registers.at(index));
            }
        }
        if code.unpack != Unpack::None {
            self.unpack(code, code.ports[0]);
        }
    }

    /// Waits, or executes a tidy instruction for which [`super::hazards::Hazards::is_clear`] holds.
    /// `WITHIN` a run, where the next instruction cannot come too early.
    pub(super) fn execute_tidy<const WITHIN: bool>(
        &mut self,
        code: &Code,
        shared: &mut Shared,
        memory: &mut impl Memory,
    ) -> Result<(), Stop> {
        let units = code.units;
        if shared.time.is_some() || !units.only(Units::PROMPT) {
            self.must_wait(code, shared)?;
        }
        if units.uses_only(Units::UNIFORM, Units::READS) {
            let uniform = self.pop_uniform(shared, memory)?;
            self.hazards.uniform_read = self.hazards.index;
            for held in [HELD_A, HELD_B] {
                if code.through[usize::from(held - HELD_A)] == held {
                    *self.registers.at_mut(held) = [uniform; LANES];
                }
            }
        } else if units.uses(Units::READS) {
            let popped = self.pop_inputs(code, shared, memory)?;
            self.hold_inputs(code, &popped, shared);
        } else if units.uses(Units::SEMAPHORE) {
            self.count_semaphore(code, shared);
        }
        if WITHIN {
            self.execute_within(code);
        } else {
            self.execute_simple(code);
        }
        if units.uses(Units::WRITES) {
            let enabled = self.registers.enabled_lanes(code);
            for (place, enabled) in enabled.into_iter().enumerate() {
                if let Destination::Unit(file, address) = code.destinations[place] {
                    let value = *self.registers.at(code.direct[place]);
                    self.write_io(file, address, &value, enabled, shared, memory)?;
                }
            }
        }
        if units.uses(Units::LDTMU0) {
            self.take_lookup(0, shared);
        } else if units.uses(Units::LDTMU1) {
            self.take_lookup(1, shared);
        }
        Ok(())
    }

    /// Executes an instruction that need not wait.
    pub(super) fn execute_instruction(
        &mut self,
        code: &Code,
        shared: &mut Shared,
        memory: &mut impl Memory,
    ) -> Result<(), Stop> {
        match &code.instruction {
            Instruction::Alu(_) => self.execute_alu(code, shared, memory),
            Instruction::Branch(branch) => {
                self.execute_branch(branch, code, shared);
                Ok(())
            }
            Instruction::LoadImmediate(_) => self.execute_immediate(code, shared, memory),
            Instruction::Semaphore(_) => {
                self.count_semaphore(code, shared);
                self.execute_immediate(code, shared, memory)
            }
        }
    }

    fn execute_alu(
        &mut self,
        code: &Code,
        shared: &mut Shared,
        memory: &mut impl Memory,
    ) -> Result<(), Stop> {
        let has_signal = code
            .units
            .uses(Units::LDTMU0.with(Units::LDTMU1).with(Units::OTHER_SIGNAL));
        if has_signal && let Some(what) = three_d(code.signal()) {
            return Err(FaultKind::ThreeD(what).into());
        }
        let mut operands = self.read_inputs(code, shared, memory)?;
        if code.op_add.operands() == 1 && self.conflicts.unary_operand == UnaryOperand::Second {
            operands[0] = operands[1];
        }
        let mut results = Results::default();
        self.compute(code, operands, &mut results);
        if code.op_add == AddOp::Ftoi && self.conflicts.ftoi_rounding == FtoiRounding::Nearest {
            let operand = self.registers.at(operands[0]);
            results.values[0] = operand.map(float::to_nearest_int);
        }
        self.check_conditions(code, shared);
        let enabled = self.registers.enabled_lanes(code);
        self.update_flags(code, &results, enabled);
        self.write_back(code, &results, enabled, operands, shared, memory)?;
        if has_signal {
            self.execute_signal(code.signal(), shared);
        }
        Ok(())
    }

    /// Both ALUs.
    #[inline(always)]
    fn compute(&mut self, code: &Code, operands: [Index; 4], results: &mut Results) {
        let [a, b, c, d] = operands.map(|index| self.registers.at(index));
        if code.op_add != AddOp::Nop {
            results.values[0] = (code.operations[0])(a, b);
            if code.sf {
                results.carry = self.add_carry(code.op_add, a, b, &results.values[0]);
            }
        }
        if code.op_mul != MulOp::Nop {
            let takes_carry = code.sf && self.flags_come_from_mul(code);
            if code.rotation == 0 {
                results.values[1] = (code.operations[1])(c, d);
                if takes_carry {
                    results.carry = self.mul_carry(code.op_mul, c, d, &results.values[1]);
                }
            } else {
                let [c, d] = self.rotated(code, operands);
                results.values[1] = (code.operations[1])(&c, &d);
                if takes_carry {
                    results.carry = self.mul_carry(code.op_mul, &c, &d, &results.values[1]);
                }
            }
            self.registers.last_mul = last_quad(&results.values[1]);
        } else if code.destinations[1] != Destination::Nowhere {
            results.values[1] = repeat_quad(self.registers.last_mul);
        }
    }

    /// The operands of the mul ALU as a rotated result sees them.
    pub(super) fn rotated(&self, code: &Code, operands: [Index; 4]) -> [Lanes; 2] {
        let by = self.registers.rotation(code);
        let [mut a, mut b] = [operands[2], operands[3]];
        let [first, second] = [self.registers.at(a), self.registers.at(b)];
        if moves_far(a) != moves_far(b) && self.conflicts.mixed_rotation == MixedRotation::InQuads {
            (a, b) = (HELD_A, HELD_B);
        }
        let first = rotated(a, first, by);
        if a == b {
            [first; 2]
        } else {
            [first, rotated(b, second, by)]
        }
    }

    /// Flags come from the add ALU, or from the mul ALU when that is idle.
    #[inline]
    fn update_flags(&mut self, code: &Code, results: &Results, enabled: [LaneMask; 2]) {
        if !code.sf {
            return;
        }
        let [sum, product] = &results.values;
        if !matches!(code.instruction, Instruction::Alu(_)) {
            let lanes = enabled[usize::from(code.flags_from_mul())];
            self.set_flags(sum, 0, lanes, false);
        } else if self.flags_come_from_mul(code) {
            self.set_flags(product, results.carry, enabled[1], true);
        } else if code.op_add != AddOp::Nop {
            self.set_flags(sum, results.carry, enabled[0], false);
        }
        self.hazards.defined_flags &= !code.flags_left_over;
    }

    /// True if an instruction that sets flags takes those of the mul ALU.
    #[inline]
    pub(super) fn flags_come_from_mul(&self, code: &Code) -> bool {
        let is_idle = code.op_add == AddOp::Nop
            || code.conditions[0] == Cond::Never
                && self.conflicts.flags_add_never == FlagsAddNever::Mul;
        is_idle && code.op_mul != MulOp::Nop
    }

    fn add_carry(&self, op: AddOp, a: &Lanes, b: &Lanes, result: &Lanes) -> LaneMask {
        if op == AddOp::Itof && self.conflicts.itof_carry == ItofCarry::Clear {
            return 0;
        }
        alu::add_carry(op, a, b, result)
    }

    fn mul_carry(&self, op: MulOp, a: &Lanes, b: &Lanes, result: &Lanes) -> LaneMask {
        match op {
            MulOp::Fmul if self.conflicts.fmul_carry == FmulCarry::Positive => {
                alu::mask(|lane| float::is_positive(result[lane]))
            }
            MulOp::Mul24 if self.conflicts.mul24_carry == Mul24Carry::Above24 => {
                alu::mask(|lane| integer::product24(a[lane], b[lane]) > 0xff_ffff)
            }
            _ => alu::mul_carry(op, a, b),
        }
    }

    fn execute_signal(&mut self, signal: Signal, shared: &mut Shared) {
        match signal {
            Signal::LoadTmu0 => self.take_lookup(0, shared),
            Signal::LoadTmu1 => self.take_lookup(1, shared),
            Signal::ProgramEnd => {
                self.hazards.calm = false;
                self.flow.end_program();
            }
            Signal::Breakpoint => {
                // Whether it halts with DBCFG = 0 is open: it does here.
                if !shared.debug {
                    self.warn(Rule::BreakpointUnseen, shared, String::new);
                }
                self.halted = true;
            }
            _ => {}
        }
    }

    /// `ldtmu` of a TMU as the instruction names it.
    fn take_lookup(&mut self, addressed: u8, shared: &mut Shared) {
        let unit = self.tmus.unit(self.number, addressed);
        let r4 = self.registers.at_mut(accumulator(4));
        if self.tmus.pop(unit, r4) {
            if let Some(time) = &mut shared.time {
                time.took_result(usize::from(self.number), unit);
            }
            self.note_r4(shared);
            let qpu = self.number;
            shared.log.note(|| UnitEvent::TmuTaken { qpu, tmu: unit });
        }
    }

    fn count_semaphore(&mut self, code: &Code, shared: &mut Shared) {
        let Some((action, number)) = code.semaphore() else {
            return;
        };
        let go_on = match action {
            SemaphoreAction::Increment => {
                shared.races.increment(self.number, number);
                shared.semaphores.increment(number)
            }
            SemaphoreAction::Decrement => {
                shared.semaphores.decrement(number, self.number);
                shared.races.decrement(self.number, number);
                1
            }
        };
        shared.stirred = true;
        let counts = shared.semaphores.counts;
        if let Some(time) = &mut shared.time {
            let up = action == SemaphoreAction::Increment;
            for _ in 0..go_on {
                time.semaphore_changed(number, up, shared.now);
            }
        }
        shared.log.note(|| UnitEvent::Semaphore {
            qpu: self.number,
            number,
            count: counts[usize::from(number)],
        });
    }

    fn execute_immediate(
        &mut self,
        code: &Code,
        shared: &mut Shared,
        memory: &mut impl Memory,
    ) -> Result<(), Stop> {
        self.check_conditions(code, shared);
        let enabled = self.registers.enabled_lanes(code);
        let results = Results {
            values: immediate(code),
            carry: 0,
        };
        self.update_flags(code, &results, enabled);
        self.write_back(code, &results, enabled, code.operands, shared, memory)
    }
}

/// A value at both ALU outputs, as the result of an integer add with 0.
#[inline]
fn immediate(code: &Code) -> [Lanes; 2] {
    let value = match &code.instruction {
        Instruction::LoadImmediate(load) if load.kind != LoadImmediateKind::Word => {
            std::array::from_fn(|lane| load.value(lane))
        }
        _ => [code.immediate; LANES],
    };
    [value; 2]
}

/// The request of a signal to the 3D pipeline, if any.
fn three_d(signal: Signal) -> Option<&'static str> {
    match signal {
        Signal::ThreadSwitch | Signal::LastThreadSwitch => Some("a thread switch"),
        Signal::WaitScoreboard | Signal::UnlockScoreboard => Some("the scoreboard"),
        Signal::LoadCoverage
        | Signal::LoadColour
        | Signal::LoadColourProgramEnd
        | Signal::LoadAlphaMask => Some("the tile buffer"),
        _ => None,
    }
}

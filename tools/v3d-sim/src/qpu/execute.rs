//! Execution of the formats other than branches.

use super::Qpu;
use super::operands::rotated;
use super::state::{last_quad, repeat_quad};
use super::writeback::Output;
use crate::alu::{self, Lanes};
use crate::code::Code;
use crate::event::FaultKind;
use crate::memory::Memory;
use crate::rule::Rule;
use crate::shared::Shared;
use qpu::isa::{
    AddOp, Alu, Cond, Instruction, LoadImmediate, MulOp, Semaphore, SemaphoreAction, Signal,
    WriteBack, waddr,
};

impl Qpu {
    /// Executes an instruction that need not wait.
    pub(super) fn execute_instruction(
        &mut self,
        code: &Code,
        shared: &mut Shared,
        memory: &mut impl Memory,
    ) -> Result<(), FaultKind> {
        match &code.instruction {
            Instruction::Alu(alu) => self.execute_alu(alu, code, shared, memory),
            Instruction::LoadImmediate(load) => self.execute_load(load, shared, memory),
            Instruction::Semaphore(semaphore) => self.execute_semaphore(semaphore, shared, memory),
            Instruction::Branch(branch) => {
                self.execute_branch(branch, shared);
                Ok(())
            }
        }
    }

    fn execute_alu(
        &mut self,
        alu: &Alu,
        code: &Code,
        shared: &mut Shared,
        memory: &mut impl Memory,
    ) -> Result<(), FaultKind> {
        let signal = alu.signal();
        if let Some(what) = three_d(signal) {
            return Err(FaultKind::ThreeD(what));
        }
        let inputs = self.read_inputs(alu, code, shared, memory)?;
        // Copies, because writing changes what they were read from.
        let (a, b) = (
            *self.operand(alu.add_a, &inputs),
            *self.operand(alu.add_b, &inputs),
        );
        let (mut x, mut y) = (
            *self.operand(alu.mul_a, &inputs),
            *self.operand(alu.mul_b, &inputs),
        );
        if let Some(rotation) = alu.rotation() {
            let by = self.rotation(rotation);
            (x, y) = (rotated(alu.mul_a, &x, by), rotated(alu.mul_b, &y, by));
        }
        let sum = alu::add(alu.op_add, &a, &b);
        let product = self.mul_result(alu, &x, &y, shared);

        let write = &alu.write;
        let add_enabled = self.lanes_where(write.cond_add, shared);
        let mul_enabled = self.lanes_where(write.cond_mul, shared);
        if write.sf {
            if alu.op_add != AddOp::Nop {
                if write.cond_add == Cond::Never {
                    self.warn(Rule::FlagsCondNever, shared, String::new);
                }
                let carry = alu::add_carry(alu.op_add, &a, &b, &sum);
                self.set_flags(&sum, carry, add_enabled, false);
            } else if let Some(product) = &product
                && alu.op_mul != MulOp::Nop
            {
                let carry = alu::mul_carry(alu.op_mul, &x, &y);
                self.set_flags(product, carry, mul_enabled, true);
            }
        }
        let is_sum = matches!(alu.op_add, AddOp::Add | AddOp::Sub);
        let outputs = [
            (alu.op_add != AddOp::Nop).then_some(Output {
                value: &sum,
                enabled: add_enabled,
                is_float: alu.op_add.gives_float(),
                sum: is_sum.then_some((alu.op_add, &a, &b)),
            }),
            product.as_ref().map(|product| Output {
                value: product,
                enabled: mul_enabled,
                is_float: alu.op_mul.is_float(),
                sum: None,
            }),
        ];
        self.write_back(write, outputs, shared, memory)?;
        self.execute_signal(signal, shared);
        Ok(())
    }

    /// The mul result; with a nop and a live destination, what the last one left (qpu.md 1.13).
    fn mul_result(
        &mut self,
        alu: &Alu,
        x: &Lanes,
        y: &Lanes,
        shared: &mut Shared,
    ) -> Option<Lanes> {
        if alu.op_mul != MulOp::Nop {
            let product = alu::mul(alu.op_mul, x, y);
            self.registers.last_mul = last_quad(&product);
            return Some(product);
        }
        let live = alu.write.cond_mul != Cond::Never && alu.write.waddr_mul != waddr::NOP;
        live.then(|| {
            self.warn(Rule::NopMulWrite, shared, String::new);
            repeat_quad(self.registers.last_mul)
        })
    }

    fn execute_signal(&mut self, signal: Signal, shared: &mut Shared) {
        match signal {
            Signal::LoadTmu0 | Signal::LoadTmu1 => {
                let unit = self
                    .tmus
                    .unit(self.number, u8::from(signal == Signal::LoadTmu1));
                if let Some(value) = self.tmus.pop(unit) {
                    self.write_r4(value, shared);
                }
            }
            Signal::ProgramEnd => self.flow.end_program(),
            Signal::Breakpoint => {
                // Whether it halts with DBCFG = 0 is open question 25: it does here.
                if !shared.debug {
                    self.warn(Rule::BreakpointUnseen, shared, String::new);
                }
                self.halted = true;
            }
            _ => {}
        }
    }

    fn execute_load(
        &mut self,
        load: &LoadImmediate,
        shared: &mut Shared,
        memory: &mut impl Memory,
    ) -> Result<(), FaultKind> {
        let value = std::array::from_fn(|lane| load.value(lane));
        self.write_immediate(&load.write, &value, shared, memory)
    }

    fn execute_semaphore(
        &mut self,
        semaphore: &Semaphore,
        shared: &mut Shared,
        memory: &mut impl Memory,
    ) -> Result<(), FaultKind> {
        match semaphore.action() {
            SemaphoreAction::Increment => shared.semaphores.increment(semaphore.number()),
            SemaphoreAction::Decrement => shared.semaphores.decrement(semaphore.number()),
        }
        self.write_immediate(&semaphore.write, &[semaphore.immediate; 16], shared, memory)
    }

    /// A value at both ALU outputs, as the result of an integer add with 0.
    fn write_immediate(
        &mut self,
        write: &WriteBack,
        value: &Lanes,
        shared: &mut Shared,
        memory: &mut impl Memory,
    ) -> Result<(), FaultKind> {
        let add_enabled = self.lanes_where(write.cond_add, shared);
        let mul_enabled = self.lanes_where(write.cond_mul, shared);
        if write.sf {
            // With only the mul side live, VC4C's reading (open question 27).
            let mul_only = write.cond_add == Cond::Never && write.cond_mul != Cond::Never;
            if mul_only {
                self.warn(Rule::LdiFlagsMulOnly, shared, String::new);
            }
            self.set_flags(
                value,
                0,
                if mul_only { mul_enabled } else { add_enabled },
                false,
            );
        }
        let output = |enabled| {
            Some(Output {
                value,
                enabled,
                is_float: false,
                sum: None,
            })
        };
        let write = &WriteBack {
            pm: false,
            ..*write
        };
        self.write_back(
            write,
            [output(add_enabled), output(mul_enabled)],
            shared,
            memory,
        )
    }
}

/// What a signal asks of the 3D pipeline, if anything.
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

//! Execution of the formats other than branches.

use super::Qpu;
use super::operands::{Inputs, rotated};
use super::state::{last_quad, repeat_quad};
use super::writeback::Output;
use crate::alu::{self, LaneMask, Lanes};
use crate::code::Code;
use crate::event::FaultKind;
use crate::memory::Memory;
use crate::observe::UnitEvent;
use crate::rule::Rule;
use crate::shared::Shared;
use qpu::isa::{
    AddOp, Alu, Cond, Instruction, LoadImmediate, MulOp, Pack, Semaphore, SemaphoreAction, Signal,
    WriteBack, waddr,
};

/// What an ALU made of its operands.
struct Computed {
    value: Lanes,
    /// C flags, when flags are set.
    carry: LaneMask,
}

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
        let write = &alu.write;
        let sum = self.add_result(alu, &inputs);
        let product = self.mul_result(alu, &inputs, shared);
        let is_sum = matches!(alu.op_add, AddOp::Add | AddOp::Sub) && write.pack_a() != Pack::None;
        let operands = is_sum.then(|| {
            (
                *self.operand(alu.add_a, &inputs),
                *self.operand(alu.add_b, &inputs),
            )
        });
        if alu.op_mul != MulOp::Nop
            && let Some(product) = &product
        {
            self.registers.last_mul = last_quad(&product.value);
        }
        // An idle ALU may carry any condition: real programs do (reference/qpu.md 1.14).
        let mut lanes_of = |idle, cond| {
            if idle {
                0
            } else {
                self.lanes_where(cond, shared)
            }
        };
        let add_enabled = lanes_of(sum.is_none(), write.cond_add);
        let mul_enabled = lanes_of(product.is_none(), write.cond_mul);
        if write.sf {
            if let Some(sum) = &sum {
                if write.cond_add == Cond::Never {
                    self.warn(Rule::FlagsCondNever, shared, String::new);
                }
                self.set_flags(&sum.value, sum.carry, add_enabled, false);
            } else if alu.op_mul != MulOp::Nop
                && let Some(product) = &product
            {
                self.set_flags(&product.value, product.carry, mul_enabled, true);
            }
        }
        let outputs = [
            sum.as_ref().map(|sum| Output {
                value: &sum.value,
                enabled: add_enabled,
                is_float: alu.op_add.gives_float(),
                sum: operands.as_ref().map(|(a, b)| (alu.op_add, a, b)),
            }),
            product.as_ref().map(|product| Output {
                value: &product.value,
                enabled: mul_enabled,
                is_float: alu.op_mul.is_float(),
                sum: None,
            }),
        ];
        self.write_back(write, outputs, shared, memory)?;
        self.execute_signal(signal, shared);
        Ok(())
    }

    /// The add result, unless the ALU is idle.
    fn add_result(&self, alu: &Alu, inputs: &Inputs) -> Option<Computed> {
        if alu.op_add == AddOp::Nop {
            return None;
        }
        let (a, b) = (
            self.operand(alu.add_a, inputs),
            self.operand(alu.add_b, inputs),
        );
        let value = alu::add(alu.op_add, a, b);
        let carry = if alu.write.sf {
            alu::add_carry(alu.op_add, a, b, &value)
        } else {
            0
        };
        Some(Computed { value, carry })
    }

    /// The mul result, rotated; with a nop and a live destination, what the last one left (vc4asm).
    fn mul_result(&self, alu: &Alu, inputs: &Inputs, shared: &mut Shared) -> Option<Computed> {
        if alu.op_mul == MulOp::Nop {
            let live = alu.write.cond_mul != Cond::Never && alu.write.waddr_mul != waddr::NOP;
            return live.then(|| {
                self.warn(Rule::NopMulWrite, shared, String::new);
                Computed {
                    value: repeat_quad(self.registers.last_mul),
                    carry: 0,
                }
            });
        }
        let compute = |a: &Lanes, b: &Lanes| Computed {
            value: alu::mul(alu.op_mul, a, b),
            carry: if alu.write.sf {
                alu::mul_carry(alu.op_mul, a, b)
            } else {
                0
            },
        };
        let (a, b) = (
            self.operand(alu.mul_a, inputs),
            self.operand(alu.mul_b, inputs),
        );
        Some(match alu.rotation() {
            Some(rotation) => {
                let by = self.rotation(rotation);
                compute(&rotated(alu.mul_a, a, by), &rotated(alu.mul_b, b, by))
            }
            None => compute(a, b),
        })
    }

    fn execute_signal(&mut self, signal: Signal, shared: &mut Shared) {
        match signal {
            Signal::LoadTmu0 | Signal::LoadTmu1 => {
                let unit = self
                    .tmus
                    .unit(self.number, u8::from(signal == Signal::LoadTmu1));
                if let Some(value) = self.tmus.pop(unit) {
                    if let Some(time) = &mut shared.time {
                        time.took_result(usize::from(self.number), unit);
                    }
                    self.write_r4(value, shared);
                    let qpu = self.number;
                    shared.log.note(|| UnitEvent::TmuTaken { qpu, tmu: unit });
                }
            }
            Signal::ProgramEnd => self.flow.end_program(),
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
        let (number, counts) = (semaphore.number(), shared.semaphores.counts());
        if let Some(time) = &mut shared.time {
            let up = semaphore.action() == SemaphoreAction::Increment;
            time.semaphore_changed(number, up, shared.now);
        }
        shared.log.note(|| UnitEvent::Semaphore {
            qpu: self.number,
            number,
            count: counts[usize::from(number)],
        });
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
            // With only the mul side live, VC4C's reading; the guide is silent.
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
        // Colours are made of floats by the mul ALU, which is not at work here.
        let mut write = *write;
        if write.pm && write.pack != Pack::None {
            self.warn(Rule::PackReserved, shared, String::new);
            write.pack = Pack::None;
        }
        self.write_back(
            &write,
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

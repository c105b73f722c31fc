//! The contents of registers, where the walk needs to know them.
//!
//! Addresses of code are links, and copies of them. A subroutine returns through a register that a
//! branch linked to; knowing where each link points, the walk returns to the place that called, not
//! to every place that ever does.
//!
//! For constants, the sign is known in registers that a `mov.setf` asks. vc4asm's GPU_FFT counts
//! rounds so: on the last one it makes no lookups, and a first round cannot be the last.
//!
//! Constants are known whole in registers that setups are made of: programs keep setup words there,
//! and add rows to them.

use super::conditions::Sign;
use super::facts::{ACCUMULATORS, Facts, Program, Write, in_file};
use crate::isa::{
    AddOp, Alu, Cond, File, Instruction, LoadImmediateKind, Mux, Pack, Raddr, Slot, Unpack, Waddr,
    waddr,
};

/// The content of a register, alike in all lanes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Value {
    /// The address of an instruction.
    Code(u32),
    /// A constant; for registers whose sign alone matters, one that stands for all of that sign.
    Constant(u32),
}

/// Knowledge of a word that goes to a setup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Setup {
    Word(u32),
    /// Something is added to a word of DMA (bit 31), which says neither which of its words it is
    /// nor its fields.
    Dma,
    Unknown,
}

/// The least constant that can be part of a setup: less are rows and columns, of which there are
/// many.
const LEAST_SETUP: u32 = 0x100;

/// Registers and what they hold, in order of the registers.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Values(Vec<(u8, Value)>);

/// Registers whose constants matter, a bit each.
#[derive(Default)]
pub(super) struct Asked {
    /// Registers whose sign is asked.
    signs: u128,
    /// Registers that setups are made of.
    setups: u128,
}

impl Asked {
    /// By any instruction of a program.
    pub fn by(facts: &Program) -> Self {
        let mut asked = Self::default();
        for at in facts.iter().flatten() {
            let Some(alu) = at.alu() else {
                continue;
            };
            if alu.write.sf
                && let Some(register) = copied(alu, alu.flag_slot())
            {
                asked.signs |= 1 << register;
            }
            let setups = at.writes.iter().filter(|write| is_setup(write));
            for register in setups.flat_map(|write| parts(alu, write.slot)).flatten() {
                asked.setups |= 1 << register;
            }
        }
        asked
    }

    fn is_empty(&self) -> bool {
        self.signs | self.setups == 0
    }

    /// The part of what a register holds that is asked.
    fn of(&self, register: u8, value: Value) -> Option<Value> {
        let has = |registers: u128| registers >> register & 1 != 0;
        match value {
            Value::Constant(word) if has(self.setups) && word >= LEAST_SETUP => Some(value),
            Value::Constant(word) if has(self.signs) => {
                Some(Value::Constant(Sign::of(word).example()))
            }
            Value::Constant(_) => None,
            Value::Code(_) => Some(value),
        }
    }
}

fn is_setup(write: &Write) -> bool {
    write.waddr == waddr::VPMVCD_SETUP && write.cond == Cond::Always
}

fn written(file: File, address: Waddr) -> Option<u8> {
    let accumulator = || address.accumulator().filter(|number| *number < 4);
    let of_file = address.register().map(|number| in_file(file, number));
    of_file.or_else(|| Some(ACCUMULATORS + accumulator()?))
}

fn read(alu: &Alu, mux: Mux) -> Option<u8> {
    let port = |file, address: Raddr| address.register().map(|number| in_file(file, number));
    match mux {
        Mux::R0 | Mux::R1 | Mux::R2 | Mux::R3 => Some(ACCUMULATORS + mux.bits()),
        Mux::A if alu.unpack != Unpack::None && !alu.write.pm => None,
        Mux::A => port(File::A, alu.raddr_a),
        Mux::B => port(File::B, alu.read_b()),
        Mux::R4 | Mux::R5 => None,
    }
}

impl Values {
    /// The instruction whose address register `number` of file A holds.
    pub fn address_in_file_a(&self, number: u8) -> Option<u32> {
        match self.get(number)? {
            Value::Code(place) => Some(place),
            Value::Constant(_) => None,
        }
    }

    /// The sign of what sets the flags in all lanes, if that is a constant.
    pub fn flag_sign(&self, at: &Facts) -> Option<Sign> {
        let slot = at.alu().map_or(Slot::Add, Alu::flag_slot);
        if at.instruction.write_back().cond(slot) != Cond::Always {
            return None;
        }
        match self.result(at, slot, None)? {
            Value::Constant(word) => Some(Sign::of(word)),
            Value::Code(_) => None,
        }
    }

    /// The word that the instruction writes to the setup of a file.
    pub fn setup(&self, at: &Facts, file: File) -> Setup {
        let mut writes = at.writes.iter().filter(|write| is_setup(write));
        let Some(write) = writes.find(|write| write.file == file) else {
            return Setup::Unknown;
        };
        if let Some(Value::Constant(word)) = self.result(at, write.slot, None) {
            return Setup::Word(word);
        }
        let parts = at.alu().map_or([None; 2], |alu| parts(alu, write.slot));
        let is_dma = |register: &u8| matches!(self.get(*register), Some(Value::Constant(word)) if word >> 31 != 0);
        match parts.iter().flatten().filter(|part| is_dma(part)).count() {
            1 => Setup::Dma,
            _ => Setup::Unknown,
        }
    }

    fn get(&self, register: u8) -> Option<Value> {
        let place = self.0.binary_search_by_key(&register, |entry| entry.0);
        place.ok().map(|place| self.0[place].1)
    }

    fn set(&mut self, register: u8, value: Option<Value>) {
        match (
            self.0.binary_search_by_key(&register, |entry| entry.0),
            value,
        ) {
            (Ok(place), Some(value)) => self.0[place].1 = value,
            (Ok(place), None) => drop(self.0.remove(place)),
            (Err(place), Some(value)) => self.0.insert(place, (register, value)),
            (Err(_), None) => (),
        }
    }

    /// After the instruction; a branch's links are written with `link` when it is taken, else not
    /// at all.
    pub fn step(&mut self, at: &Facts, link: Option<u32>, asked: &Asked) {
        if at.branch().is_some() && link.is_none() {
            return;
        }
        if self.0.is_empty() && link.is_none() && asked.is_empty() {
            return;
        }
        let mut changes = [None; 2];
        for (change, write) in changes.iter_mut().zip(at.writes.iter()) {
            let Some(register) = written(write.file, write.waddr) else {
                continue;
            };
            if write.cond == Cond::Never {
                continue;
            }
            let is_whole = at.branch().is_some()
                || (write.cond == Cond::Always && at.instruction.write_back().pack == Pack::None);
            let value = self.result(at, write.slot, link).filter(|_| is_whole);
            let value = value.and_then(|value| asked.of(register, value));
            *change = Some((register, value));
        }
        for (register, value) in changes.into_iter().flatten() {
            self.set(register, value);
        }
    }

    /// The result of an ALU, before it is packed.
    fn result(&self, at: &Facts, slot: Slot, link: Option<u32>) -> Option<Value> {
        let constant = |word| Some(Value::Constant(word));
        match &at.instruction {
            Instruction::Branch(_) => link.map(Value::Code),
            Instruction::LoadImmediate(load) if load.kind == LoadImmediateKind::Word => {
                constant(load.immediate)
            }
            Instruction::Alu(alu) => match made(alu, slot) {
                Some(word) => constant(word),
                None => copied(alu, slot).and_then(|source| self.get(source)),
            },
            Instruction::LoadImmediate(_) | Instruction::Semaphore(_) => None,
        }
    }
}

/// The constant that an ALU makes of a small immediate with itself, or of whatever less itself.
fn made(alu: &Alu, slot: Slot) -> Option<u32> {
    if alu.cancels(slot) {
        return Some(0);
    }
    let immediate = alu.small_immediate()?;
    if alu.operands(slot) != [Mux::B; 2] {
        return None;
    }
    match slot {
        Slot::Add => immediate.added(alu.op_add),
        Slot::Mul => immediate.multiplied(alu.op_mul),
    }
}

/// The register that an ALU copies, if that is what it does. What is known is alike in all lanes,
/// so a rotation changes nothing.
fn copied(alu: &Alu, slot: Slot) -> Option<u8> {
    read(alu, alu.copied(slot)?)
}

/// The registers that a result is copied from or is a sum of.
fn parts(alu: &Alu, slot: Slot) -> [Option<u8>; 2] {
    let is_sum = slot == Slot::Add && matches!(alu.op_add, AddOp::Add | AddOp::Or);
    match is_sum {
        true => alu.operands(slot).map(|mux| read(alu, mux)),
        false => [copied(alu, slot), None],
    }
}

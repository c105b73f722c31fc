//! One instruction being filled with operations.
//!
//! Ports, small immediates and write swap are for [`fit`] to find; what is added here is which
//! accesses to TMU, VPM and uniforms exclude each other.

use super::operation::{Destination, Operation, Place, Source, Unit};
use crate::generate::{self as assemble, Op, OpCode, fit};
use crate::isa::{
    Cond, File, Instruction, LoadImmediate, LoadImmediateKind, Rotation, Semaphore,
    SemaphoreAction, Signal, WriteBack,
};

/// Operations that share an instruction.
pub(super) struct Bundle {
    /// Their indices.
    pub members: Vec<usize>,
    /// The instruction that does them.
    pub instruction: Instruction,
}

impl Default for Bundle {
    fn default() -> Self {
        Self {
            members: Vec::new(),
            instruction: Instruction::NOP,
        }
    }
}

impl Bundle {
    /// Adds an operation if the instruction can hold it too.
    pub fn try_add<U: Copy + PartialEq>(
        &mut self,
        operations: &[Operation<U>],
        index: usize,
    ) -> bool {
        if self.members.len() == 3 {
            return false;
        }
        self.members.push(index);
        let members = || self.members.iter().map(|&index| &operations[index]);
        let instruction = combine(members());
        match instruction {
            Some(instruction) => self.instruction = instruction,
            None => {
                self.members.pop();
            }
        }
        instruction.is_some()
    }
}

fn combine<'a, U: Copy + PartialEq + 'a>(
    members: impl Iterator<Item = &'a Operation<U>> + Clone,
) -> Option<Instruction> {
    let count = |test: fn(&Operation<U>) -> bool| {
        members.clone().filter(|operation| test(operation)).count()
    };
    let fetches = count(|operation| matches!(operation.unit, Unit::Fetch(_)));
    let stores = count(Operation::is_store_access);
    if count(Operation::is_exclusive_access) > 1
        || stores > 1
        // Sources conflict on ldtmu beside a VPM access.
        || fetches + stores > 1
        || count(|operation| operation.uniform().is_some()) > 1
    {
        return None;
    }
    let mut alu = Vec::new();
    let mut signal = Signal::None;
    for operation in members.clone() {
        match operation.unit {
            Unit::Immediate(value) => {
                return (members.count() == 1).then(|| load_immediate(operation, value));
            }
            Unit::Semaphore(action, number) => {
                return (members.count() == 1).then(|| semaphore(action, number));
            }
            Unit::Fetch(0) => signal = Signal::LoadTmu0,
            Unit::Fetch(_) => signal = Signal::LoadTmu1,
            Unit::Add(op) => alu.push(alu_op(OpCode::Add(op), operation)),
            Unit::Mul(op) => alu.push(alu_op(OpCode::Mul(op), operation)),
            Unit::Either(add, mul) => alu.push(alu_op(OpCode::Either(add, mul), operation)),
        }
    }
    fit(&alu, signal).ok().map(Instruction::Alu)
}

fn alu_op<U: Copy>(code: OpCode, operation: &Operation<U>) -> Op {
    let [a, b] = operation
        .sources
        .map(|operand| source(operand).unpack(operation.unpack));
    Op {
        cond: operation.cond,
        setf: operation.sets_flags,
        rotate: (operation.rotation != 0).then_some(Rotation::By(operation.rotation)),
        ..Op::new(code, destination(operation.destinations[0]), a, b)
    }
}

fn load_immediate<U>(operation: &Operation<U>, value: u32) -> Instruction {
    // Both results of a load immediate are the constant: one to each file.
    let [first, second] = operation.destinations.map(|d| destination(d).address());
    let ws = first.1 == Some(File::B);
    let cond = |d| {
        if d == Destination::Nothing {
            Cond::Never
        } else {
            operation.cond
        }
    };
    Instruction::LoadImmediate(LoadImmediate {
        kind: LoadImmediateKind::Word,
        write: WriteBack {
            cond_add: cond(operation.destinations[0]),
            cond_mul: cond(operation.destinations[1]),
            ws,
            waddr_add: first.0,
            waddr_mul: second.0,
            ..WriteBack::NOTHING
        },
        immediate: value,
    })
}

fn semaphore(action: SemaphoreAction, number: u8) -> Instruction {
    Instruction::Semaphore(Semaphore::new(action, number).expect("there are semaphores 0 to 15"))
}

fn register(place: Place) -> (assemble::Src, Option<assemble::Dst>) {
    let both = |register: assemble::Reg| (register.into(), Some(register.into()));
    match place {
        Place::Register(File::A, number) => both(assemble::ra(number)),
        Place::Register(File::B, number) => both(assemble::rb(number)),
        Place::Accumulator(number) => {
            both([assemble::R0, assemble::R1, assemble::R2, assemble::R3][usize::from(number)])
        }
        Place::R4 => (assemble::R4, None),
        Place::R5 => (assemble::R5, Some(assemble::R5_QUAD)),
    }
}

fn source<U>(source: Source<U>) -> assemble::Src {
    match source {
        Source::Place(place) => register(place).0,
        Source::Uniform(_) => assemble::UNIF,
        Source::Lane => assemble::ELEM_NUM,
        Source::Small(value) => value.into(),
        Source::MutexAcquire => assemble::MUTEX_ACQUIRE,
        Source::StoreWait => assemble::ST_WAIT,
        Source::Vpm => assemble::VPM.into(),
    }
}

fn destination(destination: Destination) -> assemble::Dst {
    match destination {
        Destination::Nothing => assemble::NONE,
        Destination::Place(place) => register(place).1.expect("r4 is written by fetches only"),
        Destination::Tmu(0) => assemble::TMU0_S,
        Destination::Tmu(_) => assemble::TMU1_S,
        Destination::Vpm => assemble::VPM.into(),
        Destination::ReadSetup => assemble::RD_SETUP,
        Destination::WriteSetup => assemble::WR_SETUP,
        Destination::StoreAddress => assemble::ST_ADDR,
        Destination::MutexRelease => assemble::MUTEX_RELEASE,
        Destination::Log2 => assemble::SFU_LOG,
        Destination::UniformsAddress => assemble::UNIFORMS_ADDRESS,
    }
}

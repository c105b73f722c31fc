//! Puts operations into instructions: what waits for what, and which two share an instruction.
//!
//! List scheduling: instruction by instruction, those operations whose predecessors are far enough
//! back are tried in the order of a priority. Priorities mix the distance to the end of the program
//! with the order in which the codelet was written; a few mixtures are tried and the shortest
//! program wins, so the same codelet always gives the same words.
//!
//! Distances are hazards of the machine (Architecture Reference Guide, section "QPU instruction
//! restrictions"): a register of a file is readable in the second instruction after its write, an
//! accumulator and r4 in the next, a rotated accumulator in the second. A TMU holds four lookups of
//! one QPU. No lookup is sent in the first three instructions of a program.

use super::operation::{Destination, Operation, Place, Source, Unit};
use crate::fft::Uniform;
use crate::generate::{self as assemble, Op, OpCode, fit};
use crate::isa::{Alu, Instruction, LoadImmediate, LoadImmediateKind, Rotation, Signal, WriteBack};
use std::collections::HashMap;

/// Lookups of one QPU that a TMU can hold.
const LOOKUPS_IN_FLIGHT: usize = 4;
/// Instructions between a lookup and its fetch; a fetch that is too early only stalls.
const LOOKUP_DISTANCE: u32 = 12;
/// First instruction that may send a lookup.
const FIRST_LOOKUP: u32 = 3;

/// Instructions, and the uniforms in the order in which they are read.
pub struct Scheduled {
    /// The program, without its end.
    pub instructions: Vec<Instruction>,
    /// Its uniforms.
    pub uniforms: Vec<Uniform>,
}

/// An operation waits for another: it must be `distance` instructions later.
#[derive(Clone, Copy)]
struct Wait {
    on: usize,
    distance: u32,
}

/// Schedules operations given in program order.
pub fn schedule(operations: &[Operation]) -> Scheduled {
    let waits = waits(operations);
    let heights = heights(&waits);
    // In percent: how much program order counts beside the distance to the end.
    [0, 10, 20, 40, 60, 80, 100, 150, 200]
        .into_iter()
        .map(|percent| {
            let priority = |index: usize| 100 * i64::from(heights[index]) - percent * index as i64;
            place(operations, &waits, priority)
        })
        .min_by_key(|scheduled| scheduled.instructions.len())
        .expect("at least one mixture")
}

fn waits(operations: &[Operation]) -> Vec<Vec<Wait>> {
    #[derive(Default)]
    struct Use {
        writer: Option<usize>,
        readers: Vec<usize>,
    }
    let mut uses: HashMap<Option<Place>, Use> = HashMap::new(); // None stands for the flags.
    let mut requests: [Vec<usize>; 2] = Default::default();
    let mut fetches: [Vec<usize>; 2] = Default::default();
    let mut last_store_access = None;
    let mut all = Vec::with_capacity(operations.len());
    for (index, operation) in operations.iter().enumerate() {
        let mut waits = Vec::new();
        let mut wait = |on: Option<usize>, distance| {
            waits.extend(on.map(|on| Wait { on, distance }));
        };
        let reads_flags = operation.cond != crate::isa::Cond::Always;
        for read in operation
            .reads()
            .map(Some)
            .chain(reads_flags.then_some(None))
        {
            let used = uses.entry(read).or_default();
            let distance = match read {
                Some(Place::Register(..)) => 2,
                Some(_) if operation.rotation != 0 => 2,
                _ => 1,
            };
            wait(used.writer, distance);
            used.readers.push(index);
        }
        for write in operation
            .writes()
            .map(Some)
            .chain(operation.sets_flags.then_some(None))
        {
            let used = uses.entry(write).or_default();
            wait(used.writer, 1);
            for reader in used.readers.drain(..).filter(|&reader| reader != index) {
                wait(Some(reader), 0);
            }
            used.writer = Some(index);
        }
        if let Some(tmu) = operation.request() {
            let (sent, fetched) = (&mut requests[usize::from(tmu)], &fetches[usize::from(tmu)]);
            wait(sent.last().copied(), 1);
            let full = sent.len().checked_sub(LOOKUPS_IN_FLIGHT);
            wait(full.map(|oldest| fetched[oldest]), 1);
            sent.push(index);
        }
        if let Unit::Fetch(tmu) = operation.unit {
            let fetched = &mut fetches[usize::from(tmu)];
            wait(
                Some(requests[usize::from(tmu)][fetched.len()]),
                LOOKUP_DISTANCE,
            );
            fetched.push(index);
        }
        if operation.is_store_access() {
            wait(last_store_access, 1);
            last_store_access = Some(index);
        }
        if operation.is_barrier {
            for before in 0..index {
                wait(Some(before), 1);
            }
        }
        all.push(waits);
    }
    all
}

/// Instructions from each operation to the end of the program, if nothing but waits counted.
fn heights(waits: &[Vec<Wait>]) -> Vec<u32> {
    let mut heights = vec![0; waits.len()];
    for index in (0..waits.len()).rev() {
        for wait in &waits[index] {
            heights[wait.on] = heights[wait.on].max(heights[index] + wait.distance);
        }
    }
    heights
}

fn place(
    operations: &[Operation],
    waits: &[Vec<Wait>],
    priority: impl Fn(usize) -> i64,
) -> Scheduled {
    let mut open: Vec<usize> = (0..operations.len()).collect();
    open.sort_by_key(|&index| (-priority(index), index));
    let mut issued: Vec<Option<u32>> = vec![None; operations.len()];
    let mut scheduled = Scheduled {
        instructions: Vec::new(),
        uniforms: Vec::new(),
    };
    while !open.is_empty() {
        let now = scheduled.instructions.len() as u32;
        let mut bundle = Bundle::default();
        // A reader and the writer that waits for it can share an instruction: look again.
        loop {
            let before = bundle.members.len();
            for &index in &open {
                let ready =
                    |wait: &Wait| issued[wait.on].is_some_and(|at| at + wait.distance <= now);
                let early = operations[index].request().is_some() && now < FIRST_LOOKUP;
                if issued[index].is_none()
                    && !early
                    && waits[index].iter().all(ready)
                    && bundle.try_add(operations, index)
                {
                    issued[index] = Some(now);
                }
            }
            if bundle.members.len() == before {
                break;
            }
        }
        open.retain(|&index| issued[index].is_none());
        scheduled.uniforms.extend(
            bundle
                .members
                .iter()
                .filter_map(|&index| operations[index].uniform()),
        );
        scheduled.instructions.push(bundle.instruction);
    }
    scheduled
}

/// Operations that share an instruction.
struct Bundle {
    members: Vec<usize>,
    instruction: Instruction,
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
    fn try_add(&mut self, operations: &[Operation], index: usize) -> bool {
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

fn combine<'a>(members: impl Iterator<Item = &'a Operation> + Clone) -> Option<Instruction> {
    let count =
        |test: fn(&Operation) -> bool| members.clone().filter(|operation| test(operation)).count();
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
            Unit::Fetch(0) => signal = Signal::LoadTmu0,
            Unit::Fetch(_) => signal = Signal::LoadTmu1,
            Unit::Add(op) => alu.push(alu_op(OpCode::Add(op), operation)),
            Unit::Mul(op) => alu.push(alu_op(OpCode::Mul(op), operation)),
            Unit::Either(add, mul) => alu.push(alu_op(OpCode::Either(add, mul), operation)),
        }
    }
    fit(&alu, signal).ok().map(|alu: Alu| Instruction::Alu(alu))
}

fn alu_op(code: OpCode, operation: &Operation) -> Op {
    let [a, b] = operation.sources.map(source);
    Op {
        cond: operation.cond,
        setf: operation.sets_flags,
        rotate: (operation.rotation != 0).then_some(Rotation::By(operation.rotation)),
        ..Op::new(code, destination(operation.destinations[0]), a, b)
    }
}

fn load_immediate(operation: &Operation, value: u32) -> Instruction {
    // Both results of a load immediate are the constant: one to each file.
    let [first, second] = operation.destinations.map(|d| destination(d).address());
    let ws = first.1 == Some(crate::isa::File::B);
    let cond = |d| {
        if d == Destination::Nothing {
            crate::isa::Cond::Never
        } else {
            crate::isa::Cond::Always
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

fn register(place: Place) -> (assemble::Src, Option<assemble::Dst>) {
    use crate::isa::File;
    let both = |register: assemble::Reg| (register.into(), Some(register.into()));
    match place {
        Place::Register(File::A, number) => both(assemble::ra(number)),
        Place::Register(File::B, number) => both(assemble::rb(number)),
        Place::Accumulator(number) => {
            both([assemble::R0, assemble::R1, assemble::R2, assemble::R3][usize::from(number)])
        }
        Place::R4 => (assemble::R4, None),
    }
}

fn source(source: Source) -> assemble::Src {
    match source {
        Source::Place(place) => register(place).0,
        Source::Uniform(_) => assemble::UNIF,
        Source::Lane => assemble::ELEM_NUM,
        Source::Small(value) => value.into(),
        Source::MutexAcquire => assemble::MUTEX_ACQUIRE,
        Source::StoreWait => assemble::ST_WAIT,
    }
}

fn destination(destination: Destination) -> assemble::Dst {
    match destination {
        Destination::Nothing => assemble::NONE,
        Destination::Place(place) => register(place).1.expect("r4 is written by fetches only"),
        Destination::Tmu(0) => assemble::TMU0_S,
        Destination::Tmu(_) => assemble::TMU1_S,
        Destination::Vpm => assemble::VPM.into(),
        Destination::WriteSetup => assemble::WR_SETUP,
        Destination::StoreAddress => assemble::ST_ADDR,
        Destination::MutexRelease => assemble::MUTEX_RELEASE,
    }
}

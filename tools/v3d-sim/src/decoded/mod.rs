//! An instruction, decoded once into what execution asks for.
//!
//! Everything that does not depend on registers is found here: where operands are, where results
//! go, which units are used, and which rules the word breaks whatever happens. Most instructions
//! turn out to be plain ([`Code::plain`]): nobody but their own QPU can see them.

mod fields;
mod places;
mod rules;
mod units;

pub use places::{Destination, Port};
pub use units::Units;

use crate::alu::{self, Operation};
use crate::qpu::handlers::{self, Handler};
use crate::qpu::state::{self, Index};
use crate::rule::Rule;
use qpu::isa::{
    AddOp, Alu, Branch, Cond, File, Instruction, MulOp, MulPack, Mux, Pack, Raddr, SemaphoreAction,
    Signal, Slot, Unpack, Waddr, raddr,
};

/// A rotation of the mul result by r5.
pub const BY_R5: u8 = 16;

/// Not a register: what no [`Index`] equals.
pub const NO_REGISTER: Index = 255;

/// An instruction, ready to execute.
///
/// What nearly every instruction asks for comes first, in one line of the host's cache.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Code {
    /// The word as read.
    pub word: u64,
    /// The function that executes it if it is simple.
    pub handler: Handler,
    /// Registers of file A (low half) and B whose value matters.
    pub needed_registers: u64,
    /// Conditions under which results are written.
    pub conditions: [Cond; 2],
    /// Registers that hold the operands: of the add ALU, then of the mul ALU.
    pub operands: [Index; 4],
    /// The register, constant or value of a unit that comes through each port, or [`NO_REGISTER`].
    pub through: [Index; 2],
    /// The register that is read through each port, or [`NO_REGISTER`].
    pub reads: [Index; 2],
    /// Destinations of results that go to a register or to r0..r3 as they are, and of those that
    /// are for a unit, else [`NO_REGISTER`].
    pub direct: [Index; 2],
    /// By how many lanes the mul result moves; or [`BY_R5`].
    pub rotation: u8,
    /// Accumulators that must not be written by the instruction before: a bit each.
    pub rotated: u8,
    /// Accumulators whose value matters: `xor x, x` and its like give 0 for any x.
    pub needed_accumulators: u8,
    /// It uses registers and ALUs only and breaks no rule by itself.
    pub plain: bool,
    /// It is plain and does nothing but to operate on operands and to write results as they are, so
    /// that `handler` executes it.
    pub simple: bool,
    /// It uses units, but is otherwise as a simple one.
    pub tidy: bool,
    /// True if a condition that counts asks flags.
    pub asks_flags: bool,
    /// True if one asks C.
    pub asks_carry: bool,
    /// Sets flags.
    pub sf: bool,
    /// From what a port left that reads nothing.
    pub flags_left_over: bool,
    /// True if a result of a plain instruction goes anywhere but to the places of `direct`.
    pub indirect: bool,
    /// Both results go to one accumulator or one unit.
    pub same_destination: bool,
    /// Other units that it uses.
    pub units: Units,

    /// The operations of the add and the mul ALU.
    pub operations: [Operation; 2],
    /// True if they only move their first operand.
    pub copies: [bool; 2],
    /// True for those that copy a register or one of r0..r3 onto itself, so that it stays what it
    /// was: undefined, if nothing was written to it.
    pub stays: [bool; 2],
    /// Registers and accumulators, a bit each, whose values are needed for nothing but to stay.
    /// They count as needed all the same, for only the checked way leaves them undefined.
    pub kept: (u64, u8),
    /// Registers and accumulators, a bit each, that it writes unless its conditions hold in no
    /// lane.
    pub defines: (u64, u8),

    /// The instruction as decoded.
    pub instruction: Instruction,
    /// Rules that it breaks whatever registers hold.
    pub rules: Box<[Rule]>,
    /// The operations; of a load immediate and the like both are nop.
    pub op_add: AddOp,
    /// See `op_add`.
    pub op_mul: MulOp,
    /// The values that come through the two ports.
    pub ports: [Port; 2],
    /// A bit for each [`Mux`] that an operand which counts comes through.
    pub muxes: u8,
    /// The mode by which file A's port (pm = 0) or r4 (pm = 1) is widened; none when no operand
    /// takes it.
    pub unpack: Unpack,
    /// True if both ALUs see unpacked operands as floats.
    pub unpack_float: bool,
    /// Destinations of the add and the mul result, or of both outputs of an immediate.
    pub destinations: [Destination; 2],
    /// The packing of results into file A.
    pub pack: Pack,
    /// The packing of the mul result, wherever it goes.
    pub colour: MulPack,
    /// The value of a load immediate or a semaphore instruction.
    pub immediate: u32,
}

impl Code {
    /// An instruction word, decoded.
    #[must_use]
    pub fn new(word: u64, instruction: Instruction) -> Self {
        let mut code = Self {
            word,
            instruction,
            plain: true,
            simple: false,
            tidy: false,
            through: [NO_REGISTER; 2],
            handler: |_, _| {},
            copies: [false; 2],
            stays: [false; 2],
            kept: (0, 0),
            defines: (0, 0),
            units: Units::NONE,
            rules: Box::default(),
            op_add: AddOp::Nop,
            op_mul: MulOp::Nop,
            operations: [alu::copy; 2],
            operands: [state::accumulator(0); 4],
            ports: [Port::Idle; 2],
            reads: [NO_REGISTER; 2],
            muxes: 0,
            needed_accumulators: 0,
            needed_registers: 0,
            rotation: 0,
            rotated: 0,
            unpack: Unpack::None,
            unpack_float: false,
            destinations: [Destination::Nowhere; 2],
            direct: [NO_REGISTER; 2],
            indirect: false,
            conditions: [Cond::Never; 2],
            asks_flags: false,
            asks_carry: false,
            sf: false,
            flags_left_over: false,
            pack: Pack::None,
            colour: MulPack::None,
            same_destination: false,
            immediate: 0,
        };
        let mut rules = Vec::new();
        code.decode_writes(&instruction.write_back(), &mut rules);
        match instruction {
            Instruction::Alu(alu) => code.decode_alu(&alu, &mut rules),
            Instruction::LoadImmediate(load) => code.immediate = load.immediate,
            Instruction::Semaphore(semaphore) => {
                code.immediate = semaphore.immediate;
                code.units = code.units.with(Units::SEMAPHORE);
            }
            // A link address goes to no unit.
            Instruction::Branch(_) => {
                code.units = Units::NONE;
                code.plain = false;
            }
        }
        let is_immediate = matches!(
            instruction,
            Instruction::LoadImmediate(_) | Instruction::Semaphore(_)
        );
        if is_immediate && code.sf && code.flags_from_mul() {
            rules.push(Rule::LdiFlagsMulOnly);
        }
        code.check_units(&mut rules);
        let is_ordinary = code.plain;
        code.plain &= !code.units.any()
            && rules.is_empty()
            && !code.destinations.into_iter().any(Destination::is_unit);
        code.rules = rules.into();
        code.find_direct();
        code.find_simple(is_ordinary);
        code
    }

    /// [`crate::Defect::WrongQpu`]: float products come out wrong.
    pub fn multiply_wrongly(&mut self) {
        if self.op_mul == MulOp::Fmul {
            self.operations[1] = alu::wrong_product;
            self.handler = handlers::find(self, false);
        }
    }

    /// True if a load immediate sets flags where its mul side is written: only that side is live.
    /// VC4C's reading; the guide is silent.
    #[must_use]
    pub fn flags_from_mul(&self) -> bool {
        self.conditions[0] == Cond::Never && self.conditions[1] != Cond::Never
    }

    /// Results that are written somewhere: slot, address and the file whose space it is in. Not
    /// what only a mul nop leaves.
    pub fn writes(&self) -> impl Iterator<Item = (Slot, Waddr, File)> {
        let write = self.instruction.write_back();
        let live = match self.instruction {
            Instruction::Alu(alu) => [alu.op_add != AddOp::Nop, alu.op_mul != MulOp::Nop],
            _ => [true; 2],
        };
        Slot::BOTH
            .into_iter()
            .zip(live)
            .filter(move |(slot, live)| *live && write.cond(*slot) != Cond::Never)
            .map(move |(slot, _)| (slot, write.waddr(slot), write.file(slot)))
    }

    /// The addresses read through the ports of files A and B, whether an operand takes it or not.
    #[must_use]
    pub fn addresses(&self) -> [Raddr; 2] {
        match &self.instruction {
            Instruction::Alu(alu) => [alu.raddr_a, alu.read_b()],
            _ => [raddr::NOP; 2],
        }
    }

    /// True if an operand that counts comes through `mux`.
    #[must_use]
    pub const fn takes(&self, mux: Mux) -> bool {
        self.muxes & 1 << mux.bits() != 0
    }

    /// The operations, if it has some.
    #[must_use]
    pub const fn alu(&self) -> Option<&Alu> {
        match &self.instruction {
            Instruction::Alu(alu) => Some(alu),
            _ => None,
        }
    }

    /// The signal.
    #[must_use]
    pub const fn signal(&self) -> Signal {
        self.instruction.signal()
    }

    /// The action on a semaphore, and its number.
    #[must_use]
    pub const fn semaphore(&self) -> Option<(SemaphoreAction, u8)> {
        match &self.instruction {
            Instruction::Semaphore(semaphore) => Some((semaphore.action(), semaphore.number())),
            _ => None,
        }
    }

    /// The branch, if it is one.
    #[must_use]
    pub const fn branch(&self) -> Option<&Branch> {
        match &self.instruction {
            Instruction::Branch(branch) => Some(branch),
            _ => None,
        }
    }
}

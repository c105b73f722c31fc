//! Runs: instructions that follow each other and can be executed in one go.
//!
//! What one instruction of a run does is no hazard to the next, whatever registers hold, so that it
//! is enough to ask once whether the run as a whole meets one ([`crate::qpu`]).

use crate::decoded::{Code, Units};
use qpu::isa::{AddOp, Cond, MulOp};

/// A run, and what must be defined where it begins.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Run {
    /// One more than its length; 0 while it is not known.
    length: u8,
    /// r0..r5, a bit each.
    pub accumulators: u8,
    /// Registers of files A (low half) and B.
    pub registers: u64,
    /// Flags.
    pub flags: bool,
    /// C, by something else than the mul ALU.
    pub carry: bool,
    /// Registers of files A (low half) and B, and r0..r5, that it writes where its conditions hold.
    pub defines: (u64, u8),
    /// A bit for each instruction that is simple.
    simple: u64,
}

/// The ALU that has set the flags.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flags {
    Before,
    Add,
    Mul,
}

impl Run {
    /// The run of plain instructions that `codes` begin with; it ends where nothing has been read.
    #[must_use]
    pub fn of(codes: &[Option<Code>]) -> Self {
        Self::of_those(codes, |code| code.plain)
    }

    /// The run with instructions between them that use units, as far as only their QPU can tell
    /// when.
    #[must_use]
    pub fn with_units(codes: &[Option<Code>]) -> Self {
        Self::of_those(codes, |code| {
            code.plain || code.tidy && code.units.are_own()
        })
    }

    fn of_those(codes: &[Option<Code>], belongs: impl Fn(&Code) -> bool) -> Self {
        let mut run = Self {
            length: 1,
            ..Self::default()
        };
        let (mut registers, mut accumulators) = (0_u64, 0_u8);
        let mut flags = Flags::Before;
        let mut before: Option<&Code> = None;
        for code in codes.iter().map_while(Option::as_ref) {
            let may_follow = before.is_none_or(|before| is_no_hazard(before, code));
            if !belongs(code) || !may_follow || (code.asks_carry && flags == Flags::Mul) {
                break;
            }
            run.simple |= u64::from(code.simple) << run.length();
            run.length += 1;
            run.defines.0 |= code.defines.0;
            run.defines.1 |= code.defines.1;
            run.registers |= code.needed_registers & !registers;
            run.accumulators |= code.needed_accumulators & !accumulators;
            run.flags |= code.asks_flags && flags == Flags::Before;
            run.carry |= code.asks_carry && flags == Flags::Before;
            // What is written in all lanes is defined, wherever the run begins.
            for place in 0..2 {
                if code.conditions[place] == Cond::Always {
                    let (to_registers, to_accumulators) = code.destinations[place].bits();
                    registers |= to_registers;
                    accumulators |= to_accumulators;
                }
            }
            if code.units.uses(Units::LDTMU0.with(Units::LDTMU1)) {
                accumulators |= 1 << 4;
            }
            if code.sf {
                let by_add = code.op_add != AddOp::Nop && code.conditions[0] != Cond::Never;
                let by_any = by_add || code.op_mul != MulOp::Nop;
                flags = match (by_add, by_any, flags) {
                    (true, ..) => Flags::Add,
                    (_, true, _) => Flags::Mul,
                    _ => flags,
                };
            }
            before = Some(code);
        }
        run
    }

    /// Instructions.
    #[must_use]
    pub fn length(&self) -> usize {
        usize::from(self.length.saturating_sub(1))
    }

    /// The number of simple instructions that follow each other from the one at `place` on.
    #[inline]
    #[must_use]
    pub fn simple_from(&self, place: usize) -> usize {
        (!(self.simple >> place)).trailing_zeros() as usize
    }

    /// True if it has been looked for.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.length > 0
    }
}

/// True if `code` reads nothing too early that `before` writes.
fn is_no_hazard(before: &Code, code: &Code) -> bool {
    let reads = code.reads.into_iter().filter(|index| *index < 64);
    let reads = reads.fold(0_u64, |reads, index| reads | 1 << index);
    before.destinations.iter().all(|to| {
        let (registers, accumulators) = to.bits();
        reads & registers == 0 && code.rotated & accumulators == 0
    })
}

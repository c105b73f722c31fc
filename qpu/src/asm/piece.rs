//! The parts of a line, and the instruction that they make together.

use super::diagnostic::Fault;
use crate::fit::{Dst, Misfit, Op, OpCode, Request, Src};
use crate::isa::{
    AddOp, Branch, BranchCond, Cond, File, Instruction, LoadImmediate, LoadImmediateKind, MulOp,
    Pack, Rotation, Semaphore, Signal, Slot, WriteBack,
};

/// A part and the bytes of the line that it was written in.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub what: What,
    pub span: (u32, u32),
    /// True if the source says that a rotation of what rotates only inside quads is meant.
    pub rotates_in_quads: bool,
}

/// The request in a part of a line.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// An operation, in any of these forms.
    Alu(Vec<Op>),
    /// A mov of a constant: as operations, or as a load.
    Constant {
        ways: Vec<Op>,
        load: Option<LoadPiece>,
        word: u32,
    },
    Load(LoadPiece),
    /// Its immediate goes where a load's would.
    Semaphore(LoadPiece),
    Branch(BranchPiece),
    Read(Src),
    Signal(Signal),
    /// Keeps an ALU idle: the one named, or the add ALU before the mul ALU.
    Nop(Option<Slot>),
}

/// A constant to one or two destinations.
#[derive(Clone, Debug)]
pub(super) struct LoadPiece {
    pub kind: LoadImmediateKind,
    pub immediate: u32,
    pub outputs: Vec<(Dst, Cond)>,
    pub setf: bool,
}

/// A branch.
#[derive(Clone, Debug)]
pub(super) struct BranchPiece {
    pub relative: bool,
    pub cond: BranchCond,
    pub setf: bool,
    pub links: Vec<Dst>,
    pub register: Option<u8>,
    pub offset: u32,
    pub label: Option<i64>,
}

/// An instruction; a relative branch to a label gets its offset when its own place is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Encoded {
    pub instruction: Instruction,
    pub target: Option<u32>,
    /// True if the source says that a rotation inside quads is meant.
    pub rotates_in_quads: bool,
}

impl Encoded {
    pub const fn fixed(instruction: Instruction) -> Self {
        Self {
            instruction,
            target: None,
            rotates_in_quads: false,
        }
    }

    /// The word at a byte address.
    pub fn word(&self, address: u32) -> u64 {
        match (self.instruction, self.target) {
            (Instruction::Branch(branch), Some(target)) => {
                let immediate = target.wrapping_sub(Branch::link(address));
                Branch {
                    immediate,
                    ..branch
                }
                .encode()
            }
            (instruction, _) => instruction.encode(),
        }
    }
}

/// The instruction of these parts, and warnings about it.
pub(super) fn encode(pieces: &[Piece]) -> Result<(Encoded, Vec<Fault>), Fault> {
    let span = whole(pieces);
    let lone = |what: &str, own: &Piece| {
        let other = pieces
            .iter()
            .find(|piece| !std::ptr::eq(*piece, own) && !matches!(piece.what, What::Nop(_)));
        other.map_or(Ok(()), |other| {
            let message = format!("{what} takes the whole instruction");
            Err(Fault::new("alu-slots", other.span, message)
                .help("put this into an instruction of its own"))
        })
    };
    for piece in pieces {
        match &piece.what {
            What::Branch(branch) => {
                lone("a branch", piece)?;
                return Ok((branch.encode(piece.span)?, vec![]));
            }
            What::Semaphore(load) => {
                lone("a semaphore", piece)?;
                let write = load.write_back(piece.span)?;
                let instruction = Instruction::Semaphore(Semaphore {
                    write,
                    immediate: load.immediate,
                });
                return Ok((Encoded::fixed(instruction), vec![]));
            }
            _ => (),
        }
    }
    if let Some(load) = as_load(pieces)? {
        let write = load.write_back(span)?;
        let instruction = Instruction::LoadImmediate(LoadImmediate {
            kind: load.kind,
            write,
            immediate: load.immediate,
        });
        return Ok((Encoded::fixed(instruction), vec![]));
    }
    Alu::of(pieces, span)?.encode()
}

fn whole(pieces: &[Piece]) -> (u32, u32) {
    let starts = pieces.iter().map(|piece| piece.span.0);
    let ends = pieces.iter().map(|piece| piece.span.1);
    (starts.min().unwrap_or(0), ends.max().unwrap_or(1))
}

/// One load immediate, when all parts are loads (or movs) of the same constant.
fn as_load(pieces: &[Piece]) -> Result<Option<LoadPiece>, Fault> {
    let mut joined: Option<LoadPiece> = None;
    let explicit = pieces
        .iter()
        .find(|piece| matches!(piece.what, What::Load(_)));
    for piece in pieces {
        let own = match &piece.what {
            What::Nop(_) => continue,
            What::Load(load)
            | What::Constant {
                load: Some(load), ..
            } => load,
            _ => match explicit {
                None => return Ok(None),
                Some(_) => {
                    let message = "a load immediate takes the whole instruction";
                    let fault = Fault::new("alu-slots", piece.span, message);
                    return Err(fault.help("use mov with a constant that fits a small immediate, or another instruction"));
                }
            },
        };
        joined = Some(match joined {
            None => own.clone(),
            Some(first)
                if first.kind == own.kind
                    && first.immediate == own.immediate
                    && first.setf == own.setf =>
            {
                let outputs = [first.outputs, own.outputs.clone()].concat();
                LoadPiece { outputs, ..first }
            }
            Some(_) if explicit.is_some() => {
                let message = "a load immediate holds one constant, and two are asked for";
                let fault = Fault::new("alu-slots", piece.span, message);
                return Err(fault.help("load one of them in an instruction of its own"));
            }
            Some(_) => return Ok(None),
        });
    }
    Ok(joined)
}

impl LoadPiece {
    fn write_back(&self, span: (u32, u32)) -> Result<WriteBack, Fault> {
        let mut write = destinations(self.outputs.iter().map(|output| output.0), span)?;
        let mut conds = self.outputs.iter().map(|output| output.1);
        write.cond_add = conds.next().unwrap_or(Cond::Never);
        write.cond_mul = conds.next().unwrap_or(Cond::Never);
        Ok(WriteBack {
            sf: self.setf,
            ..write
        })
    }
}

/// Up to two destinations of one value: addresses, write swap, pack.
fn destinations(all: impl Iterator<Item = Dst>, span: (u32, u32)) -> Result<WriteBack, Fault> {
    let all: Vec<Dst> = all.collect();
    if all.len() > 2 {
        let count = all.len();
        let message = format!("{count} destinations, and an instruction has two results");
        let fault = Fault::new("write-ports", span, message);
        return Err(fault.help("copy the value with mov afterwards"));
    }
    let of = |index: usize| all.get(index).copied();
    let ws = crate::fit::write_swap([of(0), of(1)]).map_err(|misfit| misfit_fault(misfit, span))?;
    let mut write = WriteBack {
        ws,
        ..WriteBack::NOTHING
    };
    if let Some(dst) = of(0) {
        write.waddr_add = dst.waddr;
    }
    if let Some(dst) = of(1) {
        write.waddr_mul = dst.waddr;
    }
    for (slot, dst) in Slot::BOTH.into_iter().zip(&all) {
        if dst.pack != Pack::None {
            if write.file(slot) != File::A || dst.waddr.register().is_none() {
                return Err(misfit_fault(Misfit::CannotPack, span));
            }
            write.pack = dst.pack;
        }
    }
    Ok(write)
}

impl BranchPiece {
    fn encode(&self, span: (u32, u32)) -> Result<Encoded, Fault> {
        let write = destinations(self.links.iter().copied(), span)?;
        if write.pack != Pack::None {
            return Err(Fault::new("pack", span, "a branch cannot pack its link"));
        }
        let mut raddr_a = self.register.unwrap_or(0);
        if self.setf && raddr_a & 1 == 0 {
            if self.register.is_some() {
                let message = "a branch sets flags exactly when its register is an odd one";
                let fault = Fault::new("branch", span, message);
                return Err(fault.help("leave out .setf, or use an odd register"));
            }
            raddr_a = 1;
        }
        let branch = Branch {
            ignored: 0,
            cond_br: self.cond,
            rel: self.relative,
            reg: self.register.is_some(),
            raddr_a,
            ws: write.ws,
            waddr_add: write.waddr_add,
            waddr_mul: write.waddr_mul,
            immediate: self.offset.wrapping_add(if self.relative {
                0
            } else {
                self.label.unwrap_or(0) as u32
            }),
        };
        let target = self
            .label
            .filter(|_| self.relative)
            .map(|label| self.offset.wrapping_add(label as u32));
        Ok(Encoded {
            target,
            ..Encoded::fixed(Instruction::Branch(branch))
        })
    }
}

fn misfit_fault(misfit: Misfit, span: (u32, u32)) -> Fault {
    Fault::new(misfit.rule(), span, misfit.to_string()).help(misfit.fix())
}

/// The parts of an ALU instruction.
struct Alu<'a> {
    operations: Vec<&'a [Op]>,
    reads: Vec<Src>,
    signal: Signal,
    span: (u32, u32),
    rotates_in_quads: bool,
}

impl<'a> Alu<'a> {
    fn of(pieces: &'a [Piece], span: (u32, u32)) -> Result<Self, Fault> {
        let mut alu = Self {
            operations: vec![],
            reads: vec![],
            signal: Signal::None,
            span,
            rotates_in_quads: pieces.iter().any(|piece| piece.rotates_in_quads),
        };
        for piece in pieces {
            match &piece.what {
                What::Alu(ways) => alu.operations.push(ways),
                What::Constant { ways, word, .. } => {
                    if ways.is_empty() {
                        return Err(misfit_fault(Misfit::NoSuchImmediate(*word), piece.span));
                    }
                    alu.operations.push(ways);
                }
                What::Read(source) => alu.reads.push(*source),
                What::Signal(signal) if alu.signal == Signal::None => alu.signal = *signal,
                What::Signal(_) => {
                    let fault =
                        Fault::new("signals", piece.span, "an instruction carries one signal");
                    return Err(fault.help("put the other into an instruction of its own"));
                }
                _ => (),
            }
        }
        if alu.operations.len() > 2 {
            return Err(misfit_fault(Misfit::ThreeOperations, span));
        }
        Ok(alu)
    }

    /// The first combination of forms that fits; one that keeps the order of the ALUs before
    /// others.
    fn encode(&self) -> Result<(Encoded, Vec<Fault>), Fault> {
        let first = match self.find(&self.reads) {
            Ok(found) => return Ok(found),
            Err(misfit) => misfit,
        };
        // vc4asm leaves out a read whose port an operand needs, and programs rely on assembling.
        if !self.reads.is_empty()
            && !self.operations.is_empty()
            && let Ok((encoded, mut warnings)) = self.find(&[])
        {
            let message = "an operand needs the port of this read, so nothing is read: no wait, no value taken";
            warnings.push(
                Fault::new("read-ports", self.span, message)
                    .help("put the read into an instruction of its own"),
            );
            return Ok((encoded, warnings));
        }
        Err(misfit_fault(first, self.span))
    }

    fn find(&self, reads: &[Src]) -> Result<(Encoded, Vec<Fault>), Misfit> {
        let none: &[Op] = &[];
        let first = self.operations.first().copied().unwrap_or(none);
        let second = self.operations.get(1).copied().unwrap_or(none);
        let mut reason = None;
        let choices = |ops: &'a [Op]| match ops {
            [] => vec![None],
            ops => ops.iter().map(Some).collect(),
        };
        for in_order in [true, false] {
            for one in choices(first) {
                for two in choices(second) {
                    let operations: Vec<Op> = match (one, two) {
                        (Some(one), Some(two)) if in_order => {
                            match (on_add(one), on(two, Slot::Mul)) {
                                (Some(one), Some(two)) => vec![one, two],
                                _ => continue,
                            }
                        }
                        _ if in_order => continue,
                        (one, two) => one.into_iter().chain(two).copied().collect(),
                    };
                    let request = Request {
                        operations: &operations,
                        reads,
                        signal: self.signal,
                        rotates_in_quads: true,
                    };
                    match request.fit() {
                        Ok(alu) => {
                            let encoded = Encoded {
                                rotates_in_quads: self.rotates_in_quads,
                                ..Encoded::fixed(Instruction::Alu(alu))
                            };
                            return Ok((encoded, self.warnings(&operations)));
                        }
                        Err(misfit) if !in_order => reason = reason.or(Some(misfit)),
                        Err(_) => (),
                    }
                }
            }
        }
        Err(reason.unwrap_or(Misfit::SameAlu))
    }

    fn warnings(&self, operations: &[Op]) -> Vec<Fault> {
        if self.rotates_in_quads {
            return vec![];
        }
        // Moves by up to three lanes may be meant inside quads.
        let far = |rotation| !matches!(rotation, Rotation::By(1..=3 | 13..=15));
        let rotates = |op: &&Op| op.rotate.is_some_and(far) && !op.a.rotates() && !op.b.rotates();
        let in_quads = operations.iter().find(rotates);
        in_quads.map_or(vec![], |_| {
            let message = "none of r0..r3 is rotated here, so lanes move only inside their quad";
            vec![
                Fault::new("rotation-source", self.span, message)
                    .help("move the value to r0, r1, r2 or r3 two instructions before"),
            ]
        })
    }
}

/// The operation bound to the add ALU, if it goes there of its own.
fn on_add(op: &Op) -> Option<Op> {
    let goes_to_mul = op.prefers_mul() || op.rotate.is_some();
    on(op, Slot::Add).filter(|_| !goes_to_mul)
}

/// The operation bound to an ALU, if it can be there.
fn on(op: &Op, slot: Slot) -> Option<Op> {
    let code = op.code.on(slot)?;
    Some(Op { code, ..*op })
}

/// Binds operations to the ALUs that `nop` leaves.
///
/// `anop` and `mnop` keep their ALU idle. A `nop` keeps the one whose place in the line it has,
/// unless an operation can be on no other: then it says nothing.
pub(super) fn settle_nops(mut pieces: Vec<Piece>) -> Result<Vec<Piece>, Fault> {
    let mut idle = [false; 2];
    let mut keeps = [false; 2];
    let mut place = 0;
    for piece in &pieces {
        match piece.what {
            What::Nop(Some(slot)) => idle[slot as usize] = true,
            What::Nop(None) if place < 2 => keeps[place] = true,
            What::Nop(None) | What::Alu(_) | What::Constant { .. } => (),
            _ => continue,
        }
        place += 1;
    }
    let [add_idle, mul_idle] = idle;
    let [prefers_mul, second] = keeps;
    let prefers_add = second && !prefers_mul;
    for piece in &mut pieces {
        let (What::Alu(ways) | What::Constant { ways, .. }) = &mut piece.what else {
            continue;
        };
        ways.retain_mut(|op| match op.code {
            OpCode::Either(_, code) if add_idle || prefers_mul || op.on_add().is_none() => {
                op.code = OpCode::Mul(code);
                !mul_idle
            }
            OpCode::Either(code, _) if mul_idle || prefers_add => {
                op.code = OpCode::Add(code);
                true
            }
            OpCode::Add(AddOp::Nop) | OpCode::Mul(MulOp::Nop) => true,
            OpCode::Add(_) => !add_idle,
            OpCode::Mul(_) => !mul_idle,
            OpCode::Either(..) => true,
        });
        if let What::Alu(ways) = &piece.what
            && ways.is_empty()
        {
            let message = "an ALU that this needs is kept idle";
            return Err(Fault::new("alu-slots", piece.span, message)
                .help("leave out the anop or mnop, or name the other"));
        }
    }
    Ok(pieces)
}

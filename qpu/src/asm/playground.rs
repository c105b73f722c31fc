//! The dialect of elorimer/rpi-playground.
//!
//! A line is an operation of the add ALU, `;`, and one of the mul ALU (the second may be missing), or a
//! load, branch or semaphore. Registers are raw addresses: reading `ra32` is a uniform, writing `rb48` is
//! the VPM, writing `rb32`..`rb35` is r0..r3. Every operation sets flags, as that assembler does: its
//! programs branch on them without asking for them. Idle ALUs are encoded as everywhere here, not with
//! the operands of the other ALU. Input is what m4 made of a source.

use super::assembler::Assembler;
use super::diagnostic::Fault;
use super::expression::Cursor;
use super::piece::{BranchPiece, LoadPiece, Piece, SemaphorePiece, What};
use super::source::Place;
use super::token::Kind;
use crate::fit::{Dst, Op, OpCode, Origin, Src};
use crate::isa::{
    AddOp, BranchCond, Cond, File, LoadImmediateKind, MulOp, MulPack, Raddr, Signal, Unpack, Waddr,
    waddr,
};
use crate::names::{self, find, nearest};

/// Branch conditions: a flag, and all set, all clear, any set, any clear.
#[rustfmt::skip]
const CONDITIONS: &[(&str, BranchCond)] = &[
    ("zf", BranchCond::AllZS), ("ze", BranchCond::AllZC), ("zs", BranchCond::AnyZS), ("zc", BranchCond::AnyZC),
    ("nf", BranchCond::AllNS), ("ne", BranchCond::AllNC), ("ns", BranchCond::AnyNS), ("nc", BranchCond::AnyNC),
    ("cf", BranchCond::AllCS), ("ce", BranchCond::AllCC), ("cs", BranchCond::AnyCS), ("cc", BranchCond::AnyCC),
    ("*", BranchCond::Always),
];

/// What is written on an operation behind a dot.
const SIGNALS: &[(&str, Signal)] = &[
    ("tmu", Signal::LoadTmu0),
    ("tmu0", Signal::LoadTmu0),
    ("tmu1", Signal::LoadTmu1),
    ("tend", Signal::ProgramEnd),
];

impl Assembler<'_> {
    /// A line, its labels already read.
    pub(super) fn playground(&mut self, cursor: &mut Cursor, place: &Place) -> Result<(), Fault> {
        let start = cursor.span();
        let Some(name) = cursor.name() else {
            return Err(cursor.expected("an instruction or a label"));
        };
        let pieces = match name {
            "ldi" => vec![What::Load(load(cursor)?)],
            "bra" | "brr" => vec![What::Branch(self.playground_branch(name == "brr", cursor)?)],
            "sema" => vec![What::Semaphore(semaphore(cursor)?)],
            _ => operations(name, start, cursor)?,
        };
        while cursor.take(";") {}
        cursor.finish()?;
        let span = cursor.span_from(start);
        let pieces = pieces
            .into_iter()
            .map(|what| Piece {
                what,
                span,
                rotates_in_quads: false,
            })
            .collect();
        self.add(pieces, false, false, place, span)
    }

    fn playground_branch(
        &mut self,
        relative: bool,
        cursor: &mut Cursor,
    ) -> Result<BranchPiece, Fault> {
        let mut cond = BranchCond::Always;
        if let Some(Kind::Suffix(name)) = cursor.kind() {
            cond = find(CONDITIONS, name).ok_or_else(|| {
                Fault::new("unknown-suffix", cursor.span(), format!("`.{name}` is no branch condition"))
                    .help("a flag z n c, and f e s c for all set, all clear, any set, any clear: .zf .ne .cs; .* for always")
            })?;
            cursor.step();
        }
        let link = destination(cursor)?;
        cursor.expect(",")?;
        let span = cursor.span();
        let Some(name) = cursor.name() else {
            return Err(cursor.expected("a label, or ZERO,"));
        };
        let label = if name == "ZERO" {
            None
        } else {
            Some(self.label_address(name, span)?)
        };
        let mut register = None;
        if cursor.take(",") {
            let span = cursor.span();
            register = match address(cursor)? {
                (File::A, number @ 0..=31) => Some(number),
                (file, number) => {
                    let name = names_of(file, number);
                    return Err(Fault::new(
                        "branch",
                        span,
                        format!("{name} cannot be added to a branch target; only ra0..ra31 can"),
                    ));
                }
            };
        }
        Ok(BranchPiece {
            relative,
            cond,
            setf: false,
            links: vec![link],
            register,
            offset: 0,
            label,
        })
    }
}

fn names_of(file: File, number: u8) -> String {
    match file {
        File::A => format!("ra{number}"),
        File::B => format!("rb{number}"),
    }
}

/// `raN` or `rbN`, 0..=63.
fn address(cursor: &mut Cursor) -> Result<(File, u8), Fault> {
    let span = cursor.span();
    let Some(name) = cursor.name() else {
        return Err(cursor.expected("a register raN or rbN"));
    };
    let numbered = |prefix: &str, file| {
        let number: u8 = name.strip_prefix(prefix)?.parse().ok()?;
        (number < 64).then_some((file, number))
    };
    numbered("ra", File::A)
        .or_else(|| numbered("rb", File::B))
        .ok_or_else(|| {
            Fault::new("destination", span, format!("`{name}` is no register here"))
                .help("registers are ra0..ra63 and rb0..rb63; r0..r3 are written as rb32..rb35")
        })
}

fn destination(cursor: &mut Cursor) -> Result<Dst, Fault> {
    let (file, number) = address(cursor)?;
    let waddr = Waddr::from_bits(number).unwrap_or(waddr::NOP);
    // Through either port it is the same; leaving it open keeps the write swap free.
    let either = matches!(number, 32..=36 | 38 | 39 | 43..=48 | 51..);
    Ok(Dst::at(waddr, Some(file).filter(|_| !either)))
}

fn source(cursor: &mut Cursor) -> Result<Src, Fault> {
    let negative = cursor.take("-");
    match cursor.kind() {
        Some(Kind::Int(value)) => {
            cursor.step();
            let value = if negative {
                value.wrapping_neg()
            } else {
                *value
            };
            Ok(Src::constant(value as u32))
        }
        Some(Kind::Float(value)) => {
            cursor.step();
            Ok(Src::constant(
                (if negative { -*value } else { *value } as f32).to_bits(),
            ))
        }
        Some(Kind::Name(name)) if !negative => {
            if let Some(number) = names::ACCUMULATORS.iter().position(|own| *own == &**name) {
                cursor.step();
                return Ok(Src {
                    from: Origin::Accumulator(number as u8),
                    unpack: Unpack::None,
                });
            }
            let (file, number) = address(cursor)?;
            let raddr = Raddr::from_bits(number).unwrap_or(crate::isa::raddr::NOP);
            Ok(Src::at(raddr, Some(file)))
        }
        _ => Err(cursor.expected("a register or a small integer")),
    }
}

/// What one slot of a line asks for: its operation and operands.
struct Half {
    op: Option<Op>,
}

/// A line of one or two operations, the first name already read.
fn operations(name: &str, span: (u32, u32), cursor: &mut Cursor) -> Result<Vec<What>, Fault> {
    let add = names::add_op(name)
        .ok_or_else(|| unknown(name, span, AddOp::ALL.iter().map(|op| op.name())))?;
    let mut signal = Signal::None;
    while let Some(Kind::Suffix(name)) = cursor.kind() {
        signal = find(SIGNALS, name).ok_or_else(|| {
            Fault::new(
                "unknown-suffix",
                cursor.span(),
                format!("`.{name}` is no signal"),
            )
            .help("signals are .tmu and .tend")
        })?;
        cursor.step();
    }
    let code = OpCode::Add(add);
    let add = half(cursor, code, add == AddOp::Nop, add.operands() == 1)?;
    let mut mul = Half { op: None };
    if cursor.take(";") && !cursor.at_end() {
        let span = cursor.span();
        let Some(name) = cursor.name() else {
            return Err(cursor.expected("an operation of the mul ALU"));
        };
        let code = names::mul_op(name)
            .ok_or_else(|| unknown(name, span, MulOp::ALL.iter().map(|op| op.name())))?;
        mul = half(cursor, OpCode::Mul(code), code == MulOp::Nop, false)?;
    }
    // Flags come from the add ALU unless it is idle.
    match (add.op, mul.op) {
        (Some(mut add), mul) => {
            add.setf = true;
            Ok([Some(add), mul]
                .into_iter()
                .flatten()
                .map(|op| What::Alu(vec![op]))
                .chain(signalled(signal))
                .collect())
        }
        (None, Some(mut mul)) => {
            mul.setf = true;
            Ok([What::Alu(vec![mul])]
                .into_iter()
                .chain(signalled(signal))
                .collect())
        }
        (None, None) => Ok([What::Nop(None)]
            .into_iter()
            .chain(signalled(signal))
            .collect()),
    }
}

fn signalled(signal: Signal) -> Option<What> {
    (signal != Signal::None).then_some(What::Signal(signal))
}

fn unknown(name: &str, span: (u32, u32), known: impl Iterator<Item = &'static str>) -> Fault {
    let near = nearest(name, known);
    let fault = Fault::new(
        "unknown-instruction",
        span,
        format!("`{name}` is no operation of this ALU"),
    );
    match near.is_empty() {
        true => fault.help(
            "the first operation of a line is the add ALU's, the one behind `;` the mul ALU's",
        ),
        false => fault.help(format!("did you mean {}?", near.join(" or "))),
    }
}

/// Operands of an operation; those of a nop are read and forgotten.
fn half(cursor: &mut Cursor, code: OpCode, is_nop: bool, unary: bool) -> Result<Half, Fault> {
    if cursor.at_end() || cursor.is(";") {
        return match is_nop {
            true => Ok(Half { op: None }),
            false => Err(cursor.expected("a destination and two sources")),
        };
    }
    let dst = destination(cursor)?;
    cursor.expect(",")?;
    let a = source(cursor)?;
    let mut b = a;
    if cursor.take(",") {
        b = source(cursor)?;
    } else if !unary {
        return Err(cursor.expected("`,` and the second source"));
    }
    let b = if unary { a } else { b };
    let op = Op {
        code,
        dst,
        a,
        b,
        cond: Cond::Always,
        setf: false,
        rotate: None,
        pack_mul: MulPack::None,
    };
    Ok(Half {
        op: (!is_nop).then_some(op),
    })
}

/// `raN[, rbN], VALUE`.
fn load(cursor: &mut Cursor) -> Result<LoadPiece, Fault> {
    let mut outputs = vec![(destination(cursor)?, Cond::Always)];
    cursor.expect(",")?;
    if matches!(cursor.kind(), Some(Kind::Name(_))) {
        outputs.push((destination(cursor)?, Cond::Always));
        cursor.expect(",")?;
    }
    let span = cursor.span();
    let Src {
        from: Origin::Constant(immediate),
        ..
    } = source(cursor)?
    else {
        return Err(Fault::new("source", span, "ldi loads a number"));
    };
    Ok(LoadPiece {
        kind: LoadImmediateKind::Word,
        immediate,
        outputs,
        setf: false,
    })
}

/// `up N`, `down N`; also `release` and `acquire`.
fn semaphore(cursor: &mut Cursor) -> Result<SemaphorePiece, Fault> {
    let span = cursor.span();
    let down = match cursor.name() {
        Some("up" | "release") => 0,
        Some("down" | "acquire") => 16,
        _ => {
            let fault = Fault::new("syntax", span, "sema needs a direction");
            return Err(fault.help("write up or release, or down or acquire"));
        }
    };
    cursor.take(",");
    let Some(Kind::Int(number @ 0..=15)) = cursor.kind() else {
        return Err(cursor.expected("a semaphore 0..15"));
    };
    cursor.step();
    Ok(SemaphorePiece(LoadPiece {
        kind: LoadImmediateKind::Word,
        immediate: down | *number as u32,
        outputs: vec![],
        setf: false,
    }))
}

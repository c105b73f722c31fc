//! The dialect of elorimer/rpi-playground, and of jetpacapp/qpu-asm, which adds to it.
//!
//! A line is an operation of the add ALU, `;`, and one of the mul ALU (the second may be missing),
//! or a load, branch or semaphore. Registers are raw addresses: reading `ra32` is a uniform,
//! writing `rb48` is the VPM, writing `rb32`..`rb35` is r0..r3. Every operation of the add ALU sets
//! flags, as in those assemblers: their programs branch on them without asking for them. Idle ALUs
//! are encoded as everywhere here, not with the operands of the other ALU. Input is what m4 made of
//! a source.
//!
//! qpu-asm has names for r0..r3 as destinations, both TMUs, pack and unpack modes, rotations and a
//! value for each lane; pi-gemm and DeepBeliefSDK need them.

mod operation;

use super::assembler::Assembler;
use super::cursor::Cursor;
use super::diagnostic::Fault;
use super::piece::{BranchPiece, LoadPiece, Piece, What};
use super::source::Place;
use super::token::Kind;
use super::value::Value;
use crate::fit::Origin;
use crate::isa::{BranchCond, Cond, LoadImmediateKind};
use crate::names::find;
use operation::{destination, operations, source, target_register};

/// Branch conditions: a flag, and all set, all clear, any set, any clear.
#[rustfmt::skip]
const CONDITIONS: &[(&str, BranchCond)] = &[
    ("zf", BranchCond::AllZS), ("ze", BranchCond::AllZC), ("zs", BranchCond::AnyZS), ("zc", BranchCond::AnyZC),
    ("nf", BranchCond::AllNS), ("ne", BranchCond::AllNC), ("ns", BranchCond::AnyNS), ("nc", BranchCond::AnyNC),
    ("cf", BranchCond::AllCS), ("ce", BranchCond::AllCC), ("cs", BranchCond::AnyCS), ("cc", BranchCond::AnyCC),
    ("*", BranchCond::Always),
];

impl Assembler<'_> {
    /// A line, its labels already read.
    pub(super) fn playground(&mut self, cursor: &mut Cursor, place: &Place) -> Result<(), Fault> {
        let start = cursor.span();
        let Some(name) = cursor.name() else {
            return Err(cursor.expected("an instruction or a label"));
        };
        let pieces = match name {
            "ldi" => vec![What::Load(self.playground_load(cursor)?)],
            "bra" | "brr" => vec![What::Branch(self.playground_branch(name == "brr", cursor)?)],
            "sema" => vec![What::Semaphore(semaphore(cursor)?)],
            _ => operations(name, start, cursor)?,
        };
        // Both assemblers stop reading behind the second operation; what stands there is a nop at
        // most.
        while cursor.take(";") {
            if matches!(cursor.kind(), Some(Kind::Name(name)) if **name == *"nop") {
                cursor.step();
            }
        }
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
            register = Some(target_register(cursor)?);
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

    /// `raN[, rbN], VALUE`; a value may be one for each lane, `[0, 1, ...]`.
    fn playground_load(&mut self, cursor: &mut Cursor) -> Result<LoadPiece, Fault> {
        let mut outputs = vec![(destination(cursor)?, Cond::Always)];
        cursor.expect(",")?;
        if matches!(cursor.kind(), Some(Kind::Name(_))) {
            outputs.push((destination(cursor)?, Cond::Always));
            cursor.expect(",")?;
        }
        let span = cursor.span();
        let (kind, immediate) = if cursor.is("[")
            && let Value::Elements(elements) = self.expression(cursor)?
        {
            elements.load
        } else if let Origin::Constant(word) = source(cursor)?.from {
            (LoadImmediateKind::Word, word)
        } else {
            return Err(Fault::new("source", span, "ldi loads a number"));
        };
        Ok(LoadPiece {
            kind,
            immediate,
            outputs,
            setf: false,
        })
    }
}

/// `up N`, `down N`; also `release` and `acquire`.
fn semaphore(cursor: &mut Cursor) -> Result<LoadPiece, Fault> {
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
    Ok(LoadPiece {
        kind: LoadImmediateKind::Word,
        immediate: down | *number as u32,
        outputs: vec![],
        setf: false,
    })
}

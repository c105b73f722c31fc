//! One operation of a line: what it is called, its operands, and what they make of it.

mod alu;
mod annotations;
mod branch;
mod mnemonic;
mod moves;
mod operand;
mod packing;
mod warnings;

use super::Syntax;
use super::assembler::Assembler;
use super::cursor::Cursor;
use super::diagnostic::Fault;
use super::piece::{Piece, What};
use super::register::{Place, Register};
use super::suffix::{Marked, Packing, Suffix};
use super::token::Kind;
use super::value::Value;
use crate::fit::{OpCode, Src};
use crate::isa::{BranchCond, Cond, raddr};
use mnemonic::{Mnemonic, mnemonic};
use operand::Target;

/// An operand as it was written.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub value: Value,
    pub suffixes: Vec<Marked>,
    pub span: (u32, u32),
}

/// The meaning of an operation's suffixes.
#[derive(Clone, Copy, Debug, Default)]
struct Modifiers {
    setf: bool,
    cond: Option<Cond>,
    branch: Option<BranchCond>,
    pack: Option<Packing>,
    unpack: Option<Packing>,
}

impl Assembler<'_> {
    /// One operation, up to `;` or the end of the line.
    pub(super) fn operation(&mut self, cursor: &mut Cursor) -> Result<Vec<Piece>, Fault> {
        let start = cursor.span();
        let Some(name) = cursor.name() else {
            let is_number = matches!(cursor.kind(), Some(Kind::Int(_)));
            let fault = cursor.expected("an instruction, a macro or a directive");
            return Err(match is_number {
                true => fault.help(
                    "give words to dis and check as they are, and `qpu dis FILE | qpu asm - -o CODE.bin` makes a binary file for run; in a source, .long is one",
                ),
                false => fault,
            });
        };
        let Some(mnemonic) = mnemonic(name) else {
            return Err(self.unknown_operation(name, start));
        };
        let preserves_condition =
            self.options.syntax == Syntax::Broadcom && annotations::preserves_conditions(cursor);
        let modifiers = modifiers(self.operand_suffixes(cursor, true)?)?;
        self.in_branch = matches!(mnemonic, Mnemonic::Branch(_));
        let operands = self.operands(cursor);
        self.in_branch = false;
        let operands = operands?;
        let span = cursor.span_from(start);
        let used = self.annotations(cursor)?;
        let mut line = Line {
            name,
            span,
            modifiers,
            operands,
            preserves_condition,
            rotates_in_quads: false,
        };
        let is_meant = used.is_some_and(|used| used & line.lanes_off() == 0);
        line.rotates_in_quads = is_meant || !self.unwarned.is_empty();
        let rotates_in_quads = line.rotates_in_quads;
        let whats = line.whats(mnemonic)?;
        for warning in line.warnings(mnemonic) {
            self.warn(warning);
        }
        let piece = |what| Piece {
            what,
            span,
            rotates_in_quads,
        };
        Ok(whats.into_iter().map(piece).collect())
    }

    fn operands(&mut self, cursor: &mut Cursor) -> Result<Vec<Operand>, Fault> {
        let mut all = Vec::new();
        if ends_operation(cursor) {
            return Ok(all);
        }
        loop {
            let start = cursor.span();
            let value = self.expression(cursor)?;
            let span = cursor.span_from(start);
            let suffixes = self.operand_suffixes(cursor, false)?;
            all.push(Operand {
                value,
                suffixes,
                span,
            });
            if !cursor.take(",") {
                break;
            }
        }
        match ends_operation(cursor) {
            true => Ok(all),
            false => Err(cursor.expected("`,`, `;` or the end of the line")),
        }
    }
}

fn ends_operation(cursor: &Cursor) -> bool {
    cursor.at_end() || cursor.is(";") || cursor.is("@")
}

fn modifiers(suffixes: Vec<Marked>) -> Result<Modifiers, Fault> {
    let mut all = Modifiers::default();
    for (suffix, span) in suffixes {
        all.add(suffix, span)?;
    }
    Ok(all)
}

impl Modifiers {
    fn add(&mut self, suffix: Suffix, span: (u32, u32)) -> Result<(), Fault> {
        let twice = match suffix {
            Suffix::SetFlags => std::mem::replace(&mut self.setf, true),
            Suffix::Condition(cond) => self.cond.replace(cond).is_some(),
            Suffix::Branch(cond) => self.branch.replace(cond).is_some(),
            Suffix::Pack(packing) | Suffix::Packing(packing) => {
                self.pack.replace(packing).is_some()
            }
            Suffix::Unpack(packing) => self.unpack.replace(packing).is_some(),
        };
        let message = "the suffix says again what another says already";
        match twice {
            true => Err(Fault::new("suffix", span, message)),
            false => Ok(()),
        }
    }
}

/// An operation with everything that was written of it.
struct Line<'a> {
    name: &'a str,
    span: (u32, u32),
    modifiers: Modifiers,
    operands: Vec<Operand>,
    /// The condition of a result that goes nowhere stays what it is.
    preserves_condition: bool,
    /// Lanes that a rotation moves inside their quads are as they are meant.
    rotates_in_quads: bool,
}

impl Line<'_> {
    fn wrong_count(&self, needed: &str) -> Fault {
        let (name, found) = (self.name, self.operands.len());
        let message = format!("{name} takes {needed}, and {found} operands are given");
        Fault::new("operands", self.span, message)
    }

    fn copy(&self, target: Target, source: Src) -> Vec<What> {
        let op = self.op(OpCode::MOV, target, source, source, None);
        vec![What::Alu(vec![op])]
    }

    fn whats(&self, mnemonic: Mnemonic) -> Result<Vec<What>, Fault> {
        if self.modifiers.branch.is_some() && !matches!(mnemonic, Mnemonic::Branch(_)) {
            let message = "a condition over all lanes is for branches only";
            return Err(Fault::new("suffix", self.span, message));
        }
        match mnemonic {
            Mnemonic::Alu(code, sources) => {
                let [target, operands @ ..] = self.operands.as_slice() else {
                    return Err(self.wrong_count("a destination and sources"));
                };
                match sources {
                    _ if operands.len() == sources => (),
                    1 => return Err(self.wrong_count("a destination and a source")),
                    _ => return Err(self.wrong_count("a destination and two sources")),
                }
                let target = self.target(target)?;
                Ok(vec![What::Alu(self.alu(code, target, operands)?)])
            }
            Mnemonic::Mov(slot) => self.mov(slot),
            Mnemonic::Nop(slot) => self.nop(slot),
            Mnemonic::Load(kind) => self.load(kind),
            Mnemonic::Read => match self.operands.as_slice() {
                [operand] => Ok(vec![What::Read(self.source(operand, None)?.0)]),
                _ => Err(self.wrong_count("what to read")),
            },
            Mnemonic::Semaphore(acquire) => self.semaphore(acquire),
            Mnemonic::Branch(relative) => self.branch(relative),
            Mnemonic::Mutex(true) => {
                let source = Src::at(raddr::MUTEX_ACQUIRE, None);
                match self.operands.as_slice() {
                    [] => Ok(vec![What::Read(source)]),
                    [target] => Ok(self.copy(self.target(target)?, source)),
                    _ => Err(self.wrong_count("a destination at most")),
                }
            }
            Mnemonic::Mutex(false) => {
                let source = match self.operands.as_slice() {
                    [] => Src::accumulator(0),
                    [operand] => self.source(operand, None)?.0,
                    _ => return Err(self.wrong_count("a source at most")),
                };
                let written = Register::new(Place::Io("mutex"));
                let operand = Operand {
                    value: Value::Register(written),
                    suffixes: vec![],
                    span: self.span,
                };
                Ok(self.copy(self.target(&operand)?, source))
            }
            Mnemonic::Signal(signal) => match self.operands.is_empty() {
                true => Ok(vec![What::Signal(signal)]),
                false => Err(self.wrong_count("no operands")),
            },
        }
    }
}

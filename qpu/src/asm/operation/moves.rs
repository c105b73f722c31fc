//! `mov`, `nop`, and instructions whose immediate is a constant: loads and semaphores.

use super::super::diagnostic::Fault;
use super::super::piece::{SemaphorePiece, What};
use super::super::register::{Place, Register};
use super::super::value::Value;
use super::operand::{Target, accumulator};
use super::packing::{bound, moves_float};
use super::{Line, Operand};
use crate::fit::OpCode;
use crate::isa::{AddOp, LoadImmediateKind, MulOp, Slot};

impl Line<'_> {
    pub(super) fn mov(&self, slot: Option<Slot>) -> Result<Vec<What>, Fault> {
        let (targets, source) = match self.operands.as_slice() {
            [one, source] => (std::slice::from_ref(one), source),
            [targets @ .., source] if targets.len() == 2 => (targets, source),
            _ => return Err(self.wrong_count("one or two destinations and a source")),
        };
        if let Value::Register(Register {
            place: Place::Semaphore { acquire, number },
            ..
        }) = source.value
        {
            let targets: Result<Vec<Target>, Fault> =
                targets.iter().map(|target| self.target(target)).collect();
            let word = u32::from(number) | u32::from(acquire) << 4;
            let load = self.load_piece(LoadImmediateKind::Word, word, &targets?)?;
            return Ok(vec![What::Semaphore(SemaphorePiece(load))]);
        }
        targets
            .iter()
            .map(|target| self.mov_one(slot, self.target(target)?, source))
            .collect()
    }

    fn mov_one(&self, slot: Option<Slot>, target: Target, source: &Operand) -> Result<What, Fault> {
        match source.value {
            Value::Register(register) => {
                let packing = register.packing.or(self.modifiers.unpack);
                let float = moves_float(register, packing, &target);
                let code = if float {
                    OpCode::Add(AddOp::Fmin)
                } else {
                    bound(slot, OpCode::MOV)
                };
                self.alu(code, target, std::slice::from_ref(source))
                    .map(What::Alu)
            }
            Value::Elements(elements) => {
                let (kind, word) = elements
                    .immediate()
                    .ok_or_else(|| self.wrong_count("elements"))?;
                self.load_piece(kind, word, &[target]).map(What::Load)
            }
            _ => {
                let word = source
                    .value
                    .word()
                    .map_err(|message| Fault::new("source", source.span, message))?;
                Ok(self.mov_constant(slot, target, word))
            }
        }
    }

    pub(super) fn nop(&self, slot: Option<Slot>) -> Result<Vec<What>, Fault> {
        match self.operands.as_slice() {
            [] => Ok(vec![What::Nop(slot)]),
            [target] => {
                let target = self.target(target)?;
                let code = match slot {
                    Some(Slot::Mul) => OpCode::Mul(MulOp::Nop),
                    _ => OpCode::Add(AddOp::Nop),
                };
                Ok(vec![What::Alu(vec![self.op(
                    code,
                    target,
                    accumulator(0),
                    accumulator(0),
                    None,
                )])])
            }
            _ => Err(self.wrong_count("a destination at most")),
        }
    }

    pub(super) fn load(&self, kind: Option<LoadImmediateKind>) -> Result<Vec<What>, Fault> {
        let (targets, source) = match self.operands.as_slice() {
            [targets @ .., source] if matches!(targets.len(), 1 | 2) => (targets, source),
            _ => return Err(self.wrong_count("one or two destinations and a constant")),
        };
        let (own, word) = match source.value {
            Value::Elements(elements) => elements
                .immediate()
                .ok_or_else(|| self.wrong_count("elements"))?,
            value => (
                LoadImmediateKind::Word,
                value
                    .word()
                    .map_err(|message| no_constant(source, message))?,
            ),
        };
        let targets: Result<Vec<Target>, Fault> =
            targets.iter().map(|target| self.target(target)).collect();
        let word = match (kind, source.value) {
            (Some(kind), Value::Elements(elements)) => {
                crate::isa::LoadImmediate::pack_elements(kind, elements.0.map(i32::from))
                    .ok_or_else(|| {
                        Fault::new(
                            "elements",
                            source.span,
                            format!("{} cannot hold all of these elements", self.name),
                        )
                        .help("ldis holds -2 to 1, ldiu 0 to 3")
                    })?
            }
            _ => word,
        };
        let load = self.load_piece(kind.unwrap_or(own), word, &targets?)?;
        Ok(vec![What::Load(load)])
    }

    pub(super) fn semaphore(&self, acquire: bool) -> Result<Vec<What>, Fault> {
        let (targets, number) = match self.operands.as_slice() {
            [targets @ .., number] if targets.len() <= 2 => (targets, number),
            _ => return Err(self.wrong_count("a destination and a number")),
        };
        let word = number
            .value
            .word()
            .map_err(|message| Fault::new("source", number.span, message))?;
        let targets: Result<Vec<Target>, Fault> =
            targets.iter().map(|target| self.target(target)).collect();
        let word = word & !0x10 | u32::from(acquire) << 4;
        let load = self.load_piece(LoadImmediateKind::Word, word, &targets?)?;
        Ok(vec![What::Semaphore(SemaphorePiece(load))])
    }
}

/// A source that cannot be loaded, and what takes it.
fn no_constant(source: &Operand, message: String) -> Fault {
    let fault = Fault::new("source", source.span, message);
    match source.value {
        Value::Register(Register {
            place: Place::Semaphore { acquire, number },
            ..
        }) => {
            let name = if acquire { "sacq" } else { "srel" };
            fault.help(format!(
                "a semaphore is counted by `{name} -, {number}`, or `mov -, {name}({number})`"
            ))
        }
        Value::Register(_) => fault.help("mov copies a register"),
        _ => fault,
    }
}

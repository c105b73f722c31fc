//! `mov`, `nop`, and instructions whose immediate is a constant: loads and semaphores.

use super::super::diagnostic::Fault;
use super::super::piece::What;
use super::super::register::{Place, Register};
use super::super::value::Value;
use super::operand::Target;
use super::packing::{bound, moves_float};
use super::{Line, Operand};
use crate::fit::{OpCode, Src};
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
            let targets = self.targets(targets)?;
            let word = u32::from(number) | u32::from(acquire) << 4;
            let load = self.load_piece(LoadImmediateKind::Word, word, &targets)?;
            return Ok(vec![What::Semaphore(load)]);
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
                let (kind, word) = elements.load;
                self.load_piece(kind, word, &[target]).map(What::Load)
            }
            _ => Ok(self.mov_constant(slot, target, source.word()?)),
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
                let source = Src::accumulator(0);
                let op = self.op(code, target, source, source, None);
                Ok(vec![What::Alu(vec![op])])
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
            Value::Elements(elements) => elements.load,
            _ => {
                let word = source.word().map_err(|fault| no_constant(source, fault))?;
                (LoadImmediateKind::Word, word)
            }
        };
        let targets = self.targets(targets)?;
        let word = match (kind, source.value) {
            (Some(kind), Value::Elements(elements)) => {
                crate::isa::LoadImmediate::pack_elements(kind, elements.values.map(i32::from))
                    .ok_or_else(|| {
                        let message = format!("{} cannot hold all of these elements", self.name);
                        Fault::new("elements", source.span, message)
                            .help("ldis holds -2 to 1, ldiu 0 to 3")
                    })?
            }
            _ => word,
        };
        let load = self.load_piece(kind.unwrap_or(own), word, &targets)?;
        Ok(vec![What::Load(load)])
    }

    pub(super) fn semaphore(&self, acquire: bool) -> Result<Vec<What>, Fault> {
        let (targets, number) = match self.operands.as_slice() {
            [targets @ .., number] if targets.len() <= 2 => (targets, number),
            _ => return Err(self.wrong_count("a destination and a number")),
        };
        let word = number.word()?;
        let targets = self.targets(targets)?;
        let word = word & !0x10 | u32::from(acquire) << 4;
        let load = self.load_piece(LoadImmediateKind::Word, word, &targets)?;
        Ok(vec![What::Semaphore(load)])
    }
}

/// A source that cannot be loaded, and what takes it.
fn no_constant(source: &Operand, fault: Fault) -> Fault {
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

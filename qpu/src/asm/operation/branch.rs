//! Branches: links, a register, a label, a distance.

use super::super::diagnostic::Fault;
use super::super::piece::{BranchPiece, What};
use super::super::register::{Place, Register};
use super::super::value::Value;
use super::Line;
use super::operand::Target;
use crate::isa::{BranchCond, File};

impl Line<'_> {
    pub(super) fn branch(&self, relative: bool) -> Result<Vec<What>, Fault> {
        let (links, targets) = match self.operands.as_slice() {
            [link, target] => (vec![link], vec![target]),
            [link, one, two] => (vec![link], vec![one, two]),
            [one, two, targets @ ..] if targets.len() == 2 => {
                (vec![one, two], targets.iter().collect())
            }
            _ => return Err(self.wrong_count("a link register (or `-`) and one or two targets")),
        };
        let links: Result<Vec<Target>, Fault> =
            links.into_iter().map(|link| self.target(link)).collect();
        let mut piece = BranchPiece {
            relative,
            cond: self.modifiers.branch.unwrap_or(BranchCond::Always),
            setf: self.modifiers.setf,
            links: links?.iter().map(|link| link.dst).collect(),
            register: None,
            offset: 0,
            label: None,
        };
        if let Some(cond) = self.modifiers.cond {
            let message = format!(
                ".{} is a condition of each lane; a branch has one of all lanes",
                cond.name()
            );
            return Err(Fault::new("suffix", self.span, message)
                .help("use .allz .allnz .anyz .anynz, or the same with n and c"));
        }
        for target in targets {
            match target.value {
                Value::Register(register) if register.is_nothing() => (),
                Value::Register(Register {
                    place: Place::File(File::A, number @ 0..=31),
                    ..
                }) => {
                    if piece.register.replace(number).is_some() {
                        let message = "a branch adds one register at most";
                        return Err(Fault::new("branch", target.span, message));
                    }
                }
                Value::Register(register) => {
                    let message = format!("{} cannot be a branch target", register.name());
                    return Err(Fault::new("branch", target.span, message).help(
                        "only ra0..ra31 can; copy the address there two instructions before",
                    ));
                }
                Value::Label(address) => {
                    if piece.label.replace(address).is_some() {
                        let message = "a branch goes to one label";
                        return Err(Fault::new("branch", target.span, message));
                    }
                }
                _ => piece.offset = piece.offset.wrapping_add(target.word()?),
            }
        }
        Ok(vec![What::Branch(piece)])
    }
}

//! Warnings of what assembles and is probably not meant.

use super::super::diagnostic::Fault;
use super::super::register::{Place, Register};
use super::super::suffix::{Marked, Suffix};
use super::super::value::Value;
use super::operand::can_unpack;
use super::{Line, Mnemonic, Operand};
use crate::fit::OpCode;
use crate::isa::{AddOp, Rotation};

impl Line<'_> {
    pub(super) fn warnings(&self, mnemonic: Mnemonic) -> Vec<Fault> {
        let mut all = Vec::new();
        let label = |operand: &&Operand| matches!(operand.value, Value::Label(_));
        if let Some(label) = self.operands.iter().find(label) {
            let (rule, message, help) = match mnemonic {
                Mnemonic::Branch(true) => return all,
                Mnemonic::Branch(false) => (
                    "absolute-label",
                    "an absolute branch to a label is right only in a program that lies at address 0",
                    "use brr, or add the program's address in a register",
                ),
                _ => (
                    "label-offset",
                    "where the program will lie is not known: this is the label's distance from its start",
                    "for an address use the link of a branch, for a distance the difference of labels, `:b - :a`",
                ),
            };
            all.push(Fault::new(rule, label.span, message).help(help));
        }
        let is_r4 = |register: Register| register.place == Place::Accumulator(4);
        let r4 = |operand: &&Operand| operand.register().is_some_and(is_r4);
        if let Some(r4) = self.operands.first().filter(r4)
            && matches!(
                mnemonic,
                Mnemonic::Alu(..) | Mnemonic::Mov(_) | Mnemonic::Load(_)
            )
        {
            let message =
                "r4 cannot be written; this writes tmu_noswap, whose address follows r3's";
            all.push(
                Fault::new("destination", r4.span, message).help("use r0..r3, r5quad or r5rep"),
            );
        }
        all.extend(self.condition_warning(mnemonic));
        all.extend(self.semaphore_warning(mnemonic));
        all.extend(self.rotation_warning(mnemonic));
        all.extend(self.carry_warning(mnemonic));
        if let [_, one, two] = self.operands.as_slice()
            && let (Some(first), Some(second)) = (one.register(), two.register())
            && first.place == second.place
            && can_unpack(first)
            && first.packing.is_some() != second.packing.is_some()
        {
            let span = if first.packing.is_none() {
                one.span
            } else {
                two.span
            };
            let message = "the register is read once, so this operand is unpacked like the other";
            all.push(
                Fault::new("unpack", span, message)
                    .help("give both the same mode if that is meant"),
            );
        }
        all
    }

    /// vc4asm's manual gives `mov.ifcc` its "target register(s)". The program puts the first under
    /// the condition alone.
    fn condition_warning(&self, mnemonic: Mnemonic) -> Option<Fault> {
        let ([first, second, _], Mnemonic::Mov(_) | Mnemonic::Load(_)) =
            (self.operands.as_slice(), mnemonic)
        else {
            return None;
        };
        if self.modifiers.cond.is_none() || first.is_nothing() || second.is_nothing() {
            return None;
        }
        let message =
            "both destinations have the condition here; vc4asm writes the second in all lanes";
        Some(
            Fault::new("disputed-condition", second.span, message).help(
                "write the condition behind each destination that is to have it, as in `mov r0.ifz, r1.ifz, 1`",
            ),
        )
    }

    /// The low four bits of the number name a semaphore. The others are the value that is written,
    /// so where nothing is written they are a mistake.
    fn semaphore_warning(&self, mnemonic: Mnemonic) -> Option<Fault> {
        let Mnemonic::Semaphore(acquire) = mnemonic else {
            return None;
        };
        let (number, targets) = self.operands.split_last()?;
        let word = number.value.word().ok()?;
        // Some write the immediate as it is encoded, with the bit that acquires.
        let is_plain = word < 16 || (acquire && word & !15 == 0x10);
        if is_plain || !targets.iter().all(Operand::is_nothing) {
            return None;
        }
        let semaphore = word & 15;
        let message =
            format!("there is no semaphore {word}: the low four bits count, this is {semaphore}");
        Some(Fault::new("semaphore", number.span, message).help("semaphores are 0 to 15"))
    }

    /// 16 is no small immediate and -16 is one, so that the operation of the other sign is taken,
    /// as in vc4asm.
    fn carry_warning(&self, mnemonic: Mnemonic) -> Option<Fault> {
        let (name, other) = match mnemonic {
            Mnemonic::Alu(OpCode::Add(AddOp::Add), _) => ("add", "sub"),
            Mnemonic::Alu(OpCode::Add(AddOp::Sub), _) => ("sub", "add"),
            _ => return None,
        };
        let [target, _, by] = self.operands.as_slice() else {
            return None;
        };
        let flags = |(suffix, _): &Marked| *suffix == Suffix::SetFlags;
        let setf = self.modifiers.setf || target.suffixes.iter().any(flags);
        let is_16 = by.register().is_none() && by.value.word() == Ok(16);
        let message = format!(
            "{name} of 16 is encoded as {other} of -16, and its carry flag is the opposite"
        );
        (setf && is_16).then(|| {
            Fault::new("carry", by.span, message)
                .help("where C is asked for, load 16 into a register before")
        })
    }

    /// A rotation moves the whole result, so operands that are not marked move too.
    fn rotation_warning(&self, mnemonic: Mnemonic) -> Option<Fault> {
        if self.rotates_in_quads || !matches!(mnemonic, Mnemonic::Alu(..)) {
            return None;
        }
        let [target, sources @ ..] = self.operands.as_slice() else {
            return None;
        };
        let rotation = |operand: &Operand| operand.register()?.rotation;
        if rotation(target).is_some() {
            return None;
        }
        let by = sources.iter().find_map(rotation)?;
        let stays = |register: &Register| match (register.place, by) {
            // Inside its quad it stays where it is.
            (Place::Accumulator(0..=3), _) => false,
            (_, Rotation::By(lanes)) => lanes % 4 == 0,
            _ => false,
        };
        let is_moved = |register: Register| register.rotation.is_none() && !stays(&register);
        let mut sources = sources.iter();
        let moved = sources.find(|operand| operand.register().is_some_and(is_moved))?;
        let message = "the rotation beside it moves this operand too";
        Some(
            Fault::new("rotation", moved.span, message)
                .help("mark it with the same rotation if that is meant"),
        )
    }
}

//! The text of destinations and of their conditions.

use crate::isa::{Cond, File, MulPack, Slot, WriteBack, waddr};
use crate::names::push_write_name;

/// The condition to write for one result; `None` where the text needs none.
///
/// A result that goes nowhere and sets no flags has no condition to speak of. What the assembler
/// takes without a condition is "always".
pub(super) fn shown_condition(write: &WriteBack, slot: Slot, sets_flags: bool) -> Option<Cond> {
    let counts = sets_flags || write.waddr(slot) != waddr::NOP;
    let cond = write.cond(slot);
    (counts && cond != Cond::Always).then_some(cond)
}

pub(super) fn push_condition(out: &mut String, cond: Option<Cond>) {
    if let Some(cond) = cond {
        out.push('.');
        out.push_str(cond.name());
    }
}

/// Name of a destination with its pack mode.
pub(super) fn push_destination(out: &mut String, write: &WriteBack, slot: Slot, of_alu: bool) {
    let (file, waddr) = (write.file(slot), write.waddr(slot));
    if waddr == waddr::NOP {
        out.push('-');
        return;
    }
    push_write_name(out, file, waddr);
    let pack = match (write.pm, slot) {
        (true, Slot::Mul) if of_alu => colour_pack(write),
        (false, _) if file == File::A && waddr.register().is_some() => write.pack.name(),
        _ => "",
    };
    if !pack.is_empty() {
        out.push('.');
        out.push_str(pack);
    }
}

/// Packing of the mul result, in vc4asm's names, which say what file A's packing of the same name
/// is not.
fn colour_pack(write: &WriteBack) -> &'static str {
    match write.colour() {
        MulPack::None => "",
        MulPack::P8888 => "8abcdsf",
        MulPack::P8a => "8asf",
        MulPack::P8b => "8bsf",
        MulPack::P8c => "8csf",
        MulPack::P8d => "8dsf",
    }
}

/// Flags, condition and destinations of a value that both ALUs deliver.
///
/// The second destination is left out when it is nowhere, and a condition that both share stands
/// once.
pub(super) fn push_outputs(out: &mut String, write: &WriteBack) {
    if write.sf {
        out.push_str(".setf");
    }
    // Flags come from the add side.
    let [add, mul] = [(Slot::Add, write.sf), (Slot::Mul, false)]
        .map(|(slot, sets_flags)| shown_condition(write, slot, sets_flags));
    let speaks = |slot: Slot, sets_flags| sets_flags || write.waddr(slot) != waddr::NOP;
    let shared = match (speaks(Slot::Add, write.sf), speaks(Slot::Mul, false)) {
        (true, true) if add != mul => None,
        (true, _) => Some(add),
        (false, _) => Some(mul),
    };
    if let Some(shared) = shared {
        push_condition(out, shared);
    }
    out.push(' ');
    for (slot, cond) in [(Slot::Add, add), (Slot::Mul, mul)] {
        if slot == Slot::Mul {
            if write.waddr_mul == waddr::NOP {
                break;
            }
            out.push_str(", ");
        }
        push_destination(out, write, slot, false);
        if shared.is_none() {
            push_condition(out, cond);
        }
    }
}

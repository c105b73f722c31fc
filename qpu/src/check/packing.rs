//! Rules about packing and unpacking.

use super::facts::{Facts, Write, is_peripheral, when};
use crate::isa::{AddOp, Alu, File, MulOp, MulPack, Mux, Pack, Slot, Unpack, waddr};

pub(super) fn pack_reserved(at: &Facts) -> Option<String> {
    let code = reserved_code(at)?;
    let makes_colour = at.alu()?.write.colour() != MulPack::None;
    (!makes_colour).then(|| format!("pack code {code} is reserved with pm = 1"))
}

pub(super) fn pack_undocumented(at: &Facts) -> Option<String> {
    let code = reserved_code(at)?;
    let makes_colour = at.alu()?.write.colour() != MulPack::None;
    makes_colour.then(|| format!("pack code {code} does what {} does", code & 7))
}

/// A pack code that Broadcom's guide reserves for the mul result.
fn reserved_code(at: &Facts) -> Option<u8> {
    let write_back = at.alu()?.write;
    let is_reserved = write_back.pack_mul().is_none();
    is_reserved.then(|| write_back.pack.bits())
}

/// A byte beside three that stay, where nothing can stay; 8888 writes all four. Of 8a the VPM takes
/// nothing else where its elements are bytes, which setups that a program computes do not show.
pub(super) fn pack_to_peripheral(at: &Facts) -> Option<String> {
    let pack = at.alu()?.write.pack_mul()?;
    let mut writes = at.writes.iter();
    let io = writes.find(|write| write.slot == Slot::Mul && is_peripheral(write.waddr))?;
    let may_work = pack == MulPack::P8a && io.waddr == waddr::VPM_WRITE;
    (!may_work && !matches!(pack, MulPack::None | MulPack::P8888))
        .then(|| format!("packing into one byte does not work on {}", io.name()))
}

pub(super) fn pack_without_file_a(at: &Facts) -> bool {
    let packs = at.branch().is_none() && at.instruction.write_back().pack_a() != Pack::None;
    let writes = at.registers_written().any(|(file, _)| file == File::A);
    packs && !writes
}

/// Results whose kind is not that of the packing. Minimum and maximum are left out: they also copy
/// bits.
pub(super) fn pack_kind(at: &Facts) -> Option<String> {
    let alu = at.alu()?;
    let by_bits = !matches!(
        alu.write.pack_a(),
        Pack::None | Pack::P16a | Pack::P16b | Pack::P16as | Pack::P16bs
    );
    let sums = matches!(alu.op_add, AddOp::Fadd | AddOp::Fsub | AddOp::Itof);
    let is_float = |slot| match slot {
        Slot::Add => sums,
        Slot::Mul => alu.op_mul == MulOp::Fmul,
    };
    let in_a = |write: &&Write| write.file == File::A && write.waddr.register().is_some();
    let written = at.writes.iter().find(in_a);
    if by_bits && written.is_some_and(|write| is_float(write.slot)) {
        return Some("a float is packed as an integer would be, bit by bit".to_string());
    }
    let colours = !matches!(alu.write.pack_mul(), None | Some(MulPack::None));
    when(
        colours && alu.op_mul == MulOp::Mul24,
        "an integer product is packed as a colour, for which its bits are a float",
    )
}

pub(super) fn unpack_io(at: &Facts) -> Option<String> {
    let read = at
        .reads
        .iter()
        .find(|read| read.used && read.file == File::A && read.raddr.register().is_none())?;
    let is_unpacked = at.alu().is_some_and(unpacks_a);
    is_unpacked.then(|| format!("{} is unpacked", read.name()))
}

pub(super) fn unpack_mixed(alu: &Alu) -> bool {
    let both = Slot::BOTH.into_iter().all(|slot| alu.uses_in(slot, Mux::A));
    // A byte in all four places is the same to both.
    let differs = alu.unpack != Unpack::U8dr;
    let mixed = both && differs && alu.op_add.takes_floats() != alu.op_mul.is_float();
    mixed && unpacks_a(alu)
}

pub(super) fn unpack_kind(alu: &Alu) -> bool {
    let floats = alu.write.pm && !matches!(alu.unpack, Unpack::None | Unpack::U8dr);
    let is_of_integers = [!alu.op_add.takes_floats(), !alu.op_mul.is_float()];
    let mut slots = Slot::BOTH.into_iter().zip(is_of_integers);
    // Copies keep all bits, and differences from itself do not depend on them.
    floats
        && slots.any(|(slot, is_of_integers)| {
            let counts = alu.copied(slot).is_none() && !alu.cancels(slot);
            alu.uses_in(slot, Mux::R4) && is_of_integers && counts
        })
}

/// True if operands read through file A are unpacked.
fn unpacks_a(alu: &Alu) -> bool {
    !alu.write.pm && alu.unpack != Unpack::None
}

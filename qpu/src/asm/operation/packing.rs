//! Modes that say integer or float, held to the operation, and constants that are packed.
//!
//! Whether 16 bits are packed or widened as an integer or a float follows from the operation, not
//! from a field. A mode such as `16af` therefore chooses among a mov's operations, and contradicts
//! others. Source: vc4asm's documentation, pack and unpack modes.

use super::super::constant;
use super::super::diagnostic::Fault;
use super::super::piece::{LoadPiece, What};
use super::super::register::{Place, Register};
use super::super::suffix::{Packing, Part};
use super::Line;
use super::operand::Target;
use crate::fit::{Op, OpCode, Src};
use crate::isa::{AddOp, File, LoadImmediateKind, MulPack, Pack, Slot};

impl Line<'_> {
    /// Refuses a 16-bit mode that says float of an integer result, or integer of a float.
    pub(super) fn agrees_with_pack(&self, code: OpCode, target: &Target) -> Result<(), Fault> {
        match target.packs_float {
            Some(float) if float != code.gives_float() => {
                let (packs, is) = (kind(float), kind(!float));
                let message = format!("the mode packs {packs}, and the result is {is}");
                Err(Fault::new("pack", self.span, message)
                    .help("f modes are for fadd fsub fmin fmax fminabs fmaxabs itof fmul, i modes for the others"))
            }
            _ => Ok(()),
        }
    }

    /// Refuses an unpack mode of ra that says float to an operation on integers, or integer to one
    /// on floats.
    pub(super) fn agrees_with_unpack(
        &self,
        code: OpCode,
        register: Register,
        packing: Packing,
        span: (u32, u32),
    ) -> Result<(), Fault> {
        let in_a = matches!(register.place, Place::File(File::A, _));
        let differs = matches!(packing.part, Part::Half(_) | Part::Byte(_));
        match packing.float {
            Some(float) if in_a && differs && float != code.takes_floats() => {
                let (unpacks, takes, name) = (kind(float), kind(!float), self.name);
                let message = format!("the mode unpacks {unpacks}, and {name} takes {takes}");
                Err(Fault::new("unpack", span, message).help(
                    "ra is unpacked as floats for operations on floats, and as integers for the others",
                ))
            }
            _ => Ok(()),
        }
    }

    /// A mov of a constant. A load packs the integer that it holds, and never makes 8-bit colour.
    pub(super) fn mov_constant(&self, slot: Option<Slot>, target: Target, word: u32) -> What {
        let source = Src::constant(word);
        let mov = bound(slot, OpCode::MOV);
        let plain = self.op(mov, target, source, source, target.rotation);
        let mut ways = constant::ways(plain, word);
        if target.packs_float == Some(true) {
            let fmin = Op {
                code: OpCode::Add(AddOp::Fmin),
                ..plain
            };
            ways.insert(0, fmin);
        }
        for way in &mut ways {
            way.code = bound(slot, way.code);
        }
        ways.retain(|way| way.dst.pack == target.dst.pack || target.pack_mul == MulPack::None);
        if target.dst.pack != Pack::None {
            // What is packed must not depend on which operation makes the constant: not a float's
            // 16 bits for an integer's, nor those of a sum that overflows.
            let floats = target.packs_float == Some(true);
            let halves = is_half(target.dst.pack);
            ways.retain(|way| {
                (!halves || way.code.gives_float() == floats) && way.code != OpCode::Add(AddOp::Add)
            });
        }
        let load = slot
            .is_none()
            .then(|| self.load_piece(LoadImmediateKind::Word, word, &[target]))
            .and_then(Result::ok);
        What::Constant { ways, load, word }
    }

    /// A load immediate to these destinations.
    pub(super) fn load_piece(
        &self,
        kind: LoadImmediateKind,
        immediate: u32,
        targets: &[Target],
    ) -> Result<LoadPiece, Fault> {
        let no_float =
            |target: &Target| target.pack_mul != MulPack::None || target.packs_float == Some(true);
        if targets.iter().any(no_float) {
            let message =
                "a load immediate packs its value as an integer, and the mode asks for a float";
            return Err(Fault::new("pack", self.span, message)
                .help("use mov, with a constant that fits a small immediate or with a register"));
        }
        Ok(LoadPiece {
            kind,
            immediate,
            outputs: targets
                .iter()
                .map(|target| (target.dst, target.cond))
                .collect(),
            setf: targets.iter().any(|target| target.setf),
        })
    }
}

const fn kind(float: bool) -> &'static str {
    if float { "a float" } else { "an integer" }
}

fn is_half(pack: Pack) -> bool {
    matches!(pack, Pack::P16a | Pack::P16b | Pack::P16as | Pack::P16bs)
}

/// An operation that either ALU can do, bound to the one that is named.
pub(super) fn bound(slot: Option<Slot>, code: OpCode) -> OpCode {
    slot.and_then(|slot| code.on(slot)).unwrap_or(code)
}

/// True if a mov of a register must be an operation on floats, because of its modes.
pub(super) fn moves_float(register: Register, unpack: Option<Packing>, target: &Target) -> bool {
    // r4 is always unpacked as floats, whatever the operation.
    let in_a = matches!(register.place, Place::File(File::A, _));
    let unpacks = in_a && unpack.is_some_and(|packing| packing.float == Some(true));
    unpacks || target.packs_float == Some(true)
}

//! Destinations and sources: registers, conditions, pack and unpack modes, rotations.

use super::super::diagnostic::Fault;
use super::super::register::{Place, Register};
use super::super::suffix::{Packing, Part, Suffix};
use super::super::value::Value;
use super::{Line, Operand};
use crate::fit::{Dst, Src};
use crate::isa::{Cond, File, MulPack, Pack, Rotation, Unpack};

/// A destination with its condition and flags.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub dst: Dst,
    pub cond: Cond,
    pub setf: bool,
    pub pack_mul: MulPack,
    /// True if a 16-bit mode says that it packs a float, false if it says an integer.
    pub packs_float: Option<bool>,
    pub rotation: Option<Rotation>,
}

impl Operand {
    /// The register, if it is one.
    pub(super) fn register(&self) -> Option<Register> {
        match self.value {
            Value::Register(register) => Some(register),
            _ => None,
        }
    }

    /// True if it is `-`.
    pub(super) fn is_nothing(&self) -> bool {
        self.register()
            .is_some_and(|register| register.is_nothing())
    }

    /// The 32 bits of a constant.
    pub(super) fn word(&self) -> Result<u32, Fault> {
        let word = self.value.word();
        word.map_err(|message| Fault::new("source", self.span, message))
    }
}

impl Line<'_> {
    pub(super) fn targets(&self, operands: &[Operand]) -> Result<Vec<Target>, Fault> {
        operands
            .iter()
            .map(|operand| self.target(operand))
            .collect()
    }

    /// A destination.
    pub(super) fn target(&self, operand: &Operand) -> Result<Target, Fault> {
        let Some(register) = operand.register() else {
            let what = operand.value.what();
            let message = format!("the destination is a register or `-`, and not {what}");
            return Err(Fault::new("destination", operand.span, message));
        };
        let mut modifiers = self.modifiers;
        for (suffix, span) in &operand.suffixes {
            modifiers.add(*suffix, *span)?;
        }
        if let Some(packing) = register.packing {
            modifiers.add(Suffix::Packing(packing), operand.span)?;
        }
        let Some((file, waddr)) = register.write() else {
            let message = format!("{} cannot be written", register.name());
            let fault = Fault::new("destination", operand.span, message);
            return Err(match register.place {
                Place::Accumulator(5) => fault
                    .help("write r5quad (each quad its own element 0) or r5rep (element 0 to all)"),
                Place::Accumulator(_) => {
                    fault.help("r4 is written by the TMU, the SFU and the tile buffer only")
                }
                _ => fault,
            });
        };
        let (pack, pack_mul) = match modifiers.pack {
            None => (Pack::None, MulPack::None),
            Some(packing) => pack_mode(packing, register)
                .ok_or_else(|| Fault::new("pack", operand.span, format!("{} cannot be packed so", register.name()))
                    .help("8-bit, 16-bit and 32s modes pack into ra0..ra31; 8a..8d and 8abcd pack the mul ALU's float result anywhere"))?,
        };
        // What goes nowhere and sets no flags is not written at all, unless `.always` is said.
        let idle = register.is_nothing() && !modifiers.setf && !self.preserves_condition;
        let cond = match modifiers.cond {
            Some(Cond::Always) => Cond::Always,
            _ if idle => Cond::Never,
            cond => cond.unwrap_or(Cond::Always),
        };
        // A destination is rotated the way its name moves, a source the other way.
        let rotation = register.rotation.map(|rotation| match rotation {
            Rotation::By(lanes) => Rotation::By(16 - lanes),
            Rotation::ByR5 => Rotation::ByR5,
        });
        Ok(Target {
            dst: Dst::at(waddr, file).pack(pack),
            cond,
            setf: modifiers.setf,
            pack_mul,
            packs_float: modifiers.pack.and_then(Packing::float_half),
            rotation,
        })
    }

    /// A source, and how the result must be rotated for it.
    pub(super) fn source(
        &self,
        operand: &Operand,
        unpack: Option<Packing>,
    ) -> Result<(Src, Option<Rotation>), Fault> {
        if let Some((_, span)) = operand.suffixes.first() {
            let message = "conditions and .setf belong to the operation or its destination";
            return Err(Fault::new("suffix", *span, message));
        }
        let Some(register) = operand.register() else {
            return Ok((Src::constant(operand.word()?), None));
        };
        let source = match (register.accumulator(), register.read()) {
            (Some(number), _) => Src::accumulator(number),
            (_, Some((file, raddr))) => Src::at(raddr, file),
            _ => {
                let message = match register.place {
                    Place::Semaphore { .. } => "is read by mov and nothing else",
                    _ => "cannot be read",
                };
                let message = format!("{} {message}", register.name());
                return Err(Fault::new("source", operand.span, message));
            }
        };
        let source = match register.packing.or(unpack) {
            None => source,
            Some(packing) => {
                let mode = unpack_mode(packing).ok_or_else(|| {
                    let message = "this mode packs and does not unpack";
                    Fault::new("unpack", operand.span, message)
                        .help("unpack modes are 16a 16b 8a 8b 8c 8d 8dr")
                })?;
                if mode != Unpack::None && !can_unpack(register) {
                    let message = format!("{} cannot be unpacked", register.name());
                    let fault = Fault::new("unpack", operand.span, message);
                    return Err(fault.help("only ra0..ra31 and r4 can"));
                }
                source.unpack(mode)
            }
        };
        Ok((source, register.rotation))
    }
}

pub(super) fn can_unpack(register: Register) -> bool {
    matches!(
        register.place,
        Place::File(File::A, _) | Place::Accumulator(4)
    )
}

fn unpack_mode(packing: Packing) -> Option<Unpack> {
    let bits = match packing.part {
        Part::Word => 0,
        Part::Half(half) => 1 + half,
        Part::Replicated => 3,
        Part::Byte(byte) => 4 + byte,
        Part::Bytes => return None,
    };
    Unpack::from_bits(bits)
}

/// The packing of a result: on its way into file A, or as the mul ALU's float result.
fn pack_mode(packing: Packing, register: Register) -> Option<(Pack, MulPack)> {
    let in_a = matches!(register.place, Place::File(File::A, 0..=31));
    let s = u8::from(packing.saturate) * 8;
    let code = match packing.part {
        Part::Word if packing.saturate => 8,
        Part::Word => return Some((Pack::None, MulPack::None)),
        Part::Half(half) => 1 + half + s,
        Part::Bytes => 3 + s,
        Part::Byte(byte) => 4 + byte + s,
        Part::Replicated => return None,
    };
    let bytes = matches!(packing.part, Part::Bytes | Part::Byte(_));
    if in_a && !(bytes && packing.float == Some(true)) {
        return Pack::from_bits(code).map(|pack| (pack, MulPack::None));
    }
    // The mul ALU's conversion to colour always saturates.
    (bytes && packing.float != Some(false))
        .then(|| MulPack::from_bits(code & 7).map(|pack| (Pack::None, pack)))?
}

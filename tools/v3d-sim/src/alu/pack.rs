//! Pack: how results are narrowed into file A (pm = 0) or to colour (pm = 1).
//!
//! A packed lane is a value and the mask of the bits it replaces; the others keep what the
//! destination held. Source: guide, "Pack and unpack"; recorded on hardware by VC4C, the
//! overflow quirk included.

use super::{float, half};
use qpu::isa::{AddOp, MulPack, Pack};

/// Bits to write, and which of the 32 they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packed {
    /// The bits, in place.
    pub bits: u32,
    /// The bits of the destination that are replaced.
    pub mask: u32,
}

/// The unit that computed the result: it decides what packing means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// An integer operation other than add and sub, or a load immediate.
    Integer,
    /// A float result: fadd to fmaxabs, itof, fmul.
    Float,
    /// add or sub of these operands, whose signed overflow has its own rules.
    Sum(AddOp, u32, u32),
}

fn byte(n: u32, value: u32) -> Packed {
    Packed {
        bits: (value & 0xff) << (8 * n),
        mask: 0xff << (8 * n),
    }
}

fn halfword(n: u32, value: u32) -> Packed {
    Packed {
        bits: (value & 0xffff) << (16 * n),
        mask: 0xffff << (16 * n),
    }
}

fn bytes(value: u32) -> Packed {
    Packed {
        bits: (value & 0xff) * 0x0101_0101,
        mask: u32::MAX,
    }
}

/// All of a word.
pub fn word(value: u32) -> Packed {
    Packed {
        bits: value,
        mask: u32::MAX,
    }
}

fn clamp(value: u32, low: i32, high: i32) -> u32 {
    (value as i32).clamp(low, high) as u32
}

fn clamp_byte(value: u32) -> u32 {
    clamp(value, 0, 255)
}

fn clamp_halfword(value: u32) -> u32 {
    clamp(value, -0x8000, 0x7fff)
}

/// The value that an add or sub that overflows packs instead of its result; `None` when it does not
/// overflow.
///
/// The chip takes the carry for the sign, which is right for add and wrong for sub, and saturating
/// modes of add lose the value altogether but for two operand pairs.
#[must_use]
pub fn overflow(op: AddOp, a: u32, b: u32) -> Option<Overflow> {
    let (overflows, carry) = match op {
        AddOp::Add => (
            (a as i32).checked_add(b as i32).is_none(),
            a.checked_add(b).is_none(),
        ),
        AddOp::Sub => ((a as i32).checked_sub(b as i32).is_none(), a < b),
        _ => (false, false),
    };
    let limit = if carry { 0x8000_0000 } else { 0x7fff_ffff };
    overflows.then_some(Overflow {
        limit,
        saturating_byte: if op == AddOp::Add {
            0
        } else {
            clamp_byte(limit)
        },
        saturating_halfword: if op == AddOp::Add && (a != limit || b != limit) {
            0
        } else {
            clamp_halfword(limit)
        },
    })
}

/// See [`overflow`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overflow {
    limit: u32,
    saturating_byte: u32,
    saturating_halfword: u32,
}

/// A result on its way into a register of file A (pm = 0).
#[must_use]
pub fn file_a(pack: Pack, result: u32, source: Source) -> Packed {
    let overflow = match source {
        Source::Sum(op, a, b) => overflow(op, a, b),
        Source::Integer | Source::Float => None,
    };
    let is_float = source == Source::Float;
    let low_halfword = || match overflow {
        Some(overflow) => clamp_halfword(overflow.limit),
        None if is_float => u32::from(half::from_float(result)),
        None => result,
    };
    let saturated_halfword = || match overflow {
        Some(overflow) => overflow.saturating_halfword,
        None if is_float => u32::from(half::from_float(result)),
        None => clamp_halfword(result),
    };
    let low_byte = || overflow.map_or(result, |overflow| clamp_byte(overflow.limit));
    let saturated_byte =
        || overflow.map_or_else(|| clamp_byte(result), |overflow| overflow.saturating_byte);
    match pack {
        Pack::None => word(result),
        Pack::P16a => halfword(0, low_halfword()),
        Pack::P16b => halfword(1, low_halfword()),
        Pack::P8888 => bytes(low_byte()),
        Pack::P8a => byte(0, low_byte()),
        Pack::P8b => byte(1, low_byte()),
        Pack::P8c => byte(2, low_byte()),
        Pack::P8d => byte(3, low_byte()),
        Pack::P32s => word(overflow.map_or(result, |overflow| overflow.limit)),
        Pack::P16as => halfword(0, saturated_halfword()),
        Pack::P16bs => halfword(1, saturated_halfword()),
        Pack::P8888s => bytes(saturated_byte()),
        Pack::P8as => byte(0, saturated_byte()),
        Pack::P8bs => byte(1, saturated_byte()),
        Pack::P8cs => byte(2, saturated_byte()),
        Pack::P8ds => byte(3, saturated_byte()),
    }
}

/// A mul result as 8-bit colour (pm = 1), whatever its destination; `rounding` as of
/// [`float::to_byte`].
#[must_use]
pub fn colour(pack: MulPack, result: u32, rounding: f64) -> Packed {
    let value = || u32::from(float::to_byte(result, rounding));
    match pack {
        MulPack::None => word(result),
        MulPack::P8888 => bytes(value()),
        MulPack::P8a => byte(0, value()),
        MulPack::P8b => byte(1, value()),
        MulPack::P8c => byte(2, value()),
        MulPack::P8d => byte(3, value()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_is_rounded_and_clamped() {
        assert_eq!(
            colour(MulPack::P8b, 1.0f32.to_bits(), 0.5),
            Packed {
                bits: 0xff00,
                mask: 0xff00
            }
        );
        let colour = |pack, result| colour(pack, result, 0.5);
        assert_eq!(colour(MulPack::P8888, 0.5f32.to_bits()).bits, 0x8080_8080);
        assert_eq!(colour(MulPack::P8a, (-1.0f32).to_bits()).bits, 0);
        assert_eq!(colour(MulPack::None, 0x1234_5678), word(0x1234_5678));
    }

    #[test]
    fn a_sum_that_overflows_is_packed_by_its_carry() {
        let add = |a, b| Source::Sum(AddOp::Add, a, b);
        let sub = |a, b| Source::Sum(AddOp::Sub, a, b);
        assert_eq!(
            file_a(Pack::P32s, 0x8000_0000, add(0x7fff_ffff, 1)).bits,
            0x7fff_ffff
        );
        assert_eq!(
            file_a(Pack::P32s, 0x7fff_ffff, sub(0x8000_0000, 1)).bits,
            0x7fff_ffff
        );
        assert_eq!(
            file_a(Pack::P16as, 0, add(0x8000_0000, 0x8000_0000)).bits,
            0x8000
        );
        assert_eq!(
            file_a(Pack::P16as, 0x8000_0000, add(0x7fff_ffff, 1)).bits,
            0
        );
        assert_eq!(
            file_a(Pack::P8a, 0x8000_0000, add(0x7fff_ffff, 1)).bits,
            0xff
        );
    }
}

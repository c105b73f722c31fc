//! Small immediates: a constant, or a rotation of the mul result.
//!
//! The code stands in place of file B's read address.
//!
//! Codes 48..63 are rotations; read as an operand they are also the integers -16..-1 (undocumented
//! by Broadcom, known from vc4asm and py-videocore's hardware tests). Source: Architecture
//! Reference Guide, "Small immediates".

use super::bits::six_bits;
use super::{AddOp, MulOp};

/// The six bits of a small immediate; every code has a meaning.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SmallImmediate(u8);

/// The distance that the mul result moves over the lanes: element i goes to element i + n,
/// modulo 16.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rotation {
    /// By the low four bits of element 0 of r5 (code 48).
    ByR5,
    /// By 1..=15 lanes upwards.
    By(u8),
}

six_bits!(SmallImmediate);

impl SmallImmediate {
    /// Code 48.
    pub const ROTATE_BY_R5: Self = Self(48);

    /// The code for an integer, -16..=15.
    #[must_use]
    pub const fn from_int(value: i32) -> Option<Self> {
        match value {
            -16..=15 => Some(Self((value & 31) as u8)),
            _ => None,
        }
    }

    /// The code for a float: a power of two from 2^-8 to 2^7, or zero (integer 0).
    #[must_use]
    pub const fn from_float(value: f32) -> Option<Self> {
        Self::from_word(value.to_bits())
    }

    /// The code whose 32-bit operand value is `word`, without rotation.
    #[must_use]
    pub const fn from_word(word: u32) -> Option<Self> {
        if let Some(integer) = Self::from_int(word as i32) {
            return Some(integer);
        }
        let exponent = (word >> 23) as i32 - 127;
        match (word & 0x007f_ffff, exponent) {
            (0, 0..=7) => Some(Self(32 + exponent as u8)),
            (0, -8..=-1) => Some(Self((48 + exponent) as u8)),
            _ => None,
        }
    }

    /// The code for a rotation of the mul result by `lanes`, 1..=15, upwards.
    #[must_use]
    pub const fn from_rotation(lanes: u8) -> Option<Self> {
        match lanes {
            1..=15 => Some(Self(48 + lanes)),
            _ => None,
        }
    }

    /// The value that an operand reads, in every lane.
    #[must_use]
    pub const fn value(self) -> u32 {
        let code = self.0 as u32;
        match self.0 {
            0..=15 => code,
            16..=31 => code.wrapping_sub(32),
            32..=39 => 0x3f80_0000 + ((code - 32) << 23),
            40..=47 => 0x3b80_0000 + ((code - 40) << 23),
            _ => code.wrapping_sub(64),
        }
    }

    /// The rotation of the mul result, if there is one.
    #[must_use]
    pub const fn rotation(self) -> Option<Rotation> {
        match self.0 {
            0..=47 => None,
            48 => Some(Rotation::ByR5),
            code => Some(Rotation::By(code - 48)),
        }
    }
}

/// Constants that one operation makes of a small immediate with itself: 64 is `mul24 x, 8, 8`.
/// Assemblers write constants so where an instruction has no room for a load immediate.
impl SmallImmediate {
    /// The result of the add ALU for the operand with itself. `None` where that is not exact, or
    /// nothing.
    #[must_use]
    pub fn added(self, op: AddOp) -> Option<u32> {
        let v = self.value();
        Some(match op {
            AddOp::Or | AddOp::And | AddOp::Min | AddOp::Max | AddOp::Fmin | AddOp::Fmax => v,
            AddOp::Sub | AddOp::Xor | AddOp::V8subs => 0,
            AddOp::Add => v.wrapping_add(v),
            AddOp::Shr => v >> (v & 31),
            AddOp::Asr => (v as i32 >> (v & 31)) as u32,
            AddOp::Ror => v.rotate_right(v & 31),
            AddOp::Shl => v << (v & 31),
            AddOp::Not => !v,
            AddOp::Clz => v.leading_zeros(),
            AddOp::V8adds => doubled_bytes(v),
            AddOp::Itof if (v as i32).unsigned_abs() <= 16 => (v as i32 as f32).to_bits(),
            AddOp::Ftoi => float(v)? as i32 as u32,
            AddOp::Fadd => (float(v)? * 2.0).to_bits(),
            AddOp::Nop | AddOp::Itof | AddOp::Fsub | AddOp::Fminabs | AddOp::Fmaxabs => {
                return None;
            }
        })
    }

    /// The result of the mul ALU for the operand with itself, before it is rotated.
    #[must_use]
    pub fn multiplied(self, op: MulOp) -> Option<u32> {
        let v = self.value();
        let low = v & 0xff_ffff;
        Some(match op {
            MulOp::V8min | MulOp::V8max => v,
            MulOp::V8subs => 0,
            MulOp::V8adds => doubled_bytes(v),
            MulOp::Mul24 => low.wrapping_mul(low),
            MulOp::Fmul => (float(v)? * float(v)?).to_bits(),
            MulOp::Nop | MulOp::V8muld => return None,
        })
    }
}

/// The value as a float, if it is one: small immediates are powers of two, whose sums and products
/// are exact.
fn float(word: u32) -> Option<f32> {
    Some(f32::from_bits(word)).filter(|value| value.is_normal())
}

fn doubled_bytes(word: u32) -> u32 {
    let doubled = |byte: u8| byte.saturating_add(byte);
    u32::from_le_bytes(word.to_le_bytes().map(doubled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_guide() {
        let cases = [
            (0, 0),
            (15, 15),
            (16, -16i32 as u32),
            (31, u32::MAX),
            (32, 1.0f32.to_bits()),
            (39, 128.0f32.to_bits()),
            (40, (1.0f32 / 256.0).to_bits()),
            (47, 0.5f32.to_bits()),
            (48, -16i32 as u32),
            (63, u32::MAX),
        ];
        for (code, value) in cases {
            assert_eq!(
                SmallImmediate::from_bits(code).unwrap().value(),
                value,
                "code {code}"
            );
        }
    }

    #[test]
    fn every_plain_code_is_found_from_its_value() {
        for code in 0..48 {
            let immediate = SmallImmediate::from_bits(code).unwrap();
            assert_eq!(
                SmallImmediate::from_word(immediate.value()),
                Some(immediate)
            );
            assert_eq!(immediate.rotation(), None);
        }
    }

    #[test]
    fn what_does_not_fit_has_no_code() {
        for value in [16, -17, i32::MAX, i32::MIN] {
            assert_eq!(SmallImmediate::from_int(value), None);
        }
        for value in [256.0, 1.0 / 512.0, -1.0, 3.0, -0.0, f32::INFINITY, f32::NAN] {
            assert_eq!(SmallImmediate::from_float(value), None, "{value}");
        }
        assert_eq!(SmallImmediate::from_float(0.0), SmallImmediate::from_int(0));
        assert_eq!(SmallImmediate::from_bits(64), None);
        assert_eq!(SmallImmediate::from_rotation(0), None);
        assert_eq!(SmallImmediate::from_rotation(16), None);
    }

    #[test]
    fn rotations() {
        assert_eq!(
            SmallImmediate::ROTATE_BY_R5.rotation(),
            Some(Rotation::ByR5)
        );
        for lanes in 1..16 {
            let immediate = SmallImmediate::from_rotation(lanes).unwrap();
            assert_eq!(immediate.rotation(), Some(Rotation::By(lanes)));
        }
    }

    /// The constants that vc4asm writes in its optimised GPU_FFT.
    #[test]
    fn constants_of_published_programs() {
        let of = |value: i32| SmallImmediate::from_int(value).unwrap();
        assert_eq!(of(15).added(AddOp::V8adds), Some(30));
        assert_eq!(of(-7).added(AddOp::Shr), Some(0x7f));
        assert_eq!(of(-12).added(AddOp::Shr), Some(0xfff));
        assert_eq!(of(4).added(AddOp::Shl), Some(64));
        assert_eq!(of(4).multiplied(MulOp::Mul24), Some(16));
        assert_eq!(of(2).multiplied(MulOp::V8min), Some(2));
        assert_eq!(of(0).multiplied(MulOp::V8subs), Some(0));
    }

    #[test]
    fn floats_are_not_made_of_integers() {
        let four = SmallImmediate::from_float(4.0).unwrap();
        assert_eq!(four.multiplied(MulOp::Fmul), Some(16f32.to_bits()));
        assert_eq!(four.added(AddOp::Ftoi), Some(4));
        let two = SmallImmediate::from_int(2).unwrap();
        assert_eq!(two.added(AddOp::Itof), Some(2f32.to_bits()));
        assert_eq!(two.multiplied(MulOp::Fmul), None);
        assert_eq!(four.added(AddOp::Itof), None);
    }
}

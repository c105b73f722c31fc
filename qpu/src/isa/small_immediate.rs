//! Small immediates: a constant, or a rotation of the mul result.
//!
//! The code stands in place of file B's read address.
//!
//! Codes 48..63 are rotations; read as an operand they are also the integers -16..-1 (undocumented
//! by Broadcom, known from vc4asm and py-videocore's hardware tests). Source: Architecture
//! Reference Guide, "Small immediates".

use super::bits::six_bits;

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
}

//! Float sums and products of sixteen lanes at once, for speed.
//!
//! The same values as [`super::float`], which is the definition, in loops that the compiler turns
//! into vector instructions. Vectors with infinities are left to it.

use super::float::{self, INFINITY, SIGN};
use super::{LANES, Lanes};

/// The bits of an `f64` mantissa that an `f32` has no room for.
const BELOW_F32: u64 = (1 << 29) - 1;
/// 2^-126, the smallest normal number.
const SMALLEST: u32 = 1 << 23;

/// Denormals flushed to zero.
#[inline(always)]
fn flushed(x: u32) -> u32 {
    if x & INFINITY == 0 { 0 } else { x }
}

/// Bit 31 is set for exponent 255 and only then, for a test of all lanes at once.
#[inline(always)]
fn infinite(x: u32) -> u32 {
    (x & INFINITY) + (1 << 23)
}

/// By the definition.
#[cold]
fn one_by_one(a: &Lanes, b: &Lanes, op: impl Fn(u32, u32) -> u32) -> Lanes {
    super::map(a, b, op)
}

/// a + (b ^ sign) in each lane.
#[inline(always)]
fn sum(a: &Lanes, b: &Lanes, sign: u32) -> Lanes {
    let (mut result, mut unusual) = ([0; LANES], 0);
    for lane in 0..LANES {
        let x = f32::from_bits(flushed(a[lane]));
        let y = f32::from_bits(flushed(b[lane]) ^ sign);
        let sum = x + y;
        // Two-sum, as in the definition: with no overflow it is exact in f32 too.
        let y_part = sum - x;
        let error = (x - (sum - y_part)) + (y - y_part);
        let inward = u32::from(error != 0.0) & (error.to_bits() ^ sum.to_bits()) >> 31;
        result[lane] = flushed(sum.to_bits().wrapping_sub(inward));
        // An operand with exponent 255 gives a sum with exponent 255.
        unusual |= infinite(sum.to_bits());
    }
    if unusual & SIGN != 0 {
        result = one_by_one(a, b, |a, b| float::add(a, b ^ sign));
    }
    result
}

/// a * b in each lane.
#[inline(always)]
fn product(a: &Lanes, b: &Lanes) -> Lanes {
    let (mut result, mut unusual) = ([0; LANES], 0);
    for lane in 0..LANES {
        let x = f64::from(f32::from_bits(flushed(a[lane])));
        let y = f64::from(f32::from_bits(flushed(b[lane])));
        // Exact; cut toward zero it is exact as f32 too, or too large, which gives infinity, or too
        // small, which gives a denormal or the smallest number.
        let cut = f64::from_bits((x * y).to_bits() & !BELOW_F32) as f32;
        result[lane] = flushed(cut.to_bits());
        // So does an operand with exponent 255, also times zero.
        unusual |= infinite(cut.to_bits());
        // Only here it matters whether the conversion has rounded up.
        unusual |= if cut.to_bits() & !SIGN == SMALLEST {
            SIGN
        } else {
            0
        };
    }
    if unusual & SIGN != 0 {
        result = one_by_one(a, b, float::mul);
    }
    result
}

/// Operations that make sums and products of all lanes.
pub trait Floats: Copy {
    /// a + b in each lane.
    fn add(self, a: &Lanes, b: &Lanes) -> Lanes;

    /// a - b in each lane.
    fn sub(self, a: &Lanes, b: &Lanes) -> Lanes;

    /// a * b in each lane.
    fn mul(self, a: &Lanes, b: &Lanes) -> Lanes;
}

/// By instructions that every processor of the host's kind has.
#[derive(Clone, Copy)]
pub struct Portable;

impl Floats for Portable {
    #[inline]
    fn add(self, a: &Lanes, b: &Lanes) -> Lanes {
        sum(a, b, 0)
    }

    #[inline]
    fn sub(self, a: &Lanes, b: &Lanes) -> Lanes {
        sum(a, b, SIGN)
    }

    #[inline]
    fn mul(self, a: &Lanes, b: &Lanes) -> Lanes {
        product(a, b)
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    fn by_lane(op: fn(u32, u32) -> u32, a: &Lanes, b: &Lanes) -> Lanes {
        std::array::from_fn(|lane| op(a[lane], b[lane]))
    }

    fn sub(a: u32, b: u32) -> u32 {
        float::add(a, b ^ SIGN)
    }

    /// Holds sums and products to those of single floats.
    pub fn are_what_single_floats_are(floats: impl Floats) {
        let (a, b) = ([0x00ff_ffff; LANES], [0x3f00_0000; LANES]);
        assert_eq!(floats.mul(&a, &b), [0; LANES], "just below the smallest");
        assert_eq!(float::mul(a[0], b[0]), 0);
        let smallest = floats.mul(&[0x0100_0000; LANES], &b);
        assert_eq!(smallest, [0x0080_0000; LANES]);
        let greatest = [INFINITY - 1; LANES];
        assert_eq!(floats.add(&greatest, &[0; LANES]), greatest);
        assert_eq!(floats.add(&greatest, &greatest), [INFINITY; LANES]);
        // xorshift64 from a fixed, arbitrary state; every third operand is near the ends of the
        // range.
        let mut state = 0x0123_4567_89ab_cdefu64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 16) as u32
        };
        for round in 0..40_000 {
            let exponents = [0x3f80_0000, 0x0080_0000, 0x7f00_0000][round % 3];
            let mut lanes = || -> Lanes {
                std::array::from_fn(|_| {
                    next() & 0x807f_ffff | (exponents + (next() & 3 << 23)) & INFINITY
                })
            };
            let (a, b) = (lanes(), lanes());
            let any: Lanes = std::array::from_fn(|_| next());
            for (a, b) in [(&a, &b), (&a, &any), (&any, &b)] {
                let all = [floats.add(a, b), floats.sub(a, b), floats.mul(a, b)];
                let wanted = [float::add, sub, float::mul].map(|op| by_lane(op, a, b));
                assert_eq!(all, wanted, "{a:08x?} and {b:08x?}");
            }
        }
    }

    #[test]
    fn lanes_are_what_single_floats_are() {
        are_what_single_floats_are(Portable);
    }
}

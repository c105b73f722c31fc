//! Float operations of one lane, bit for bit.
//!
//! No denormals (flushed to +0 by arithmetic), no NaN (exponent 255 is an infinity of its sign) and
//! every rounding is toward zero. Exactness comes by way of `f64`: the product of two floats fits
//! it, and a sum is corrected by its own rounding error before it is cut to 24 bits. Source: VC4C's
//! tables recorded on hardware; for multiplication GPU_FFT's published error figures.

pub(super) const SIGN: u32 = 0x8000_0000;
pub(super) const INFINITY: u32 = 0x7f80_0000;
const SMALLEST_NORMAL: f64 = f32::MIN_POSITIVE as f64;
const SIGN_F64: u64 = 1 << 63;
/// The bits of an `f64` mantissa that an `f32` has no room for.
const BELOW_F32: u64 = (1 << 29) - 1;

const fn is_infinite(x: u32) -> bool {
    x & INFINITY == INFINITY
}

/// Zero or denormal.
const fn is_zero(x: u32) -> bool {
    x & INFINITY == 0
}

/// The value of an operand that is not infinite, denormals flushed.
fn value(x: u32) -> f64 {
    if is_zero(x) {
        0.0
    } else {
        f64::from(f32::from_bits(x))
    }
}

/// A value whose magnitude, cut to 24 bits, is the result.
///
/// The cut value is exact as `f32`, or too large for it, which gives the infinity that is wanted
/// (no sum of finite operands that overflows was recorded: an assumption).
fn truncated(x: f64) -> u32 {
    let magnitude = f64::from_bits(x.to_bits() & !(SIGN_F64 | BELOW_F32));
    let sign = (x.to_bits() >> 32) as u32 & SIGN;
    if magnitude < SMALLEST_NORMAL {
        0
    } else {
        sign | (magnitude as f32).to_bits()
    }
}

/// a + b. An infinite b wins over an infinite a.
#[must_use]
pub fn add(a: u32, b: u32) -> u32 {
    let (x, y) = (value(a), value(b));
    let sum = x + y;
    // Knuth's two-sum: sum + error is the exact result.
    let y_part = sum - x;
    let error = (x - (sum - y_part)) + (y - y_part);
    // When the exact magnitude is below that of the rounded sum, the next smaller f64 cuts to it.
    let inward = (error != 0.0) & ((error < 0.0) != (sum < 0.0));
    let finite = truncated(f64::from_bits(
        sum.to_bits().wrapping_sub(u64::from(inward)),
    ));
    // Selected at the end, not branched to: so the compiler can do several lanes at once.
    let infinite = if is_infinite(b) { b } else { a } & SIGN | INFINITY;
    if is_infinite(a) | is_infinite(b) {
        infinite
    } else {
        finite
    }
}

/// a * b. A zero wins over an infinity.
#[must_use]
pub fn mul(a: u32, b: u32) -> u32 {
    let finite = truncated(value(a) * value(b));
    let infinite = (a ^ b) & SIGN | INFINITY;
    let product = if is_infinite(a) | is_infinite(b) {
        infinite
    } else {
        finite
    };
    if is_zero(a) | is_zero(b) { 0 } else { product }
}

/// True if a > b, as sign and magnitude of the raw bits; -0 equals +0.
#[must_use]
pub const fn greater(a: u32, b: u32) -> bool {
    order(a) > order(b)
}

const fn order(x: u32) -> i32 {
    let magnitude = (x & !SIGN) as i32;
    if x & SIGN == 0 { magnitude } else { -magnitude }
}

/// The smaller operand, bits unchanged; a when equal.
#[must_use]
pub const fn min(a: u32, b: u32) -> u32 {
    if greater(a, b) { b } else { a }
}

/// The greater operand, bits unchanged; b when equal.
#[must_use]
pub const fn max(a: u32, b: u32) -> u32 {
    if greater(a, b) { a } else { b }
}

/// Sign cleared.
#[must_use]
pub const fn abs(x: u32) -> u32 {
    x & !SIGN
}

/// Truncated to an integer; 0 for infinities and magnitudes of 2^31 and more.
#[must_use]
pub fn to_int(a: u32) -> u32 {
    if (a & INFINITY) >> 23 >= 158 {
        return 0;
    }
    f32::from_bits(a) as i32 as u32
}

/// Rounded to the nearest integer, halves to even; 0 where [`to_int`] gives 0.
#[must_use]
pub fn to_nearest_int(a: u32) -> u32 {
    if (a & INFINITY) >> 23 >= 158 {
        return 0;
    }
    f32::from_bits(a).round_ties_even() as i32 as u32
}

/// A signed integer as float, rounded toward zero.
#[must_use]
pub fn from_int(a: u32) -> u32 {
    truncated(f64::from(a as i32))
}

/// Sign 0 and not zero; infinity counts. This is C of fadd, fsub and itof.
#[must_use]
pub const fn is_positive(x: u32) -> bool {
    x != 0 && x & SIGN == 0
}

/// Unsigned n / 255 as float, rounded toward zero.
#[must_use]
pub fn from_byte(n: u8) -> u32 {
    // The f64 quotient of integers this small is never rounded up to a 24-bit value.
    truncated(f64::from(n) / 255.0)
}

/// A float as 8-bit colour: 0..=1 to 0..=255, to nearest by a `rounding` of 0.5, truncated by 0;
/// beyond is clamped.
///
/// Broadcom's guide says round, VC4C's emulator truncates; a hardware test saw no more than plus or
/// minus 1 (py-videocore).
#[must_use]
pub fn to_byte(x: u32, rounding: f64) -> u8 {
    if x & SIGN != 0 || is_zero(x) {
        return 0;
    }
    if x >= 1.0f32.to_bits() {
        return 255;
    }
    (f64::from(f32::from_bits(x)) * 255.0 + rounding) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANTISSA: u32 = 0x007f_ffff;

    /// Exact sums and products by integers, as a second opinion on the f64 ways.
    fn exact_truncated(sign: bool, magnitude: u128, exponent: i32) -> u32 {
        if magnitude == 0 {
            return 0;
        }
        let top = 127 - magnitude.leading_zeros() as i32;
        let shift = top - 23;
        let significand = if shift > 0 {
            magnitude >> shift
        } else {
            magnitude << -shift
        };
        let biased = exponent + shift + 150;
        let sign = if sign { SIGN } else { 0 };
        match biased {
            ..=0 => 0,
            255.. => sign | INFINITY,
            _ => sign | (biased as u32) << 23 | significand as u32 & MANTISSA,
        }
    }

    fn parts(x: u32) -> (bool, u128, i32) {
        (
            x & SIGN != 0,
            u128::from(x & MANTISSA | 1 << 23),
            (x >> 23 & 255) as i32 - 150,
        )
    }

    fn exact_add(a: u32, b: u32) -> u32 {
        let ((sign_a, a, exponent_a), (sign_b, b, exponent_b)) = (parts(a), parts(b));
        // Far apart, the smaller is a sticky bit three places below the greater.
        let low = exponent_a
            .min(exponent_b)
            .max(exponent_a.max(exponent_b) - 60);
        let align = |magnitude: u128, exponent: i32| {
            if exponent >= low {
                magnitude << (exponent - low)
            } else {
                1
            }
        };
        let signed = |sign: bool, magnitude: u128| {
            if sign {
                -(magnitude as i128)
            } else {
                magnitude as i128
            }
        };
        let sum = signed(sign_a, align(a, exponent_a)) + signed(sign_b, align(b, exponent_b));
        exact_truncated(sum < 0, sum.unsigned_abs(), low)
    }

    /// Marsaglia's xorshift; the seed is arbitrary and fixed.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u32 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 16) as u32
        }

        /// Normal, with exponents close enough that operands meet.
        fn float(&mut self, spread: u32) -> u32 {
            let exponent = 127 - spread / 2 + self.next() % spread;
            self.next() & (SIGN | MANTISSA) | exponent << 23
        }
    }

    #[test]
    fn sums_and_products_are_exact_truncations() {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        for spread in [2, 8, 30, 70, 250] {
            for _ in 0..40_000 {
                let (a, b) = (random.float(spread), random.float(spread));
                assert_eq!(add(a, b), exact_add(a, b), "{a:08x} + {b:08x}");
                let ((sign_a, x, e), (sign_b, y, f)) = (parts(a), parts(b));
                assert_eq!(
                    mul(a, b),
                    exact_truncated(sign_a != sign_b, x * y, e + f),
                    "{a:08x} * {b:08x}"
                );
            }
        }
    }

    #[test]
    fn sums_with_a_tiny_operand_lose_one_unit_only_when_it_points_inward() {
        assert_eq!(add(0x3f80_0000, 0x9000_0000), 0x3f7f_ffff);
        assert_eq!(add(0x3f80_0000, 0x1000_0000), 0x3f80_0000);
        assert_eq!(add(0xbf80_0000, 0x1000_0000), 0xbf7f_ffff);
        assert_eq!(add(0x9000_0000, 0xbf80_0000), 0xbf80_0000);
    }

    #[test]
    fn the_ends_of_the_range() {
        assert_eq!(add(0x7f7f_ffff, 0x7f7f_ffff), INFINITY);
        assert_eq!(add(0x7f7f_ffff, 0x6000_0000), 0x7f7f_ffff);
        assert_eq!(add(0x0080_0001, 0x8080_0000), 0, "a result below 2^-126");
        assert_eq!(add(0x8000_0001, 0x0000_0001), 0, "denormals are flushed");
        assert_eq!(mul(0x0080_0000, 0x3f00_0000), 0);
        assert_eq!(mul(0x8080_0000, 0x3f80_0000), 0x8080_0000);
        assert_eq!(mul(0x7f00_0000, 0xc000_0000), SIGN | INFINITY);
        assert_eq!(mul(0x7f80_0000, 0x0000_0001), 0, "zero beats infinity");
        assert_eq!(to_int(0x4eff_ffff), 0x7fff_ff80);
        assert_eq!(to_int(0xcf00_0000), 0, "-2^31 is out of range here");
        assert_eq!(from_int(0x7fff_ffff), 0x4eff_ffff);
        assert_eq!(from_int(0x8000_0000), 0xcf00_0000);
        assert_eq!(from_int(0), 0);
    }

    #[test]
    fn bytes() {
        let recorded = [
            (0, 0),
            (1, 0x3b80_8080),
            (127, 0x3efe_fefe),
            (128, 0x3f00_8080),
            (255, 0x3f80_0000),
        ];
        for (byte, float) in recorded {
            assert_eq!(from_byte(byte), float, "{byte}");
        }
        for byte in 0..=255 {
            assert_eq!(to_byte(from_byte(byte), 0.5), byte);
        }
        assert_eq!(to_byte(0xff80_0000, 0.5), 0);
        assert_eq!(to_byte(0x7fff_ffff, 0.5), 255);
        assert_eq!(to_byte(0x3f00_0000, 0.5), 128);
        assert_eq!(to_byte(0x3f00_0000, 0.0), 127);
    }
}

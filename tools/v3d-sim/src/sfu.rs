//! SFU: reciprocal, reciprocal square root, 2^x and log2, bit for bit.
//!
//! A table interpolator of 16 quadratic segments with a 15-bit result fraction. With the
//! coefficients that Broadcom published (BSD-licensed driver release of 2014) this gives 78 of 80
//! results recorded on hardware; the other two are recip(recip(+-1)), which the chip gives exactly
//! (VC4C's sfu_accuracy).

use qpu::isa::{Waddr, waddr};

/// The function behind a write address.
#[must_use]
pub fn function(address: Waddr) -> Option<fn(u32) -> u32> {
    match address {
        waddr::SFU_RECIP => Some(recip),
        waddr::SFU_RECIPSQRT => Some(recip_sqrt),
        waddr::SFU_EXP => Some(exp2),
        waddr::SFU_LOG => Some(log2),
        _ => None,
    }
}

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7f80_0000;

/// Coefficients of 16 segments: constant, slope, curvature.
struct Table {
    c0: [u32; 16],
    c1: [u32; 16],
    c2: [u32; 16],
}

const RECIP: Table = Table {
    c0: [
        0x7ffc, 0x70ee, 0x638c, 0x5792, 0x4ccb, 0x430b, 0x3a2e, 0x3215, 0x2aaa, 0x23d6, 0x1d8a,
        0x17b4, 0x1249, 0x0d3e, 0x0889, 0x0421,
    ],
    c1: [
        0xf0b, 0xd60, 0xbf8, 0xac5, 0x9bf, 0x8dc, 0x818, 0x76a, 0x6d3, 0x64c, 0x5d6, 0x56b, 0x50b,
        0x4b5, 0x468, 0x421,
    ],
    c2: [
        0x1d, 0x18, 0x15, 0x12, 0x0f, 0x0d, 0x0c, 0x0a, 0x09, 0x08, 0x07, 0x06, 0x06, 0x05, 0x05,
        0x04,
    ],
};

/// Segments 0..7 for x in 1..2, 8..15 for x in 2..4.
const RECIP_SQRT: Table = Table {
    c0: [
        0x7ffb, 0x7158, 0x64f6, 0x5a4f, 0x5104, 0x48d2, 0x4184, 0x3af4, 0x3501, 0x2aa8, 0x21e7,
        0x1a5f, 0x13cc, 0x0e00, 0x08d5, 0x0433,
    ],
    c1: [
        0xe9e, 0xc5f, 0xaa5, 0x949, 0x831, 0x74d, 0x68f, 0x5ef, 0xa56, 0x8bf, 0x787, 0x692, 0x5cb,
        0x52a, 0x4a2, 0x433,
    ],
    c2: [
        0x29, 0x1f, 0x18, 0x13, 0x10, 0x0d, 0x0b, 0x09, 0x1d, 0x16, 0x11, 0x0e, 0x0b, 0x09, 0x08,
        0x07,
    ],
};

const LOG2: Table = Table {
    c0: [
        0x7fff, 0x74cd, 0x6a3f, 0x6043, 0x56cb, 0x4dc9, 0x4531, 0x3cfc, 0x3520, 0x2d96, 0x2658,
        0x1f60, 0x18a9, 0x122e, 0x0beb, 0x05dd,
    ],
    c1: [
        0xb31, 0xa8d, 0x9fb, 0x978, 0x902, 0x898, 0x835, 0x7dc, 0x78a, 0x73e, 0x6f8, 0x6b7, 0x67b,
        0x643, 0x60e, 0x5dd,
    ],
    c2: [
        0x0b, 0x0a, 0x09, 0x08, 0x07, 0x06, 0x06, 0x05, 0x05, 0x05, 0x04, 0x04, 0x04, 0x03, 0x03,
        0x03,
    ],
};

const EXP2: Table = Table {
    c0: [
        0x0000, 0x05ab, 0x0b96, 0x11c4, 0x1838, 0x1ef5, 0x25ff, 0x2d58, 0x3505, 0x3d09, 0x4567,
        0x4e25, 0x5745, 0x60cd, 0x6ac1, 0x7524,
    ],
    c1: [
        0x5ab, 0x5eb, 0x62e, 0x674, 0x6bd, 0x70a, 0x759, 0x7ad, 0x804, 0x85e, 0x8be, 0x920, 0x988,
        0x9f4, 0xa64, 0xadc,
    ],
    c2: [
        0x04, 0x04, 0x04, 0x04, 0x05, 0x05, 0x05, 0x05, 0x06, 0x06, 0x06, 0x06, 0x07, 0x07, 0x07,
        0x08,
    ],
};

impl Table {
    /// Segment, slope term and curvature term at `m`, 15 bits.
    fn terms(&self, m: u32) -> (u32, u32, u32) {
        let segment = (m >> 11) as usize & 15;
        let y = m >> 5 & 0x3f;
        let square = ((y * (64 - y) + 8) >> 4).min(63);
        let slope = (self.c1[segment] * (m & 0x7ff)) >> 11;
        let curvature = (self.c2[segment] * square) >> 5;
        (self.c0[segment], slope, curvature)
    }

    /// A 23-bit fraction of a falling function.
    fn falling(&self, m: u32) -> u32 {
        let (c0, slope, curvature) = self.terms(m);
        (c0.wrapping_sub(slope).wrapping_sub(curvature) & 0x7fff) << 8
    }

    /// A 23-bit fraction of a rising function.
    fn rising(&self, m: u32) -> u32 {
        let (c0, slope, curvature) = self.terms(m);
        ((c0 + slope + 1).wrapping_sub(curvature) & 0x7fff) << 8
    }
}

/// Sign (in place), exponent field and fraction.
const fn parts(x: u32) -> (u32, u32, u32) {
    (x & SIGN, x >> 23 & 0xff, x & 0x7f_ffff)
}

/// 1 / x.
fn recip(x: u32) -> u32 {
    match parts(x) {
        (sign, 0, _) => sign | INFINITY,
        (sign, 253.., _) => sign,
        // Recorded; the tables would give 0x3f7ffc00.
        (_, 127, 0) => x,
        (sign, exponent, fraction) => sign | (253 - exponent) << 23 | RECIP.falling(fraction >> 8),
    }
}

/// 1 / sqrt(|x|).
fn recip_sqrt(x: u32) -> u32 {
    match parts(x) {
        (_, 0, _) => INFINITY,
        (_, 255, _) => 0,
        (_, exponent, fraction) => {
            let half = (128 - exponent as i32).div_euclid(2);
            let upper = if exponent.is_multiple_of(2) {
                0x4000
            } else {
                0
            };
            ((126 + half) as u32) << 23 | RECIP_SQRT.falling(upper + (fraction >> 9))
        }
    }
}

/// log2(|x|).
fn log2(x: u32) -> u32 {
    let (_, exponent, fraction) = parts(x);
    if exponent == 0 {
        return SIGN | INFINITY;
    }
    if exponent == 255 {
        return INFINITY;
    }
    let f = !LOG2.falling(fraction >> 8) & 0x7f_ffff;
    let mut digits = ((((exponent + 1) & 0x7f) << 16) + (f >> 7)) & !1;
    let mut sign = 0;
    if exponent < 127 {
        sign = SIGN;
        digits = !digits & 0x7f_ffff;
    }
    if digits == 0 {
        return 0;
    }
    let mut result_exponent = 133;
    while digits & 1 << 22 == 0 {
        digits <<= 1;
        result_exponent -= 1;
    }
    sign | result_exponent << 23 | (digits << 1 & 0x7f_ffff)
}

/// 2^x.
fn exp2(x: u32) -> u32 {
    let (sign, exponent, fraction) = parts(x);
    let negative = sign != 0;
    let mantissa = 1 << 23 | fraction;
    let (overflow, digits) = match exponent {
        0 => return exp2_of(false, 0),
        255 => return if negative { 0 } else { INFINITY },
        128.. => {
            let mantissa = mantissa >> (7 - (exponent & 7));
            (exponent >= 136 || mantissa >= 1 << 22, mantissa & 0x3f_ffff)
        }
        112.. => (false, mantissa >> (127 - exponent + 8)),
        _ => (false, 0),
    };
    match (overflow, negative) {
        (true, true) => 0,
        (true, false) => INFINITY,
        (false, _) => exp2_of(negative, digits),
    }
}

/// `digits`: |x| as 7.15 fixed point.
fn exp2_of(negative: bool, digits: u32) -> u32 {
    let digits = if negative {
        !digits & 0x3f_ffff
    } else {
        digits
    };
    let whole = digits >> 15;
    let fraction = EXP2.rising(digits & 0x7fff);
    match negative {
        true if whole < 2 => 0,
        true => (whole - 1) << 23 | fraction,
        false => (whole + 127) << 23 | fraction,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_recorded_on_hardware() {
        type Case = (fn(u32) -> u32, f32, u32);
        let cases: [Case; 11] = [
            (exp2, 0.0, 0x3f80_0100),
            (exp2, 1.0, 0x4000_0100),
            (exp2, 0.5, 0x3fb5_0600),
            (exp2, -0.5, 0x3f35_0500),
            (log2, 0.5, 0xbf7f_ff00),
            (log2, 2.0, 0x3f80_0000),
            (log2, 100.0, 0x40d4_9a40),
            (recip_sqrt, 1.0, 0x3f7f_fb00),
            (recip_sqrt, 2.0, 0x3f35_0100),
            (recip, 2.0, 0x3eff_fc00),
            (recip, 0.1, 0x4120_0100),
        ];
        for (function, x, result) in cases {
            assert_eq!(function(x.to_bits()), result, "of {x}");
        }
        // Recorded by VC4C and printed as decimals; the first is of 3.1416.
        assert_eq!(f32::from_bits(exp2(0x4049_0ff9)), 8.825_195);
        assert!((f32::from_bits(recip(recip(2.0f32.to_bits()))) - 2.000_183).abs() < 1e-6);
        assert_eq!(log2(1.0f32.to_bits()), 0);
        assert_eq!(recip(0xbf80_0000), 0xbf80_0000);
    }

    #[test]
    fn special_values() {
        let infinity = f32::INFINITY.to_bits();
        assert_eq!(recip(0), infinity);
        assert_eq!(recip(0x8000_0001), SIGN | infinity);
        assert_eq!(recip(SIGN | infinity), SIGN);
        assert_eq!(recip_sqrt(SIGN), infinity);
        assert_eq!(recip_sqrt(infinity), 0);
        assert_eq!(exp2(1000.0f32.to_bits()), infinity);
        assert_eq!(exp2((-1000.0f32).to_bits()), 0);
        assert_eq!(exp2(SIGN | infinity), 0);
        assert_eq!(log2(0), SIGN | infinity);
        assert_eq!(log2(infinity), infinity);
    }

    #[test]
    fn within_the_stated_accuracy() {
        // Measured on chips: relative 1e-4 for recip and rsqrt, 2^-12 for exp2; log2 absolute, near
        // its zero too.
        for step in 1..4000 {
            let x = step as f32 * 0.017;
            let relative =
                |result: u32, exact: f64| (f64::from(f32::from_bits(result)) / exact - 1.0).abs();
            let bits = x.to_bits();
            let exact = f64::from(x);
            assert!(relative(recip(bits), 1.0 / exact) < 1e-4, "1 / {x}");
            assert!(
                relative(recip_sqrt(bits), exact.sqrt().recip()) < 1e-4,
                "1 / sqrt {x}"
            );
            assert!(relative(exp2(bits), exact.exp2()) < 1.0 / 4096.0, "2^{x}");
            assert!(
                (f64::from(f32::from_bits(log2(bits))) - exact.log2()).abs() < 1e-3,
                "log2 {x}"
            );
        }
    }
}

//! The two floating-point formats behind one trait, and exact comparisons with rounded results.
//!
//! "Exact" means the sign of (true result - rounded result), from which the inexact flag and
//! "tiny before rounding" follow. It is only needed on the slow path.

use super::super::Cpu;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A format with its arithmetic, which rounds to nearest.
pub trait Format:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Into<f64>
{
    /// Positive zero.
    const ZERO: Self;
    /// The smallest normal number.
    const SMALLEST: Self;
    /// The NaN that DN gives.
    const DEFAULT_NAN: Self;
    /// Extra clocks of a division or root.
    const DIVIDE_CLOCKS: u64;
    /// Reads a register of this format.
    fn read(cpu: &Cpu, register: u8) -> Self;
    /// Writes a register of this format.
    fn write(self, cpu: &mut Cpu, register: u8);
    /// Normal, or zero: no special case as an operand.
    fn is_plain(self) -> bool;
    /// Normal and not the smallest one, which rounding may have reached from below.
    fn is_plain_result(self) -> bool;
    /// NaN whose use is an invalid operation.
    fn is_signaling(self) -> bool;
    /// NaN made quiet.
    fn quiet(self) -> Self;
    /// Without its sign.
    fn magnitude(self) -> Self;
    /// Square root.
    fn root(self) -> Self;
    /// Sign of true a * b - product, of finite numbers.
    fn product_error(self, other: Self, product: Self) -> f64;
    /// Sign of true a / b - quotient, of finite numbers.
    fn quotient_error(self, other: Self, quotient: Self) -> f64;
    /// Sign of true root - root, of a finite positive number.
    fn root_error(self, root: Self) -> f64;

    /// True a + b - sum, of finite numbers.
    fn sum_error(self, other: Self, sum: Self) -> f64 {
        let back = sum - self;
        ((self - (sum - back)) + (other - back)).into()
    }
    /// Non-zero with the smallest exponent.
    fn is_subnormal(self) -> bool {
        self != Self::ZERO && self.magnitude() < Self::SMALLEST
    }
    /// NaN.
    fn is_nan(self) -> bool {
        Into::<f64>::into(self).is_nan()
    }
    /// Infinite.
    fn is_infinite(self) -> bool {
        Into::<f64>::into(self).is_infinite()
    }
}

macro_rules! common {
    ($quiet:expr, $nan:expr) => {
        const ZERO: Self = 0.0;
        const SMALLEST: Self = Self::MIN_POSITIVE;
        const DEFAULT_NAN: Self = Self::from_bits($nan);
        #[inline(always)]
        fn is_plain(self) -> bool {
            let magnitude = self.to_bits() << 1 >> 1;
            magnitude.wrapping_sub(Self::MIN_POSITIVE.to_bits())
                < Self::INFINITY.to_bits() - Self::MIN_POSITIVE.to_bits()
                || magnitude == 0
        }
        #[inline(always)]
        fn is_plain_result(self) -> bool {
            let magnitude = self.to_bits() << 1 >> 1;
            magnitude.wrapping_sub(Self::MIN_POSITIVE.to_bits() + 1)
                < Self::INFINITY.to_bits() - Self::MIN_POSITIVE.to_bits() - 1
        }
        fn is_signaling(self) -> bool {
            self.is_nan() && self.to_bits() & $quiet == 0
        }
        fn quiet(self) -> Self {
            Self::from_bits(self.to_bits() | $quiet)
        }
        fn magnitude(self) -> Self {
            self.abs()
        }
        fn root(self) -> Self {
            self.sqrt()
        }
    };
}

impl Format for f32 {
    common!(0x0040_0000, 0x7fc0_0000);

    const DIVIDE_CLOCKS: u64 = 0;

    #[inline(always)]
    fn read(cpu: &Cpu, register: u8) -> Self {
        f32::from_bits(cpu.vfp.s[register as usize & 31])
    }
    #[inline(always)]
    fn write(self, cpu: &mut Cpu, register: u8) {
        cpu.vfp.s[register as usize & 31] = self.to_bits();
    }
    // Products of two singles are exact doubles.
    fn product_error(self, other: Self, product: Self) -> f64 {
        f64::from(self) * f64::from(other) - f64::from(product)
    }
    fn quotient_error(self, other: Self, quotient: Self) -> f64 {
        let error = f64::from(self) - f64::from(quotient) * f64::from(other);
        if other < 0.0 { -error } else { error }
    }
    fn root_error(self, root: Self) -> f64 {
        f64::from(self) - f64::from(root) * f64::from(root)
    }
}

/// 2^300: brings numbers near the bottom of the range to where residuals are exact.
const UP: f64 = f64::from_bits((1023 + 300) << 52);

impl Format for f64 {
    common!(0x0008_0000_0000_0000, 0x7ff8_0000_0000_0000);

    const DIVIDE_CLOCKS: u64 =
        crate::clock::DOUBLE_DIVIDE_CLOCKS - crate::clock::INSTRUCTION_CLOCKS;

    #[inline(always)]
    fn read(cpu: &Cpu, register: u8) -> Self {
        f64::from_bits(cpu.double(register))
    }
    #[inline(always)]
    fn write(self, cpu: &mut Cpu, register: u8) {
        cpu.set_double(register, self.to_bits());
    }
    fn product_error(self, other: Self, product: Self) -> f64 {
        let (small, large) = if self.abs() < other.abs() {
            (self, other)
        } else {
            (other, self)
        };
        if product.abs() < 1e-200 {
            (small * UP).mul_add(large, -(product * UP))
        } else {
            self.mul_add(other, -product)
        }
    }
    fn quotient_error(self, other: Self, quotient: Self) -> f64 {
        let (small, large) = if other.abs() < quotient.abs() {
            (other, quotient)
        } else {
            (quotient, other)
        };
        let error = if self.abs() < 1e-200 {
            -(small * UP).mul_add(large, -(self * UP))
        } else {
            -small.mul_add(large, -self)
        };
        if other < 0.0 { -error } else { error }
    }
    fn root_error(self, root: Self) -> f64 {
        let (number, root) = if self < 1e-200 {
            (self * UP * UP, root * UP)
        } else {
            (self, root)
        };
        -root.mul_add(root, -number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_the_right_sign() {
        let third = 1.0f64 / 3.0;
        assert!(1.0f64.quotient_error(3.0, third) > 0.0);
        assert_eq!(1.0f64.quotient_error(4.0, 0.25), 0.0);
        assert!((-1.0f64).quotient_error(3.0, -third) < 0.0);
        assert!(1.0f64.quotient_error(-3.0, -third) < 0.0);
        let rounded = 1.0f32 / 3.0;
        let error = 1.0f64 / 3.0 - f64::from(rounded);
        assert_eq!(1.0f32.quotient_error(3.0, rounded) > 0.0, error > 0.0);
        assert_eq!(3.0f64.product_error(5.0, 15.0), 0.0);
        assert!(0.1f64.product_error(0.1, 0.1 * 0.1) != 0.0);
        assert!(2.0f64.root_error(2.0f64.sqrt()) != 0.0);
        assert_eq!(4.0f32.root_error(2.0), 0.0);
        assert_eq!(1.0f32.sum_error(1e-10, 1.0), f64::from(1e-10f32));
    }

    #[test]
    fn tiny_products_keep_their_error() {
        // (1 - 2^-53) * 2^-1022 rounds up to the smallest normal number; the true one is below it.
        let below_one = f64::from_bits(1f64.to_bits() - 1);
        let product = below_one * f64::MIN_POSITIVE;
        assert_eq!(product, f64::MIN_POSITIVE);
        assert!(below_one.product_error(f64::MIN_POSITIVE, product) < 0.0);
    }
}

//! Arithmetic for the model of the passes: f64, and f32 as the QPUs compute it.

use core::ops::{Add, Mul, Sub};

/// A number that the model computes with.
pub trait Real: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// The number of a word of memory.
    fn from_word(word: u32) -> Self;
    /// The number as f64.
    fn to_f64(self) -> f64;
    /// The number nearest to `x`.
    fn from_f64(x: f64) -> Self;
}

impl Real for f64 {
    fn from_word(word: u32) -> Self {
        f32::from_bits(word).into()
    }
    fn to_f64(self) -> f64 {
        self
    }
    fn from_f64(x: f64) -> Self {
        x
    }
}

/// A float as the QPU's ALUs have it: sums and products are truncated, numbers below 2^-126 are 0.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Truncated(pub f32);

/// The f32 next to `x` on the side of 0.
///
/// A product of two f32 is exact in f64. A sum need not be; its f64 is rounded at a place 29 bits
/// further down, which shows only where all of those bits are then 0 and the rest was not.
fn truncate(x: f64) -> Truncated {
    let nearest = x as f32;
    let too_large = f64::from(nearest).abs() > x.abs();
    let bits = nearest.to_bits() - u32::from(too_large);
    let is_tiny = bits & 0x7f80_0000 == 0;
    Truncated(if is_tiny { 0.0 } else { f32::from_bits(bits) })
}

impl Add for Truncated {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        truncate(f64::from(self.0) + f64::from(other.0))
    }
}

impl Sub for Truncated {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        truncate(f64::from(self.0) - f64::from(other.0))
    }
}

impl Mul for Truncated {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        truncate(f64::from(self.0) * f64::from(other.0))
    }
}

impl Real for Truncated {
    fn from_word(word: u32) -> Self {
        Self(f32::from_bits(word))
    }
    fn to_f64(self) -> f64 {
        self.0.into()
    }
    fn from_f64(x: f64) -> Self {
        Self(x as f32)
    }
}

#[test]
fn sums_and_products_are_truncated() {
    let x = |bits| Truncated::from_word(bits);
    let one = Truncated(1.0);
    let tiny = x(0x3300_0001); // a little more than half a unit of 1.0
    assert_eq!(one + tiny, one);
    assert_eq!(one - tiny, x(0x3f7f_ffff));
    assert_eq!(x(0x3f80_0001) * x(0x3f80_0001), x(0x3f80_0002));
    assert_eq!(x(0x0080_0000) * Truncated(0.5), Truncated(0.0));
    assert_eq!((Truncated(0.0) - one) - tiny, Truncated(-1.0));
}

//! Transforms of 2, 4 and 8 points in registers; results in bit-reversed order.
//!
//! The inverse is the forward one with -i and i exchanged; which of them it is, is known when it is
//! compiled.

use crate::{Complex, Float};

/// A quarter of a turn, clockwise in the forward transform: times -i, or i.
fn quarter<T: Float, const FORWARD: bool>(z: Complex<T>) -> Complex<T> {
    if FORWARD {
        Complex::new(z.im, -z.re)
    } else {
        Complex::new(-z.im, z.re)
    }
}

/// An eighth of a turn, in the same sense.
fn eighth<T: Float, const FORWARD: bool>(z: Complex<T>) -> Complex<T> {
    let half = T::from_f64(core::f64::consts::FRAC_1_SQRT_2);
    if FORWARD {
        Complex::new(z.re + z.im, z.im - z.re).scale(half)
    } else {
        Complex::new(z.re - z.im, z.im + z.re).scale(half)
    }
}

/// Product with a twiddle of the forward transform; the inverse takes its conjugate.
#[inline(always)]
pub fn twiddle<T: Float, const FORWARD: bool>(z: Complex<T>, w: Complex<T>) -> Complex<T> {
    if FORWARD {
        z * w
    } else {
        Complex::new(z.re * w.re + z.im * w.im, z.im * w.re - z.re * w.im)
    }
}

/// Two points.
#[inline(always)]
pub fn two<T: Float>([a, b]: [Complex<T>; 2]) -> [Complex<T>; 2] {
    [a + b, a - b]
}

/// Four points.
#[inline(always)]
pub fn four<T: Float, const FORWARD: bool>(x: [Complex<T>; 4]) -> [Complex<T>; 4] {
    let even = two([x[0] + x[2], x[1] + x[3]]);
    let odd = two([x[0] - x[2], quarter::<T, FORWARD>(x[1] - x[3])]);
    [even[0], even[1], odd[0], odd[1]]
}

/// Eight points.
#[inline(always)]
pub fn eight<T: Float, const FORWARD: bool>(x: [Complex<T>; 8]) -> [Complex<T>; 8] {
    let even = four::<T, FORWARD>([x[0] + x[4], x[1] + x[5], x[2] + x[6], x[3] + x[7]]);
    let odd = four::<T, FORWARD>([
        x[0] - x[4],
        eighth::<T, FORWARD>(x[1] - x[5]),
        quarter::<T, FORWARD>(x[2] - x[6]),
        quarter::<T, FORWARD>(eighth::<T, FORWARD>(x[3] - x[7])),
    ]);
    [
        even[0], even[1], even[2], even[3], odd[0], odd[1], odd[2], odd[3],
    ]
}

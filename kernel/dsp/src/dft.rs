//! The discrete Fourier transform by its definition, in double precision: the oracle.
//!
//! N^2 operations, so for tests and for the self-test's short lengths. The angle is reduced as an
//! integer before it becomes a number, so that long transforms lose nothing.

use core::f64::consts::TAU;

use crate::{Complex, Direction, Float};

/// e^(-2 pi i `index` / `n`), correct to an ulp or so.
#[must_use]
pub fn root_of_unity(index: u64, n: u64) -> Complex<f64> {
    // In eighths of a turn, so that the axes and diagonals come out exact and all octants alike.
    let index = index % n;
    let eighth = 8 * index / n;
    let quadrant = eighth.div_ceil(2) % 4;
    // Signed distance to the nearest axis, in units of 1/(4n) turn.
    let rest = 4 * index as i64 - (eighth.div_ceil(2) * n) as i64;
    let (sin, cos) = libm::sincos(TAU * rest as f64 / (4 * n) as f64);
    match quadrant {
        0 => Complex::new(cos, -sin),
        1 => Complex::new(-sin, -cos),
        2 => Complex::new(-cos, sin),
        _ => Complex::new(sin, cos),
    }
}

/// Writes the transform of `input` to `output`; both have the same length, any at all.
///
/// # Panics
/// When the lengths differ.
pub fn naive<T: Float>(direction: Direction, input: &[Complex<T>], output: &mut [Complex<f64>]) {
    assert_eq!(input.len(), output.len());
    let n = input.len() as u64;
    for (k, out) in output.iter_mut().enumerate() {
        let mut sum = Complex::ZERO;
        for (index, value) in input.iter().enumerate() {
            let root = root_of_unity(index as u64 * k as u64, n);
            let root = match direction {
                Direction::Forward => root,
                Direction::Inverse => root.conj(),
            };
            sum = sum + Complex::new(value.re.to_f64(), value.im.to_f64()) * root;
        }
        *out = sum;
    }
}

/// Root mean square of the difference between `actual` and `expected`, relative to that of
/// `expected`.
pub fn relative_rms_error<T: Float>(actual: &[Complex<T>], expected: &[Complex<f64>]) -> f64 {
    let mut error = 0.0;
    let mut power = 0.0;
    for (actual, expected) in actual.iter().zip(expected) {
        let actual = Complex::new(actual.re.to_f64(), actual.im.to_f64());
        error += (actual - *expected).norm_sqr();
        power += expected.norm_sqr();
    }
    libm::sqrt(error / power)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLERANCE: f64 = 1e-12;

    fn close(actual: Complex<f64>, re: f64, im: f64) {
        assert!(
            (actual - Complex::new(re, im)).norm_sqr() < TOLERANCE * TOLERANCE,
            "{actual:?}"
        );
    }

    #[test]
    fn roots_are_where_they_belong() {
        for (n, exact) in [(8u64, true), (12, false), (1000, false)] {
            for index in 0..3 * n {
                let angle = -TAU * (index % n) as f64 / n as f64;
                close(root_of_unity(index, n), angle.cos(), angle.sin());
            }
            assert!(!exact || root_of_unity(2, n) == Complex::new(0.0, -1.0));
        }
    }

    #[test]
    fn transforms_known_by_hand() {
        let mut out = [Complex::ZERO; 4];
        let impulse = [1.0, 0.0, 0.0, 0.0].map(|re| Complex::new(re, 0.0));
        naive(Direction::Forward, &impulse, &mut out);
        out.iter().for_each(|bin| close(*bin, 1.0, 0.0));
        // A delayed impulse turns by -90 degrees a bin.
        let delayed = [0.0, 1.0, 0.0, 0.0].map(|re| Complex::new(re, 0.0));
        naive(Direction::Forward, &delayed, &mut out);
        for (bin, (re, im)) in out
            .iter()
            .zip([(1.0, 0.0), (0.0, -1.0), (-1.0, 0.0), (0.0, 1.0)])
        {
            close(*bin, re, im);
        }
        let ramp = [1.0, 2.0, 3.0, 4.0].map(|re| Complex::new(re, 0.0));
        naive(Direction::Forward, &ramp, &mut out);
        for (bin, (re, im)) in out
            .iter()
            .zip([(10.0, 0.0), (-2.0, 2.0), (-2.0, 0.0), (-2.0, -2.0)])
        {
            close(*bin, re, im);
        }
    }

    #[test]
    fn a_transform_there_and_back_is_n_times_the_input() {
        let input: [Complex<f64>; 15] =
            core::array::from_fn(|i| Complex::new((i * i % 7) as f64, i as f64 - 3.0));
        let (mut middle, mut back) = ([Complex::ZERO; 15], [Complex::ZERO; 15]);
        naive(Direction::Forward, &input, &mut middle);
        naive(Direction::Inverse, &middle, &mut back);
        for (back, input) in back.iter().zip(input) {
            close(*back, 15.0 * input.re, 15.0 * input.im);
        }
    }
}

//! Twiddles: cosines and sines from f64, each rounded once.
//!
//! A table for 2^22 points has 2^18 entries, and a sine in f64 takes an ARM1176 some 400 clocks.
//! Neighbouring entries differ by the same angle, so [`Roots`] takes one root and one step for a
//! run of 32, four multiplications an entry. Each run begins at a [`root`]: the relative error
//! stays below 4·32·2^-53, five decimal digits below what f32 holds.

use core::f64::consts::TAU;

/// Cosine and sine of `numerator / denominator` of a turn, exact at quarter turns.
///
/// The angle is brought into the first eighth of a turn, so that the numbers have the symmetries
/// of the circle. `denominator` must be a multiple of 8.
#[must_use]
pub fn root(numerator: u32, denominator: u32) -> (f64, f64) {
    let eighth = denominator / 8;
    let numerator = numerator % denominator;
    let (octant, rest) = (numerator / eighth, numerator % eighth);
    // Odd octants count down from the next quarter.
    let rest = if octant.is_multiple_of(2) {
        rest
    } else {
        eighth - rest
    };
    let angle = TAU * f64::from(rest) / f64::from(denominator);
    let (sin, cos) = libm::sincos(angle);
    match octant {
        0 => (cos, sin),
        1 => (sin, cos),
        2 => (-sin, cos),
        3 => (-cos, sin),
        4 => (-cos, -sin),
        5 => (-sin, -cos),
        6 => (sin, -cos),
        _ => (cos, -sin),
    }
}

/// Entries after which a run begins anew.
const RUN: u32 = 32;

/// cos + i sin of angles 0, step, 2 · step, .. after a first angle, in parts of a turn.
#[derive(Clone, Copy, Debug)]
pub struct Roots {
    /// Angle of the next entry, in `denominator`-ths of a turn.
    numerator: u32,
    step: u32,
    /// A power of two, at least 8.
    denominator: u32,
    next: (f64, f64),
    root_of_step: (f64, f64),
    left: u32,
}

impl Roots {
    /// The roots of angles (`first` + i · `step`) / `denominator` of a turn, for i = 0, 1, ..
    /// `denominator` must be a power of two, 8 to 2^31.
    #[must_use]
    pub fn new(first: u64, step: u64, denominator: u32) -> Self {
        let step = (step % u64::from(denominator)) as u32;
        let roots = Self {
            numerator: 0,
            step,
            denominator,
            next: (1.0, 0.0),
            root_of_step: root(step, denominator),
            left: 0,
        };
        roots.from(first)
    }

    /// Continues with this step from another first angle, without a sine for the step.
    #[must_use]
    pub fn from(mut self, first: u64) -> Self {
        self.numerator = (first % u64::from(self.denominator)) as u32;
        self.left = 0;
        self
    }
}

impl Iterator for Roots {
    type Item = (f64, f64);

    fn next(&mut self) -> Option<(f64, f64)> {
        if self.left == 0 {
            self.next = root(self.numerator, self.denominator);
            self.left = RUN;
        }
        let now = self.next;
        self.next = product(now, self.root_of_step);
        self.left -= 1;
        self.numerator = (self.numerator + self.step) % self.denominator;
        Some(now)
    }
}

/// The root whose angle is the sum of both angles.
#[must_use]
pub fn product((c1, s1): (f64, f64), (c2, s2): (f64, f64)) -> (f64, f64) {
    (c1 * c2 - s1 * s2, s1 * c2 + c1 * s2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_agree_with_std_and_are_exact_at_quarters() {
        for denominator in [16, 32, 64, 256, 4096] {
            for numerator in 0..2 * denominator {
                let angle = TAU * f64::from(numerator % denominator) / f64::from(denominator);
                let (cos, sin) = root(numerator, denominator);
                assert!(
                    (cos - angle.cos()).abs() < 1e-15,
                    "cos {numerator}/{denominator}"
                );
                assert!(
                    (sin - angle.sin()).abs() < 1e-15,
                    "sin {numerator}/{denominator}"
                );
            }
            let quarter = denominator / 4;
            assert_eq!(root(0, denominator), (1.0, 0.0));
            assert_eq!(root(quarter, denominator), (0.0, 1.0));
            assert_eq!(root(2 * quarter, denominator), (-1.0, 0.0));
            assert_eq!(root(3 * quarter, denominator), (0.0, -1.0));
        }
    }

    #[test]
    fn runs_agree_with_single_roots() {
        for denominator in [16, 4096, 1 << 22] {
            for (first, step) in [
                (0, 0),
                (1, 3),
                (5, u64::from(denominator) / 4 + 1),
                (1 << 40, 77),
            ] {
                for (i, (cos, sin)) in (0..200).zip(Roots::new(first, step, denominator)) {
                    let angle = (first + i * step) % u64::from(denominator);
                    let (c, s) = root(angle as u32, denominator);
                    let error = (cos - c).abs().max((sin - s).abs());
                    assert!(
                        error < 2e-14,
                        "{first} + {i} * {step} of {denominator}: {error:e}"
                    );
                }
            }
        }
    }

    #[test]
    fn roots_of_two_angles_multiply_to_that_of_the_sum() {
        let (cos, sin) = product(root(3, 64), root(9, 64));
        let wanted = root(12, 64);
        assert!((cos - wanted.0).abs() < 1e-15 && (sin - wanted.1).abs() < 1e-15);
    }
}

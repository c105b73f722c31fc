//! Twiddles: cosines and sines from f64, each rounded once.

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
}

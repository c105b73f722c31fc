//! Windows of spectra: sums of cosines, Kaiser's, and what a spectrum has to know of any.
//!
//! All are in the periodic form that fits a transform: of N coefficients, number 0 stands at the
//! edge and number N/2 in the middle.

use signal::harmonics;

/// Bins from 0 on, to both sides, that a constant reaches in a window of so many cosines at the
/// most.
pub const REMOVED_BINS: usize = qpu::machine::LANES as usize;
/// Share of a window's power in other bins, at the most, with which these bins are all that it has.
const ELSEWHERE: f64 = 1e-12;
/// The greatest distance of a coefficient from its counterpart, as a share of the greatest.
const ASYMMETRY: f64 = 1e-9;

/// Coefficient `index` of 2^`log2_points` of the window a(0) - a(1) cos x + a(2) cos 2x ..
#[must_use]
pub fn cosines(terms: &[f64], index: u32, log2_points: u32) -> f64 {
    signal::cosines(terms, place(index, log2_points))
}

/// Coefficient `index` of 2^`log2_points` of Kaiser's window. The greater `beta`, 0 to 700, the
/// lower the side lobes and the wider the line: 0 is the rectangular window, 6 is like Hann's, 8.6
/// like Blackman's.
#[must_use]
pub fn kaiser(beta: f64, index: u32, log2_points: u32) -> f64 {
    signal::kaiser(beta, f64::EPSILON / 2.0)(place(index, log2_points))
}

/// The place of a coefficient, as a share of the window's length.
fn place(index: u32, log2_points: u32) -> f64 {
    libm::ldexp(f64::from(index), -(log2_points as i32))
}

/// Properties of a window that a spectrum needs beside its coefficients.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Shape {
    /// Sum of the coefficients: what a tone on a bin is multiplied by.
    pub sum: f64,
    /// W\[k\] / W\[0\] for k = 0.., W the window's transform.
    pub near: [f64; REMOVED_BINS],
    /// True if W is real: coefficient n is number N - n too.
    pub is_symmetric: bool,
    /// True if W\[k\] is 0 for all bins but those.
    pub is_narrow: bool,
}

impl Shape {
    /// The shape of a sum of cosines. One term is the rectangular window, whatever its height; so
    /// are none.
    #[must_use]
    pub fn of_terms(terms: &[f64], log2_points: u32) -> Self {
        let mean = match terms {
            [mean, _, ..] => *mean,
            _ => 1.0,
        };
        let near = core::array::from_fn(|k| match terms.get(k) {
            _ if k == 0 => 1.0,
            Some(term) if k % 2 == 0 => term / (2.0 * mean),
            Some(term) => -term / (2.0 * mean),
            None => 0.0,
        });
        Self {
            sum: libm::ldexp(mean, log2_points.min(64) as i32),
            near,
            is_symmetric: true,
            is_narrow: terms.len() <= REMOVED_BINS,
        }
    }

    /// The shape of `window`, which gives each of 2^`log2_points` coefficients, 2^31 at the most.
    #[must_use]
    pub fn of_coefficients(window: impl Fn(u32) -> f64, log2_points: u32) -> Self {
        let points = 1u32 << log2_points.min(31);
        let mut sums = [0.0; REMOVED_BINS];
        let (mut greatest, mut asymmetry, mut squares) = (0f64, 0f64, 0.0);
        for index in 0..points {
            let coefficient = window(index);
            for (sum, cos) in sums.iter_mut().zip(harmonics(place(index, log2_points))) {
                *sum += coefficient * cos;
            }
            squares += coefficient * coefficient;
            greatest = greatest.max(coefficient.abs());
            let counterpart = window((points - index) % points);
            asymmetry = asymmetry.max((coefficient - counterpart).abs());
        }
        // By Parseval, of as many bins as there are.
        let all = f64::from(points) * squares;
        let sides = 2.0 * sums[1..].iter().map(|sum| sum * sum).sum::<f64>();
        Self {
            sum: sums[0],
            near: sums.map(|sum| sum / sums[0]),
            is_symmetric: asymmetry <= ASYMMETRY * greatest,
            is_narrow: all - sums[0] * sums[0] - sides <= ELSEWHERE * all,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kaisers_window_is_one_in_the_middle_and_falls_to_both_edges() {
        for beta in [0.0, 6.0, 8.6, 20.0] {
            let at = |index| kaiser(beta, index, 6);
            assert_eq!(at(32), 1.0);
            for index in 1..32 {
                assert_eq!(at(index), at(64 - index));
                assert!(at(index) >= at(index - 1));
            }
        }
    }

    #[test]
    fn both_ways_to_a_shape_agree() {
        let terms = [0.358_75, 0.488_29, 0.141_28, 0.011_68];
        let of_terms = Shape::of_terms(&terms, 8);
        let summed = Shape::of_coefficients(|index| cosines(&terms, index, 8), 8);
        assert!((of_terms.sum - summed.sum).abs() < 1e-9 * summed.sum);
        for (a, b) in of_terms.near.iter().zip(summed.near) {
            assert!((a - b).abs() < 1e-12, "{a} {b}");
        }
        assert!(summed.is_symmetric && summed.is_narrow && of_terms.is_narrow);
        assert!(!Shape::of_coefficients(f64::from, 8).is_symmetric);
        let kaiser = Shape::of_coefficients(|index| kaiser(8.6, index, 8), 8);
        assert!(kaiser.is_symmetric && !kaiser.is_narrow);
    }
}

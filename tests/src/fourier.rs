//! The discrete Fourier transform in f64: the oracle of all tests.
//!
//! X\[k\] = Σ x\[n\] exp(-2πi nk/N), of the inverse with +2πi; neither is scaled. [`bin`] is the
//! definition, [`dft`] takes it for every bin, [`fft`] is held to it and as exact, in N log N
//! steps. Numbers are real and imaginary parts.

use std::f64::consts::TAU;

/// exp(-2πi `step`/`points`), of the inverse its conjugate.
fn root(step: usize, points: usize, is_inverse: bool) -> [f64; 2] {
    // Eighths are exact: sines and cosines are taken of angles up to an eighth of a turn.
    let eighths = 8 * (step % points);
    let (eighth, rest) = (eighths / points, eighths % points);
    let angle = |rest: usize| TAU / 8.0 * rest as f64 / points as f64;
    let (sin, cos) = match eighth % 2 {
        0 => angle(rest).sin_cos(),
        _ => {
            let (sin, cos) = angle(points - rest).sin_cos();
            (cos, sin)
        }
    };
    let (cos, sin) = match eighth / 2 {
        0 => (cos, sin),
        1 => (-sin, cos),
        2 => (-cos, -sin),
        _ => (sin, -cos),
    };
    [cos, if is_inverse { sin } else { -sin }]
}

fn product(x: [f64; 2], y: [f64; 2]) -> [f64; 2] {
    [x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]]
}

/// Bin `k`, by the definition.
#[must_use]
pub fn bin(x: &[[f64; 2]], k: usize, is_inverse: bool) -> [f64; 2] {
    let points = x.len();
    let terms = x.iter().enumerate();
    terms.fold([0.0; 2], |sum, (n, &z)| {
        let term = product(z, root(n * k % points, points, is_inverse));
        [sum[0] + term[0], sum[1] + term[1]]
    })
}

/// All bins, by the definition.
#[must_use]
pub fn dft(x: &[[f64; 2]], is_inverse: bool) -> Vec<[f64; 2]> {
    (0..x.len()).map(|k| bin(x, k, is_inverse)).collect()
}

/// All bins, by radix 2 as far as the number of points is even.
#[must_use]
pub fn fft(x: &[[f64; 2]], is_inverse: bool) -> Vec<[f64; 2]> {
    if !x.len().is_multiple_of(2) {
        return dft(x, is_inverse);
    }
    let [even, odd] = [0, 1].map(|first| {
        let half: Vec<_> = x.iter().skip(first).step_by(2).copied().collect();
        fft(&half, is_inverse)
    });
    let mut bins = vec![[0.0; 2]; x.len()];
    let (low, high) = bins.split_at_mut(x.len() / 2);
    for (k, (e, o)) in even.into_iter().zip(odd).enumerate() {
        let t = product(o, root(k, x.len(), is_inverse));
        low[k] = [e[0] + t[0], e[1] + t[1]];
        high[k] = [e[0] - t[0], e[1] - t[1]];
    }
    bins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_those_of_unity() {
        for points in [1, 2, 3, 5, 8, 12, 64] {
            for step in 0..2 * points {
                // An angle beyond a full turn would have lost the digits that are compared.
                let angle = TAU * (step % points) as f64 / points as f64;
                for is_inverse in [false, true] {
                    let [re, im] = root(step, points, is_inverse);
                    let wanted = if is_inverse {
                        angle.sin()
                    } else {
                        -angle.sin()
                    };
                    assert!((re - angle.cos()).abs() < 1e-15, "{step} of {points}");
                    assert!((im - wanted).abs() < 1e-15, "{step} of {points}");
                }
            }
        }
    }

    #[test]
    fn the_fast_one_is_the_definition() {
        for points in [1, 2, 4, 6, 64, 96] {
            let x: Vec<_> = (0..points)
                .map(|n| [(n * n % 7) as f64, (n % 5) as f64 - 2.0])
                .collect();
            for is_inverse in [false, true] {
                for (got, wanted) in fft(&x, is_inverse).iter().zip(dft(&x, is_inverse)) {
                    let difference = (got[0] - wanted[0]).hypot(got[1] - wanted[1]);
                    assert!(difference < 1e-11, "{points} points");
                }
            }
        }
    }

    #[test]
    fn an_impulse_is_flat_and_a_line_has_one_bin() {
        let mut impulse = vec![[0.0; 2]; 8];
        impulse[0] = [1.0, 0.0];
        assert!(dft(&impulse, false).iter().all(|&bin| bin == [1.0, 0.0]));
        let line: Vec<_> = (0..8).map(|n| root(3 * n, 8, true)).collect();
        for (k, bin) in dft(&line, false).into_iter().enumerate() {
            let wanted = if k == 3 { 8.0 } else { 0.0 };
            assert!((bin[0] - wanted).hypot(bin[1]) < 1e-14, "bin {k}");
        }
    }
}

//! What a spectrum has to be, in double precision.
//!
//! Windows are written out here once more, from their published coefficients, and the transform is
//! rustfft's: nothing of the firmware's arithmetic is used to judge it.

use rustfft::FftPlanner;
use rustfft::num_complex::Complex;
use std::f64::consts::TAU;
use wire::{Domain, Window};

/// Coefficient `i` of `n` of a window in its periodic form.
///
/// Sources: F. J. Harris, "On the use of windows for harmonic analysis with the DFT" (1978);
/// flat-top: G. D'Antona and A. Ferrero, "Digital signal processing for measurement systems" (2006).
pub fn window(window: Window, i: usize, n: usize) -> f64 {
    let terms: &[f64] = match window {
        Window::Rectangular => &[1.0],
        Window::Hann => &[0.5, 0.5],
        Window::Hamming => &[0.54, 0.46],
        Window::BlackmanHarris => &[0.35875, 0.48829, 0.14128, 0.01168],
        Window::FlatTop => &[
            0.215_578_95,
            0.416_631_58,
            0.277_263_158,
            0.083_578_947,
            0.006_947_368,
        ],
    };
    let phase = TAU * i as f64 / n as f64;
    let signed = |(k, a): (usize, &f64)| {
        let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
        sign * a * (k as f64 * phase).cos()
    };
    terms.iter().enumerate().map(signed).sum()
}

/// Mean power of the blocks of `n` samples that start every `n - overlap`, bin by bin.
///
/// A full-scale sine on a bin is 1.0. Real input gives bins 0 to n/2, one-sided; complex input
/// gives bins -n/2 to n/2 - 1.
pub fn power(
    samples: &[Complex<f64>],
    domain: Domain,
    kind: Window,
    n: usize,
    overlap: usize,
) -> Vec<f64> {
    let coefficients: Vec<f64> = (0..n).map(|i| window(kind, i, n)).collect();
    let sum: f64 = coefficients.iter().sum();
    let fft = FftPlanner::new().plan_fft_forward(n);
    let mut total = vec![0.0; n];
    let mut blocks = 0;
    let mut start = 0;
    while start + n <= samples.len() {
        let block = &samples[start..start + n];
        let windowed = block.iter().zip(&coefficients).map(|(x, w)| x * w);
        let mut bins: Vec<_> = windowed.collect();
        fft.process(&mut bins);
        for (total, bin) in total.iter_mut().zip(&bins) {
            *total += bin.norm_sqr() / (sum * sum);
        }
        blocks += 1;
        start += n - overlap;
    }
    assert!(blocks > 0, "{} samples are no block of {n}", samples.len());
    total
        .iter_mut()
        .for_each(|power| *power /= f64::from(blocks));
    match domain {
        Domain::Complex => {
            total.rotate_left(n / 2);
            total
        }
        Domain::Real => {
            total.truncate(n / 2 + 1);
            for (bin, power) in total.iter_mut().enumerate() {
                *power *= if bin == 0 || bin == n / 2 { 2.0 } else { 4.0 };
            }
            total
        }
    }
}

/// Power in decibels.
pub fn db(power: f64) -> f64 {
    10.0 * power.log10()
}

/// Root of the mean square difference, relative to the root of the mean square of `expected`.
pub fn relative_rms(actual: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(actual.len(), expected.len());
    let error = actual.iter().zip(expected).map(|(a, b)| (a - b).powi(2));
    let size = expected.iter().map(|b| b * b);
    (error.sum::<f64>() / size.sum::<f64>()).sqrt()
}

mod test {
    use super::*;

    const WINDOWS: &[Window] = Window::ALL;

    #[test]
    fn a_full_scale_sine_on_a_bin_is_one_in_every_window() {
        let n = 256;
        for &kind in WINDOWS {
            let angle = |i: usize| TAU * 40.0 * i as f64 / n as f64 + 0.3;
            let real = (0..n).map(|i| Complex::new(angle(i).cos(), 0.0));
            let real: Vec<_> = real.collect();
            let spectrum = power(&real, Domain::Real, kind, n, 0);
            assert!((spectrum[40] - 1.0).abs() < 1e-12, "{kind:?}");
            let complex: Vec<_> = (0..n).map(|i| Complex::cis(angle(i))).collect();
            let spectrum = power(&complex, Domain::Complex, kind, n, 0);
            assert!((spectrum[n / 2 + 40] - 1.0).abs() < 1e-12, "{kind:?}");
        }
    }

    #[test]
    fn a_constant_has_twice_the_power_of_a_sine() {
        let ones = vec![Complex::new(1.0, 0.0); 64];
        let spectrum = power(&ones, Domain::Real, Window::Hann, 64, 0);
        assert!((spectrum[0] - 2.0).abs() < 1e-12);
    }
}

//! The spectra that are expected, in double precision.
//!
//! Windows are written out here once more, from their published coefficients, and the transform is
//! rustfft's: nothing of the firmware's arithmetic is used to judge it.

use reference_fft::{Complex, Direction};
use std::f64::consts::TAU;
use wire::{Dc, Domain, Window};

/// Coefficient `i` of `n` of a window in its periodic form.
///
/// Sources: F. J. Harris, "On the use of windows for harmonic analysis with the DFT" (1978);
/// flat-top: G. D'Antona and A. Ferrero, "Digital signal processing for measurement systems"
/// (2006); Kaiser's: A. V. Oppenheim and R. W. Schafer, "Discrete-time signal processing" (1989).
pub fn window(window: Window, i: usize, n: usize) -> f64 {
    let terms: &[f64] = match window {
        Window::Kaiser(beta) => {
            let beta = f64::from(beta.milli()) / 1000.0;
            let x = 2.0 * i as f64 / n as f64 - 1.0;
            return bessel_i0(beta * (1.0 - x * x).sqrt()) / bessel_i0(beta);
        }
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

/// I0 by its integral, the mean of exp(x cos t): the sum of points of a period converges like no
/// power of their number.
fn bessel_i0(x: f64) -> f64 {
    const POINTS: u32 = 128;
    let angles = (0..POINTS).map(|k| TAU * f64::from(k) / f64::from(POINTS));
    angles.map(|t| (x * t.cos()).exp()).sum::<f64>() / f64::from(POINTS)
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
    let blocks = powers(samples, domain, kind, n, overlap, Dc::Keep);
    let mean = |bin: usize| blocks.iter().map(|block| block[bin]).sum::<f64>();
    let count = blocks.len() as f64;
    (0..blocks[0].len()).map(|bin| mean(bin) / count).collect()
}

/// The power of each block, as [`power`] has their mean; with [`Dc::Remove`] without its own mean,
/// as the window weighs it.
pub fn powers(
    samples: &[Complex<f64>],
    domain: Domain,
    kind: Window,
    n: usize,
    overlap: usize,
    dc: Dc,
) -> Vec<Vec<f64>> {
    let coefficients: Vec<f64> = (0..n).map(|i| window(kind, i, n)).collect();
    let sum: f64 = coefficients.iter().sum();
    let fft = reference_fft::plan(n, Direction::Forward);
    let starts = (0..).step_by(n - overlap);
    let starts = starts.take_while(|start| start + n <= samples.len());
    let blocks = starts.map(|start| {
        let block = || samples[start..start + n].iter().zip(&coefficients);
        let mean = match dc {
            Dc::Keep => Complex::ZERO,
            Dc::Remove => block().map(|(x, w)| x * w).sum::<Complex<f64>>() / sum,
        };
        let mut bins: Vec<_> = block().map(|(x, w)| (x - mean) * w).collect();
        fft.process(&mut bins);
        let mut power: Vec<_> = bins
            .iter()
            .map(|bin| bin.norm_sqr() / (sum * sum))
            .collect();
        match domain {
            Domain::Complex => power.rotate_left(n / 2),
            Domain::Real => {
                power.truncate(n / 2 + 1);
                for (bin, power) in power.iter_mut().enumerate() {
                    *power *= if bin == 0 || bin == n / 2 { 2.0 } else { 4.0 };
                }
            }
        }
        power
    });
    let blocks: Vec<_> = blocks.collect();
    assert!(
        !blocks.is_empty(),
        "{} samples are no block of {n}",
        samples.len()
    );
    blocks
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

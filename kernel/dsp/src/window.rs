//! Windows: sums of cosines and Kaiser's, in the periodic form that fits a transform.
//!
//! For a sum of cosines w(i) = sum of (-1)^k a(k) cos(2 pi k i / N) over one period, the mean of w is a(0) and the
//! mean of its square a(0)^2 plus half the sum of the other squares, exactly, as long as N is more
//! than twice the highest k; so coherent gain and noise bandwidth need no sums over N. Kaiser's window is
//! summed up: at few points its gain is not that of the function that it samples.
//!
//! Coefficients: F. J. Harris, "On the use of windows for harmonic analysis with the discrete
//! Fourier transform", Proc. IEEE 66 (1978); flat-top: G. Heinzel et al., "Spectrum and spectral
//! density estimation by the DFT" (2002), the five-term SR785 window scaled to a maximum of 1. Kaiser's:
//! J. F. Kaiser and R. W. Schafer, "On the use of the I0-sinh window for spectrum analysis", IEEE
//! Trans. ASSP 28 (1980).

use core::f64::consts::TAU;

use crate::Float;

/// Terms of the series of I0 at the most.
const MOST_TERMS: u32 = 120;

/// A window.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Window {
    /// All ones.
    Rectangular,
    /// 0.5, 0.5.
    #[default]
    Hann,
    /// 0.54, 0.46.
    Hamming,
    /// The four-term Blackman-Harris window, side lobes at -92 dB.
    BlackmanHarris,
    /// Five terms; between two bins it reads less than 0.01 dB low.
    FlatTop,
    /// Kaiser's: the greater β, the lower the side lobes and the wider the line. 0 is the
    /// rectangular window.
    Kaiser {
        /// β in thousandths.
        beta_milli: u16,
    },
}

/// What levels have to know of a window.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Gain {
    /// Mean of the coefficients: what a tone on a bin is multiplied with.
    pub coherent: f64,
    /// Equivalent noise bandwidth in bins: the width of a rectangular filter that passes as much
    /// white noise, at the gain of a tone.
    pub enbw_bins: f64,
}

impl Window {
    /// Every window, Kaiser's with a β of 8.6.
    pub const ALL: [Self; 6] = [
        Self::Rectangular,
        Self::Hann,
        Self::Hamming,
        Self::BlackmanHarris,
        Self::FlatTop,
        Self::Kaiser { beta_milli: 8_600 },
    ];

    /// a(0), a(1), ... with the alternating signs left out; `None` of Kaiser's window, which is no
    /// sum of few cosines.
    #[must_use]
    pub const fn terms(self) -> Option<&'static [f64]> {
        Some(match self {
            Self::Kaiser { .. } => return None,
            Self::Rectangular => &[1.0],
            Self::Hann => &[0.5, 0.5],
            Self::Hamming => &[0.54, 0.46],
            Self::BlackmanHarris => &[0.35875, 0.48829, 0.14128, 0.01168],
            Self::FlatTop => &[
                0.215_578_95,
                0.416_631_58,
                0.277_263_158,
                0.083_578_947,
                0.006_947_368,
            ],
        })
    }

    /// Coefficient `index` of a window of `n` points.
    #[must_use]
    pub fn coefficient(self, index: usize, n: usize) -> f64 {
        self.coefficients(n)(index)
    }

    /// The coefficients of a window of `n` points, by index.
    fn coefficients(self, n: usize) -> impl Fn(usize) -> f64 {
        let beta = match self {
            Self::Kaiser { beta_milli } => f64::from(beta_milli) / 1000.0,
            _ => 0.0,
        };
        let middle = bessel_i0(beta);
        move |index| match self.terms() {
            Some(terms) => cosines(terms, index, n),
            None => {
                let x = 2.0 * (index % n) as f64 / n as f64 - 1.0;
                bessel_i0(beta * libm::sqrt((1.0 - x * x).max(0.0))) / middle
            }
        }
    }

    /// Fills `table` with a window of its length.
    pub fn fill<T: Float>(self, table: &mut [T]) {
        let n = table.len();
        let coefficient = self.coefficients(n);
        for index in 0..=n / 2 {
            let value = T::from_f64(coefficient(index));
            for place in [index, n - index] {
                if let Some(entry) = table.get_mut(place) {
                    *entry = value;
                }
            }
        }
    }

    /// Gain and noise bandwidth; `table` is as [`Window::fill`] filled it.
    #[must_use]
    pub fn gain<T: Float>(self, table: &[T]) -> Gain {
        let n = table.len() as f64;
        let (mean, mean_square) = match self.terms() {
            Some(terms) => {
                let others: f64 = terms[1..].iter().map(|term| term * term).sum();
                (terms[0], terms[0] * terms[0] + others / 2.0)
            }
            None => {
                let add = |(sum, squares): (f64, f64), w: &T| {
                    let w = w.to_f64();
                    (sum + w, squares + w * w)
                };
                let (sum, squares) = table.iter().fold((0.0, 0.0), add);
                (sum / n, squares / n)
            }
        };
        Gain {
            coherent: mean,
            enbw_bins: mean_square / (mean * mean),
        }
    }
}

/// Coefficient `index` of `n` of a sum of cosines.
fn cosines(terms: &[f64], index: usize, n: usize) -> f64 {
    let cos = libm::cos(TAU * (index % n) as f64 / n as f64);
    // cos(k x) from cos(x) by Chebyshev's recurrence; four steps lose nothing that f32 keeps.
    let (mut before, mut now, mut sign) = (cos, 1.0, 1.0);
    let mut sum = 0.0;
    for term in terms {
        sum += sign * term * now;
        (before, now) = (now, 2.0 * cos * now - before);
        sign = -sign;
    }
    sum
}

/// The modified Bessel function of the first kind and order 0, by its power series; for x up to 66,
/// beyond every β.
fn bessel_i0(x: f64) -> f64 {
    let quarter = x * x / 4.0;
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..=MOST_TERMS {
        let k = f64::from(k);
        term *= quarter / (k * k);
        sum += term;
        // f32 keeps 24 bits of it.
        if term < sum * 1e-12 {
            break;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gain_and_bandwidth_are_those_of_the_coefficients() {
        for window in Window::ALL {
            for n in [16, 1024] {
                let mut table = vec![f64::NAN; n];
                window.fill(&mut table);
                let sum: f64 = table.iter().sum();
                let squares: f64 = table.iter().map(|w| w * w).sum();
                let coherent = sum / n as f64;
                let enbw = n as f64 * squares / (sum * sum);
                let gain = window.gain(&table);
                assert!((coherent - gain.coherent).abs() < 1e-12, "{window:?}");
                assert!((enbw - gain.enbw_bins).abs() < 1e-12, "{window:?}");
            }
        }
    }

    #[test]
    fn bandwidths_are_those_in_the_literature() {
        // The last by integrals of the function that Kaiser's window samples.
        let enbw = [1.0, 1.5, 1.3628, 2.0044, 3.7702, 1.7214];
        for (window, enbw) in Window::ALL.into_iter().zip(enbw) {
            let mut table = vec![0f64; 4096];
            window.fill(&mut table);
            let found = window.gain(&table).enbw_bins;
            assert!((found - enbw).abs() < 1e-4, "{window:?}: {found}");
        }
    }

    #[test]
    fn windows_are_periodic_and_peak_in_the_middle() {
        for window in Window::ALL {
            let n = 64;
            for index in 1..n {
                let mirrored = window.coefficient(n - index, n);
                assert!((window.coefficient(index, n) - mirrored).abs() < 1e-14);
            }
            assert!(
                (window.coefficient(n / 2, n) - 1.0).abs() < 1e-8,
                "{window:?}"
            );
        }
        assert_eq!(Window::Hann.coefficient(0, 16), 0.0);
    }

    #[test]
    fn kaisers_window_is_that_of_tables() {
        // I0 by Abramowitz and Stegun, tables 9.8 and 9.11: at the edge a window is 1 / I0(beta).
        for (beta_milli, i0) in [
            (0, 1.0),
            (1_000, 1.266_065_878),
            (5_000, 27.239_871_82),
            (10_000, 2_815.716_628),
        ] {
            let edge = Window::Kaiser { beta_milli }.coefficient(0, 64);
            assert!((edge * i0 - 1.0).abs() < 1e-9, "{beta_milli}: {edge}");
        }
        // At half of the way I0(8.6 sqrt(3/4)) / I0(8.6), by the series in 30 digits.
        let half = Window::ALL[5].coefficient(16, 64);
        assert!((half - 0.340393622440).abs() < 1e-11, "{half}");
    }
}

//! Windows: sums of cosines, in the periodic form that fits a transform.
//!
//! For w(i) = sum of (-1)^k a(k) cos(2 pi k i / N) over one period, the mean of w is a(0) and the
//! mean of its square a(0)^2 plus half the sum of the other squares, exactly, as long as N is more
//! than twice the highest k; so coherent gain and noise bandwidth need no sums over N.
//!
//! Coefficients: F. J. Harris, "On the use of windows for harmonic analysis with the discrete
//! Fourier transform", Proc. IEEE 66 (1978); flat-top: G. Heinzel et al., "Spectrum and spectral
//! density estimation by the DFT" (2002), the five-term SR785 window scaled to a maximum of 1.

use core::f64::consts::TAU;

use crate::Float;

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
}

impl Window {
    /// Every window.
    pub const ALL: [Self; 5] = [
        Self::Rectangular,
        Self::Hann,
        Self::Hamming,
        Self::BlackmanHarris,
        Self::FlatTop,
    ];

    /// a(0), a(1), ... with the alternating signs left out.
    #[must_use]
    pub const fn terms(self) -> &'static [f64] {
        match self {
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
        }
    }

    /// Coefficient `index` of a window of `n` points.
    #[must_use]
    pub fn coefficient(self, index: usize, n: usize) -> f64 {
        let cos = libm::cos(TAU * (index % n) as f64 / n as f64);
        // cos(k x) from cos(x) by Chebyshev's recurrence; four steps lose nothing that f32 keeps.
        let (mut before, mut now, mut sign) = (cos, 1.0, 1.0);
        let mut sum = 0.0;
        for term in self.terms() {
            sum += sign * term * now;
            (before, now) = (now, 2.0 * cos * now - before);
            sign = -sign;
        }
        sum
    }

    /// Fills `table` with a window of its length.
    pub fn fill<T: Float>(self, table: &mut [T]) {
        let n = table.len();
        for index in 0..=n / 2 {
            let value = T::from_f64(self.coefficient(index, n));
            for place in [index, n - index] {
                if let Some(entry) = table.get_mut(place) {
                    *entry = value;
                }
            }
        }
    }

    /// Mean of the coefficients: what a tone on a bin is multiplied with.
    #[must_use]
    pub const fn coherent_gain(self) -> f64 {
        self.terms()[0]
    }

    /// Equivalent noise bandwidth in bins: the width of a rectangular filter that passes as much
    /// white noise, at the gain of a tone.
    #[must_use]
    pub fn enbw_bins(self) -> f64 {
        let terms = self.terms();
        let others: f64 = terms[1..].iter().map(|term| term * term).sum();
        1.0 + others / 2.0 / (terms[0] * terms[0])
    }
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
                let gain = sum / n as f64;
                let enbw = n as f64 * squares / (sum * sum);
                assert!((gain - window.coherent_gain()).abs() < 1e-12, "{window:?}");
                assert!((enbw - window.enbw_bins()).abs() < 1e-12, "{window:?}");
            }
        }
    }

    #[test]
    fn bandwidths_are_those_in_the_literature() {
        let enbw = [1.0, 1.5, 1.3628, 2.0044, 3.7702];
        for (window, enbw) in Window::ALL.into_iter().zip(enbw) {
            assert!((window.enbw_bins() - enbw).abs() < 1e-4, "{window:?}");
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
}

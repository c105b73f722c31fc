//! Coefficients, coherent gain and noise bandwidth of windows.
//!
//! For a sum of cosines w(i) = sum of (-1)^k a(k) cos(2πki / N) over one period, the mean of w is
//! a(0) and the mean of its square a(0)^2 plus half the sum of the other squares, exactly, as long
//! as N is more than twice the highest k; so coherent gain and noise bandwidth need no sums over N.
//! Kaiser's window is summed up: at few points its gain is not that of the function that it
//! samples.
//!
//! Source of Kaiser's: J. F. Kaiser and R. W. Schafer, "On the use of the I0-sinh window for
//! spectrum analysis", IEEE Trans. ASSP 28 (1980).

use core::f64::consts::TAU;

use super::Window;

/// The most terms of the series of I0: any argument up to 700 needs fewer.
const MOST_TERMS: u32 = 1000;
/// The share of I0 that a term of its series adds at the least: tables are f32, which keeps 24
/// bits.
const NEGLIGIBLE: f64 = 1e-12;

/// The properties of a window that levels depend on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Gain {
    /// Mean of the coefficients: a tone on a bin is multiplied by it.
    pub coherent: f64,
    /// Equivalent noise bandwidth in bins: the width of a rectangular filter that passes as much
    /// white noise, at the gain of a tone.
    pub enbw_bins: f64,
}

impl Window {
    /// Coefficient `index` of a window of `n` points.
    #[must_use]
    pub fn coefficient(self, index: usize, n: usize) -> f64 {
        self.function()((index % n) as f64 / n as f64)
    }

    /// The window as a function of the place in it: 0 is the edge, 1/2 the middle.
    fn function(self) -> impl Fn(f64) -> f64 {
        let kaiser = kaiser(self.beta().value(), NEGLIGIBLE);
        move |place| match self.terms() {
            Some(terms) => cosines(terms, place),
            None => kaiser(place),
        }
    }

    /// Fills `table` with a window of its length.
    pub fn fill(self, table: &mut [f32]) {
        let n = table.len();
        let coefficient = self.function();
        for index in 0..=n / 2 {
            let value = coefficient(index as f64 / n as f64) as f32;
            for place in [index, n - index] {
                if let Some(entry) = table.get_mut(place) {
                    *entry = value;
                }
            }
        }
    }

    /// Gain and noise bandwidth; `table` has the coefficients.
    #[must_use]
    pub fn gain<T: Copy + Into<f64>>(self, table: &[T]) -> Gain {
        let n = table.len() as f64;
        let (mean, mean_square) = match self.terms() {
            Some(terms) => {
                let others: f64 = terms[1..].iter().map(|term| term * term).sum();
                (terms[0], terms[0] * terms[0] + others / 2.0)
            }
            None => {
                let add = |(sum, squares): (f64, f64), w: &T| {
                    let w: f64 = (*w).into();
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

/// The window a(0) - a(1) cos 2πx + a(2) cos 4πx .. at `place` x.
#[must_use]
pub fn cosines(terms: &[f64], place: f64) -> f64 {
    let (mut sum, mut sign) = (0.0, 1.0);
    for (term, cos) in terms.iter().zip(harmonics(place)) {
        sum += sign * term * cos;
        sign = -sign;
    }
    sum
}

/// cos 2πkx for k = 0, 1, .., by Chebyshev's recurrence; a few steps lose nothing that f32 keeps.
pub fn harmonics(place: f64) -> impl Iterator<Item = f64> {
    let cos = libm::cos(TAU * place);
    let mut next = (cos, 1.0);
    core::iter::repeat_with(move || {
        let (before, now) = next;
        next = (now, 2.0 * cos * now - before);
        now
    })
}

/// Kaiser's window as a function of the place in it, for `beta` from 0 to 700. The greater `beta`,
/// the lower the side lobes and the wider the line. Its series ends with a term below the share
/// `negligible` of the sum.
pub fn kaiser(beta: f64, negligible: f64) -> impl Fn(f64) -> f64 {
    let middle = bessel_i0(beta, negligible);
    move |place| {
        let x = 2.0 * place - 1.0;
        bessel_i0(beta * libm::sqrt((1.0 - x * x).max(0.0)), negligible) / middle
    }
}

/// The modified Bessel function of the first kind and order 0, by its power series, until a term is
/// less than the share `negligible` of the sum.
fn bessel_i0(x: f64, negligible: f64) -> f64 {
    let quarter = x * x / 4.0;
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..MOST_TERMS {
        let k = f64::from(k);
        term *= quarter / (k * k);
        sum += term;
        if term < sum * negligible {
            break;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Beta;

    fn table(window: Window, n: usize) -> Vec<f64> {
        (0..n).map(|index| window.coefficient(index, n)).collect()
    }

    #[test]
    fn gain_and_bandwidth_are_those_of_the_coefficients() {
        for window in Window::ALL {
            for n in [16, 1024] {
                let table = table(window, n);
                let sum: f64 = table.iter().sum();
                let squares: f64 = table.iter().map(|w| w * w).sum();
                let coherent = sum / n as f64;
                let enbw = n as f64 * squares / (sum * sum);
                let gain = window.gain(&table);
                assert!((coherent - gain.coherent).abs() < 1e-12, "{window:?}");
                assert!((enbw - gain.enbw_bins).abs() < 1e-12, "{window:?}");
                let mut filled = vec![f32::NAN; n];
                window.fill(&mut filled);
                let nearest: Vec<_> = table.iter().map(|w| *w as f32).collect();
                assert_eq!(filled, nearest, "{window:?}");
            }
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
        for (milli, i0) in [
            (0, 1.0),
            (1_000, 1.266_065_878),
            (5_000, 27.239_871_82),
            (10_000, 2_815.716_628),
        ] {
            let beta = Beta::from_milli(milli).unwrap();
            let edge = Window::Kaiser(beta).coefficient(0, 64);
            assert!((edge * i0 - 1.0).abs() < 1e-9, "{milli}: {edge}");
            let exact = bessel_i0(beta.value(), f64::EPSILON / 2.0);
            assert!((exact / i0 - 1.0).abs() < 1e-9, "{milli}: {exact}");
        }
        // At half of the way I0(8.6 sqrt(3/4)) / I0(8.6), by the series in 30 digits.
        let half = Window::Kaiser(Beta::DEFAULT).coefficient(16, 64);
        assert!((half - 0.340393622440).abs() < 1e-11, "{half}");
    }

    #[test]
    fn the_series_of_i0_ends_for_any_argument() {
        let i0 = |x| bessel_i0(x, f64::EPSILON / 2.0);
        assert!(i0(f64::NAN).is_nan() && i0(f64::INFINITY).is_infinite());
        assert!(i0(700.0).is_finite());
    }
}

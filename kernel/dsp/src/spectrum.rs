//! From transforms to power spectra: scaling, one-sided or two-sided order, linear averaging.
//!
//! A full-scale sine on a bin (real: amplitude 1; complex: magnitude 1) has power 1 in every
//! window: |X|^2 is divided by the square of the window's sum, and a real spectrum carries the
//! power of both halves, relative to that of the sine, 1/2.

use crate::{Complex, Window};

/// Whether samples were real or complex.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Domain {
    /// Bins 0 to N/2.
    #[default]
    Real,
    /// Bins -N/2 to N/2 - 1.
    Complex,
}

impl Domain {
    /// Bins of a spectrum of `n` points.
    #[must_use]
    pub const fn bins(self, n: usize) -> usize {
        match self {
            Self::Real => n / 2 + 1,
            Self::Complex => n,
        }
    }

    /// Number of the first bin of a spectrum of `n` points.
    #[must_use]
    pub const fn first_bin(self, n: usize) -> i32 {
        match self {
            Self::Real => 0,
            Self::Complex => -((n / 2) as i32),
        }
    }
}

/// Adds |X|^2 of the transform `data` to `sums`, which has [`Domain::bins`] entries in order of
/// frequency. Sums are of double precision, so that long averages lose nothing.
pub fn accumulate(domain: Domain, data: &[Complex<f32>], sums: &mut [f64]) {
    let half = data.len() / 2;
    let add = |sums: &mut [f64], data: &[Complex<f32>]| {
        for (sum, value) in sums.iter_mut().zip(data) {
            let (re, im) = (f64::from(value.re), f64::from(value.im));
            *sum += re * re + im * im;
        }
    };
    match domain {
        Domain::Real => add(sums, data),
        Domain::Complex => {
            let (negative, positive) = sums.split_at_mut(half);
            add(negative, &data[half..]);
            add(positive, &data[..half]);
        }
    }
}

/// Turns sums over `blocks` blocks of `n` points into mean powers.
pub fn mean_power(
    domain: Domain,
    window: Window,
    n: usize,
    blocks: u32,
    sums: &[f64],
    power: &mut [f32],
) {
    let window_sum = window.coherent_gain() * n as f64;
    let two_sided = 1.0 / (window_sum * window_sum * f64::from(blocks.max(1)));
    for (bin, (power, sum)) in power.iter_mut().zip(sums).enumerate() {
        let sides = match domain {
            Domain::Complex => 1.0,
            Domain::Real if bin == 0 || bin == n / 2 => 2.0,
            Domain::Real => 4.0,
        };
        *power = (sides * two_sided * sum) as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dft::{naive, root_of_unity};
    use crate::{Direction, level};

    fn levels(domain: Domain, window: Window, samples: &[Complex<f32>]) -> Vec<f64> {
        let n = samples.len();
        let mut table = vec![0f32; n];
        window.fill(&mut table);
        let block: Vec<_> = samples
            .iter()
            .zip(&table)
            .map(|(sample, w)| sample.scale(*w))
            .collect();
        let mut bins = vec![Complex::ZERO; n];
        naive(Direction::Forward, &block, &mut bins);
        let bins: Vec<_> = bins
            .iter()
            .map(|z| Complex::new(z.re as f32, z.im as f32))
            .collect();
        let mut sums = vec![0.0; domain.bins(n)];
        let mut power = vec![0.0; domain.bins(n)];
        for _ in 0..3 {
            accumulate(domain, &bins, &mut sums);
        }
        mean_power(domain, window, n, 3, &sums, &mut power);
        power.iter().map(|power| level::decibels(*power)).collect()
    }

    #[test]
    fn a_full_scale_sine_on_a_bin_reads_zero_in_every_window() {
        for window in Window::ALL {
            for bin in [5usize, 9, 27] {
                let tone: Vec<_> = (0..64)
                    .map(|i| root_of_unity((i * bin) as u64, 64).conj())
                    .map(|z| Complex::new(z.re as f32, z.im as f32))
                    .collect();
                let level = levels(Domain::Complex, window, &tone)[32 + bin];
                assert!(level.abs() < 0.0005, "{window:?} {bin} {level}");
                let real: Vec<_> = tone.iter().map(|z| Complex::new(z.re, 0.0)).collect();
                let level = levels(Domain::Real, window, &real)[bin];
                assert!(level.abs() < 0.0005, "{window:?} {bin} {level}");
            }
        }
    }

    #[test]
    fn negative_frequencies_come_first() {
        let tone: Vec<_> = (0..16)
            .map(|i| root_of_unity(3 * i, 16))
            .map(|z| Complex::new(z.re as f32, z.im as f32))
            .collect();
        let levels = levels(Domain::Complex, Window::Rectangular, &tone);
        assert!(levels[8 - 3].abs() < 0.0005);
        assert!(levels[8 + 3] < -100.0);
    }

    #[test]
    fn a_constant_has_twice_the_power_of_a_sine() {
        let ones = [Complex::new(1.0, 0.0); 32];
        let level = levels(Domain::Real, Window::Hann, &ones)[0];
        assert!((level - 3.0103).abs() < 0.0005, "{level}");
        let alternating: Vec<_> = (0..32)
            .map(|i| Complex::new(if i % 2 == 0 { 1.0 } else { -1.0 }, 0.0))
            .collect();
        let level = levels(Domain::Real, Window::Hann, &alternating)[16];
        assert!((level - 3.0103).abs() < 0.0005, "{level}");
    }
}

//! The strongest lines of a spectrum.
//!
//! A line is a bin above all bins within the window's main lobe that also stands clear of the
//! median around it; a slope, however high, is no line. Where nothing does, because the strongest
//! signal is wider than its surroundings, the highest bin counts if it is clear of the median of
//! all. Real spectra have no line at zero: what stands there is the mean. Its frequency and level
//! are interpolated between bins.

mod peak;

use crate::spectrum::{Spectrum, decibels};

/// The least distance of a line above the median of its surroundings, in dB.
const PROMINENCE_DB: f64 = 10.0;

/// The share of a bin to which the frequency of a line is known, and shown.
pub const PRECISION_BINS: f64 = 0.1;

/// Bins on each side that make its surroundings.
const SURROUNDINGS: usize = 32;

/// A line, as JSON and the table show it.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct Line {
    /// Number of the bin.
    pub bin: i64,
    /// Frequency of the line between bins, in hertz.
    pub frequency: f64,
    /// One over that, in seconds; none at frequency 0, and none where a centre frequency is set.
    pub period: Option<f64>,
    /// Level of the line, in dB of the spectrum's unit.
    pub level: f64,
    /// Middle of the bin, in hertz.
    pub bin_frequency: f64,
    /// Level of the bin, in dB of the spectrum's unit.
    pub bin_level: f64,
}

/// Up to `count` lines, strongest first.
#[must_use]
pub fn strongest(spectrum: &Spectrum, count: usize) -> Vec<Line> {
    // A bin that was lost is below everything.
    let known = |&power: &f64| if power.is_nan() { -1.0 } else { power };
    let power: Vec<f64> = spectrum.power.iter().map(known).collect();
    let power = &power[..];
    let lobe = spectrum.window.main_lobe();
    let maxima: Vec<usize> = (0..power.len())
        .filter(|&at| power[at] >= 0.0)
        .filter(|&at| spectrum.complex || spectrum.bin(at) > lobe as i64 - 1)
        .filter(|&at| {
            let near = &power[at.saturating_sub(lobe)..power.len().min(at + lobe + 1)];
            let strictly_left = power[at.saturating_sub(lobe)..at]
                .iter()
                .all(|&p| p < power[at]);
            strictly_left && near.iter().all(|&p| p <= power[at])
        })
        .collect();
    let mut found: Vec<usize> = maxima
        .iter()
        .copied()
        .filter(|&at| {
            decibels(power[at]) - median_db(power, at, SURROUNDINGS, lobe) >= PROMINENCE_DB
        })
        .collect();
    if found.is_empty() {
        let highest = maxima
            .into_iter()
            .max_by(|&a, &b| power[a].total_cmp(&power[b]));
        found.extend(highest.filter(|&at| {
            decibels(power[at]) - median_db(power, at, power.len(), lobe) >= PROMINENCE_DB
        }));
    }
    found.sort_by(|&a, &b| power[b].total_cmp(&power[a]));
    found.truncate(count);
    found
        .into_iter()
        .map(|at| line(spectrum, at, median_db(power, at, SURROUNDINGS, lobe)))
        .collect()
}

/// The line that stands in the bin at `at`.
fn line(spectrum: &Spectrum, at: usize, around_db: f64) -> Line {
    let peak = peak::interpolate(spectrum, at, 10_f64.powf(around_db / 10.0));
    let bin_frequency = spectrum.frequency_hz(at);
    let frequency = bin_frequency + peak.offset * spectrum.bin_hz();
    let has_period = frequency != 0.0 && spectrum.centre_hz == 0.0;
    Line {
        bin: spectrum.bin(at),
        frequency,
        period: has_period.then(|| (1.0 / frequency).abs()),
        level: peak.level_db,
        bin_frequency,
        bin_level: spectrum.level_db(at),
    }
}

/// Median level of the bins up to `reach` from `at`, without those of its main lobe.
fn median_db(power: &[f64], at: usize, reach: usize, lobe: usize) -> f64 {
    let from = at.saturating_sub(reach);
    let to = power.len().min(at + reach + 1);
    let mut around: Vec<f64> = (from..to)
        .filter(|&other| other.abs_diff(at) > lobe)
        .map(|other| power[other])
        .filter(|&power| power >= 0.0)
        .collect();
    if around.is_empty() {
        return -300.0;
    }
    let middle = around.len() / 2;
    decibels(*around.select_nth_unstable_by(middle, f64::total_cmp).1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectrum::tests::example;

    #[test]
    fn lines_come_strongest_first_and_once_each() {
        let mut spectrum = example(1024, false);
        spectrum.power.fill(1e-9);
        spectrum.power[0] = 1.0;
        spectrum.power[1] = 0.5;
        for (at, power) in [
            (100, 0.01),
            (101, 0.04),
            (102, 0.01),
            (300, 0.25),
            (400, 2e-9),
        ] {
            spectrum.power[at] = power;
        }
        let lines = strongest(&spectrum, 5);
        let bins: Vec<i64> = lines.iter().map(|line| line.bin).collect();
        assert_eq!(bins, [300, 101], "the mean and a ripple are no lines");
        assert_eq!(lines[0].bin_frequency, 300.0 * 48_000.0 / 1024.0);
        assert!((lines[0].bin_level + 6.0206).abs() < 1e-3);
        assert_eq!(strongest(&spectrum, 1).len(), 1);
    }

    #[test]
    fn a_signal_wider_than_its_surroundings_is_its_highest_bin() {
        let mut spectrum = example(8192, false);
        for (k, power) in spectrum.power.iter_mut().enumerate() {
            *power = 1e-6 * (-((k as f64 - 2000.0) / 150.0).powi(2)).exp() + 1e-9;
        }
        let bins: Vec<i64> = strongest(&spectrum, 5)
            .iter()
            .map(|line| line.bin)
            .collect();
        assert_eq!(bins, [2000]);
    }

    #[test]
    fn flat_and_short_spectra_have_none() {
        let mut spectrum = example(16, true);
        spectrum.power.fill(1e-3);
        assert!(strongest(&spectrum, 5).is_empty());
        spectrum.power.clear();
        assert!(strongest(&spectrum, 5).is_empty());
    }
}

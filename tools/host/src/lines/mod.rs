//! The strongest lines of a spectrum.
//!
//! A line is a bin above all bins within the window's main lobe that also stands clear of the
//! median around it; a slope, however high, is no line. Where nothing does, because the strongest
//! signal is wider than its surroundings, the highest bin counts if it is clear of the median of
//! all. Real spectra have no line at zero: what stands there is the mean. Its frequency and level
//! are interpolated between bins.

use view::peaks::{self, Bins, Peak};

use crate::spectrum::Spectrum;

/// The share of a bin to which the frequency of a line is known, and shown.
pub const PRECISION_BINS: f64 = 0.1;

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
    let bins = Bins {
        power: &spectrum.power,
        first_bin: spectrum.first_bin,
        n: spectrum.n,
        is_complex: spectrum.complex,
        window: spectrum.window,
    };
    peaks::strongest(&bins, count)
        .into_iter()
        .map(|peak| line(spectrum, &peak))
        .collect()
}

/// A peak with its frequencies.
fn line(spectrum: &Spectrum, peak: &Peak) -> Line {
    let at = peak.index;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::example;

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

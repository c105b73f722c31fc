//! The strongest peaks of a spectrum.
//!
//! A peak is a bin above all bins within the window's main lobe that also stands clear of the
//! median around it; a slope, however high, is no peak. Where nothing does, because the strongest
//! signal is wider than its surroundings, the highest bin counts if it is clear of the median of
//! all. Real spectra have no peak at zero: what stands there is the mean. Frequency and level are
//! interpolated between bins.

mod interpolate;

use signal::Window;

use crate::levels::decibels;

/// The least distance of a peak above the median of its surroundings, in dB.
const PROMINENCE_DB: f64 = 10.0;

/// Bins on each side that make its surroundings.
const SURROUNDINGS: usize = 32;

/// The level of nothing, in dB.
const NOTHING_DB: f64 = -300.0;

/// The powers of neighbouring bins, and where they stand.
#[derive(Clone, Copy, Debug)]
pub struct Bins<'a> {
    /// Linear power of each bin, ascending in frequency; NaN where it was lost.
    pub power: &'a [f64],
    /// Bin number of `power[0]`; negative below the centre of a complex spectrum.
    pub first_bin: i64,
    /// Points of the transform.
    pub n: u32,
    /// True if the samples were complex.
    pub is_complex: bool,
    /// The window.
    pub window: Window,
}

impl Bins<'_> {
    /// Number of the bin at `index`.
    #[must_use]
    pub const fn bin(&self, index: usize) -> i64 {
        self.first_bin + index as i64
    }
}

/// A peak between bins.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Peak {
    /// Index of the bin in which it stands.
    pub index: usize,
    /// Bins from the middle of that bin.
    pub offset: f64,
    /// Its level in dB, corrected by the shape of the window.
    pub level_db: f64,
}

/// Up to `count` peaks, strongest bin first.
#[must_use]
pub fn strongest(bins: &Bins, count: usize) -> Vec<Peak> {
    all(bins).take(count).collect()
}

/// All peaks, strongest bin first. A peak is interpolated when it is taken.
pub fn all<'a>(bins: &'a Bins<'a>) -> impl Iterator<Item = Peak> + 'a {
    // A bin that was lost, or is no number, is below everything.
    let known = |&power: &f64| if power.is_finite() { power } else { -1.0 };
    let known: Vec<f64> = bins.power.iter().map(known).collect();
    let power = &known[..];
    let lobe = bins.window.main_lobe();
    let maxima: Vec<usize> = (0..power.len())
        .filter(|&at| is_maximum(bins, power, at, lobe))
        .collect();
    let clear =
        |at: usize, reach| decibels(power[at]) - median_db(power, at, reach, lobe) >= PROMINENCE_DB;
    let mut found: Vec<usize> = maxima
        .iter()
        .copied()
        .filter(|&at| clear(at, SURROUNDINGS))
        .collect();
    if found.is_empty() {
        let highest = maxima
            .into_iter()
            .max_by(|&a, &b| power[a].total_cmp(&power[b]));
        found.extend(highest.filter(|&at| clear(at, power.len())));
    }
    found.sort_by(|&a, &b| power[b].total_cmp(&power[a]));
    found
        .into_iter()
        .map(move |at| between_bins(bins, &known, at, lobe))
}

/// The peak that stands within a bin of `index`, if there is one: frequency and level of a tone
/// there.
#[must_use]
pub fn near(bins: &Bins, index: usize) -> Option<Peak> {
    let from = index.saturating_sub(1);
    let to = bins.power.len().min(index.saturating_add(2));
    let lobe = bins.window.main_lobe();
    let at = (from..to).find(|&at| is_maximum(bins, bins.power, at, lobe))?;
    let clear = decibels(bins.power[at]) - median_db(bins.power, at, SURROUNDINGS, lobe);
    (clear >= PROMINENCE_DB).then(|| between_bins(bins, bins.power, at, lobe))
}

/// Returns whether a bin is above all others within the main lobe.
fn is_maximum(bins: &Bins, power: &[f64], at: usize, lobe: usize) -> bool {
    let own = power[at];
    if !(own >= 0.0 && own.is_finite()) || (!bins.is_complex && bins.bin(at) < lobe as i64) {
        return false;
    }
    let from = at.saturating_sub(lobe);
    let to = power.len().min(at + lobe + 1);
    // A bin that was lost is neither above nor below.
    !power[from..at].iter().any(|&other| other >= own)
        && !power[at..to].iter().any(|&other| other > own)
}

fn between_bins(bins: &Bins, power: &[f64], at: usize, lobe: usize) -> Peak {
    let noise_db = median_db(power, at, SURROUNDINGS, lobe);
    interpolate::interpolate(bins, at, 10_f64.powf(noise_db / 10.0))
}

/// Median level of the bins up to `reach` from `at`, without those of its main lobe.
fn median_db(power: &[f64], at: usize, reach: usize, lobe: usize) -> f64 {
    let from = at.saturating_sub(reach);
    let to = power.len().min(at.saturating_add(reach).saturating_add(1));
    let mut around: Vec<f64> = (from..to)
        .filter(|&other| other.abs_diff(at) > lobe)
        .map(|other| power[other])
        .filter(|&power| power >= 0.0)
        .collect();
    if around.is_empty() {
        return NOTHING_DB;
    }
    let middle = around.len() / 2;
    decibels(*around.select_nth_unstable_by(middle, f64::total_cmp).1)
}

//! The strongest peaks of a spectrum.
//!
//! A peak is a bin above all bins within the window's main lobe that also stands clear of the
//! median around it; a slope, however high, is no peak. Where nothing does, because the strongest
//! signal is wider than its surroundings, the highest bin counts if it is clear of the median of
//! all. Real spectra have no peak at zero: what stands there is the mean. Frequency and level are
//! interpolated between bins.

mod interpolate;

use std::ops::Range;

use signal::Window;

use crate::levels::decibels;

/// The least distance of a peak above the median of its surroundings, in dB.
const PROMINENCE_DB: f64 = 10.0;

/// The share of power that is this distance.
const CLEAR_SHARE: f64 = 0.1;
/// The share by which a power is close to that limit, far more than levels are rounded by.
const CLOSE: f64 = 1e-6;
/// The power from which on counting takes the place of levels: they end at that of nothing.
const LEAST_COUNTED: f64 = 1e-28;

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
    let mut found: Vec<usize> = maxima
        .iter()
        .copied()
        .filter(|&at| is_clear(power, at, SURROUNDINGS, lobe))
        .collect();
    if found.is_empty() {
        let highest = maxima
            .into_iter()
            .max_by(|&a, &b| power[a].total_cmp(&power[b]));
        found.extend(highest.filter(|&at| is_clear(power, at, power.len(), lobe)));
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
    is_clear(bins.power, at, SURROUNDINGS, lobe).then(|| between_bins(bins, bins.power, at, lobe))
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

/// Returns whether a bin stands clear of the median of those around it.
///
/// Most maxima are ripples of noise. Where enough bins around one are too high, or low enough, the
/// median need not be found; only where it lies close to the limit its level is.
fn is_clear(power: &[f64], at: usize, reach: usize, lobe: usize) -> bool {
    let own = power[at];
    if own > LEAST_COUNTED {
        let (mut count, mut lower, mut close) = (0, 0, 0);
        let limits = [
            own * CLEAR_SHARE * (1.0 - CLOSE),
            own * CLEAR_SHARE * (1.0 + CLOSE),
        ];
        for side in around(power.len(), at, reach, lobe) {
            for &other in &power[side] {
                count += usize::from(other >= 0.0);
                lower += usize::from(other >= 0.0 && other <= limits[0]);
                close += usize::from(other >= 0.0 && other <= limits[1]);
            }
        }
        let middle = count / 2;
        if count > 0 && lower > middle {
            return true;
        }
        if count > 0 && close <= middle {
            return false;
        }
    }
    decibels(own) - median_db(power, at, reach, lobe) >= PROMINENCE_DB
}

/// The bins up to `reach` from `at`, without those of its main lobe, on both sides.
fn around(count: usize, at: usize, reach: usize, lobe: usize) -> [Range<usize>; 2] {
    let from = at.saturating_sub(reach);
    let to = count.min(at.saturating_add(reach).saturating_add(1));
    let (below, above) = (at.saturating_sub(lobe), at.saturating_add(lobe + 1));
    [from..below.max(from), above.min(to)..to]
}

/// Median level of the bins around `at`.
fn median_db(power: &[f64], at: usize, reach: usize, lobe: usize) -> f64 {
    let sides = around(power.len(), at, reach, lobe);
    let mut around: Vec<f64> = sides
        .into_iter()
        .flat_map(|side| &power[side])
        .copied()
        .filter(|&power| power >= 0.0)
        .collect();
    if around.is_empty() {
        return NOTHING_DB;
    }
    let middle = around.len() / 2;
    decibels(*around.select_nth_unstable_by(middle, f64::total_cmp).1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::tests::mutate::Random;

    /// The median of all bins around one, looked for in each case.
    fn is_clear_by_median(power: &[f64], at: usize, reach: usize, lobe: usize) -> bool {
        let around =
            (0..power.len()).filter(|other| (lobe + 1..=reach).contains(&other.abs_diff(at)));
        let mut around: Vec<f64> = around.map(|other| power[other]).collect();
        around.retain(|&power| power >= 0.0);
        around.sort_by(f64::total_cmp);
        let median = around.get(around.len() / 2);
        let median_db = median.map_or(NOTHING_DB, |&median| decibels(median));
        decibels(power[at]) - median_db >= PROMINENCE_DB
    }

    #[test]
    fn counting_says_what_the_median_says() {
        let mut random = Random::new(::tests::seed());
        for case in 0..2000 {
            // Levels around 10 dB below the bin itself, some just there; and those of nothing.
            let own = [1.0, 1e-12, 2e-28, 3e-29, 1e-30, 0.0][case % 6];
            let odd = [
                0.0,
                -1.0,
                f64::NAN,
                f64::INFINITY,
                own * 0.1,
                own * 0.1 * (1.0 + 1e-9),
            ];
            let mut power: Vec<f64> = (0..80)
                .map(|_| match random.below(4) {
                    0 => odd[random.below(odd.len())],
                    _ => own * 10_f64.powf(-2.0 + 2.0 * random.below(1000) as f64 / 1000.0),
                })
                .collect();
            let at = random.below(power.len());
            power[at] = own;
            for (reach, lobe) in [
                (SURROUNDINGS, 1),
                (SURROUNDINGS, 5),
                (7, 2),
                (80, 2),
                (2, 4),
            ] {
                let found = is_clear(&power, at, reach, lobe);
                let wanted = is_clear_by_median(&power, at, reach, lobe);
                assert_eq!(found, wanted, "{own:e} {at} {reach} {lobe}");
            }
        }
    }
}

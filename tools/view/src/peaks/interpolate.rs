//! The frequency and level of a peak between bins.
//!
//! A tone f bins from 0 reads A²R(k - f)² in bin k, R being the window's transform
//! ([`Window::response`]). A real tone also reads its image at -f, which the side lobes of some
//! windows carry far: both together read A²(R(k - f)² + R(k + f)² + cR(k - f)R(k + f)), where c
//! depends on phases and lies between -2 and 2. A, c and f are those with the least squares of what
//! is left in the bins of the main lobe, weighted as amplitudes with the same noise in each are.
//! For a tone 60 dB above the noise and ten bins from the edges of the spectrum the frequency is
//! right within a tenth of a bin and the level within 0.05 dB, in every window.

use signal::Window;

use super::{Bins, Peak};
use crate::levels::decibels;

/// Bins around its own in which a line is looked for. A line halfway between two may stand in
/// either.
const REACH: f64 = 0.75;
/// Places to look at first, a bin.
const PLACES: i32 = 32;
/// Steps of the search behind them, each to 0.62 of what is left.
const STEPS: u32 = 24;
/// The least share of noise that is reckoned with: u16 keeps steps of 0.01 dB.
const LEAST_NOISE: f64 = 1e-8;
/// Bins on each side at the least: A, c and f are three unknowns.
const LEAST_BINS: usize = 2;
/// Bins on each side at the most: wide main lobes have little in those behind them.
const MOST_BINS: usize = 5;

/// A bin near the line.
struct Near {
    /// Bins from that in which the line stands.
    distance: f64,
    power: f64,
    weight: f64,
}

/// The fit of a tone.
struct Fit {
    /// Squares that are left.
    rest: f64,
    /// Power in the bin of the line, of a tone of power 1.
    response: f64,
}

/// Interpolates the line that stands in the bin at `index`; `noise` is the power around it.
///
/// A line that stands at one of the two edges of a real spectrum is that of its bin.
pub(super) fn interpolate(bins: &Bins, index: usize, noise: f64) -> Peak {
    let power = bins.power.get(index).copied().unwrap_or(f64::NAN);
    let own = Peak {
        index,
        offset: 0.0,
        level_db: decibels(power),
    };
    let window = bins.window;
    let reach = window.main_lobe().clamp(LEAST_BINS, MOST_BINS);
    let (bin, half) = (bins.bin(index), i64::from(bins.n / 2));
    // From the nearer edge, behind which its image stands.
    let from_edge = if bin <= half / 2 { bin } else { bin - half };
    if !(power > 0.0 && power.is_finite()) || (!bins.is_complex && from_edge.abs() <= reach as i64)
    {
        return own;
    }
    let noise = (noise / power).clamp(LEAST_NOISE, 1.0) * power;
    let near = near(bins, index, reach, noise);
    let tone = Tone {
        window,
        image: (!bins.is_complex).then_some((2 * from_edge) as f64),
    };
    let rest = |offset: f64| tone.fit(&near, offset).rest;
    let reach = (REACH * f64::from(PLACES)) as i32;
    let places = (-reach..=reach).map(|place| f64::from(place) / f64::from(PLACES));
    let Some(best) = places.min_by(|&a, &b| rest(a).total_cmp(&rest(b))) else {
        return own;
    };
    let width = 1.0 / f64::from(PLACES);
    let offset = least(rest, best - width, best + width);
    let response = tone.fit(&near, offset).response;
    if response.is_nan() || response <= 0.0 {
        return own;
    }
    Peak {
        index,
        offset,
        level_db: decibels(power / response),
    }
}

/// Known bins up to `reach` from that at `index`; a complex spectrum goes on at its other end.
fn near(bins: &Bins, index: usize, reach: usize, noise: f64) -> Vec<Near> {
    let count = bins.power.len() as i64;
    let is_ring = bins.is_complex && count == i64::from(bins.n);
    let reach = (reach as i64).min((count - 1) / 2);
    (-reach..=reach)
        .filter_map(|distance| {
            let at = index as i64 + distance;
            let at = if is_ring { at.rem_euclid(count) } else { at };
            let power = *bins.power.get(usize::try_from(at).ok()?)?;
            (power >= 0.0 && power.is_finite()).then(|| Near {
                distance: distance as f64,
                power,
                weight: 1.0 / (power + noise),
            })
        })
        .collect()
}

/// The place between `from` and `to` where a function with one minimum is least, by sections in
/// the golden ratio.
fn least(function: impl Fn(f64) -> f64, mut from: f64, mut to: f64) -> f64 {
    const SHARE: f64 = 0.618_033_988_749_895;
    for _ in 0..STEPS {
        let (left, right) = (to - SHARE * (to - from), from + SHARE * (to - from));
        if function(left) < function(right) {
            to = right;
        } else {
            from = left;
        }
    }
    (from + to) / 2.0
}

/// A tone whose power and image are not known.
struct Tone {
    window: Window,
    /// Bins from a line on its bin to its image: none for a complex tone.
    image: Option<f64>,
}

impl Tone {
    /// The tone of least squares at an offset.
    fn fit(&self, near: &[Near], offset: f64) -> Fit {
        let parts = |distance: f64| {
            let own = self.window.response(distance - offset);
            let image = self
                .image
                .map_or(0.0, |image| self.window.response(image + distance + offset));
            (own * own + image * image, own * image)
        };
        // Sums of the normal equations for A² and A²c.
        let (mut uu, mut uv, mut vv, mut pu, mut pv) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for each in near {
            let (u, v) = parts(each.distance);
            uu += each.weight * u * u;
            uv += each.weight * u * v;
            vv += each.weight * v * v;
            pu += each.weight * each.power * u;
            pv += each.weight * each.power * v;
        }
        let determinant = uu * vv - uv * uv;
        let mut phase = 0.0;
        if determinant > 1e-12 * uu * vv && vv > 0.0 {
            let (power, crossed) = (pu * vv - pv * uv, pv * uu - pu * uv);
            phase = if power > 0.0 {
                (crossed / power).clamp(-2.0, 2.0)
            } else {
                2.0_f64.copysign(crossed)
            };
        }
        let (square, product) = (uu + phase * (2.0 * uv + phase * vv), pu + phase * pv);
        let power = product / square;
        let rest = near.iter().map(|each| {
            let (u, v) = parts(each.distance);
            let left = each.power - power * (u + phase * v);
            each.weight * left * left
        });
        let (u, v) = parts(0.0);
        Fit {
            rest: rest.sum(),
            response: u + phase * v,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peaks::strongest;
    use ::tests::fourier::fft;
    use ::tests::mutate::Random;
    use std::f64::consts::TAU;

    /// The amplitude of a tone beside which noise has a thousandth in a bin.
    const NOISE: f64 = 1e-3;
    const POINTS: u32 = 256;
    const AMPLITUDE: f64 = 0.5;
    const BLOCKS: usize = 2;

    /// A normally distributed number, nearly: the sum of twelve uniform ones.
    fn normal(random: &mut Random) -> f64 {
        let uniform = |random: &mut Random| random.bits() as f64 / 2_f64.powi(64);
        (0..12).map(|_| uniform(random)).sum::<f64>() - 6.0
    }

    /// Powers with the axis of all bins.
    fn bins(power: &[f64], n: u32, is_complex: bool, window: Window) -> Bins<'_> {
        Bins {
            power,
            first_bin: if is_complex { -i64::from(n / 2) } else { 0 },
            n,
            is_complex,
            window,
        }
    }

    /// The number of bins of a spectrum.
    fn count(n: u32, is_complex: bool) -> usize {
        if is_complex {
            n as usize
        } else {
            n as usize / 2 + 1
        }
    }

    /// The powers of a tone so many bins from 0, averaged over blocks that overlap by half, as
    /// f32 has it.
    fn tone(window: Window, complex: bool, bins: f64, random: &mut Random) -> Vec<f64> {
        let mut powers = vec![0.0; count(POINTS, complex)];
        let first_bin = if complex { -i64::from(POINTS / 2) } else { 0 };
        let n = POINTS as usize;
        let table: Vec<f64> = (0..n).map(|i| window.coefficient(i, n)).collect();
        let sum: f64 = table.iter().sum();
        let squares: f64 = table.iter().map(|w| w * w).sum();
        // Noise of this deviation in each sample has the wanted power in a bin.
        let share = if complex { 2.0 } else { 4.0 };
        let deviation = AMPLITUDE * NOISE * sum / (share * squares).sqrt();
        let phase = TAU * random.bits() as f64 / 2_f64.powi(64);
        for block in 0..BLOCKS {
            let samples: Vec<[f64; 2]> = (0..n)
                .map(|i| {
                    let time = (block * n / 2 + i) as f64 / n as f64;
                    let (sin, cos) = (TAU * bins * time + phase).sin_cos();
                    let re = AMPLITUDE * cos + deviation * normal(random);
                    let im = AMPLITUDE * sin + deviation * normal(random);
                    [re * table[i], if complex { im * table[i] } else { 0.0 }]
                })
                .collect();
            let points = fft(&samples, false);
            let scale = if complex { 1.0 } else { 4.0 } / (sum * sum);
            for (index, power) in powers.iter_mut().enumerate() {
                let bin = (first_bin + index as i64).rem_euclid(n as i64);
                let [re, im] = points[bin as usize];
                *power += (re * re + im * im) * scale / BLOCKS as f64;
            }
        }
        for power in &mut powers {
            *power = f64::from(*power as f32);
        }
        powers
    }

    #[test]
    fn a_tone_is_found_within_a_tenth_of_a_bin_and_a_twentieth_of_a_db_in_every_window() {
        let mut random = Random::new(::tests::seed());
        let kaiser = ["0", "0.5", "2", "5", "14", "30"]
            .map(|beta| Window::from_name(&format!("kaiser:{beta}")).expect(beta));
        for window in Window::ALL.into_iter().chain(kaiser) {
            let mut worst: (f64, f64) = (0.0, 0.0);
            // Real tones ten bins from both edges and between them, and complex ones.
            for (complex, bin) in [
                (false, 10),
                (false, 61),
                (false, 118),
                (true, 30),
                (true, -128),
            ] {
                for step in -8..8 {
                    let place = f64::from(bin) + f64::from(step) / 16.0;
                    if !complex && place < 10.0 {
                        continue;
                    }
                    let powers = tone(window, complex, place, &mut random);
                    let bins = bins(&powers, POINTS, complex, window);
                    let found = strongest(&bins, 1);
                    let peak = found.first().expect("a peak");
                    let mut error = bins.bin(peak.index) as f64 + peak.offset - place;
                    error -= (error / f64::from(POINTS)).round() * f64::from(POINTS);
                    let level = peak.level_db - decibels(AMPLITUDE * AMPLITUDE);
                    assert!(
                        error.abs() < 0.1 && level.abs() < 0.05,
                        "{window}, complex {complex}, {place}: {error} bins, {level} dB"
                    );
                    worst = (worst.0.max(error.abs()), worst.1.max(level.abs()));
                }
            }
            println!("{window}: {:.4} bins, {:.4} dB", worst.0, worst.1);
        }
    }

    #[test]
    fn a_line_at_an_edge_is_that_of_its_bin() {
        for bin in [2, 127, 128] {
            let mut powers = vec![1e-9; count(POINTS, false)];
            powers[bin] = 0.25;
            let bins = bins(&powers, POINTS, false, Window::Hann);
            let peak = interpolate(&bins, bin, 1e-9);
            assert_eq!((peak.offset, peak.level_db), (0.0, decibels(0.25)));
        }
    }

    #[test]
    fn odd_bins_give_finite_lines() {
        let mut random = Random::new(::tests::seed());
        for complex in [false, true] {
            for _ in 0..200 {
                let odd = [0.0, f64::NAN, f64::INFINITY, 1e-30, 1.0];
                let powers: Vec<f64> = (0..count(64, complex))
                    .map(|_| odd[random.below(odd.len())])
                    .collect();
                let bins = bins(&powers, 64, complex, Window::Hann);
                let peak = interpolate(&bins, random.below(powers.len()), 1e-12);
                assert!(peak.offset.abs() < 1.0, "{peak:?}");
            }
        }
    }
}

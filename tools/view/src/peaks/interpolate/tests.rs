//! Tones of known places and levels, found again.

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

/// The fit as it is defined: a sine for each term of each response, and nothing kept.
mod by_definition {
    use super::super::*;
    use std::f64::consts::PI;

    /// sinh z / z, and sin |z| / |z| where z² is negative.
    fn hyperbolic_sinc(square: f64) -> f64 {
        let z = square.abs().sqrt();
        match () {
            () if z < 1e-6 => 1.0,
            () if square > 0.0 => z.sinh() / z,
            () => z.sin() / z,
        }
    }

    fn response(window: Window, offset: f64) -> f64 {
        let sinc = |x: f64| hyperbolic_sinc(-(PI * x) * (PI * x));
        let square = window.beta().value() * window.beta().value();
        let Some(terms) = window.terms() else {
            return hyperbolic_sinc(square - PI * PI * offset * offset) / hyperbolic_sinc(square);
        };
        let pair = |k: f64| (sinc(offset - k) + sinc(offset + k)) / 2.0;
        let pairs = terms
            .iter()
            .enumerate()
            .map(|(k, term)| term * pair(k as f64));
        pairs.sum::<f64>() / terms[0]
    }

    /// Squares that are left by a tone at an offset, and what it reads in its bin.
    fn fit(window: Window, image: Option<i64>, near: &[Near], offset: f64) -> (f64, f64) {
        let parts = |distance: f64| {
            let own = response(window, distance - offset);
            let image = image.map_or(0.0, |image| {
                response(window, image as f64 + distance + offset)
            });
            (own * own + image * image, own * image)
        };
        let sum = |of: &dyn Fn(&Near, f64, f64) -> f64| -> f64 {
            let each = near.iter().map(|each| {
                let (u, v) = parts(each.distance as f64);
                each.weight * of(each, u, v)
            });
            each.sum()
        };
        let (uu, uv, vv) = (
            sum(&|_, u, _| u * u),
            sum(&|_, u, v| u * v),
            sum(&|_, _, v| v * v),
        );
        let (pu, pv) = (
            sum(&|near, u, _| near.power * u),
            sum(&|near, _, v| near.power * v),
        );
        let mut phase = 0.0;
        if uu * vv - uv * uv > 1e-12 * uu * vv && vv > 0.0 {
            let (power, crossed) = (pu * vv - pv * uv, pv * uu - pu * uv);
            phase = match power > 0.0 {
                true => (crossed / power).clamp(-2.0, 2.0),
                false => 2.0_f64.copysign(crossed),
            };
        }
        let power = (pu + phase * pv) / (uu + phase * (2.0 * uv + phase * vv));
        let rest = sum(&|near, u, v| (near.power - power * (u + phase * v)).powi(2));
        let (u, v) = parts(0.0);
        (rest, u + phase * v)
    }

    /// Offset and level of the line at `index`, which is no edge.
    pub fn interpolate(bins: &Bins, index: usize, noise: f64) -> (f64, f64) {
        let power = bins.power[index];
        let reach = bins.window.main_lobe().clamp(LEAST_BINS, MOST_BINS);
        let (bin, half) = (bins.bin(index), i64::from(bins.n / 2));
        let from_edge = if bin <= half / 2 { bin } else { bin - half };
        let near = near(bins, index, reach, noise.clamp(LEAST_NOISE * power, power));
        let image = (!bins.is_complex).then_some(2 * from_edge);
        let rest = |offset: f64| fit(bins.window, image, &near, offset).0;
        let places = (-24..=24).map(|place| f64::from(place) / 32.0);
        let best = places
            .min_by(|&a, &b| rest(a).total_cmp(&rest(b)))
            .expect("places");
        let (mut from, mut to) = (best - 1.0 / 32.0, best + 1.0 / 32.0);
        for _ in 0..STEPS {
            let inner = 0.618_033_988_749_895 * (to - from);
            match rest(to - inner) < rest(from + inner) {
                true => to = from + inner,
                false => from = to - inner,
            }
        }
        let offset = (from + to) / 2.0;
        let response = fit(bins.window, image, &near, offset).1;
        (offset, decibels(power / response))
    }
}

/// A difference in the ninth digit.
const NINTH: f64 = 1e-9;
/// Tones of each window and place.
const EACH: usize = 3;

#[test]
fn lines_are_those_of_the_definition_to_nine_digits() {
    let mut random = Random::new(::tests::seed());
    let kaiser =
        ["0.5", "14"].map(|beta| Window::from_name(&format!("kaiser:{beta}")).expect(beta));
    for window in Window::ALL.into_iter().chain(kaiser) {
        for (complex, bin) in [(false, 10), (false, 61), (false, 118), (true, 30)] {
            for _ in 0..EACH {
                let place = f64::from(bin) + random.below(1000) as f64 / 1000.0 - 0.5;
                let powers = tone(window, complex, place, &mut random);
                let bins = bins(&powers, POINTS, complex, window);
                let (index, _) = powers
                    .iter()
                    .enumerate()
                    .max_by(|a, b| a.1.total_cmp(b.1))
                    .expect("bins");
                let noise = NOISE * NOISE * AMPLITUDE * AMPLITUDE;
                let found = interpolate(&bins, index, noise);
                let (offset, level) = by_definition::interpolate(&bins, index, noise);
                let error = (found.offset - offset).abs();
                let level = (found.level_db - level).abs();
                assert!(
                    error < NINTH && level < NINTH,
                    "{window}, complex {complex}, {place}: {error} bins, {level} dB"
                );
            }
        }
    }
}

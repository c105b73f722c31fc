//! A random ocean surface: bins of waves, of which the inverse transform is the heights.
//!
//! Each bin is one wave. Its amplitude is Gaussian, and its variance that of the Phillips spectrum,
//! exp(-1/(k L)^2) / k^4 (cos a)^2: k is the wave number, a the angle between wave and wind, and
//! L = V^2 / g the longest wave that a wind of V can raise. Bins of k and -k are conjugates, so
//! heights are real. They are in units of their rms: a picture does not show the spectrum's factor.
//!
//! Source: J. Tessendorf, "Simulating Ocean Water", SIGGRAPH course notes 2001, the section on
//! statistical wave models.

use std::f64::consts::TAU;

use super::{Picture, Spectrum};

/// Acceleration of free fall, in m/s².
const GRAVITY: f64 = 9.81;

/// A surface that is wanted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ocean {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Length of the rows in metres.
    pub patch_m: f64,
    /// Speed of the wind, which blows along the rows, in metres a second.
    pub wind_m_s: f64,
    /// Other numbers give other waves of the same sea.
    pub seed: u64,
}

impl Ocean {
    /// Variance of the wave of `x` cycles along the rows and `y` along the columns, up to a factor.
    fn variance(&self, x: f64, y: f64) -> f64 {
        let [kx, ky] = [x, y].map(|cycles| TAU * cycles / self.patch_m);
        // Pixels are square.
        let ky = ky * self.width as f64 / self.height as f64;
        let k_squared = kx * kx + ky * ky;
        if k_squared == 0.0 {
            return 0.0;
        }
        let longest = self.wind_m_s * self.wind_m_s / GRAVITY;
        let cosine_squared = kx * kx / k_squared;
        (-1.0 / (k_squared * longest * longest)).exp() / (k_squared * k_squared) * cosine_squared
    }

    /// The bins of a surface of rms 1, where the inverse transform divides by the points; `None`
    /// when the wind raises no wave that this patch can show.
    #[must_use]
    pub fn spectrum(&self) -> Option<Spectrum> {
        let (width, height) = (self.width, self.height);
        let mut random = Random(self.seed);
        let signed = |index: usize, side: usize| match index {
            index if 2 * index > side => index as f64 - side as f64,
            index => index as f64,
        };
        let waves: Vec<[f64; 2]> = (0..width * height)
            .map(|index| {
                let (x, y) = (signed(index % width, width), signed(index / width, height));
                let amplitude = (self.variance(x, y) / 2.0).sqrt();
                random.gaussian_pair().map(|part| amplitude * part)
            })
            .collect();
        // A wave and the conjugate of the one that runs the other way.
        let opposite = |index: usize| {
            let (x, y) = (index % width, index / width);
            (height - y) % height * width + (width - x) % width
        };
        let sums: Vec<[f64; 2]> = (0..waves.len())
            .map(|index| {
                let ([re, im], [re2, im2]) = (waves[index], waves[opposite(index)]);
                [re + re2, im - im2]
            })
            .collect();
        let power: f64 = sums.iter().flatten().map(|part| part * part).sum();
        if !(power > 0.0 && power.is_finite()) {
            return None;
        }
        let scale = (width * height) as f64 / power.sqrt();
        Some(Spectrum {
            width,
            height,
            bins: sums
                .iter()
                .map(|bin| bin.map(|part| (scale * part) as f32))
                .collect(),
        })
    }
}

/// The picture of a surface: its lowest point is black, its highest white; and both heights.
#[must_use]
pub fn shades(mut heights: Picture) -> (Picture, [f32; 2]) {
    let pixels = &heights.pixels;
    let lowest = pixels.iter().copied().fold(f32::INFINITY, f32::min);
    let highest = pixels.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let range = (highest - lowest).max(f32::MIN_POSITIVE);
    for pixel in &mut heights.pixels {
        *pixel = (*pixel - lowest) / range;
    }
    (heights, [lowest, highest])
}

/// Steele, Lea and Flood's SplitMix64, which takes any seed.
struct Random(u64);

impl Random {
    /// Uniform in (0, 1].
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        ((z >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// Two independent numbers of variance 1: Box and Muller's method.
    fn gaussian_pair(&mut self) -> [f64; 2] {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        let (sin, cos) = (TAU * self.uniform()).sin_cos();
        [radius * cos, radius * sin]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEA: Ocean = Ocean {
        width: 64,
        height: 32,
        patch_m: 400.0,
        wind_m_s: 10.0,
        seed: 1,
    };

    #[test]
    fn bins_are_those_of_real_heights_of_rms_1() {
        let spectrum = SEA.spectrum().unwrap();
        let bin = |x: usize, y: usize| spectrum.bins[y % 32 * 64 + x % 64];
        assert_eq!(bin(0, 0), [0.0, 0.0]);
        for (x, y) in [(1, 0), (5, 3), (32, 16), (40, 30)] {
            let ([re, im], [re2, im2]) = (bin(x, y), bin(64 - x, 32 - y));
            assert_eq!([re, im], [re2, -im2], "{x}, {y}");
        }
        let power: f64 = spectrum
            .bins
            .iter()
            .flatten()
            .map(|part| f64::from(*part).powi(2))
            .sum();
        // The mean of the squares of heights, by Parseval's theorem.
        assert!((power / (64.0f64 * 32.0).powi(2) - 1.0).abs() < 1e-6);
        assert_ne!(Some(spectrum), Ocean { seed: 2, ..SEA }.spectrum());
        let calm = Ocean {
            wind_m_s: 1e-3,
            ..SEA
        };
        assert_eq!(calm.spectrum(), None);
    }

    #[test]
    fn waves_follow_the_phillips_spectrum() {
        let many: Vec<Spectrum> = (0..200)
            .map(|seed| {
                Ocean {
                    width: 32,
                    seed,
                    ..SEA
                }
                .spectrum()
                .unwrap()
            })
            .collect();
        let mean = |x: usize, y: usize| -> f64 {
            let powers = many.iter().map(|spectrum| {
                let [re, im] = spectrum.bins[y * 32 + x].map(f64::from);
                re * re + im * im
            });
            powers.sum::<f64>() / many.len() as f64
        };
        // Squares of one Gaussian pair have a standard deviation as large as their mean; of 200, a
        // fourteenth of it. Normalising adds a little.
        let sea = Ocean { width: 32, ..SEA };
        for ((x, y), (x2, y2)) in [((3, 0), (6, 0)), ((4, 4), (4, 0)), ((8, 2), (3, 1))] {
            let measured = mean(x, y) / mean(x2, y2);
            let wanted = sea.variance(x as f64, y as f64) / sea.variance(x2 as f64, y2 as f64);
            let ratio = measured / wanted;
            assert!((0.65..1.5).contains(&ratio), "{x}, {y}: {ratio}");
        }
        // No wave runs across the wind, and long ones are cut off.
        assert_eq!(sea.variance(0.0, 5.0), 0.0);
        assert!(sea.variance(0.2, 0.0) < 1e-3 * sea.variance(6.0, 0.0));
    }

    #[test]
    fn shades_reach_from_black_to_white() {
        let heights = Picture {
            width: 3,
            height: 1,
            pixels: vec![-2.0, 0.0, 2.0],
        };
        let (picture, ends) = shades(heights);
        assert_eq!((picture.pixels, ends), (vec![0.0, 0.5, 1.0], [-2.0, 2.0]));
    }
}

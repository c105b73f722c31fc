//! Masks: what each bin of a picture's spectrum is multiplied by.
//!
//! A mask has the same factor for all directions. From 0.8 to 1.2 of its cutoff the factor goes
//! from 1 to 0 as half a cosine, and is 1/2 at the cutoff: a mask with a sharp edge would leave
//! rings around every edge of the picture.

use std::str::FromStr;

use super::Spectrum;

/// Where the edge begins and ends, relative to the cutoff.
const EDGE: [f64; 2] = [0.8, 1.2];

/// Which frequencies pass.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Mask {
    /// Those above the cutoff, not those below.
    is_high: bool,
    /// In cycles per pixel.
    cutoff: f64,
}

impl FromStr for Mask {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{text}` is no mask; give low:F or high:F with a cutoff F in cycles per pixel above 0 and up \
                 to 0.71, for example low:0.1"
            )
        };
        let (name, cutoff) = text.split_once(':').ok_or_else(wrong)?;
        let cutoff: f64 = cutoff.parse().map_err(|_| wrong())?;
        let is_high = match name {
            "low" => false,
            "high" => true,
            _ => return Err(wrong()),
        };
        if !(cutoff > 0.0 && cutoff <= 0.71) {
            return Err(wrong());
        }
        Ok(Self { is_high, cutoff })
    }
}

impl Mask {
    /// The factor at a frequency, in cycles per pixel.
    #[must_use]
    pub fn factor(&self, frequency: f64) -> f64 {
        let [begin, end] = EDGE.map(|edge| edge * self.cutoff);
        let across = ((frequency - begin) / (end - begin)).clamp(0.0, 1.0);
        let low = (1.0 + (across * std::f64::consts::PI).cos()) / 2.0;
        if self.is_high { 1.0 - low } else { low }
    }

    /// Multiplies all bins.
    pub fn apply(&self, spectrum: &mut Spectrum) {
        let (width, height) = (spectrum.width, spectrum.height);
        let cycles = |index: usize, side: usize| index.min(side - index) as f64 / side as f64;
        for (index, bin) in spectrum.bins.iter_mut().enumerate() {
            let frequency = cycles(index % width, width).hypot(cycles(index / width, height));
            let factor = self.factor(frequency) as f32;
            *bin = bin.map(|part| part * factor);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_masks_add_up_to_all() {
        let [low, high] = ["low:0.1", "high:0.1"].map(|text| text.parse::<Mask>().unwrap());
        for (frequency, factor) in [(0.0, 1.0), (0.08, 1.0), (0.1, 0.5), (0.12, 0.0), (0.7, 0.0)] {
            assert!((low.factor(frequency) - factor).abs() < 1e-12);
            assert!((low.factor(frequency) + high.factor(frequency) - 1.0).abs() < 1e-12);
        }
        for wrong in [
            "low", "low:", "mid:0.1", "low:0", "low:-1", "low:1", "low:nan",
        ] {
            let text = wrong.parse::<Mask>().unwrap_err();
            assert!(text.contains("low:0.1"), "{text}");
        }
    }

    #[test]
    fn negative_frequencies_are_masked_as_positive_ones() {
        let mut spectrum = Spectrum {
            width: 32,
            height: 16,
            bins: vec![[1.0, -1.0]; 512],
        };
        "low:0.1".parse::<Mask>().unwrap().apply(&mut spectrum);
        let bin = |x: usize, y: usize| spectrum.bins[y * 32 + x];
        assert_eq!(bin(0, 0), [1.0, -1.0]);
        assert_eq!(bin(2, 1), bin(30, 15));
        assert_eq!(bin(16, 8), [0.0, 0.0]);
        assert_eq!(bin(1, 0)[0], 1.0);
    }
}

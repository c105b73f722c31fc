//! Pictures and their transforms in two dimensions: files, sizes, masks, kernels, levels, oceans.

pub mod kernel;
pub mod mask;
pub mod npy;
pub mod ocean;
pub mod png;
pub mod transform;

use common::failure::{Failure, Result};

/// Fewest rows and columns that the QPUs transform.
pub const MIN_SIDE: usize = 16;

/// A grey picture.
#[derive(Clone, PartialEq, Debug)]
pub struct Picture {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Row after row, from the top, 0 for black and 1 for white.
    pub pixels: Vec<f32>,
}

/// Complex bins of a picture, unscaled: what `numpy.fft.fft2` gives for pixels of 0 to 1.
#[derive(Clone, PartialEq, Debug)]
pub struct Spectrum {
    /// Columns: horizontal frequencies 0, 1, .. in cycles per width.
    pub width: usize,
    /// Rows: vertical frequencies.
    pub height: usize,
    /// Real and imaginary part, row after row.
    pub bins: Vec<[f32; 2]>,
}

impl Picture {
    /// The part that begins at row 0 and column 0 and has this size; what the picture does not
    /// cover is `fill`.
    #[must_use]
    pub fn resized(&self, width: usize, height: usize, [left, top]: [usize; 2], fill: f32) -> Self {
        let mut pixels = vec![fill; width * height];
        for (row, to) in pixels.chunks_exact_mut(width).enumerate() {
            let columns = width.min(self.width.saturating_sub(left));
            if top + row < self.height && columns > 0 {
                let first = (top + row) * self.width + left;
                to[..columns].copy_from_slice(&self.pixels[first..first + columns]);
            }
        }
        Self {
            width,
            height,
            pixels,
        }
    }

    /// The pixels as complex points.
    #[must_use]
    pub fn points(&self) -> Vec<[f32; 2]> {
        self.pixels.iter().map(|&x| [x, 0.0]).collect()
    }

    /// Mean of all pixels.
    #[must_use]
    pub fn mean(&self) -> f32 {
        let sum: f64 = self.pixels.iter().map(|&x| f64::from(x)).sum();
        (sum / self.pixels.len().max(1) as f64) as f32
    }

    /// The sides that [`Self::fitted`] gives a picture of this size.
    ///
    /// # Errors
    /// As there.
    pub fn fitted_sides(width: usize, height: usize, crop: bool) -> Result<[usize; 2]> {
        if !crop {
            return Ok([width, height].map(|side| side.next_power_of_two().max(MIN_SIDE)));
        }
        if width.min(height) < MIN_SIDE {
            return Err(Failure::usage(format!(
                "a picture of {width} x {height} pixels has no middle of {MIN_SIDE} x {MIN_SIDE}; leave --crop out"
            )));
        }
        Ok([width, height].map(|side| 1 << side.ilog2()))
    }

    /// A picture whose sides are powers of two: on the right and below filled with the mean, or
    /// with `crop` its middle. With what was done to it, where something was.
    ///
    /// # Errors
    /// Usage, when there is no middle of 16 pixels.
    pub fn fitted(&self, crop: bool) -> Result<(Self, Option<String>)> {
        let (width, height) = (self.width, self.height);
        let [w, h] = Self::fitted_sides(width, height, crop)?;
        if !crop {
            let fitted = self.resized(w, h, [0, 0], self.mean());
            let note = format!(
                "{width} x {height} pixels are filled up with their mean to {w} x {h}; --crop takes the middle instead"
            );
            return Ok((fitted, (w != width || h != height).then_some(note)));
        }
        let corner = [(width - w) / 2, (height - h) / 2];
        let note = format!("of {width} x {height} pixels the middle {w} x {h} are taken");
        let note = (w != width || h != height).then_some(note);
        Ok((self.resized(w, h, corner, 0.0), note))
    }
}

impl Spectrum {
    /// Levels of all bins, frequency 0 in the middle: the largest is white, what is `range_db`
    /// below it black.
    #[must_use]
    pub fn levels(&self, range_db: f32) -> Picture {
        let (width, height) = (self.width, self.height);
        let power = |[re, im]: [f32; 2]| {
            let [re, im] = [re, im].map(f64::from);
            re * re + im * im
        };
        let largest = self.bins.iter().map(|&bin| power(bin));
        let largest = largest.fold(f64::MIN_POSITIVE, f64::max);
        let pixels = (0..width * height).map(|pixel| {
            let row = (pixel / width + height / 2) % height;
            let column = (pixel % width + width / 2) % width;
            let db = 10.0 * (power(self.bins[row * width + column]) / largest).log10();
            (1.0 + db / f64::from(range_db)).clamp(0.0, 1.0) as f32
        });
        Picture {
            width,
            height,
            pixels: pixels.collect(),
        }
    }

    /// The real parts as a picture, and the relative rms size of the imaginary parts, which are
    /// left out.
    #[must_use]
    pub fn real(self) -> (Picture, f64) {
        let energy = |component: usize| {
            let parts = self.bins.iter().map(|bin| f64::from(bin[component]));
            parts.map(|x| x * x).sum::<f64>()
        };
        let (re, im) = (energy(0), energy(1));
        let left_out = (im / (re + im).max(f64::MIN_POSITIVE)).sqrt();
        let picture = Picture {
            width: self.width,
            height: self.height,
            pixels: self.bins.iter().map(|bin| bin[0]).collect(),
        };
        (picture, left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(width: usize, height: usize) -> Picture {
        Picture {
            width,
            height,
            pixels: (0..width * height).map(|x| x as f32).collect(),
        }
    }

    #[test]
    fn sides_become_powers_of_two() {
        let (filled, note) = ramp(17, 3).fitted(false).unwrap();
        assert_eq!((filled.width, filled.height), (32, 16));
        assert_eq!(filled.pixels[32 + 1], 18.0);
        assert_eq!(filled.pixels[17], 25.0, "the mean of 0..51");
        assert!(note.unwrap().contains("32 x 16"));
        let (middle, note) = ramp(18, 40).fitted(true).unwrap();
        assert_eq!((middle.width, middle.height), (16, 32));
        assert_eq!(middle.pixels[0], 4.0 * 18.0 + 1.0);
        assert!(note.unwrap().contains("16 x 32"));
        assert_eq!(ramp(64, 16).fitted(false).unwrap(), (ramp(64, 16), None));
        assert_eq!(ramp(64, 16).fitted(true).unwrap(), (ramp(64, 16), None));
        assert!(ramp(15, 99).fitted(true).is_err());
    }

    #[test]
    fn frequency_0_is_white_in_the_middle() {
        let mut bins = vec![[0.0; 2]; 16 * 16];
        bins[0] = [0.0, 100.0];
        bins[17] = [1.0, 0.0];
        let spectrum = Spectrum {
            width: 16,
            height: 16,
            bins,
        };
        let levels = spectrum.levels(80.0);
        assert_eq!(levels.pixels[8 * 16 + 8], 1.0);
        assert_eq!(levels.pixels[9 * 16 + 9], 0.5, "40 dB below");
        assert_eq!(levels.pixels.iter().filter(|&&x| x == 0.0).count(), 254);
    }
}

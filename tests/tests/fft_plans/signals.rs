//! Inputs for transforms, and what their transforms are held to.

use ::tests::fourier::fft;
use dsp::dft::relative_rms_error;
use dsp::{Complex, Direction};

/// A seeded generator of numbers: xorshift64*, the same on every machine.
pub struct Random(u64);

impl Random {
    /// A generator; any seed will do.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// Evenly distributed over -1..1.
    pub fn sample(&mut self) -> f32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 40;
        bits as f32 / (1 << 23) as f32 - 1.0
    }

    /// Complex numbers with independent parts.
    pub fn complex(&mut self, points: usize) -> Vec<Complex<f32>> {
        (0..points)
            .map(|_| Complex::new(self.sample(), self.sample()))
            .collect()
    }
}

/// The DFT in f64.
#[must_use]
pub fn dft(direction: Direction, input: &[Complex<f32>]) -> Vec<Complex<f64>> {
    let input: Vec<_> = input
        .iter()
        .map(|z| Complex::new(f64::from(z.re), f64::from(z.im)))
        .collect();
    dft_f64(direction, &input)
}

/// The DFT in f64 of points in f64.
#[must_use]
pub fn dft_f64(direction: Direction, input: &[Complex<f64>]) -> Vec<Complex<f64>> {
    let input: Vec<_> = input.iter().map(|z| [z.re, z.im]).collect();
    let bins = fft(&input, direction == Direction::Inverse);
    bins.into_iter()
        .map(|[re, im]| Complex::new(re, im))
        .collect()
}

/// Panics when the relative rms error is above `tolerance`, naming the first bin that is wrong by
/// more than a hundred times the tolerance of an average bin. Prints the error otherwise.
///
/// # Panics
/// See above; also when there is a number that is none.
pub fn assert_spectrum(
    what: &str,
    output: &[Complex<f32>],
    expected: &[Complex<f64>],
    tolerance: f64,
) {
    assert_eq!(output.len(), expected.len(), "{what}");
    let error = relative_rms_error(output, expected);
    if error <= tolerance {
        println!("{what}: relative rms error {error:.2e}");
        return;
    }
    let power: f64 = expected.iter().map(|z| z.norm_sqr()).sum();
    let limit = 100.0 * tolerance * (power / expected.len() as f64).sqrt();
    let wrong = output.iter().zip(expected).position(|(got, wanted)| {
        let difference = Complex::new(f64::from(got.re), f64::from(got.im)) - *wanted;
        difference.norm_sqr().sqrt().partial_cmp(&limit) != Some(std::cmp::Ordering::Less)
    });
    let first = wrong.map_or_else(
        || "no bin stands out".into(),
        |bin| {
            format!(
                "first wrong bin {bin}: {:?}, expected {:?}",
                output[bin], expected[bin]
            )
        },
    );
    panic!("{what}: relative rms error {error:.2e} is above {tolerance:.0e}; {first}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "first wrong bin 5")]
    fn a_wrong_bin_is_named() {
        let input = Random::new(1).complex(64);
        let expected = dft(Direction::Forward, &input);
        let mut output: Vec<_> = expected
            .iter()
            .map(|z| Complex::new(z.re as f32, z.im as f32))
            .collect();
        output[5].re += 0.1;
        assert_spectrum("wrong", &output, &expected, 1e-6);
    }
}

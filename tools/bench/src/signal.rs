//! Input of complex transforms, and the distance of the output from the right result.
//!
//! The stimulus of hello_fft puts two halves of a tone into bins j + 1 and N - j - 1 of transform
//! j; both its transforms, forward and inverse, are a cosine. Random numbers are uniform in [-1,
//! 1), from a fixed seed, so that equal programs give equal errors; their transform comes from
//! rustfft in f64.

use crate::case::Case;
use qpu::fft::Direction;
use rustfft::FftPlanner;
use rustfft::num_complex::Complex;
use std::f64::consts::TAU;

/// The numbers are arbitrary; that they stay the same is what matters.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Kind of input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stimulus {
    /// A tone a transform.
    HelloFft,
    /// Uniform in [-1, 1).
    Random,
}

/// The bin of the tone of a transform.
const fn bin(points: usize, transform: usize) -> usize {
    (transform + 1) & (points / 2 - 1)
}

impl Stimulus {
    /// Interleaved real and imaginary parts of one transform's input.
    #[must_use]
    pub fn input(self, log2n: u32, transform: usize) -> Vec<f32> {
        let points = 1usize << log2n;
        match self {
            Self::HelloFft => {
                let mut input = vec![0.0; 2 * points];
                match bin(points, transform) {
                    0 => input[0] = 1.0,
                    bin => {
                        input[2 * bin] = 0.5;
                        input[2 * (points - bin)] = 0.5;
                    }
                }
                input
            }
            Self::Random => {
                let mut random = Random::new((transform as u64) << 32 | u64::from(log2n));
                (0..2 * points).map(|_| random.next()).collect()
            }
        }
    }

    /// The right result of one transform.
    fn expected(self, case: &Case, transform: usize) -> Vec<Complex<f64>> {
        let points = 1usize << case.log2n;
        match self {
            Self::HelloFft => {
                let bin = bin(points, transform);
                let cosine = |n: usize| (TAU * (bin * n % points) as f64 / points as f64).cos();
                (0..points).map(|n| Complex::new(cosine(n), 0.0)).collect()
            }
            Self::Random => {
                let input = self.input(case.log2n, transform);
                let mut buffer: Vec<_> = input
                    .chunks_exact(2)
                    .map(|pair| Complex::new(f64::from(pair[0]), f64::from(pair[1])))
                    .collect();
                let mut planner = FftPlanner::new();
                match case.direction {
                    Direction::Forward => planner.plan_fft_forward(points),
                    Direction::Inverse => planner.plan_fft_inverse(points),
                }
                .process(&mut buffer);
                buffer
            }
        }
    }

    /// The error of the results relative to the signal, over the batch, in parts per million.
    /// `output` gives the interleaved words of one transform's result.
    pub fn ppm<E>(
        self,
        case: &Case,
        mut output: impl FnMut(usize) -> Result<Vec<u32>, E>,
    ) -> Result<f64, E> {
        let (mut signal, mut error) = (0.0, 0.0);
        for transform in 0..case.batch as usize {
            let words = output(transform)?;
            let expected = self.expected(case, transform);
            for (pair, expected) in words.chunks_exact(2).zip(&expected) {
                let [re, im] = [pair[0], pair[1]].map(|bits| f64::from(f32::from_bits(bits)));
                signal += expected.norm_sqr();
                error += (Complex::new(re, im) - expected).norm_sqr();
            }
        }
        Ok(1e6 * (error / signal).sqrt())
    }
}

/// Floats as the words that V3D reads.
#[must_use]
pub fn words(floats: &[f32]) -> Vec<u32> {
    floats.iter().map(|float| float.to_bits()).collect()
}

/// Marsaglia's xorshift64*.
pub(crate) struct Random(u64);

impl Random {
    /// The numbers of a case.
    pub(crate) const fn new(case: u64) -> Self {
        Self(SEED ^ case)
    }

    /// Uniform in [-1, 1), 24 bits.
    pub(crate) fn next(&mut self) -> f32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 40;
        bits as f32 / (1u32 << 23) as f32 - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Kind;

    fn case(direction: Direction) -> Case {
        Case {
            log2n: 6,
            batch: 3,
            direction,
            kind: Kind::Complex,
        }
    }

    /// A DFT by its definition.
    fn naive(case: &Case, input: &[f32]) -> Vec<u32> {
        let points = input.len() / 2;
        let sign = match case.direction {
            Direction::Forward => -1.0,
            Direction::Inverse => 1.0,
        };
        let point = |k: usize| {
            let terms = input.chunks_exact(2).enumerate().map(|(n, pair)| {
                let angle = sign * TAU * (n * k % points) as f64 / points as f64;
                Complex::new(f64::from(pair[0]), f64::from(pair[1])) * Complex::cis(angle)
            });
            let sum: Complex<f64> = terms.sum();
            [(sum.re as f32).to_bits(), (sum.im as f32).to_bits()]
        };
        (0..points).flat_map(point).collect()
    }

    #[test]
    fn a_right_result_has_the_error_of_its_rounding() {
        for stimulus in [Stimulus::HelloFft, Stimulus::Random] {
            for direction in [Direction::Forward, Direction::Inverse] {
                let case = case(direction);
                let ppm = stimulus.ppm(&case, |transform| {
                    Ok::<_, ()>(naive(&case, &stimulus.input(case.log2n, transform)))
                });
                assert!(ppm.is_ok_and(|ppm| ppm < 0.05), "{stimulus:?} {ppm:?}");
            }
        }
    }

    #[test]
    fn a_wrong_direction_is_an_error_of_the_size_of_the_signal() {
        let (case, other) = (case(Direction::Forward), case(Direction::Inverse));
        let ppm = Stimulus::Random.ppm(&case, |transform| {
            let input = Stimulus::Random.input(case.log2n, transform);
            Ok::<_, ()>(naive(&other, &input))
        });
        assert!(ppm.is_ok_and(|ppm| ppm > 1e6), "{ppm:?}");
    }

    #[test]
    fn random_numbers_are_uniform() {
        let input = Stimulus::Random.input(14, 0);
        assert!(input.iter().all(|value| (-1.0..1.0).contains(value)));
        let mean = input.iter().sum::<f32>() / input.len() as f32;
        let power = input.iter().map(|value| value * value).sum::<f32>() / input.len() as f32;
        // Standard deviations of both are below 0.004.
        assert!(mean.abs() < 0.02 && (power - 1.0 / 3.0).abs() < 0.02);
        assert_ne!(input, Stimulus::Random.input(14, 1));
    }
}

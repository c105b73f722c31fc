//! Input of transforms, the right result, and the distance of the output from it.
//!
//! The first launch has a tone, the second uniform random numbers in [-1, 1) from a fixed seed, so
//! that equal programs give equal errors. Transform j of a batch of complex ones has the stimulus
//! of hello_fft: two halves of a tone in bins j + 1 and N - j - 1. Others have a tone on a bin, of
//! half full scale. The right result comes from rustfft in f64, from the samples as they are coded.

use crate::case::{Case, HANN, Kind, SEGMENTS};
use qpu_fft::Direction;
use qpu_fft::samples::Format;
use qpu_fft::window::cosines;
use reference_fft::Complex;
use std::f64::consts::TAU;

/// The numbers are arbitrary; that they stay the same is what matters.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Samples of a period of the tone.
const PERIOD: usize = 8;

/// Kind of input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stimulus {
    /// A tone a transform.
    HelloFft,
    /// Uniform in [-1, 1).
    Random,
}

/// Numbers in memory, and what they mean.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Input {
    /// The samples as V3D reads them.
    pub words: Vec<u32>,
    /// Component by component.
    pub values: Vec<f64>,
}

impl Input {
    /// The input of one transform of a case.
    #[must_use]
    pub fn new(case: &Case, stimulus: Stimulus, transform: u32) -> Self {
        let n = 1usize << case.log2n;
        let is_complex = case.kind == Kind::Complex;
        let is_inverse = case.direction == Direction::Inverse && !is_complex;
        let components = if case.is_real() { 1 } else { 2 };
        let count = match case.kind {
            Kind::Spectrum => (SEGMENTS as usize + 1) * n / 2,
            _ if is_inverse => n + 2,
            _ => n * components,
        };
        let mut random = Random(match case.kind {
            Kind::Complex => SEED ^ (u64::from(transform) << 32 | u64::from(case.log2n)),
            kind => SEED ^ (u64::from(case.log2n) << 8 | kind as u64),
        });
        let bin = (transform as usize + 1) & (n / 2 - 1);
        let mut value = |index: usize| match stimulus {
            Stimulus::Random => f64::from(random.next()),
            Stimulus::HelloFft if is_complex && bin == 0 => f64::from(u8::from(index == 0)),
            Stimulus::HelloFft if is_complex => {
                0.5 * f64::from(u8::from(index == 2 * bin || index == 2 * (n - bin)))
            }
            Stimulus::HelloFft if is_inverse && index == 2 * (n / PERIOD) => 0.5,
            Stimulus::HelloFft if is_inverse => 0.0,
            Stimulus::HelloFft => {
                let (sample, component) = (index / components, index % components);
                let cycles = (sample % PERIOD) as f64 / PERIOD as f64 - 0.25 * component as f64;
                0.5 * (TAU * cycles).cos()
            }
        };
        let mut bytes = Vec::new();
        let mut values = Vec::new();
        for index in 0..count {
            let value = match index {
                // Sums of real numbers are real.
                _ if is_inverse && (index == 1 || index == n + 1) => 0.0,
                _ => value(index),
            };
            values.push(match case.request().samples {
                Format::F32 => {
                    bytes.extend((value as f32).to_le_bytes());
                    f64::from(value as f32)
                }
                Format::I16 => {
                    let raw = (value * 32767.0).round() as i16;
                    bytes.extend(raw.to_le_bytes());
                    f64::from(raw) / 32768.0
                }
                Format::I32 => {
                    let raw = (value * 2_147_483_647.0).round() as i32;
                    bytes.extend(raw.to_le_bytes());
                    f64::from(raw) / 2_147_483_648.0
                }
                Format::U8 | Format::U8High => {
                    let raw = (value * 127.5 + 127.5).round() as u8;
                    bytes.extend((case.request().samples == Format::U8High).then_some(0));
                    bytes.push(raw);
                    (f64::from(raw) - 127.5) / 127.5
                }
                Format::I8 => {
                    let raw = (value * 127.0).round() as i8;
                    bytes.extend(raw.to_le_bytes());
                    f64::from(raw) / 128.0
                }
            });
        }
        let (words, _) = bytes.as_chunks();
        Self {
            words: words.iter().map(|word| u32::from_le_bytes(*word)).collect(),
            values,
        }
    }

    /// The right result, number by number as it lies in memory from the start of the output.
    #[must_use]
    pub fn expected(&self, case: &Case) -> Vec<f64> {
        let n = 1usize << case.log2n;
        let half = n / 2;
        let plan = reference_fft::plan(n, case.direction);
        let transform = |mut points: Vec<Complex<f64>>| {
            plan.process(&mut points);
            points
        };
        let pairs = || self.values.chunks_exact(2);
        let interleaved =
            |points: &[Complex<f64>]| points.iter().flat_map(|z| [z.re, z.im]).collect();
        match (case.kind, case.direction) {
            (Kind::Complex | Kind::IqU8, _) => interleaved(&transform(
                pairs().map(|z| Complex::new(z[0], z[1])).collect(),
            )),
            (Kind::Spectrum, _) => {
                let sum: f64 = HANN[0] * n as f64;
                let factor = 4.0 / (sum * sum * f64::from(SEGMENTS));
                let mut powers = vec![0.0; half + 1];
                for segment in 0..SEGMENTS as usize {
                    let samples = self.values[segment * half..][..n].iter().enumerate();
                    let windowed = samples.map(|(index, sample)| {
                        Complex::from(sample * cosines(&HANN, index as u32, case.log2n))
                    });
                    for (power, bin) in powers.iter_mut().zip(transform(windowed.collect())) {
                        *power += factor * bin.norm_sqr();
                    }
                }
                powers[0] /= 2.0;
                powers[half] /= 2.0;
                powers
            }
            (_, Direction::Forward) => {
                let points = self.values.iter().map(Complex::from).collect();
                interleaved(&transform(points)[..=half])
            }
            (_, Direction::Inverse) => {
                let bins: Vec<_> = pairs().map(|z| Complex::new(z[0], z[1])).collect();
                let mirrored = bins[1..half].iter().rev().map(Complex::conj);
                let points = bins.iter().copied().chain(mirrored).collect();
                transform(points).iter().map(|z| z.re).collect()
            }
        }
    }
}

/// The distance of results from what is right.
#[derive(Default)]
pub struct Error {
    signal: f64,
    error: f64,
}

impl Error {
    /// Takes the words of a result.
    pub fn add(&mut self, words: &[u32], expected: &[f64]) {
        for (&word, expected) in words.iter().zip(expected) {
            self.signal += expected * expected;
            self.error += (f64::from(f32::from_bits(word)) - expected).powi(2);
        }
    }

    /// The error relative to the signal, in parts per million.
    #[must_use]
    pub fn ppm(&self) -> f64 {
        1e6 * (self.error / self.signal).sqrt()
    }
}

/// Marsaglia's xorshift64*.
pub(crate) struct Random(pub(crate) u64);

impl Random {
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

    fn case(kind: Kind, direction: Direction) -> Case {
        Case {
            log2n: 6,
            batch: 1,
            direction,
            kind,
        }
    }

    #[test]
    fn there_are_as_many_bytes_as_a_plan_reads() {
        for case in crate::case::all() {
            if case.kind != Kind::Complex && case.log2n < 12 {
                let input = Input::new(&case, Stimulus::Random, 0);
                // A real spectrum is followed by what is left alone.
                let read = case.request().input_bytes() as usize;
                let bytes = 4 * input.words.len();
                assert!(bytes == read || bytes + 56 == read, "{}", case.name());
            }
        }
    }

    #[test]
    fn a_tone_of_half_full_scale_is_where_it_should_be() {
        let bin = 64 / PERIOD;
        for kind in [Kind::Real, Kind::RealI16, Kind::IqU8] {
            let case = case(kind, Direction::Forward);
            let expected = Input::new(&case, Stimulus::HelloFft, 0).expected(&case);
            let amplitude = if case.is_real() { 16.0 } else { 32.0 };
            // u8 has steps of 1/127.5.
            assert!((expected[2 * bin] - amplitude).abs() < 0.2, "{kind:?}");
            assert!(expected[2 * bin + 1].abs() < 0.2, "{kind:?}");
        }
        let case = case(Kind::Spectrum, Direction::Forward);
        let powers = Input::new(&case, Stimulus::HelloFft, 0).expected(&case);
        assert!((powers[bin] - 0.25).abs() < 1e-4, "{}", powers[bin]);
        assert!(powers[bin + 2] < 1e-9 && powers.len() == 33);
    }

    #[test]
    fn there_and_back_is_n_times_the_samples() {
        let there = case(Kind::Real, Direction::Forward);
        let input = Input::new(&there, Stimulus::Random, 0);
        let spectrum = Input {
            values: input.expected(&there),
            ..Input::default()
        };
        let back = spectrum.expected(&case(Kind::Real, Direction::Inverse));
        for (back, sample) in back.iter().zip(&input.values) {
            assert!((back - 64.0 * sample).abs() < 1e-9);
        }
    }

    /// A DFT by its definition, as the words of its result.
    fn naive(case: &Case, input: &[f64]) -> Vec<u32> {
        let points = input.len() / 2;
        let sign = match case.direction {
            Direction::Forward => -1.0,
            Direction::Inverse => 1.0,
        };
        let point = |k: usize| {
            let terms = input.chunks_exact(2).enumerate().map(|(n, pair)| {
                let angle = sign * TAU * (n * k % points) as f64 / points as f64;
                Complex::new(pair[0], pair[1]) * Complex::cis(angle)
            });
            let sum: Complex<f64> = terms.sum();
            [(sum.re as f32).to_bits(), (sum.im as f32).to_bits()]
        };
        (0..points).flat_map(point).collect()
    }

    /// The error over three transforms of what is computed as `computed` says.
    fn ppm(case: &Case, computed: &Case, stimulus: Stimulus) -> f64 {
        let mut error = Error::default();
        for transform in 0..3 {
            let input = Input::new(case, stimulus, transform);
            error.add(&naive(computed, &input.values), &input.expected(case));
        }
        error.ppm()
    }

    #[test]
    fn a_right_result_has_the_error_of_its_rounding() {
        for stimulus in [Stimulus::HelloFft, Stimulus::Random] {
            for direction in [Direction::Forward, Direction::Inverse] {
                let case = case(Kind::Complex, direction);
                let ppm = ppm(&case, &case, stimulus);
                assert!(ppm < 0.05, "{stimulus:?} {ppm}");
            }
        }
    }

    #[test]
    fn a_wrong_direction_is_an_error_of_the_size_of_the_signal() {
        let forward = case(Kind::Complex, Direction::Forward);
        let inverse = case(Kind::Complex, Direction::Inverse);
        let ppm = ppm(&forward, &inverse, Stimulus::Random);
        assert!(ppm > 1e6, "{ppm}");
    }

    #[test]
    fn a_tone_of_hello_fft_is_a_cosine() {
        let case = case(Kind::Complex, Direction::Inverse);
        for (transform, bin) in [(0, 1), (2, 3), (31, 0)] {
            let expected = Input::new(&case, Stimulus::HelloFft, transform).expected(&case);
            for (n, point) in expected.chunks_exact(2).enumerate() {
                let cosine = (TAU * (bin * n % 64) as f64 / 64.0).cos();
                assert!((point[0] - cosine).abs() < 1e-12 && point[1].abs() < 1e-12);
            }
        }
    }

    #[test]
    fn random_numbers_are_uniform() {
        let case = Case {
            log2n: 14,
            ..case(Kind::Complex, Direction::Forward)
        };
        let input = Input::new(&case, Stimulus::Random, 0).values;
        assert!(input.iter().all(|value| (-1.0..1.0).contains(value)));
        let mean = input.iter().sum::<f64>() / input.len() as f64;
        let power = input.iter().map(|value| value * value).sum::<f64>() / input.len() as f64;
        // Standard deviations of both are below 0.004.
        assert!(mean.abs() < 0.02 && (power - 1.0 / 3.0).abs() < 0.02);
        assert_ne!(input, Input::new(&case, Stimulus::Random, 1).values);
    }
}

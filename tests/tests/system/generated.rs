//! The spectra that are expected of the generator, in every bin.

use crate::host::Spectrum;
use crate::reference;
use dsp::generator::Generator;
use reference_fft::Complex;
use wire::Encoding;

/// Half a step of 0.01 dB, as a part of the amplitude.
const HALF_STEP: f64 = 5.8e-4;

/// The error that the transform may add to any bin, relative to the root of the sum of all bins'
/// powers: the bound on the relative rms error of the QPU engine, the larger of the two.
const TRANSFORM: f64 = 1e-6;

/// The samples of the built-in generator, as far as records that come in their order need them.
#[derive(Default)]
pub struct Generated {
    generator: Generator,
    /// The number of the first sample that is kept.
    first: usize,
    samples: Vec<Complex<f64>>,
}

impl Generated {
    /// Checks that a record of the generator is what its samples give in double precision.
    ///
    /// # Errors
    /// The first bin that is not.
    pub fn check(&mut self, record: &Spectrum) -> Result<(), String> {
        let range = samples_of(record);
        let first = range.start;
        let samples = self.range(range).to_vec();
        check(record, &samples).map_err(|error| format!("from sample {first} on: {error}"))
    }

    /// Samples from the generator's start on. An earlier one than the last time begins anew.
    fn range(&mut self, range: std::ops::Range<usize>) -> &[Complex<f64>] {
        if range.start < self.first {
            *self = Self::default();
        }
        let next = self.first + self.samples.len();
        for number in next..range.end {
            let sample = f64::from(self.generator.real());
            if number >= range.start {
                self.samples.push(Complex::new(sample, 0.0));
            }
        }
        if range.start > next {
            // What lies between was made and dropped; so is what was kept before.
            self.samples.drain(..next - self.first);
        } else {
            self.samples.drain(..range.start - self.first);
        }
        self.first = range.start;
        &self.samples[..range.len()]
    }
}

/// The samples that a record is of, as the stream or the upload counts them.
pub fn samples_of(record: &Spectrum) -> std::ops::Range<usize> {
    let descriptor = &record.descriptor;
    let n = descriptor.n as usize;
    let hop = n - descriptor.overlap as usize;
    let first = usize::try_from(record.head.first_sample).expect("tests are short");
    first..first + n + (record.head.blocks as usize - 1) * hop
}

/// Checks that a record of mean powers is what these samples give in double precision.
///
/// # Errors
/// The first bin that is not.
pub fn check(record: &Spectrum, samples: &[Complex<f64>]) -> Result<(), String> {
    let descriptor = &record.descriptor;
    let n = descriptor.n as usize;
    let overlap = descriptor.overlap as usize;
    let expected = reference::power(samples, descriptor.domain, descriptor.window, n, overlap);
    assert_eq!(record.levels_db.len(), expected.len());
    let step = match record.head.encoding {
        Encoding::F32 => 0.0,
        Encoding::U16 if (descriptor.scale - 0.01).abs() < 1e-9 => HALF_STEP,
        other => panic!("{other:?} in steps of {} dB", descriptor.scale),
    };
    let total: f64 = expected.iter().sum();
    for (bin, (level, power)) in record.levels_db.iter().zip(expected).enumerate() {
        let (actual, expected) = (10_f64.powf(level / 20.0), power.sqrt());
        // Not a comparison that NaN would pass.
        let is_right = (actual - expected).abs() <= step * expected + TRANSFORM * total.sqrt();
        if !is_right {
            return Err(format!(
                "record {} by {:?}, bin {bin}: {level} dB, expected {} dB",
                record.head.record,
                record.head.engine,
                reference::db(power)
            ));
        }
    }
    Ok(())
}

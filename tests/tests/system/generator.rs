//! The generator's spectra against the same samples transformed in double precision.

use crate::host::{Host, Spectrum};
use crate::line::Virtual;
use crate::reference;
use rustfft::num_complex::Complex;
use tests::{NO_KERNEL, need};
use virtual_pi::Config;
use wire::Encoding;

/// Half a step of 0.01 dB, as a part of the amplitude.
const HALF_STEP: f64 = 5.8e-4;

/// What the transform may add to any bin, relative to the root of the sum of all bins' powers: the
/// bound on the relative rms error of the QPU engine, the larger of the two.
const TRANSFORM: f64 = 1e-6;

/// Holds a record of the generator to what its samples give in double precision, in every bin.
pub fn assert_matches_reference(record: &Spectrum) {
    let descriptor = &record.descriptor;
    let n = descriptor.n as usize;
    let overlap = descriptor.overlap as usize;
    let blocks = record.head.blocks as usize;
    let first = usize::try_from(record.head.first_sample).expect("tests are short");
    let count = n + (blocks - 1) * (n - overlap);
    let samples = samples(first, count);
    let expected = reference::power(&samples, descriptor.domain, descriptor.window, n, overlap);
    assert_eq!(record.levels_db.len(), expected.len());
    assert_eq!(record.head.encoding, Encoding::U16);
    assert!((descriptor.scale - 0.01).abs() < 1e-9, "not centi-dB");
    let total: f64 = expected.iter().sum();
    for (bin, (level, power)) in record.levels_db.iter().zip(expected).enumerate() {
        let (actual, expected) = (10_f64.powf(level / 20.0), power.sqrt());
        assert!(
            (actual - expected).abs() <= HALF_STEP * expected + TRANSFORM * total.sqrt(),
            "record {} bin {bin}: {level} dB, expected {} dB",
            record.head.record,
            reference::db(power)
        );
    }
}

/// Samples of the built-in generator, from `first` on.
fn samples(first: usize, count: usize) -> Vec<Complex<f64>> {
    let mut generator = dsp::generator::Generator::new();
    let all = (0..first + count).map(|_| Complex::new(f64::from(generator.real()), 0.0));
    all.skip(first).collect()
}

#[test]
fn spectra_of_the_generator_match_double_precision_on_both_engines() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    for v3d in [true, false] {
        let config = Config {
            v3d,
            ..Config::default()
        };
        let mut host = Host::new(Virtual::boot(&image, config));
        for _ in 0..3 {
            assert_matches_reference(&host.spectrum(5_000));
        }
    }
}

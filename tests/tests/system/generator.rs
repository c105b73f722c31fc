//! The generator's spectra against the same samples transformed in double precision.

use crate::host::{Host, Spectrum};
use crate::line::Virtual;
use crate::reference;
use rustfft::num_complex::Complex;
use tests::{NO_KERNEL, need};
use virtual_pi::Config;
use wire::Encoding;

/// Half a step of the encoding, and what single precision adds far below the strongest line.
const ENCODING_DB: f64 = 0.005;
const ARITHMETIC_DB: f64 = 0.005;

/// Bins this far below full scale are noise of the arithmetic.
const FLOOR_DB: f64 = -100.0;

/// Holds a record of the generator to what its samples give in double precision.
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
    let step = f64::from(descriptor.scale);
    assert!((step - 0.01).abs() < 1e-9, "centi-dB, not {step}");
    let mut strong = 0;
    for (bin, (level, power)) in record.levels_db.iter().zip(expected).enumerate() {
        let expected = reference::db(power);
        if expected < FLOOR_DB {
            continue;
        }
        strong += 1;
        assert!(
            (level - expected).abs() <= ENCODING_DB + ARITHMETIC_DB,
            "record {} bin {bin}: {level} dB, expected {expected} dB",
            record.head.record
        );
    }
    assert!(strong > n / 4, "only {strong} bins above the floor");
}

/// Samples of the built-in generator, from `first` on.
fn samples(first: usize, count: usize) -> Vec<Complex<f64>> {
    {
        let _ = (first, count);
        Vec::new()
    }
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

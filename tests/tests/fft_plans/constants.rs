//! Constants removed from spectra in windows that spread them over all bins, held to a DFT in f64.

use super::harness::LIMIT_US;
use super::signals::{Random, dft};
use dsp::{Complex, Direction};
use qpu::job::Runner;
use qpu_fft::Plan;
use qpu_fft::kernels::spectral::power::{Detector, Removed};
use qpu_fft::request::{Error, Transform};
use qpu_fft::samples::Format;
use qpu_fft::spectrum::{Settings, Spectrum};
use qpu_fft::window::{Shape, kaiser};
use qpu_programs::FFT;
use v3d_sim::SimRunner;

/// The tolerance as a share of the power of the strongest bin that is left.
const TOLERANCE: f64 = 2e-6;
/// The share of a constant's amplitude that may be left of it: -120 dB.
const REMOVED: f64 = 1e-6;

/// Removes a constant from all segments, halves of which are in common.
fn settings(is_real: bool, format: Format, log2_points: u32, segments: u32) -> Settings {
    Settings {
        removes_constant: true,
        ..Settings::new(is_real, format, log2_points, segments)
    }
}

/// Samples around a constant, the numbers that they are meant as.
fn samples(
    format: Format,
    count: usize,
    constant: f64,
    noise: f64,
    seed: u64,
) -> (Vec<u32>, Vec<f32>) {
    let mut random = Random::new(seed);
    let (mut bytes, mut values) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let value = constant + noise * f64::from(random.sample());
        let scaled = (value * format.full_scale()).round();
        let taken = match format {
            Format::F32 => {
                bytes.extend((value as f32).to_le_bytes());
                f64::from(value as f32)
            }
            Format::I16 => {
                bytes.extend((scaled as i16).to_le_bytes());
                scaled / format.full_scale()
            }
            Format::I32 => {
                bytes.extend((scaled as i32).to_le_bytes());
                scaled / format.full_scale()
            }
            Format::I8 => {
                bytes.extend((scaled as i8).to_le_bytes());
                scaled / format.full_scale()
            }
            Format::U8 | Format::U8High => {
                let byte = (value * 127.5 + 127.5).round() as u8;
                bytes.extend((format == Format::U8High).then_some(!byte));
                bytes.push(byte);
                (f64::from(byte) - 127.5) / 127.5
            }
        };
        values.push(taken as f32);
    }
    let words = bytes.chunks(4).map(|bytes| {
        let mut word = [0; 4];
        word[..bytes.len()].copy_from_slice(bytes);
        u32::from_le_bytes(word)
    });
    (words.collect(), values)
}

/// Powers of all bins that are stored.
fn powers(settings: &Settings, window: &dyn Fn(u32) -> f64, words: &[u32]) -> (Spectrum, Vec<f64>) {
    let mut runner = SimRunner::new(8 << 20).with_functional(true);
    let made = Spectrum::with_coefficients(FFT, settings, window, &mut runner);
    let mut spectrum = made.unwrap();
    runner.write(spectrum.plan().input(), 0, words).unwrap();
    spectrum.run(&mut runner, LIMIT_US).unwrap();
    let mut powers = Vec::new();
    for number in 0..settings.spectra {
        let [first, end] = spectrum.bins();
        let mut words = vec![0; (end - first) as usize];
        let at = number * spectrum.pitch() / 4;
        runner
            .read(spectrum.plan().output(), at, &mut words)
            .unwrap();
        powers.extend(words.iter().map(|&word| f64::from(f32::from_bits(word))));
    }
    (spectrum, powers)
}

/// The powers by the definition: the mean that the window weighs is subtracted from every sample.
fn wanted(settings: &Settings, window: &dyn Fn(u32) -> f64, values: &[f32]) -> Vec<f64> {
    let n = 1usize << settings.log2_points;
    let components = if settings.is_real { 1 } else { 2 };
    let table: Vec<f64> = (0..n as u32).map(window).collect();
    let sum: f64 = table.iter().sum();
    let [least, most] = match settings.is_real {
        true => [0, n as i32 / 2 + 1],
        false => [-(n as i32) / 2, n as i32 / 2],
    };
    let [first, end] = settings.bins.unwrap_or([least, most]);
    let mut all = Vec::new();
    for spectrum in 0..settings.spectra {
        let mut held: Vec<Vec<f64>> = vec![Vec::new(); (end - first) as usize];
        for segment in 0..settings.segments {
            let start = (spectrum * settings.segments + segment) * settings.hop;
            let part = |index: usize, component: usize| {
                f64::from(values[(start as usize + index) * components + component])
            };
            let means = [0, components - 1].map(|component| {
                let weighted = (0..n).map(|index| table[index] * part(index, component));
                weighted.sum::<f64>() / sum
            });
            let point = |index: usize| {
                let of =
                    |component: usize| table[index] * (part(index, component) - means[component]);
                let im = if settings.is_real { 0.0 } else { of(1) };
                Complex::new(of(0) as f32, im as f32)
            };
            let bins = dft(Direction::Forward, &(0..n).map(point).collect::<Vec<_>>());
            for (held, bin) in held.iter_mut().zip(first..end) {
                let sides = match settings.is_real {
                    true if bin == 0 || bin == n as i32 / 2 => 2.0,
                    true => 4.0,
                    false => 1.0,
                };
                let index = bin.rem_euclid(n as i32) as usize;
                held.push(sides * bins[index].norm_sqr() / (sum * sum));
            }
        }
        all.extend(held.into_iter().map(|powers| match settings.detector {
            Detector::Mean | Detector::MeanMax => powers.iter().sum::<f64>() / powers.len() as f64,
            Detector::Max => powers.into_iter().fold(0.0, f64::max),
            Detector::Min => powers.into_iter().fold(f64::INFINITY, f64::min),
        }));
    }
    all
}

/// Gives how it was removed.
fn assert_removed(settings: &Settings, name: &str, window: &dyn Fn(u32) -> f64) -> Removed {
    let components = if settings.is_real { 1 } else { 2 };
    let segments = settings.spectra * settings.segments - 1;
    let count = (segments * settings.hop + (1 << settings.log2_points)) as usize * components;
    let about = format!("{name}: {settings:?}");

    let (words, values) = samples(settings.format, count, 0.6, 0.3, 5);
    let (spectrum, got) = powers(settings, window, &words);
    let Transform::Powers(made) = spectrum.plan().request().transform else {
        panic!("{about}: no powers");
    };
    let wanted = wanted(settings, window, &values);
    assert!(got.len() >= wanted.len());
    let strongest = wanted.iter().copied().fold(0.0, f64::max);
    if settings.bins.is_none() {
        assert_eq!(got.len(), wanted.len(), "{about}");
    }
    let offset = settings
        .bins
        .map_or(0, |[first, _]| first - spectrum.bins()[0]);
    for (index, wanted) in wanted.iter().enumerate() {
        let got = got[offset as usize + index];
        // What a constant leaves is a share of its amplitude.
        let limit = TOLERANCE * strongest + 2.0 * REMOVED * wanted.sqrt() + 4.0 * REMOVED * REMOVED;
        let error = (got - wanted).abs();
        assert!(error < limit, "{about}, {index}: {got}, not {wanted}");
    }

    let (words, _) = samples(settings.format, count, 0.75, 0.0, 6);
    let (_, got) = powers(settings, window, &words);
    for (index, power) in got.iter().enumerate() {
        let limit = 4.0 * REMOVED * REMOVED;
        assert!(*power < limit, "{about}, {index}: {power} of a constant");
    }
    made.removed
}

#[test]
fn a_constant_goes_from_every_bin_in_kaisers_window_and_in_tables() {
    for is_real in [true, false] {
        // Short and long units, a unit longer than the spectrum, transforms of one, two and more
        // passes.
        for log2_points in [5, 6, 7, 9, 10, 12, 13, 15] {
            let settings = settings(is_real, Format::F32, log2_points, 2);
            let n = 1 << log2_points;
            for beta in [2.0, 8.6, 20.0] {
                let window = |k| kaiser(beta, k, log2_points);
                let removed = assert_removed(&settings, "Kaiser's", &window);
                // With that β side lobes are too low to tell.
                assert_eq!(removed == Removed::Everywhere, beta < 20.0);
            }
            assert_removed(&settings, "triangle", &|k| f64::from(k.min(n - k)));
        }
    }
}

#[test]
fn whatever_the_samples_the_detector_and_the_part_of_the_spectrum() {
    for is_real in [true, false] {
        let window = |k| kaiser(6.0, k, 10);
        for format in Format::ALL {
            assert_removed(&settings(is_real, format, 10, 3), "samples", &window);
        }
        for detector in [Detector::Max, Detector::Min] {
            let settings = Settings {
                detector,
                ..settings(is_real, Format::I16, 10, 5)
            };
            assert_removed(&settings, "detector", &window);
        }
        let several = Settings {
            spectra: 3,
            decibels: true,
            ..settings(is_real, Format::I16, 10, 2)
        };
        assert_removed(&several, "several", &window);
        for bins in [[0, 16], [3, 40], [200, 512], [500, 511]] {
            let settings = Settings {
                bins: Some(bins),
                ..settings(is_real, Format::F32, 10, 2)
            };
            assert_removed(&settings, "part", &window);
        }
    }
}

#[test]
fn another_window_is_learnt_anew() {
    let settings = settings(true, Format::F32, 9, 1);
    let window = |beta: f64| move |k: u32| kaiser(beta, k, 9);
    let mut runner = SimRunner::new(1 << 20).with_functional(true);
    let request = settings.request_for(&Shape::of_coefficients(window(6.0), 9));
    let mut plan = Plan::with_buffers(FFT, &request, &mut runner).unwrap();
    let constants = vec![0.5f32.to_bits(); 512];
    let mut left = |plan: &mut Plan, learns: bool, beta: f64| {
        plan.set_window(&mut runner, window(beta)).unwrap();
        if learns {
            plan.learn_window(&mut runner, LIMIT_US).unwrap();
        }
        runner.write(plan.input(), 0, &constants).unwrap();
        plan.run(&mut runner, qpu_fft::Direction::Forward, LIMIT_US)
            .unwrap();
        let mut words = vec![0; 257];
        runner.read(plan.output(), 0, &mut words).unwrap();
        words.into_iter().map(f32::from_bits).fold(0.0, f32::max)
    };
    for (learns, beta, is_gone) in [
        (false, 6.0, false),
        (true, 6.0, true),
        (false, 3.0, false),
        (true, 3.0, true),
    ] {
        let most = left(&mut plan, learns, beta);
        assert_eq!(most < 1e-10, is_gone, "{learns} {beta}: {most}");
    }
    let alternating = |k: u32| if k.is_multiple_of(2) { 1.0 } else { -1.0 };
    plan.set_window(&mut runner, alternating).unwrap();
    let error = plan.learn_window(&mut runner, LIMIT_US).unwrap_err();
    assert_eq!(error, Error::Window);
    let complex = qpu_fft::request::Request::new(8, 1);
    let mut plan = Plan::with_buffers(FFT, &complex, &mut runner).unwrap();
    let error = plan.learn_window(&mut runner, LIMIT_US).unwrap_err();
    assert_eq!(error, Error::NoPowers);
}

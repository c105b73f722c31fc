//! Spectra in windows that are given as numbers, held to a DFT in f64.

use super::harness::LIMIT_US;
use super::signals::{Random, dft};
use dsp::{Complex, Direction};
use qpu::job::Runner;
use qpu_fft::request::Error;
use qpu_fft::samples::Format;
use qpu_fft::spectrum::{Settings, Spectrum};
use qpu_fft::window::{cosines, kaiser};
use qpu_programs::FFT;
use std::f64::consts::TAU;
use v3d_sim::SimRunner;

/// The tolerance as a share of the power of the strongest bin.
const TOLERANCE: f64 = 2e-6;
const HANN: [f64; 2] = [0.5, 0.5];

/// Spectra of `values` that are f32 samples.
fn spectra(
    settings: &Settings,
    window: &dyn Fn(u32) -> f64,
    values: &[f32],
) -> Result<(Spectrum, Vec<f64>), String> {
    let mut runner = SimRunner::new(4 << 20).with_functional(true);
    let made = Spectrum::with_coefficients(FFT, settings, window, &mut runner);
    let mut spectrum = made.map_err(|error| error.to_string())?;
    let words: Vec<u32> = values.iter().map(|x| x.to_bits()).collect();
    runner.write(spectrum.plan().input(), 0, &words).unwrap();
    spectrum.run(&mut runner, LIMIT_US).unwrap();
    let output = spectrum.plan().output();
    let mut words = vec![0; output.bytes as usize / 4];
    runner.read(output, 0, &mut words).unwrap();
    let powers = words.iter().map(|&word| f64::from(f32::from_bits(word)));
    Ok((spectrum, powers.collect()))
}

fn assert_powers(is_real: bool, log2_points: u32, window: &dyn Fn(u32) -> f64) {
    let settings = Settings::new(is_real, Format::F32, log2_points, 3);
    let n = 1usize << log2_points;
    let components = if is_real { 1 } else { 2 };
    let mut random = Random::new(20);
    let values: Vec<f32> = (0..2 * n * components).map(|_| random.sample()).collect();
    let (spectrum, got) = spectra(&settings, window, &values).unwrap();
    let table: Vec<f64> = (0..n as u32).map(window).collect();
    let sum: f64 = table.iter().sum();
    let [least, most] = spectrum.bins();
    let mut wanted = vec![0.0; (most - least) as usize];
    for segment in 0..3 {
        let point = |index: usize| {
            let at = (segment * n / 2 + index) * components;
            let part = |component| (f64::from(values[at + component]) * table[index]) as f32;
            Complex::new(part(0), if is_real { 0.0 } else { part(1) })
        };
        let points: Vec<_> = (0..n).map(point).collect();
        let bins = dft(Direction::Forward, &points);
        for (power, bin) in wanted.iter_mut().zip(least..most) {
            let sides = match is_real {
                true if bin == 0 || bin == n as i32 / 2 => 2.0,
                true => 4.0,
                false => 1.0,
            };
            let index = bin.rem_euclid(n as i32) as usize;
            *power += sides * bins[index].norm_sqr() / (3.0 * sum * sum);
        }
    }
    let strongest = wanted.iter().copied().fold(0.0, f64::max);
    for ((bin, got), wanted) in (least..).zip(&got).zip(&wanted) {
        assert!(
            (got - wanted).abs() < TOLERANCE * strongest,
            "{n} points, real {is_real}, bin {bin}: {got}, not {wanted}"
        );
    }
}

#[test]
fn kaisers_windows_and_those_of_a_table() {
    let mut random = Random::new(21);
    // Between 0.5 and 1.5, so that the sum is far from 0; not the same from both ends.
    let table: Vec<f64> = (0..4096)
        .map(|_| 1.0 + f64::from(random.sample()) / 2.0)
        .collect();
    for is_real in [true, false] {
        for log2_points in [5, 8, 10, 12] {
            for beta in [0.0, 8.6, 20.0] {
                assert_powers(is_real, log2_points, &|n| kaiser(beta, n, log2_points));
            }
            assert_powers(is_real, log2_points, &|n| table[n as usize]);
        }
    }
}

/// A sine of full scale on a bin has power 1 in every window, whatever its height; a constant is
/// removed but for the side lobes of the window beyond sixteen bins.
#[test]
fn levels_are_the_same_in_every_window_and_a_constant_goes() {
    let log2_points = 10;
    let settings = Settings {
        removes_constant: true,
        ..Settings::new(true, Format::F32, log2_points, 1)
    };
    let sine = |n: u32| (TAU * 100.0 * f64::from(n) / 1024.0).sin() as f32;
    let values: Vec<f32> = (0..1024).map(|n| sine(n) + 0.5).collect();
    let windows: [&dyn Fn(u32) -> f64; 5] = [
        &|_| 1.0,
        &|_| 0.01,
        &|n| 300.0 * cosines(&HANN, n, log2_points),
        &|n| kaiser(8.6, n, log2_points),
        &|n| kaiser(14.0, n, log2_points),
    ];
    for (number, window) in windows.iter().enumerate() {
        let (_, powers) = spectra(&settings, window, &values).unwrap();
        let level = |bin: usize| 10.0 * powers[bin].log10();
        assert!(level(100).abs() < 1e-4, "window {number}: {}", level(100));
        // A constant of 0.5 is at -3 dB in bin 0 before it is removed.
        for bin in (0..80).chain(120..513) {
            assert!(
                level(bin) < -85.0,
                "window {number}, bin {bin}: {}",
                level(bin)
            );
        }
    }
}

#[test]
fn one_term_is_the_rectangular_window_whatever_its_height() {
    for terms in [&[][..], &[1.0], &[2.0], &[0.25]] {
        let settings = Settings::new(true, Format::F32, 6, 1);
        let mut runner = SimRunner::new(1 << 20).with_functional(true);
        let mut spectrum = Spectrum::with_buffers(FFT, &settings, terms, &mut runner).unwrap();
        let sine = |n: u32| (TAU * 5.0 * f64::from(n) / 64.0).sin() as f32;
        let words: Vec<u32> = (0..64).map(|n| sine(n).to_bits()).collect();
        runner.write(spectrum.plan().input(), 0, &words).unwrap();
        spectrum.run(&mut runner, LIMIT_US).unwrap();
        let mut word = [0];
        runner.read(spectrum.plan().output(), 5, &mut word).unwrap();
        let power = f32::from_bits(word[0]);
        assert!((power - 1.0).abs() < 1e-6, "{terms:?}: {power}");
    }
}

#[test]
fn windows_that_cannot_be_are_refused() {
    let settings = Settings::new(true, Format::I16, 8, 2);
    let removing = Settings {
        removes_constant: true,
        ..settings
    };
    let alternating = |n: u32| if n.is_multiple_of(2) { 1.0 } else { -1.0 };
    let cases: [(&Settings, &dyn Fn(u32) -> f64); 5] = [
        (&settings, &|_| 0.0),
        (&settings, &|_| f64::NAN),
        (&settings, &|n| kaiser(f64::INFINITY, n, 8)),
        (&settings, &alternating),
        (&removing, &|n| f64::from(n)),
    ];
    for (number, (settings, window)) in cases.into_iter().enumerate() {
        let error = spectra(settings, window, &[]).err();
        let is_explained = error
            .as_ref()
            .is_some_and(|text| text.contains("sum that is not 0"));
        assert!(is_explained, "window {number}: {error:?}");
    }
    let mut runner = SimRunner::new(1 << 20);
    for terms in [&[0.0, 1.0][..], &[f64::NAN, 1.0]] {
        let error = Spectrum::with_buffers(FFT, &settings, terms, &mut runner).unwrap_err();
        assert_eq!(error, Error::Window);
    }
    let long = Settings::new(true, Format::I16, 40, 2);
    let error = spectra(&long, &|_| 1.0, &[]).unwrap_err();
    assert!(error.contains("2^5 to 2^23"), "{error}");
}

//! Averaged power spectra from samples to powers, held to the CPU engine's definition of them.

use super::harness::LIMIT_US;
use super::signals::{Random, dft};
use dsp::spectrum::{Detector, Domain, accumulate};
use dsp::{Complex, Direction, Window};
use qpu::job::Runner;
use qpu_fft::kernels::spectral::power::Hold;
use qpu_fft::samples::Format;
use qpu_fft::spectrum::{Settings, Spectrum};
use qpu_programs::FFT;
use std::f64::consts::TAU;
use v3d_sim::SimRunner;

/// The tolerance as a share of a bin's power, and of the mean power of all: sums and squares in
/// f32, and the spectra's own error.
const TOLERANCE: f64 = 5e-6;

/// V3D clocks of GPU_FFT 3.0 for 4096 complex points, batch 1, simulated:
/// `cargo xtask bench --recorded --lengths 12`.
const GPU_FFT_CLOCKS: u64 = 61_404;

/// Samples as they lie in memory, and as numbers: two tones and noise.
fn samples(settings: &Settings, seed: u64) -> (Vec<u32>, Vec<f64>) {
    let mut random = Random::new(seed);
    let segments = settings.segments * settings.spectra;
    let count = (segments - 1) * settings.hop + (1 << settings.log2_points);
    let components = if settings.is_real { 1 } else { 2 };
    let mut bytes = Vec::new();
    let mut values = Vec::new();
    for index in 0..count * components {
        let tone = |f: f64| {
            (TAU * f * f64::from(index / components) - f64::from(index % components)).cos()
        };
        let value = 0.4 * tone(0.11) + 0.01 * tone(0.3) + 0.02 * f64::from(random.sample()) + 0.1;
        let value = match settings.format {
            Format::F32 => {
                bytes.extend((value as f32).to_le_bytes());
                f64::from(value as f32)
            }
            Format::I16 => {
                let sample = (value * 32768.0).round() as i16;
                bytes.extend(sample.to_le_bytes());
                f64::from(sample) / 32768.0
            }
            Format::I32 => {
                let sample = (value * 2_147_483_648.0).round() as i32;
                bytes.extend(sample.to_le_bytes());
                f64::from(sample) / 2_147_483_648.0
            }
            Format::U8 | Format::U8High => {
                let sample = (value * 127.5 + 127.5).round() as u8;
                bytes.extend((settings.format == Format::U8High).then_some(!sample));
                bytes.push(sample);
                (f64::from(sample) - 127.5) / 127.5
            }
            Format::I8 => {
                let sample = (value * 128.0).round() as i8;
                bytes.extend(sample.to_le_bytes());
                f64::from(sample) / 128.0
            }
        };
        values.push(value);
    }
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let words = bytes
        .chunks(4)
        .map(|word| u32::from_le_bytes(word.try_into().unwrap()));
    (words.collect(), values)
}

/// Each spectrum as the firmware's CPU engine has it.
fn wanted(settings: &Settings, window: Window, values: &[f64]) -> Vec<Vec<f32>> {
    let n = 1usize << settings.log2_points;
    let (domain, components) = match settings.is_real {
        true => (Domain::Real, 1),
        false => (Domain::Complex, 2),
    };
    let table: Vec<_> = (0..n).map(|index| window.coefficient(index, n)).collect();
    let spectrum = |number: u32| {
        let mut sums = vec![0.0; domain.bins(n)];
        for segment in number * settings.segments..(number + 1) * settings.segments {
            let first = (segment * settings.hop) as usize * components;
            let points: Vec<_> = (0..n)
                .map(|index| {
                    let part = |component: usize| {
                        let value = values[first + index * components + component];
                        (value * table[index]) as f32
                    };
                    match domain {
                        Domain::Real => Complex::new(part(0), 0.0),
                        Domain::Complex => Complex::new(part(0), part(1)),
                    }
                })
                .collect();
            let bins = dft(Direction::Forward, &points);
            let bins: Vec<_> = bins
                .iter()
                .map(|z| Complex::new(z.re as f32, z.im as f32))
                .collect();
            accumulate(domain, Detector::Mean, &bins, &mut sums);
        }
        let mut power = vec![0.0; domain.bins(n)];
        dsp::spectrum::power(
            domain,
            Detector::Mean,
            window.gain(&table).coherent,
            n,
            settings.segments,
            &sums,
            &mut power,
            || (),
        );
        power
    };
    (0..settings.spectra).map(spectrum).collect()
}

fn runner(settings: &Settings, terms: &[f64]) -> SimRunner {
    let request = settings.request(terms);
    let memory = qpu_fft::Plan::memory::<v3d_sim::SimError>(FFT, &request).unwrap();
    let buffers = (request.input_bytes() + request.output_bytes()) as u32;
    SimRunner::new(memory.total() + buffers + (64 << 10))
}

fn read(spectrum: &Spectrum, runner: &mut SimRunner) -> Vec<f32> {
    let output = spectrum.plan().output();
    let mut words = vec![0; output.bytes as usize / 4];
    runner.read(output, 0, &mut words).unwrap();
    words.into_iter().map(f32::from_bits).collect()
}

fn near(what: &str, got: &[f32], wanted: &[f32]) {
    let mean = wanted.iter().map(|&x| f64::from(x)).sum::<f64>() / wanted.len() as f64;
    for (k, (&got, &wanted)) in got.iter().zip(wanted).enumerate() {
        let (got, wanted) = (f64::from(got), f64::from(wanted));
        let error = (got - wanted).abs();
        assert!(
            error <= TOLERANCE * (wanted + mean),
            "{what}, bin {k}: {got}, not {wanted}"
        );
    }
}

#[test]
fn spectra_are_those_of_the_cpu_engine() {
    for (is_real, log2_points) in [(true, 5), (true, 9), (true, 12), (false, 6), (false, 10)] {
        for format in Format::ALL {
            for window in [Window::Hann, Window::FlatTop, Window::Rectangular] {
                let settings = Settings {
                    spectra: 2,
                    ..Settings::new(is_real, format, log2_points, 3)
                };
                let what = format!("{settings:?}, {window:?}");
                let (words, values) = samples(&settings, 1);
                let mut runner =
                    runner(&settings, window.terms().unwrap()).with_functional(log2_points > 9);
                let made =
                    Spectrum::with_buffers(FFT, &settings, window.terms().unwrap(), &mut runner);
                let mut spectrum = made.unwrap_or_else(|error| panic!("{what}: {error}"));
                runner.write(spectrum.plan().input(), 0, &words).unwrap();
                spectrum.run(&mut runner, LIMIT_US).unwrap();
                let output = read(&spectrum, &mut runner);
                let pitch = spectrum.pitch() as usize / 4;
                for (got, wanted) in output.chunks(pitch).zip(wanted(&settings, window, &values)) {
                    near(&what, got, &wanted);
                }
            }
        }
    }
}

#[test]
fn a_constant_goes_and_the_rest_stays() {
    let settings = Settings {
        removes_constant: true,
        decibels: true,
        bins: Some([0, 100]),
        ..Settings::new(true, Format::I16, 10, 4)
    };
    let (words, values) = samples(&settings, 2);
    let terms = Window::Hann.terms().unwrap();
    let mut runner = runner(&settings, terms);
    let mut spectrum = Spectrum::with_buffers(FFT, &settings, terms, &mut runner).unwrap();
    assert_eq!(spectrum.bins(), [0, 112]);
    runner.write(spectrum.plan().input(), 0, &words).unwrap();
    spectrum.run(&mut runner, LIMIT_US).unwrap();
    let first = read(&spectrum, &mut runner);
    let whole = wanted(&settings, Window::Hann, &values).remove(0);
    // The constant of 0.1 has 2 * 0.01 in bin 0 and a quarter of twice that in bin 1.
    assert!(whole[0] > 0.019 && whole[1] > 0.009);
    assert!(
        first[0] < 1e-4 && first[1] < 1e-4,
        "{} {}",
        first[0],
        first[1]
    );
    near("the rest", &first[2..112], &whole[2..112]);
    let level = 10.0 * f64::from(first[50]).log10();
    let got = f64::from(first[spectrum.level_offset() as usize / 4 + 50]);
    assert!((got - level).abs() < 0.0004, "{got} dB, not {level}");
    // The same again, held: the greater of equal powers.
    spectrum
        .run_onto(&mut runner, Hold::Max, [1.0; 2], LIMIT_US)
        .unwrap();
    assert!(read(&spectrum, &mut runner) == first);
}

#[test]
fn a_spectrum_of_4096_samples_takes_less_than_gpu_ffts_transform() {
    for segments in [1, 8] {
        let settings = Settings::new(true, Format::I16, 12, segments);
        let (words, _) = samples(&settings, 3);
        let terms = Window::Hann.terms().unwrap();
        let mut runner = runner(&settings, terms);
        let mut spectrum = Spectrum::with_buffers(FFT, &settings, terms, &mut runner).unwrap();
        runner.write(spectrum.plan().input(), 0, &words).unwrap();
        let mut clocks = || spectrum.run(&mut runner, LIMIT_US).unwrap().cycles.unwrap();
        let [cold, steady] = [clocks(), clocks()].map(|clocks| clocks / u64::from(segments));
        println!("{segments} segments: {steady} clocks each, the first time {cold}");
        assert!(steady < GPU_FFT_CLOCKS, "{steady}");
    }
}

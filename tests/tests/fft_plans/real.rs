//! Real transforms and their inverse.

use super::harness::{LIMIT_US, Pace};
use super::signals::{Random, assert_spectrum, dft};
use super::spectra::TOLERANCE;
use dsp::{Complex, Direction};
use qpu::job::Runner;
use qpu_fft::Plan;
use qpu_fft::kernels::spectral::real_split::spectrum_bytes;
use qpu_fft::request::{Error, Request, Scale, Transform};
use qpu_programs::FFT;
use std::f64::consts::TAU;
use v3d_sim::{SimError, SimRunner};

/// The value of words between spectra that a batch leaves alone.
const UNTOUCHED: f32 = 12345.0;

fn forward(log2_points: u32, batch: u32) -> Request {
    Request::of(Transform::RealToBins { log2_points }, batch)
}

fn inverse(log2_points: u32, batch: u32) -> Request {
    Request::of(Transform::BinsToReal { log2_points }, batch)
}

/// Words from one spectrum of a batch to the next.
fn pitch(log2n: u32) -> usize {
    spectrum_bytes(log2n - 1) as usize / 4
}

fn samples(seed: u64, count: usize) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..count).map(|_| random.sample()).collect()
}

fn runner(request: &Request, pace: Pace) -> SimRunner {
    let memory = Plan::memory::<SimError>(FFT, request).expect("a request that can be met");
    let buffers = (request.input_bytes() + request.output_bytes()) as u32;
    let runner = SimRunner::new(memory.total() + buffers + (64 << 10));
    match pace {
        Pace::Timed => runner,
        Pace::Functional => runner.with_functional(true),
        Pace::Shuffled(seed) => runner.with_order_seed(seed),
    }
}

/// A plan of the only direction that the request has, garbage where it keeps data between passes.
fn plan(request: &Request, in_place: bool, runner: &mut SimRunner) -> Plan {
    let [from, to] = [request.input_bytes(), request.output_bytes()].map(|bytes| bytes as u32);
    let input = runner
        .alloc(from.max(if in_place { to } else { 0 }), 4096)
        .unwrap();
    let output = if in_place {
        input
    } else {
        runner.alloc(to, 4096).unwrap()
    };
    let plan = Plan::new(FFT, request, [input, output], runner).unwrap();
    let memory = plan.arrangement().memory;
    let garbage = vec![f32::NAN.to_bits(); memory.scratch as usize / 4];
    let first = (memory.total() - memory.scratch) / 4;
    runner.write(plan.block(), first, &garbage).unwrap();
    plan
}

fn run(plan: &mut Plan, runner: &mut SimRunner, input: &[f32]) -> Vec<f32> {
    let bits = |x: &[f32]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let words = plan.request().output_bytes() as usize / 4;
    let is_apart = plan.input() != plan.output();
    if is_apart {
        let garbage = bits(&vec![UNTOUCHED; words]);
        runner.write(plan.output(), 0, &garbage).unwrap();
    }
    runner.write(plan.input(), 0, &bits(input)).unwrap();
    let direction = plan.request().transform.direction().unwrap();
    plan.run(runner, direction, LIMIT_US).unwrap();
    if is_apart {
        let mut kept = vec![0; input.len()];
        runner.read(plan.input(), 0, &mut kept).unwrap();
        assert!(kept == bits(input), "the input has changed");
    }
    let mut output = vec![0; words];
    runner.read(plan.output(), 0, &mut output).unwrap();
    output.into_iter().map(f32::from_bits).collect()
}

fn transform(request: &Request, pace: Pace, in_place: bool, input: &[f32]) -> Vec<f32> {
    let mut runner = runner(request, pace);
    let mut plan = plan(request, in_place, &mut runner);
    run(&mut plan, &mut runner, input)
}

fn complex(words: &[f32]) -> Vec<Complex<f32>> {
    words
        .chunks_exact(2)
        .map(|z| Complex::new(z[0], z[1]))
        .collect()
}

/// Bins 0 to N/2 of the DFT.
fn bins(input: &[f32]) -> Vec<Complex<f64>> {
    let input: Vec<_> = input.iter().map(|&x| Complex::new(x, 0.0)).collect();
    let mut bins = dft(Direction::Forward, &input);
    bins.truncate(input.len() / 2 + 1);
    bins
}

/// Checks a batch of spectra, and that nothing but zeros is written between them.
fn check_spectra(what: &str, log2n: u32, input: &[f32], output: &[f32], is_apart: bool) {
    let half = 1 << (log2n - 1);
    for (number, (input, output)) in input
        .chunks(2 * half)
        .zip(output.chunks(pitch(log2n)))
        .enumerate()
    {
        let (spectrum, rest) = output.split_at(2 * (half + 1));
        let what = format!("{what}, 2^{log2n}, spectrum {number}");
        assert_spectrum(&what, &complex(spectrum), &bins(input), TOLERANCE);
        assert_eq!((spectrum[1], spectrum[2 * half + 1]), (0.0, 0.0), "{what}");
        let is_zero = rest.iter().all(|x| x.to_bits() == 0);
        let is_untouched = rest.iter().all(|&x| x == UNTOUCHED);
        assert!(!is_apart || is_zero || is_untouched, "{what}: {rest:?}");
    }
}

#[test]
fn spectra_of_every_length() {
    for log2n in 5..=14 {
        let pace = if log2n < 12 {
            Pace::Timed
        } else {
            Pace::Functional
        };
        for in_place in [false, true] {
            let input = samples(log2n.into(), 1 << log2n);
            let output = transform(&forward(log2n, 1), pace, in_place, &input);
            check_spectra("random", log2n, &input, &output, !in_place);
        }
    }
}

#[test]
fn batches_of_spectra() {
    for (log2n, batch) in [
        (5, 1),
        (5, 17),
        (5, 40),
        (6, 9),
        (7, 40),
        (8, 13),
        (8, 70),
        (9, 5),
        (9, 30),
        (10, 7),
        (11, 2),
        (12, 3),
    ] {
        let input = samples(3, batch << log2n);
        let request = forward(log2n, batch as u32);
        let output = transform(&request, Pace::Functional, false, &input);
        check_spectra(&format!("{batch} of"), log2n, &input, &output, true);
        let again = transform(&request, Pace::Functional, true, &input);
        check_spectra(
            &format!("{batch} in place, of"),
            log2n,
            &input,
            &again,
            false,
        );
    }
}

#[test]
fn fewer_qpus_do_the_same() {
    for qpus in [2, 3, 5, 8, 11] {
        for (log2n, batch) in [(5, 3), (8, 1), (9, 1), (10, 2), (11, 1), (12, 1)] {
            let request = Request {
                qpus,
                ..forward(log2n, batch)
            };
            let input = samples(4, (batch as usize) << log2n);
            let output = transform(&request, Pace::Functional, false, &input);
            check_spectra(&format!("{qpus} QPUs"), log2n, &input, &output, true);
        }
    }
}

/// A tone on a bin has nothing elsewhere, a constant and the alternating one have their own bins.
#[test]
fn tones_are_where_they_belong() {
    for log2n in [5, 8, 9, 11] {
        let points = 1usize << log2n;
        for bin in [0, 1, 7, points / 4, points / 2 - 1, points / 2] {
            let angle = |n: usize| TAU * (n * bin % points) as f64 / points as f64;
            let input: Vec<_> = (0..points).map(|n| angle(n).cos() as f32).collect();
            let output = transform(&forward(log2n, 1), Pace::Functional, false, &input);
            check_spectra(&format!("tone at {bin}"), log2n, &input, &output, true);
        }
    }
}

#[test]
fn an_impulse_in_every_position() {
    let log2n = 9;
    let points = 1usize << log2n;
    let mut input = vec![0.0; points * points];
    for position in 0..points {
        input[position * points + position] = 0.75;
    }
    let request = forward(log2n, points as u32);
    let output = transform(&request, Pace::Functional, false, &input);
    check_spectra("impulse", log2n, &input, &output, true);
}

#[test]
fn there_and_back_is_n_times_the_input() {
    for log2n in 5..=13 {
        let points = 1usize << log2n;
        for (batch, scales, factor) in [
            (1, [Scale::None; 2], points as f64),
            (3, [Scale::None, Scale::ByPoints], 1.0),
            (2, [Scale::ByRootOfPoints; 2], 1.0),
        ] {
            for in_place in [false, true] {
                let mut there = forward(log2n, batch);
                (there.forward, there.inverse) = (scales[0], scales[1]);
                let mut back = inverse(log2n, batch);
                (back.forward, back.inverse) = (scales[0], scales[1]);
                let input = samples(7, points * batch as usize);
                let spectra = transform(&there, Pace::Functional, in_place, &input);
                let output = transform(&back, Pace::Functional, in_place, &spectra);
                let wanted: Vec<_> = input
                    .chunks(2)
                    .map(|z| Complex::new(f64::from(z[0]), f64::from(z[1])).scale(factor))
                    .collect();
                let what = format!("2^{log2n} x {batch}, in place {in_place}");
                assert_spectrum(&what, &complex(&output), &wanted, 2.0 * TOLERANCE);
            }
        }
    }
}

/// The inverse is right by itself: its input is not what the forward transform has made.
#[test]
fn the_inverse_is_the_definition() {
    for log2n in 5..=11 {
        let (points, half) = (1usize << log2n, 1usize << (log2n - 1));
        let mut spectrum = samples(5, pitch(log2n));
        (spectrum[1], spectrum[2 * half + 1]) = (0.0, 0.0);
        let output = transform(&inverse(log2n, 1), Pace::Timed, false, &spectrum);
        let bins = complex(&spectrum);
        let whole: Vec<_> = (0..points)
            .map(|k| {
                if k <= half {
                    bins[k]
                } else {
                    bins[points - k].conj()
                }
            })
            .collect();
        let wanted: Vec<_> = dft(Direction::Inverse, &whole)
            .chunks(2)
            .map(|pair| Complex::new(pair[0].re, pair[1].re))
            .collect();
        let what = format!("inverse of 2^{log2n}");
        assert_spectrum(&what, &complex(&output), &wanted, TOLERANCE);
    }
}

#[test]
fn every_order_of_the_qpus_gives_the_same_bits() {
    for (log2n, batch) in [(5, 30), (9, 20), (10, 3), (12, 2), (14, 1)] {
        for request in [forward(log2n, batch), inverse(log2n, batch)] {
            let input = samples(11, request.input_bytes() as usize / 4);
            let bits = |pace| {
                let output = transform(&request, pace, true, &input);
                output.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
            };
            let timed = bits(Pace::Timed);
            for seed in 1..=8 {
                let same = bits(Pace::Shuffled(seed)) == timed;
                assert!(same, "2^{log2n} x {batch}, order {seed}");
            }
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    for log2n in [0, 4, 24, u32::MAX] {
        for request in [forward(log2n, 1), inverse(log2n, 1)] {
            let error: Error<SimError> = Plan::memory(FFT, &request).unwrap_err();
            assert!(error.to_string().contains("2^5 to 2^23"), "{error}");
        }
    }
    let request = forward(10, 2);
    let mut runner = runner(&request, Pace::Functional);
    let mut made = plan(&request, false, &mut runner);
    let error = made
        .run(&mut runner, qpu_fft::Direction::Inverse, LIMIT_US)
        .unwrap_err();
    assert!(error.to_string().contains("other direction"), "{error}");
    // An output of as many bytes as the input is too short.
    let buffer = runner.alloc(request.input_bytes() as u32, 64).unwrap();
    let error = Plan::new(FFT, &request, [buffer, buffer], &mut runner).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("output needs 8320 bytes and has 8192"),
        "{text}"
    );
}

//! Powers of spectra: means, greatest and least, decibels, parts of a spectrum, constants removed.

use super::harness::{LIMIT_US, Pace};
use super::signals::{Random, dft};
use dsp::{Complex, Direction, Window};
use qpu::job::Runner;
use qpu_fft::Direction::Forward;
use qpu_fft::Plan;
use qpu_fft::kernels::spectral::power::{Detector, Hold, Powers, Removed};
use qpu_fft::request::{Error, Request, Transform};
use qpu_fft::window::Shape;
use qpu_programs::FFT;
use v3d_sim::{SimError, SimRunner};

/// The tolerance as a share of a bin's power plus the same share of the mean power of all bins:
/// squares of what spectra may be wrong by.
const TOLERANCE: f64 = 4e-6;
/// Decibels: of the SFU's logarithm, and of f32.
const TOLERANCE_DB: f64 = 0.0004;
/// The share of a constant's amplitude that may be left where it was removed: -120 dB.
const REMOVED: f64 = 1e-6;
/// The value of words that are left alone.
const UNTOUCHED: f32 = 12345.0;

fn request(powers: Powers, batch: u32) -> Request {
    Request::of(Transform::Powers(powers), batch)
}

fn powers_of(request: &Request) -> Powers {
    match request.transform {
        Transform::Powers(powers) => powers,
        _ => panic!("a request of powers"),
    }
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

/// A plan, garbage where it keeps data between passes and in its output.
fn plan(request: &Request, runner: &mut SimRunner) -> Plan {
    let plan = Plan::with_buffers(FFT, request, runner).unwrap();
    let memory = plan.arrangement().memory;
    let garbage = vec![f32::NAN.to_bits(); memory.scratch as usize / 4];
    let first = (memory.total() - memory.scratch) / 4;
    runner.write(plan.block(), first, &garbage).unwrap();
    let words = vec![UNTOUCHED.to_bits(); request.output_bytes() as usize / 4];
    runner.write(plan.output(), 0, &words).unwrap();
    plan
}

fn run(plan: &mut Plan, runner: &mut SimRunner, input: &[f32]) -> Vec<f32> {
    let bits: Vec<u32> = input.iter().map(|x| x.to_bits()).collect();
    runner.write(plan.input(), 0, &bits).unwrap();
    plan.run(runner, Forward, LIMIT_US).unwrap();
    let mut output = vec![0; plan.request().output_bytes() as usize / 4];
    runner.read(plan.output(), 0, &mut output).unwrap();
    output.into_iter().map(f32::from_bits).collect()
}

fn once(request: &Request, pace: Pace, input: &[f32]) -> Vec<f32> {
    let mut runner = runner(request, pace);
    let mut plan = plan(request, &mut runner);
    run(&mut plan, &mut runner, input)
}

/// Random samples of all segments, which lie one after the other.
fn samples(request: &Request, seed: u64) -> Vec<f32> {
    let mut random = Random::new(seed);
    let count = request.input_bytes() / 4;
    (0..count).map(|_| random.sample()).collect()
}

/// The powers of one segment, in order of frequency.
fn segment(powers: &Powers, input: &[f32]) -> Vec<f64> {
    let points: Vec<_> = if powers.is_real {
        input.iter().map(|&x| Complex::new(x, 0.0)).collect()
    } else {
        input.chunks(2).map(|z| Complex::new(z[0], z[1])).collect()
    };
    let mut bins = dft(Direction::Forward, &points);
    let Removed::Near(removed) = powers.removed else {
        panic!("plans of this file know their windows");
    };
    let removed = removed.map(|bits| f64::from(f32::from_bits(bits)));
    let zero = bins[0];
    let count = bins.len();
    for (k, removed) in removed.into_iter().enumerate() {
        bins[k] = bins[k] - zero.scale(removed);
        if k > 0 {
            bins[count - k] = bins[count - k] - zero.scale(removed);
        }
    }
    let half = count / 2;
    let scale = f64::from(f32::from_bits(powers.scale));
    if powers.is_real {
        bins.truncate(half + 1);
        let power = |(k, z): (usize, &Complex<f64>)| {
            let share = if k == 0 || k == half { 0.5 } else { 1.0 };
            share * scale * z.norm_sqr()
        };
        bins.iter().enumerate().map(power).collect()
    } else {
        bins.rotate_left(half);
        bins.iter().map(|z| scale * z.norm_sqr()).collect()
    }
}

/// The result that a plan should find, row by row: the bins that are stored.
fn wanted(request: &Request, input: &[f32]) -> Vec<Vec<f64>> {
    let powers = powers_of(request);
    let words = if powers.is_real { 1 } else { 2 } << powers.log2_points;
    let all: Vec<_> = input
        .chunks(words)
        .map(|input| segment(&powers, input))
        .collect();
    let [first, end] = powers
        .stored_bins()
        .map(|bin| (bin - powers.all_bins()[0]) as usize);
    let rows = all.chunks(powers.segments as usize).map(|spectra| {
        let of_bin = |bin: usize| {
            let values = spectra.iter().map(|spectrum| spectrum[bin]);
            match powers.detector {
                Detector::Mean | Detector::MeanMax => values.sum::<f64>() / spectra.len() as f64,
                Detector::Max => values.fold(0.0, f64::max),
                Detector::Min => values.fold(f64::INFINITY, f64::min),
            }
        };
        (first..end).map(of_bin).collect()
    });
    rows.collect()
}

/// Checks the rows of both detectors, and that nothing is stored behind them.
fn check_both(what: &str, request: &Request, output: &[f32], input: &[f32]) {
    let powers = powers_of(request);
    let row = powers.power_bytes() as usize / 4;
    for (part, detector) in powers.detector.parts().iter().enumerate() {
        let rows = output.chunks(row).skip(part).step_by(2);
        let rows: Vec<f32> = rows.flatten().copied().collect();
        let what = format!("{what}, {}", detector.name());
        let alone = Powers {
            detector: *detector,
            ..powers
        };
        let request = Request {
            transform: Transform::Powers(alone),
            ..*request
        };
        check(&what, &request, &rows, &wanted(&request, input));
    }
}

/// Checks rows, that nothing is stored behind them, and decibels.
fn check(what: &str, request: &Request, output: &[f32], wanted: &[Vec<f64>]) {
    let powers = powers_of(request);
    let words = powers.output_bytes() as usize / 4;
    assert_eq!(output.len(), wanted.len() * words, "{what}");
    for (row, (output, wanted)) in output.chunks(words).zip(wanted).enumerate() {
        let (linear, levels) = output.split_at(powers.power_bytes() as usize / 4);
        let mean = wanted.iter().sum::<f64>() / wanted.len() as f64;
        for (k, (&got, &wanted)) in linear.iter().zip(wanted).enumerate() {
            let error = (f64::from(got) - wanted).abs();
            assert!(
                error <= TOLERANCE * (wanted + mean),
                "{what}, row {row}, bin {k}: {got}, not {wanted}"
            );
        }
        assert!(
            linear[wanted.len()..].iter().all(|&x| x == UNTOUCHED),
            "{what}"
        );
        let Some(levels) = (!levels.is_empty()).then_some(levels) else {
            continue;
        };
        for (k, (&got, &power)) in levels.iter().zip(linear).enumerate().take(wanted.len()) {
            let level = 10.0 * f64::from(power).log10();
            assert!(
                (f64::from(got) - level).abs() < TOLERANCE_DB,
                "{what}, row {row}, bin {k}: {got} dB, not {level}"
            );
        }
        assert!(
            levels[wanted.len()..].iter().all(|&x| x == UNTOUCHED),
            "{what}"
        );
    }
}

fn check_random(powers: Powers, batch: u32, pace: Pace) {
    let request = request(powers, batch);
    let input = samples(&request, 5);
    let output = once(&request, pace, &input);
    let what = format!("{powers:?} x {batch}");
    if powers.detector.second().is_some() {
        return check_both(&what, &request, &output, &input);
    }
    check(&what, &request, &output, &wanted(&request, &input));
}

#[test]
fn means_of_every_length() {
    for is_real in [true, false] {
        for log2_points in 5..=13 {
            let pace = if log2_points < 11 {
                Pace::Timed
            } else {
                Pace::Functional
            };
            for segments in [1, 2, 7] {
                check_random(Powers::new(is_real, log2_points, segments), 1, pace);
            }
        }
    }
}

#[test]
fn rows_of_a_batch_follow_each_other() {
    for is_real in [true, false] {
        for (log2_points, segments, batch) in [(5, 3, 30), (7, 1, 9), (8, 2, 13), (10, 4, 3)] {
            check_random(
                Powers::new(is_real, log2_points, segments),
                batch,
                Pace::Functional,
            );
        }
    }
}

#[test]
fn detectors_and_decibels() {
    for is_real in [true, false] {
        for detector in [Detector::Mean, Detector::Max, Detector::Min] {
            for decibels in [false, true] {
                for log2_points in [5, 6, 9, 11] {
                    let powers = Powers {
                        detector,
                        decibels,
                        scale: 0.001f32.to_bits(),
                        ..Powers::new(is_real, log2_points, 5)
                    };
                    check_random(powers, 2, Pace::Functional);
                }
            }
        }
    }
}

#[test]
fn two_detectors_at_once_find_what_each_finds_alone() {
    let mut near = [0f32; 16];
    near[..2].copy_from_slice(&[1.0, 0.5]);
    for is_real in [true, false] {
        for (log2_points, segments, batch, pace) in [
            (5, 40, 1, Pace::Timed),
            (6, 3, 2, Pace::Functional),
            (7, 1, 1, Pace::Functional),
            (9, 16, 1, Pace::Shuffled(5)),
            (11, 5, 2, Pace::Functional),
        ] {
            for removed in [Removed::NOTHING, Removed::Near(near.map(f32::to_bits))] {
                let all = Powers::new(is_real, log2_points, segments);
                let [least, most] = all.all_bins();
                for bins in [None, Some([least + most / 3, most - most / 4])] {
                    let powers = Powers {
                        detector: Detector::MeanMax,
                        scale: 0.001f32.to_bits(),
                        removed,
                        bins,
                        ..all
                    };
                    check_random(powers, batch, pace);
                }
            }
        }
    }
}

#[test]
fn two_detectors_take_neither_decibels_nor_what_is_in_memory() {
    let powers = Powers {
        detector: Detector::MeanMax,
        ..Powers::new(true, 8, 2)
    };
    for powers in [
        Powers {
            decibels: true,
            ..powers
        },
        Powers {
            removed: Removed::Everywhere,
            ..powers
        },
    ] {
        let error = Plan::memory::<SimError>(FFT, &request(powers, 1)).unwrap_err();
        assert_eq!(error, Error::Combination);
        assert!(error.to_string().contains("a plan of its own"));
    }
    let request = request(powers, 1);
    let mut runner = runner(&request, Pace::Functional);
    let mut plan = plan(&request, &mut runner);
    for (hold, weights) in [(Hold::Add, [0.5, 0.5]), (Hold::Max, [1.0, 1.0])] {
        let error = plan.set_hold(&mut runner, hold, weights).unwrap_err();
        assert_eq!(error, Error::Combination);
    }
}

#[test]
fn any_part_of_a_spectrum() {
    for is_real in [true, false] {
        for log2_points in [5, 7, 8, 10] {
            let [least, most] = Powers::new(is_real, log2_points, 1).all_bins();
            let count = most - least;
            let ends = [
                1,
                15,
                16,
                17,
                count / 3,
                count / 2,
                count / 2 + 1,
                count - 1,
                count,
            ];
            for first in [
                0,
                1,
                16,
                count / 4,
                count / 2 - 1,
                count / 2,
                count - 17,
                count - 1,
            ] {
                for end in ends.into_iter().filter(|&end| end > first) {
                    let powers = Powers {
                        bins: Some([least + first, least + end]),
                        decibels: first % 2 == 1,
                        ..Powers::new(is_real, log2_points, 2)
                    };
                    let [from, to] = powers.stored_bins();
                    assert!(from <= least + first && least + end <= to);
                    assert!(least + first - from < 16 && to - (least + end) < 16);
                    check_random(powers, 2, Pace::Functional);
                }
            }
        }
    }
}

#[test]
fn powers_in_memory_are_kept_added_and_held() {
    for is_real in [true, false] {
        let powers = Powers::new(is_real, 9, 3);
        let request = request(powers, 2);
        let mut runner = runner(&request, Pace::Functional);
        let mut plan = plan(&request, &mut runner);
        // NaN in the output is replaced, as anything else.
        let words = vec![f32::NAN.to_bits(); request.output_bytes() as usize / 4];
        runner.write(plan.output(), 0, &words).unwrap();
        let inputs = [1, 2, 3].map(|seed| samples(&request, seed));
        let each = inputs.each_ref().map(|input| wanted(&request, input));
        let blended = |of: &dyn Fn([f64; 3]) -> f64| -> Vec<Vec<f64>> {
            let row = |row: usize| {
                let bins = 0..each[0][row].len();
                bins.map(|k| of([0, 1, 2].map(|call| each[call][row][k])))
                    .collect()
            };
            (0..2).map(row).collect()
        };
        let calls = |plan: &mut Plan, runner: &mut SimRunner, holds: [(Hold, [f32; 2]); 2]| {
            plan.set_hold(runner, Hold::Add, [0.0, 1.0]).unwrap();
            run(plan, runner, &inputs[0]);
            let mut output = Vec::new();
            for (input, (hold, weights)) in inputs[1..].iter().zip(holds) {
                plan.set_hold(runner, hold, weights).unwrap();
                output = run(plan, runner, input);
            }
            // What lies behind bin N/2 is not looked at here.
            let words = powers.power_bytes() as usize / 4;
            for row in output.chunks_mut(words) {
                let bins = powers.all_bins();
                row[(bins[1] - bins[0]) as usize..].fill(UNTOUCHED);
            }
            output
        };
        let mean = [(Hold::Add, [0.5, 0.5]), (Hold::Add, [2.0 / 3.0, 1.0 / 3.0])];
        let got = calls(&mut plan, &mut runner, mean);
        check(
            "mean",
            &request,
            &got,
            &blended(&|x| (x[0] + x[1] + x[2]) / 3.0),
        );
        let got = calls(&mut plan, &mut runner, [(Hold::Max, [1.0; 2]); 2]);
        check(
            "max",
            &request,
            &got,
            &blended(&|x| x[0].max(x[1]).max(x[2])),
        );
        let got = calls(&mut plan, &mut runner, [(Hold::Min, [1.0; 2]); 2]);
        check(
            "min",
            &request,
            &got,
            &blended(&|x| x[0].min(x[1]).min(x[2])),
        );
        let decayed = [(Hold::Max, [0.25, 1.0]); 2];
        let got = calls(&mut plan, &mut runner, decayed);
        check(
            "falling max",
            &request,
            &got,
            &blended(&|x| x[2].max(0.25 * x[1].max(0.25 * x[0]))),
        );
    }
}

#[test]
fn a_constant_is_removed_in_every_sum_of_cosines() {
    for window in Window::ALL {
        // Kaiser's has side lobes everywhere: see `windows.rs`.
        let Some(terms) = window.terms() else {
            continue;
        };
        for (is_real, log2_points) in [(true, 5), (false, 5), (true, 9), (false, 10)] {
            let n = 1 << log2_points;
            let mut table = vec![0f32; n];
            window.fill(&mut table);
            let mut powers = Powers::new(is_real, log2_points, 2);
            let shape = Shape::of_terms(terms, log2_points);
            powers.removed = Removed::Near(shape.near.map(|ratio| (ratio as f32).to_bits()));
            let request = request(powers, 1);
            let mut random = Random::new(8);
            let mut input = |constant: f32| -> Vec<f32> {
                let components = if is_real { 1 } else { 2 };
                let samples = 0..2 * n * components;
                let windowed = |index: usize| {
                    let w = table[index / components % n];
                    w * (constant + random.sample() * f32::from(u8::from(constant < 50.0)))
                };
                samples.map(windowed).collect()
            };
            // What is left is wrong by the rounding of what was there: a share of the constant's
            // amplitude.
            let amplitude = |constant: f64| constant * terms[0] * n as f64;
            let noisy = input(3.0);
            let output = once(&request, Pace::Functional, &noisy);
            for (k, (&got, wanted)) in output.iter().zip(&wanted(&request, &noisy)[0]).enumerate() {
                let error = (f64::from(got).sqrt() - wanted.sqrt()).abs();
                let limit = REMOVED * amplitude(3.0) + TOLERANCE * wanted.sqrt();
                assert!(error < limit, "{window:?}, bin {k}: {got}, not {wanted}");
            }
            let constant = once(&request, Pace::Functional, &input(100.0));
            let limit = (REMOVED * amplitude(100.0)).powi(2);
            let bins = powers.all_bins();
            for (k, &power) in constant[..(bins[1] - bins[0]) as usize].iter().enumerate() {
                assert!(f64::from(power) < limit, "{window:?}, bin {k}: {power}");
            }
        }
    }
}

#[test]
fn every_order_of_the_qpus_gives_the_same_bits() {
    for is_real in [true, false] {
        for (log2_points, segments, batch) in [(5, 3, 9), (8, 2, 5), (10, 3, 2), (12, 2, 1)] {
            let powers = Powers {
                decibels: true,
                ..Powers::new(is_real, log2_points, segments)
            };
            let request = request(powers, batch);
            let input = samples(&request, 12);
            let bits = |pace| {
                let output = once(&request, pace, &input);
                output.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
            };
            let timed = bits(Pace::Timed);
            for seed in 1..=8 {
                let same = bits(Pace::Shuffled(seed)) == timed;
                assert!(same, "{powers:?} x {batch}, order {seed}");
            }
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let refusal = |powers: Powers, batch: u32| {
        let error: Error<SimError> = Plan::memory(FFT, &request(powers, batch)).unwrap_err();
        error.to_string()
    };
    for (powers, batch, text) in [
        (Powers::new(true, 4, 1), 1, "2^5 to 2^23"),
        (Powers::new(true, 24, 1), 1, "2^5 to 2^23"),
        (Powers::new(false, 4, 1), 1, "2^5 to 2^22"),
        (Powers::new(false, u32::MAX, 1), 1, "2^5 to 2^22"),
        (Powers::new(true, 0, 1), 1, "2^5 to 2^23"),
        (Powers::new(true, 10, 0), 1, "at least one"),
        (Powers::new(true, 10, 1), 0, "at least one"),
        (
            Powers::new(true, 10, u32::MAX),
            u32::MAX,
            "make the batch smaller",
        ),
    ] {
        let got = refusal(powers, batch);
        assert!(got.contains(text), "{got}, not {text}");
        // The sizes of its buffers can be asked for all the same.
        assert!(request(powers, 1).output_bytes() > 0);
    }
    for bins in [[0, 0], [-1, 3], [5, 514], [9, 8]] {
        let powers = Powers {
            bins: Some(bins),
            ..Powers::new(true, 10, 1)
        };
        assert!(refusal(powers, 1).contains("bins 0 to 512"));
    }
    let powers = Powers {
        detector: Detector::Max,
        ..Powers::new(true, 6, 2)
    };
    let max = request(powers, 1);
    let mut runner = SimRunner::new(1 << 20);
    let mut of_max = plan(&max, &mut runner);
    let mut complex = Plan::with_buffers(FFT, &Request::new(6, 1), &mut runner).unwrap();
    let error = of_max
        .set_hold(&mut runner, Hold::Min, [1.0; 2])
        .unwrap_err();
    assert_eq!(error, Error::Combination);
    let error = complex
        .set_hold(&mut runner, Hold::Max, [1.0; 2])
        .unwrap_err();
    assert_eq!(error, Error::NoPowers);
}

//! Convolutions on the strict simulated V3D, held to the direct sum in f64.

use qpu::job::{Buffer, Runner};
use qpu_fft::convolution::{Ends, Error, convolve};
use qpu_fft::request::{Kernels, Points, Request, Scale, Transform};
use qpu_fft::{Direction, Plan};
use qpu_programs::FFT;
use v3d_sim::{SimError, SimRunner};

const LIMIT_US: u32 = 10_000_000;
/// Relative rms error; 0.3 ppm is usual.
const TOLERANCE: f64 = 0.8e-6;

/// Numbers from -1 to 1 that look random, the same every time.
fn noise(count: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// The sum by its definition, around after `around` points.
fn direct(points: Points, a: &[f32], b: &[f32], around: usize) -> Vec<f64> {
    let words = if points == Points::Real { 1 } else { 2 };
    let mut sum = vec![0.0; around * words];
    for (n, x) in a.chunks(words).enumerate() {
        for (m, y) in b.chunks(words).enumerate() {
            let at = (n + m) % around * words;
            let [x, y] = [x, y].map(|z| [z[0], *z.get(1).unwrap_or(&0.0)].map(f64::from));
            sum[at] += x[0] * y[0] - x[1] * y[1];
            if words == 2 {
                sum[at + 1] += x[0] * y[1] + x[1] * y[0];
            }
        }
    }
    sum
}

/// Panics unless the relative rms error is small.
fn assert_close(got: &[f32], wanted: &[f64], what: &str) {
    assert_eq!(got.len(), wanted.len(), "{what}");
    let difference = got.iter().zip(wanted).map(|(&g, &w)| f64::from(g) - w);
    let square = |x: f64| x * x;
    let power: f64 = wanted.iter().copied().map(square).sum();
    let error = (difference.map(square).sum::<f64>() / power).sqrt();
    println!("{what}: {:.3} ppm", 1e6 * error);
    assert!(error < TOLERANCE, "{what}: {error:e}");
}

fn request(log2_points: u32, points: Points, kernels: Kernels, signals: u32) -> Request {
    let transform = Transform::Convolution {
        log2_points,
        points,
        kernels,
    };
    Request::of(transform, signals)
}

/// A strict runner and a plan with NaN wherever data are kept between passes.
fn plan(request: &Request, in_place: bool) -> (SimRunner, Plan) {
    plan_on(&|runner| runner.with_functional(true), request, in_place)
}

/// A runner made by `set`, and such a plan on it.
fn plan_on(
    set: &dyn Fn(SimRunner) -> SimRunner,
    request: &Request,
    in_place: bool,
) -> (SimRunner, Plan) {
    let memory = Plan::memory::<SimError>(FFT, request).unwrap();
    let [read, written] = [request.input_bytes(), request.output_bytes()].map(|x| x as u32);
    let mut runner = set(SimRunner::new(memory.total() + read + written + 65536));
    let input = runner.alloc(read, 64).unwrap();
    let output = if in_place {
        input
    } else {
        runner.alloc(written, 64).unwrap()
    };
    let plan = Plan::new(FFT, request, [input, output], &mut runner).unwrap();
    let first = (memory.total() - memory.scratch) / 4;
    let garbage = vec![f32::NAN.to_bits(); memory.scratch as usize / 4];
    runner.write(plan.block(), first, &garbage).unwrap();
    (runner, plan)
}

fn write(runner: &mut SimRunner, buffer: Buffer, values: &[f32]) {
    let words: Vec<u32> = values.iter().map(|x| x.to_bits()).collect();
    runner.write(buffer, 0, &words).unwrap();
}

fn read(runner: &mut SimRunner, buffer: Buffer, count: usize) -> Vec<f32> {
    let mut words = vec![0; count];
    runner.read(buffer, 0, &mut words).unwrap();
    words.into_iter().map(f32::from_bits).collect()
}

fn check(log2_points: u32, points: Points, kernels: Kernels, signals: u32, one_launch: bool) {
    let words = if points == Points::Real { 1 } else { 2 };
    let length = words << log2_points;
    let mut request = request(log2_points, points, kernels, signals);
    request.one_launch = one_launch;
    let count = (signals + kernels.count(signals)) as usize;
    let input = noise(count * length, 3);
    let (mut runner, mut plan) = plan(&request, one_launch);
    write(&mut runner, plan.input(), &input);
    plan.run(&mut runner, Direction::Forward, LIMIT_US).unwrap();
    let got = read(&mut runner, plan.output(), signals as usize * length);
    let (signal_points, kernel_points) = input.split_at(signals as usize * length);
    let mut wanted = vec![];
    for (number, signal) in signal_points.chunks(length).enumerate() {
        let own = match kernels {
            Kernels::One => 0,
            Kernels::Each => number,
        };
        let kernel = &kernel_points[own * length..][..length];
        wanted.extend(direct(points, signal, kernel, 1 << log2_points));
    }
    let what = format!("2^{log2_points} {points:?}, {kernels:?} of {signals}");
    assert_close(&got, &wanted, &what);
}

#[test]
fn circular_convolutions_of_every_length_and_batch() {
    for kernels in [Kernels::One, Kernels::Each] {
        for log2_points in 4..=9 {
            for signals in [1, 2, 3, 17] {
                if log2_points < 8 || signals < 3 {
                    let one_launch = signals == 2;
                    check(log2_points, Points::Complex, kernels, signals, one_launch);
                    check(log2_points + 1, Points::Real, kernels, signals, one_launch);
                }
            }
        }
    }
}

/// In every order of the QPUs and by the cycle model: from garbage to results, in place and not.
#[test]
fn every_order_of_the_qpus_gives_the_same_bits() {
    for (log2_points, points, kernels, signals) in [
        (4, Points::Complex, Kernels::Each, 9),
        (6, Points::Real, Kernels::One, 20),
        (8, Points::Complex, Kernels::One, 5),
        (9, Points::Real, Kernels::Each, 3),
        (10, Points::Complex, Kernels::Each, 2),
        (12, Points::Real, Kernels::One, 2),
        (13, Points::Complex, Kernels::One, 1),
    ] {
        let request = request(log2_points, points, kernels, signals);
        let input = noise(request.input_bytes() as usize / 4, 9);
        let output = |set: &dyn Fn(SimRunner) -> SimRunner, in_place: bool| {
            let (mut runner, mut plan) = plan_on(set, &request, in_place);
            write(&mut runner, plan.input(), &input);
            plan.run(&mut runner, Direction::Forward, LIMIT_US).unwrap();
            let count = request.output_bytes() as usize / 4;
            let got = read(&mut runner, plan.output(), count);
            got.into_iter().map(f32::to_bits).collect::<Vec<_>>()
        };
        let timed = output(&|runner| runner, false);
        for seed in 1..=8 {
            let got = output(&|runner| runner.with_order_seed(seed), seed % 2 == 0);
            assert!(got == timed, "{request:?}, order {seed}");
        }
    }
}

/// The effect of a request's factor: it comes on top of the 1/N.
#[test]
fn a_factor_comes_beside_that_of_the_length() {
    let plain = request(8, Points::Real, Kernels::One, 2);
    let mut scaled = plain;
    scaled.forward = Scale::ByRootOfPoints;
    let [plain, scaled] = [plain, scaled].map(|request| {
        let (mut runner, mut plan) = plan(&request, false);
        write(&mut runner, plan.input(), &noise(3 << 8, 10));
        plan.run(&mut runner, Direction::Forward, LIMIT_US).unwrap();
        read(&mut runner, plan.output(), 2 << 8)
    });
    // 1/16 is exact.
    for (plain, scaled) in plain.iter().zip(&scaled) {
        assert_eq!(plain / 16.0, *scaled);
    }
}

#[test]
fn one_call_convolves_operands_of_any_length() {
    for points in [Points::Real, Points::Complex] {
        let words = if points == Points::Real { 1 } else { 2 };
        for (a, b) in [(1, 1), (3, 5), (33, 1), (100, 29), (700, 400), (1024, 1025)] {
            let operands = [noise(a * words, 4), noise(b * words, 5)];
            let [x, y] = [&operands[0][..], &operands[1][..]];
            let mut runner = SimRunner::new(1 << 20).with_functional(true);
            let mut output = vec![f32::NAN; (a + b - 1) * words];
            let how = (points, Ends::Linear);
            let report = convolve(FFT, &mut runner, how, [x, y], &mut output, LIMIT_US).unwrap();
            assert!(report.programs > 0);
            let wanted = direct(points, x, y, a + b - 1);
            assert_close(&output, &wanted, &format!("{points:?} {a} * {b}"));
        }
        let operands = [noise(64 * words, 6), noise(64 * words, 7)];
        let [x, y] = [&operands[0][..], &operands[1][..]];
        let mut runner = SimRunner::new(1 << 20);
        let mut output = vec![0.0; 64 * words];
        let how = (points, Ends::Circular);
        convolve(FFT, &mut runner, how, [x, y], &mut output, LIMIT_US).unwrap();
        assert_close(&output, &direct(points, x, y, 64), "circular");
    }
}

#[test]
fn a_delay_is_exact_enough_to_be_seen_as_one() {
    // A kernel that is 1 at point 5 delays by 5.
    let signal: Vec<f32> = (0..64).map(|n| n as f32).collect();
    let mut kernel = vec![0.0; 64];
    kernel[5] = 1.0;
    let mut runner = SimRunner::new(1 << 20);
    let mut output = vec![0.0; 64];
    let how = (Points::Real, Ends::Circular);
    let operands = [&signal[..], &kernel[..]];
    convolve(FFT, &mut runner, how, operands, &mut output, LIMIT_US).unwrap();
    for (n, y) in output.iter().enumerate() {
        let wanted = signal[(n + 59) % 64];
        assert!((y - wanted).abs() < 1e-4, "{n}: {y}, not {wanted}");
    }
}

#[test]
fn numbers_that_are_none_stay_in_their_signal() {
    let length = 2 << 8;
    let request = request(8, Points::Complex, Kernels::Each, 3);
    let (mut runner, mut plan) = plan(&request, false);
    let mut input = noise(6 * length, 8);
    let mut outputs = [true, false].map(|bad| {
        if bad {
            input[length + 7] = f32::NAN;
        } else {
            input[length + 7] = 0.5;
        }
        write(&mut runner, plan.input(), &input);
        plan.run(&mut runner, Direction::Forward, LIMIT_US).unwrap();
        read(&mut runner, plan.output(), 3 * length)
    });
    let [with, without] = &mut outputs;
    for signal in [0, 2] {
        let part = signal * length..(signal + 1) * length;
        assert!(with[part.clone()] == without[part], "signal {signal}");
    }
    assert!(with[length..2 * length].iter().any(|x| !x.is_finite()));
}

#[test]
fn what_cannot_be_is_refused() {
    let mut runner = SimRunner::new(1 << 16);
    let x = [1.0f32; 100];
    let mut refusal = |how, a: usize, b: usize, output: usize| {
        let mut output = vec![0.0; output];
        let operands = [&x[..a], &x[..b]];
        let error: Error<SimError> =
            convolve(FFT, &mut runner, how, operands, &mut output, LIMIT_US).unwrap_err();
        error.to_string()
    };
    let linear = (Points::Real, Ends::Linear);
    let circular = (Points::Real, Ends::Circular);
    for (text, wanted) in [
        (refusal(linear, 0, 5, 4), "of both operands at least one"),
        (
            refusal((Points::Complex, Ends::Linear), 3, 4, 4),
            "of both operands at least one",
        ),
        (
            refusal((Points::Complex, Ends::Linear), 4, 4, 7),
            "the result ends within one",
        ),
        (
            refusal(linear, 5, 5, 10),
            "has 9 points, and there is room for 10",
        ),
        (refusal(circular, 64, 32, 64), "not of 64 and 32 points"),
        (refusal(circular, 48, 48, 48), "a power of two"),
        (refusal(circular, 16, 16, 16), "2^5 to 2^23"),
    ] {
        assert!(text.contains(wanted), "{text}");
    }
    for wrong in [
        request(3, Points::Complex, Kernels::One, 1),
        request(23, Points::Complex, Kernels::One, 1),
        request(24, Points::Real, Kernels::One, 1),
        request(8, Points::Complex, Kernels::One, 0),
        request(20, Points::Complex, Kernels::Each, u32::MAX),
    ] {
        assert!(Plan::memory::<SimError>(FFT, &wrong).is_err(), "{wrong:?}");
    }
    let small = request(10, Points::Complex, Kernels::One, 1);
    let needed = Plan::memory::<SimError>(FFT, &small).unwrap().total();
    let mut runner = SimRunner::new(1 << 15);
    let buffers = [
        runner.alloc(16384, 64).unwrap(),
        runner.alloc(8192, 64).unwrap(),
    ];
    let error = Plan::new(FFT, &small, buffers, &mut runner).unwrap_err();
    assert!(error.to_string().contains(&needed.to_string()), "{error}");
}

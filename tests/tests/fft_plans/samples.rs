//! Samples that plans convert as they read them: every format, windows, overlapping transforms.

use super::harness::{DIRECTIONS, LIMIT_US, Pace, bits, read, transform};
use super::signals::{Random, assert_spectrum, dft_f64};
use super::spectra::TOLERANCE;

use dsp::{Complex, Direction, Window};
use qpu::job::{Buffer, Runner};
use qpu_fft::Plan;
use qpu_fft::program::{Samples, Task};
use qpu_fft::request::{Error, Request, Transform};
use qpu_fft::samples::Format;
use qpu_programs::FFT;
use std::collections::HashSet;
use v3d_sim::{SimError, SimRunner};

/// The formats that need a conversion.
const FORMATS: [Format; 5] = [
    Format::I16,
    Format::I32,
    Format::U8,
    Format::U8High,
    Format::I8,
];

/// The greatest i32 of 24 significant bits, which is how converters send them.
const MOST_OF_24_BITS: i32 = 0x7fff_ff00;

/// A plan's input: random numbers of a format, one more seed each, least and greatest among them.
pub(super) fn samples(format: Format, count: usize, seed: u64) -> Vec<i32> {
    let (least, most) = match format {
        Format::F32 => (-1, 1),
        Format::I16 => (-32768, 32767),
        Format::I32 => (i32::MIN, MOST_OF_24_BITS),
        Format::U8 | Format::U8High => (0, 255),
        Format::I8 => (-128, 127),
    };
    let mut random = Random::new(seed);
    let mut number = || {
        let x = (f64::from(random.sample()) + 1.0) / 2.0;
        let range = f64::from(most) - f64::from(least) + 1.0;
        let number = (f64::from(least) + x * range).floor() as i32;
        if format == Format::I32 {
            number & !0xff
        } else {
            number
        }
    };
    let mut all: Vec<i32> = (0..count).map(|_| number()).collect();
    for (place, value) in [(1, least), (2, most), (5, most), (6, least)] {
        all[place] = value;
    }
    all
}

/// A batch whose samples are converted by a pass of their own, of lengths that have such, and one
/// that is too large for that.
fn batches(log2n: u32) -> [u32; 2] {
    [2, (4096 >> log2n).clamp(1, 16) + 1]
}

/// The samples as memory holds them.
fn words(format: Format, samples: &[i32]) -> Vec<u32> {
    let bytes: Vec<u8> = samples
        .iter()
        .flat_map(|&sample| match format {
            Format::F32 => (sample as f32).to_le_bytes().to_vec(),
            Format::I16 => (sample as i16).to_le_bytes().to_vec(),
            Format::I32 => sample.to_le_bytes().to_vec(),
            Format::U8 => vec![sample as u8],
            // The lower byte is anything.
            Format::U8High => vec![(sample * 37) as u8, sample as u8],
            Format::I8 => vec![sample as i8 as u8],
        })
        .collect();
    let words = bytes.chunks_exact(4);
    words
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect()
}

/// The value that a sample means, as everywhere in qpuscope.
fn value(format: Format, sample: i32) -> f64 {
    let sample = f64::from(sample);
    match format {
        Format::F32 => sample,
        Format::I16 => sample / 32768.0,
        Format::I32 => sample / 2_147_483_648.0,
        Format::U8 | Format::U8High => (sample - 127.5) / 127.5,
        Format::I8 => sample / 128.0,
    }
}

/// The transforms of a batch of I/Q samples, windowed.
fn expected(
    request: &Request,
    direction: Direction,
    samples: &[i32],
    window: impl Fn(u32) -> f64,
) -> Vec<Complex<f64>> {
    let points = 1 << request.transform.log2_points();
    let hop = request.hop.map_or(points, |hop| hop as usize);
    let part = |sample: i32| value(request.samples, sample);
    (0..request.batch as usize)
        .flat_map(|number| {
            let own = &samples[2 * hop * number..][..2 * points];
            let factor = |n: usize| window(n as u32);
            let points: Vec<_> = own
                .chunks_exact(2)
                .enumerate()
                .map(|(n, z)| Complex::new(part(z[0]) * factor(n), part(z[1]) * factor(n)))
                .collect();
            dft_f64(direction, &points)
        })
        .collect()
}

/// The count of numbers in the input of a request.
pub(super) fn count(request: &Request) -> usize {
    (request.input_bytes() / u64::from(request.samples.bytes())) as usize
}

/// Runs a plan with garbage wherever it does not write; the input must keep its values.
pub(super) fn run(
    request: &Request,
    pace: Pace,
    direction: Direction,
    samples: &[i32],
    window: impl Fn(u32) -> f64,
) -> Vec<Complex<f32>> {
    let memory = Plan::memory::<SimError>(FFT, request).unwrap();
    let data = request.input_bytes() + request.output_bytes();
    let runner = SimRunner::new(memory.total() + data as u32 + (64 << 10));
    let mut runner = match pace {
        Pace::Timed => runner,
        Pace::Functional => runner.with_functional(true),
        Pace::Shuffled(seed) => runner.with_order_seed(seed),
    };
    let mut plan = Plan::with_buffers(FFT, request, &mut runner).unwrap();
    if request.windowed {
        plan.set_window(&mut runner, &window).unwrap();
    }
    let input = words(request.samples, samples);
    let points = request.output_bytes() as usize / 8;
    let garbage = vec![f32::NAN.to_bits(); 2 * points];
    runner.write(plan.output(), 0, &garbage).unwrap();
    runner.write(plan.input(), 0, &input).unwrap();
    plan.run(&mut runner, direction, LIMIT_US).unwrap();
    let mut kept = vec![0; input.len()];
    runner.read(plan.input(), 0, &mut kept).unwrap();
    assert!(kept == input, "the input has changed");
    read(&mut runner, plan.output(), points)
}

/// A request for a format.
fn request(log2n: u32, batch: u32, format: Format) -> Request {
    Request {
        samples: format,
        ..Request::new(log2n, batch)
    }
}

/// Holds a request to f64, functionally.
fn hold(what: &str, request: &Request, direction: Direction, window: impl Fn(u32) -> f64) {
    let samples = samples(request.samples, count(request), 3);
    let output = run(request, Pace::Functional, direction, &samples, &window);
    let expected = expected(request, direction, &samples, &window);
    let log2n = request.transform.log2_points();
    let what = format!("2^{log2n} x {} {}, {what}", request.batch, request.samples);
    assert_spectrum(&what, &output, &expected, TOLERANCE);
}

#[test]
fn every_format_and_length() {
    for log2n in 4..=13 {
        for format in FORMATS {
            for direction in DIRECTIONS {
                let what = format!("{direction:?}");
                hold(&what, &request(log2n, 1, format), direction, |_| 1.0);
            }
        }
    }
}

#[test]
fn fewer_qpus_transform_samples_as_well() {
    for qpus in [2, 3, 5, 8, 11] {
        for (log2n, batch) in [(4, 9), (7, 2), (9, 1), (9, 8), (12, 1)] {
            for format in FORMATS {
                let request = Request {
                    qpus,
                    ..request(log2n, batch, format)
                };
                let what = format!("{qpus} QPUs");
                hold(&what, &request, Direction::Forward, |_| 1.0);
            }
        }
    }
}

/// Converted samples are exact, so the bits are those of a transform of f32, but for u8, whose full
/// scale is no power of two.
#[test]
fn converted_points_are_transformed_as_if_they_had_been_f32() {
    for log2n in 4..=13 {
        for format in [Format::I16, Format::I32, Format::I8] {
            for batch in batches(log2n) {
                let request = request(log2n, batch, format);
                let samples = samples(format, count(&request), 5);
                let converted: Vec<_> = samples
                    .chunks_exact(2)
                    .map(|z| Complex::new(z[0], z[1]))
                    .map(|z| Complex::new(value(format, z.re) as f32, value(format, z.im) as f32))
                    .collect();
                for direction in DIRECTIONS {
                    let got = run(&request, Pace::Functional, direction, &samples, |_| 1.0);
                    let mut points = Request::new(log2n, batch);
                    points.split = Some(
                        Plan::arrangement_of::<SimError>(FFT, &request)
                            .unwrap()
                            .split,
                    );
                    let wanted = transform(&points, Pace::Functional, false, direction, &converted);
                    assert!(bits(&got) == bits(&wanted), "2^{log2n} x {batch} {format}");
                }
            }
        }
    }
}

/// The value of an upper byte is that of a byte, and so are the bits.
#[test]
fn upper_bytes_are_transformed_as_bytes_are() {
    for log2n in 4..=13 {
        for batch in batches(log2n) {
            let plain = request(log2n, batch, Format::U8);
            let samples = samples(Format::U8, count(&plain), 6);
            let with = |format| {
                let request = request(log2n, batch, format);
                bits(&run(
                    &request,
                    Pace::Functional,
                    Direction::Forward,
                    &samples,
                    |_| 1.0,
                ))
            };
            assert!(
                with(Format::U8High) == with(Format::U8),
                "2^{log2n} x {batch}"
            );
        }
    }
}

#[test]
fn windows_on_every_format_and_length() {
    for log2n in 4..=13 {
        let points = 1usize << log2n;
        for format in Format::ALL {
            for batch in batches(log2n) {
                let mut request = request(log2n, batch, format);
                request.windowed = true;
                for window in [Window::Hann, Window::BlackmanHarris] {
                    let what = format!("{window:?}");
                    hold(&what, &request, Direction::Forward, |n| {
                        window.coefficient(n as usize, points)
                    });
                }
                // One that is no mirror image of itself.
                let rising = |n| (f64::from(n) + 1.0) / points as f64;
                hold("rising", &request, Direction::Forward, rising);
            }
        }
    }
}

/// The tests of formats and windows have lengths and batches that take every program that reads
/// samples.
#[test]
fn every_program_that_reads_samples_is_run() {
    let mut used = HashSet::new();
    for (log2n, format) in (4..=13).flat_map(|log2n| Format::ALL.map(|format| (log2n, format))) {
        for batch in batches(log2n) {
            let mut request = request(log2n, batch, format);
            request.windowed = true;
            let plan = Plan::arrangement_of::<SimError>(FFT, &request).unwrap();
            used.extend(plan.passes().map(|pass| pass.program.task));
        }
    }
    for program in FFT {
        let reads_samples = match program.task {
            Task::Points(kind) => kind.samples != Samples::Points,
            Task::Convert(_) => true,
            _ => false,
        };
        assert!(
            !reads_samples || used.contains(&program.task),
            "{}",
            program.task
        );
    }
}

/// Real samples: two are a point of the half-length transform, each with its own value of the
/// window.
#[test]
fn real_samples_of_every_format_and_length() {
    for log2n in 5..=14 {
        let points = 1usize << log2n;
        let forward = Direction::Forward;
        for format in Format::ALL {
            for hop in [None, Some(points as u32 / 2)] {
                let transform = Transform::RealToBins { log2_points: log2n };
                let mut request = Request::of(transform, if log2n < 9 { 9 } else { 2 });
                (request.samples, request.hop, request.windowed) = (format, hop, true);
                let samples = samples(format, count(&request), 4);
                let window = |n: u32| (f64::from(n) + 1.0) / points as f64;
                let output = run(&request, Pace::Functional, forward, &samples, window);
                let step = output.len() / request.batch as usize;
                for (number, output) in output.chunks(step).enumerate() {
                    let hop = hop.map_or(points, |hop| hop as usize);
                    let own = &samples[hop * number..][..points];
                    let real: Vec<_> = (0..)
                        .zip(own)
                        .map(|(n, &x)| Complex::new(value(format, x) * window(n), 0.0))
                        .collect();
                    let expected = &dft_f64(forward, &real)[..=points / 2];
                    let what = format!("2^{log2n} real {format}, hop {hop}, transform {number}");
                    assert_spectrum(&what, &output[..=points / 2], expected, TOLERANCE);
                }
            }
        }
    }
    let mut request = Request::of(Transform::RealToBins { log2_points: 8 }, 2);
    (request.samples, request.hop) = (Format::U8, Some(130));
    let error: Error<SimError> = Plan::memory(FFT, &request).unwrap_err();
    assert!(error.to_string().contains("multiple of 4"), "{error}");
    let mut request = Request::of(Transform::BinsToReal { log2_points: 8 }, 2);
    request.samples = Format::I16;
    let error: Error<SimError> = Plan::memory(FFT, &request).unwrap_err();
    assert!(error.to_string().contains("reads f32"), "{error}");
}

#[test]
fn transforms_may_overlap_or_lie_apart() {
    for log2n in [4, 5, 6, 7, 8, 10, 12] {
        let points = 1u32 << log2n;
        for format in Format::ALL {
            for hop in [points / 2, points + 6, points * 2, 2] {
                for batch in [2, 256 / points + 3] {
                    let mut request = request(log2n, batch, format);
                    request.hop = Some(hop);
                    hold(&format!("hop {hop}"), &request, Direction::Forward, |_| 1.0);
                }
            }
        }
    }
}

#[test]
fn the_least_and_the_greatest_samples() {
    for log2n in [4, 6, 9] {
        for (format, least, most) in [
            (Format::I16, -32768, 32767),
            (Format::I32, i32::MIN, i32::MAX),
            (Format::U8, 0, 255),
            (Format::U8High, 0, 255),
            (Format::I8, -128, 127),
        ] {
            let request = request(log2n, 1, format);
            for pattern in [[least; 4], [most; 4], [least, most, most, least]] {
                let samples: Vec<i32> = pattern.into_iter().cycle().take(count(&request)).collect();
                let output = run(
                    &request,
                    Pace::Functional,
                    Direction::Forward,
                    &samples,
                    |_| 1.0,
                );
                let expected = expected(&request, Direction::Forward, &samples, |_| 1.0);
                let what = format!("2^{log2n} {format} {pattern:?}");
                assert_spectrum(&what, &output, &expected, TOLERANCE);
            }
        }
    }
}

#[test]
fn every_order_of_the_qpus_gives_the_same_bits() {
    for (log2n, batch) in [
        (4, 40),
        (5, 9),
        (5, 30),
        (6, 40),
        (7, 3),
        (7, 40),
        (7, 1),
        (8, 13),
        (8, 17),
        (9, 1),
        (9, 9),
        (10, 3),
        (12, 1),
    ] {
        for format in Format::ALL {
            let mut request = request(log2n, batch, format);
            request.windowed = true;
            request.hop = Some(1 << (log2n - 1));
            let samples = samples(format, count(&request), 8);
            let window = |n: u32| 1.0 / f64::from(n + 1);
            let with = |pace| bits(&run(&request, pace, Direction::Forward, &samples, window));
            let timed = with(Pace::Timed);
            for seed in 1..=8 {
                let what = format!("2^{log2n} x {batch} {format}, order {seed}");
                assert!(with(Pace::Shuffled(seed)) == timed, "{what}");
            }
        }
    }
}

#[test]
fn a_window_can_be_set_again() {
    let mut request = request(9, 1, Format::I16);
    request.windowed = true;
    let mut runner = SimRunner::new(1 << 20).with_functional(true);
    let mut plan = Plan::with_buffers(FFT, &request, &mut runner).unwrap();
    let samples = samples(Format::I16, count(&request), 1);
    runner
        .write(plan.input(), 0, &words(Format::I16, &samples))
        .unwrap();
    let transform = |plan: &mut Plan, runner: &mut SimRunner| {
        plan.run(runner, Direction::Forward, LIMIT_US).unwrap();
        read(runner, plan.output(), 512)
    };
    let none = transform(&mut plan, &mut runner);
    let wanted = expected(&request, Direction::Forward, &samples, |_| 1.0);
    assert_spectrum("none", &none, &wanted, TOLERANCE);
    for scale in [0.25, 2.0] {
        plan.set_window(&mut runner, |_| scale).unwrap();
        let scaled = transform(&mut plan, &mut runner);
        let factor = scale as f32;
        let wanted: Vec<_> = none
            .iter()
            .map(|z| Complex::new(z.re * factor, z.im * factor))
            .collect();
        assert!(bits(&scaled) == bits(&wanted), "{scale}");
    }
}

#[test]
fn wrong_combinations_are_refused() {
    let refusal = |request: &Request| {
        let error: Error<SimError> = Plan::memory(FFT, request).unwrap_err();
        error.to_string()
    };
    for (format, hop, wanted) in [
        (Format::U8, 3, "multiple of 2"),
        (Format::I8, 1, "multiple of 2"),
        (Format::U8, 0, "give 2 or more"),
        (Format::I16, 0, "give 1 or more"),
        (Format::F32, 0, "give 1 or more"),
        (Format::F32, u32::MAX, "make the batch smaller"),
    ] {
        let mut request = request(10, 2, format);
        request.hop = Some(hop);
        let text = refusal(&request);
        assert!(text.contains(wanted), "{text}, not {wanted}");
    }

    let mut runner = SimRunner::new(1 << 20);
    let request = request(10, 2, Format::I16);
    let whole = runner.alloc(64 << 10, 64).unwrap();
    let part = |offset: u32, bytes: u32| Buffer {
        addr: whole.addr.offset(offset),
        bytes,
    };
    let mut new = |request: &Request, input, output| match Plan::new(
        FFT,
        request,
        [input, output],
        &mut runner,
    ) {
        Ok(_) => "accepted".to_owned(),
        Err(error) => error.to_string(),
    };
    for (input, output, wanted) in [
        (part(0, 8192), part(8192, 16384), "accepted"),
        (part(0, 16384), part(0, 16384), "the same layout"),
        (part(0, 8191), part(8192, 16384), "input needs 8192 bytes"),
        (part(0, 8192), part(8128, 16384), "overlap"),
    ] {
        let text = new(&request, input, output);
        assert!(text.contains(wanted), "{text}, not {wanted}");
    }
    // A window alone does not change the layout.
    let mut windowed = Request::new(10, 2);
    windowed.windowed = true;
    let all = part(0, 16384);
    assert_eq!(new(&windowed, all, all), "accepted");

    let mut plan = Plan::with_buffers(FFT, &request, &mut runner).unwrap();
    let error = plan.set_window(&mut runner, |_| 1.0).unwrap_err();
    assert!(error.to_string().contains("windowed"), "{error}");
    let mut plan = Plan::with_buffers(FFT, &windowed, &mut runner).unwrap();
    let error = plan.run(&mut runner, Direction::Inverse, LIMIT_US);
    let error = error.unwrap_err();
    assert!(error.to_string().contains("forward only"), "{error}");
}

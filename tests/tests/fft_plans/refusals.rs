//! Requests and buffers that are refused, and numbers that are none.

use super::harness::{LIMIT_US, Pace, bits, transform};
use super::signals::Random;
use dsp::{Complex, Direction};
use qpu::job::{Buffer, Runner};
use qpu_fft::kernels::spectral::power::Powers;
use qpu_fft::request::{Error, Request, Transform};
use qpu_fft::{self, Plan};
use qpu_programs::FFT;
use v3d_sim::{SimError, SimRunner};

fn refusal(request: &Request) -> String {
    let error: Error<SimError> = Plan::memory(FFT, request).unwrap_err();
    error.to_string()
}

#[test]
fn lengths_and_batches_that_cannot_be() {
    for log2n in [0, 3, 23, 31, 32, u32::MAX] {
        let text = refusal(&Request::new(log2n, 1));
        assert!(text.contains("2^4 to 2^22"), "{text}");
    }
    let text = refusal(&Request::new(10, 0));
    assert!(text.contains("at least one transform"), "{text}");
    for (log2n, batch) in [(10, 1 << 20), (10, u32::MAX)] {
        let text = refusal(&Request::new(log2n, batch));
        assert!(text.contains("make the batch smaller"), "{text}");
        // Whatever is found to be too much first, it is never less than both buffers.
        let needed: u64 = text
            .split(' ')
            .find_map(|word| word.parse().ok())
            .expect("a number of bytes");
        let both = 2 * 8 * (u64::from(batch) << log2n);
        assert!(needed >= both, "{text}");
    }
}

#[test]
fn buffers_that_cannot_be() {
    let request = Request::new(10, 3);
    let bytes = request.input_bytes() as u32;
    let mut runner = SimRunner::new(1 << 20);
    let whole = runner.alloc(3 * bytes, 64).unwrap();
    let part = |offset: u32, bytes: u32| Buffer {
        addr: whole.addr.offset(offset),
        bytes,
    };
    let mut new = |input, output| match Plan::new(FFT, &request, [input, output], &mut runner) {
        Ok(_) => "accepted".to_owned(),
        Err(error) => error.to_string(),
    };
    for (input, output, wanted) in [
        (part(0, bytes), part(0, bytes), "accepted"),
        (part(0, bytes), part(bytes, bytes), "accepted"),
        (part(bytes, bytes), part(0, bytes), "accepted"),
        (part(0, bytes), part(bytes - 64, bytes), "overlap"),
        (part(64, bytes), part(0, bytes), "overlap"),
        (
            part(4, bytes),
            part(bytes + 64, bytes),
            "input must begin at a multiple of 64",
        ),
        (
            part(0, bytes),
            part(bytes + 32, bytes),
            "output must begin at a multiple of 64",
        ),
        (
            part(0, bytes - 8),
            part(bytes, bytes),
            "input needs 24576 bytes and has 24568",
        ),
        (
            part(0, bytes),
            part(bytes, 64),
            "output needs 24576 bytes and has 64",
        ),
    ] {
        let text = new(input, output);
        assert!(text.contains(wanted), "{text}, not {wanted}");
    }
}

#[test]
fn too_little_memory_says_how_much_it_takes() {
    for log2n in 4..=16 {
        let request = Request::new(log2n, 1);
        let needed = Plan::memory::<SimError>(FFT, &request).unwrap().total();
        let bytes = request.input_bytes() as u32;
        // Room for all, and then a little less than that.
        let mut runner = SimRunner::new((bytes + 4096 + needed).next_multiple_of(4096));
        let input = runner.alloc(bytes, 64).unwrap();
        runner.alloc(8256, 64).unwrap();
        let error = Plan::new(FFT, &request, [input, input], &mut runner).unwrap_err();
        let text = error.to_string();
        assert!(text.contains(&format!("needs {needed} bytes")), "{text}");
        assert!(matches!(error, Error::Memory { .. }));
        // The same whichever of the three is the one that does not fit.
        for room in [bytes - 64, bytes + 64, 2 * bytes + 64].map(|x| x.next_multiple_of(4096)) {
            let mut runner = SimRunner::new(room);
            let error = Plan::with_buffers(FFT, &request, &mut runner).unwrap_err();
            let text = error.to_string();
            let wanted = format!(
                "{needed} bytes beside input and output and {} for",
                2 * bytes
            );
            assert!(text.contains(&wanted), "2^{log2n}, {room}: {text}");
        }
    }
}

/// Every bin of a transform with an input that is not finite is infinite, in one of its parts at
/// least, as `Plan::run` says; nothing becomes NaN; the other transforms of the batch do not
/// notice.
#[test]
fn infinity_and_nan_stay_in_their_transform() {
    for log2n in 4..=14 {
        let points = 1usize << log2n;
        let batch = if log2n < 8 { 21 } else { 3 };
        let request = Request::new(log2n, batch as u32);
        let input = Random::new(8).complex(batch * points);
        let forward = Direction::Forward;
        let clean = transform(&request, Pace::Functional, false, forward, &input);
        for bad in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
            let mut input = input.clone();
            input[points + points / 3] = Complex::new(bad, 0.5);
            let output = transform(&request, Pace::Functional, false, forward, &input);
            for (number, (got, wanted)) in
                output.chunks(points).zip(clean.chunks(points)).enumerate()
            {
                if number == 1 {
                    assert!(got.iter().all(|z| z.re.is_infinite() || z.im.is_infinite()));
                    assert!(!got.iter().any(|z| z.re.is_nan() || z.im.is_nan()));
                } else {
                    assert!(
                        bits(got) == bits(wanted),
                        "2^{log2n}, {bad}, transform {number}"
                    );
                }
            }
        }
    }
}

/// So it is with every other kind: what becomes of the other transforms has the same bits.
#[test]
fn infinity_and_nan_stay_in_their_transform_of_any_kind() {
    const BATCH: usize = 3;
    for log2_points in [5, 8, 11] {
        for transform in [
            Transform::RealToBins { log2_points },
            Transform::BinsToReal { log2_points },
            Transform::Plane {
                log2_rows: 4,
                log2_columns: log2_points,
            },
            Transform::Powers(Powers::new(true, log2_points, 2)),
            Transform::Powers(Powers::new(false, log2_points, 2)),
        ] {
            let request = Request::of(transform, BATCH as u32);
            let mut runner = SimRunner::new(8 << 20).with_functional(true);
            let mut plan = Plan::with_buffers(FFT, &request, &mut runner).unwrap();
            let direction = transform.direction().unwrap_or(qpu_fft::Direction::Forward);
            let mut run = |words: &[u32]| {
                runner.write(plan.input(), 0, words).unwrap();
                plan.run(&mut runner, direction, LIMIT_US).unwrap();
                let mut output = vec![0; request.output_bytes() as usize / 4];
                runner.read(plan.output(), 0, &mut output).unwrap();
                output
            };
            let mut random = Random::new(log2_points.into());
            let count = request.input_bytes() as usize / 4;
            let mut input: Vec<_> = (0..count).map(|_| random.sample().to_bits()).collect();
            let clean = run(&input);
            for bad in [f32::INFINITY, f32::NAN] {
                input[count / 2] = bad.to_bits();
                let output = run(&input);
                let length = output.len() / BATCH;
                for number in [0, 2] {
                    let [got, wanted] =
                        [&output, &clean].map(|all| &all[number * length..][..length]);
                    assert!(got == wanted, "{transform:?}, {bad}, transform {number}");
                }
                // Behind the last bin nothing is said of what there is.
                let bins = &output[length..][..length / 2];
                let is_finite = |word: &u32| f32::from_bits(*word).is_finite();
                let is_nan = |word: &u32| f32::from_bits(*word).is_nan();
                assert!(!bins.iter().all(is_finite), "{transform:?}, {bad}");
                assert!(!bins.iter().any(is_nan), "{transform:?}, {bad}");
            }
        }
    }
}

#[test]
fn sums_that_overflow_are_infinite_and_tiny_numbers_are_zero() {
    for log2n in 4..=12 {
        let request = Request::new(log2n, 1);
        let all = |value: f32| vec![Complex::new(value, 0.0); 1 << log2n];
        let of = |value| {
            transform(
                &request,
                Pace::Functional,
                false,
                Direction::Forward,
                &all(value),
            )
        };
        assert_eq!(of(f32::MAX)[0].re, f32::INFINITY);
        // Numbers below 2^-126 count as 0.
        assert!(of(1e-39).iter().all(|z| (z.re, z.im) == (0.0, 0.0)));
    }
}

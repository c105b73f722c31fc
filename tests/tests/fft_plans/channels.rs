//! Samples that are one number of each frame of two, or both in the other order: I2S in place.

use super::harness::{LIMIT_US, Pace, bits};
use super::samples::{count, run, samples};

use dsp::Direction;
use qpu::job::{Buffer, Runner};
use qpu_fft::Plan;
use qpu_fft::kernels::spectral::power::Powers;
use qpu_fft::planner::tuning;
use qpu_fft::request::{Error, Request, Transform};
use qpu_fft::samples::{Channels, Format};
use qpu_programs::FFT;
use v3d_sim::{SimError, SimRunner};

/// Requests of i32 whose programs are all that read such, for real samples or for complex ones.
fn requests(is_real: bool) -> Vec<Request> {
    let mut requests = Vec::new();
    for log2_points in 5..=13 {
        let points = 1 << log2_points;
        let one = (4096 >> log2_points).clamp(1, 16);
        for (batch, hop) in [
            (1, None),
            (one + 2, Some(points / 2)),
            (2, Some(points / 4 + 1)),
        ] {
            let transform = if is_real {
                Transform::RealToBins { log2_points }
            } else {
                Transform::Complex { log2_points }
            };
            let mut request = Request::of(transform, batch);
            (request.samples, request.hop) = (Format::I32, hop);
            request.windowed = hop.is_some();
            requests.push(request);
        }
    }
    let conservative = requests.clone().into_iter().filter(|request| {
        tuning::conservative(request.transform.log2_row(), request.rows()).is_some()
    });
    let conservative = conservative.map(|request| Request {
        conservative: true,
        ..request
    });
    requests.extend(conservative.collect::<Vec<_>>());
    requests
}

/// The frames of which `numbers` are taken; numbers that are not are anything.
fn frames(channels: Channels, numbers: &[i32]) -> Vec<i32> {
    let others = || (0..).map(|index: i32| index.wrapping_mul(0x9e37_79b9_u32 as i32));
    match channels {
        Channels::All => numbers.to_vec(),
        Channels::First => numbers
            .iter()
            .copied()
            .zip(others())
            .flat_map(|(a, b)| [a, b])
            .collect(),
        Channels::Second => numbers
            .iter()
            .copied()
            .zip(others())
            .flat_map(|(a, b)| [b, a])
            .collect(),
        Channels::Swapped => numbers.chunks(2).flat_map(|z| [z[1], z[0]]).collect(),
    }
}

/// A block of one channel, read where DMA has put the frames, has the bits of its copy.
#[test]
fn frames_are_transformed_in_place_as_their_copies_are() {
    for (channels, is_real) in [
        (Channels::First, true),
        (Channels::Second, true),
        (Channels::Swapped, false),
    ] {
        for plain in requests(is_real) {
            let in_place = Request { channels, ..plain };
            let numbers = samples(Format::I32, count(&plain), 9);
            let frames = frames(channels, &numbers);
            assert_eq!(count(&in_place), frames.len());
            let forward = Direction::Forward;
            let window = |n: u32| 1.0 / f64::from(n + 1);
            let with = |request: &Request, samples: &[i32]| {
                bits(&run(request, Pace::Functional, forward, samples, window))
            };
            let what = format!("{:?} {channels:?}", plain.transform);
            assert!(with(&in_place, &frames) == with(&plain, &numbers), "{what}");
        }
    }
}

/// A plan reads wherever its input is moved to, and the samples there keep their values.
#[test]
fn blocks_of_a_ring_are_transformed_where_they_lie() {
    const RING: u32 = 1 << 17;
    for (log2_points, format, channels, blocks) in [
        (5, Format::I32, Channels::First, 1),
        (9, Format::I32, Channels::Second, 1),
        (12, Format::I32, Channels::First, 1),
        (14, Format::I32, Channels::Second, 1),
        (12, Format::U8High, Channels::All, 1),
        (14, Format::U8High, Channels::All, 1),
        (10, Format::U8High, Channels::All, 64),
        (12, Format::U8High, Channels::All, 16),
        (14, Format::U8High, Channels::All, 3),
        (12, Format::I16, Channels::All, 1),
        (12, Format::I16, Channels::All, 5),
        (14, Format::U8, Channels::All, 1),
        (12, Format::F32, Channels::All, 1),
    ] {
        for conservative in [false, true] {
            let powers = Powers::new(true, log2_points, blocks);
            let mut request = Request::of(Transform::Powers(powers), 1);
            request.hop = Some(1 << (log2_points - 1));
            (request.samples, request.channels) = (format, channels);
            (request.windowed, request.conservative) = (true, conservative);
            let half = request.transform.log2_row();
            if conservative && tuning::conservative(half, blocks).is_none() {
                continue;
            }
            let mut runner = SimRunner::new(8 << 20).with_functional(true);
            let mut plan = Plan::with_buffers(FFT, &request, &mut runner).unwrap();
            plan.set_window(&mut runner, |n| 1.0 / f64::from(n + 1))
                .unwrap();
            let own = plan.input();
            let ring = runner.alloc(2 * RING, 64).unwrap();
            let numbers = samples(Format::I32, RING as usize / 2, 7);
            let words: Vec<u32> = numbers.iter().map(|&x| x as u32 & 0x3fff_3fff).collect();
            runner.write(ring, 0, &words).unwrap();
            let bytes = request.input_bytes() as u32;
            for at in [0, 64, RING - 64, RING] {
                let block = Buffer {
                    addr: ring.addr.offset(at),
                    bytes,
                };
                let mut spectrum = |plan: &mut Plan, input| {
                    plan.set_input(&mut runner, input).unwrap();
                    if input == own {
                        let (first, count) = (at as usize / 4, bytes as usize / 4);
                        runner.write(own, 0, &words[first..first + count]).unwrap();
                    }
                    plan.run(&mut runner, Direction::Forward, LIMIT_US).unwrap();
                    let mut powers = vec![0; request.output_bytes() as usize / 4];
                    runner.read(plan.output(), 0, &mut powers).unwrap();
                    powers
                };
                let in_place = spectrum(&mut plan, block);
                let copied = spectrum(&mut plan, own);
                let what = format!("2^{log2_points} {format} {channels:?} at {at}");
                assert!(in_place == copied, "{what}");
                assert!(in_place.iter().any(|&power| power != 0), "{what}");
            }
            let mut after = vec![0; words.len()];
            runner.read(ring, 0, &mut after).unwrap();
            assert!(after == words, "the ring has changed");
            for (at, wanted) in [(4, "multiple of 64"), (2 * RING - 64, "has 64")] {
                let outside = Buffer {
                    addr: ring.addr.offset(at),
                    bytes: (2 * RING - at).min(bytes),
                };
                let error = plan.set_input(&mut runner, outside).unwrap_err();
                assert!(error.to_string().contains(wanted), "{error}");
            }
        }
    }
}

#[test]
fn only_frames_of_i32_have_channels() {
    let refusal = |request: &Request| {
        let error = Plan::memory(FFT, request).err();
        error.map(|error: Error<SimError>| error.to_string())
    };
    let real = Transform::RealToBins { log2_points: 8 };
    let complex = Transform::Complex { log2_points: 8 };
    let powers = Transform::Powers(Powers::new(true, 8, 2));
    for (transform, samples, channels, is_possible) in [
        (real, Format::I32, Channels::First, true),
        (powers, Format::I32, Channels::Second, true),
        (complex, Format::I32, Channels::Swapped, true),
        (real, Format::I16, Channels::First, false),
        (real, Format::F32, Channels::Second, false),
        (real, Format::I32, Channels::Swapped, false),
        (complex, Format::I32, Channels::First, false),
        (complex, Format::U8, Channels::Swapped, false),
    ] {
        let mut request = Request::of(transform, 1);
        (request.samples, request.channels) = (samples, channels);
        let refused = refusal(&request);
        assert_eq!(refused.is_none(), is_possible, "{request:?}");
        assert!(refused.is_none_or(|text| text.contains("real samples of i32")));
    }
}

//! Samples that are one number of each frame of two, or both in the other order: I2S in place.

use super::harness::{Pace, bits};
use super::samples::{count, run, samples};

use dsp::Direction;
use qpu::fft::Plan;
use qpu::fft::kernels::spectral::power::Powers;
use qpu::fft::planner::tuning;
use qpu::fft::request::{Error, Request, Transform};
use qpu::fft::samples::{Channels, Format};
use qpu_programs::FFT;
use v3d_sim::SimError;

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

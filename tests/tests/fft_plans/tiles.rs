//! Splits whose tiles are shared by two or four QPUs: every role and radix, batches, orders and
//! numbers of QPUs.

use super::harness::{DIRECTIONS, Pace, bits, plan, run, runner, transform};
use super::signals::{Random, assert_spectrum, dft};
use super::spectra::TOLERANCE;
use dsp::Direction;
use qpu_fft::Split;
use qpu_fft::request::Request;
use qpu_fft::split::{QUAD, SHARED};

/// Radices as powers of two.
const S7: u8 = SHARED | 7;
const Q7: u8 = QUAD | 7;
const Q8: u8 = QUAD | 8;

/// The shortest, in two passes and in three, beside passes of every kind; rows too far apart for a
/// stride are in [`rows_that_are_far_apart`].
const SPLITS: [&[u8]; 12] = [
    &[S7, 4],
    &[4, S7],
    &[S7, 5],
    &[6, S7],
    &[Q7, 4],
    &[Q7, 6],
    &[Q7, 7],
    &[4, Q8],
    &[S7, S7],
    &[Q7, S7],
    &[Q7, Q8],
    &[4, 5, S7],
];

fn request(radices: &[u8], batch: u32) -> Request {
    let split = Split::new(radices).expect("a split");
    let mut request = Request::new(split.log2_points(), batch);
    request.split = Some(split);
    request
}

#[test]
fn every_shared_pass_in_both_directions() {
    for radices in SPLITS {
        for batch in [1, 3] {
            let request = request(radices, batch);
            let points = 1 << request.transform.log2_points();
            let input = Random::new(batch.into()).complex(points * batch as usize);
            for direction in DIRECTIONS {
                let what = format!("{} x {batch}", request.split.expect("set above"));
                let output = transform(&request, Pace::Functional, true, direction, &input);
                let wanted: Vec<_> = input
                    .chunks(points)
                    .flat_map(|x| dft(direction, x))
                    .collect();
                assert_spectrum(&what, &output, &wanted, TOLERANCE);
            }
        }
    }
}

#[test]
fn bits_are_the_same_in_every_order_and_on_any_number_of_qpus() {
    for radices in [&[S7, S7][..], &[Q7, Q8], &[4, 5, S7]] {
        let mut request = request(radices, 1);
        let input = Random::new(5).complex(1 << request.transform.log2_points());
        let of = |request: &Request, pace| {
            let mut runner = runner(request, pace);
            let mut plan = plan(request, false, &mut runner);
            // Semaphores are 0 at rest, or the second run would find others.
            run(&mut plan, &mut runner, Direction::Inverse, &input);
            bits(&run(&mut plan, &mut runner, Direction::Inverse, &input))
        };
        let wanted = of(&request, Pace::Timed);
        for seed in 0..8 {
            assert!(of(&request, Pace::Shuffled(seed)) == wanted, "order {seed}");
        }
        for qpus in [4, 5, 8, 10] {
            request.qpus = qpus;
            assert!(of(&request, Pace::Shuffled(9)) == wanted, "{qpus} QPUs");
        }
    }
}

/// Rows of a last pass lie further apart than a stride can say, from 2^20 points on.
#[test]
fn rows_that_are_far_apart() {
    let request = request(&[S7, 6, S7], 1);
    let input = Random::new(3).complex(1 << request.transform.log2_points());
    let output = transform(&request, Pace::Functional, true, Direction::Forward, &input);
    assert_spectrum(
        "far apart",
        &output,
        &dft(Direction::Forward, &input),
        TOLERANCE,
    );
}

//! Batches of every size, in place and apart, scales, and plans side by side.

use super::harness::{DIRECTIONS, LIMIT_US, Pace, bits, plan, run, runner, transform};
use super::signals::{Random, assert_spectrum, dft};
use super::spectra::TOLERANCE;
use dsp::{Complex, Direction};
use qpu_fft::Plan;
use qpu_fft::request::{Request, Scale};
use qpu_programs::FFT;
use v3d_sim::SimRunner;

/// The transforms of each part of a batch.
fn dfts(direction: Direction, points: usize, input: &[Complex<f32>]) -> Vec<Complex<f64>> {
    input
        .chunks(points)
        .flat_map(|input| dft(direction, input))
        .collect()
}

#[test]
fn every_size_of_batch() {
    let sizes = |log2n| match log2n {
        // Around one unit, one round of programs, and two.
        4 => vec![1, 2, 15, 16, 17, 191, 192, 193, 400],
        5 => vec![1, 7, 8, 9, 95, 96, 97],
        6 => vec![1, 3, 4, 5, 47, 48, 49],
        7 => vec![1, 2, 3, 23, 24, 25],
        8 => vec![1, 2, 11, 12, 13, 25],
        9..=11 => vec![1, 2, 3, 7],
        _ => vec![1, 2],
    };
    for log2n in 4..=14 {
        for batch in sizes(log2n) {
            let points = 1 << log2n;
            let input = Random::new(batch as u64).complex(points * batch);
            let request = Request::new(log2n, batch as u32);
            let expected = dfts(Direction::Forward, points, &input);
            let outputs = [false, true].map(|in_place| {
                transform(
                    &request,
                    Pace::Functional,
                    in_place,
                    Direction::Forward,
                    &input,
                )
            });
            let what = format!("2^{log2n} x {batch}");
            assert_spectrum(&what, &outputs[0], &expected, TOLERANCE);
            assert!(bits(&outputs[0]) == bits(&outputs[1]), "{what}, in place");
        }
    }
}

#[test]
fn a_transform_does_not_depend_on_its_batch() {
    for log2n in 4..=13 {
        let points = 1 << log2n;
        let input = Random::new(1).complex(5 * points);
        let batch = Request::new(log2n, 5);
        let together = transform(&batch, Pace::Functional, true, Direction::Inverse, &input);
        let mut one = Request::new(log2n, 1);
        // The same passes: the table may choose others for other batches.
        let mut memory = SimRunner::new(1 << 22);
        let plan = Plan::with_buffers(FFT, &batch, &mut memory).unwrap();
        one.split = Some(plan.arrangement().split);
        for (number, input) in input.chunks(points).enumerate() {
            let alone = transform(&one, Pace::Functional, true, Direction::Inverse, input);
            let same = bits(&alone) == bits(&together[number * points..][..points]);
            assert!(same, "2^{log2n}, transform {number}");
        }
    }
}

#[test]
fn scales_give_back_what_went_in() {
    for log2n in 4..=13 {
        let points = 1usize << log2n;
        let input = Random::new(9).complex(points);
        let wanted: Vec<_> = input
            .iter()
            .map(|z| Complex::new(f64::from(z.re), f64::from(z.im)))
            .collect();
        for (forward, inverse) in [
            (Scale::None, Scale::ByPoints),
            (Scale::ByPoints, Scale::None),
            (Scale::ByRootOfPoints, Scale::ByRootOfPoints),
        ] {
            let mut request = Request::new(log2n, 1);
            (request.forward, request.inverse) = (forward, inverse);
            let mut runner = runner(&request, Pace::Functional);
            let mut plan = plan(&request, true, &mut runner);
            let spectrum = run(&mut plan, &mut runner, Direction::Forward, &input);
            let output = run(&mut plan, &mut runner, Direction::Inverse, &spectrum);
            let what = format!("2^{log2n}, {forward:?} and {inverse:?}");
            assert_spectrum(&what, &output, &wanted, 2.0 * TOLERANCE);
        }
    }
}

#[test]
fn plans_live_side_by_side_and_run_again() {
    let mut runner = SimRunner::new(16 << 20).with_order_seed(7);
    let lengths = 4..=14;
    let mut plans: Vec<_> = lengths
        .map(|log2n| Plan::with_buffers(FFT, &Request::new(log2n, 1), &mut runner).unwrap())
        .collect();
    let mut random = Random::new(77);
    // Again, and in another order: what is in caches and buffers from before must not matter.
    for _ in 0..2 {
        plans.reverse();
        for plan in &mut plans {
            let input = random.complex(plan.points() as usize);
            for direction in DIRECTIONS {
                let output = run(plan, &mut runner, direction, &input);
                let what = format!("side by side, {} points", plan.points());
                assert_spectrum(&what, &output, &dft(direction, &input), TOLERANCE);
            }
        }
    }
}

#[test]
fn a_plan_runs_again_after_a_limit_was_too_short() {
    let request = Request::new(10, 1);
    let mut runner = runner(&request, Pace::Timed);
    let mut plan = plan(&request, false, &mut runner);
    let error = plan.run(&mut runner, Direction::Forward, 1).unwrap_err();
    assert!(
        error.to_string().contains("did not end within 1 us"),
        "{error}"
    );
    let input = Random::new(2).complex(1024);
    let output = run(&mut plan, &mut runner, Direction::Forward, &input);
    assert_spectrum(
        "again",
        &output,
        &dft(Direction::Forward, &input),
        TOLERANCE,
    );
    assert!(plan.run(&mut runner, Direction::Forward, LIMIT_US).is_ok());
}

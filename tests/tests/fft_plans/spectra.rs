//! Inputs whose transforms are known, at every length.

use super::harness::{DIRECTIONS, Pace, plan, run, runner, transform};
use super::signals::{Random, assert_spectrum, dft};
use dsp::{Complex, Direction};
use qpu_fft::request::Request;
use qpu_fft::split::MIN_LOG2_POINTS;
use std::f64::consts::TAU;

/// Largest relative rms error of any length and direction, for input that no pass treats specially.
pub const TOLERANCE: f64 = 1e-6;
/// Lengths up to which all inputs are tried.
const SHORT: std::ops::RangeInclusive<u32> = MIN_LOG2_POINTS..=12;

/// Transforms `input(points)` in every short length and both directions.
fn check(name: &str, input: impl Fn(usize) -> Vec<Complex<f32>>) {
    for log2n in SHORT {
        let input = input(1 << log2n);
        let request = Request::new(log2n, 1);
        let mut runner = runner(&request, Pace::Functional);
        let mut plan = plan(&request, false, &mut runner);
        for direction in DIRECTIONS {
            let output = run(&mut plan, &mut runner, direction, &input);
            let what = format!("{name}, 2^{log2n}, {direction:?}");
            assert_spectrum(&what, &output, &dft(direction, &input), TOLERANCE);
        }
    }
}

#[test]
fn random_input() {
    check("random", |points| {
        Random::new(points as u64).complex(points)
    });
}

#[test]
fn a_tone_between_two_bins() {
    check("tone", |points| {
        let angle = |n| TAU * (points as f64 / 7.0 + 0.3) * n as f64 / points as f64;
        let point = |n| Complex::new(f64::cos(angle(n)) as f32, f64::sin(angle(n)) as f32);
        (0..points).map(point).collect()
    });
}

#[test]
fn a_real_tone_on_a_bin() {
    check("real tone", |points| {
        let angle = |n: usize| TAU * (n * (points / 16 + 1) % points) as f64 / points as f64;
        let point = |n| Complex::new(angle(n).cos() as f32, 0.0);
        (0..points).map(point).collect()
    });
}

#[test]
fn short_lengths_are_the_definition() {
    for log2n in MIN_LOG2_POINTS..=10 {
        let input = Random::new(3).complex(1 << log2n);
        for direction in DIRECTIONS {
            let request = Request::new(log2n, 1);
            let output = transform(&request, Pace::Timed, false, direction, &input);
            let what = format!("2^{log2n}, {direction:?}");
            assert_spectrum(&what, &output, &dft(direction, &input), TOLERANCE);
        }
    }
}

/// An impulse in every position, each in a transform of its own: of one batch, and alone, which
/// other programs do. Bins are powers of one root, each right on its own.
#[test]
fn an_impulse_in_every_position() {
    for log2n in 4..=8 {
        let points = 1usize << log2n;
        let request = Request::new(log2n, points as u32);
        let value = Complex::new(0.75f32, -0.25);
        let mut input = vec![Complex::ZERO; points * points];
        for position in 0..points {
            input[position * points + position] = value;
        }
        let output = transform(&request, Pace::Functional, true, Direction::Forward, &input);
        let request = Request::new(log2n, 1);
        let mut runner = runner(&request, Pace::Functional);
        let mut plan = plan(&request, true, &mut runner);
        let mut alone = |input| run(&mut plan, &mut runner, Direction::Forward, input);
        let alone: Vec<_> = input.chunks(points).map(&mut alone).collect();
        let together = output.chunks(points).enumerate();
        let all = together.chain(alone.iter().map(Vec::as_slice).enumerate());
        for (position, bins) in all {
            for (k, z) in bins.iter().enumerate() {
                let angle = -TAU * (position * k % points) as f64 / points as f64;
                let root = Complex::new(angle.cos(), angle.sin());
                let wanted = Complex::new(f64::from(value.re), f64::from(value.im)) * root;
                let error = (Complex::new(f64::from(z.re), f64::from(z.im)) - wanted).norm_sqr();
                assert!(
                    error.sqrt() < 1e-6,
                    "2^{log2n}, impulse at {position}, bin {k}: {z:?}"
                );
            }
        }
    }
}

fn to_f64(points: &[Complex<f32>]) -> Vec<Complex<f64>> {
    let point = |z: &Complex<f32>| Complex::new(f64::from(z.re), f64::from(z.im));
    points.iter().map(point).collect()
}

#[test]
fn linearity_shift_and_parseval() {
    for log2n in 4..=14 {
        let points = 1usize << log2n;
        let request = Request::new(log2n, 1);
        let mut runner = runner(&request, Pace::Functional);
        let mut plan = plan(&request, false, &mut runner);
        let mut forward = |input: &[Complex<f32>]| {
            to_f64(&run(&mut plan, &mut runner, Direction::Forward, input))
        };
        let mut random = Random::new(log2n.into());
        let [x, y] = [(); 2].map(|()| random.complex(points));
        let [of_x, of_y] = [&x, &y].map(|input| forward(input));
        let near = |what: &str, got: &[Complex<f64>], wanted: &dyn Fn(usize) -> Complex<f64>| {
            let (mut error, mut power) = (0.0, 0.0);
            for (k, z) in got.iter().enumerate() {
                error += (*z - wanted(k)).norm_sqr();
                power += wanted(k).norm_sqr();
            }
            let error = (error / power).sqrt();
            assert!(error < TOLERANCE, "{what}, 2^{log2n}: {error:e}");
        };
        // 2x - y: exact but for the rounding of the sum.
        let sum: Vec<_> = x.iter().zip(&y).map(|(x, y)| x.scale(2.0) - *y).collect();
        near("linearity", &forward(&sum), &|k| {
            of_x[k].scale(2.0) - of_y[k]
        });
        let shift = points / 2 + 3;
        let mut shifted = x.clone();
        shifted.rotate_right(shift);
        near("shift", &forward(&shifted), &|k| {
            let angle = -TAU * (shift * k % points) as f64 / points as f64;
            of_x[k] * Complex::new(angle.cos(), angle.sin())
        });
        let power = |z: &[Complex<f64>]| z.iter().map(|z| z.norm_sqr()).sum::<f64>();
        let ratio = power(&of_x) / (points as f64 * power(&to_f64(&x)));
        assert!(
            (ratio - 1.0).abs() < 2.0 * TOLERANCE,
            "Parseval, 2^{log2n}: {ratio}"
        );
    }
}

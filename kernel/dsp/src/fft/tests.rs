//! The CPU engine against its oracles, and against what a Fourier transform must do.

use super::*;
use crate::dft::{naive, relative_rms_error};
use reference_fft::Complex as Peer;

/// The error in single precision, for every length, direction and radix.
const TOLERANCE_F32: f64 = 3e-7;
/// The error in double precision; the oracle's own error is in it.
const TOLERANCE_F64: f64 = 1e-15;
const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Inverse];
/// Lengths for which the definition is the oracle; beyond, rustfft is.
const NAIVE_LOG2: u32 = 9;
/// Lengths that are tested in every combination.
const THOROUGH_LOG2: u32 = 13;

fn random(n: usize, seed: u32) -> Vec<Complex<f64>> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // Exact in single precision.
        f64::from(state >> 8) / f64::from(1 << 23) - 1.0
    };
    (0..n).map(|_| Complex::new(next(), next())).collect()
}

fn tone(n: usize) -> Vec<Complex<f64>> {
    (0..n)
        .map(|index| root_of_unity(3 * index as u64, n as u64))
        .map(|z| Complex::new(f64::from(z.re as f32), f64::from(-z.im as f32)))
        .collect()
}

fn cast<T: Float>(data: &[Complex<f64>]) -> Vec<Complex<T>> {
    data.iter()
        .map(|z| Complex::new(T::from_f64(z.re), T::from_f64(z.im)))
        .collect()
}

fn log2(n: usize) -> u32 {
    n.trailing_zeros()
}

fn transformed<T: Float>(
    radix: Radix,
    direction: Direction,
    input: &[Complex<f64>],
) -> Vec<Complex<T>> {
    let plan = Plan::new(log2(input.len()), radix).unwrap();
    let garbage = Complex::new(T::from_f64(7.0), T::from_f64(-7.0));
    let mut twiddles = vec![garbage; plan.twiddle_count()];
    plan.fill_twiddles(&mut twiddles).unwrap();
    let mut data = cast(input);
    plan.transform(direction, &twiddles, &mut data).unwrap();
    data
}

/// rustfft in double precision: a second oracle, fast enough for the longest lengths.
fn peer(direction: Direction, input: &[Complex<f64>]) -> Vec<Complex<f64>> {
    let mut data: Vec<_> = input.iter().map(|z| Peer::new(z.re, z.im)).collect();
    reference_fft::plan(data.len(), direction).process(&mut data);
    data.iter().map(|z| Complex::new(z.re, z.im)).collect()
}

fn oracle(direction: Direction, input: &[Complex<f64>]) -> Vec<Complex<f64>> {
    if log2(input.len()) > NAIVE_LOG2 {
        return peer(direction, input);
    }
    let mut expected = vec![Complex::ZERO; input.len()];
    naive(direction, input, &mut expected);
    expected
}

/// The first bin that is wrong, and by how much the whole is.
fn check<T: Float>(actual: &[Complex<T>], expected: &[Complex<f64>], tolerance: f64, what: &str) {
    let error = relative_rms_error(actual, expected);
    if error <= tolerance {
        return;
    }
    let power: f64 = expected.iter().map(|z| z.norm_sqr()).sum();
    let limit = 1e-4 * power / expected.len() as f64;
    let differs = |(actual, expected): (&Complex<T>, &Complex<f64>)| {
        (Complex::new(actual.re.to_f64(), actual.im.to_f64()) - *expected).norm_sqr() > limit
    };
    let bin = actual.iter().zip(expected).position(differs);
    panic!("{what}: relative rms error {error:e}, first wrong bin {bin:?}");
}

#[test]
fn the_second_oracle_agrees_with_the_definition() {
    for direction in DIRECTIONS {
        let input = random(512, 1);
        let mut expected = vec![Complex::ZERO; 512];
        naive(direction, &input, &mut expected);
        let error = relative_rms_error(&peer(direction, &input), &expected);
        assert!(error < 1e-14, "{error:e}");
    }
}

#[test]
fn every_length_direction_and_radix_is_accurate_in_both_precisions() {
    for log2n in 0..=THOROUGH_LOG2 {
        for input in [random(1 << log2n, 0x1234_5678), tone(1 << log2n)] {
            for direction in DIRECTIONS {
                let expected = oracle(direction, &input);
                for radix in Radix::ALL {
                    let what = format!("2^{log2n} {direction:?} {radix:?}");
                    let single = transformed::<f32>(radix, direction, &input);
                    check(&single, &expected, TOLERANCE_F32, &what);
                    // The definition sums N terms one after the other.
                    let naive = if log2n <= NAIVE_LOG2 { 1e-14 } else { 0.0 };
                    let double = transformed::<f64>(radix, direction, &input);
                    check(&double, &expected, TOLERANCE_F64 + naive, &what);
                }
            }
        }
    }
}

#[test]
fn the_longest_lengths_are_accurate_and_come_back() {
    for log2n in THOROUGH_LOG2 + 1..=MAX_LOG2 {
        let input = random(1 << log2n, log2n);
        let direction = DIRECTIONS[log2n as usize % 2];
        let expected = oracle(direction, &input);
        let radix = Radix::ALL[log2n as usize / 2 % 3];
        for radix in [radix, Radix::Mixed] {
            let what = format!("2^{log2n} {direction:?} {radix:?}");
            let single = transformed::<f32>(radix, direction, &input);
            check(&single, &expected, TOLERANCE_F32, &what);
        }
        let double = transformed::<f64>(Radix::Mixed, direction, &input);
        check(&double, &expected, TOLERANCE_F64, &format!("2^{log2n}"));
        let back = transformed::<f64>(radix, DIRECTIONS[1 - log2n as usize % 2], &double);
        let scaled: Vec<_> = back
            .iter()
            .map(|z| z.scale(1.0 / input.len() as f64))
            .collect();
        check(&scaled, &input, 2.0 * TOLERANCE_F64, "there and back");
    }
}

#[test]
fn there_and_back_is_n_times_the_input_in_single_precision() {
    for log2n in 0..=THOROUGH_LOG2 {
        let input = random(1 << log2n, 99);
        for radix in Radix::ALL {
            let there = transformed::<f32>(radix, Direction::Forward, &input);
            let there: Vec<_> = there
                .iter()
                .map(|z| Complex::new(f64::from(z.re), f64::from(z.im)))
                .collect();
            let back = transformed::<f32>(radix, Direction::Inverse, &there);
            let n = input.len() as f64;
            let expected: Vec<_> = input.iter().map(|z| z.scale(n)).collect();
            check(&back, &expected, 2.0 * TOLERANCE_F32, "there and back");
        }
    }
}

#[test]
fn an_impulse_anywhere_is_a_turning_bin() {
    for log2n in 0..=8 {
        let n = 1usize << log2n;
        for at in 0..n {
            let mut input = vec![Complex::ZERO; n];
            input[at] = Complex::new(1.0, 0.0);
            let expected: Vec<_> = (0..n)
                .map(|bin| root_of_unity((at * bin) as u64, n as u64))
                .collect();
            for radix in Radix::ALL {
                let output = transformed::<f32>(radix, Direction::Forward, &input);
                let what = format!("impulse at {at} of {n}, {radix:?}");
                check(&output, &expected, TOLERANCE_F32, &what);
            }
        }
    }
}

#[test]
fn transforms_are_linear_shift_to_rotations_and_keep_power() {
    for log2n in [3, 6, 7, 10, 11] {
        let n = 1usize << log2n;
        let (a, b) = (random(n, 3), random(n, 4));
        let sum: Vec<_> = a.iter().zip(&b).map(|(a, b)| a.scale(3.0) - *b).collect();
        let mut shifted = a.clone();
        shifted.rotate_right(5);
        for radix in Radix::ALL {
            let run = |x: &[Complex<f64>]| transformed::<f64>(radix, Direction::Forward, x);
            let (fa, fb) = (run(&a), run(&b));
            let expected: Vec<_> = fa.iter().zip(&fb).map(|(a, b)| a.scale(3.0) - *b).collect();
            check(&run(&sum), &expected, 2.0 * TOLERANCE_F64, "linear");
            let rotated: Vec<_> = (0..n as u64)
                .zip(&fa)
                .map(|(bin, z)| *z * root_of_unity(5 * bin, n as u64))
                .collect();
            check(&run(&shifted), &rotated, 2.0 * TOLERANCE_F64, "shift");
            let power = |x: &[Complex<f64>]| x.iter().map(|z| z.norm_sqr()).sum::<f64>();
            let ratio = power(&fa) / (power(&a) * n as f64);
            assert!((ratio - 1.0).abs() < 1e-13, "{radix:?}: {ratio}");
        }
    }
}

#[test]
fn not_a_number_spreads_and_does_no_harm() {
    for bad in [f64::NAN, f64::INFINITY] {
        let mut input = random(64, 6);
        input[17] = Complex::new(bad, 0.0);
        for radix in Radix::ALL {
            let output = transformed::<f32>(radix, Direction::Forward, &input);
            assert!(
                output.iter().all(|z| !z.norm_sqr().is_finite()),
                "{radix:?}"
            );
        }
    }
}

#[test]
fn lengths_and_slices_that_are_wrong_are_refused() {
    assert_eq!(Plan::new(MAX_LOG2 + 1, Radix::Two), Err(Error::Length));
    assert_eq!(Plan::new(u32::MAX, Radix::Mixed), Err(Error::Length));
    for radix in Radix::ALL {
        let plan = Plan::new(4, radix).unwrap();
        let count = plan.twiddle_count();
        assert!(count < plan.len());
        let mut twiddles = vec![Complex::<f32>::ZERO; count + 1];
        assert_eq!(plan.fill_twiddles(&mut twiddles), Err(Error::Slice));
        assert_eq!(plan.fill_twiddles(&mut twiddles[2..]), Err(Error::Slice));
        plan.fill_twiddles(&mut twiddles[..count]).unwrap();
        for points in [0, 15, 17, 32] {
            let mut data = vec![Complex::new(1.0, 2.0); points];
            let result = plan.transform(Direction::Forward, &twiddles[..count], &mut data);
            assert_eq!(result, Err(Error::Slice));
            assert!(data.iter().all(|z| *z == Complex::new(1.0, 2.0)));
        }
        let mut data = vec![Complex::ZERO; 16];
        let result = plan.transform(Direction::Inverse, &twiddles, &mut data);
        assert_eq!(result, Err(Error::Slice));
    }
}

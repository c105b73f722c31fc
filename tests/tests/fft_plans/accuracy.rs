//! The table of errors: hello_fft's stimulus and random input, each length, against f64.
//!
//! Published: the author's table for GPU_FFT 3.0, rel_rms_err of hello_fft. Simulated: its shaders
//! on uniform random input (docs/hardware/gpu-fft.md, section 1). Both are for batch 1.

use super::harness::{Pace, transform};
use super::signals::dft;
use dsp::dft::relative_rms_error;
use dsp::{Complex, Direction};
use qpu_fft::request::Request;

/// Errors of GPU_FFT for 2^8 and up: published with hello_fft's stimulus, simulated with random
/// input; ppm.
const GPU_FFT: [[f64; 2]; 15] = [
    [0.33, 0.54],
    [0.46, 0.65],
    [0.52, 0.73],
    [0.59, 0.80],
    [0.78, 0.98],
    [0.83, 1.05],
    [0.92, 1.14],
    [0.98, 1.22],
    [1.0, 1.28],
    [1.3, 1.46],
    [1.3, 1.54],
    [1.4, 1.64],
    [1.5, 1.72],
    [1.5, 1.78],
    [1.5, 1.84],
];
/// Shares of those that ours may have.
const SHARES: [f64; 2] = [0.6, 0.4];

/// Two halves of a tone, in bins 1 and N - 1: what hello_fft transforms, backwards.
fn hello_fft(points: usize) -> Vec<Complex<f32>> {
    let mut input = vec![Complex::ZERO; points];
    input[1] = Complex::new(0.5, 0.0);
    input[points - 1] = Complex::new(0.5, 0.0);
    input
}

/// The random input of the simulated figures: xorshift64, real part then imaginary part.
fn uniform(points: usize) -> Vec<Complex<f32>> {
    let mut state = 88_172_645_463_325_252_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0) as f32
    };
    (0..points).map(|_| Complex::new(next(), next())).collect()
}

fn check(log2n: u32) {
    let points = 1 << log2n;
    let request = Request::new(log2n, 1);
    let limits = GPU_FFT[log2n as usize - 8];
    let inputs = [
        (hello_fft(points), Direction::Inverse),
        (uniform(points), Direction::Forward),
    ];
    let errors = inputs.map(|(input, direction)| {
        let output = transform(&request, Pace::Functional, false, direction, &input);
        1e6 * relative_rms_error(&output, &dft(direction, &input))
    });
    println!(
        "2^{log2n}: hello_fft {:.3} ppm of {:.2}, random {:.3} of {:.2}",
        errors[0], limits[0], errors[1], limits[1]
    );
    for ((error, limit), share) in errors.into_iter().zip(limits).zip(SHARES) {
        assert!(error <= share * limit, "2^{log2n}: {error} of {limit}");
    }
    // There and back: at most twice the error of one way.
    let input = uniform(points);
    let forth = transform(&request, Pace::Functional, true, Direction::Forward, &input);
    let back = transform(&request, Pace::Functional, true, Direction::Inverse, &forth);
    let wanted: Vec<_> = input
        .iter()
        .map(|z| Complex::new(f64::from(z.re), f64::from(z.im)).scale(points as f64))
        .collect();
    let error = 1e6 * relative_rms_error(&back, &wanted);
    println!("2^{log2n}: there and back {error:.3} ppm");
    assert!(error <= 2.0 * SHARES[1] * limits[1], "2^{log2n}: {error}");
}

#[test]
fn errors_are_a_fraction_of_gpu_ffts() {
    (8..=16).for_each(check);
}

#[test]
fn errors_of_long_transforms_are_too() {
    (17..=18).for_each(check);
}

/// `cargo test --release -p tests --test fft_plans longest -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes"]
fn errors_of_the_longest_transforms_are_too() {
    (19..=22).for_each(check);
}

//! A transform whose answer is known in closed form: what an engine is held to in every length.
//!
//! A chirp, x\[n\] = exp(iπ (n - s)²/N), goes through every frequency once. For even N its
//! transform is √N · exp(iπ/4) · exp(-iπ k²/N) · exp(∓2πi ks/N): every input and every bin has the
//! same magnitude, so that no point can be wrong unseen, and the shift s distinguishes the
//! directions.

use std::f64::consts::SQRT_2;

use dsp::{Complex, Direction, dft::root_of_unity};
use kernel::engine::EngineError;
use kernel::engine::cpu::CpuEngine;

/// Largest relative rms error that passes. The QPUs, which truncate, stay below it.
pub const TOLERANCE: f64 = 1e-6;

/// Samples by which the chirp is shifted.
const SHIFT: u64 = 3;

/// Lets `transform` have the chirp of 2^`log2n` points in `data`, and returns the relative rms
/// error.
///
/// # Errors
/// The errors of the engine.
pub fn relative_rms_error(
    log2n: u32,
    direction: Direction,
    data: &mut [Complex<f32>],
    transform: impl FnOnce(&mut [Complex<f32>]) -> Result<(), EngineError>,
) -> Result<f64, EngineError> {
    let n = 1u64 << log2n;
    let data = &mut data[..n as usize];
    for (index, z) in (0..n).zip(&mut *data) {
        let distance = index + n - SHIFT;
        *z = twiddle(distance * distance, 2 * n);
    }
    transform(data)?;

    // √N as a power of two, times √2 where log2n is odd.
    let magnitude =
        f64::from(1u32 << (log2n / 2)) * if log2n.is_multiple_of(2) { 1.0 } else { SQRT_2 };
    let mut error = 0.0;
    for (k, z) in (0..n).zip(&*data) {
        let shift = match direction {
            Direction::Forward => 2 * n - 2 * SHIFT * k % (2 * n),
            Direction::Inverse => 2 * SHIFT * k,
        };
        // In 2N-ths of a circle: an eighth, the square, the shift.
        let angle = n / 4 + (2 * n - k * k % (2 * n)) + shift;
        let expected = root_of_unity(angle, 2 * n).conj().scale(magnitude);
        error += (Complex::new(f64::from(z.re), f64::from(z.im)) - expected).norm_sqr();
    }
    // The power of the answer is N in each of N bins.
    Ok(error.sqrt() / n as f64)
}

/// exp(2πi `numerator` / `denominator`).
fn twiddle(numerator: u64, denominator: u64) -> Complex<f32> {
    let z = root_of_unity(numerator, denominator).conj();
    Complex::new(z.re as f32, z.im as f32)
}

/// The error of the ARM, where `fault` makes a transform wrong in one way.
fn by_the_arm(
    engine: &mut CpuEngine,
    log2n: u32,
    direction: Direction,
    data: &mut [Complex<f32>],
    fault: fn(&mut [Complex<f32>]),
) -> f64 {
    let error = relative_rms_error(log2n, direction, data, |data| {
        engine.prepare(log2n)?;
        engine.transform(direction, data)?;
        fault(data);
        Ok(())
    });
    error.unwrap()
}

#[test]
fn the_cpu_engine_passes_in_every_length_and_direction() {
    let mut table = vec![Complex::ZERO; 1 << 12];
    let mut data = vec![Complex::ZERO; 1 << 12];
    let mut engine = CpuEngine::new(&mut table);
    for log2n in 4..=12 {
        for direction in [Direction::Forward, Direction::Inverse] {
            let error = by_the_arm(&mut engine, log2n, direction, &mut data, |_| ());
            assert!(error < 3e-7, "2^{log2n} {direction:?}: {error:e}");
        }
    }
}

#[test]
fn a_wrong_answer_fails() {
    let faults: [fn(&mut [Complex<f32>]); 3] = [
        |data| data[17] = data[17].scale(1.01),
        |data| data[1..].reverse(), // the other direction
        |data| data.iter_mut().for_each(|z| *z = z.scale(1.000_01)),
    ];
    for fault in faults {
        let mut table = vec![Complex::ZERO; 1 << 8];
        let mut data = vec![Complex::ZERO; 1 << 8];
        let mut engine = CpuEngine::new(&mut table);
        let error = by_the_arm(&mut engine, 8, Direction::Forward, &mut data, fault);
        assert!(error > 5.0 * TOLERANCE, "{error:e}");
    }
}

//! The author's test, `hello_fft`: cosines in, and how far from them the results are.
//!
//! Transform j of a batch gets two halves of a tone in bins j + 1 and N - j - 1; its inverse
//! transform is a cosine. Published is the error's rms relative to the signal's, over the batch.

use super::{Error, Plan, Shape};
use crate::machine::{Machine, Run};
use crate::userland::Userland;
use std::f64::consts::TAU;
use v3d_sim::Config;

/// Result of the test.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The rms error relative to the rms of the signal, parts per million.
    pub ppm: f64,
    /// Its time and work; clocks are no figure for the chip when functional.
    pub run: Run,
}

/// Makes the author's test on a machine of its own.
///
/// # Errors
/// When the batch cannot be made, or a program faults or does not end.
pub fn run(userland: &Userland, shape: Shape, config: Config) -> Result<Outcome, Error> {
    let (mut machine, plan) = Plan::alone(userland, shape, config)?;
    fill(&plan, &mut machine);
    let run = plan.execute(&mut machine)?;
    Ok(Outcome {
        ppm: 1e6 * relative_rms_error(&plan, &machine),
        run,
    })
}

/// The bin of the tone of a transform.
fn bin(shape: Shape, job: u32) -> usize {
    let points = 1 << shape.log2n;
    (job as usize + 1) & (points / 2 - 1)
}

/// Stores the input as the test does: all of a buffer, then the two halves.
pub fn fill(plan: &Plan, machine: &mut Machine) {
    let points = 1usize << plan.shape.log2n;
    let zeros = vec![0; 2 * points];
    for job in 0..plan.shape.jobs {
        let at = plan.input_of(job);
        machine.store(at, &zeros);
        let bin = bin(plan.shape, job);
        let point = |bin: usize| at + 8 * bin as u32;
        if bin == 0 {
            machine.store(point(0), &[1.0f32.to_bits()]);
        } else {
            machine.store(point(points - bin), &[0.5f32.to_bits()]);
            machine.store(point(bin), &[0.5f32.to_bits()]);
        }
    }
}

/// The error of the results, over the batch.
#[must_use]
pub fn relative_rms_error(plan: &Plan, machine: &Machine) -> f64 {
    let points = 1usize << plan.shape.log2n;
    let (mut signal, mut error) = (0.0, 0.0);
    for job in 0..plan.shape.jobs {
        let frequency = bin(plan.shape, job) as f64;
        let words = machine.load(plan.output_of(job), 2 * points);
        for (i, point) in words.chunks_exact(2).enumerate() {
            let wanted = (TAU * frequency * i as f64 / points as f64).cos();
            let [re, im] = [point[0], point[1]].map(|bits| f64::from(f32::from_bits(bits)));
            signal += wanted * wanted;
            error += (wanted - re).powi(2) + im * im;
        }
    }
    (error / signal).sqrt()
}

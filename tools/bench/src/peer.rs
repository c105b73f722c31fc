//! GPU_FFT 3.0: its published shaders, run as its own host code does.
//!
//! Its driver clears all of V3D's caches before each launch, the instruction caches too. Only the
//! inverse is measured, as its author did: the forward transform is the same program with other
//! signs in a table.

use crate::case::{Case, Kind};
use crate::samples::{Error, Input, Stimulus};
use crate::side::Side;
use anyhow::Result;
use fidelity::gpu_fft::{Length, Plan, Shape};
use fidelity::machine::{Machine, Run, config};
use fidelity::{Release, Userland};
use qpu_fft::Direction;
use v3d_sim::{Board, Constants};

/// Measures a batch of inverse transforms.
///
/// # Errors
/// When there is no such length, or a program faults or does not end.
pub fn measure(userland: &Userland, log2n: u32, batch: u32, constants: &Constants) -> Result<Side> {
    let shape = Shape::inverse(Release::V3, log2n, batch);
    let case = Case {
        log2n,
        batch,
        direction: Direction::Inverse,
        kind: Kind::Complex,
    };
    let (mut machine, plan) = Plan::alone(userland, shape, config(Board::Pi1, constants))?;
    let passes = Length::find(shape.release, log2n).map_or(0, Length::passes);
    Side::of(passes as u32, |stimulus| {
        launch(&case, stimulus, &plan, &mut machine)
    })
}

fn launch(
    case: &Case,
    stimulus: Stimulus,
    plan: &Plan,
    machine: &mut Machine,
) -> Result<(Run, f64)> {
    let inputs = (0..case.batch).map(|transform| Input::new(case, stimulus, transform));
    let inputs: Vec<Input> = inputs.collect();
    for (transform, input) in (0..).zip(&inputs) {
        machine.store(plan.input_of(transform), &input.words);
    }
    let run = plan.execute(machine)?;
    let mut error = Error::default();
    for (transform, input) in (0..).zip(&inputs) {
        let expected = input.expected(case);
        let words = machine.load(plan.output_of(transform), expected.len());
        error.add(&words, &expected);
    }
    Ok((run, error.ppm()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fidelity::gpu_fft;

    /// The equality that lets one direction stand for both.
    #[test]
    fn both_directions_take_the_same_time() {
        let userland = Userland::from_environment().unwrap_or_else(|e| panic!("{e}"));
        let userland = ::tests::need!(
            userland,
            "QPUSCOPE_USERLAND names no checkout of raspberrypi/userland"
        );
        let clocks = |direction| {
            let shape = Shape {
                direction,
                ..Shape::inverse(Release::V3, 10, 1)
            };
            let config = config(Board::Pi1, &Constants::recommended());
            let outcome = gpu_fft::hello_fft::run(&userland, shape, config);
            outcome.unwrap_or_else(|e| panic!("{e}")).run.clocks
        };
        let [forward, inverse] =
            [gpu_fft::Direction::Forward, gpu_fft::Direction::Inverse].map(clocks);
        assert_eq!(forward, inverse);
    }
}

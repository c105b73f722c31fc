//! Our own transforms: the plans of `qpu_fft` with the programs of the image, under strict rules.

use crate::case::{Case, HANN};
use crate::samples::{self, Input, Stimulus};
use crate::side::Side;
use anyhow::{Context, Result};
use fidelity::machine::{Run, config, difference};
use qpu::job::Runner;
use qpu_fft::planner::memory::Memory;
use qpu_fft::planner::streams::Streams;
use qpu_fft::request::{Error, Request};
use qpu_fft::window::cosines;
use qpu_fft::{Direction, Plan};
use qpu_programs::FFT;
use v3d_sim::{Board, Config, Constants, SimRunner};

/// No transform takes this long on the chip.
pub const LIMIT_US: u32 = 2_000_000;

/// Memory that a plan needs beside its buffers.
fn memory(case: &Case) -> Result<Memory, Error<()>> {
    Plan::memory(FFT, &case.request())
}

/// True if plans support the case.
#[must_use]
pub fn is_there(case: &Case) -> bool {
    memory(case).is_ok()
}

/// Measures a transform or a batch.
///
/// # Errors
/// When it cannot be planned, or a program breaks a rule, faults or does not end.
pub fn measure(case: &Case, constants: &Constants) -> Result<Side> {
    Ok(Side {
        allocating_cycles: allocating(case, constants)?,
        ..of_streams(case, constants, None)?
    })
}

/// A plan with these streams, or with its own.
fn of_streams(case: &Case, constants: &Constants, streams: Option<Streams>) -> Result<Side> {
    let (mut plan, mut runner) = plan(case, constants, streams)?;
    let passes = plan.arrangement().passes().count() as u32;
    Side::of(passes, |stimulus| {
        launch(case, stimulus, &mut plan, &mut runner)
    })
}

/// A plan on a machine of its own.
fn plan(case: &Case, constants: &Constants, streams: Option<Streams>) -> Result<(Plan, SimRunner)> {
    let config = Config {
        strict: true,
        ..config(Board::Pi1, constants)
    };
    let buffers = case.moved(1) as u32;
    let ram = buffers + memory(case)?.total() + (1 << 20);
    let mut runner = SimRunner::with_config(ram, config);
    let request = Request {
        streams,
        ..case.request()
    };
    let plan = Plan::with_buffers(FFT, &request, &mut runner);
    let mut plan = plan.with_context(|| format!("planning {}", case.name()))?;
    if plan.request().windowed {
        plan.set_window(&mut runner, |index| cosines(&HANN, index, case.log2n))?;
    }
    Ok((plan, runner))
}

/// Clocks of the second launch where all reads allocate in the system L2: of those transforms that
/// the peer has, to tell what rests on the other alias.
fn allocating(case: &Case, constants: &Constants) -> Result<Option<u64>> {
    if !case.has_peer() || case.direction != Direction::Inverse {
        return Ok(None);
    }
    let side = of_streams(case, constants, Some(Streams::default()))?;
    Ok(Some(side.cycles))
}

fn launch(
    case: &Case,
    stimulus: Stimulus,
    plan: &mut Plan,
    runner: &mut SimRunner,
) -> Result<(Run, f64)> {
    let inputs = (0..case.batch).map(|transform| Input::new(case, stimulus, transform));
    let inputs: Vec<Input> = inputs.collect();
    for (transform, input) in (0..).zip(&inputs) {
        let first = transform * input.words.len() as u32;
        runner.write(plan.input(), first, &input.words)?;
    }
    let launched = run(case, plan, runner)?;
    let mut error = samples::Error::default();
    for (transform, input) in (0..).zip(&inputs) {
        let expected = input.expected(case);
        let mut words = vec![0; expected.len()];
        runner.read(plan.output(), transform * expected.len() as u32, &mut words)?;
        error.add(&words, &expected);
    }
    Ok((launched, error.ppm()))
}

fn run(case: &Case, plan: &mut Plan, runner: &mut SimRunner) -> Result<Run> {
    let before = runner.statistics();
    let report = plan
        .run(runner, case.direction, LIMIT_US)
        .with_context(|| format!("running {}", case.name()))?;
    Ok(Run {
        clocks: report.cycles.context("the simulator counts clocks")?,
        statistics: difference(&runner.statistics(), &before),
    })
}

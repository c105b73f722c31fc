//! Our own transforms: the plans of `qpu::fft` with the programs of the image, under strict rules.

use crate::case::{Case, Kind};
use crate::side::{Side, Work};
use crate::signal::{Stimulus, words};
use anyhow::{Context, Result};
use fidelity::machine::{config, difference};
use qpu::fft::prepared;
use qpu::fft::request::{Error, Request};
use qpu::fft::{Direction, MAX_LOG2_POINTS, MIN_LOG2_POINTS, Plan};
use qpu::job::{Buffer, Report, Runner};
use qpu_programs::{CATALOGUE, FFT};
use v3d_sim::{Board, Config, Constants, SimRunner, Statistics};

/// No transform takes this long on the chip.
const LIMIT_US: u32 = 2_000_000;

/// A plan of either kind.
enum Planned {
    /// For any length.
    Units(Box<prepared::Plan>),
    /// For 2^8 to 2^12 points, one at a time, two launches.
    Pair(Box<Plan>),
}

impl Planned {
    fn new(case: &Case, runner: &mut SimRunner) -> Result<Self> {
        let name = || format!("planning {}", case.name());
        Ok(if unit_bytes(case).is_some() {
            let plan = prepared::Plan::with_buffers(FFT, &request(case), runner);
            Self::Units(Box::new(plan.with_context(name)?))
        } else {
            let plan = Plan::new(&CATALOGUE, case.log2n, runner);
            Self::Pair(Box::new(plan.with_context(name)?))
        })
    }

    fn input(&self) -> Buffer {
        match self {
            Self::Units(plan) => plan.input(),
            Self::Pair(plan) => plan.input(),
        }
    }

    fn output(&self) -> Buffer {
        match self {
            Self::Units(plan) => plan.output(),
            Self::Pair(plan) => plan.output(),
        }
    }

    /// Times that all data go through memory.
    fn passes(&self) -> u32 {
        match self {
            Self::Units(plan) => plan.arrangement().passes().count() as u32,
            Self::Pair(_) => 2,
        }
    }

    fn run(&mut self, runner: &mut SimRunner, direction: Direction) -> Result<Report> {
        Ok(match self {
            Self::Units(plan) => plan.run(runner, direction, LIMIT_US)?,
            Self::Pair(plan) => plan.run(runner, direction, LIMIT_US)?,
        })
    }
}

fn request(case: &Case) -> Request {
    Request::new(case.log2n, case.batch)
}

/// Bytes that a plan of units needs beside its buffers; `None` when programs for it are not there.
fn unit_bytes(case: &Case) -> Option<u32> {
    let memory: Result<_, Error<()>> = prepared::Plan::memory(FFT, &request(case));
    Some(memory.ok()?.total())
}

/// Whether plans make this.
#[must_use]
pub fn is_there(case: &Case) -> bool {
    let pair = (MIN_LOG2_POINTS..=MAX_LOG2_POINTS).contains(&case.log2n) && case.batch == 1;
    case.kind == Kind::Complex && (pair || unit_bytes(case).is_some())
}

/// Measures a transform or a batch.
///
/// # Errors
/// When it cannot be planned, or a program breaks a rule, faults or does not end.
pub fn measure(case: &Case, constants: &Constants) -> Result<Side> {
    let config = Config {
        strict: true,
        ..config(Board::Pi1, constants)
    };
    // Input, output and at least as much of tables and scratch for plans that do not say.
    let buffers = 4 * 8 * case.points() as u32;
    let ram = buffers + unit_bytes(case).unwrap_or_default() + (1 << 20);
    let mut runner = SimRunner::with_config(ram, config);
    let mut plan = Planned::new(case, &mut runner)?;
    let (cold, hello_ppm) = launch(case, Stimulus::HelloFft, &mut plan, &mut runner)?;
    let (steady, random_ppm) = launch(case, Stimulus::Random, &mut plan, &mut runner)?;
    Ok(Side {
        passes: plan.passes(),
        cold_cycles: cold.cycles,
        cycles: steady.cycles,
        instructions: steady.statistics.instructions.iter().sum(),
        hello_ppm,
        random_ppm,
        work: Work::new(&steady.statistics),
    })
}

struct Launched {
    cycles: u64,
    statistics: Statistics,
}

fn launch(
    case: &Case,
    stimulus: Stimulus,
    plan: &mut Planned,
    runner: &mut SimRunner,
) -> Result<(Launched, f64)> {
    let transform_words = 2u32 << case.log2n;
    for transform in 0..case.batch {
        let input = stimulus.input(case.log2n, transform as usize);
        runner.write(plan.input(), transform * transform_words, &words(&input))?;
    }
    let before = runner.statistics();
    let report = plan
        .run(runner, case.direction)
        .with_context(|| format!("running {}", case.name()))?;
    let launched = Launched {
        cycles: report.cycles.context("the simulator counts clocks")?,
        statistics: difference(&runner.statistics(), &before),
    };
    let output = |transform: usize| {
        let mut words = vec![0; transform_words as usize];
        runner.read(
            plan.output(),
            transform as u32 * transform_words,
            &mut words,
        )?;
        Ok::<_, anyhow::Error>(words)
    };
    Ok((launched, stimulus.ppm(case, output)?))
}

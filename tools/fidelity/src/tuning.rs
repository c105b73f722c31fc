//! `fidelity run` and `fidelity fit`: one batch with any constants, and how constants are found.

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, Subcommand};
use fidelity::fit::{self, Free, Printed};
use fidelity::fits::{Values, fits};
use fidelity::gpu_fft::Shape;
use fidelity::measure::{self, Wanted};
use fidelity::row::Row;
use fidelity::{Release, Userland, rows};
use std::collections::BTreeMap;
use v3d_sim::{Constants, LaunchOrder, Replacement};

#[derive(Subcommand)]
pub enum Command {
    /// Run one of GPU_FFT's batches, and say what it took.
    Run {
        /// 2.0 or 3.0.
        #[arg(value_parser = release)]
        release: Release,
        /// log2 of the points.
        log2n: u32,
        /// Transforms.
        #[arg(default_value_t = 1)]
        batch: u32,
        #[command(flatten)]
        constants: Chosen,
    },
    /// Move constants until the fitting set fits, and print them.
    Fit {
        /// Leave out transforms of more than 2^LARGEST points.
        #[arg(long, default_value_t = 18)]
        largest: u32,
        /// Rounds, each with half the steps of the one before.
        #[arg(long, default_value_t = 5)]
        rounds: u32,
        /// Names of the constants that may move, separated by commas.
        #[arg(long, value_delimiter = ',')]
        free: Vec<String>,
        /// Starting point: fast, middle or slow; --set moves on from there.
        #[arg(long, value_parser = start_values)]
        start: Option<Values>,
        /// Reading of published times: fast and slow are the ends of what is printed so.
        #[arg(long, value_enum, default_value_t)]
        printed: Printed,
        #[command(flatten)]
        constants: Chosen,
    },
    /// The rows of the fitting set and all other run times, with any constants.
    Times {
        /// Leave out transforms of more than 2^LARGEST points.
        #[arg(long, default_value_t = 16)]
        largest: u32,
        #[command(flatten)]
        constants: Chosen,
    },
}

/// Constants other than the recommended ones.
#[derive(Args)]
pub struct Chosen {
    /// A constant and its value; also order=11,10,9 or order=11,7,3, and replacement=lru or random.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    values: Vec<String>,
}

fn release(text: &str) -> Result<Release, String> {
    [Release::V2, Release::V3]
        .into_iter()
        .find(|release| release.name() == text)
        .ok_or_else(|| "take 2.0 or 3.0".into())
}

fn start_values(text: &str) -> Result<Values, String> {
    let starts = &fits().starts;
    let names = || starts.keys().cloned().collect::<Vec<_>>().join(", ");
    let found = starts.get(text).cloned();
    found.ok_or_else(|| format!("take one of {}", names()))
}

impl Chosen {
    fn constants(&self) -> Result<Constants> {
        self.on(&Values::new())
    }

    /// These, on top of `values`.
    fn on(&self, values: &Values) -> Result<Constants> {
        let mut constants = Constants::recommended();
        for (name, value) in values {
            constants.set(name, *value);
        }
        for text in &self.values {
            let Some((name, value)) = text.split_once('=') else {
                bail!("--set takes NAME=VALUE, not {text:?}");
            };
            match (name, value) {
                ("order", "11,10,9") => constants.launch_order = LaunchOrder::Descending,
                ("order", "11,7,3") => constants.launch_order = LaunchOrder::RoundSlices,
                ("replacement", "lru") => {
                    constants.system_l2_replacement = Replacement::LeastRecent;
                }
                ("replacement", "random") => {
                    constants.system_l2_replacement = Replacement::Random;
                }
                _ => {
                    let number = value.parse().with_context(|| format!("{text:?}"))?;
                    let changed = constants.change(name, number);
                    changed.map_err(|error| anyhow!("{error}; docs/fidelity.md lists all"))?;
                }
            }
        }
        Ok(constants)
    }
}

pub fn run(command: &Command) -> Result<()> {
    let userland = Userland::from_environment()?
        .context("QPUSCOPE_USERLAND must name a checkout of raspberrypi/userland")?;
    match command {
        Command::Run {
            release,
            log2n,
            batch,
            constants,
        } => run_one(
            &userland,
            Shape::inverse(*release, *log2n, *batch),
            &constants.constants()?,
        ),
        Command::Times { largest, constants } => {
            let constants = constants.constants()?;
            let wanted = rows::timed(*largest);
            let measurements = measure::measure(&userland, &wanted, &constants, &|_| ())?;
            let rows = rows::rows(Some(&measurements), &constants);
            print_rows(rows.iter().filter(|row| row.simulated.is_some()));
            print_rows(&rows::aggregates(&rows));
            Ok(())
        }
        Command::Fit {
            largest,
            rounds,
            free,
            start,
            printed,
            constants,
        } => {
            let start = constants.on(start.as_ref().unwrap_or(&Values::new()))?;
            let free = chosen(free)?;
            let tell = |text: &str| eprintln!("{text}");
            let (best, cost) =
                fit::descend(&userland, &start, &free, *printed, *largest, *rounds, &tell)?;
            println!("cost {cost:.4}, order {:?}", best.launch_order);
            let before = Constants::recommended().describe();
            for (constant, before) in best.describe().iter().zip(before) {
                if constant.value != before.value {
                    println!(
                        "{} {:.4} (recommended {})",
                        constant.name, constant.value, before.value
                    );
                }
            }
            print_rows(&fit::fitting_rows(&userland, &best, *largest)?);
            Ok(())
        }
    }
}

/// The constants named, or those that are free unless one says otherwise.
fn chosen(names: &[String]) -> Result<Vec<Free>> {
    let usual = fit::free();
    if names.is_empty() {
        return Ok(usual);
    }
    names
        .iter()
        .map(|name| {
            if let Some(free) = usual.iter().find(|free| free.name == *name) {
                return Ok(free.clone());
            }
            fit::value(&Constants::recommended(), name)
                .with_context(|| format!("no constant is called {name:?}"))?;
            Ok(Free {
                name: name.clone(),
                step: 0.1,
                whole: false,
            })
        })
        .collect()
}

fn print_rows<'a>(rows: impl IntoIterator<Item = &'a Row>) {
    for row in rows {
        let simulated = row.simulated.unwrap_or(f64::NAN);
        println!(
            "{:32} {:>12} {:>12.2} {:>7.1} %  {}",
            row.what,
            row.published,
            simulated,
            100.0 * row.error().unwrap_or(f64::NAN),
            if row.in_band() == Some(false) {
                "OUT"
            } else {
                ""
            },
        );
    }
}

fn run_one(userland: &Userland, shape: Shape, constants: &Constants) -> Result<()> {
    let wanted = Wanted {
        shape,
        functional: false,
    };
    let measured = measure::run(userland, wanted, constants)?;
    let statistics = measured.run.statistics;
    let mut stall: BTreeMap<_, u64> = BTreeMap::new();
    for (cause, clocks) in statistics.stall.iter().flatten() {
        *stall.entry(*cause).or_default() += clocks;
    }
    println!(
        "{}: {:.2} us a transform, {} clocks, {} instructions, error {:.3} ppm",
        shape.name(),
        rows::microseconds(shape, measured.run.clocks, constants),
        measured.run.clocks,
        statistics.instructions.iter().sum::<u64>(),
        measured.ppm
    );
    for (cause, clocks) in &stall {
        println!("  stalled on {cause}: {clocks} clocks");
    }
    let counters = statistics.counters.iter().enumerate();
    for (id, count) in counters.filter(|(_, count)| **count > 0) {
        println!("  counter {id}: {count}");
    }
    Ok(())
}

//! `fidelity`: the V3D simulator against published hardware figures.
//!
//! ```text
//! fidelity [--json] [--out FILE] [--largest LOG2N] [--no-variants] [--record]
//! fidelity run RELEASE LOG2N [BATCH] [--set NAME=VALUE]...      one of GPU_FFT's batches
//! fidelity fit [--largest LOG2N] [--rounds N] [--free NAMES] [--set NAME=VALUE]...
//! ```
//!
//! Prints the report and writes it to FILE (`docs/fidelity.md`); `--json` prints one object
//! instead. Exit 1 when a row is outside its band. GPU_FFT's shaders come from the checkout of
//! raspberrypi/userland that `QPUSCOPE_USERLAND` names. Without it the rows that need them are "not
//! run", with the figures that were last recorded beside them, and no file is written unless
//! `--out` names one.
#![forbid(unsafe_code)]

mod tuning;

use anyhow::Result;
use clap::Parser;
use fidelity::measure::{Measurements, measure};
use fidelity::recorded::{self, Recorded};
use fidelity::report::Report;
use fidelity::repository::{put, root, stamp};
use fidelity::row::Row;
use fidelity::variants::{self, Variant};
use fidelity::{Userland, microbenchmark, rows};
use std::path::PathBuf;
use std::process::ExitCode;
use v3d_sim::Constants;

/// The V3D simulator against published hardware figures.
#[derive(Parser)]
#[command(name = "fidelity", args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<tuning::Command>,
    /// Print one JSON object, {"rows": [...]}.
    #[arg(long)]
    json: bool,
    /// Write the report here.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The longest transforms to run are of 2^LARGEST points; more rows are then "not run".
    #[arg(long, default_value_t = rows::LARGEST, value_parser = clap::value_parser!(u32).range(8..=22))]
    largest: u32,
    /// Leave out the run times with other constants.
    #[arg(long)]
    no_variants: bool,
    /// Keep the figures of this run for those who have no checkout.
    #[arg(long)]
    record: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match &arguments.command {
        Some(command) => tuning::run(command).map(|()| true),
        None => run(&arguments),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("fidelity: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// True if all rows lie in their bands.
fn run(arguments: &Arguments) -> Result<bool> {
    let userland = Userland::from_environment()?;
    let constants = Constants::recommended();
    let measurements = match &userland {
        Some(userland) => Some(measured(userland, &constants, arguments.largest)?),
        None => {
            eprintln!(
                "QPUSCOPE_USERLAND is not set: rows of GPU_FFT are not run. To run them: git clone \
                 https://github.com/raspberrypi/userland, and name the folder."
            );
            None
        }
    };
    let mut all = rows::rows(measurements.as_ref(), &constants);
    all.extend(microbenchmark::rows(&constants)?);
    let recorded = Recorded::last();
    recorded.fill(&mut all);
    let aggregates = rows::aggregates(&all);
    let variants = match &userland {
        Some(userland) if !arguments.no_variants => run_variants(userland)?,
        _ => Vec::new(),
    };
    let report = Report {
        rows: &all,
        aggregates: &aggregates,
        variants: &variants,
        constants: &constants,
        recorded: &recorded,
    };
    if arguments.json {
        println!("{}", report.json()?);
    } else {
        print!("{}", report.markdown());
    }
    write(arguments, &report)?;
    if arguments.record {
        record(&report)?;
    }
    eprintln!("{}", report.verdict());
    Ok(report.outside().next().is_none())
}

fn measured(userland: &Userland, constants: &Constants, largest: u32) -> Result<Measurements> {
    let progress = |what: &str| eprintln!("ran GPU_FFT {what}");
    Ok(measure(
        userland,
        &rows::wanted(largest),
        constants,
        &progress,
    )?)
}

fn run_variants(userland: &Userland) -> Result<Vec<(Variant, Vec<Row>)>> {
    let mut done = Vec::new();
    for variant in variants::all() {
        eprintln!("running with other constants: {}", variant.name);
        let wanted = rows::timed(variants::LARGEST);
        let measurements = measure(userland, &wanted, &variant.constants, &|_| ())?;
        let rows = rows::rows(Some(&measurements), &variant.constants);
        done.push((variant, rows));
    }
    Ok(done)
}

/// Writes the document where it was asked for, or to its place when it is complete.
fn write(arguments: &Arguments, report: &Report) -> Result<()> {
    let path = match &arguments.out {
        Some(path) => path.clone(),
        None if report.is_complete() && !report.variants.is_empty() => {
            root().join("docs/fidelity.md")
        }
        None => {
            eprintln!("docs/fidelity.md is left as it is: not everything was run");
            return Ok(());
        }
    };
    put(&path, report.markdown())
}

fn record(report: &Report) -> Result<()> {
    anyhow::ensure!(
        report.is_complete(),
        "only a complete run is recorded: set QPUSCOPE_USERLAND"
    );
    let (date, commit) = stamp()?;
    let recorded = Recorded::new(report.rows, date, commit);
    let text = serde_json::to_string_pretty(&recorded)? + "\n";
    put(&root().join(recorded::PATH), text)
}

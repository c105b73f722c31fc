//! `qpu compare`: a report of a board beside the cycle model.
//!
//! The model runs the same microbenchmarks at the V3D clock that the report states. Each constant
//! that they can tell is named with the value that explains the board's times, when the documented
//! one does not.

mod text;

use std::path::PathBuf;

use serde_json::{Value, json};

use common::failure::Result;
use common::files::input;
use common::say;
use fidelity::decide::{Comparison, Decision, NOISE, Timed, Verdict, decide};
use host::report::file::Report;

/// Options of `compare`.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// A file that `qpu report` has written
    file: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Reads the file, runs the model and prints both.
///
/// # Errors
/// Usage, when the file is no report that can be trusted.
pub fn run(options: &Options) -> Result<()> {
    let name = say::path(&options.file);
    let bytes = input::read(&options.file, "a report", input::TEXT)?;
    let report = Report::parse(&String::from_utf8_lossy(&bytes), &name)?;
    let timed = report.timed(NOISE).map(|(name, us, uncertainty)| Timed {
        name: name.to_owned(),
        us,
        uncertainty,
    });
    let comparison = decide(report.board.v3d_hz, &timed.collect::<Vec<_>>());
    if options.json {
        return say::json(&format!("{:#}\n", object(&report, &comparison)));
    }
    say::data(&text::page(&report, &comparison))
}

fn object(report: &Report, comparison: &Comparison) -> Value {
    let figures = comparison.figures.iter().map(|figure| {
        json!({
            "name": figure.name, "measured_clocks": figure.measured, "model_clocks": figure.model,
            "explained_clocks": figure.explained, "tolerance": figure.tolerance,
            "is_explained": figure.is_explained(),
        })
    });
    json!({
        "board": report.board.name,
        "v3d_hz": comparison.v3d_hz,
        "stated_v3d_hz": comparison.stated_hz,
        "figures": figures.collect::<Vec<_>>(),
        "constants": comparison.decisions.iter().map(decision).collect::<Vec<_>>(),
    })
}

fn decision(decision: &Decision) -> Value {
    let (verdict, value) = match decision.verdict {
        Verdict::Documented => ("documented", json!(decision.documented)),
        Verdict::Value(value) => ("differs", json!(value)),
        Verdict::AtLeast(value) => ("at_least", json!(value)),
        Verdict::AtMost(value) => ("at_most", json!(value)),
        Verdict::Open(why) => ("open", json!(why)),
    };
    json!({
        "constant": decision.constant, "documented": decision.documented, "verdict": verdict,
        "value": value, "figures": decision.figures,
    })
}

//! `qpu selftest`: QPU programs whose results are known, run on the simulated V3D.
//!
//! `hello` adds a number, `transpose` turns a matrix over, `sha256` computes digests. What they
//! leave is compared word by word with what this computer computes. `sha256 --engine arm` runs on
//! the ARM of the virtual Pi, `--engine host` on this computer.

mod sha256;
mod transpose;

use clap::Subcommand;
use qpu_programs::hello::{ADDED, hello};
use qpu_programs::sha256::LANES;
use serde_json::{Value, json};
use v3d_sim::SimRunner;

use common::failure::{Failure, Result};
use common::say;
use workbench::transform::LIMIT_US;

/// RAM of the simulated board.
const RAM_BYTES: u32 = 64 << 20;

/// Options of `selftest`.
#[derive(clap::Args, Debug)]
pub struct Options {
    #[command(subcommand)]
    program: Program,
}

#[derive(Subcommand, Debug)]
enum Program {
    /// A number plus 0x1234, by one QPU
    Hello {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// The transpose of a matrix of 32-bit words, by up to four QPUs
    Transpose(transpose::Options),
    /// SHA-256 of sixteen messages on each QPU
    Sha256(sha256::Options),
}

/// Runs a test and prints what came of it.
///
/// # Errors
/// Integrity, when a result is wrong or a program does not end.
pub fn run(options: &Options) -> Result<()> {
    match &options.program {
        Program::Hello { json } => run_hello(*json),
        Program::Transpose(options) => transpose::run(options),
        Program::Sha256(options) => sha256::run(options),
    }
}

fn runner() -> SimRunner {
    SimRunner::new(RAM_BYTES).with_functional(false)
}

fn print(json: bool, object: &Value, text: &str) -> Result<()> {
    if json {
        say::json(&format!("{object:#}\n"))
    } else {
        say::data(text)
    }
}

fn run_hello(json: bool) -> Result<()> {
    let number = 100;
    let words = hello(&mut runner(), number, LIMIT_US).map_err(|error| did_not_end(&error))?;
    let expected = number + ADDED;
    let passed = words == [expected; LANES];
    let verdict = verdict(passed, "ok");
    print(
        json,
        &json!({ "program": "hello", "engine": "qpu", "passed": passed, "words": words }),
        &format!(
            "hello: {number} + {ADDED:#x} = {:#x} in word 0 of {LANES}, {verdict}\n",
            words[0]
        ),
    )?;
    if passed {
        return Ok(());
    }
    Err(wrong(&format!(
        "hello gave {words:x?}, not {expected:#x} in each word"
    )))
}

const fn verdict(passed: bool, right: &'static str) -> &'static str {
    if passed { right } else { "FAILED" }
}

fn wrong(what: &str) -> Failure {
    Failure::integrity(format!("{what}; report this with the version of qpuscope"))
}

fn did_not_end(error: &impl std::fmt::Display) -> Failure {
    wrong(&format!("the program did not end well: {error}"))
}

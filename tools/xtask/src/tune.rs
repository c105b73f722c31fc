//! `cargo xtask tune`: the fastest splits of FFT lengths, timed on the simulator.
//!
//! The example `tune` of the package qpu-programs does the work; this only builds and starts it.

use crate::{process, workspace};
use anyhow::{Context, Result};
use std::process::{Command, ExitCode};

/// Runs it with the arguments given.
pub fn run(rest: &[String]) -> Result<ExitCode> {
    let mut cargo = Command::new(workspace::cargo());
    cargo.current_dir(workspace::root());
    cargo.args([
        "run",
        "--quiet",
        "--locked",
        "--release",
        "--package",
        "qpu-programs",
        "--example",
        "tune",
        "--",
    ]);
    cargo.args(rest);
    // No limit: it shows its progress, each of its runs is bounded, and its user can stop it.
    let status = cargo
        .status()
        .with_context(|| format!("cannot start {}", process::describe(&cargo)))?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

//! `cargo xtask fuzz NAME COUNT`: more inputs than the test run gives a fuzz target.
//!
//! The targets, their corpus and the mutation live in the package `tests`; this only starts them.

use crate::{process, workspace};
use anyhow::{Context, Result, bail};
use std::process::{Command, ExitCode};

/// Runs one fuzz target, or lists them.
pub fn run(rest: &[String]) -> Result<ExitCode> {
    if let [_, count] = rest {
        let number = count.parse::<u64>();
        number.with_context(|| format!("COUNT must be a number, not {count:?}"))?;
    } else if !rest.is_empty() {
        bail!("`cargo xtask fuzz` takes NAME and COUNT, or nothing to list the targets");
    }
    let mut cargo = Command::new(workspace::cargo());
    cargo.current_dir(workspace::root());
    cargo.args([
        "run",
        "--quiet",
        "--locked",
        "--release",
        "--package",
        "tests",
        "--example",
        "fuzz",
        "--",
    ]);
    cargo.args(rest);
    // No limit: the user has said how many, sees the progress, and can stop it.
    let status = cargo
        .status()
        .with_context(|| format!("cannot start {}", process::describe(&cargo)))?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

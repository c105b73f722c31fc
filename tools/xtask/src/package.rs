//! Commands whose work is done by a program of another package of the workspace.
//!
//! xtask builds and starts it, with optimization and with the arguments that it was given itself.

use crate::{process, workspace};
use anyhow::{Context, Result, bail};
use std::process::{Command, ExitCode};
use std::time::Duration;

/// The time that a build may take.
const BUILD: Duration = Duration::from_secs(3600);

/// Runs the binary of `package`, or one of its examples.
///
/// # Errors
/// When cargo cannot be started. What the program itself finds wrong is in its exit code.
pub fn run(package: &str, more: &[&str], rest: &[String]) -> Result<ExitCode> {
    let mut cargo = Command::new(workspace::cargo());
    cargo.current_dir(workspace::root());
    cargo.args(["run", "--quiet", "--locked", "--release"]);
    cargo.args(["--package", package]);
    cargo.args(more);
    cargo.arg("--").args(rest);
    // No limit: these programs show their progress, each of their runs is bounded, and their user
    // can stop them.
    let status = cargo
        .status()
        .with_context(|| format!("cannot start {}", process::describe(&cargo)))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(1)))
}

/// Builds the programs of `package` with optimization, where [`run`] puts those that it runs.
///
/// # Errors
/// When it does not build within an hour.
pub fn build(package: &str) -> Result<()> {
    let mut cargo = Command::new(workspace::cargo());
    cargo.current_dir(workspace::root());
    cargo.args(["build", "--locked", "--release", "--package", package]);
    process::must(&mut cargo, BUILD)
}

/// `cargo xtask fuzz NAME COUNT`: runs one fuzz target with more inputs than the test run gives it;
/// without arguments lists the targets.
///
/// # Errors
/// For other arguments, and when cargo cannot be started.
pub fn fuzz(rest: &[String]) -> Result<ExitCode> {
    if let [_, count] = rest {
        let number = count.parse::<u64>();
        number.with_context(|| format!("COUNT must be a number, not {count:?}"))?;
    } else if !rest.is_empty() {
        bail!("`cargo xtask fuzz` takes NAME and COUNT, or nothing to list the targets");
    }
    run("tests", &["--example", "fuzz"], rest)
}

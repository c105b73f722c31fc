//! `cargo xtask fuzz NAME COUNT`: more inputs than the test run gives a fuzz target.
//!
//! The targets, their corpus and the mutation live in the package `tests`; this only starts them.

use crate::package;
use anyhow::{Context, Result, bail};
use std::process::ExitCode;

/// Runs one fuzz target, or lists them.
pub fn run(rest: &[String]) -> Result<ExitCode> {
    if let [_, count] = rest {
        let number = count.parse::<u64>();
        number.with_context(|| format!("COUNT must be a number, not {count:?}"))?;
    } else if !rest.is_empty() {
        bail!("`cargo xtask fuzz` takes NAME and COUNT, or nothing to list the targets");
    }
    package::run("tests", Some("fuzz"), rest)
}

//! The repository, in which reports and records are kept.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Its root. `cargo run` says where the package lies, which in a copy that kept its times is not
/// where it was compiled.
#[must_use]
pub fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let here = here.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    here.ancestors().nth(2).unwrap_or(&here).to_owned()
}

/// Writes a file, and says so.
///
/// # Errors
/// When it cannot be written.
pub fn put(path: &Path, bytes: impl AsRef<[u8]>) -> Result<()> {
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    eprintln!("wrote {}", path.display());
    Ok(())
}

/// The day, as year-month-day, and the commit that is checked out.
///
/// # Errors
/// When `date` or `git` cannot be started.
pub fn stamp() -> Result<(String, String)> {
    let answer = |program: &str, arguments: &[&str]| -> Result<String> {
        let mut command = Command::new(program);
        let output = command.args(arguments).current_dir(root()).output();
        let output = output.with_context(|| format!("cannot start {program}"))?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().into())
    };
    let date = answer("date", &["+%Y-%m-%d"])?;
    Ok((date, answer("git", &["rev-parse", "--short", "HEAD"])?))
}

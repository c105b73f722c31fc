//! Chromium, in which the page is tested: found, and installed where that may be done.

use crate::{process, toolchain};
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::Command;

/// Its names on the systems of today; the first is Debian's, of the package too.
const PROGRAMS: [&str; 2] = ["chromium", "chromium-browser"];

/// The sentence for a machine without it.
pub const MISSING: &str = "install Chromium with `sudo apt-get install chromium`";

/// Chromium in `PATH`, if it is there and starts.
pub fn find() -> Option<PathBuf> {
    let starts = |program: &str| process::ask(Command::new(program).arg("--version")).is_some();
    let program = PROGRAMS.into_iter().find(|program| starts(program));
    program.map(PathBuf::from)
}

/// Chromium, installed as root where it is missing.
pub fn find_or_install() -> Result<PathBuf> {
    if let Some(found) = find() {
        return Ok(found);
    }
    eprintln!("Chromium is not installed");
    toolchain::apt_install(&PROGRAMS[..1]).context(MISSING)?;
    find().context("Chromium was installed but does not start")
}

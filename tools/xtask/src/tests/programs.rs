//! The test programs of the workspace: compiled by cargo, listed by its messages.

use super::selection::Selection;
use crate::{process, workspace};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const BUILD_LIMIT: Duration = Duration::from_secs(1800);

/// One compiled test program.
pub struct Program {
    /// Package and target, as shown to the user.
    pub name: String,
    executable: PathBuf,
    manifest: PathBuf,
}

impl Program {
    /// Starts the program as `cargo test` would: in its package's folder.
    pub fn command(&self, filter: Option<&str>) -> Command {
        let folder = self.manifest.parent().unwrap_or(Path::new("."));
        let mut command = Command::new(&self.executable);
        command
            .current_dir(folder)
            .env("CARGO_MANIFEST_DIR", folder)
            .args(filter);
        command
    }
}

/// Compiles the selected test programs of the workspace.
///
/// Always as parts of the workspace: a package by itself would be built with fewer features, and
/// anew.
pub fn build(selection: &Selection) -> Result<Vec<Program>> {
    let mut cargo = Command::new(workspace::cargo());
    cargo.current_dir(workspace::root());
    cargo.args(["test", "--locked", "--workspace", "--no-run"]);
    cargo.arg("--message-format=json-render-diagnostics");
    cargo.args(&selection.arguments);
    eprintln!("building the tests {}", selection.arguments.join(" "));
    let output = process::capture(&mut cargo, BUILD_LIMIT)?;
    if !output.status.is_some_and(|status| status.success()) {
        bail!("the tests did not build\n{}", output.stderr);
    }
    output.stdout.lines().filter_map(program).collect()
}

/// The program that a message of cargo reports, if it does.
fn program(line: &str) -> Option<Result<Program>> {
    let message: Value = serde_json::from_str(line).ok()?;
    let executable = message["executable"].as_str()?;
    let is_test = message["profile"]["test"].as_bool()?;
    is_test.then(|| {
        let text = |value: &Value| value.as_str().map(String::from);
        let manifest = text(&message["manifest_path"]).context("no manifest in cargo's message")?;
        let manifest = PathBuf::from(manifest);
        let folder = manifest.parent().and_then(|folder| folder.file_name());
        let package = folder.unwrap_or_default().to_string_lossy().into_owned();
        let target = text(&message["target"]["name"]).unwrap_or_default();
        let kind = text(&message["target"]["kind"][0]).unwrap_or_default();
        Ok(Program {
            name: format!("{package} ({kind} {target})"),
            executable: executable.into(),
            manifest,
        })
    })
}

//! The test programs of the workspace: compiled by cargo, listed by its messages.

use super::selection::Selection;
use crate::{process, workspace};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const BUILD_LIMIT: Duration = Duration::from_secs(1800);

/// The host tool, a program that tests of other packages run.
const HOST: &str = "qpuscope";

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

/// The programs of a build.
pub struct Built {
    /// The selected test programs.
    pub tests: Vec<Program>,
    /// `qpuscope`, if one of the tests runs it by cargo's leave.
    host: Option<PathBuf>,
}

impl Built {
    /// The program `qpuscope`, compiled as the tests are: for release it would take minutes more.
    pub fn host(&self) -> Result<PathBuf> {
        if let Some(host) = &self.host {
            return Ok(host.clone());
        }
        let tools = ["--bin", HOST, "--bin", "qpu"].map(Into::into);
        let messages = cargo(&["build"], &tools)?;
        host(&messages).context("cargo has not built qpuscope")
    }
}

/// Compiles the selected test programs of the workspace.
///
/// Always as parts of the workspace: a package by itself would be built with fewer features, and
/// anew.
pub fn build(selection: &Selection) -> Result<Built> {
    eprintln!("building the tests {}", selection.arguments.join(" "));
    // Examples are compiled by `cargo xtask lint`.
    let all = ["--tests".to_string()];
    let chosen = match &selection.arguments[..] {
        [] => &all[..],
        chosen => chosen,
    };
    let messages = cargo(&["test", "--no-run"], chosen)?;
    let tests = messages.iter().filter_map(program);
    Ok(Built {
        tests: tests.collect::<Result<_>>()?,
        host: host(&messages),
    })
}

/// The program `qpuscope` among those that messages of cargo report.
fn host(messages: &[Value]) -> Option<PathBuf> {
    let is_host = |message: &&Value| {
        message["target"]["name"] == HOST
            && message["target"]["kind"][0] == "bin"
            && message["profile"]["test"] == false
    };
    let executable = messages.iter().find(is_host)?["executable"].as_str()?;
    Some(executable.into())
}

/// Cargo, as all programs of a test run are compiled.
///
/// What a later build would reuse of each crate takes a quarter of the time of a first build, so it
/// is made only where builds of that kind have been made before.
pub fn command() -> Command {
    let mut cargo = Command::new(workspace::cargo());
    cargo.current_dir(workspace::root());
    // Cargo makes the folder, empty, for builds of the other kind too.
    let kept = fs::read_dir(workspace::target().join("debug/incremental"));
    if kept.is_ok_and(|mut crates| crates.next().is_some()) {
        return cargo;
    }
    cargo.env("CARGO_INCREMENTAL", "0");
    cargo
}

/// The messages of a build that cargo has made.
fn cargo(command: &[&str], arguments: &[String]) -> Result<Vec<Value>> {
    let mut cargo = self::command();
    cargo.args(command).args(["--locked", "--workspace"]);
    cargo.arg("--message-format=json-render-diagnostics");
    let output = process::capture(cargo.args(arguments), BUILD_LIMIT)?;
    match output.status {
        Some(status) if status.success() => {}
        Some(_) => bail!("the tests did not build\n{}", output.stderr),
        None => bail!(process::stopped(&cargo, BUILD_LIMIT)),
    }
    let messages = output.stdout.lines();
    Ok(messages
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect())
}

/// The program that a message of cargo reports, if it does.
fn program(message: &Value) -> Option<Result<Program>> {
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

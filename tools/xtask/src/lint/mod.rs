//! `cargo xtask lint`: rustfmt, clippy and rustdoc with warnings denied, clippy for the host and
//! for the target; the house's own checks of code and prose ([`house`]); searched schedules of
//! programs that have changed; third-party notices, and what `cargo deny` finds ([`deny`]).
//!
//! Clippy for the target has to be of the same version as the compiler whose library sources are
//! used. rustup's toolchains bring theirs; Debian's is the package `rust-web-clippy`, whose
//! `cargo-clippy` is called directly because no cargo goes with it.

mod comments;
mod count;
mod deny;
mod house;
mod limits;
mod markdown;
mod paths;
mod sources;

use crate::toolchain::Toolchain;
use crate::{firmware, notices, process, toolchain, workspace};
use anyhow::{Context, Result, bail, ensure};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(1800);
const DENY: [&str; 3] = ["--", "-D", "warnings"];

/// `cargo xtask lint`: all of them, or only what `rest` asks for.
///
/// # Errors
/// When a check cannot be run, or finds something.
pub fn run(rest: &[String]) -> Result<ExitCode> {
    let words: Vec<_> = rest.iter().map(String::as_str).collect();
    match words[..] {
        [] => all(),
        ["--quick"] => house::check(workspace::root()).map(|()| ExitCode::SUCCESS),
        ["--count"] => house::count(workspace::root()).map(|()| ExitCode::SUCCESS),
        ["--count", "--root", folder] => {
            house::count(Path::new(folder)).map(|()| ExitCode::SUCCESS)
        }
        _ => bail!("`cargo xtask lint` takes --quick, --count [--root DIR] or nothing"),
    }
}

/// Runs every check; the first that finds something ends the run.
fn all() -> Result<ExitCode> {
    let host = || {
        let mut cargo = Command::new(workspace::cargo());
        cargo.current_dir(workspace::root());
        cargo
    };
    eprintln!("rustfmt");
    process::must(host().args(["fmt", "--all", "--check"]), LIMIT)
        .context("run `cargo fmt --all`")?;
    eprintln!("circles, widths and paths");
    house::check(workspace::root())?;
    eprintln!("third-party notices");
    notices::check(workspace::root())?;
    deny::check(host)?;
    eprintln!("searched schedules");
    let mut schedules = host();
    schedules.args(["test", "--locked", "--package", "qpu-fft", "--lib"]);
    schedules.arg("every_searched_schedule");
    process::must(&mut schedules, LIMIT)
        .context("a schedule is of operations that have changed")?;
    eprintln!("clippy for the host");
    let mut clippy = host();
    clippy.args(["clippy", "--locked", "--workspace", "--all-targets"]);
    process::must(clippy.args(DENY), LIMIT)?;
    eprintln!("rustdoc");
    let mut rustdoc = host();
    rustdoc.args(["doc", "--locked", "--workspace", "--no-deps"]);
    process::must(rustdoc.env("RUSTDOCFLAGS", "-D warnings"), LIMIT)?;
    let toolchain = toolchain::find_or_install()?;
    eprintln!("clippy for {}", firmware::TARGET);
    process::must(&mut target_clippy(&toolchain)?, LIMIT)?;
    Ok(ExitCode::SUCCESS)
}

fn target_clippy(toolchain: &Toolchain) -> Result<Command> {
    let root = workspace::root();
    let program = toolchain.rustc.with_file_name("cargo-clippy");
    if !program.is_file() && toolchain.rustc.starts_with("/usr/bin") {
        toolchain::apt_install(&["rust-web-clippy"])?;
    }
    ensure!(
        Path::new(&program).is_file(),
        "there is no clippy beside {}: `rustup component add clippy` (Debian: the package rust-web-clippy)",
        toolchain.rustc.display()
    );
    // The same environment as a build, in a cargo subcommand that is called by its own name.
    let mut clippy = Command::new(program);
    let build = firmware::command(toolchain, root);
    for (name, value) in build.get_envs() {
        match value {
            Some(value) => clippy.env(name, value),
            None => clippy.env_remove(name),
        };
    }
    clippy.current_dir(root).env("CARGO", &toolchain.cargo);
    clippy.arg("clippy").args(firmware::target_arguments(root));
    clippy.args(["--package", "kernel", "--bins"]).args(DENY);
    Ok(clippy)
}

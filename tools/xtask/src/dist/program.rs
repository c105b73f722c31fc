//! Static tools: each is one file that runs on any Linux of its processor, whatever libraries it
//! has.
//!
//! Names of hosts (`tcp:NAME:PORT`) are the one thing for which glibc wants libraries where it
//! runs; numbers need none.

use super::VERSION;
use crate::workspace::PROGRAM_TARGET as TARGET;
use crate::{firmware, process, workspace};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const BUILD_LIMIT: Duration = Duration::from_secs(3600);
const RUN_LIMIT: Duration = Duration::from_secs(60);

/// The file's name in `target/dist`.
pub fn name(tool: &str) -> String {
    format!("{tool}-{VERSION}-x86_64-linux")
}

/// The tools: the program, and the package that it is made of.
pub const TOOLS: [(&str, &str); 2] = [("qpuscope", "qpuscope"), ("qpu", "qpu-cli")];

/// Builds the tools from the workspace at `root`, and returns their folder. It has a target folder
/// of its own: other flags would compile everything anew each time.
pub fn build_in(root: &Path) -> Result<PathBuf> {
    let folder = root.join("target/static");
    let cargo = workspace::cargo();
    let rustc = cargo.with_file_name("rustc");
    let rustc = if rustc.is_file() {
        rustc
    } else {
        "rustc".into()
    };
    let sysroot = process::ask(Command::new(&rustc).args(["--print", "sysroot"]))
        .context("the compiler does not say where its libraries are")?;
    let sources = Path::new(sysroot.trim()).join("lib/rustlib/src/rust");
    let mut flags = firmware::remapped(root, &sources);
    flags.push("-Ctarget-feature=+crt-static".into());
    let mut command = Command::new(cargo);
    command
        .current_dir(root)
        // The compiler whose sources are mapped: rustup's own would be chosen anew in the folder of
        // each crate.
        .env("RUSTC", &rustc)
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"))
        .env_remove("RUSTFLAGS")
        .args(["build", "--locked", "--profile", "dist"])
        .args(TOOLS.iter().flat_map(|(_, package)| ["--package", package]))
        .arg("--bins")
        .args(["--target", TARGET, "--target-dir"])
        .arg(&folder);
    // Standard output belongs to the sums.
    process::must(command.stdout(std::io::stderr()), BUILD_LIMIT)
        .with_context(|| format!("qpuscope and qpu did not build for {TARGET}"))?;
    Ok(folder.join(TARGET).join("dist"))
}

/// Sets the bits that let it be started.
pub fn make_executable(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    Ok(())
}

/// The outcome of trying a program.
#[derive(Debug)]
pub enum Ran {
    /// It ran.
    Yes,
    /// Nobody here may change the root.
    NoRight(String),
}

/// Runs a tool in a root that holds nothing but itself and an empty card: it must need no library
/// and no file.
pub fn run_in_empty_root(tool: &str, program: &Path) -> Result<Ran> {
    let file = program.file_name().unwrap_or_default().to_string_lossy();
    let root = workspace::target().join(format!("empty-root-{file}"));
    if root.is_dir() {
        fs::remove_dir_all(&root)?;
    }
    fs::create_dir_all(root.join("card"))?;
    fs::copy(program, root.join(tool))?;
    let run = |arguments: &[&str]| {
        let mut command = Command::new("unshare");
        command
            .arg("--map-root-user")
            .arg("--root")
            .arg(&root)
            .arg(format!("/{tool}"))
            .args(arguments);
        process::capture(&mut command, RUN_LIMIT)
    };
    let said = run(&["--version"])?;
    // That it cannot be executed is its own fault, and the rest is for want of rights.
    if said.stderr.contains("unshare: ") && !said.stderr.contains("failed to execute") {
        return Ok(Ran::NoRight(said.stderr.trim().to_owned()));
    }
    ensure!(
        said.stdout.trim() == format!("{tool} {VERSION}"),
        "{} in an empty root says {:?} {:?}",
        program.display(),
        said.stdout,
        said.stderr
    );
    let (words, wanted, status): (&[&str], _, _) = match tool {
        "qpuscope" => (&["card", "/card"], "kernel.img", 5),
        _ => (&["hello-fft", "4"], "16 points", 0),
    };
    let did = run(words)?;
    let code = did.status.and_then(|status| status.code());
    if !did.stdout.contains(wanted) || code != Some(status) {
        bail!(
            "`{tool} {}` in an empty root says {:?} {:?}",
            words.join(" "),
            did.stdout,
            did.stderr
        );
    }
    fs::remove_dir_all(&root)?;
    Ok(Ran::Yes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::tests::{need, skip};

    #[test]
    fn the_static_programs_run_in_an_empty_root() {
        for (tool, _) in TOOLS {
            let program = workspace::target().join("dist").join(name(tool));
            let program = need!(
                program.is_file().then_some(program),
                "`cargo xtask dist` has not been run"
            );
            match run_in_empty_root(tool, &program).expect("it runs") {
                Ran::Yes => {}
                Ran::NoRight(why) => skip!("{why}"),
            }
        }
    }

    #[test]
    fn a_program_with_libraries_does_not_run_there() {
        let shell = Path::new("/bin/sh");
        let shell = need!(shell.is_file().then_some(shell), "there is no /bin/sh");
        if let Ok(ran) = run_in_empty_root("sh", shell) {
            assert!(matches!(ran, Ran::NoRight(_)), "{ran:?}");
        }
    }
}

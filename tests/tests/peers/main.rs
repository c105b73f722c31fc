//! Other people's programs, which ran on real chips, through `qpu run`.
//!
//! Nothing of them is in this repository. The tests run where `QPUSCOPE_PEERS` names a folder with
//! git work trees of theirs, each under the name that its test gives, and where the programs that
//! theirs need (Python with numpy before 2, pytest and nose, a C++ compiler, m4) are installed.
//! What stands in for their way to the hardware lies in `tests/peers`.

mod mandel_qpu;
mod py_videocore;
mod qpulib;
mod rpi_ffmpeg;
mod rpi_playground;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const NO_QPU: &str = "QPUSCOPE_QPU names no qpu; `cargo xtask test` builds it";

/// The work tree of a peer.
fn peer(name: &str) -> Result<PathBuf, String> {
    let folder = tests::folder("QPUSCOPE_PEERS")
        .ok_or("QPUSCOPE_PEERS names no folder with other people's programs")?;
    let tree = folder.join(name);
    if tree.is_dir() {
        return Ok(tree);
    }
    Err(format!("{} is not there", tree.display()))
}

/// The binary under test.
fn host() -> Option<PathBuf> {
    std::env::var_os("QPUSCOPE_QPU").map(PathBuf::from)
}

/// A fresh copy of a work tree that the test may change.
fn copy_of(tree: &Path, name: &str) -> PathBuf {
    let copy = tests::root().join("target/peers").join(name);
    let _ = std::fs::remove_dir_all(&copy);
    copy_folder(tree, &copy);
    copy
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("target can be written");
    let entries = std::fs::read_dir(from).expect("the work tree can be read");
    for entry in entries.map(|entry| entry.expect("the work tree can be read")) {
        let (path, name) = (entry.path(), entry.file_name());
        if name == ".git" {
            continue;
        }
        if path.is_dir() {
            copy_folder(&path, &to.join(name));
        } else {
            std::fs::copy(&path, to.join(name)).expect("target can be written");
        }
    }
}

/// The path of a file that stands in for a peer's way to the hardware.
fn stand_in(path: &str) -> PathBuf {
    tests::root().join("tests/peers").join(path)
}

/// The output of a command. `None` when there is no such program.
fn output_of(command: &mut Command) -> Option<Output> {
    match command.output() {
        Ok(output) => Some(output),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => panic!("{command:?}: {error}"),
    }
}

fn both(output: &Output) -> String {
    let out = String::from_utf8_lossy(&output.stdout);
    out.into_owned() + &String::from_utf8_lossy(&output.stderr)
}

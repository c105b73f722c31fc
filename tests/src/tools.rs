//! The command line tools as tests start them.
//!
//! They lie beside the test programs, where cargo puts those of the same build.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The folder in which cargo puts programs.
///
/// # Panics
/// When this program does not lie below it.
#[must_use]
pub fn folder() -> PathBuf {
    let here = std::env::current_exe().expect("a path of this program");
    let folder = here.parent().and_then(Path::parent);
    folder.expect("cargo's folder").to_owned()
}

/// The path of a tool.
///
/// # Panics
/// When cargo has not built it: a build of one package leaves out those of others.
#[must_use]
pub fn path(name: &str) -> PathBuf {
    let path = folder().join(name);
    assert!(
        path.is_file(),
        "there is no {}; run `cargo build -p qpuscope -p qpu-cli` first",
        path.display()
    );
    path
}

/// `qpuscope`, in an environment without a port.
#[must_use]
pub fn qpuscope() -> Command {
    tool("qpuscope")
}

/// `qpu`, in an environment without a port.
#[must_use]
pub fn qpu() -> Command {
    tool("qpu")
}

/// The tool of that name.
#[must_use]
pub fn tool(name: &str) -> Command {
    let mut command = Command::new(path(name));
    command.env_remove("QPUSCOPE_PORT");
    command
}

/// A shell that finds the tools by their names.
///
/// # Panics
/// When cargo has not built one of them.
#[must_use]
pub fn shell() -> Command {
    let folders = ["qpuscope", "qpu"].map(|name| path(name).with_file_name(""));
    let old = std::env::var_os("PATH").unwrap_or_default();
    let all = folders.into_iter().chain(std::env::split_paths(&old));
    let mut shell = Command::new("sh");
    shell.env("PATH", std::env::join_paths(all).expect("folders"));
    shell
}

/// A virtual Pi in the tool's own process.
#[must_use]
pub fn sim(image: &Path) -> String {
    format!("sim:{}", image.display())
}

/// Runs a command; its status, and what it said on standard error. A sound virtual Pi that has a
/// message fails the test, but one without V3D about that, and one at which a job has deadlocked.
///
/// # Panics
/// When it cannot be started, or for such a message.
pub fn run(command: &mut Command) -> (Output, i32, String) {
    let output = command.output().expect("the tool runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let is_sound = !command
        .get_args()
        .any(|word| word.to_string_lossy().contains("defect"));
    let messages = said.lines().filter(|line| line.contains("virtual Pi: "));
    for message in messages.filter(|_| is_sound) {
        let expected = [
            "virtual Pi: reset",
            "property tag 0x00030012",
            "V3D deadlock",
        ];
        let is_expected = expected.iter().any(|words| message.contains(words));
        assert!(is_expected, "{message}");
    }
    let status = output.status.code().unwrap_or(-1);
    (output, status, said)
}

/// The firmware's image, or a line in the list of skipped tests.
#[must_use]
pub fn image(test: &str) -> Option<PathBuf> {
    let image = std::env::var_os("QPUSCOPE_KERNEL").map(PathBuf::from);
    if image.is_none() {
        skip(
            test,
            "QPUSCOPE_KERNEL names no image; `cargo xtask test` builds one",
        );
    }
    image
}

/// Says that a test was skipped, where xtask counts it.
pub fn skip(test: &str, reason: &str) {
    crate::record_skip(&format!("crate::{test}::here"), reason);
}

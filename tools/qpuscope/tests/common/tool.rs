//! The tool as tests start it.

use std::path::Path;
use std::process::{Command, Output};

/// The tool, in an environment without a port.
pub fn qpuscope() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_qpuscope"));
    command.env_remove("QPUSCOPE_PORT");
    command
}

// Not every test program has an image.
#[allow(dead_code)]
/// A virtual Pi in the tool's own process.
pub fn sim(image: &Path) -> String {
    format!("sim:{}", image.display())
}

// Not every test program runs one to its end.
#[allow(dead_code)]
/// Runs a command; its status, and what it said on standard error. A sound virtual Pi that has a
/// message fails the test, but one without V3D about that, and one at which a job has deadlocked.
pub fn run(command: &mut Command) -> (Output, i32, String) {
    let output = command.output().expect("qpuscope runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let is_sound = !command.get_args().any(|word| word == "--defect");
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

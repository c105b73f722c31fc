//! Python, with packages that not every machine has.

use std::process::{Command, Stdio};

/// An interpreter that has all of `modules`, or a line in the list of skipped tests.
/// `QPUSCOPE_PYTHON` names another than `python3`.
pub fn python(test: &str, modules: &[&str]) -> Option<Command> {
    let program = std::env::var("QPUSCOPE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let imports = format!(
        "import sys; {}",
        modules
            .iter()
            .map(|module| format!("import {module}; "))
            .collect::<String>()
    );
    let mut probe = Command::new(&program);
    probe
        .args(["-c", &imports])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if probe.status().is_ok_and(|status| status.success()) {
        return Some(Command::new(program));
    }
    let modules = modules.join(", ");
    tests::tools::skip(
        test,
        &format!("{program} lacks one of {modules}; name another in QPUSCOPE_PYTHON"),
    );
    None
}

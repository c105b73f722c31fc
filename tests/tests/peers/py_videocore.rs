//! py-videocore's own tests: the assembler of a Python DSL, and 95 tests that need a board.
//!
//! Source: github.com/nineties/py-videocore, `tests`. They cover ALU operations, packing, rotation,
//! branches, VPM and DMA in every mode, SFU and semaphores, and passed on the author's Pi.

use std::process::Command;

use super::{NO_HOST, both, copy_of, host, output_of, peer, stand_in};
use tests::{need, skip};

#[test]
fn its_tests_pass() {
    let host = need!(host(), "{NO_HOST}");
    let tree = match peer("py-videocore") {
        Ok(tree) => tree,
        Err(why) => skip!("{why}"),
    };
    let python = std::env::var("QPUSCOPE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let mut probe = Command::new(&python);
    probe.args(["-c", "import numpy, pytest, nose"]);
    if !output_of(&mut probe).is_some_and(|output| output.status.success()) {
        skip!("{python} has no numpy, pytest and nose; name another in QPUSCOPE_PYTHON");
    }

    let copy = copy_of(&tree, "py-videocore");
    super::copy_folder(&stand_in("py-videocore/rpi_vcsm"), &copy.join("rpi_vcsm"));
    std::fs::copy(
        stand_in("py-videocore/mailbox.py"),
        copy.join("videocore/mailbox.py"),
    )
    .expect("target can be written");
    // Two tests unpack words as C's `long`, which has 32 bits on the author's machine only.
    let packing = copy.join("tests/test_packunpack.py");
    let text = std::fs::read_to_string(&packing).expect("the test is there");
    std::fs::write(&packing, text.replace("'16L'", "'16I'")).expect("target can be written");

    let mut command = Command::new(&python);
    command
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"])
        .current_dir(&copy)
        .env("PYTHONPATH", &copy)
        .env("QPUSCOPE_HOST", &host);
    let output = output_of(&mut command).expect("it was there a moment ago");
    assert!(output.status.success(), "{}", both(&output));
}

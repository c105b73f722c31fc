//! QPULib's examples: code of a compiler, compared with what its own emulator prints.
//!
//! Source: github.com/mn416/QPULib, `Tests`. The emulator interprets the compiler's intermediate
//! form and has no instruction words; the words ran on the author's Pi.

use std::path::Path;
use std::process::Command;

use super::{NO_QPU, both, copy_of, host, output_of, peer, stand_in};
use tests::{need, skip};

/// Its examples whose output is the same in every run.
const EXAMPLES: [&str; 7] = ["Hello", "ID", "Tri", "GCD", "MultiTri", "OET", "ReqRecv"];

#[test]
fn its_examples_print_what_its_emulator_prints() {
    let host = need!(host(), "{NO_QPU}");
    let tree = match peer("QPULib") {
        Ok(tree) => tree,
        Err(why) => skip!("{why}"),
    };
    let emulated = copy_of(&tree, "QPULib-emulated");
    let simulated = copy_of(&tree, "QPULib-simulated");
    std::fs::copy(
        stand_in("qpulib/Mailbox.cpp"),
        simulated.join("Lib/VideoCore/Mailbox.cpp"),
    )
    .expect("target can be written");

    for example in EXAMPLES {
        let built =
            [(&emulated, "0"), (&simulated, "1")].map(|(copy, qpu)| make(copy, example, qpu));
        match built {
            [Some(true), Some(true)] => {}
            [None, _] | [_, None] => skip!("make and a C++ compiler are needed"),
            _ => panic!("{example} could not be built"),
        }
        let expected = run(&emulated, example, &host);
        assert_eq!(run(&simulated, example, &host), expected, "{example}");
    }
}

/// Builds an example; `None` without `make` or compiler.
fn make(copy: &Path, example: &str, qpu: &str) -> Option<bool> {
    output_of(Command::new("g++").arg("--version"))?;
    let mut command = Command::new("make");
    // -w: the library is older than today's compilers.
    command.current_dir(copy.join("Tests")).args([
        "-s",
        &format!("QPU={qpu}"),
        "CXX=g++ -w",
        example,
    ]);
    let output = output_of(&mut command)?;
    if !output.status.success() {
        eprintln!("{}", both(&output));
    }
    Some(output.status.success())
}

fn run(copy: &Path, example: &str, host: &Path) -> String {
    let folder = copy.join("Tests");
    let mut command = Command::new(folder.join(example));
    command
        .current_dir(&folder)
        .env("QPUSCOPE_QPU", host)
        .env("QPUSCOPE_JOB_DIR", &folder);
    let output = output_of(&mut command).expect("it has just been built");
    assert!(output.status.success(), "{example}: {}", both(&output));
    String::from_utf8(output.stdout).expect("its examples print ASCII")
}

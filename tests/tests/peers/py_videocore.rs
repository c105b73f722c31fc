//! py-videocore's own tests and examples: the assembler of a Python DSL, and programs that need a
//! board.
//!
//! Source: github.com/nineties/py-videocore and its successor github.com/Idein/py-videocore. 95
//! tests cover ALU operations, packing, rotation, branches, VPM and DMA in every mode, SFU and
//! semaphores; the examples multiply matrices, on one QPU and on twelve that take turns at the VPM.
//! They passed on the author's Pi.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use fidelity::report::programs::{EARLY_PRODUCT, PRODUCTS};

use super::{NO_QPU, both, copy_of, host, output_of, peer, stand_in};
use serde_json::{Value, json};
use tests::{need, skip};

/// The tolerance for a sum in its sgemm: 363 products, whose sums stay below 128 and lose less than
/// 2^-17 when they are cut. The program is not compared relative to the result, because where that
/// is near 0 the terms have cancelled and nothing but their error is left.
const SGEMM_TOLERANCE: f64 = 363.0 / (1 << 17) as f64;

/// Python statements that give every run the same random numbers.
const SEEDED: &str = "import random, numpy\nrandom.seed(1)\nnumpy.random.seed(1)\n";

#[test]
fn its_tests_pass() {
    let host = need!(host(), "{NO_QPU}");
    let copy = match prepared("py-videocore-tests", "numpy, pytest, nose") {
        Ok(copy) => copy,
        Err(why) => skip!("{why}"),
    };
    // Two tests unpack words as C's `long`, which has 32 bits on the author's machine only.
    replace(&copy.join("tests/test_packunpack.py"), "'16L'", "'16I'");

    // Logarithms of random numbers are compared relative to the result: with two seeds of 24 one
    // was so near 1 that the chip's own table is too coarse for that.
    std::fs::write(copy.join("tests/conftest.py"), SEEDED).expect("target can be written");

    let mut command = in_python(&copy, &host);
    command.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]);
    let output = output_of(&mut command).expect("it was there a moment ago");
    assert!(output.status.success(), "{}", both(&output));
}

#[test]
fn its_matrix_products_are_right_in_any_order_of_qpus() {
    let host = need!(host(), "{NO_QPU}");
    let copy = match prepared("py-videocore-examples", "numpy") {
        Ok(copy) => copy,
        Err(why) => skip!("{why}"),
    };
    for (example, keys) in [
        ("sgemm_1thread.py", "{}"),
        ("sgemm.py", "{}"),
        // One seed of which QPUs only take turns otherwise, one of which some begin late or are
        // slow.
        ("sgemm.py", r#"{"seed": 3}"#),
        ("sgemm.py", r#"{"seed": 2}"#),
    ] {
        let output = run_example(&copy, &host, example, &[("QPUSCOPE_JOB_KEYS", keys)]);
        let printed = String::from_utf8_lossy(&output.stdout);
        let worst = printed
            .lines()
            .find_map(|line| line.strip_prefix("maximum absolute error: "))
            .expect("it prints its error");
        let worst: f64 = worst.parse().expect("the error is a number");
        assert!(worst <= SGEMM_TOLERANCE, "{example} {keys}: {worst}");
    }
}

#[test]
fn its_matrix_products_take_the_clocks_that_the_report_has() {
    let host = need!(host(), "{NO_QPU}");
    let copy = match prepared("py-videocore-clocks", "numpy") {
        Ok(copy) => copy,
        Err(why) => skip!("{why}"),
    };
    let file = copy.join("clocks");
    let assert_takes = |example: &str, keys: Value, clocks: u64| {
        let _ = std::fs::remove_file(&file);
        let name = file.to_str().expect("a path in UTF-8");
        let keys = keys.to_string();
        let settings = [("QPUSCOPE_JOB_KEYS", &*keys), ("QPUSCOPE_CLOCKS", name)];
        run_example(&copy, &host, example, &settings);
        let taken = std::fs::read_to_string(&file).expect("the stand-in wrote it");
        assert_eq!(taken.trim(), clocks.to_string(), "{example} {keys}");
    };
    for (board, clocks) in EARLY_PRODUCT {
        assert_takes("sgemm.py", json!({"board": board}), clocks);
    }
    for product in &PRODUCTS {
        for (hz, clocks) in product.clocks {
            let keys = json!({"board": "pi3", "clock_hz": hz});
            assert_takes(product.example, keys, clocks);
        }
    }
}

/// Runs one of its examples with these variables set; returns what it prints.
fn run_example(copy: &Path, host: &Path, example: &str, settings: &[(&str, &str)]) -> Output {
    let path = copy.join("examples").join(example);
    // C's `long` again.
    replace(&path, "unpack('L'", "unpack('=L'");
    let mut command = in_python(copy, host);
    command.arg(&path).envs(settings.iter().copied());
    let output = output_of(&mut command).expect("it was there a moment ago");
    assert!(
        output.status.success(),
        "{example} {settings:?}: {}",
        both(&output)
    );
    output
}

/// A copy of its work tree in which the simulator stands for the board.
fn prepared(name: &str, modules: &str) -> Result<PathBuf, String> {
    let tree = peer("py-videocore")?;
    let mut probe = Command::new(python());
    probe.args(["-c", &format!("import {modules}")]);
    if !output_of(&mut probe).is_some_and(|output| output.status.success()) {
        return Err(format!(
            "{} lacks one of {modules}; name another in QPUSCOPE_PYTHON",
            python()
        ));
    }
    let copy = copy_of(&tree, name);
    super::copy_folder(&stand_in("py-videocore/rpi_vcsm"), &copy.join("rpi_vcsm"));
    std::fs::copy(
        stand_in("py-videocore/mailbox.py"),
        copy.join("videocore/mailbox.py"),
    )
    .expect("target can be written");
    Ok(copy)
}

fn python() -> String {
    std::env::var("QPUSCOPE_PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

fn in_python(copy: &Path, host: &Path) -> Command {
    let mut command = Command::new(python());
    command
        .current_dir(copy)
        .env("PYTHONPATH", copy)
        .env("QPUSCOPE_QPU", host);
    command
}

fn replace(path: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(path).expect("its file is there");
    std::fs::write(path, text.replace(from, to)).expect("target can be written");
}

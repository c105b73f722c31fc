//! The host tool given wrong input: a sentence that says what to do, and an exit code.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tests::{NO_KERNEL, need};

const NO_HOST: &str = "QPUSCOPE_HOST names no qpuscope; `cargo xtask test` builds it";

fn folder(name: &str) -> PathBuf {
    let folder = tests::root().join("target/host-tool-tests").join(name);
    std::fs::create_dir_all(&folder).expect("target can be written");
    folder
}

fn run(host: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(host);
    command.args(words).stdin(Stdio::null());
    command.output().expect("qpuscope starts")
}

/// Failed, without a panic, naming what was wrong.
fn assert_refused(output: &Output, parts: &[&str]) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "it should fail");
    assert!(
        output.status.code().is_some_and(|code| code != 101),
        "it panicked:\n{said}"
    );
    assert!(output.stdout.is_empty(), "data came out of a failure");
    for part in parts {
        assert!(said.contains(part), "no {part:?} in:\n{said}");
    }
}

#[test]
fn a_file_that_is_not_a_wav_is_named_and_refused() {
    let kernel = need!(tests::given("QPUSCOPE_KERNEL"), "{NO_KERNEL}");
    let host = need!(tests::given("QPUSCOPE_HOST"), "{NO_HOST}");
    let file = folder("wav").join("not-a.wav");
    std::fs::write(&file, "this is a text\n").expect("target can be written");
    let port = format!("sim:{}", kernel.display());
    let name = file.display().to_string();
    let out = folder("wav").display().to_string();
    let words = ["fft", "--port", &port, "--input", &name, "--out", &out];
    assert_refused(&run(&host, &words), &["not-a.wav", "WAV"]);
    let missing = [
        "fft",
        "--port",
        &port,
        "--input",
        "/nowhere/a.wav",
        "--out",
        &out,
    ];
    assert_refused(&run(&host, &missing), &["/nowhere/a.wav"]);
}

#[test]
fn a_length_that_is_not_a_power_of_two_is_refused() {
    let kernel = need!(tests::given("QPUSCOPE_KERNEL"), "{NO_KERNEL}");
    let host = need!(tests::given("QPUSCOPE_HOST"), "{NO_HOST}");
    let input = tests::root().join("data/seattle_temperature_2010_hourly.csv");
    let input = input.display().to_string();
    let port = format!("sim:{}", kernel.display());
    let out = folder("length").display().to_string();
    let words = [
        "fft", "--port", &port, "--input", &input, "--out", &out, "--n", "1000",
    ];
    assert_refused(&run(&host, &words), &["1000", "power of two"]);
}

#[test]
fn a_port_that_is_not_there_is_named() {
    let host = need!(tests::given("QPUSCOPE_HOST"), "{NO_HOST}");
    assert_refused(
        &run(&host, &["read", "/dev/ttyNOWHERE"]),
        &["/dev/ttyNOWHERE"],
    );
    assert_refused(&run(&host, &["read", "tcp:127.0.0.1:9"]), &["127.0.0.1:9"]);
}

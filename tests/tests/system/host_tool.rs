//! The host tool against a board that it, its user or the line treats badly.
//!
//! What it says to wrong files and options is in the transcript of its manual page, which is a test
//! of its own; here are the cases that need a board.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;
use tests::{NO_KERNEL, need};
use virtual_pi::Config;

use crate::line::{Line, Virtual};

const NO_HOST: &str = "QPUSCOPE_HOST names no qpuscope; `cargo xtask test` builds it";

/// Longest wait for a board to listen, in wall time: it only bounds a hang.
const LIMIT: Duration = Duration::from_secs(60);

fn folder(name: &str) -> PathBuf {
    let folder = tests::root().join("target/host-tool-tests").join(name);
    std::fs::create_dir_all(&folder).expect("target can be written");
    folder
}

fn command(host: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(host);
    command.args(words).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(host: &Path, words: &[&str]) -> Output {
    command(host, words).output().expect("qpuscope starts")
}

/// Failed, without a panic, naming what was wrong.
fn assert_refused(output: &Output, parts: &[&str]) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "it should fail");
    let code = output.status.code();
    assert!(code.is_some_and(|code| code != 101), "it panicked:\n{said}");
    for part in parts {
        assert!(said.contains(part), "no {part:?} in:\n{said}");
    }
}

/// A virtual Pi in a process of its own, listening; ended with the test.
struct Board {
    process: Child,
    port: String,
}

impl Board {
    fn start(host: &Path, kernel: &Path) -> Self {
        // A port that was free a moment ago.
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let address = listener.local_addr().expect("it has an address");
        drop(listener);
        let port = format!("tcp:{address}");
        let image = kernel.display().to_string();
        let mut command = command(host, &["sim", &image, "--line", &port]);
        let mut process = command.spawn().expect("qpuscope starts");
        let stderr = process.stderr.take().expect("a pipe");
        let (sender, lines) = channel();
        // Reads to the end, so that the board never waits for a reader of its messages.
        thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let first = lines.recv_timeout(LIMIT);
        assert!(first.is_ok(), "the simulator says where it listens");
        Self { process, port }
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        // Both fail only when it has already ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_host_that_is_killed_leaves_a_board_that_serves_the_next() {
    let kernel = need!(tests::given("QPUSCOPE_KERNEL"), "{NO_KERNEL}");
    let host = need!(tests::given("QPUSCOPE_HOST"), "{NO_HOST}");
    let board = Board::start(&host, &kernel);
    let input = tests::root().join("data/seattle_temperature_2010_hourly.csv");
    let input = input.display().to_string();
    let out = folder("killed").display().to_string();
    let words = [
        "fft",
        "--port",
        &board.port,
        &input,
        "--out",
        &out,
        "--json",
    ];
    let mut killed = command(&host, &words).spawn().expect("qpuscope starts");
    thread::sleep(Duration::from_millis(700));
    killed.kill().expect("it is our child");
    killed.wait().expect("it is our child");
    let output = run(&host, &words);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let info = run(&host, &["info", "--port", &board.port]);
    assert!(
        info.status.success(),
        "{}",
        String::from_utf8_lossy(&info.stderr)
    );
}

#[test]
fn a_recording_of_the_line_that_was_cut_shows_what_is_whole_and_counts_the_rest() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let host = need!(tests::given("QPUSCOPE_HOST"), "{NO_HOST}");
    let mut line = Virtual::boot(&image, Config::default());
    let mut bytes = Vec::new();
    for _ in 0..600 {
        bytes.extend(line.receive(5));
    }
    // A hole in the middle, and an end in the middle of a frame.
    let third = bytes.len() / 3;
    bytes.drain(third..third + 700);
    bytes.truncate(bytes.len() - 100);
    let file = folder("cut").join("recorded.bin");
    std::fs::write(&file, &bytes).expect("target can be written");
    let name = file.display().to_string();
    let output = run(&host, &["read", &name, "--json"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let spectra = String::from_utf8_lossy(&output.stdout);
    assert!(spectra.lines().count() >= 3, "{spectra}\n{said}");
    for spectrum in spectra.lines() {
        let spectrum: serde_json::Value = serde_json::from_str(spectrum).expect("JSON lines");
        assert_eq!(spectrum["engine"], "qpu");
    }
    assert!(said.contains("bytes lost"), "{said}");
    assert!(
        !said.contains(" 0 bytes lost"),
        "the loss is not counted:\n{said}"
    );
    let strict = run(&host, &["read", &name, "--json", "--strict"]);
    assert_refused(&strict, &[]);
}

#[test]
fn a_board_read_at_a_wrong_rate_is_explained() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let host = need!(tests::given("QPUSCOPE_HOST"), "{NO_HOST}");
    let config = Config {
        host_baud: 76_800,
        ..Config::default()
    };
    let mut line = Virtual::boot(&image, config);
    let mut bytes = Vec::new();
    for _ in 0..400 {
        bytes.extend(line.receive(5));
    }
    assert!(bytes.len() > 1_000, "only {} bytes of noise", bytes.len());
    let file = folder("baud").join("noise.bin");
    std::fs::write(&file, &bytes).expect("target can be written");
    let output = run(&host, &["read", &file.display().to_string()]);
    assert_refused(&output, &["rate"]);
    assert!(output.stdout.is_empty(), "noise became a spectrum");
}

#[test]
fn a_length_beyond_the_board_is_refused_by_the_board_in_a_sentence() {
    let kernel = need!(tests::given("QPUSCOPE_KERNEL"), "{NO_KERNEL}");
    let host = need!(tests::given("QPUSCOPE_HOST"), "{NO_HOST}");
    // Long enough that the host itself does not object: 2^18 complex samples of 8 bits.
    let file = folder("long").join("long.iq");
    std::fs::write(&file, vec![128; 2 << 18]).expect("target can be written");
    let port = format!("sim:{}", kernel.display());
    let input = file.display().to_string();
    let out = folder("long").display().to_string();
    let words = [
        "fft", "--port", &port, &input, "--rate", "1M", "--n", "262144",
    ];
    let output = run(&host, &[&words[..], &["--out", &out]].concat());
    assert_refused(&output, &["262144", "memory"]);
}

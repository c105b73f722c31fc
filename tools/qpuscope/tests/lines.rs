//! Lines that are none, that another process has, or that end: what `read` says of each.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// `b .`: a board that does nothing for ever.
const IDLE: [u8; 4] = 0xEAFF_FFFE_u32.to_le_bytes();
const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../host/tests/recorded.bin");

fn file(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lines");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder.join(name)
}

/// Exit status and standard error of `qpuscope read`.
fn read(words: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(tests::tools::path("qpuscope"))
        .arg("read")
        .args(words)
        .stdin(Stdio::null())
        .output()
        .expect("qpuscope starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said)
}

/// A process that ends with the test.
struct Ends(Child);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A board that says nothing, and the name of its line.
fn idle_board(line: &str) -> (Ends, String) {
    let image = file(&format!("{}.img", line.split(':').next().unwrap_or(line)));
    std::fs::write(&image, IDLE).expect("an image");
    let mut process = Command::new(tests::tools::path("qpuscope"))
        .arg("sim")
        .arg(image)
        .args(["--line", line])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("qpuscope starts");
    let mut name = String::new();
    BufReader::new(process.stdout.take().expect("a pipe"))
        .read_line(&mut name)
        .expect("the name of the line");
    (Ends(process), name.trim().to_owned())
}

#[test]
fn limits_of_nothing_are_refused_as_such() {
    for limit in [["--count", "0"], ["--seconds", "0"], ["--seconds", "nan"]] {
        let (status, said) = read(&[RECORDED, limit[0], limit[1]]);
        assert_eq!(status, Some(2), "{said}");
        assert!(said.contains(limit[0]), "{said}");
    }
}

#[test]
fn a_device_that_is_no_port_is_named_so() {
    let (status, said) = read(&["/dev/null"]);
    assert_eq!(status, Some(3), "{said}");
    assert!(said.contains("/dev/null is no serial port"), "{said}");
}

#[test]
fn a_named_pipe_is_read_as_a_recording() {
    let pipe = file("recorded.pipe");
    let _ = std::fs::remove_file(&pipe);
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo runs").success());
    let writer = Command::new("cp").arg(RECORDED).arg(&pipe).spawn();
    let _writer = Ends(writer.expect("cp runs"));
    let (status, said) = read(&[
        pipe.to_str().expect("UTF-8"),
        "-q",
        "-F",
        "none",
        "--strict",
    ]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("2 spectra"), "{said}");
}

#[test]
fn a_port_that_another_program_has_is_no_missing_one() {
    let (_board, port) = idle_board("pty");
    let _first = serialport::new(&port, 115_200).open().expect("the port");
    let (status, said) = read(&[&port, "--seconds", "60"]);
    assert_eq!(status, Some(3), "{said}");
    assert!(said.contains("another program has"), "{said}");
}

#[test]
fn a_second_host_on_tcp_is_sent_away() {
    let (_board, port) = idle_board("tcp:127.0.0.1:0");
    let _first = TcpStream::connect(port.trim_start_matches("tcp:")).expect("the line");
    let (status, said) = read(&[&port, "--seconds", "60"]);
    assert_eq!(status, Some(4), "{said}");
    assert!(said.contains("another program that has the line"), "{said}");
}

/// The messages of `read` about a line that sends these bytes, some at a time, and is closed.
fn read_line_of(parts: Vec<Vec<u8>>) -> (Option<i32>, String) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = format!("tcp:{}", listener.local_addr().expect("its address"));
    let sender = std::thread::spawn(move || {
        let (mut line, _) = listener.accept().expect("a reader");
        for part in parts {
            line.write_all(&part).expect("the reader reads");
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
    });
    let answer = read(&[&port, "-q", "-F", "none"]);
    sender.join().expect("all was sent");
    answer
}

#[test]
fn the_rest_of_a_frame_is_no_wrong_rate_and_noise_is() {
    const WRONG_RATE: &str = "the rates of the two sides differ";
    let recorded = std::fs::read(RECORDED).expect("the recording");
    // A host that begins to listen in the middle of a long frame, and then hears whole ones.
    let (status, said) = read_line_of(vec![vec![0xAA; 3000], [&[0], &recorded[..]].concat()]);
    assert_eq!(status, Some(4), "{said}");
    assert!(
        said.contains("2 spectra") && !said.contains(WRONG_RATE),
        "{said}"
    );
    let noise: Vec<u8> = (0..700_u32)
        .map(|at| ((at * at) >> 3) as u8 & 0xF8)
        .collect();
    let (status, said) = read_line_of(vec![noise]);
    assert_eq!(status, Some(4), "{said}");
    assert!(
        said.contains(WRONG_RATE) && said.contains("still waiting"),
        "{said}"
    );
}

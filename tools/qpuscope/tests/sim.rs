//! `qpuscope sim` with images that need no firmware: how it starts, and how it ends.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// An image in a folder of its own.
fn image(name: &str, bytes: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sim");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("a file");
    path
}

/// `b .`: a board that does nothing for ever.
const IDLE: [u8; 4] = 0xEAFF_FFFE_u32.to_le_bytes();

fn sim(image: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_qpuscope"));
    command
        .arg("sim")
        .arg(image)
        .args(words)
        .stdin(Stdio::null());
    command
}

#[test]
fn ctrl_c_ends_it_cleanly_on_every_line() {
    let image = image("ctrl-c.img", &IDLE);
    for line in ["pty", "tcp:127.0.0.1:0"] {
        let mut process = sim(&image, &["--line", line, "--real-time"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("qpuscope starts");
        let mut name = String::new();
        let mut output = BufReader::new(process.stdout.take().expect("a pipe"));
        output.read_line(&mut name).expect("the name of the line");
        assert!(
            name.starts_with("/dev/") || name.starts_with("tcp:127.0.0.1:"),
            "{name}"
        );
        let id = process.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-INT", &id])
                .status()
                .expect("kill runs")
                .success()
        );
        let status = process.wait().expect("it ends");
        assert_eq!(status.code(), Some(0), "{line}");
    }
}

#[test]
fn virtual_time_can_be_bounded() {
    let output = sim(
        &image("bounded.img", &IDLE),
        &["--line", "stdio", "--seconds", "0.01"],
    )
    .output()
    .expect("qpuscope starts");
    assert_eq!(output.status.code(), Some(0));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("0.010 s of virtual time"), "{said}");
}

#[test]
fn a_board_that_says_nothing_is_no_device() {
    let image = image("silent.img", &IDLE);
    let port = format!("sim:{}", image.display());
    let output = Command::new(env!("CARGO_BIN_EXE_qpuscope"))
        .args(["read", &port, "--seconds", "0.05"])
        .output()
        .expect("qpuscope starts");
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("is the board on"), "{said}");
}

#[test]
fn a_fault_of_the_board_is_reported_with_its_place() {
    // ldr r0, [pc, #-8 + 8]; ldr r0, [r0]; .word 0x3000_0000: a load from where nothing is.
    let words = [0xE59F_0000_u32, 0xE590_0000, 0x3000_0000];
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let output = sim(
        &image("fault.img", &bytes),
        &["--line", "stdio", "--seconds", "1"],
    )
    .output()
    .expect("qpuscope starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{said}");
    assert!(
        said.contains("0x00008004") && said.contains("0x30000000"),
        "{said}"
    );
}

#[test]
fn images_and_lines_that_are_none_are_refused() {
    let idle = image("line.img", &IDLE);
    for (image, words, named) in [
        (
            image("empty.img", b""),
            ["--line", "stdio"],
            "the image is empty",
        ),
        (
            image("elf.img", b"\x7fELF\x01\x01\x01"),
            ["--line", "stdio"],
            "ELF",
        ),
        (
            PathBuf::from("absent.img"),
            ["--line", "stdio"],
            "cargo xtask build",
        ),
        (
            idle.clone(),
            ["--line", "serial"],
            "--line serial is unknown",
        ),
        (idle, ["--line", "tcp:nowhere"], "cannot listen at nowhere"),
    ] {
        let output = sim(&image, &words).output().expect("qpuscope starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(named), "{said}");
    }
}

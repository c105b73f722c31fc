//! `qpuscope sim` with images that need no firmware: how it starts, and how it ends.

// An encoder of ARM instructions.
#[path = "../../virtual-pi/tests/guest/mod.rs"]
mod guest;

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use guest::{Guest, UART};

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
    let mut command = Command::new(tests::tools::path("qpuscope"));
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
    let output = Command::new(tests::tools::path("qpuscope"))
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

/// Far more than any buffer holds: 868 s of a line at 115,200 baud.
const FLOOD: usize = 10 << 20;

/// A board that sends back what it receives.
fn echo() -> Vec<u8> {
    let mut guest = Guest::new();
    guest.uart();
    let top = guest.here();
    // FR.RXFE clear: a byte is there.
    guest.poll(UART + 0x18, 1 << 4, false);
    guest.set(1, UART).ldr(0, 1, 0).str(0, 1, 0).branch(14, top);
    guest.image()
}

/// A process that ends with the test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Sends bytes until they are all taken or none has been for a while; returns how many.
fn flood(host: &mut TcpStream) -> usize {
    let wait = Some(Duration::from_millis(300));
    host.set_write_timeout(wait).expect("a time limit");
    let piece = [b'x'; 4096];
    let mut sent = 0;
    while sent < FLOOD {
        match host.write(&piece) {
            Ok(count) => sent += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    sent
}

/// Sends a byte and reads until it comes back; returns what came before.
fn before_the_echo(host: &mut TcpStream) -> Vec<u8> {
    // Only so that the test ends when nothing comes.
    let wait = Some(Duration::from_secs(20));
    host.set_read_timeout(wait).expect("a time limit");
    host.write_all(b"?").expect("the line takes a byte");
    let mut before = vec![];
    let mut byte = [0];
    loop {
        host.read_exact(&mut byte).expect("the byte comes back");
        if byte == *b"?" {
            return before;
        }
        before.push(byte[0]);
    }
}

#[test]
fn a_host_that_sends_too_much_waits_and_the_next_one_does_not() {
    let image = image("echo.img", &echo());
    let mut process = sim(&image, &["--line", "tcp:127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map(Ended)
        .expect("qpuscope starts");
    let mut name = String::new();
    let mut output = BufReader::new(process.0.stdout.take().expect("a pipe"));
    output.read_line(&mut name).expect("the name of the line");
    let address = name.trim().strip_prefix("tcp:").expect("an address");
    let mut first = TcpStream::connect(address).expect("the line listens");
    // What the kernel holds for a connection is not known, and is far less.
    let sent = flood(&mut first);
    assert!(sent < FLOOD, "all of {sent} bytes were taken");
    drop(first);
    // Until the first one is known to be gone others are sent away.
    let mut tries = 0;
    let before = loop {
        let mut next = TcpStream::connect(address).expect("the line listens");
        let asked = std::panic::catch_unwind(move || before_the_echo(&mut next));
        tries += 1;
        match asked {
            Ok(before) => break before,
            Err(_) => assert!(tries < 5, "the next host gets no answer"),
        }
    };
    // The board's own FIFOs, and what is on the wire.
    assert!(before.len() <= 64, "{} bytes of another host", before.len());
}

#[test]
fn standard_input_is_taken_at_the_rate_of_the_line() {
    let image = image("stdio.img", &echo());
    let mut process = sim(&image, &["--line", "stdio", "--seconds", "1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map(Ended)
        .expect("qpuscope starts");
    let mut input = process.0.stdin.take().expect("a pipe");
    let mut sent = 0;
    while sent < FLOOD && input.write_all(&[b'x'; 1024]).is_ok() {
        sent += 1024;
    }
    // A second of the line is 11,520 bytes; the pipe holds 65,536, the line 4,096.
    assert!((11_520..100_000).contains(&sent), "{sent} bytes");
}

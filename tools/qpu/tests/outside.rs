//! Input from outside: control characters, endless and huge inputs, pipes that nobody writes to,
//! signals.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tests::tools::{qpuscope, run, shell, tool};
use wire::{Encoder, Envelope, MAX_FRAME, MAX_PAYLOAD, Message};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("outside")
        .join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Text that clears a screen, sounds a bell, asks the terminal who it is, and turns the direction
/// of text.
const ACTS: &str = "\x1b[2J\x07\u{9b}c\u{202e}";
/// The form in which it is shown.
const SHOWN: &str = "\\x1b[2J\\x07\\x9bc\\u{202e}";

/// Returns whether a text could do anything but be read.
fn is_plain(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    let acts = |c: char| c.is_control() && c != '\n' && c != '\t' || c == '\u{202e}';
    !text.contains(acts)
}

fn frame(encoder: &mut Encoder, request: u16, message: &Message) -> Vec<u8> {
    let (mut scratch, mut frame) = ([0; MAX_PAYLOAD], [0; MAX_FRAME]);
    let envelope = Envelope {
        stream: 0,
        request,
        time_us: 0,
    };
    let length = encoder.message(envelope, message, &mut scratch, &mut frame);
    frame[..length.expect("a frame")].to_vec()
}

#[test]
fn what_a_board_says_does_nothing_to_a_terminal() {
    let folder = folder("board");
    // Text on the line has no control characters: such bytes count as lost.
    let mut bytes = b"a text\r\nof two lines\r\n".to_vec();
    let fault = Message::Fault(wire::Fault {
        code: 1,
        pc: 0,
        address: 0,
        text: ACTS,
    });
    bytes.extend(frame(&mut Encoder::new(), 0, &fault));
    std::fs::write(folder.join("line.bin"), bytes).expect("a file");
    let (output, _, said) = run(qpuscope().arg("read").arg(folder.join("line.bin")));
    assert!(is_plain(&output.stderr), "{said:?}");
    assert!(said.contains("a text\nof two lines\n"), "{said}");
    assert!(said.contains(&format!("a fault: {SHOWN}")), "{said}");
}

/// A host that answers the first request of each connection with `answer`.
fn board(answer: &'static Message<'static>) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        let (mut host, _) = listener.accept().expect("a host");
        let mut decoder = Box::<wire::Decoder>::default();
        let mut byte = [0];
        while host.read_exact(&mut byte).is_ok() {
            if let Some(wire::Item::Frame(asked, _)) = decoder.push(byte[0]) {
                let request = asked.request;
                let answer = frame(&mut Encoder::new(), request, answer);
                let _ = host.write_all(&answer);
            }
        }
    });
    format!("tcp:{address}")
}

#[test]
fn what_a_board_answers_does_nothing_to_a_terminal() {
    const REFUSED: Message = Message::Nak(wire::NakCode::BAD_VALUE, ACTS);
    const OTHER: Message = Message::Settings(ACTS);
    for (answer, named) in [
        (&REFUSED, "the board refuses: \\x1b[2J"),
        (&OTHER, "answered HELLO with Settings"),
    ] {
        let (output, _, said) = run(qpuscope().args(["info", "--port", &board(answer)]));
        assert!(
            is_plain(&output.stderr) && is_plain(&output.stdout),
            "{said:?}"
        );
        assert!(said.contains(named), "{said}");
    }
}

#[test]
fn names_and_fields_do_nothing_to_a_terminal() {
    let folder = folder("names");
    let name = format!("a{ACTS}\nb.csv");
    std::fs::write(folder.join(&name), format!("t\n1\n{ACTS}\n")).expect("a file");
    let job = serde_json::json!({"memory": [{"at": 0, ACTS: 1}], "programs": []});
    std::fs::write(folder.join("job.json"), job.to_string()).expect("a file");
    for arguments in [
        &["qpuscope", "fft", &name, "--rate", "1"][..],
        &["qpuscope", "fft", &name, "--rate", "1", "--column", ACTS],
        &["qpuscope", "fft", "absent", &name],
        &["qpuscope", "read", &format!("absent{ACTS}")],
        &["qpu", "asm", &name],
        &["qpu", "asm", &name, "--json"],
        &["qpu", "check", &name],
        &["qpu", "run", "job.json"],
        &["qpu", "run", &format!("{name}.absent")],
        &["qpu", "explain", ACTS],
        &["qpuscope", "card", ACTS],
        &["qpu", "compare", &name],
        &["qpu", "fft2", &name, "out.png"],
    ] {
        let (output, status, said) = run(tool(arguments[0])
            .args(&arguments[1..])
            .current_dir(&folder));
        assert_ne!(status, 0, "{arguments:?}");
        assert!(
            // The parser of arguments leaves some of it out by itself.
            said.contains("c\\u{202e}") || arguments.contains(&"--json"),
            "{arguments:?}: {said}"
        );
        assert!(
            is_plain(&output.stderr) && is_plain(&output.stdout),
            "{arguments:?}: {said:?}"
        );
        if arguments.contains(&"--json") {
            serde_json::from_slice::<Value>(&output.stdout).expect("JSON");
        }
    }
}

/// A PNG file that says it has so many pixels, all of them black.
fn huge_picture(path: &Path, side: u32) {
    let file = std::fs::File::create(path).expect("a file");
    let mut encoder = png::Encoder::new(std::io::BufWriter::new(file), side, side);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::One);
    let mut writer = encoder.write_header().expect("a header");
    // Data that is not there is not looked for: the header is enough to refuse it.
    writer
        .write_chunk(png::chunk::IDAT, &[0x78, 0x9c])
        .expect("a chunk");
}

/// Runs a command line with 4 GB of address space; its most memory in MB where
/// `/usr/bin/time` does not say.
fn bounded(folder: &Path, arguments: &str) -> (i32, String) {
    let line = format!("ulimit -v 4000000; exec {arguments}");
    let (_, status, said) = run(shell().args(["-c", &line]).current_dir(folder));
    (status, said)
}

#[test]
fn huge_and_endless_inputs_are_refused_in_words() {
    let folder = folder("huge");
    huge_picture(&folder.join("huge.png"), 16_384);
    huge_picture(&folder.join("hugest.png"), u32::MAX / 2);
    let put = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("a file");
    let field = "x".repeat(20_000_000);
    put("field.csv", &format!("a\n1\n{field}\n"));
    put("heading.csv", &format!("{field},b\n1,2\n"));
    put("key.json", &format!("{{\"{field}\": 1}}"));
    put(
        "value.json",
        &format!("{{\"memory\": [{{\"at\": \"{field}\", \"zero\": 1}}], \"programs\": []}}"),
    );
    std::os::unix::fs::symlink("/dev/zero", folder.join("kernel.img")).expect("a link");
    put(
        "zero.json",
        r#"{"memory": [{"at": 0, "file": "/dev/zero"}], "programs": []}"#,
    );
    for (arguments, named) in [
        ("qpu fft2 huge.png out.png", "16384 x 16384 needs"),
        (
            "qpu fft2 hugest.png out.png",
            "hugest.png cannot be read as PNG",
        ),
        (
            "qpuscope fft field.csv --rate 1",
            "is not a number; repair that line",
        ),
        (
            "qpuscope fft heading.csv --rate 1",
            "several columns of numbers",
        ),
        (
            "qpuscope fft field.csv --rate 1 --column c",
            "has no column `c`",
        ),
        ("qpu run key.json", "unknown key; known are"),
        ("qpu run value.json", "is not a number; write an integer"),
        ("qpu run zero.json", "/dev/zero is a device or a pipe"),
        (
            "qpu run /dev/zero",
            "/dev/zero is a device, and gives more bytes than the 32 MiB that a job file",
        ),
        (
            "qpu asm /dev/zero",
            "/dev/zero is a device, and gives more bytes than the 32 MiB that a source",
        ),
        (
            "qpu compare /dev/zero",
            "/dev/zero is a device, and gives more bytes",
        ),
        (
            "qpuscope read sim:/dev/zero",
            "/dev/zero is a device, and gives more bytes",
        ),
        (
            "qpu fft2 /dev/zero out.png",
            "/dev/zero cannot be read as PNG",
        ),
        (
            "qpuscope fft /dev/zero --rate 1",
            "/dev/zero is a device, and gives more bytes than the 1024 MiB",
        ),
        (
            "qpuscope card .",
            "kernel.img: is no file of at most 256 MiB",
        ),
        (
            "qpu debug /dev/zero",
            "gives more bytes than the 32 MiB that a job file may have; name another file",
        ),
        (
            "qpu dis - < /dev/zero",
            "more than the 32 MiB that QPU code",
        ),
    ] {
        let (status, said) = bounded(&folder, arguments);
        assert_eq!(status, 2, "{arguments}: {said}");
        assert!(said.contains(named), "{arguments}: {said}");
        assert!(said.len() < 1000, "{arguments}: {} bytes", said.len());
    }
}

/// Starts a command that waits for a writer of `pipe`; gives it when it has said so.
fn waiting(folder: &Path, arguments: &[&str]) -> (Child, String) {
    let mut child = tool(arguments[0])
        .args(&arguments[1..])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("qpuscope starts");
    let mut said = String::new();
    let mut errors = BufReader::new(child.stderr.as_mut().expect("a pipe"));
    errors.read_line(&mut said).expect("text");
    (child, said)
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([name, &child.id().to_string()])
        .status();
    assert!(sent.expect("kill runs").success());
}

#[test]
fn a_pipe_without_a_writer_is_said_and_ends_at_one_signal() {
    use std::os::unix::process::ExitStatusExt;
    let folder = folder("pipe");
    let made = Command::new("mkfifo")
        .arg("pipe")
        .current_dir(&folder)
        .status();
    if !made.is_ok_and(|made| made.success()) {
        tests::skip!("mkfifo is not there");
    }
    // All wait at the same time.
    let commands: [&[&str]; 8] = [
        &["qpu", "run", "pipe"],
        &["qpu", "debug", "pipe"],
        &["qpu", "asm", "pipe"],
        &["qpu", "check", "pipe"],
        &["qpu", "compare", "pipe"],
        &["qpuscope", "fft", "pipe"],
        &["qpu", "fft2", "pipe", "out.png"],
        &["qpuscope", "read", "pipe", "--elf", "pipe"],
    ];
    let children: Vec<_> = std::thread::scope(|scope| {
        let folder = &folder;
        let all = commands.map(|arguments| scope.spawn(move || waiting(folder, arguments)));
        all.map(|one| one.join().expect("a command that waits"))
            .into_iter()
            .collect()
    });
    for ((mut child, said), arguments) in children.into_iter().zip(commands) {
        assert_eq!(
            said, "pipe is a pipe; waiting for a program that writes to it (Ctrl-C ends)\n",
            "{arguments:?}"
        );
        signal(&child, "-INT");
        let ended = child.wait().expect("it ends");
        // Where nothing listens to signals they end it by themselves, which shells call 130 too.
        assert!(
            ended.code() == Some(130) || ended.signal() == Some(2),
            "{arguments:?}: {ended}"
        );
    }
}

#[test]
fn signals_end_read_with_its_summary_and_verdict() {
    let folder = folder("signals");
    let recording = Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/tests/recorded.bin");
    let recording = std::fs::read(recording).expect("a recording");
    for (name, bytes, status) in [
        ("-INT", &recording[..], 0),
        ("-TERM", &recording, 0),
        ("-HUP", &recording, 0),
        ("-TERM", &[0x55; 900], 4),
        ("-TERM", &[], 3),
    ] {
        let mut child = qpuscope()
            .args(["read", "-", "--json"])
            .current_dir(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("qpuscope starts");
        let mut input = child.stdin.take().expect("a pipe");
        input.write_all(bytes).expect("room in the pipe");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        // The last of two spectra; where there are none, the time that a start takes.
        for _ in 0..if status == 0 { 2 } else { 0 } {
            let mut line = String::new();
            output.read_line(&mut line).expect("a spectrum");
            serde_json::from_str::<Value>(&line).expect("a spectrum");
        }
        if status != 0 {
            std::thread::sleep(std::time::Duration::from_millis(500));
        }
        signal(&child, name);
        let mut said = String::new();
        let errors = child.stderr.as_mut().expect("a pipe");
        errors.read_to_string(&mut said).expect("text");
        let ended = child.wait().expect("it ends");
        assert_eq!(ended.code(), Some(status), "{name}: {said}");
        assert!(said.contains(" spectra in "), "{name}: {said}");
        drop(input);
    }
}

#[test]
fn one_signal_ends_a_wait_for_a_reader() {
    let folder = folder("blocked");
    let recording = Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/tests/recorded.bin");
    let recording = std::fs::read(recording).expect("a recording");
    // Far more spectra than a pipe holds.
    std::fs::write(folder.join("long.bin"), recording.repeat(60)).expect("a file");
    let mut child = qpuscope()
        .args(["read", "long.bin", "--json", "--quiet"])
        .current_dir(&folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("qpuscope starts");
    let mut output = child.stdout.take().expect("a pipe");
    output.read_exact(&mut [0; 100]).expect("the first bytes");
    std::thread::sleep(std::time::Duration::from_millis(300));
    signal(&child, "-TERM");
    // In the wait, or before it came to one.
    let ended = child.wait().expect("it ends").code();
    assert!([Some(143), Some(0)].contains(&ended), "{ended:?}");
}

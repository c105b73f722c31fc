//! `qpuscope web` as a browser meets it: files, refusals, and a line through a WebSocket.

mod farewells;
mod hostile;
mod served;

use std::fs::File;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use served::{Served, Tab, web};
use tests::tools::run;

/// A recording of text, a descriptor and two spectra.
fn recording() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/tests/recorded.bin");
    path.display().to_string()
}

/// A line whose other side the test is.
struct Board {
    listener: TcpListener,
    port: String,
}

impl Board {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = format!("tcp:{}", listener.local_addr().expect("an address"));
        Self { listener, port }
    }

    fn accept(&self) -> TcpStream {
        let (stream, _) = self.listener.accept().expect("the tool connects");
        let limit = Some(Duration::from_secs(20));
        stream.set_read_timeout(limit).expect("a limit");
        stream
    }

    /// Reads so many bytes that were sent to the board.
    fn hear(stream: &mut TcpStream, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        stream.read_exact(&mut bytes).expect("bytes for the board");
        bytes
    }
}

#[test]
fn files_of_the_page_come_with_their_types_and_the_policy() {
    let served = Served::start(&[]);
    assert_eq!(served.token, "", "the page alone needs none");
    let index = served.get("/", "");
    assert!(index.starts_with("HTTP/1.1 200 OK\r\n"), "{index}");
    assert!(index.ends_with("\r\n\r\n<!doctype html><title>qpuscope</title>"));
    for line in [
        "content-type: text/html; charset=utf-8\r\n",
        "content-length: 38\r\n",
        "cache-control: no-store\r\n",
        "x-content-type-options: nosniff\r\n",
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'",
        "frame-ancestors 'none'",
    ] {
        assert!(index.contains(line), "{line} is not in {index}");
    }
    let wasm = served.get("/pkg/web_bg.wasm?again", "");
    assert!(
        wasm.contains("content-type: application/wasm\r\n"),
        "{wasm}"
    );
    let host = &served.host;
    let head = served.send(format!("HEAD /main.js HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes());
    assert!(
        head.contains("content-length: 10\r\n") && head.ends_with("\r\n\r\n"),
        "{head}"
    );
    // Nothing was named that a line could be.
    let line = served.get("/line?token=", "");
    assert!(
        line.starts_with("HTTP/1.1 404") && line.contains("without a port"),
        "{line}"
    );
}

#[test]
fn requests_that_no_page_of_ours_makes_are_refused_in_a_sentence() {
    let served = Served::start(&[]);
    let host = &served.host;
    let refused = |answer: String, status: u16, words: &str| {
        let start = format!("HTTP/1.1 {status} ");
        assert!(
            answer.starts_with(&start) && answer.contains(words),
            "{status} {words}: {answer}"
        );
    };
    for path in [
        "/../Cargo.toml",
        "/%2e%2e/Cargo.toml",
        "/pkg/..%2f..%2fx",
        "//etc/passwd",
        "/absent.js",
    ] {
        refused(served.get(path, ""), 404, "no such file");
    }
    refused(
        served.get("/", "Origin: http://evil.example\r\n"),
        403,
        "another site",
    );
    let rebound = b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    refused(served.send(rebound), 403, "no other name");
    refused(served.send(b"GET / HTTP/1.1\r\n\r\n"), 403, "no other name");
    let post = format!("POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 4\r\n\r\nabcd");
    refused(served.send(post.as_bytes()), 405, "only GET");
    let whole = format!("GET http://{host}/ HTTP/1.1\r\nHost: {host}\r\n\r\n");
    refused(served.send(whole.as_bytes()), 403, "no other name");
}

#[test]
fn heads_that_are_none_or_too_long_are_refused() {
    let served = Served::start(&[]);
    let head = format!("GET / HTTP/1.1\r\nHost: {}\r\n", served.host);
    let huge = format!("{head}A: {}", "b".repeat(100_000));
    let many = format!("{head}{}\r\n", "a: b\r\n".repeat(64));
    let none = "\x16\x03\x01\0\x7f\x01\0\r\n\r\n";
    for (text, status) in [(huge.as_str(), 431), (&many, 431), (none, 400)] {
        let answer = served.send(text.as_bytes());
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")),
            "{answer}"
        );
    }
}

#[test]
fn only_the_page_with_the_token_gets_the_line() {
    let served = Served::start(&[&recording()]);
    let host = served.host.as_str();
    let port = host.rsplit_once(':').map_or("", |(_, port)| port);
    let local = format!("localhost:{port}");
    let own = format!("Origin: http://{host}\r\n");
    let status = |host: &str, origin: &str, token: &str| {
        let answer = served.handshake(host, origin, token);
        answer.split(' ').nth(1).unwrap_or_default().to_owned()
    };
    assert_eq!(status(host, &own, &served.token), "101");
    let local_origin = format!("Origin: http://{local}\r\n");
    assert_eq!(status(&local, &local_origin, &served.token), "101");
    let wrong = "0".repeat(32);
    for (host, origin, token) in [
        (host, own.as_str(), wrong.as_str()),
        (host, own.as_str(), ""),
        (host, "", served.token.as_str()),
        (
            host,
            "Origin: http://evil.example\r\n",
            served.token.as_str(),
        ),
        (host, "Origin: null\r\n", served.token.as_str()),
        ("evil.example", own.as_str(), served.token.as_str()),
    ] {
        assert_eq!(
            status(host, origin, token),
            "403",
            "{host} {origin} {token}"
        );
    }
    // A page asks why its WebSocket was refused.
    let why = served.get("/line?token=0", "");
    assert!(
        why.starts_with("HTTP/1.1 403") && why.contains("printed last"),
        "{why}"
    );
    let there = served.get(&format!("/line?token={}", served.token), "");
    assert!(there.starts_with("HTTP/1.1 426"), "{there}");
}

#[test]
fn a_recording_is_played_to_its_end_to_every_tab() {
    let bytes = std::fs::read(recording()).expect("the recording");
    let mut served = Served::start(&[&recording(), "--speed", "0"]);
    for _ in 0..2 {
        let (mut tab, hello) = served.open();
        assert_eq!(
            (&hello["source"], &hello["writer"]),
            (&"recording".into(), &false.into())
        );
        assert_eq!(hello["speed"], 0.0);
        assert_eq!(tab.bytes(bytes.len()), bytes);
        assert_eq!(tab.text()["kind"], "end");
        for message in [
            "{\"kind\":\"speed\",\"factor\":-1}",
            "{\"kind\":\"baud\",\"rate\":9600}",
            "nonsense",
        ] {
            tab.say(message);
            assert_eq!(tab.text()["kind"], "refused", "{message}");
        }
        tab.send(&[0]);
        let refused = tab.text()["sentence"].to_string();
        assert!(refused.contains("takes no commands"), "{refused}");
    }
    let (mut tab, _) = served.open();
    assert_eq!(served.interrupt(), Some(0));
    let (code, sentence) = tab.farewell();
    assert!(
        code == 1001 && sentence.contains("has ended"),
        "{code} {sentence}"
    );
}

#[test]
fn a_recording_is_played_faster_when_the_page_asks() {
    // At a thousandth of its speed the second spectrum would take 100 s.
    let served = Served::start(&[&recording(), "--speed", "0.001"]);
    let bytes = std::fs::read(recording()).expect("the recording");
    let (mut tab, hello) = served.open();
    assert_eq!(hello["speed"], 0.001);
    let first = tab.bytes(1);
    assert!(first.len() < bytes.len(), "all came at once");
    tab.say("{\"kind\":\"speed\",\"factor\":0}");
    let rest = tab.bytes(bytes.len() - first.len());
    assert_eq!([first, rest].concat(), bytes);
}

#[test]
fn bytes_of_a_pipe_wait_for_the_first_tab() {
    let bytes = std::fs::read(recording()).expect("the recording");
    let served = Served::start_with(&["-"], File::open(recording()).expect("the recording"));
    let (mut tab, hello) = served.open();
    assert_eq!(
        (&hello["source"], &hello["writer"]),
        (&"recording".into(), &false.into())
    );
    assert_eq!(tab.bytes(bytes.len()), bytes);
    assert_eq!(tab.text()["kind"], "end");
    // One that comes later has missed them, and is told so.
    let (mut late, _) = served.open();
    assert_eq!(late.text()["kind"], "end");
    late.send(&[0]);
    assert_eq!(late.text()["kind"], "refused");
}

#[test]
fn two_tabs_see_one_board_and_one_at_a_time_writes() {
    let board = Board::new();
    let served = Served::start(&[&board.port]);
    let mut line = board.accept();
    let (mut first, hello) = served.open();
    assert_eq!(
        (&hello["source"], &hello["writer"]),
        (&"port".into(), &true.into())
    );
    assert_eq!(hello["name"], board.port);
    let (mut second, _) = served.open();
    line.write_all(b"from the board\n")
        .expect("the line is open");
    for tab in [&mut first, &mut second] {
        assert_eq!(tab.bytes(15), b"from the board\n");
    }
    // Opening and looking on has sent the board nothing before this.
    first.send(&[0, 1, 2]);
    assert_eq!(Board::hear(&mut line, 3), [0, 1, 2]);
    second.send(&[0, 7, 0]);
    let refused = second.text();
    assert_eq!(refused["kind"], "refused");
    assert!(
        refused["sentence"]
            .to_string()
            .contains("another tab writes to this board")
    );
    let (_third, hello) = served.open();
    assert_eq!(hello["writer"], false);
    // The first leaves in the middle of a frame, which is ended before the second's bytes.
    drop(first);
    served.writer();
    second.send(&[0, 3, 0]);
    assert_eq!(Board::hear(&mut line, 4), [0, 0, 3, 0]);
}

#[test]
fn a_line_that_is_lost_is_reported_and_comes_back() {
    let board = Board::new();
    let served = Served::start(&[&board.port]);
    let mut line = board.accept();
    let (mut tab, _) = served.open();
    line.write_all(b"before").expect("the line is open");
    assert_eq!(tab.bytes(6), b"before");
    drop(line);
    let lost = tab.text();
    assert_eq!(
        (&lost["kind"], &lost["state"]),
        (&"line".into(), &"lost".into()),
        "{lost}"
    );
    assert!(
        lost["sentence"]
            .to_string()
            .contains("plug the board in again"),
        "{lost}"
    );
    tab.send(&[0]);
    let answer = tab.text();
    // The line may be back by now.
    if answer["kind"] == "refused" {
        let back = tab.text();
        assert_eq!(
            (&back["kind"], &back["state"]),
            (&"line".into(), &"back".into()),
            "{back}"
        );
    }
    let mut line = board.accept();
    line.write_all(b"behind").expect("the line is open");
    assert_eq!(tab.bytes(6), b"behind");
}

#[test]
fn a_tab_that_sends_what_no_page_sends_is_closed_and_others_go_on() {
    let board = Board::new();
    let served = Served::start(&[&board.port]);
    let mut line = board.accept();
    let (mut rude, _) = served.open();
    let (mut tab, _) = served.open();
    rude.send(&vec![0; 100_000]);
    assert!(rude.is_closed());
    line.write_all(b"on").expect("the line is open");
    assert_eq!(tab.bytes(2), b"on");
    tab.send(&[0, 9, 0]);
    assert_eq!(Board::hear(&mut line, 3), [0, 9, 0]);
}

#[test]
fn a_virtual_pi_is_shown_and_answers() {
    let Some(image) = tests::tools::image("a_virtual_pi_is_shown_and_answers") else {
        return;
    };
    let served = Served::start(&[&tests::tools::sim(&image), "--cmdline", "start=0"]);
    let (mut tab, hello) = served.open();
    assert!(
        hello["name"].to_string().contains("virtual Pi with"),
        "{hello}"
    );
    assert_answers(&mut tab);
}

/// Asserts that the board answers to what a tab asks.
fn assert_answers(tab: &mut Tab) {
    let (mut encoder, mut decoder) = (wire::Encoder::new(), wire::Decoder::new());
    let (mut scratch, mut frame) = ([0; wire::MAX_PAYLOAD], [0; wire::MAX_FRAME]);
    for number in 1..=500 {
        let message = wire::Message::Ping(number);
        let envelope = wire::Envelope::default();
        let length = encoder.message(envelope, &message, &mut scratch, &mut frame);
        tab.send(&frame[..length.expect("a frame holds it")]);
        // A second of bytes is asked about before it is asked again.
        for byte in tab.bytes(30) {
            if let Some(wire::Item::Frame(header, payload)) = decoder.push(byte)
                && let Ok(wire::Message::Pong(pong)) = wire::Message::decode(header.kind, payload)
            {
                assert!((1..=number).contains(&pong));
                return;
            }
        }
    }
    panic!("no answer");
}

#[test]
fn what_cannot_be_served_is_refused_before_anything_starts() {
    let fails = |command: &mut Command, status: i32, words: &str| {
        let (_, ended, said) = run(command);
        assert!(ended == status && said.contains(words), "{ended} {said}");
    };
    let empty = tempfile::tempdir().expect("a folder");
    let noise = empty.path().join("noise.bin");
    std::fs::write(&noise, [0xA5; 5000]).expect("a file");
    let noise = noise.display().to_string();
    let absent = empty.path().join("absent").display().to_string();
    let mut without_page = tests::tools::qpuscope();
    without_page.args(["web", "--page", &absent]);
    fails(&mut without_page, 2, "build it with `cargo xtask web DIR`");
    fails(&mut web(&[&noise]), 4, "none of the 5000 bytes");
    fails(&mut web(&[&absent]), 3, "there is no port");
    fails(&mut web(&["tcp:127.0.0.1:1"]), 3, "nobody answers");
    // The environment is the weakest.
    let nobody = ["--port", "tcp:127.0.0.1:1"];
    for (arguments, port) in [(&nobody[..], absent.as_str()), (&[], nobody[1])] {
        let mut command = web(arguments);
        fails(command.env("QPUSCOPE_PORT", port), 3, "nobody answers");
    }
    fails(
        &mut web(&["tcp:127.0.0.1:1", "--speed", "2"]),
        2,
        "--speed is about a recording",
    );
    fails(&mut web(&[&recording(), "--speed", "fast"]), 2, "no speed");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    fails(&mut web(&["--listen", &port]), 2, "leave --listen out");
}

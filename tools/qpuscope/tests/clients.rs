//! The clients in `clients/python`, which were written from the protocol's document alone: they
//! decode what the tool decodes, and upload to the virtual Pi over a line that damages frames.

#[allow(dead_code)]
#[path = "common/stream.rs"]
mod stream;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

use tests::tools::image;
use tests::tools::{qpuscope, run, sim};

/// A client, or a line in the list of skipped tests where there is no Python.
fn python(test: &str, client: &str) -> Option<Command> {
    let mut python = Command::new("python3");
    let version = python.arg("--version").output();
    if !version.is_ok_and(|output| output.status.success()) {
        tests::tools::skip(test, "there is no python3");
        return None;
    }
    let mut command = Command::new("python3");
    let clients = concat!(env!("CARGO_MANIFEST_DIR"), "/../../clients/python");
    command.arg("-B").arg(Path::new(clients).join(client));
    command.stdin(Stdio::null());
    Some(command)
}

fn recording(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../host/tests")).join(name)
}

/// A file in a folder of this test program.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clients");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("a file");
    path
}

fn json_lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().map(serde_json::from_str);
    lines.map(|line| line.expect("JSON")).collect()
}

/// Levels of a record, those of the greatest behind the others where there are any.
fn levels(spectrum: &Value) -> Vec<Option<f64>> {
    let of = |key: &str| spectrum[key].as_array().into_iter().flatten();
    assert!(spectrum["levels"].is_array());
    let levels = of("levels").chain(of("levels_max"));
    levels.map(Value::as_f64).collect()
}

fn missing(spectrum: &Value) -> usize {
    let levels = levels(spectrum);
    levels.iter().filter(|level| level.is_none()).count()
}

/// Levels that are given in steps of 0.01 dB are the same ones.
fn assert_same_levels(ours: &[Option<f64>], theirs: &[Option<f64>]) {
    assert_eq!(ours.len(), theirs.len());
    for (bin, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        let is_same = match (ours, theirs) {
            (Some(ours), Some(theirs)) => (ours - theirs).abs() < 0.001,
            (None, None) => true,
            _ => false,
        };
        assert!(is_same, "bin {bin}: {ours:?} and {theirs:?}");
    }
}

/// Both decoders make the same spectra of a recording; returns what the Python one says was lost.
fn assert_decoded_alike(mut python: Command, recording: &Path) -> (Vec<Value>, String) {
    let (output, status, said) = run(python.arg(recording));
    assert_eq!(status, 0, "{said}");
    let theirs = json_lines(&output);
    let (output, status, said_by_tool) = run(qpuscope().arg("read").arg(recording).arg("--json"));
    assert_eq!(status, 0, "{said_by_tool}");
    let ours = json_lines(&output);
    assert!(!ours.is_empty());
    assert_eq!(ours.len(), theirs.len(), "{said}");
    for (ours, theirs) in ours.iter().zip(&theirs) {
        for key in [
            "record",
            "n",
            "first_bin",
            "bin_hz",
            "centre_hz",
            "unit",
            "engine",
            "engine_fallback",
            "plan_replaced",
            "doubt",
        ] {
            assert_eq!(ours[key], theirs[key], "{key}");
        }
        assert_same_levels(&levels(ours), &levels(theirs));
    }
    (theirs, said)
}

#[test]
fn records_of_two_detectors_are_decoded() {
    let test = "records_of_two_detectors_are_decoded";
    let Some(python) = python(test, "decode.py") else {
        return;
    };
    let mut stream = stream::Stream::new(512, 48_000, 0.0);
    let power = |record: u32, count: u32| -> Vec<f32> {
        let power = |bin: u32| 1e-9 * (1 + record + bin) as f32;
        (0..count).map(power).collect()
    };
    stream.record(0, 0, &power(0, 512));
    stream.set_both(3);
    stream.record(1, 1000, &power(1, 1024));
    let path = file("two-detectors.bin", &stream.bytes());
    let (spectra, _) = assert_decoded_alike(python, &path);
    let lengths = |key: &str| {
        let length = |spectrum: &Value| spectrum[key].as_array().map(Vec::len);
        spectra.iter().map(length).collect::<Vec<_>>()
    };
    assert_eq!(lengths("levels"), [Some(512), Some(512)]);
    assert_eq!(lengths("levels_max"), [None, Some(512)]);
}

#[test]
fn a_recording_is_decoded() {
    let test = "a_recording_is_decoded";
    let Some(python) = python(test, "decode.py") else {
        return;
    };
    let (spectra, said) = assert_decoded_alike(python, &recording("recorded.bin"));
    assert_eq!(spectra.len(), 2);
    assert_eq!(levels(&spectra[0])[128].map(f64::round), Some(-10.0));
    let nothing = "lost: 0 frames, 0 segments, 0 values, 0 records, 0 unexplained";
    assert_eq!(said.trim(), nothing);
}

#[test]
fn losses_are_counted() {
    let test = "losses_are_counted";
    let whole = std::fs::read(recording("recorded.bin")).expect("the recording");
    let third = whole.len() * 3 / 4;
    let mut damaged = whole.clone();
    damaged[third] ^= 0x10;
    let without_frame = {
        // A chunk of the second spectrum, with the zero bytes around it.
        let end = third
            + whole[third..]
                .iter()
                .position(|byte| *byte == 0)
                .expect("an end");
        let start = whole[..third]
            .iter()
            .rposition(|byte| *byte == 0)
            .expect("a start");
        [&whole[..start], &whole[end + 1..]].concat()
    };
    for (name, bytes, losses) in [
        (
            "damaged.bin",
            &damaged,
            "lost: 1 frames, 1 segments, 500 values, 0 records",
        ),
        (
            "gap.bin",
            &without_frame,
            "lost: 1 frames, 0 segments, 500 values, 0 records",
        ),
        (
            "late.bin",
            &whole[whole.len() / 4..].to_vec(),
            "2 unexplained",
        ),
    ] {
        let Some(mut python) = python(test, "decode.py") else {
            return;
        };
        let path = file(name, bytes);
        if name == "late.bin" {
            let (output, status, said) = run(python.arg(path));
            assert_eq!((status, output.stdout.len()), (0, 0), "{said}");
            assert!(said.contains(losses), "{said}");
            continue;
        }
        let (spectra, said) = assert_decoded_alike(python, &path);
        let lost: usize = spectra.iter().map(missing).sum();
        assert_eq!(lost, 500, "{name}");
        assert!(said.contains(losses), "{name}: {said}");
    }
}

#[test]
fn what_a_virtual_pi_says_from_its_start_is_decoded() {
    let test = "what_a_virtual_pi_says_from_its_start_is_decoded";
    let Some(image) = image(test) else { return };
    let Some(python) = python(test, "decode.py") else {
        return;
    };
    let mut sim = qpuscope();
    sim.arg("sim").arg(image);
    sim.args(["--line", "stdio", "--seconds", "1", "--functional"]);
    let (output, status, said) = run(sim.stdin(Stdio::null()));
    assert_eq!(status, 0, "{said}");
    let path = file("start.bin", &output.stdout);
    let (spectra, _) = assert_decoded_alike(python, &path);
    assert!(spectra.len() >= 3, "{}", spectra.len());
}

/// A virtual Pi on TCP, which ends with the test.
struct Board(Child, String);

impl Board {
    fn start(image: &Path) -> Self {
        let mut sim = qpuscope();
        sim.arg("sim")
            .arg(image)
            .args(["--line", "tcp:127.0.0.1:0", "--functional"]);
        let sim = sim.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut sim = sim.expect("qpuscope starts");
        let mut name = String::new();
        BufReader::new(sim.stdout.take().expect("a pipe"))
            .read_line(&mut name)
            .expect("the name of the line");
        Self(sim, name.trim().to_owned())
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A line to `board` on which every `every`th byte that a host sends is damaged.
fn bad_line(board: &str, every: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let name = format!("tcp:{}", listener.local_addr().expect("its address"));
    let board = board.trim_start_matches("tcp:").to_owned();
    std::thread::spawn(move || {
        while let Ok((host, _)) = listener.accept() {
            // It breaks when either side ends it, which that side knows.
            let _ = pass_on(host, &board, every);
        }
    });
    name
}

fn pass_on(mut host: TcpStream, board: &str, every: usize) -> std::io::Result<()> {
    let mut board = TcpStream::connect(board)?;
    let (mut from_board, mut to_host) = (board.try_clone()?, host.try_clone()?);
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut from_board, &mut to_host);
        let _ = to_host.shutdown(Shutdown::Both);
    });
    let (mut buffer, mut sent) = ([0; 4096], 0);
    while let count @ 1.. = host.read(&mut buffer)? {
        for byte in &mut buffer[..count] {
            sent += 1;
            *byte ^= if sent % every == 0 { 0x10 } else { 0 };
        }
        board.write_all(&buffer[..count])?;
    }
    board.shutdown(Shutdown::Both)
}

/// Runs a host of a line that the host before has just left: until the board notices, another is
/// sent away.
fn run_next(command: &mut Command) -> Output {
    for _ in 0..100 {
        let (output, status, said) = run(command);
        if status == 0 {
            return output;
        }
        let away = ["reset by peer", "line was closed", "Broken pipe"];
        assert!(away.iter().any(|it| said.contains(it)), "{said}");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("the board lets no second host have the line");
}

/// I/Q samples in u8 of a tone at a sixteenth of the sample rate, with half of full scale, and a
/// little noise.
fn tone(samples: u32) -> Vec<u8> {
    let mut noise = 2835_u32;
    let mut sample = |value: f64| {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let dither = f64::from(noise >> 8) / f64::from(1 << 24) - 0.5;
        (127.5 + 63.75 * value + dither).round() as u8
    };
    (0..samples)
        .flat_map(|index| {
            let phase = f64::from(index) * std::f64::consts::TAU / 16.0;
            [sample(phase.cos()), sample(phase.sin())]
        })
        .collect()
}

/// One board for all: it runs no faster than wall time.
#[test]
fn samples_are_uploaded_over_a_bad_line_and_make_the_spectra_that_the_tool_gets() {
    let test = "samples_are_uploaded_over_a_bad_line_and_make_the_spectra_that_the_tool_gets";
    let Some(image) = image(test) else { return };
    let Some(mut decoder) = python(test, "decode.py") else {
        return;
    };
    let board = Board::start(&image);
    let (output, status, said) = run(decoder.args([&board.1, "--count", "2"]));
    assert_eq!(status, 0, "{said}");
    let live = json_lines(&output);
    assert_eq!(live.len(), 2, "{said}");
    assert_eq!((live[1]["n"].as_u64(), missing(&live[1])), (Some(1024), 0));

    let path = file("tone.u8", &tone(4096));
    let upload = |line: &str, words: &[&str]| {
        let mut uploader = python(test, "upload.py").expect("it was there");
        uploader.arg(line).arg(&path);
        uploader.args(["--format", "u8", "--complex", "--rate", "48000"]);
        json_lines(&run_next(uploader.args(words)))
    };
    let spectra = upload(
        &bad_line(&board.1, 4000),
        &["--set", "n=256 overlap=50% window=hann avg=16 out=f32"],
    );
    assert_eq!(spectra.len(), 2);
    let blocks = spectra.iter().map(|it| it["blocks"].as_u64());
    assert_eq!(blocks.flatten().sum::<u64>(), 31);
    for spectrum in &spectra {
        let level = levels(spectrum)[128 + 16].expect("a level");
        assert!((level + 6.02).abs() < 0.1, "{level}");
    }
    let spectra = upload(
        &board.1,
        &["--set", "n=1024 overlap=50% window=hann avg=all out=f32"],
    );
    assert_eq!(spectra.len(), 1);

    let mut fft = qpuscope();
    fft.args([
        "fft",
        "--port",
        &sim(&image),
        "--rate",
        "48000",
        "--n",
        "1024",
    ]);
    let out = path.with_file_name("fft");
    fft.arg(&path).arg("--out").arg(&out);
    let (_, status, said) = run(&mut fft);
    assert_eq!(status, 0, "{said}");
    let csv = std::fs::read_to_string(out.join("spectrum.csv")).expect("a table");
    let rows = csv.lines().filter(|line| !line.starts_with('#')).skip(1);
    let ours: Vec<_> = rows
        .map(|row| row.rsplit(',').next().and_then(|level| level.parse().ok()))
        .collect();
    assert_same_levels(&ours, &levels(&spectra[0]));
}

/// The document promises clients that can be read in one go.
#[test]
fn clients_are_short_and_need_nothing() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../clients/python"));
    for name in ["decode.py", "upload.py"] {
        let text = std::fs::read_to_string(folder.join(name)).expect("a client");
        assert!(text.lines().count() <= 150, "{name}");
        let foreign = text.lines().find(|line| line.contains("import wire"));
        assert_eq!(foreign, None, "{name}");
    }
}

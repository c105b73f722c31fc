//! The tool and the real image on the virtual Pi. Skipped where `QPUSCOPE_KERNEL` names no image.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use serde_json::Value;

use tests::tools::image;
use tests::tools::{qpuscope, run, sim};

fn json_lines(output: &Output) -> Vec<Value> {
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("a JSON object a line"))
        .collect()
}

/// A folder of its own, with a tone of 1 kHz at full scale in `tone.wav`.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for files");
    let spec = hound::WavSpec {
        channels: 2,
        sample_rate: 48_000,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut tone = hound::WavWriter::create(folder.join("tone.wav"), spec).expect("a WAV file");
    for index in 0..6_000_u32 {
        let phase = f64::from(index) * 3000.0 / 48_000.0 * std::f64::consts::TAU;
        tone.write_sample((32_767.0 * phase.cos()).round() as i16)
            .expect("a sample");
        tone.write_sample((32_767.0 * phase.sin()).round() as i16)
            .expect("a sample");
    }
    tone.finalize().expect("a WAV file");
    folder
}

#[test]
fn spectra_of_the_generator_are_read_unasked() {
    let Some(image) = image("spectra_of_the_generator_are_read_unasked") else {
        return;
    };
    let (output, status, said) =
        run(qpuscope().args(["read", &sim(&image), "--count", "3", "--json", "--strict"]));
    assert_eq!(status, 0, "{said}");
    let spectra = json_lines(&output);
    assert_eq!(spectra.len(), 3);
    for spectrum in &spectra {
        assert_eq!(spectrum["engine"], "qpu");
        assert_eq!(spectrum["n"], 1024);
        assert_eq!(spectrum["levels"].as_array().map(Vec::len), Some(513));
        assert!(
            spectrum["lines"]
                .as_array()
                .is_some_and(|lines| lines.len() >= 2),
            "{}",
            spectrum["lines"]
        );
    }
    assert!(
        said.contains("qpuscope") && said.contains("0 bytes lost"),
        "{said}"
    );
}

#[test]
fn a_wrong_rate_is_explained() {
    let Some(image) = image("a_wrong_rate_is_explained") else {
        return;
    };
    let (_, status, said) =
        run(qpuscope().args(["read", &sim(&image), "--baud", "57600", "--seconds", "2"]));
    assert_eq!(status, 4, "{said}");
    assert!(said.contains("use --baud 115200"), "{said}");
}

#[test]
fn an_idle_board_is_started_and_a_silent_one_explained() {
    let Some(image) = image("an_idle_board_is_started_and_a_silent_one_explained") else {
        return;
    };
    let quiet = ["read", &sim(&image), "--cmdline", "start=0", "--json"];
    let (_, status, said) = run(qpuscope().args(quiet).args(["--seconds", "7"]));
    assert_eq!(status, 4, "{said}");
    assert!(said.contains("--start"), "{said}");
    let (output, status, said) = run(qpuscope().args(quiet).args([
        "--start",
        "--set",
        "n=256 out=u8 window=flat-top",
        "--count",
        "1",
    ]));
    assert_eq!(status, 0, "{said}");
    assert_eq!(json_lines(&output)[0]["window"], "flat-top");
}

#[test]
fn a_full_scale_tone_reads_0_dbfs_and_every_encoding_says_so() {
    let Some(image) = image("a_full_scale_tone_reads_0_dbfs_and_every_encoding_says_so") else {
        return;
    };
    let folder = folder("tone");
    for (encoding, engine, tolerance_db) in [
        ("f32", "qpu", 0.001),
        ("u16", "qpu", 0.01),
        ("u8", "cpu", 0.5),
    ] {
        for window in wire::Window::ALL.map(|window| window.to_string()) {
            let mut command = qpuscope();
            command.current_dir(&folder).args([
                "fft",
                "--port",
                &sim(&image),
                "tone.wav",
                "--n",
                "256",
            ]);
            command.args([
                "--stereo",
                "iq",
                "--window",
                &window,
                "--encoding",
                encoding,
                "--engine",
                engine,
                "--json",
            ]);
            let (output, status, said) = run(&mut command);
            assert_eq!(status, 0, "{said}");
            let record: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
            assert_eq!(record["engine"], engine);
            let line = &record["lines"][0];
            assert_eq!(line["bin_frequency"], 3000.0, "{record}");
            let frequency = line["frequency"].as_f64().expect("a frequency");
            assert!(
                (frequency - 3000.0).abs() < 0.1 * 48_000.0 / 256.0,
                "{record}"
            );
            let level = line["level"].as_f64().expect("a level");
            assert!(
                level.abs() <= tolerance_db,
                "{window} {encoding}: {level} dBFS"
            );
        }
    }
}

#[test]
fn detectors_dc_and_holds_are_asked_for_and_reported() {
    let Some(image) = image("detectors_dc_and_holds_are_asked_for_and_reported") else {
        return;
    };
    let folder = folder("detectors");
    let mut command = qpuscope();
    command
        .current_dir(&folder)
        .args(["fft", "--port", &sim(&image), "tone.wav"])
        .args(["--n", "256", "--detector", "max", "--dc", "remove"])
        .args(["--window", "kaiser:7.25", "--json"]);
    let (output, status, said) = run(&mut command);
    assert_eq!(status, 0, "{said}");
    let record: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    for (key, wanted) in [
        ("detector", "max"),
        ("dc", "remove"),
        ("window", "kaiser:7.25"),
    ] {
        assert_eq!(record[key], wanted, "{record}");
    }
    let csv = std::fs::read_to_string(folder.join("spectrum.csv")).expect("the CSV file");
    assert!(
        csv.contains("window kaiser:7.25 (ENBW") && csv.contains(" blocks, DC removed\n"),
        "{csv}"
    );

    let words = "n=256 avg=4 detector=min dc=remove";
    let read = ["read", &sim(&image), "--set", words, "--count", "3"];
    let (plain, status, said) = run(qpuscope().args(read).args(["--json"]));
    assert_eq!(status, 0, "{said}");
    let (held, status, said) = run(qpuscope().args(read).args(["--json", "--hold", "max"]));
    assert_eq!(status, 0, "{said}");
    let (plain, held) = (json_lines(&plain), json_lines(&held));
    assert_eq!((plain.len(), held.len()), (3, 3));
    assert!(plain[2]["held"].is_null() && plain[2]["detector"] == "min");
    assert_eq!(held[2]["held"]["records"], 3, "{}", held[2]);
    assert_eq!(held[2]["held"]["hold"], "max");
    let level = |record: &Value, bin: usize| record["levels"][bin].as_f64().expect("a level");
    for bin in 1..129 {
        let greatest = plain.iter().map(|record| level(record, bin));
        let greatest = greatest.fold(f64::MIN, f64::max);
        assert_eq!(level(&held[2], bin), greatest, "bin {bin}");
    }
    let (csv, status, said) = run(qpuscope()
        .args(read)
        .args(["--format", "csv", "--hold", "max"]));
    assert_eq!(status, 0, "{said}");
    let csv = String::from_utf8_lossy(&csv.stdout).into_owned();
    let wanted = "detector min, dc remove, max of all records so far";
    assert!(csv.contains(wanted), "{csv}");
}

#[test]
fn both_channels_and_several_averages_have_files_of_their_own() {
    let Some(image) = image("both_channels_and_several_averages_have_files_of_their_own") else {
        return;
    };
    let folder = folder("channels");
    let mut command = qpuscope();
    command
        .current_dir(&folder)
        .args(["fft", "--port", &sim(&image), "tone.wav", "--n", "1024"]);
    command.args(["--averages", "4", "--overlap", "512", "--json"]);
    let (_, status, said) = run(&mut command);
    assert_eq!(status, 0, "{said}");
    let mut names: Vec<_> = folder.read_dir().expect("a folder").collect();
    names.retain(|entry| {
        entry
            .as_ref()
            .is_ok_and(|entry| entry.file_name() != "tone.wav")
    });
    assert_eq!(
        names.len(),
        6,
        "pictures of all records and a table for each channel"
    );
    for stem in ["waterfall", "waterfall-2"] {
        for ending in ["png", "svg"] {
            assert!(folder.join(format!("{stem}.{ending}")).is_file(), "{stem}");
        }
    }
    for name in ["spectra.csv", "spectra-2.csv"] {
        let table = std::fs::read_to_string(folder.join(name)).expect("a table");
        assert_eq!(
            table.lines().filter(|line| !line.starts_with('#')).count(),
            1 + 3
        );
    }
    let (output, status, said) = run(command.arg("--each"));
    assert_eq!(status, 0, "{said}");
    let record: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    // 10 blocks of 1024 every 512 samples: averages of 4, 4 and the 2 that are left, for each
    // channel.
    assert_eq!(record["spectra"], 6, "{record}");
    assert_eq!(record["averages"], 4, "{record}");
    let rest = std::fs::read_to_string(folder.join("spectrum-3.csv")).expect("a file");
    assert!(rest.contains("average of 2 blocks"), "{}", &rest[..400]);
    for file in ["spectrum.png", "spectrum-2.svg", "spectrum-6.csv"] {
        assert!(folder.join(file).is_file(), "{file} of {}", record["files"]);
    }
}

#[test]
fn without_v3d_the_arm_computes_and_says_so() {
    let Some(image) = image("without_v3d_the_arm_computes_and_says_so") else {
        return;
    };
    let folder = folder("arm");
    let mut command = qpuscope();
    command.current_dir(&folder).args([
        "fft",
        "--port",
        &sim(&image),
        "--no-v3d",
        "tone.wav",
        "--json",
    ]);
    let (output, status, said) = run(&mut command);
    assert_eq!(status, 0, "{said}");
    let record: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(record["engine"], "cpu");
    let (_, status, said) = run(command.args(["--engine", "qpu"]));
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("--engine auto"), "{said}");
}

#[test]
fn a_length_too_long_for_the_board_is_refused_with_its_sentence() {
    let Some(image) = image("a_length_too_long_for_the_board_is_refused_with_its_sentence") else {
        return;
    };
    let folder = folder("long");
    std::fs::write(folder.join("long.iq"), vec![127; 600_000]).expect("a file");
    let mut command = qpuscope();
    command
        .current_dir(&folder)
        .args(["fft", "--port", &sim(&image), "long.iq", "--rate", "2M"]);
    let (_, status, said) = run(command.args(["--n", "262144"]));
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("the board refuses: n=262144"), "{said}");
}

/// `qpuscope sim` as a process; the name of its line is what it prints first.
struct Simulation {
    process: Child,
    line: String,
    _output: BufReader<ChildStdout>,
}

impl Simulation {
    fn start(image: &Path, line: &str) -> Self {
        let mut process = qpuscope()
            .args(["sim", &image.display().to_string(), "--line", line])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("qpuscope starts");
        let mut output = BufReader::new(process.stdout.take().expect("a pipe"));
        let mut line = String::new();
        output.read_line(&mut line).expect("the name of the line");
        Self {
            process,
            line: line.trim().to_owned(),
            _output: output,
        }
    }

    /// Ctrl-C, and how it ended.
    fn interrupt(mut self) -> i32 {
        let id = self.process.id().to_string();
        let sent = Command::new("kill")
            .args(["-INT", &id])
            .status()
            .expect("kill runs");
        assert!(sent.success());
        self.process.wait().expect("it ends").code().unwrap_or(-1)
    }
}

impl Drop for Simulation {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_line_on_tcp_or_a_pty_is_read_killed_and_read_again() {
    let Some(image) = image("a_line_on_tcp_or_a_pty_is_read_killed_and_read_again") else {
        return;
    };
    for line in ["tcp:127.0.0.1:0", "pty"] {
        let simulation = Simulation::start(&image, line);
        let port = simulation.line.clone();
        let (_, status, said) =
            run(qpuscope().args(["read", &port, "--count", "1", "--seconds", "60"]));
        assert_eq!(status, 0, "{port}: {said}");
        // A reader that is killed in mid-stream must not matter to the next.
        let mut reader = qpuscope()
            .args(["read", &port])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("qpuscope starts");
        std::thread::sleep(std::time::Duration::from_millis(300));
        reader.kill().expect("it is killed");
        reader.wait().expect("it ends");
        let (output, status, said) = run(qpuscope().args(["info", "--port", &port, "--json"]));
        assert_eq!(status, 0, "{port}: {said}");
        let info: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
        assert_eq!(info["device"]["engine"], "qpu", "{info}");
        assert_eq!(simulation.interrupt(), 0, "{port}");
    }
}

#[test]
fn a_host_that_sent_samples_leaves_the_board_as_it_found_it() {
    let Some(image) = image("a_host_that_sent_samples_leaves_the_board_as_it_found_it") else {
        return;
    };
    let simulation = Simulation::start(&image, "pty");
    let port = simulation.line.clone();
    let settings = || {
        let (output, status, said) = run(qpuscope().args(["info", "--port", &port, "--json"]));
        assert_eq!(status, 0, "{said}");
        let info: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
        info["device"]["settings"].clone()
    };
    let found = settings();
    let out = folder("left");
    let table = out.join("table.csv");
    let text: String = (0..4096).map(|x| format!("{}\n", x % 16)).collect();
    std::fs::write(&table, text).expect("a file");
    let mut fft = qpuscope();
    fft.args(["fft", "--port", &port, "--rate", "1", "--out"])
        .arg(&out)
        .arg(&table);
    let (_, status, said) = run(&mut fft);
    assert_eq!(status, 0, "{said}");
    assert_eq!(settings(), found);
    // A board that waits says so with every heartbeat, and `read` says so at once.
    let (_, status, said) = run(qpuscope().args(["read", &port, "--seconds", "3"]));
    assert_eq!(status, 0, "{said}");
    assert!(
        said.contains("waits for a command") && said.contains("--start"),
        "{said}"
    );
    let start = ["read", &port, "--start", "--count", "1", "--seconds", "60"];
    let (_, status, said) = run(qpuscope().args(start));
    assert_eq!(status, 0, "{said}");
    // One that the board refuses leaves them too.
    let (_, status, said) = run(fft.args(["--centre", "1e16"]));
    assert_eq!(status, 2, "{said}");
    assert_eq!(settings(), found);
}

#[test]
fn a_recorded_stream_reads_as_it_did_live() {
    let Some(image) = image("a_recorded_stream_reads_as_it_did_live") else {
        return;
    };
    let folder = folder("recorded");
    let mut command = qpuscope();
    command.args([
        "sim",
        &image.display().to_string(),
        "--line",
        "stdio",
        "--seconds",
        "2",
    ]);
    let (output, status, said) = run(command.stdin(Stdio::null()));
    assert_eq!(status, 0, "{said}");
    let file = folder.join("stream.bin");
    std::fs::write(&file, &output.stdout).expect("a file");
    let live = run(qpuscope().args(["read", &sim(&image), "--count", "2", "--json"])).0;
    let recorded = run(qpuscope().args([
        "read",
        &file.display().to_string(),
        "--count",
        "2",
        "--json",
    ]))
    .0;
    assert!(!live.stdout.is_empty());
    assert_eq!(json_lines(&live), json_lines(&recorded));
}

#[test]
fn logs_are_texts_where_the_elf_is_at_hand() {
    let test = "logs_are_texts_where_the_elf_is_at_hand";
    let Some(image) = image(test) else { return };
    let elf = image.with_extension("elf");
    if !elf.is_file() {
        return tests::tools::skip(
            test,
            "kernel.elf is not beside the image that QPUSCOPE_KERNEL names",
        );
    }
    let folder = folder("logs");
    let command = || {
        let mut command = qpuscope();
        command.current_dir(&folder).args([
            "read",
            &sim(&image),
            "--count",
            "1",
            "--format",
            "none",
        ]);
        command
    };
    let (_, status, said) = run(&mut command());
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("log: ") && said.contains("INFO"), "{said}");
    let (_, status, said) = run(command().args(["--elf", &image.display().to_string()]));
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("has no defmt texts"), "{said}");
}

//! The demo from end to end: the host tool, the image on the virtual Pi, the files it writes.

use crate::reference;
use reference_fft::Complex;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tests::{NO_KERNEL, need};
use wire::{Domain, Window};

const NO_HOST: &str = "QPUSCOPE_HOST names no qpuscope; `cargo xtask test` builds it";

/// Agreement asked for in every bin above the floor.
const TOLERANCE_DB: f64 = 0.01;
const FLOOR_DBFS: f64 = -100.0;

/// A folder of its own for the files of one test.
fn folder(name: &str) -> PathBuf {
    let folder = tests::root().join("target/demo-tests").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("target can be written");
    folder
}

/// `qpuscope fft` as `cargo xtask demo` starts it.
fn fft(host: &Path, kernel: &Path, input: &Path, more: &[&str], out: &Path) -> Output {
    let mut command = Command::new(host);
    command.arg("fft");
    command
        .arg("--port")
        .arg(format!("sim:{}", kernel.display()));
    command.arg(input).arg("--out").arg(out);
    command.args(more);
    command.output().expect("qpuscope starts")
}

fn json(output: &Output) -> Value {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{stderr}", output.status);
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("standard output is not one JSON object: {error}\n{stderr}"))
}

fn assert_files(out: &Path) {
    let png = std::fs::read(out.join("spectrum.png")).expect("spectrum.png is written");
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n") && png.len() > 5_000);
    let svg = std::fs::read_to_string(out.join("spectrum.svg")).expect("spectrum.svg is written");
    assert!(svg.contains("<svg") && svg.trim_end().ends_with("</svg>"));
}

#[test]
fn the_temperature_of_seattle_has_a_line_at_24_hours_and_one_at_12() {
    let kernel = need!(tests::given("QPUSCOPE_KERNEL"), "{NO_KERNEL}");
    let host = need!(tests::given("QPUSCOPE_HOST"), "{NO_HOST}");
    let out = folder("seattle");
    let input = tests::root().join("data/seattle_temperature_2010_hourly.csv");
    let output = fft(&host, &kernel, &input, &["--json"], &out);
    let record = json(&output);
    assert_eq!(record["engine"], "qpu", "{record}");
    assert_eq!(record["n"], 4096);
    assert_eq!(record["sample_rate"]["num"], 1, "one sample an hour");
    assert_eq!(record["sample_rate"]["den"], 3600, "one sample an hour");
    assert!(record["averages"].as_u64() > Some(1), "{record}");
    let lines = record["lines"].as_array().expect("lines");
    for hours in [24.0, 12.0] {
        let bin = 4096.0 / hours;
        let near = |line: &&Value| (line["bin"].as_f64().unwrap_or(-1.0) - bin).abs() <= 1.0;
        let line = lines.iter().find(near);
        let line = line.unwrap_or_else(|| panic!("no line at {hours} h in {lines:?}"));
        let period = line["period"].as_f64().expect("a line has a period") / 3600.0;
        assert!((period - hours).abs() / hours < 1.0 / bin, "{period} h");
    }
    assert_files(&out);
    let csv = std::fs::read_to_string(out.join("spectrum.csv")).expect("spectrum.csv is written");
    assert!(
        csv.contains("cycles_per_day"),
        "no cycles per day in the heading"
    );
    assert!(!csv.contains("dBFS"), "a temperature has no full scale");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("interpolat"),
        "the missing hour is not mentioned:\n{said}"
    );
}

/// A made recording of radio in pairs of u8: the noise of a receiver, and bursts of pulses on a
/// carrier as transponders of aircraft send them.
fn bursts() -> Vec<u8> {
    let mut random = tests::mutate::Random::new(tests::seed());
    let mut sample = |at: u32| {
        let is_on = at % 4_000 < 240 && random.below(2) == 1;
        let angle = 0.7 * f64::from(at);
        let carrier = if is_on { 60.0 } else { 0.0 };
        [angle.cos(), angle.sin()].map(|part| {
            // The sum of four is close enough to a normal distribution.
            let noise: f64 = (0..4)
                .map(|_| random.below(1001) as f64 / 500.0 - 1.0)
                .sum();
            (127.5 + carrier * part + noise).round() as u8
        })
    };
    (0..65_536).flat_map(&mut sample).collect()
}

#[test]
fn a_recording_of_radio_agrees_with_rustfft_in_every_bin() {
    let kernel = need!(tests::given("QPUSCOPE_KERNEL"), "{NO_KERNEL}");
    let host = need!(tests::given("QPUSCOPE_HOST"), "{NO_HOST}");
    let out = folder("bursts");
    let input = out.join("bursts.iq");
    std::fs::write(&input, bursts()).expect("target can be written");
    let output = fft(
        &host,
        &kernel,
        &input,
        &["--rate", "2000000", "--json"],
        &out,
    );
    let record = json(&output);
    assert_eq!(record["engine"], "qpu", "{record}");
    let n = usize::try_from(record["n"].as_u64().expect("n")).expect("a length");
    let window = record["window"].as_str().and_then(Window::from_name);
    let window = window.expect("a window");
    let averages = record["averages"].as_u64().expect("averages") as usize;

    let bytes = std::fs::read(&input).expect("the recording can be read");
    let part = |byte: u8| (f64::from(byte) - 127.5) / 127.5;
    let samples: Vec<_> = bytes
        .as_chunks::<2>()
        .0
        .iter()
        .map(|[i, q]| Complex::new(part(*i), part(*q)))
        .collect();
    let overlap = record["overlap"].as_u64().expect("overlap") as usize;
    let blocks = (samples.len() - n) / (n - overlap) + 1;
    assert_eq!(averages, blocks, "all blocks of the recording are averaged");
    let expected = reference::power(&samples, Domain::Complex, window, n, overlap);

    let csv = std::fs::read_to_string(out.join("spectrum.csv")).expect("spectrum.csv is written");
    let levels = levels(&csv);
    assert_eq!(levels.len(), n);
    let mut worst: (f64, usize) = (0.0, 0);
    let mut compared = 0;
    for (bin, (level, power)) in levels.iter().zip(&expected).enumerate() {
        let expected = reference::db(*power);
        if expected > FLOOR_DBFS {
            compared += 1;
            worst = worst.max_by_size(((level - expected).abs(), bin));
        }
    }
    eprintln!("{compared} bins, worst {:.5} dB at {}", worst.0, worst.1);
    assert!(compared > n / 2, "only {compared} bins above the floor");
    assert!(worst.0 <= TOLERANCE_DB, "{} dB at bin {}", worst.0, worst.1);
}

trait MaxBySize {
    fn max_by_size(self, other: Self) -> Self;
}

impl MaxBySize for (f64, usize) {
    fn max_by_size(self, other: Self) -> Self {
        // Not a number counts as larger, so that it cannot hide.
        if other.0 <= self.0 { self } else { other }
    }
}

/// The last column of the CSV file, which is the level in dB.
fn levels(csv: &str) -> Vec<f64> {
    let rows = csv.lines().filter(|line| !line.starts_with('#')).skip(1);
    let last = rows.filter_map(|row| row.rsplit(',').next());
    last.map(|cell| {
        cell.parse()
            .unwrap_or_else(|_| panic!("not a level: {cell:?}"))
    })
    .collect()
}

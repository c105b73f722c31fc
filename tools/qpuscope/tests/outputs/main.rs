//! Outputs of records: pictures of all of them, and files that other programs read.

mod counts;
mod formats;
mod lines;
mod options;
mod pictures;
mod progress;
#[path = "../common/python.rs"]
mod python;
#[path = "../common/stream.rs"]
mod stream;
mod traces;

use std::path::{Path, PathBuf};

use stream::Stream;
use tests::tools::{qpuscope, run};

const POINTS: u32 = 256;
const RATE_HZ: u64 = 256_000;
const CENTRE_HZ: f64 = 145e6;
/// Bins of two signals: one all the time, and one in a few records.
const STEADY: usize = 190;
const BURST: usize = 60;

/// An empty folder.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("outputs")
        .join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Powers of a record: noise of -90 dB, and the signals.
fn power(points: u32, has_burst: bool) -> Vec<f32> {
    let mut power = vec![1e-9; points as usize];
    for (bin, level) in [(STEADY, 0.1), (BURST, if has_burst { 0.01 } else { 0.0 })] {
        if level > 0.0 {
            let bin = bin * points as usize / POINTS as usize;
            power[bin] = level;
            // A Hann window's line is 6 dB lower in both bins beside it.
            (power[bin - 1], power[bin + 1]) = (level / 4.0, level / 4.0);
        }
    }
    power
}

/// Writes `count` records, a tenth of a second apart, those in `missing` left out.
fn recording(path: &Path, count: u32, missing: std::ops::Range<u32>) {
    let mut stream = Stream::new(POINTS, RATE_HZ, CENTRE_HZ);
    for record in (0..count).filter(|record| !missing.contains(record)) {
        let time_us = 1_000_000 + 100_000 * u64::from(record);
        stream.record(record, time_us, &power(POINTS, (5..8).contains(&record)));
    }
    std::fs::write(path, stream.bytes()).expect("a file");
}

/// `qpuscope read RECORDING OPTIONS` in a folder; what it printed, and what it said.
fn read(folder: &Path, options: &str) -> (Vec<u8>, String) {
    let mut command = qpuscope();
    command.current_dir(folder).args(["read", "line.bin"]);
    let (output, status, said) = run(command.args(options.split_whitespace()));
    assert_eq!(status, 0, "{options}: {said}");
    (output.stdout, said)
}

/// `qpuscope fft` on a virtual Pi in a folder; what it printed.
fn fft(folder: &Path, image: &Path, options: &str) -> Vec<u8> {
    let mut command = qpuscope();
    command
        .current_dir(folder)
        .args(["fft", "--quiet", "--port"]);
    command
        .arg(tests::tools::sim(image))
        .args(options.split_whitespace());
    let (output, status, said) = run(&mut command);
    assert_eq!(status, 0, "{options}: {said}");
    output.stdout
}

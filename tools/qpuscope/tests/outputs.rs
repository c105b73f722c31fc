//! What becomes of records: pictures of all of them, and files that other programs read.

mod common;
#[path = "common/python.rs"]
mod python;
#[path = "common/stream.rs"]
mod stream;
#[path = "common/tool.rs"]
mod tool;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::skip;
use python::python;
use serde_json::Value;
use stream::Stream;
use tiny_skia::Pixmap;
use tool::{qpuscope, run};

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

/// Names in a folder that end so.
fn names(folder: &Path, ending: &str) -> Vec<String> {
    let entries = folder.read_dir().expect("a folder").flatten();
    let mut names: Vec<_> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(ending))
        .collect();
    names.sort();
    names
}

/// Lightness of a point of a picture, from 0 to 255.
fn lightness(picture: &Pixmap, (x, y): (u32, u32)) -> f64 {
    let point = picture.pixel(x, y).expect("a point of the picture");
    0.2126 * f64::from(point.red())
        + 0.7152 * f64::from(point.green())
        + 0.0722 * f64::from(point.blue())
}

#[test]
fn one_picture_shows_all_records_with_gaps_and_the_strong_on_paper_dark() {
    let folder = folder("waterfall");
    recording(&folder.join("line.bin"), 40, 16..24);
    // The edges of the points within the picture.
    let (left, width, top, height) = (118, 1070, 96, 550);
    let x = |bin: usize| left + width * (2 * bin as u32 + 1) / (2 * POINTS);
    let y = |record: u32| top + height * (2 * record + 1) / 80;
    for (theme, sign) in [("print", -1.0), ("dark", 1.0)] {
        let (printed, _) = read(&folder, &format!("--format png --theme {theme}"));
        assert_eq!(printed, b"./waterfall.png\n");
        assert_eq!(names(&folder, ".png"), ["waterfall.png"]);
        let file = std::fs::read(folder.join("waterfall.png")).expect("a picture");
        let picture = Pixmap::decode_png(&file).expect("a PNG");
        let above_noise = |bin: usize, record: u32| {
            let noise = lightness(&picture, (x(120), y(record)));
            sign * (lightness(&picture, (x(bin), y(record))) - noise)
        };
        for record in (0..16).chain(24..40) {
            let (steady, burst) = (above_noise(STEADY, record), above_noise(BURST, record));
            assert!(steady > 150.0, "{theme} {record}: {steady}");
            let is_burst = (5..8).contains(&record);
            assert_eq!(burst > 90.0, is_burst, "{theme} {record}: {burst}");
            assert!(!is_burst || burst < steady, "{theme}: it is weaker");
        }
        // A gap is hatched: of two colours, wherever it is looked at.
        for record in 16..24 {
            let row: Vec<_> = (x(STEADY)..x(STEADY) + 16)
                .map(|x| picture.pixel(x, y(record)))
                .collect();
            let mut colours = row.clone();
            colours.sort_by_key(|point| point.map(|point| point.red()));
            colours.dedup();
            assert_eq!(colours.len(), 2, "{theme} {record}: {row:?}");
        }
    }
    read(&folder, "--format svg");
    let picture = std::fs::read_to_string(folder.join("waterfall.svg")).expect("a picture");
    for label in [
        "Waterfall of the built-in generator",
        "Time (s)",
        "Frequency (MHz)",
        "145.05",
        "dBFS",
        "hatched: no record",
        "32 records · N = 256 complex",
    ] {
        assert!(
            picture.contains(&format!("aria-label=\"{label}")) || picture.contains(label),
            "{label}"
        );
    }
    assert!(picture.contains("data:image/png;base64,"));
    assert!(
        !picture.contains("a point is the"),
        "nothing shares a point"
    );
}

#[test]
fn pictures_of_each_record_are_drawn_when_they_are_asked_for() {
    let folder = folder("each");
    recording(&folder.join("line.bin"), 3, 0..0);
    let (printed, _) = read(&folder, "--format svg --each");
    let wanted = [
        "spectrum-0001.svg",
        "spectrum-0002.svg",
        "spectrum-0003.svg",
    ];
    assert_eq!(names(&folder, ".svg"), wanted);
    assert_eq!(printed.iter().filter(|byte| **byte == b'\n').count(), 3);
}

#[test]
fn a_single_record_is_a_chart() {
    let folder = folder("single");
    recording(&folder.join("line.bin"), 3, 0..0);
    read(&folder, "--format png --count 1");
    assert_eq!(names(&folder, ".png"), ["spectrum.png"]);
}

#[test]
fn records_of_other_settings_have_a_picture_of_their_own() {
    let folder = folder("settings");
    let mut stream = Stream::new(POINTS, RATE_HZ, CENTRE_HZ);
    for (record, points) in [(0, 256), (1, 256), (2, 512), (3, 512)] {
        if record == 2 {
            stream.set(512);
        }
        stream.record(record, 100_000 * u64::from(record), &power(points, false));
    }
    std::fs::write(folder.join("line.bin"), stream.bytes()).expect("a file");
    let (printed, _) = read(&folder, "--format png");
    assert_eq!(printed, b"./waterfall.png\n./waterfall-2.png\n");
}

#[test]
fn long_recordings_become_one_picture_in_constant_memory() {
    let folder = folder("long");
    recording(&folder.join("line.bin"), 6000, 0..0);
    // 6000 records of f64 would be 12 MB; the whole process takes less besides a short one's.
    let peak_kb = |count: u32| {
        let program = env!("CARGO_BIN_EXE_qpuscope");
        let words = format!("--lines 0 --count {count} --format svg --merge mean");
        let script = format!(
            "'{program}' read line.bin {words} & pid=$!; while kill -0 $pid 2>/dev/null; do \
             grep -s VmHWM /proc/$pid/status || true; sleep 0.01; done; wait $pid"
        );
        let mut shell = Command::new("sh");
        let (output, status, said) = run(shell.args(["-c", &script]).current_dir(&folder));
        assert_eq!(status, 0, "{said}");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let peaks = text.lines().filter(|line| line.starts_with("VmHWM"));
        peaks
            .filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok())
            .max()
    };
    let (Some(short), Some(long)) = (peak_kb(1300), peak_kb(6000)) else {
        return skip(
            "long_recordings_become_one_picture_in_constant_memory",
            "there is no /proc",
        );
    };
    assert!(
        long < short + 4000,
        "{short} kB for 1300 records, {long} for 6000"
    );
    let picture = std::fs::read_to_string(folder.join("waterfall.svg")).expect("a picture");
    assert!(picture.contains("6000 records · "));
    let words = "a point is the mean of up to ";
    let (_, most) = picture.split_once(words).expect("what shares a point");
    let most: u32 = most
        .split(' ')
        .next()
        .and_then(|most| most.parse().ok())
        .expect("a number");
    assert!(
        (11..=24).contains(&most),
        "{most} records in each of 550 rows"
    );
}

#[test]
fn channels_that_are_neighbours_read_apart() {
    let folder = folder("digits");
    let mut stream = Stream::new(4096, 2_000_000, CENTRE_HZ);
    let mut power = vec![1e-9; 4096];
    for hz in [37_500.0, 112_500.0] {
        let bin = (2048.0 + hz * 4096.0 / 2e6_f64).round() as usize;
        power[bin] = 0.1;
        (power[bin - 1], power[bin + 1]) = (0.025, 0.025);
    }
    stream.record(0, 0, &power);
    std::fs::write(folder.join("line.bin"), stream.bytes()).expect("a file");
    let (printed, _) = read(&folder, "--lines 2");
    let text = String::from_utf8(printed).expect("text");
    for wanted in [
        " 145.03760 MHz ",
        " 145.1123 MHz ",
        "  frequency  level (dBFS)  ",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    assert!(!text.contains("period"), "{text}");
    let (printed, _) = read(&folder, "--lines 2 --json");
    let record: Value = serde_json::from_slice(&printed).expect("JSON");
    for line in record["lines"].as_array().expect("lines") {
        assert!(
            line["period"].is_null() && line["bin_frequency"].is_f64(),
            "{line}"
        );
        assert!(
            line["bin_level"].is_f64() && line["level"].is_f64(),
            "{line}"
        );
    }
    read(&folder, "--format svg --count 1");
    let picture = std::fs::read_to_string(folder.join("spectrum.svg")).expect("a picture");
    assert!(picture.contains("145.03760 MHz, −10.0 dB"));
}

/// Runs a script of Python, whose arguments are files in a folder; its output.
fn script(mut python: Command, folder: &Path, script: &str, arguments: &[&str]) -> String {
    python
        .current_dir(folder)
        .args(["-c", script])
        .args(arguments);
    let (output, status, said) = run(&mut python);
    assert_eq!(status, 0, "{said}");
    String::from_utf8(output.stdout).expect("text")
}

/// What a reader of another program has to find: records, bins, first bin, step, peak and level.
const READ: &str = "3 256 144872000.0 1000.0 190 -10.0\n";

#[test]
fn lines_of_rtl_power_are_read_by_pythons_csv() {
    let test = "lines_of_rtl_power_are_read_by_pythons_csv";
    let folder = folder("rtl_power");
    recording(&folder.join("line.bin"), 3, 0..0);
    let (printed, said) = read(&folder, "--format rtl_power");
    assert!(said.contains("times count from 1970-01-01"), "{said}");
    std::fs::write(folder.join("out.csv"), printed).expect("a file");
    let Some(python) = python(test, &["csv"]) else {
        return;
    };
    let text = script(
        python,
        &folder,
        "import csv, datetime, sys
rows = [[field.strip() for field in row] for row in csv.reader(open(sys.argv[1]))]
for row in rows:
    levels = [float(field) for field in row[6:]]
    low, high, step = map(float, row[2:5])
    assert high == low + step * len(levels) and int(row[5]) == 640
peak = max(range(len(levels)), key=levels.__getitem__)
print(len(rows), len(levels), low, step, peak, levels[peak])
for row in rows:
    print(datetime.datetime.strptime(row[0] + ' ' + row[1], '%Y-%m-%d %H:%M:%S.%f').isoformat())
",
        &["out.csv"],
    );
    let times = "1970-01-01T00:00:01\n1970-01-01T00:00:01.100000\n1970-01-01T00:00:01.200000\n";
    assert_eq!(text, format!("{READ}{times}"));
}

#[test]
fn records_of_soapy_power_are_read_by_its_reader() {
    let test = "records_of_soapy_power_are_read_by_its_reader";
    let folder = folder("sdrff");
    recording(&folder.join("line.bin"), 3, 0..0);
    for name in ["sdrff", "soapy_power_bin"] {
        let (printed, _) = read(&folder, &format!("--format {name}"));
        std::fs::write(folder.join(name), printed).expect("a file");
    }
    let Some(python) = python(test, &["numpy", "soapypower.writer"]) else {
        return;
    };
    let text = script(
        python,
        &folder,
        "import sys, numpy
# The reader is of 2017, and NumPy has since taken this function away.
numpy.fromstring = numpy.frombuffer
from soapypower.writer import SoapyPowerBinFormat
for name in sys.argv[1:]:
    with open(name, 'rb') as file:
        records = list(iter(lambda: SoapyPowerBinFormat().read(file), None))
    head, levels = records[-1]
    assert head.stop == head.start + head.step * len(levels) and head.samples == 640
    assert abs(head.time_stop - 1.2) < 1e-9 and abs(head.time_stop - head.time_start - 0.0025) < 1e-9
    peak = levels.argmax()
    print(len(records), len(levels), head.start, head.step, peak, round(float(levels[peak]), 4))
",
        &["sdrff", "soapy_power_bin"],
    );
    assert_eq!(text, READ.repeat(2));
}

#[test]
fn arrays_are_read_by_numpy_and_described_in_json() {
    let test = "arrays_are_read_by_numpy_and_described_in_json";
    let folder = folder("npy");
    recording(&folder.join("line.bin"), 3, 0..0);
    let (printed, _) = read(&folder, "--format npy");
    assert_eq!(printed, b"./spectra.npy\n./spectra.json\n");
    let Some(python) = python(test, &["numpy", "json"]) else {
        return;
    };
    let text = script(
        python,
        &folder,
        "import json, numpy
words = json.load(open('spectra.json'))
levels = numpy.load(words['array']['file'])
assert levels.dtype == '<f4' and words['bins'] == levels.shape[1] and words['unit'] == 'dBFS'
records = [dict(zip(words['record_columns'], record)) for record in words['records']]
assert [record['record'] for record in records] == [0, 1, 2]
assert [record['to_s'] for record in records] == [1.0, 1.1, 1.2]
peak = levels[1].argmax()
print(*levels.shape, words['first_hz'], words['bin_hz'], peak, round(float(levels[1, peak]), 4))
",
        &[],
    );
    assert_eq!(text, READ);
}

#[test]
fn options_take_the_same_suffixes() {
    let folder = folder("suffixes");
    std::fs::write(folder.join("a.cu8"), [127; 16_384]).expect("a file");
    let fft = "fft --input a.cu8 --port sim:absent.img";
    for options in [
        "--rate 250k --centre 145.0375M --n 4Ki",
        "--rate 0.25M --centre -7.1k --n 4_096 --averages 2 --overlap 1k",
        "--rate 2.5e5 --centre=-1e3 --baud 115.2k --transfer-baud 3M --lines 1k",
    ] {
        let words: Vec<_> = fft.split(' ').chain(options.split(' ')).collect();
        let (_, status, said) = run(qpuscope().current_dir(&folder).args(words));
        // All is well up to the image.
        assert!(
            status == 2 && said.contains("cannot read the image"),
            "{options}: {said}"
        );
        assert!(said.contains("8192 complex samples at 250000 Hz"), "{said}");
    }
    for (options, wanted) in [
        (
            "--rate 2m",
            "`2m` is not a sample rate; write samples a second as 48000, 44.1k or 2M",
        ),
        (
            "--rate 1 --centre 7m",
            "`7m` is no frequency; write hertz as 145037500, 145.0375M",
        ),
        ("--rate 1 --n 5G", "`5G` is too large; give less"),
        (
            "--rate 1 --baud fast",
            "`fast` is no number; write a whole one like 4096",
        ),
    ] {
        let words: Vec<_> = fft.split(' ').chain(options.split(' ')).collect();
        let (_, status, said) = run(qpuscope().current_dir(&folder).args(words));
        assert!(status == 2 && said.contains(wanted), "{options}: {said}");
    }
    recording(&folder.join("line.bin"), 3, 0..0);
    read(&folder, "--count 0x3 --seconds 1.5min --format none");
    let mut command = qpuscope();
    command
        .current_dir(&folder)
        .args(["read", "line.bin", "--seconds", "5m"]);
    let (_, status, said) = run(&mut command);
    assert!(
        status == 2 && said.contains("500ms, 15min or 12h"),
        "{said}"
    );
}

/// Runs `qpuscope read -` for records that come slowly; what it writes to standard error.
fn slow_reader(is_terminal: bool) -> String {
    let mut stream = Stream::new(POINTS, RATE_HZ, CENTRE_HZ);
    let mut command = qpuscope();
    command.args(["read", "-", "--count", "50", "--format", "none"]);
    command.stdin(Stdio::piped()).stdout(Stdio::null());
    let terminal = is_terminal.then(|| {
        use rustix::pty::OpenptFlags;
        let master = rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pty");
        rustix::pty::grantpt(&master).expect("a pty");
        rustix::pty::unlockpt(&master).expect("a pty");
        let name = rustix::pty::ptsname(&master, vec![]).expect("its name");
        let name = name.into_string().expect("its name");
        let slave = std::fs::File::options().read(true).write(true).open(name);
        (std::fs::File::from(master), slave.expect("a terminal"))
    });
    let master = match terminal {
        Some((master, slave)) => {
            command.stderr(slave);
            Some(master)
        }
        None => {
            command.stderr(Stdio::piped());
            None
        }
    };
    let mut reader = command.spawn().expect("qpuscope starts");
    // The command holds the other end of the terminal, which is to close with the process.
    drop(command);
    let mut pipe = reader.stdin.take().expect("a pipe");
    for record in 0..50 {
        stream.record(record, 100_000 * u64::from(record), &power(POINTS, false));
        pipe.write_all(&stream.bytes()).expect("it reads");
        std::thread::sleep(std::time::Duration::from_millis(60));
    }
    drop(pipe);
    let mut said = vec![];
    // A terminal whose other end is closed fails to be read.
    let _ = match (master, reader.stderr.take()) {
        (Some(mut master), _) => master.read_to_end(&mut said),
        (None, Some(mut pipe)) => pipe.read_to_end(&mut said),
        (None, None) => Ok(0),
    };
    assert!(reader.wait().expect("it ends").success());
    String::from_utf8_lossy(&said).into_owned()
}

#[test]
fn long_work_shows_its_progress_on_a_terminal_only() {
    let said = slow_reader(true);
    for words in [" of 50 spectra, ", " spectra/s, ", "s left", "%, "] {
        assert!(said.contains(words), "{words}: {said:?}");
    }
    let said = slow_reader(false);
    assert!(
        !said.contains('%') && said.contains("50 spectra in"),
        "{said:?}"
    );
}

//! Files that other programs read.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::python::python;
use super::{fft, folder, read, recording};
use tests::tools::run;

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

/// The findings of another program's reader: records, bins, first bin, step, peak and level.
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
fn peaks_are_annotations_of_the_recording_that_sigmf_reads() {
    let test = "peaks_are_annotations_of_the_recording_that_sigmf_reads";
    let Some(image) = tests::tools::image(test) else {
        return;
    };
    let folder = folder("sigmf");
    let tone = |at: u32| {
        let angle = std::f64::consts::TAU * 50_300.0 * f64::from(at) / 256_000.0;
        [angle.cos(), angle.sin()].map(|part| (127.5 + 40.0 * part).round() as u8)
    };
    let samples: Vec<u8> = (0..4096).flat_map(tone).collect();
    std::fs::write(folder.join("tone.sigmf-data"), samples).expect("a file");
    let meta = serde_json::json!({
        "global": {
            "core:datatype": "cu8",
            "core:version": "1.2.0",
            "core:sample_rate": 256_000,
            "core:author": "me",
            "core:offset": 10,
        },
        "captures": [{
            "core:sample_start": 10,
            "core:frequency": 145e6,
            "core:datetime": "2024-02-29T23:59:59Z",
        }],
        "annotations": [{"core:sample_start": 700, "core:sample_count": 9, "core:label": "mine"}],
    });
    std::fs::write(folder.join("tone.sigmf-meta"), meta.to_string()).expect("a file");
    let options = "tone.sigmf-meta --n 512 --averages 4 --overlap 0 --lines 1 \
                   --format sigmf,rtl_power,sdrff,npy,svg --json";
    let printed = fft(&folder, &image, options);
    let record: Value = serde_json::from_slice(&printed).expect("JSON");
    let files = [
        "spectra.sigmf-meta",
        "spectra.rtl_power.csv",
        "spectra.sdrff",
        "spectra.npy",
        "spectra.json",
        "waterfall.svg",
    ];
    assert_eq!(record["files"], serde_json::json!(files));
    let picture = std::fs::read_to_string(folder.join("waterfall.svg")).expect("a picture");
    for words in ["UTC, 2024-02-29", "23:59:59.000", "145.05"] {
        assert!(
            picture.contains(&format!("aria-label=\"{words}")),
            "{words}"
        );
    }
    // Two records of 2048 samples: 8 ms each, from one second before midnight on.
    let lines = std::fs::read_to_string(folder.join("spectra.rtl_power.csv")).expect("a file");
    let times: Vec<_> = lines.lines().map(|line| &line[..27]).collect();
    let wanted = ["2024-02-29, 23:59:59.008000", "2024-02-29, 23:59:59.016000"];
    assert_eq!(times, wanted);
    // In place of the recording's own description it is the same stream, and gains nothing twice.
    let written = std::fs::read(folder.join("spectra.sigmf-meta")).expect("a file");
    std::fs::write(folder.join("tone.sigmf-meta"), &written).expect("a file");
    let again: Value = serde_json::from_slice(&fft(&folder, &image, options)).expect("JSON");
    assert_eq!(again["lines"], record["lines"]);
    let twice = std::fs::read(folder.join("spectra.sigmf-meta")).expect("a file");
    assert_eq!(twice, written);
    let Some(python) = python(test, &["sigmf"]) else {
        return;
    };
    let text = script(
        python,
        &folder,
        "import sigmf
meta = sigmf.SigMFFile(metadata=open('spectra.sigmf-meta').read())
meta.validate()
info = meta.get_global_info()
assert info['core:datatype'] == 'cu8' and info['core:sample_rate'] == 256000
assert info['core:author'] == 'me' and info['core:offset'] == 10
capture = meta.get_captures()[0]
assert capture['core:frequency'] == 145e6
assert capture['core:datetime'].startswith('2024-02-29T23:59:59')
for note in meta.get_annotations():
    low, high = note.get('core:freq_lower_edge', 0), note.get('core:freq_upper_edge', 0)
    print(note['core:sample_start'], note['core:sample_count'], note['core:label'], abs((low + high) / 2 - 145050300) < 50)
",
        &[],
    );
    let peak = "2048 145.05030 MHz True\n";
    assert_eq!(text, format!("10 {peak}700 9 mine False\n2058 {peak}"));
}

#[test]
fn a_full_disk_costs_no_older_file_and_leaves_no_part() {
    let folder = folder("full");
    recording(&folder.join("line.bin"), 40, 0..0);
    for name in ["spectra.npy", "waterfall.png"] {
        std::fs::write(folder.join(name), "an older file").expect("a file");
    }
    let program = tests::tools::path("qpuscope");
    let program = program.display();
    for format in ["npy", "png"] {
        // A limit of 512 bytes a file, which stops a file like a disk that is full.
        let line = format!("ulimit -f 1; exec '{program}' read line.bin --format {format}");
        let mut shell = Command::new("sh");
        let (_, status, said) = run(shell.args(["-c", &line]).current_dir(&folder));
        assert!(
            status == 1 && said.contains("make room"),
            "{format}: {said}"
        );
    }
    let mut names: Vec<_> = folder.read_dir().expect("a folder").flatten().collect();
    names.sort_by_key(std::fs::DirEntry::file_name);
    let names: Vec<_> = names.iter().map(std::fs::DirEntry::file_name).collect();
    assert_eq!(names, ["line.bin", "spectra.npy", "waterfall.png"]);
    for name in ["spectra.npy", "waterfall.png"] {
        let kept = std::fs::read_to_string(folder.join(name)).expect("the older file");
        assert_eq!(kept, "an older file");
    }
}

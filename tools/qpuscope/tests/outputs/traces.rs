//! Records with the mean and the greatest of each bin, in every output.

use std::path::Path;

use serde_json::Value;

use super::stream::Stream;
use super::{BURST, CENTRE_HZ, POINTS, RATE_HZ, STEADY, folder, power, read};

/// Writes three records. A burst is 40 dB lower in the mean than in the greatest.
fn recording(path: &Path) {
    let mut stream = Stream::new(POINTS, RATE_HZ, CENTRE_HZ);
    stream.set_both(5);
    for record in 0..3 {
        let [mut mean, max] = [false, true].map(|has_burst| power(POINTS, has_burst));
        mean[BURST] = max[BURST] * 1e-4;
        stream.record(record, 1_000_000 * u64::from(record), &[mean, max].concat());
    }
    std::fs::write(path, stream.bytes()).expect("a file");
}

fn text(folder: &Path, options: &str) -> String {
    String::from_utf8(read(folder, options).0).expect("text")
}

#[test]
fn both_traces_are_in_every_output_that_has_room() {
    let folder = folder("traces");
    recording(&folder.join("line.bin"));
    let table = text(&folder, "");
    let made_of = "average and max of 4 blocks, average over 5 records (exponential)";
    assert!(table.contains(made_of), "{table}");
    let (mean, max) = table
        .split_once("greatest of each bin:\n")
        .expect("two tables");
    let burst = format!(" {} ", BURST as i32 - POINTS as i32 / 2);
    assert!(
        max.lines()
            .any(|line| line.contains(&burst) && line.contains("-20.00")),
        "{max}"
    );
    assert!(!mean.contains("-20.00"), "{mean}");

    let json = text(&folder, "--json");
    let record: Value = serde_json::from_str(json.lines().next().expect("a line")).expect("JSON");
    assert_eq!(
        (&record["detector"], &record["exponential"]),
        (&"mean+max".into(), &5.into())
    );
    assert_eq!(
        record["levels"].as_array().map(Vec::len),
        Some(POINTS as usize)
    );
    assert_eq!(
        record["levels_max"].as_array().map(Vec::len),
        Some(POINTS as usize)
    );
    assert_eq!(
        (&record["levels"][BURST], &record["levels_max"][BURST]),
        (&(-60.0).into(), &(-20.0).into())
    );
    assert_eq!(record["levels"][STEADY], record["levels_max"][STEADY]);

    let csv = text(&folder, "--format csv");
    let rows: Vec<_> = csv.lines().filter(|line| !line.starts_with('#')).collect();
    let fields = |row: &str| row.split(',').map(str::to_owned).collect::<Vec<_>>();
    let (names, values) = (fields(rows[0]), fields(rows[1]));
    assert_eq!(
        (names.len(), values.len()),
        (6 + 2 * POINTS as usize, names.len())
    );
    assert_eq!(values[6 + POINTS as usize + BURST], "-20.00");
    assert!(names[6 + POINTS as usize + BURST].starts_with("max "));

    read(&folder, "--format npy");
    let array = std::fs::read(folder.join("spectra.npy")).expect("an array");
    let head = String::from_utf8_lossy(&array[..128]).into_owned();
    assert!(head.contains("'shape': (3, 2, 256)"), "{head}");
    let level = |record: usize, detector: usize, bin: usize| {
        let at = 128 + 4 * ((2 * record + detector) * POINTS as usize + bin);
        f32::from_le_bytes(array[at..at + 4].try_into().expect("4"))
    };
    assert_eq!((level(2, 0, BURST), level(2, 1, BURST)), (-60.0, -20.0));

    read(&folder, "--format svg --count 1");
    let picture = std::fs::read_to_string(folder.join("spectrum.svg")).expect("a picture");
    assert!(picture.contains("greatest") && picture.contains(made_of));
}

#[test]
fn one_trace_alone_is_what_was_asked_for() {
    let folder = folder("trace");
    recording(&folder.join("line.bin"));
    for (option, level) in [("", -60.0), ("--trace mean", -60.0), ("--trace max", -20.0)] {
        let json = text(&folder, &format!("--json {option}"));
        let record: Value =
            serde_json::from_str(json.lines().next().expect("a line")).expect("JSON");
        assert_eq!(record["levels"][BURST], level, "{option}");
        let lines = text(&folder, &format!("--format rtl_power {option}"));
        let line: Vec<_> = lines.lines().next().expect("a line").split(", ").collect();
        assert_eq!(line.len(), 6 + POINTS as usize);
        assert_eq!(line[6 + BURST], format!("{level:.2}"), "{option}");
    }
    let held = text(&folder, "--json --hold max");
    let last: Value = serde_json::from_str(held.lines().last().expect("a line")).expect("JSON");
    assert_eq!(
        (&last["held"]["records"], &last["levels_max"][BURST]),
        (&3.into(), &(-20.0).into())
    );
}

//! Numbers beside a record: its own lines, counts and time; and the words at the end of all.

use std::collections::BTreeSet;

use serde_json::Value;

use super::stream::Stream;
use super::{POINTS, folder, power, read};
use tests::tools::{qpuscope, run, sim};

/// Samples of both channels: a tone late in the left one, samples at full scale in the right one.
const SAMPLES: u32 = 781;
/// Samples from block to block, of 256 with an overlap of 90 %.
const HOP: u32 = 26;

fn stereo() -> Vec<u8> {
    let spec = hound::WavSpec {
        channels: 2,
        sample_rate: 256,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut bytes = std::io::Cursor::new(vec![]);
    let mut writer = hound::WavWriter::new(&mut bytes, spec).expect("a WAV file");
    for at in 0..SAMPLES {
        let tone = (f64::from(at) * std::f64::consts::TAU * 40.0 / 256.0).sin();
        let left = if at < 500 { 0.0 } else { 10_000.0 * tone };
        let right = if (600..610).contains(&at) {
            i16::MAX
        } else {
            50
        };
        for sample in [left.round() as i16, right] {
            writer.write_sample(sample).expect("a sample");
        }
    }
    writer.finalize().expect("a WAV file");
    bytes.into_inner()
}

fn json(text: &[u8]) -> Value {
    serde_json::from_slice(text).expect("JSON")
}

#[test]
fn every_number_of_fft_belongs_to_its_record_and_channel() {
    let test = "every_number_of_fft_belongs_to_its_record_and_channel";
    let Some(image) = tests::tools::image(test) else {
        return;
    };
    let folder = folder("counts");
    std::fs::write(folder.join("a.wav"), stereo()).expect("a file");
    let mut command = qpuscope();
    command.current_dir(&folder).args(["fft", "--port"]);
    command.arg(sim(&image)).args(["a.wav", "--json"]);
    let options = "--quiet --n 256 --overlap 90% --averages 1 --format rtl_power,sdrff,npy,csv";
    let (output, status, said) = run(command.args(options.split(' ')));
    assert_eq!(status, 0, "{said}");

    let object = json(&output.stdout);
    let records = object["records"].as_array().expect("records");
    let blocks = (SAMPLES - 256) / HOP + 1;
    assert_eq!(records.len(), 2 * blocks as usize);
    assert_eq!(object["spectra"], 2 * blocks);
    let strongest = &object["lines"][0];
    assert_eq!(
        (&strongest["bin"], &strongest["channel"]),
        (&Value::from(40), &Value::from("left"))
    );
    assert!(strongest["record"].as_u64() > Some(10), "{strongest}");
    assert_eq!(records[0]["lines"], Value::Array(vec![]));
    // Sample 600 is new in the block that ends first behind it, and 605 in the same or the next.
    let counts = |records: &[Value]| -> Vec<u64> {
        let count = |record: &Value| record["counters"]["clipped"].as_u64().expect("a count");
        records.iter().map(count).collect()
    };
    let ends = (0..blocks).map(|block| 256 + HOP * block);
    let new = ends.map(|end| {
        (600..610)
            .filter(|at| (end - HOP..end).contains(at))
            .count() as u64
    });
    let new: Vec<u64> = new.collect();
    let (left, right) = records.split_at(blocks as usize);
    assert_eq!(counts(left), vec![0; blocks as usize]);
    assert_eq!(counts(right), new);
    assert_eq!(object["counters"]["clipped"], 10);

    let wanted = "right: 10 samples are at or beyond full scale, in 1 of 21 spectra; ";
    assert_eq!(said.matches(wanted).count(), 1, "{said}");
    let wanted = "both channels: the last 5 samples are in no spectrum, because a block has 256; ";
    assert_eq!(said.matches(wanted).count(), 1, "{said}");
    assert!(!said.contains("left:"), "{said}");
    let wanted =
        "a.wav does not say when it was recorded: times in rtl_power and sdrff count from 1970";
    assert_eq!(said.matches(wanted).count(), 1, "{said}");

    let text = |name: &str| std::fs::read_to_string(folder.join(name)).expect(name);
    let times: BTreeSet<String> = text("spectra.rtl_power.csv")
        .lines()
        .map(|line| line.split(", ").take(2).collect())
        .collect();
    assert_eq!(times.len(), blocks as usize, "{times:?}");
    let words = json(text("spectra-2.json").as_bytes());
    let column = |at: usize| -> Vec<f64> {
        let records = words["records"].as_array().expect("records");
        records
            .iter()
            .map(|record| record[at].as_f64().expect("a number"))
            .collect()
    };
    assert!(column(1).is_sorted_by(|one, next| one < next));
    assert_eq!(column(4).iter().sum::<f64>(), 10.0);
    let table = text("spectra-2.csv");
    let rows = table
        .lines()
        .skip(2)
        .map(|row| row.split(',').collect::<Vec<_>>());
    let rows: Vec<(f64, u64)> = rows
        .map(|row| {
            (
                row[0].parse().expect("a time"),
                row[4].parse().expect("a count"),
            )
        })
        .collect();
    assert!(rows.is_sorted_by(|one, next| one.0 < next.0));
    assert_eq!(rows.iter().map(|row| row.1).collect::<Vec<_>>(), new);
}

/// A line that was cut into in the middle of a stream, and then a stream from its start: numbers
/// of records, their times, and their clipped samples so far.
const RECORDS: [(u32, u64, u32); 6] = [
    (7, 2_000_000, 900),
    (8, 2_000_000, 900),
    (10, 2_000_000, 907),
    (0, 2_400_000, 3),
    (1, 2_500_000, 3),
    // The board has started again.
    (0, 100_000, 1),
];

#[test]
fn counts_of_a_stream_are_those_of_its_records() {
    let folder = folder("counts-of-a-stream");
    let mut stream = Stream::new(POINTS, 256, 0.0);
    for (record, time_us, clipped) in RECORDS {
        if time_us < 2_000_000 {
            let before = stream.bytes();
            let mut next = Stream::new(POINTS, 256, 0.0);
            next.counters.clipped = clipped;
            next.record(record, time_us, &power(POINTS, false));
            std::fs::write(folder.join("line.bin"), [before, next.bytes()].concat())
                .expect("a file");
            break;
        }
        stream.counters.clipped = clipped;
        stream.record(record, time_us, &power(POINTS, false));
    }
    let (printed, said) = read(&folder, "--format csv");
    let printed = String::from_utf8(printed).expect("text");
    let rows = printed
        .lines()
        .filter(|line| line.starts_with(|first: char| first.is_ascii_digit()));
    let rows: Vec<Vec<&str>> = rows.map(|row| row.split(',').take(6).collect()).collect();
    let column = |at: usize| rows.iter().map(|row| row[at]).collect::<Vec<_>>();
    assert_eq!(column(4), ["", "0", "7", "3", "0", "1"]);
    assert_eq!(column(5), ["", "0", "0", "0", "0", "0"]);
    let times = [
        "2.000000", "2.000001", "2.000002", "2.400000", "2.500000", "0.100000",
    ];
    assert_eq!(column(0), times);
    let headings = printed
        .lines()
        .filter(|line| line.starts_with("device_time_s"));
    assert_eq!(
        headings.count(),
        2,
        "a clock that starts again begins another table"
    );
    let wanted = "11 samples are at or beyond full scale, in 3 of 6 spectra; ";
    assert_eq!(said.matches(wanted).count(), 1, "{said}");

    let (printed, _) = read(&folder, "--json");
    let counts = printed
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty());
    let counts: Vec<Value> = counts
        .map(|line| json(line)["counters"]["clipped"].clone())
        .collect();
    assert_eq!(
        Value::from(counts),
        serde_json::json!([null, 0, 7, 3, 0, 1])
    );

    let (printed, _) = read(&folder, "--format rtl_power");
    let printed = String::from_utf8(printed).expect("text");
    let times: Vec<&str> = printed
        .lines()
        .filter_map(|line| line.split(", ").nth(1))
        .collect();
    // Each lasts 2.5 s; the last one begins where the one before ends.
    let wanted = [
        "00:00:02", "00:00:03", "00:00:04", "00:00:05", "00:00:06", "00:00:07",
    ];
    assert_eq!(times, wanted);
}

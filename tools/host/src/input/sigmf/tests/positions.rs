//! Samples and annotations, counted as the file counts them.

use super::*;

/// Reads real samples of 8 bits, whose values are their numbers among the bytes of the file.
fn read(global: &str, capture: &str, annotations: &str) -> Result<Recording> {
    let text = format!(
        r#"{{"global": {{"core:datatype": "ru8", "core:version": "1.2.0", "core:sample_rate": 8000 {global}}},
            "captures": [{{"core:sample_start": {capture}}}], "annotations": [{annotations}]}}"#
    );
    read_memory(text.as_bytes(), (0..200).collect(), &Reading::default())
}

/// The numbers of the first and of the last byte that is read.
fn ends(recording: &Recording) -> (u64, u64) {
    let samples = &recording.channels[0].samples;
    let byte = |at| {
        let value = samples.values(at, 1).expect("a sample")[0];
        (value * 127.5 + 127.5).round() as u64
    };
    (byte(0), byte(samples.count() - 1))
}

fn extents(recording: &Recording) -> Vec<(u64, Option<u64>)> {
    let annotations = recording.annotations.iter();
    annotations.map(|mark| (mark.start, mark.count)).collect()
}

fn mark(start: &str, count: &str) -> String {
    format!(r#"{{"core:sample_start": {start}, "core:sample_count": {count}}}"#)
}

#[test]
fn annotations_are_cut_to_the_samples_that_are_read() {
    // Samples 100 to 179 are read.
    let annotations = [
        mark("0", "100"),
        mark("0", "0"),
        mark("90", "15"),
        mark("100", "0"),
        mark("110", "1e1"),
        mark("0", "18446744073709551615"),
        mark("179", "1"),
        mark("170", "10.0"),
        mark("170", "11"),
        mark("180", "1"),
        mark("99999", "10"),
        r#"{"core:sample_start": 50}"#.to_owned(),
        r#"{"core:sample_start": 150}"#.to_owned(),
    ];
    let recording = read(
        ", \"core:trailing_bytes\": 20",
        "100",
        &annotations.join(","),
    );
    let recording = recording.expect("a recording");
    assert_eq!(ends(&recording), (100, 179));
    assert_eq!(
        extents(&recording),
        [
            (0, Some(5)),
            (0, Some(0)),
            (10, Some(10)),
            (0, Some(80)),
            (79, Some(1)),
            (70, Some(10)),
            (70, Some(10)),
            (0, None),
            (50, None),
        ]
    );
    assert_eq!(
        recording.notes,
        [
            "4 of 13 annotations mark no sample that is read and were left out",
            "4 of 13 annotations were cut to the samples that are read",
        ]
    );
}

#[test]
fn headers_and_offsets_move_samples_and_marks_alike() {
    let marks = mark("1010", "5");
    for (global, capture, first) in [
        (", \"core:offset\": 1000", "1000", 0),
        (", \"core:offset\": 1000", "1004", 4),
        ("", "0, \"core:header_bytes\": 64", 64),
        (
            ", \"core:offset\": 1000",
            "1000, \"core:header_bytes\": 64.0",
            64,
        ),
        (
            ", \"core:offset\": 1000",
            "1004, \"core:header_bytes\": 64",
            68,
        ),
    ] {
        let recording = read(global, capture, &marks).expect(capture);
        assert_eq!(ends(&recording), (first, 199), "{capture}");
        let skipped = u64::from(capture.starts_with("1004")) * 4;
        let wanted = match global.is_empty() {
            true => vec![],
            false => vec![(10 - skipped, Some(5))],
        };
        assert_eq!(extents(&recording), wanted, "{capture}");
    }
    // The file begins within its first capture.
    let recording = read(", \"core:offset\": 1000", "0", &marks).expect("a recording");
    assert_eq!(
        (ends(&recording), extents(&recording)),
        ((0, 199), vec![(10, Some(5))])
    );
    assert!(
        recording.notes[0].contains("before core:offset 1000"),
        "{:?}",
        recording.notes
    );
}

#[test]
fn no_size_wraps() {
    let most = u64::MAX.to_string();
    for (global, capture) in [
        (String::new(), format!("0, \"core:header_bytes\": {most}")),
        (String::new(), format!("1, \"core:header_bytes\": {most}")),
        (String::new(), most.clone()),
        (
            format!(", \"core:offset\": {most}"),
            format!("0, \"core:header_bytes\": {most}"),
        ),
        (format!(", \"core:trailing_bytes\": {most}"), "0".to_owned()),
    ] {
        let failure = read(&global, &capture, "").expect_err("too far");
        assert!(
            failure.message.contains("ends before the samples begin"),
            "{failure}"
        );
    }
    let recording = read(
        &format!(", \"core:offset\": {most}"),
        &most,
        &mark(&most, &most),
    );
    assert_eq!(recording.expect("a recording").channels[0].points(), 200);
}

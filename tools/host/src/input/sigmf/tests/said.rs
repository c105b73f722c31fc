//! What a description says and is not understood.

use super::*;

fn read(text: &str) -> Result<Recording> {
    read_memory(text.as_bytes(), data(), &Reading::default())
}

/// The recording with one change of its description.
fn read_with(from: &str, to: &str) -> Recording {
    let text = meta("");
    assert!(text.contains(from), "{from}");
    read(&text.replacen(from, to, 1)).unwrap_or_else(|failure| panic!("{to}: {failure}"))
}

#[test]
fn numbers_as_programs_write_them_are_read() {
    for (from, to) in [
        ("\"core:sample_start\": 2", "\"core:sample_start\": 2.0"),
        ("\"core:sample_start\": 3", "\"core:sample_start\": 0.3e1"),
        ("\"core:sample_count\": 2", "\"core:sample_count\": 2.000"),
        ("145e6", "145000000"),
        ("145e6", "\"145 MHz\""),
        ("2400000.5", "\"2400000.5\""),
        ("2400000.5", "24000005e-1"),
        ("\"core:version\"", "\"core:num_channels\": 1.0, \"x\""),
        ("\"core:version\"", "\"core:latitude\": NaN, \"x\""),
        (
            "\"core:version\"",
            "\"deep\": [-Infinity, {\"NaN\": Infinity}], \"x\"",
        ),
        ("\"core:version\"", "\"core:offset\": null, \"x\""),
        ("{\"global\"", "\u{feff}{\"global\""),
        ("\"annotations\"", "\"other\": [{}], \"annotations\""),
        (
            "2023-08-06T15:18:38.5Z",
            "2023-08-06T17:18:38.5000000000+02:00",
        ),
    ] {
        let recording = read_with(from, to);
        check(&recording);
        assert_eq!(recording.notes.len(), 1, "{to}: {:?}", recording.notes);
    }
}

#[test]
fn what_is_not_understood_is_named_and_left_out() {
    for (from, to, wanted) in [
        (
            "145e6",
            "NaN",
            "core:frequency `NaN` is no number of hertz in capture 0 and is not used; give it",
        ),
        ("145e6", "\"high\"", "core:frequency `high` is no"),
        ("145e6", "1e400", "core:frequency `1e400` is no"),
        (
            "2023-08-06T15:18:38.5Z",
            "last Sunday",
            "core:datetime `last Sunday` is no exact moment in capture 0",
        ),
        (
            "\"2023-08-06T15:18:38.5Z\"",
            "1691335118.5",
            "core:datetime `1691335118.5` is no exact moment",
        ),
        ("38.5Z", "38.5", "names no zone and is taken for UTC"),
        (
            "\"core:sample_start\": 3",
            "\"core:sample_start\": -3",
            "`-3` is no whole number from 0 on in annotation 0, which was left out",
        ),
        (
            "\"core:sample_count\": 2",
            "\"core:sample_count\": 0.5",
            "`0.5` is no whole number",
        ),
        (
            "\"beacon\"",
            "[1]",
            "core:label `[1]` is no text in annotation 0 and was left out",
        ),
        (
            "144.9e6",
            "\"low\"",
            "core:freq_lower_edge `low` is no number of hertz",
        ),
        (
            "\"annotations\": [",
            "\"annotations\": [5, ",
            "annotation 0 is no object and was left out",
        ),
        (
            "\"captures\": [",
            "\"captures\": [5, ",
            "capture 0 is no object and was left out",
        ),
        (
            "\"core:sample_start\": 3",
            "\"x\": 3",
            "core:sample_start is missing in annotation 0, which was left out",
        ),
        (
            "\"core:sample_start\": 5",
            "\"x\": 5",
            "core:sample_start is missing in capture 1, which was left out",
        ),
        (
            "\"core:sample_start\": 5",
            "\"core:sample_start\": \"5\"",
            "`5` is no whole number from 0 on in capture 1, which was left out",
        ),
    ] {
        let recording = read_with(from, to);
        let notes = &recording.notes;
        assert!(
            notes.iter().any(|note| note.contains(wanted)),
            "{to}: {notes:?}"
        );
        assert_eq!(recording.channels[0].points(), 6, "{to}");
    }
    // Many are one sentence.
    let many = "{\"core:sample_start\": NaN}, ".repeat(1000);
    let recording = read_with("\"annotations\": [", &format!("\"annotations\": [{many}"));
    assert_eq!(recording.annotations.len(), 1);
    let wanted = "`NaN` is no whole number from 0 on in annotation 0, which was left out; 999 more of its kind";
    assert!(
        recording.notes.iter().any(|note| note.contains(wanted)),
        "{:?}",
        recording.notes
    );
}

#[test]
fn captures_out_of_order_are_put_into_it() {
    let recording = read_with("\"core:sample_start\": 5,", "\"core:sample_start\": 1,");
    assert_eq!(recording.centre_hz, Some(146e6));
    assert_eq!(recording.channels[0].points(), 7);
    let wanted = "the first is taken to be capture 1";
    assert!(
        recording.notes.iter().any(|note| note.contains(wanted)),
        "{:?}",
        recording.notes
    );
}

#[test]
fn a_first_capture_that_says_no_start_begins_with_the_samples() {
    let recording = read_with("\"captures\": [", "\"captures\": [{}, ");
    assert_eq!(recording.channels[0].points(), 8);
    let wanted = "core:sample_start is missing in capture 0, which is taken to begin at 0";
    assert_eq!(recording.notes[0], wanted);
}

#[test]
fn a_given_rate_replaces_one_that_is_none() {
    let text = meta("").replacen("2400000.5", "\"fast\"", 1);
    let failure = read(&text).expect_err("no rate");
    assert!(
        failure
            .message
            .contains("core:sample_rate `fast` is no sample rate; give it"),
        "{failure}"
    );
    let how = Reading {
        rate: Rate::new(48_000, 1),
        ..Reading::default()
    };
    let recording = read_memory(text.as_bytes(), data(), &how).expect("a rate");
    assert!(
        recording.notes[1].contains("as given; core:sample_rate `fast`"),
        "{:?}",
        recording.notes
    );
}

#[test]
fn samples_that_were_left_away_are_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("a.sigmf-meta"), meta(r#""core:metadata_only": true,"#)).expect("a file");
    let read = || read_file(&at("a.sigmf-meta"), &Reading::default());
    let failure = read().expect_err("no samples");
    assert!(
        failure
            .message
            .ends_with("put them beside it as a.sigmf-data"),
        "{failure}"
    );
    std::fs::write(at("a.sigmf-data"), data()).expect("a file");
    check(&read().expect("samples"));
}

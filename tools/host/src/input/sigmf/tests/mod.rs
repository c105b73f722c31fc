mod archives;
mod positions;
mod said;

use super::super::{read as read_file, read_bytes};
use super::*;

/// A description of a recording on 145 MHz, with these in front of its other global values.
fn meta(global: &str) -> String {
    format!(
        r#"{{"global": {{{global} "core:datatype": "ci16_le", "core:version": "1.2.0", "core:sample_rate": 2400000.5}},
            "captures": [{{"core:sample_start": 2, "core:frequency": 145e6, "core:datetime": "2023-08-06T15:18:38.5Z"}},
                         {{"core:sample_start": 5, "core:frequency": 146e6}}],
            "annotations": [{{"core:sample_start": 3, "core:sample_count": 2, "core:label": "beacon",
                              "core:freq_lower_edge": 144.9e6, "core:freq_upper_edge": 145.1e6}}]}}"#
    )
}

/// Eight samples.
fn data() -> Vec<u8> {
    (0..16_i16).flat_map(|x| (x << 8).to_le_bytes()).collect()
}

fn check(recording: &Recording) {
    assert_eq!(
        recording.rate,
        Rate {
            num: 4_800_001,
            den: 2
        }
    );
    assert_eq!(recording.centre_hz, Some(145e6));
    let start = recording.start.expect("a time");
    assert_eq!(start.unix_timestamp_nanos(), 1_691_335_118_500_000_000);
    assert_eq!(recording.format, "SigMF ci16_le");
    let [annotation] = &recording.annotations[..] else {
        panic!("{:?}", recording.annotations);
    };
    assert_eq!((annotation.start, annotation.count), (1, Some(2)));
    assert_eq!(
        annotation.to_string(),
        "`beacon`: samples from 1 on, 2 of them, 144900000 to 145100000 Hz"
    );
    assert!(
        recording.notes[0].contains("2 captures"),
        "{:?}",
        recording.notes
    );
    let samples = &recording.channels[0].samples;
    assert_eq!(samples.count(), 6);
    assert_eq!(
        samples.values(0, 1).expect("values"),
        [4.0 / 128.0, 5.0 / 128.0]
    );
}

#[test]
fn a_pair_of_files_is_read_by_either_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("a.sigmf-meta"), meta("")).expect("a file");
    std::fs::write(at("a.sigmf-data"), data()).expect("a file");
    for name in ["a.sigmf-meta", "a.sigmf-data"] {
        check(&read_file(&at(name), &Reading::default()).expect(name));
    }
    std::fs::write(
        at("b.sigmf-meta"),
        meta(r#""core:dataset": "a.sigmf-data","#),
    )
    .expect("a file");
    check(&read_file(&at("b.sigmf-meta"), &Reading::default()).expect("samples"));
    for (name, dataset, wanted) in [
        (
            "c",
            r#""core:dataset": "../a.sigmf-data","#,
            "is no file beside it",
        ),
        ("c", "", "cannot read"),
    ] {
        std::fs::write(at("c.sigmf-meta"), meta(dataset)).expect("a file");
        let failure = read_file(&at("c.sigmf-meta"), &Reading::default()).expect_err(name);
        assert!(failure.message.contains(wanted), "{failure}");
    }
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let whole = meta("");
    let read = |text: &str| read_memory(text.as_bytes(), data(), &Reading::default());
    assert!(read(&whole).is_ok());
    for (from, to, wanted) in [
        ("ci16_le", "ci16", "write ci16_le or"),
        ("ci16_le", "ci64_le", "cf32_le, ci16_le or ru8"),
        ("\"ci16_le\"", "5", "core:datatype `5` is no text"),
        (
            "\"core:sample_rate\": 2400000.5",
            "\"x\": 1",
            "give it with --rate",
        ),
        ("2400000.5", "-1", "give it with --rate"),
        (
            "\"core:sample_start\": 2",
            "\"core:header_bytes\": 32, \"core:sample_start\": 0",
            "ends before the samples",
        ),
        (
            "146e6",
            "146e6, \"core:header_bytes\": 8",
            "in front of capture 1",
        ),
        (
            "\"core:version\"",
            "\"core:num_channels\": 2, \"x\"",
            "2 channels",
        ),
        (
            "\"core:version\"",
            "\"core:num_channels\": 2.5, \"x\"",
            "`2.5` is no whole number",
        ),
        (
            "\"core:sample_start\": 2",
            "\"core:sample_start\": -2",
            "nobody knows where",
        ),
        (
            "\"core:version\"",
            "\"core:offset\": \"1\", \"x\"",
            "core:offset `1` is no whole number",
        ),
        (
            "\"annotations\": [",
            "\"annotations\": 5, \"x\": [",
            "no list",
        ),
        ("\"global\"", "\"globe\"", "sigmf_validate"),
        ("{", "[", "sigmf_validate"),
    ] {
        let failure = read(&whole.replacen(from, to, 1)).expect_err(wanted);
        assert!(failure.message.contains(wanted), "{failure}");
    }
}

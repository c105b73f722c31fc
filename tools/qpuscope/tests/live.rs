//! Parts on the pins of a virtual Pi, seen by the tool through the real image.

use std::path::{Path, PathBuf};

use serde_json::Value;

use tests::tools::image;
use tests::tools::{qpuscope, run, sim};

/// A tone of 3.125 kHz and -6 dBFS at 50 kHz in a WAV file of 24 bits.
fn tone() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("live");
    std::fs::create_dir_all(&folder).expect("a folder for files");
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 50_000,
        bits_per_sample: 24,
        sample_format: hound::SampleFormat::Int,
    };
    let path = folder.join("tone.wav");
    let mut file = hound::WavWriter::create(&path, spec).expect("a WAV file");
    for index in 0..16_u32 {
        let phase = f64::from(index) / 16.0 * std::f64::consts::TAU;
        let sample = (f64::from(1 << 22) * phase.cos()).round() as i32;
        file.write_sample(sample).expect("a sample");
    }
    file.finalize().expect("a WAV file");
    path
}

#[test]
fn a_file_is_played_by_an_adc_on_i2s_and_read_at_its_level() {
    let Some(image) = image("a_file_is_played_by_an_adc_on_i2s_and_read_at_its_level") else {
        return;
    };
    let file = tone();
    let (output, status, said) = run(qpuscope()
        .args(["read", &sim(&image), "--i2s"])
        .arg(&file)
        .args(["--set", "n=1024 avg=4 window=flat-top", "--count", "1"])
        .args(["--json", "--strict"]));
    assert_eq!(status, 0, "{said}");
    let spectrum: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let line = &spectrum["lines"][0];
    assert_eq!(line["bin_frequency"], 3125.0, "{line}");
    let level = line["level"].as_f64().expect("a level");
    assert!((level + 6.02).abs() < 0.02, "{level} dBFS");
    assert!(said.contains("Raspberry Pi 1 B+"), "{said}");
}

#[test]
fn strict_fails_when_samples_are_lost_at_the_input_and_only_then() {
    let Some(image) = image("strict_fails_when_samples_are_lost_at_the_input_and_only_then") else {
        return;
    };
    // With holds of the second kind no lot of blocks is whole.
    for (defect, average, wanted, words) in [
        (None, 16, 0, "0 bytes lost"),
        (
            Some("dma-hold:60:30000"),
            16,
            5,
            "samples were lost at the board's input",
        ),
        (
            Some("dma-hold:40:10000"),
            500,
            5,
            "no lot of blocks of the last second is whole",
        ),
    ] {
        let set = format!("rate=2M n=1024 avg={average} bins=64");
        let mut command = qpuscope();
        command.args(["read", &sim(&image), "--part", "parallel,tone=250000:-10"]);
        command.args(["--set", &set, "--count", "5", "--strict"]);
        command.args(defect.iter().flat_map(|defect| ["--defect", defect]));
        let (_, status, said) = run(&mut command);
        assert_eq!(status, wanted, "{defect:?}: {said}");
        assert!(said.contains(words), "{defect:?}: {said}");
    }
}

#[test]
fn bytes_are_played_by_a_parallel_adc() {
    let Some(image) = image("bytes_are_played_by_a_parallel_adc") else {
        return;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("live");
    std::fs::create_dir_all(&folder).expect("a folder for files");
    let path = folder.join("tone.u8");
    // 37 cycles in 1000 bytes, of -6 dBFS.
    let bytes = (0..1000_u32).map(|index| {
        let phase = f64::from(index * 37 % 1000) / 1000.0 * std::f64::consts::TAU;
        (127.5 + 63.75 * phase.sin()).round() as u8
    });
    std::fs::write(&path, bytes.collect::<Vec<u8>>()).expect("a file");
    let (output, status, said) = run(qpuscope()
        .args(["read", &sim(&image), "-q", "--smi"])
        .arg(&path)
        .args(["--set", "rate=1M n=1024 avg=64 window=flat-top out=u16"])
        .args(["--count", "1", "--json", "--strict"]));
    assert_eq!(status, 0, "{said}");
    let spectrum: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let line = &spectrum["lines"][0];
    let frequency = line["frequency"].as_f64().expect("a frequency");
    assert!((frequency - 37_000.0).abs() < 200.0, "{line}");
    let level = line["level"].as_f64().expect("a level");
    assert!((level + 6.02).abs() < 0.02, "{level} dBFS");
}

#[test]
fn probe_says_what_is_on_the_pins_and_ends_with_1_when_something_is_wrong() {
    let name = "probe_says_what_is_on_the_pins_and_ends_with_1_when_something_is_wrong";
    let Some(image) = image(name) else { return };
    let probe = |part: &str, more: &[&str]| {
        let mut command = qpuscope();
        command.args(["probe", "-q", "-p", &sim(&image)]);
        run(command.args(["--part", part]).args(more))
    };
    let (output, status, said) = probe("adc,tone=3125:-3", &["--json"]);
    assert_eq!(status, 0, "{said}");
    let found: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(
        (&found["troubles"], &found["expected_hz"]),
        (&0.into(), &50_000.0.into())
    );
    let rms = found["left"]["rms"].as_f64().expect("a number");
    assert!((rms - 0.5).abs() < 0.01, "{found}");
    let (output, status, said) = probe("adc,wiring=stuck-high", &[]);
    assert_eq!(status, 1, "{said}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("data never changes"), "{text}");
    assert!(said.contains("one thing is wrong"), "{said}");
}

#[test]
fn a_part_is_put_on_no_board() {
    for part in [
        ["--part", "adc"],
        ["--i2s", "tone.wav"],
        ["--smi", "samples.u8"],
    ] {
        let (_, status, said) = run(qpuscope()
            .args(["info", "-p", "tcp:localhost:1"])
            .args(part));
        assert_eq!(status, 2, "{said}");
        assert!(said.contains("give sim:IMAGE as the port"), "{said}");
    }
    let both = ["--part", "adc", "--i2s", "tone.wav"];
    let (_, status, said) = run(qpuscope().args(["info", "-p", "sim:x"]).args(both));
    assert_eq!(status, 2);
    assert!(said.contains("cannot be used with"), "{said}");
}

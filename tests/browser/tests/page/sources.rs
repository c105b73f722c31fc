//! Sources of samples: a file, the shipped series, a microphone, and what is none of them.

use std::f64::consts::TAU;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{Open, SOON, open};
use browser::{Browser, Page};

/// Points of a block of the page's live sources.
const N: f64 = 4096.0;
const RATE_HZ: u32 = 48_000;
const BIN_HZ: f64 = RATE_HZ as f64 / N;
/// A tone on a bin, so that the window has no say in its level.
const TONE_HZ: f64 = 256.0 * BIN_HZ;
const TONE_DBFS: f64 = -10.0;
/// As the issue has it.
const TOLERANCE_DB: f64 = 0.1;

/// A mono WAV file of 16 bits with the tone, whose end joins its start.
fn tone() -> Vec<u8> {
    let samples = 10 * RATE_HZ;
    let bytes = 2 * samples;
    let mut file = b"RIFF".to_vec();
    file.extend((36 + bytes).to_le_bytes());
    file.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    file.extend(RATE_HZ.to_le_bytes());
    file.extend((2 * RATE_HZ).to_le_bytes());
    file.extend(b"\x02\0\x10\0data");
    file.extend(bytes.to_le_bytes());
    let level = 32_767.0 * 10f64.powf(TONE_DBFS / 20.0);
    for index in 0..samples {
        let phase = TAU * TONE_HZ * f64::from(index) / f64::from(RATE_HZ);
        file.extend(((level * phase.sin()).round() as i16).to_le_bytes());
    }
    file
}

/// Gives the page's file field a file, as its user does.
fn choose(browser: &mut Browser, page: &Page, path: &Path) {
    let field = json!({"expression": "document.getElementById('file')"});
    let field = page
        .call(browser, "Runtime.evaluate", field)
        .expect("the field");
    let files = json!({"files": [path], "objectId": field["result"]["objectId"]});
    page.call(browser, "DOM.setFileInputFiles", files)
        .expect("a file");
}

/// Waits until the sources' note has these words.
fn says(browser: &mut Browser, page: &Page, words: &str) {
    let note = format!("window.qpuscope.state().source.note.includes({words:?})");
    if let Err(error) = page.wait(browser, &note, SOON) {
        let state = page.eval(browser, "JSON.stringify(window.qpuscope.state().source)");
        panic!("{words}: {error}, {state:?}");
    }
}

/// Waits for some records more.
fn records(browser: &mut Browser, page: &Page, count: u32) {
    let before = page
        .eval(browser, "window.qpuscope.state().records")
        .expect("a number");
    let more = format!("window.qpuscope.state().records >= {before} + {count}");
    page.wait(browser, &more, SOON).expect("records");
}

/// Asserts that the strongest peak is the tone.
fn assert_tone(browser: &mut Browser, page: &Page, from: &str) {
    records(browser, page, 4);
    let peak = page
        .eval(browser, "window.qpuscope.state().peaks[0]")
        .expect("a peak");
    let bin_hz = page
        .eval(browser, "window.qpuscope.state().stream.binHz")
        .expect("a number");
    let bin_hz = bin_hz.as_f64().unwrap_or(f64::NAN);
    let of = |name: &str| peak[name].as_f64().unwrap_or(f64::NAN);
    assert!((of("hz") - TONE_HZ).abs() < bin_hz / 10.0, "{from}: {peak}");
    assert!(
        (of("levelDb") - TONE_DBFS).abs() < TOLERANCE_DB,
        "{from}: {peak}"
    );
}

#[test]
fn a_file_and_a_series_have_their_tones_and_what_is_no_file_of_samples_is_said() {
    let Open {
        mut browser,
        page,
        _served,
    } = match open(&[], &[]) {
        Ok(open) => open,
        Err(why) => tests::skip!("{why}"),
    };
    let b = &mut browser;
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("a file");
        path
    };
    page.wait(b, "window.qpuscope.state().records > 0", SOON)
        .expect("spectra come");

    choose(b, &page, &file("tone.wav", &tone()));
    says(b, &page, "tone.wav, WAV, 16 bits, mono");
    assert_tone(b, &page, "file");

    for (name, bytes, words) in [
        ("photo.jpg", &b"JFIF"[..], "no WAV file"),
        ("iq.cu8", &[1, 2, 3], "type the rate in hertz"),
        ("empty.wav", b"", "is empty"),
    ] {
        choose(b, &page, &file(name, bytes));
        says(b, &page, words);
    }

    // The year's line is one cycle a day, on an axis that is right though it is played in seconds.
    page.click(b, "#use-temperatures").expect("a button");
    says(b, &page, "Played 57600000 times as fast");
    records(b, &page, 3);
    let day_hz = 1.0 / 86_400.0;
    let bin_hz = 1.0 / 3600.0 / N;
    let peaks = page
        .eval(b, "window.qpuscope.state().peaks")
        .expect("peaks");
    let is_daily = |peak: &Value| {
        let hz = peak["hz"].as_f64().unwrap_or(f64::NAN);
        (hz - day_hz).abs() < bin_hz / 10.0
    };
    let all = peaks.as_array().expect("a list");
    assert!(all.iter().any(is_daily), "{peaks}");

    page.click(b, "#use-generator").expect("a button");
    says(b, &page, "generator");
    records(b, &page, 2);
    assert_eq!(page.problems(b), Vec::<String>::new());
}

#[test]
fn a_microphone_has_its_tone_and_a_refused_one_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tone.wav");
    fs::write(&path, tone()).expect("a file");
    let plays = format!("--use-file-for-fake-audio-capture={}", path.display());
    let fake = ["--use-fake-device-for-media-stream", &plays];
    for is_allowed in [true, false] {
        let mut flags = fake.to_vec();
        flags.push(if is_allowed {
            "--use-fake-ui-for-media-stream"
        } else {
            "--deny-permission-prompts"
        });
        let Open {
            mut browser,
            page,
            _served,
        } = match open(&[], &flags) {
            Ok(open) => open,
            Err(why) => tests::skip!("{why}"),
        };
        let b = &mut browser;
        page.wait(b, "window.qpuscope.state().records > 0", SOON)
            .expect("spectra come");
        page.click(b, "#use-microphone").expect("a button");
        if !is_allowed {
            says(b, &page, "The microphone was refused");
            records(b, &page, 2);
            continue;
        }
        says(b, &page, "Its samples stay in this page.");
        assert_tone(b, &page, "microphone");
        // The ADC has the sound system's clock, whatever that is.
        let same =
            "window.qpuscope.state().source.facts.playedHz === new AudioContext().sampleRate";
        assert_eq!(page.eval(b, same).expect("a rate"), true);
        // Its samples end after the board was told: time does not stand.
        page.click(b, "#use-generator").expect("a button");
        says(b, &page, "generator");
        records(b, &page, 2);
        assert_eq!(page.problems(b), Vec::<String>::new());
    }
}

//! Samples on the pins of the page's virtual Pi: a fed microphone, files, the series, bursts.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{Open, SOON, open};
use browser::{Browser, Page};

/// Samples a second of the tones here.
const HZ: u32 = 48_000;
/// A frequency between two bins of 4096 points, and its level: -12 dBFS.
const TONE_HZ: f64 = 1003.0;
const AMPLITUDE: f64 = 0.251_188_643_150_958;

/// A WAV file of 16 bits with so many seconds of the tone.
fn wav(seconds: u32) -> Vec<u8> {
    let count = HZ * seconds;
    let mut file = Vec::new();
    file.extend(b"RIFF");
    file.extend((36 + 2 * count).to_le_bytes());
    file.extend(b"WAVEfmt ");
    file.extend(16u32.to_le_bytes());
    for half in [1u16, 1] {
        file.extend(half.to_le_bytes());
    }
    file.extend(HZ.to_le_bytes());
    file.extend((2 * HZ).to_le_bytes());
    for half in [2u16, 16] {
        file.extend(half.to_le_bytes());
    }
    file.extend(b"data");
    file.extend((2 * count).to_le_bytes());
    for index in 0..count {
        let angle = std::f64::consts::TAU * TONE_HZ * f64::from(index) / f64::from(HZ);
        let sample = (AMPLITUDE * angle.sin() * 32768.0).round() as i16;
        file.extend(sample.to_le_bytes());
    }
    file
}

/// Waits for spectra of a source, and holds its strongest peak to the tone: within a
/// tenth of a bin and a tenth of a decibel.
fn assert_tone(b: &mut Browser, page: &Page, source: &str) {
    let fresh = format!(
        "(s => s.source.name.includes({source:?}) && !s.source.isBusy && s.stream?.source === 'I2S input'
           && Math.abs(s.stream.rateHz - s.source.facts.playedHz) < 5 && s.stream.n === 4096 && s.peaks.length > 0
           && s.stream.record > 3 && s)(window.qpuscope.state())"
    );
    let state = page.wait(b, &fresh, SOON).expect(source);
    let peak = &state["peaks"][0];
    let value = |value: &Value| value.as_f64().expect("a number");
    let bin = value(&state["stream"]["binHz"]);
    assert!(
        (value(&peak["hz"]) - TONE_HZ).abs() < bin / 10.0,
        "{source}: {peak}"
    );
    assert!(
        (value(&peak["levelDb"]) + 12.0).abs() < 0.1,
        "{source}: {peak}"
    );
    assert_eq!(state["stream"]["overruns"], 0);
}

/// Gives the page a file as if it had been dropped there.
fn drop_file(b: &mut Browser, page: &Page, name: &str, bytes: &[u8]) {
    let text = data_encoding::BASE64.encode(bytes);
    let script = format!(
        "(() => {{
            const bytes = Uint8Array.from(atob({text:?}), (c) => c.charCodeAt(0));
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File([bytes], {name:?}));
            document.dispatchEvent(new DragEvent('drop', {{ dataTransfer, bubbles: true, cancelable: true }}));
        }})()"
    );
    page.eval(b, &script).expect("a drop");
}

fn wait(b: &mut Browser, page: &Page, expression: &str) {
    let script = format!("(s => {expression})(window.qpuscope.state())");
    page.wait(b, &script, SOON).expect(expression);
}

#[test]
fn a_dropped_file_plays_and_what_is_none_is_a_sentence() {
    let Open {
        mut browser,
        page,
        _served,
    } = match open(&[], &[]) {
        Ok(open) => open,
        Err(why) => tests::skip!("{why}"),
    };
    let b = &mut browser;
    wait(b, &page, "s.settings?.n && s.records > 2");
    drop_file(b, &page, "tone.wav", &wav(4));
    assert_tone(b, &page, "tone.wav");

    // What has no samples says so, and the page goes on.
    drop_file(b, &page, "letter.pdf", b"%PDF-1.4");
    wait(b, &page, "s.source.note.includes('letter.pdf')");
    drop_file(b, &page, "empty.wav", b"");
    wait(b, &page, "s.source.note.includes('empty.wav is empty')");
    drop_file(b, &page, "torn.wav", b"RIFF\x24\0\0\0WAVE");
    wait(b, &page, "s.source.note.includes('torn.wav')");
    drop_file(b, &page, "raw.cu8", &[128; 4096]);
    wait(b, &page, "/rate/.test(s.source.note)");

    // The year has its day: 1 / 86,400 s, on an axis that is multiplied exactly.
    page.click(b, "#use-temperatures").expect("a button");
    wait(
        b,
        &page,
        "s.source.name.includes('temperatures') && s.peaks.length > 0 && s.stream.rateHz < 1",
    );
    let day = "window.qpuscope.state().peaks.some((peak) => Math.abs(peak.hz * 86400 - 1) < 0.005)";
    page.wait(b, day, SOON).expect("a line at one a day");

    page.click(b, "#use-bursts").expect("a button");
    wait(
        b,
        &page,
        "s.stream?.source === 'parallel ADC' && s.stream.rateHz === 20e6 && s.peaks.length > 1",
    );
    assert_eq!(page.problems(b), Vec::<String>::new());
}

#[test]
fn a_fed_microphone_plays_and_a_refused_one_is_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tone.wav");
    fs::write(&path, wav(30)).expect("a file");
    let feed = |path: &Path| format!("--use-file-for-fake-audio-capture={}", path.display());
    let flags = [
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        &feed(&path),
    ];
    let Open {
        mut browser,
        page,
        _served,
    } = match open(&[], &flags) {
        Ok(open) => open,
        Err(why) => tests::skip!("{why}"),
    };
    let b = &mut browser;
    wait(b, &page, "s.settings?.n && s.records > 2");
    page.click(b, "#use-microphone").expect("a button");
    wait(
        b,
        &page,
        "s.source.name === 'microphone' && s.stream?.source === 'I2S input'",
    );
    assert_tone(b, &page, "microphone");
    // The ADC has the sound system's clock, whatever that is.
    let same = "window.qpuscope.state().source.facts.playedHz === new AudioContext().sampleRate";
    assert_eq!(page.eval(b, same).expect("a rate"), true);
    // Its samples end after the board has stopped: the board's time does not stand.
    page.click(b, "#use-generator").expect("a button");
    wait(
        b,
        &page,
        "s.source.name.startsWith('generator') && s.stream.source === 'generator' && s.stream.record > 2",
    );

    // Refused: the page goes on with what it has.
    let refuse = "navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError'))";
    page.eval(b, refuse).expect("a stand-in");
    page.click(b, "#use-microphone").expect("a button");
    wait(b, &page, "s.source.note.includes('was refused: allow it')");
    assert_eq!(page.problems(b), Vec::<String>::new());
}

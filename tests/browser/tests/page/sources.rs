//! Samples on the pins of the page's virtual Pi: a fed microphone, files, the series, bursts.

use std::f64::consts::TAU;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::Open;

/// Samples a second of the tones here.
const HZ: u32 = 48_000;
/// A frequency between two bins of 4096 points, and its level: -12 dBFS.
const TONE_HZ: f64 = 1003.0;
const AMPLITUDE: f64 = 0.251_188_643_150_958;

/// Writes a WAV file of 16 bits with so many seconds of the tone.
fn write_tone(path: &Path, seconds: u32) {
    let form = hound::WavSpec {
        channels: 1,
        sample_rate: HZ,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut file = hound::WavWriter::create(path, form).expect("a file");
    for index in 0..HZ * seconds {
        let angle = TAU * TONE_HZ * f64::from(index) / f64::from(HZ);
        let sample = (AMPLITUDE * angle.sin() * 32768.0).round() as i16;
        file.write_sample(sample).expect("a sample");
    }
    file.finalize().expect("a file");
}

/// Waits for spectra of a source, and holds its strongest peak to the tone: within a
/// tenth of a bin and a tenth of a decibel.
fn assert_tone(open: &Open, source: &str) {
    let fresh = format!(
        "s.source.name.includes({source:?}) && !s.source.isBusy && s.stream?.source === 'I2S input'
           && Math.abs(s.stream.rateHz - s.source.facts.playedHz) < 5 && s.stream.n === 4096 && s.peaks.length > 0
           && s.stream.record > 3 && s"
    );
    let state = open.wait(&fresh);
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
fn drop_file(open: &Open, name: &str, bytes: &[u8]) {
    let text = data_encoding::BASE64.encode(bytes);
    let script = format!(
        "(() => {{
            const bytes = Uint8Array.from(atob({text:?}), (c) => c.charCodeAt(0));
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File([bytes], {name:?}));
            document.dispatchEvent(new DragEvent('drop', {{ dataTransfer, bubbles: true, cancelable: true }}));
        }})()"
    );
    open.eval(&script);
}

/// Has the board refuse the settings of the next source.
const REFUSE: &str = "(() => {
    const { settings } = window.qpuscope.app;
    const { set } = settings;
    settings.set = () => { settings.set = set; return set('n=1000'); };
})()";

/// Waits for more spectra and more of the board's time.
fn assert_goes_on(open: &Open) {
    let state = open.state();
    let (records, seconds) = (&state["records"], &state["seconds"]);
    open.wait(&format!(
        "s.records > {records} + 3 && s.seconds > {seconds} + 1"
    ));
}

#[test]
fn a_dropped_file_plays_and_what_is_none_is_a_sentence() {
    let open = open!(&[], &[]);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tone.wav");
    write_tone(&path, 4);
    open.wait("s.ready");
    drop_file(&open, "tone.wav", &fs::read(&path).expect("a file"));
    assert_tone(&open, "tone.wav");

    // What has no samples says so, and the page goes on.
    drop_file(&open, "letter.pdf", b"%PDF-1.4");
    open.wait("s.source.note.includes('letter.pdf')");
    drop_file(&open, "empty.wav", b"");
    open.wait("s.source.note.includes('empty.wav is empty')");
    drop_file(&open, "torn.wav", b"RIFF\x24\0\0\0WAVE");
    open.wait("s.source.note.includes('torn.wav')");
    drop_file(&open, "raw.cu8", &[128; 4096]);
    open.wait("s.source.note.includes('type the rate in hertz')");

    // The year has its day: 1 / 86,400 s, on an axis that is multiplied exactly.
    open.click("#use-temperatures");
    open.wait(
        "s.source.name.includes('temperatures') && s.peaks.length > 0 && s.stream.rateHz < 1",
    );
    open.wait("s.peaks.some((peak) => Math.abs(peak.hz * 86400 - 1) < 0.005)");

    open.click("#use-bursts");
    open.wait(
        "s.stream?.source === 'parallel ADC' && s.stream.rateHz === 20e6 && s.peaks.length > 1",
    );
    open.assert_no_problems();
}

#[test]
fn a_fed_microphone_plays_and_a_refused_one_is_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tone.wav");
    write_tone(&path, 30);
    let feed = format!("--use-file-for-fake-audio-capture={}", path.display());
    let flags = [
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        &feed,
    ];
    let open = open!(&[], &flags);
    open.wait("s.ready");
    open.click("#use-microphone");
    open.wait("s.source.name === 'microphone' && s.stream?.source === 'I2S input'");
    assert_tone(&open, "microphone");
    // The ADC has the sound system's clock, whatever that is.
    open.wait("s.source.facts.playedHz === new AudioContext().sampleRate");
    // What is no file leaves the microphone where it is: spectra and the board's time go on.
    drop_file(&open, "letter.pdf", b"%PDF-1.4");
    open.wait("!s.source.isBusy && s.source.note.includes('letter.pdf') && s.source.name === 'microphone'");
    assert_goes_on(&open);
    drop_file(&open, "tone.wav", &fs::read(&path).expect("a file"));
    assert_tone(&open, "tone.wav");

    // A refused setting leaves an ADC without a microphone, and the board without that ADC.
    open.click("#use-microphone");
    open.wait("!s.source.isBusy && s.source.name === 'microphone'");
    open.eval(REFUSE);
    open.click("#use-microphone");
    open.wait("!s.source.isBusy && s.source.name === 'nothing' && s.source.note.includes('65536')");
    let seconds = open.state()["seconds"].clone();
    open.wait(&format!("s.seconds > {seconds} + 1"));
    // Its samples end after the board has stopped: the board's time does not stand.
    open.click("#use-microphone");
    open.wait("!s.source.isBusy && s.source.name === 'microphone'");
    open.click("#use-generator");
    open.wait("s.source.name.startsWith('generator') && s.stream.source === 'generator' && s.stream.record > 2");

    // Refused: the page goes on with what it has.
    let refuse = "navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError'))";
    open.eval(refuse);
    open.click("#use-microphone");
    open.wait("s.source.note.includes('was refused: allow it')");
    open.assert_no_problems();
}

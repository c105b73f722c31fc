//! A stream as a board sends it, for tests and the manual page's recording.

use wire::{
    Averaging, Chunk, Clocks, Descriptor, Domain, Encoder, Encoding, Engine, Envelope, MAX_FRAME,
    MAX_PAYLOAD, Message, Name, RecordHead, Source, Window,
};

/// A descriptor of real samples at 48 kHz.
pub(super) fn descriptor(n: u32, encoding: Encoding) -> Descriptor {
    Descriptor {
        id: 1,
        rate: wire::Rate::hz(48_000),
        n,
        domain: Domain::Real,
        window: Window::Hann,
        enbw_bins: 1.5,
        coherent_gain: 0.5,
        overlap: n / 2,
        averaging: Averaging::Linear,
        average_count: 4,
        first_bin: 0,
        bins: n / 2 + 1,
        centre_hz: 0.0,
        unit: wire::Unit::Dbfs,
        encoding,
        scale: 0.01,
        offset: -400.0,
        source: Source::Generator,
        engine: Engine::Qpu,
        board_revision: 0x10,
        clocks: Clocks::default(),
        firmware: Name::new("0.1.0"),
        board: Name::new("Raspberry Pi 1"),
        detector: wire::Detector::Mean,
        dc: wire::Dc::Keep,
        rate_within_hz: 0.0,
        exponential: 0,
    }
}

/// The bytes of a line: a text, a descriptor, and `count` spectra whose line is at bin n/8.
pub(super) fn example_stream(n: u32, count: u32) -> Vec<u8> {
    repeating_stream(n, count, u32::MAX)
}

/// The example, with the descriptor once more before the record `again`.
pub(super) fn repeating_stream(n: u32, count: u32, again: u32) -> Vec<u8> {
    let mut encoder = Encoder::new();
    let mut out = b"qpuscope test\r\n".to_vec();
    let mut put = |time_us: u64, message: &Message| {
        let (mut scratch, mut frame) = ([0; MAX_PAYLOAD], [0; MAX_FRAME]);
        let envelope = Envelope {
            time_us,
            ..Envelope::default()
        };
        let length = encoder
            .message(envelope, message, &mut scratch, &mut frame)
            .expect("a frame holds it");
        out.extend_from_slice(&frame[..length]);
    };
    put(0, &Message::Descriptor(descriptor(n, Encoding::U16)));
    for record in 0..count {
        if record == again {
            let time_us = u64::from(record) * 100_000;
            put(time_us, &Message::Descriptor(descriptor(n, Encoding::U16)));
        }
        let bins = n / 2 + 1;
        let levels: Vec<u16> = (0..bins)
            .map(|k| if k == n / 8 { 39_000 } else { 30_000 })
            .collect();
        let data: Vec<u8> = levels
            .iter()
            .flat_map(|level| level.to_le_bytes())
            .collect();
        for (index, part) in data.chunks(1000).enumerate() {
            let head = RecordHead {
                record,
                total: bins,
                descriptor: 1,
                encoding: Encoding::U16,
                engine: Engine::Qpu,
                fallback: false,
                replaced: false,
                doubt: None,
                duty_ppm: None,
                blocks: 4,
                first_sample: 0,
                counters: wire::Counters::default(),
            };
            let chunk = Chunk {
                head,
                offset: 500 * index as u32,
                data: part,
            };
            put(u64::from(record) * 100_000, &Message::Spectrum(chunk));
        }
    }
    out
}

/// The recording that the manual page's transcript reads is made by this test.
#[test]
fn the_recording_of_the_manual_page_is_this_stream() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recorded.bin");
    let stream = example_stream(1024, 2);
    if std::env::var_os("QPUSCOPE_BLESS").is_some() {
        std::fs::write(path, &stream).expect("the folder can be written");
    }
    assert!(
        std::fs::read(path).is_ok_and(|file| file == stream),
        "run with QPUSCOPE_BLESS=1"
    );
}

//! Bytes of a line through the wasm's interface to a picture, natively.

use serde_json::Value;
use web::Scope;
use wire::{
    Averaging, Chunk, Clocks, Counters, Dc, Descriptor, Detector, Domain, Encoder, Encoding,
    Engine, Envelope, MAX_FRAME, MAX_PAYLOAD, Message, Name, Rate, RecordHead, Source, Unit,
    Window,
};

const N: u32 = 4096;

fn descriptor() -> Descriptor {
    Descriptor {
        id: 1,
        rate: Rate::hz(48_000),
        n: N,
        domain: Domain::Real,
        window: Window::Hann,
        enbw_bins: 1.5,
        coherent_gain: 0.5,
        overlap: N / 2,
        averaging: Averaging::Linear,
        average_count: 4,
        first_bin: 0,
        bins: N / 2 + 1,
        centre_hz: 0.0,
        unit: Unit::Dbfs,
        encoding: Encoding::U16,
        scale: 0.01,
        offset: -400.0,
        source: Source::Generator,
        engine: Engine::Qpu,
        board_revision: 0x10,
        clocks: Clocks::default(),
        firmware: Name::new("0.1.0"),
        board: Name::new("Raspberry Pi 1"),
        detector: Detector::Mean,
        dc: Dc::Keep,
        rate_within_hz: 0.0,
        exponential: 0,
    }
}

/// A board's end of the line.
#[derive(Default)]
struct Board {
    encoder: Encoder,
    bytes: Vec<u8>,
}

impl Board {
    fn put(&mut self, message: &Message) {
        let (mut scratch, mut frame) = ([0; MAX_PAYLOAD], [0; MAX_FRAME]);
        let length = self
            .encoder
            .message(Envelope::default(), message, &mut scratch, &mut frame)
            .expect("a frame holds it");
        self.bytes.extend_from_slice(&frame[..length]);
    }

    /// A record with a tone of -6 dB, so many bins from 0.
    fn record(&mut self, record: u32, bins: f64) {
        let data: Vec<u8> = (0..=N / 2)
            .flat_map(|bin| {
                let response = Window::Hann.response(f64::from(bin) - bins);
                let power = 0.251_189 * response * response + 1e-9;
                ((100.0 * (10.0 * power.log10() + 400.0)).round() as u16).to_le_bytes()
            })
            .collect();
        let head = RecordHead {
            record,
            total: N / 2 + 1,
            descriptor: 1,
            encoding: Encoding::U16,
            engine: Engine::Qpu,
            fallback: false,
            replaced: false,
            doubt: None,
            duty_ppm: None,
            blocks: 4,
            first_sample: u64::from(record) * 4 * u64::from(N / 2),
            counters: Counters::default(),
        };
        for (index, data) in data.chunks(2000).enumerate() {
            let offset = 1000 * index as u32;
            self.put(&Message::Spectrum(Chunk { head, offset, data }));
        }
    }
}

fn picture(scope: &Scope) -> Value {
    serde_json::from_str(&scope.picture()).expect("JSON")
}

#[test]
fn a_line_becomes_a_picture() {
    let mut scope = Scope::new();
    assert_eq!(picture(&scope)["records"], 0);
    let mut board = Board::default();
    // The first record comes before its descriptor, and waits for it.
    board.record(0, 512.3);
    board.put(&Message::Descriptor(descriptor()));
    board.record(1, 512.3);
    board.record(2, 512.3);
    for bytes in board.bytes.chunks(100) {
        scope.feed(bytes);
    }
    let now = picture(&scope);
    assert_eq!(
        (&now["records"], &now["rows"]),
        (&3.into(), &3.into()),
        "{now}"
    );
    let peak = &now["peaks"][0];
    let (hz, db) = (peak["hz"].as_f64(), peak["levelDb"].as_f64());
    let (hz, db) = hz.zip(db).expect("numbers");
    let bins = hz / (48_000.0 / f64::from(N)) - 512.3;
    assert!(
        bins.abs() < 0.1 && (db + 6.0).abs() < 0.1,
        "{bins} bins, {db} dB"
    );
    assert_eq!(peak["hzText"], "6.004 kHz");
    assert_eq!(peak["levelText"], "−6.00 dBFS");
    assert_eq!(now["stream"]["n"], N);
    assert_eq!(scope.points("live", 600).len(), 1200);
    assert_eq!(scope.lines(3.0, 3, 600).len(), 3 * 600 * 4);
    let marks: Value = serde_json::from_str(&scope.marks(6, 6, 6, 100)).expect("JSON");
    assert_eq!(marks["frequency"]["name"], "Frequency (kHz)");
    assert_eq!(
        scope.place_text(6_000.0).expect("a place"),
        "6.000 kHz  −6.51 dBFS"
    );
    // What is no trace, or no place, is nothing.
    assert!(scope.points("dead", 600).is_empty());
    assert!(scope.place_text(f64::NAN).is_none());
}

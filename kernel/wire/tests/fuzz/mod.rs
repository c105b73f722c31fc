//! Fuzz targets: plain functions that take any bytes, driven by tests and by `cargo xtask fuzz`.

use wire::{
    Assembled, Assembler, Damage, Decoder, Encoder, Envelope, HEADER_BYTES, Item, Kind, MAX_FRAME,
    MAX_PAYLOAD, Message, PayloadError,
};

/// Feeds bytes to a decoder. Every frame it yields is coded again and must decode to the same
/// frame; the decoder must account for every byte it was given.
///
/// # Panics
/// When a rule is broken; that is what a fuzzer looks for.
pub fn fuzz_decoder(bytes: &[u8]) {
    let mut decoder = Decoder::new();
    let mut seen = 0;
    for byte in bytes.iter().chain(&[0]) {
        match decoder.push(*byte) {
            Some(Item::Frame(header, payload)) => {
                assert!(payload.len() <= MAX_PAYLOAD);
                again(header.kind, payload);
                seen += HEADER_BYTES + payload.len();
            }
            Some(Item::Text(text)) => {
                assert!(text.iter().all(|byte| byte.is_ascii()));
                seen += text.len();
            }
            Some(Item::Damaged { bytes, reason }) => {
                assert!(bytes > 0 || reason == Damage::NotAFrame);
                seen += bytes;
            }
            None => {}
        }
    }
    assert!(seen <= bytes.len());
    assert_eq!(decoder.pending(), 0);
    let counters = decoder.counters();
    assert!(counters.lost_bytes + counters.text_bytes <= bytes.len() as u64);
}

/// Reads bytes as the payload of every kind. What decodes must code to bytes that decode to the
/// same message; spectra go through an assembler too.
///
/// # Panics
/// When a rule is broken.
pub fn fuzz_payloads(bytes: &[u8]) {
    let bytes = &bytes[..bytes.len().min(MAX_PAYLOAD)];
    for kind in 0..=u8::MAX {
        again(Kind(kind), bytes);
    }
    let mut assembler = Assembler::new([0; 512]);
    for piece in bytes.chunks(96) {
        if let Ok(Message::Spectrum(chunk)) = Message::decode(Kind::SPECTRUM, piece)
            && let Assembled::Record(record) = assembler.push(&chunk)
        {
            assert!(record.missing <= record.head.total);
            assert_eq!(record.values().count(), record.head.total as usize);
        }
    }
}

/// Decodes, encodes and decodes a payload, and compares the two encodings, because NaN differs
/// from itself.
fn again(kind: Kind, payload: &[u8]) {
    let message = match Message::decode(kind, payload) {
        Ok(message) => message,
        Err(PayloadError::TooLong) => panic!("decoding writes nothing"),
        Err(_) => return,
    };
    assert_eq!(message.kind(), kind);
    let mut first = [0; MAX_PAYLOAD];
    let mut second = [0; MAX_PAYLOAD];
    let length = message
        .encode(&mut first)
        .expect("what was decoded fits a frame");
    let message = Message::decode(kind, &first[..length]).expect("what was encoded decodes");
    let again = message.encode(&mut second).expect("it fitted before");
    assert_eq!(first[..length], second[..again]);
    let mut out = [0; MAX_FRAME];
    let mut decoder = Decoder::new();
    let frame = Encoder::new()
        .frame(Envelope::default(), kind, &first[..length], &mut out)
        .expect("a frame holds every payload");
    let mut items = 0;
    for byte in &out[..frame] {
        if let Some(item) = decoder.push(*byte) {
            assert!(matches!(item, Item::Frame(_, payload) if payload == &first[..length]));
            items += 1;
        }
    }
    assert_eq!(items, 1);
}

//! The line as a whole: any bytes in, no panic, and never a wrong payload accepted.

mod fuzz;

use std::collections::HashSet;

use fuzz::{fuzz_decoder, fuzz_payloads};
use wire::{
    Assembled, Assembler, Chunk, Counters, Damage, Decoder, Encoder, Encoding, Engine, Envelope,
    Item, Kind, MAX_FRAME, MAX_PAYLOAD, Message, NakCode, RecordHead, Value,
};

/// xorshift64*: enough to drive tests, the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next() as u8).collect()
    }
}

/// An item that can be kept.
#[derive(Clone, PartialEq, Debug)]
enum Kept {
    Text(String),
    Frame(Kind, u32, Vec<u8>),
    Damaged(Damage),
}

fn decode(bytes: &[u8]) -> (Vec<Kept>, wire::LineCounters) {
    let mut decoder = Decoder::new();
    let mut kept = Vec::new();
    let mut keep = |item: Option<Item>| {
        kept.extend(item.map(|item| match item {
            Item::Text(text) => Kept::Text(String::from_utf8(text.to_vec()).unwrap()),
            Item::Frame(header, payload) => {
                Kept::Frame(header.kind, header.sequence, payload.to_vec())
            }
            Item::Damaged { reason, .. } => Kept::Damaged(reason),
        }));
    };
    for byte in bytes {
        keep(decoder.push(*byte));
    }
    keep(decoder.finish());
    (kept, decoder.counters())
}

fn frame(encoder: &mut Encoder, kind: Kind, payload: &[u8]) -> Vec<u8> {
    let mut out = [0; MAX_FRAME];
    let length = encoder
        .frame(Envelope::default(), kind, payload, &mut out)
        .unwrap();
    out[..length].to_vec()
}

/// A stream like a session's: text, frames of many lengths and contents, text between frames.
fn stream(random: &mut Random, frames: usize) -> (Vec<u8>, HashSet<Vec<u8>>) {
    let mut encoder = Encoder::new();
    let mut bytes = b"qpuscope\r\n".to_vec();
    let mut payloads = HashSet::new();
    for _ in 0..frames {
        let length = match random.below(8) {
            0 => random.below(4097),
            1 => 254,
            _ => random.below(60),
        };
        let mut payload = random.bytes(length);
        match random.below(4) {
            0 => payload.fill(0),
            1 => payload.iter_mut().for_each(|byte| *byte |= 1),
            _ => {}
        }
        bytes.extend(frame(&mut encoder, Kind(random.next() as u8), &payload));
        payloads.insert(payload);
        if random.below(4) == 0 {
            bytes.extend(b"a line of text\r\n");
        }
    }
    (bytes, payloads)
}

#[test]
fn any_bytes_do_no_harm() {
    let mut random = Random(0x51_5550);
    for round in 0..10_000 {
        let length = random.below(if round % 100 == 0 { 9000 } else { 120 });
        let mut bytes = random.bytes(length);
        // Small values make short COBS groups, known codes and plausible lengths.
        if round % 2 == 0 {
            bytes.iter_mut().for_each(|byte| *byte &= 0x0F);
        }
        fuzz_decoder(&bytes);
        if round % 8 == 0 {
            fuzz_payloads(&bytes);
        }
    }
}

#[test]
fn a_damaged_stream_yields_only_payloads_that_were_sent() {
    let mut random = Random(0xD0_0D);
    for _ in 0..600 {
        let (mut bytes, payloads) = stream(&mut random, 6);
        for _ in 0..=random.below(6) {
            let at = random.below(bytes.len());
            match random.below(6) {
                0 => bytes[at] ^= 1 << random.below(8),
                1 => bytes[at] = random.next() as u8,
                2 => drop(bytes.remove(at)),
                3 => bytes.insert(at, random.next() as u8),
                4 => bytes.truncate(at.max(1)),
                _ => {
                    let end = (at + random.below(300)).min(bytes.len());
                    let copy = bytes[at..end].to_vec();
                    let to = random.below(bytes.len());
                    bytes.splice(to..to, copy);
                }
            }
        }
        fuzz_decoder(&bytes);
        for item in decode(&bytes).0 {
            if let Kept::Frame(_, _, payload) = item {
                assert!(payloads.contains(&payload), "a payload that nobody sent");
            }
        }
    }
}

#[test]
fn every_single_bit_flip_of_a_frame_is_noticed() {
    let sent = frame(&mut Encoder::new(), Kind::PING, &7u64.to_le_bytes());
    for bit in 0..8 * sent.len() {
        let mut bytes = sent.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        for item in decode(&bytes).0 {
            match item {
                // Only a flip in one of the two outer zeros leaves the frame whole.
                Kept::Frame(kind, sequence, payload) => {
                    assert_eq!((kind, sequence), (Kind::PING, 0));
                    assert_eq!(payload, 7u64.to_le_bytes());
                    assert_eq!(bit / 8, sent.len() - 1, "flipped bit {bit}");
                }
                Kept::Text(_) | Kept::Damaged(_) => {}
            }
        }
    }
}

#[test]
fn text_and_frames_are_distinguished() {
    let mut encoder = Encoder::new();
    let mut bytes = b"boot firmware\r\nno line end".to_vec();
    bytes.extend(frame(&mut encoder, Kind::START, &[]));
    bytes.extend(b"between\n");
    bytes.extend(frame(&mut encoder, Kind::STOP, &[]));
    let (items, counters) = decode(&bytes);
    let expected = [
        Kept::Text("boot firmware\r\n".into()),
        Kept::Text("no line end".into()),
        Kept::Frame(Kind::START, 0, vec![]),
        Kept::Text("between\n".into()),
        Kept::Frame(Kind::STOP, 1, vec![]),
    ];
    assert_eq!(items, expected);
    assert_eq!((counters.frames, counters.text_bytes), (2, 34));
    assert_eq!((counters.lost_bytes, counters.sequence_gaps), (0, 0));
}

#[test]
fn a_line_of_text_needs_no_zero_byte() {
    let mut decoder = Decoder::new();
    let mut lines = 0;
    for byte in b"one\r\ntwo\r\n" {
        lines += usize::from(decoder.push(*byte).is_some());
    }
    assert_eq!(lines, 2);
}

#[test]
fn a_frame_may_begin_with_a_line_end() {
    // The first COBS code says where the first zero is: at place 9, it is a line feed.
    for code in *b"\n\r" {
        let mut header = [1u8; 22];
        header[0] = 0xB1;
        header[usize::from(code) - 1..].fill(0);
        let mut raw = header.to_vec();
        raw.extend(wire::crc32(&raw).to_le_bytes());
        let mut bytes = vec![0; 400];
        let length = cobs::encode(&raw, &mut bytes);
        bytes.truncate(length);
        assert_eq!(bytes[0], code);
        let mut decoder = Decoder::new();
        for byte in &bytes {
            assert_eq!(decoder.push(*byte), None);
            assert_eq!(decoder.take_line(), None);
        }
        assert!(matches!(decoder.push(0), Some(Item::Frame(..))), "{code}");
    }
}

#[test]
fn lost_frames_and_restarts_are_counted() {
    let mut encoder = Encoder::new();
    let frames: Vec<_> = (0..5)
        .map(|_| frame(&mut encoder, Kind::START, &[]))
        .collect();
    let bytes = [0, 3, 4, 0, 1].map(|index: usize| frames[index].clone());
    let counters = decode(&bytes.concat()).1;
    assert_eq!((counters.sequence_gaps, counters.restarts), (2, 1));
}

#[test]
fn another_major_version_is_refused_by_name() {
    let mut header = [0u8; 22];
    header[0] = 0xB2;
    let mut raw = header.to_vec();
    raw.extend(wire::crc32(&header).to_le_bytes());
    let mut bytes = vec![0; 40];
    let length = cobs::encode(&raw, &mut bytes);
    bytes.truncate(length);
    bytes.push(0);
    assert_eq!(decode(&bytes).0, [Kept::Damaged(Damage::Version(2))]);
}

#[test]
fn a_later_minor_version_may_add_fields() {
    let mut payload = [0xEE; 64];
    let length = Message::Nak(NakCode::GAP, "sentence")
        .encode(&mut payload)
        .unwrap();
    let message = Message::decode(Kind::NAK, &payload[..length + 9]).unwrap();
    assert_eq!(message, Message::Nak(NakCode::GAP, "sentence"));
}

fn chunk(record: u32, offset: u32, data: &[u8]) -> Chunk<'_> {
    Chunk {
        head: RecordHead {
            record,
            total: 6,
            descriptor: 1,
            encoding: Encoding::U16,
            engine: Engine::Cpu,
            fallback: false,
            replaced: false,
            doubt: None,
            duty_ppm: None,
            blocks: 1,
            first_sample: 0,
            counters: Counters::default(),
        },
        offset,
        data,
    }
}

#[test]
fn chunks_make_records_and_a_lost_chunk_costs_only_itself() {
    let mut assembler = Assembler::new([0; 12]);
    assert!(matches!(
        assembler.push(&chunk(0, 0, &[1, 0, 2, 0])),
        Assembled::Pending
    ));
    assert!(matches!(
        assembler.push(&chunk(0, 2, &[3, 0, 4, 0])),
        Assembled::Pending
    ));
    let Assembled::Record(record) = assembler.push(&chunk(0, 4, &[5, 0, 6, 0])) else {
        panic!("the record is complete");
    };
    assert_eq!(record.missing, 0);
    let expected: Vec<_> = (1..=6).map(Value::Steps).collect();
    assert_eq!(record.values().collect::<Vec<_>>(), expected);

    assert!(matches!(
        assembler.push(&chunk(1, 0, &[1, 0, 2, 0])),
        Assembled::Pending
    ));
    let Assembled::Record(record) = assembler.push(&chunk(1, 4, &[5, 0, 6, 0])) else {
        panic!("the last chunk ends the record");
    };
    assert_eq!(record.missing, 2);
    assert_eq!(record.value(1), Value::Steps(2));
    assert_eq!(record.value(2), Value::Missing);
    assert_eq!(record.value(5), Value::Steps(6));
    assert_eq!(assembler.incomplete(), 1);
}

#[test]
fn a_record_without_its_end_is_given_up() {
    let mut assembler = Assembler::new(vec![0; 12]);
    assembler.push(&chunk(0, 0, &[1, 0]));
    assembler.push(&chunk(1, 0, &[1, 0]));
    assert_eq!(assembler.incomplete(), 1);
    assembler.give_up();
    assembler.give_up();
    assert_eq!(assembler.incomplete(), 2);
    assert!(matches!(
        Assembler::new([0; 11]).push(&chunk(0, 0, &[])),
        Assembled::TooLarge(12)
    ));
}

#[test]
fn records_of_two_streams_with_one_number_are_not_mixed() {
    let mut assembler = Assembler::new([0; 12]);
    assembler.push(&chunk(0, 0, &[1, 0, 2, 0]));
    let mut other = chunk(0, 2, &[3, 0, 4, 0, 5, 0, 6, 0]);
    other.head.counters.cpu_us = 7;
    let Assembled::Record(record) = assembler.push(&other) else {
        panic!("the last chunk ends the record");
    };
    assert_eq!((record.missing, record.value(0)), (2, Value::Missing));
    assert_eq!(assembler.incomplete(), 2);
}

#[test]
fn the_longest_payload_fits_and_a_longer_one_is_refused() {
    let mut encoder = Encoder::new();
    let mut out = [0; MAX_FRAME];
    let payload = [0xAA; MAX_PAYLOAD + 1];
    assert!(
        encoder
            .frame(Envelope::default(), Kind::LOG, &payload, &mut out)
            .is_err()
    );
    let bytes = frame(&mut encoder, Kind::LOG, &payload[1..]);
    let expected = Kept::Frame(Kind::LOG, 0, payload[1..].to_vec());
    assert_eq!(decode(&bytes).0, [expected]);
    let endless = vec![0xFF; 10_000];
    assert_eq!(decode(&endless).0, [Kept::Damaged(Damage::TooLong)]);
}

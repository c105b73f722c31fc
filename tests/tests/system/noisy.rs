//! A conversation over a line that damages one byte in a hundred, both ways.

use crate::line::{Line, Virtual};
use std::collections::VecDeque;
use tests::mutate::Random;
use tests::{NO_KERNEL, need};
use virtual_pi::Config;
use wire::{Decoder, Encoder, Envelope, Header, Item, MAX_FRAME, MAX_PAYLOAD, Message};

/// Damaged bytes of a million.
const DAMAGED: usize = 10_000;
/// So long an answer may take, behind a record that is being sent.
const ANSWER_MS: u64 = 2_000;
const STEP_MS: u64 = 5;

/// Both ends of the line.
struct Noisy {
    line: Virtual,
    random: Random,
    /// Damaged bytes of a million.
    damaged: usize,
    encoder: Encoder,
    request: u16,
    /// The decoder of what the board says, before the line damages it.
    said: Box<Decoder>,
    /// The decoder of what arrives behind the line.
    heard: Box<Decoder>,
    /// Frames that were said and not heard yet.
    frames: VecDeque<(Header, Vec<u8>)>,
    /// Frames that came through.
    through: u32,
}

impl Noisy {
    /// Sends a request; its number, and whether all of it reaches the board.
    fn send(&mut self, message: &Message) -> (u16, bool) {
        self.request = self.request.wrapping_add(1).max(1);
        let envelope = Envelope {
            request: self.request,
            ..Envelope::default()
        };
        let (mut scratch, mut frame) = ([0; MAX_PAYLOAD], [0; MAX_FRAME]);
        let length = self
            .encoder
            .message(envelope, message, &mut scratch, &mut frame);
        let bytes = &frame[..length.expect("it fits")];
        let passed = self.random.damage(bytes, self.damaged);
        self.line.send(&passed);
        (self.request, passed == bytes)
    }

    /// Lets time pass; whether the board has answered this request. What comes through is what it
    /// said.
    fn step(&mut self, request: u16) -> bool {
        let mut is_answered = false;
        let bytes = self.line.receive(STEP_MS);
        for &byte in &bytes {
            if let Some(Item::Frame(header, payload)) = self.said.push(byte) {
                is_answered |= header.request == request;
                self.frames.push_back((header, payload.to_vec()));
            }
        }
        for byte in self.random.damage(&bytes, self.damaged) {
            let Some(Item::Frame(header, payload)) = self.heard.push(byte) else {
                continue;
            };
            let heard = (header, payload.to_vec());
            let place = self.frames.iter().position(|said| *said == heard);
            let place = place.unwrap_or_else(|| panic!("nobody said {heard:?}"));
            self.frames.drain(..=place);
            self.through += 1;
        }
        is_answered
    }

    /// Asks, and waits for the answer; whether it came.
    fn ask(&mut self, message: &Message) -> (bool, bool) {
        let (request, is_whole) = self.send(message);
        let mut is_answered = false;
        for _ in 0..ANSWER_MS / STEP_MS {
            is_answered |= self.step(request);
            if is_answered || !is_whole {
                break;
            }
        }
        (is_whole, is_answered)
    }
}

/// Talks to a board for so long, and holds what it says.
pub fn converse(seconds: u64) {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let config = Config {
        cmdline: "start=0".into(),
        ..Config::default()
    };
    let mut both = Noisy {
        line: Virtual::boot(&image, config),
        random: Random::new(tests::seed()),
        damaged: 0,
        encoder: Encoder::new(),
        request: 0,
        said: Box::default(),
        heard: Box::default(),
        frames: VecDeque::new(),
        through: 0,
    };
    while both.ask(&Message::Hello("noise")) != (true, true) {
        assert!(both.line.pi.now_ns() < 5_000_000_000, "the board starts");
    }
    both.damaged = DAMAGED;
    let (mut asked, mut whole) = (0_u64, 0_u64);
    while both.line.pi.now_ns() < seconds * 1_000_000_000 {
        let message = match asked % 8 {
            0 => Message::Set("n=64 avg=16 out=u8"),
            1 => Message::Start,
            2 => Message::Get("n,window"),
            3 => Message::Stop,
            4 => Message::Hello("noise"),
            5 => Message::UploadEnd { samples: 1, crc: 2 },
            6 => Message::Fetch {
                record: 0,
                offset: 3,
                values: 9,
            },
            _ => Message::Ping(asked),
        };
        let (is_whole, is_answered) = both.ask(&message);
        assert!(
            is_answered || !is_whole,
            "{message:?} came whole, and has no answer"
        );
        asked += 1;
        whole += u64::from(is_whole);
        // Some spectra between.
        for _ in 0..8 {
            both.step(0);
        }
    }
    both.damaged = 0;
    assert_eq!(
        both.ask(&Message::Ping(asked)),
        (true, true),
        "the first behind the damage"
    );
    println!(
        "{whole} of {asked} requests came whole, {} frames of the board came through",
        both.through
    );
    assert_eq!(both.line.resets, 0);
    assert!(whole > asked / 4 && both.through > 0);
}

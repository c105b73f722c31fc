//! Live input in the hub: begins a capture, hands its samples on, and answers who asked for it.
//!
//! A capture takes up to a third of a second until its rate is known, or until there is something
//! wrong with it. So its request is answered later, and the instrument goes on meanwhile.

use core::fmt::Write;

use wire::{Channels, Counters, Fault, Message, SampleFormat, Source};

use super::analyser::Analyser;
use super::board::Board;
use super::capture::{Capture, Event, Port, Trouble, Wiring};
use super::hub::Hub;
use super::notice::Sentence;
use super::refusal::Refusal;
use super::settings::{Channel, RateChoice, Settings};
use super::source::{SAMPLE_BUDGET, Signal};
use crate::engine::{Fft, QpuHost};

/// Words that are copied at a time.
const CHUNK: usize = 64;

/// When a stream begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Begun {
    Now,
    /// When the input is there.
    Later,
}

/// Who waits for the answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Asker {
    Host { request: u16, stream: u16 },
    Person,
}

/// The live input, and what is to be done with it.
pub(super) struct Live {
    pub capture: Capture,
    pub asker: Option<Asker>,
    /// The stream that comes was not asked for.
    pub is_unasked: bool,
    /// The capture is for a look at the pins.
    pub probe: bool,
    /// The look has ended before it began.
    pub found: Option<Trouble>,
    channel: Channel,
}

impl Live {
    pub(super) const fn new() -> Self {
        Self {
            capture: Capture::new(),
            asker: None,
            is_unasked: false,
            probe: false,
            found: None,
            channel: Channel::Left,
        }
    }

    /// Ends all of it.
    pub(super) fn end(&mut self, board: &mut impl Board) {
        self.capture.end(board.port());
        self.asker = None;
        self.is_unasked = false;
        self.probe = false;
        self.found = None;
    }

    /// Opens the port for these settings. `slots`: left and right.
    pub(super) fn open(
        &mut self,
        settings: &Settings,
        [left, right]: [bool; 2],
        board: &mut impl Board,
    ) -> Result<(), Trouble> {
        let wiring = Wiring {
            left,
            right,
            divisor: settings.divisor(),
        };
        let expected = match settings.rate {
            RateChoice::Hz(rate) => Some(rate),
            RateChoice::Auto => None,
        };
        let now_us = board.now_us();
        self.capture.begin(board.port(), wiring, expected, now_us)
    }

    /// The samples of the capture.
    fn signal(&self) -> Option<Signal> {
        let rate = self.capture.rate()?;
        Some(Signal {
            source: Source::I2s,
            format: SampleFormat::I32,
            domain: self.channel.domain(),
            channels: match self.channel {
                Channel::Left | Channel::Right | Channel::Iq => Channels::All,
                Channel::Qi => Channels::Swapped,
            },
            rate: rate.rate,
            rate_within_hz: rate.within_hz,
            stream: 0,
        })
    }

    /// Hands samples to the analyser; reports if there were any.
    pub(super) fn feed(
        &mut self,
        analyser: &mut Analyser<impl Fft>,
        wants: usize,
        counters: &mut Counters,
        board: &mut impl Board,
    ) -> bool {
        let port = board.port();
        let first = analyser.next_sample();
        let there = self.capture.frames().saturating_sub(first);
        let count = there.min(wants.min(SAMPLE_BUDGET) as u64);
        if count == 0 {
            return false;
        }
        let mut clipped = 0;
        if self.capture.has(first) {
            self.copy(first, count, port, |bytes| {
                clipped += analyser.extend(bytes)
            });
        }
        if self.capture.still_has(port, first) {
            counters.clipped = counters.clipped.saturating_add(clipped);
        } else {
            let (from, lost) = self.capture.skip();
            analyser.restart_at(from);
            let lost = u32::try_from(lost).unwrap_or(u32::MAX);
            counters.overruns = counters.overruns.saturating_add(lost);
        }
        true
    }

    /// Copies samples out of the ring, as bytes.
    fn copy(&self, first: u64, count: u64, port: &mut impl Port, mut take: impl FnMut(&[u8])) {
        let mut words = [0; CHUNK];
        let mut bytes = [0; 4 * CHUNK];
        let frame_words = self.capture.wiring().frame_bytes() as usize / 4;
        let at_a_time = CHUNK / frame_words;
        for start in (0..count).step_by(at_a_time) {
            let frames = (count - start).min(at_a_time as u64) as usize;
            let words = &mut words[..frames * frame_words];
            self.capture.read(port, first + start, words);
            for (word, bytes) in words.iter().zip(bytes.as_chunks_mut().0) {
                *bytes = word.to_le_bytes();
            }
            take(&bytes[..4 * words.len()]);
        }
    }
}

/// The 24 bits of a sample in its word, full scale being 1.
pub(super) fn value(word: u32) -> f32 {
    (word as i32 >> 8) as f32 * (1.0 / 8_388_608.0)
}

/// Reports if a sample is at either end of its range.
pub(super) fn is_clipped(word: u32) -> bool {
    matches!(word >> 8, 0x7f_ffff | 0x80_0000)
}

impl<Q: Fft + QpuHost> Hub<'_, Q> {
    /// Begins a capture for a stream.
    pub(super) fn begin_capture(&mut self, board: &mut impl Board) -> Result<(), Refusal> {
        self.end_stream(board);
        self.live.channel = self.settings.channel;
        let slots = match self.settings.channel {
            Channel::Left => [true, false],
            Channel::Right => [false, true],
            Channel::Iq | Channel::Qi => [true, true],
        };
        let opened = self.live.open(&self.settings, slots, board);
        opened.map_err(Refusal::Input)
    }

    /// Does what the capture asks for; reports if it did.
    pub(super) fn step_live(&mut self, board: &mut impl Board) -> bool {
        let is_idle = !self.live.capture.is_open() && self.live.found.is_none();
        let answers = self.live.asker.is_some();
        if is_idle || (answers && !self.link.outbox.is_free()) {
            return false;
        }
        let event = self.live.capture.step(board.port());
        if self.live.probe {
            return self.step_probe(event, board);
        }
        match event {
            Event::Nothing => return false,
            Event::Started => {
                let asker = self.live.asker.take();
                let is_unasked = core::mem::take(&mut self.live.is_unasked);
                if let Some(signal) = self.live.signal() {
                    self.begin(signal, board);
                    self.stream.unasked = is_unasked;
                }
                match asker {
                    Some(Asker::Host { request, stream }) => {
                        self.link.put(request, stream, &Message::Ack(""), board);
                    }
                    Some(Asker::Person) => self.link.say("ok"),
                    None => {}
                }
            }
            Event::Rate => {
                if let Some(rate) = self.live.capture.rate() {
                    self.stream.set_rate(rate.rate, rate.within_hz);
                    self.refresh_descriptor(board);
                }
            }
            Event::Failed(trouble) => self.fail_input(&trouble, board),
        }
        true
    }

    /// Ends the stream of a capture that has ended, and says why.
    fn fail_input(&mut self, trouble: &Trouble, board: &mut impl Board) {
        let asker = self.live.asker.take();
        self.end_stream(board);
        if let Some(Asker::Host { request, stream }) = asker {
            let refusal = Refusal::Input(*trouble);
            self.link.refuse(&refusal, request, stream, board);
            return;
        }
        let mut sentence = Sentence::new();
        let _ = write!(sentence, "{trouble}");
        self.link.say(&sentence);
        if asker.is_none() {
            self.link.fail(Fault::INPUT_FAILED, &sentence);
        }
    }
}

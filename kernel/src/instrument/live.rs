//! Live input: a capture, its samples on their way to the analyser, and who waits for it.

use wire::{Channels, Counters, Domain, Rate, SampleFormat, Source};

use super::analyser::Analyser;
use super::board::Board;
use super::capture::{Capture, Port, Trouble, Wiring};
use super::settings::{Channel, Settings};
use super::source::{SAMPLE_BUDGET, Signal};
use crate::engine::Fft;

/// Words that are copied at a time.
const CHUNK: usize = 64;

/// When a stream begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Begun {
    Now,
    /// When the input is there.
    Later,
}

/// The one that waits for the answer.
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
    pub channel: Channel,
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

    /// Opens the port for these settings. `slots`: left and right. `expected`: the rate that the
    /// capture insists on.
    pub(super) fn open(
        &mut self,
        settings: &Settings,
        slots: [bool; 2],
        expected: Option<Rate>,
        board: &mut impl Board,
    ) -> Result<(), Trouble> {
        let wiring = settings.wiring(slots);
        let now_us = board.now_us();
        self.capture.begin(board.port(), wiring, expected, now_us)
    }

    /// The samples of the capture.
    pub(super) fn signal(&self) -> Option<Signal> {
        let rate = self.capture.rate()?;
        let (source, format, domain) = match self.capture.wiring() {
            Wiring::I2s(_) => (Source::I2s, SampleFormat::I32, self.channel.domain()),
            Wiring::Smi { .. } => (Source::Smi, SampleFormat::U8High, Domain::Real),
        };
        Some(Signal {
            source,
            format,
            domain,
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
        let frame_bytes = self.capture.wiring().frame_bytes() as usize;
        // A frame of two bytes may begin in the middle of a word.
        let before = (first * frame_bytes as u64 % 4) as usize;
        let at_a_time = (4 * CHUNK - before) / frame_bytes / 2 * 2;
        for start in (0..count).step_by(at_a_time) {
            let frames = (count - start).min(at_a_time as u64) as usize;
            let end = before + frames * frame_bytes;
            let words = &mut words[..end.div_ceil(4)];
            self.capture.read(port, first + start, words);
            for (word, bytes) in words.iter().zip(bytes.as_chunks_mut().0) {
                *bytes = word.to_le_bytes();
            }
            take(&bytes[before..end]);
        }
    }
}

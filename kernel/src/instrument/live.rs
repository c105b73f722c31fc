//! Live input: a capture, its samples on their way to the analyser, and who waits for it.

use wire::{Channels, Counters, Domain, Rate, SampleFormat, Source};

use super::analyser::Analyser;
use super::board::{Board, SECOND_US};
use super::capture::{Capture, Trouble};
use super::settings::{Channel, Input, Mode, Settings};
use super::source::Signal;
use crate::engine::Fft;
use crate::engine::samples::Coding;

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
    pub input: Input,
    pub channel: Channel,
    pub mode: Mode,
    pub holes: Holes,
}

/// Seconds in which blocks were left out, and those in which no others were there.
pub(super) struct Holes {
    ends_us: u64,
    /// A block was done in this second.
    pub had_block: bool,
    /// Samples left out by the last second's end.
    left_out: u64,
    /// Samples lost since then.
    lost: u64,
    /// The counters are to be sent, because no record has them.
    pub status_due: bool,
}

impl Holes {
    const fn new() -> Self {
        Self {
            ends_us: 0,
            had_block: false,
            left_out: 0,
            lost: 0,
            status_due: false,
        }
    }

    /// Ends a second, if one has passed. If blocks were left out and none was done, it returns the
    /// number of samples that were lost.
    pub(super) fn second(&mut self, now_us: u64, counters: &Counters) -> Option<u64> {
        if now_us < self.ends_us {
            return None;
        }
        let is_empty = !self.had_block && counters.left_out > self.left_out;
        let lost = self.lost;
        *self = Self {
            ends_us: now_us + SECOND_US,
            left_out: counters.left_out,
            ..Self::new()
        };
        is_empty.then_some(lost)
    }
}

impl Live {
    pub(super) const fn new() -> Self {
        Self {
            capture: Capture::new(),
            asker: None,
            is_unasked: false,
            probe: false,
            found: None,
            input: Input::I2s,
            channel: Channel::Left,
            mode: Mode::Stream,
            holes: Holes::new(),
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

    /// The coding of the samples.
    pub(super) const fn coding(&self) -> Coding {
        let (format, domain) = match self.input {
            Input::Smi => (SampleFormat::U8High, Domain::Real),
            Input::I2s | Input::Generator => (SampleFormat::I32, self.channel.domain()),
        };
        Coding {
            format,
            domain,
            channels: match self.channel {
                Channel::Left | Channel::Right | Channel::Iq => Channels::All,
                Channel::Qi => Channels::Swapped,
            },
        }
    }

    /// The samples of the capture.
    pub(super) fn signal(&self) -> Option<Signal> {
        let rate = self.capture.rate()?;
        Some(Signal {
            source: match self.input {
                Input::Smi => Source::Smi,
                Input::I2s | Input::Generator => Source::I2s,
            },
            coding: self.coding(),
            rate: rate.rate,
            rate_within_hz: rate.within_hz,
            stream: 0,
        })
    }

    /// Lets the analyser know which samples are there. Where DMA has overtaken some, they are left
    /// out; reports if so.
    pub(super) fn feed(
        &mut self,
        analyser: &mut Analyser<impl Fft>,
        counters: &mut Counters,
    ) -> bool {
        let lost = self.capture.take_lost();
        counters.overruns = counters.overruns.saturating_add(lost);
        self.holes.lost += lost;
        analyser.note_ring(self.capture.whole_end());
        if let Some(index) = analyser.go_to_newest() {
            self.capture.cover(index);
        }
        let is_overtaken = !self.capture.ring.has(analyser.first_needed());
        if is_overtaken {
            self.leave_out(analyser, counters);
        } else if !self.pass_gap(analyser, counters) {
            return false;
        }
        analyser.note_ring(self.capture.whole_end());
        true
    }

    /// Goes on behind a gap when no block before it is left to do; reports if so.
    fn pass_gap(&mut self, analyser: &mut Analyser<impl Fft>, counters: &mut Counters) -> bool {
        let Some(gap) = self.capture.gap().filter(|_| analyser.has_done_all()) else {
            return false;
        };
        let from = match self.mode {
            Mode::Stream => analyser.covered_end(),
            // The others were not asked for.
            Mode::Snapshot => gap.start,
        };
        let left_out = gap.end.saturating_sub(from);
        counters.left_out = counters.left_out.saturating_add(left_out);
        self.capture.pass_gap(left_out);
        analyser.go_on_at(gap.end, self.capture.ahead());
        true
    }

    /// Goes on behind what DMA has overtaken, and counts the samples that are in no record.
    pub(super) fn leave_out(&mut self, analyser: &mut Analyser<impl Fft>, counters: &mut Counters) {
        let (from, lost) = self.capture.skip();
        analyser.restart_at(from, self.capture.ahead());
        counters.overruns = counters.overruns.saturating_add(lost);
    }
}

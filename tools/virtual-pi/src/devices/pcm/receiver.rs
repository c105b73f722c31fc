//! Reception: channels cut out of frames, and the FIFO that they go to.
//!
//! A word goes to the FIFO when the last bit of its channel has come. What finds the FIFO full is
//! lost, a word at a time, so that left and right may change places afterwards.

use std::collections::VecDeque;

use super::link::Link;
use crate::devices::NEVER;

/// Words of the FIFO. Source: BCM2835 ARM Peripherals, section 8.8, thresholds of DREQ_A.
pub const DEPTH: usize = 64;

/// A channel: the bits of a frame that make a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// The first bit, counted from the start of the frame.
    pub position: u64,
    /// Bits, 8 to 32.
    pub width: u32,
}

/// The channels that are received, in the order in which they end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Format {
    /// One or two channels; none receives nothing.
    pub channels: Vec<Channel>,
    /// Both are put into one word, 16 bits each, the first one low.
    pub packed: bool,
    /// Samples are extended by their sign.
    pub signed: bool,
}

/// The receiver.
#[derive(Default)]
pub struct Receiver {
    format: Format,
    /// The number of the next word since frame 0, while it is on.
    next: Option<u64>,
    /// The time at which that is in the FIFO.
    next_at: u64,
    fifo: VecDeque<u32>,
    /// A word was lost, or one was read that was not there.
    pub error: bool,
}

impl Receiver {
    fn words_per_frame(&self) -> u64 {
        match self.format.packed {
            true => u64::from(!self.format.channels.is_empty()),
            false => self.format.channels.len() as u64,
        }
    }

    /// Starts with the next frame that begins at `now` or later.
    pub fn start(&mut self, format: Format, link: &Link, now: u64) {
        self.format = format;
        let clocks = link.clock.cycles_at(now).saturating_sub(link.first);
        let frame = if now > link.clock.clock_after(link.first + clocks) {
            clocks / link.frame_clocks + 1
        } else {
            clocks.div_ceil(link.frame_clocks)
        };
        self.expect(frame * self.words_per_frame(), link);
    }

    /// Stops at once.
    pub fn stop(&mut self) {
        self.next = None;
    }

    /// True if it is on.
    pub fn is_on(&self) -> bool {
        self.next.is_some()
    }

    /// The time at which the word after `ahead` others is in the FIFO.
    pub fn word_at(&self, ahead: u64, link: &Link) -> u64 {
        match (ahead, self.next) {
            (_, None) => NEVER,
            (0, _) => self.next_at,
            (_, Some(next)) => self.time_of(next + ahead, link),
        }
    }

    /// The time at which word `number` is in the FIFO.
    fn time_of(&self, number: u64, link: &Link) -> u64 {
        let per_frame = self.words_per_frame();
        if per_frame == 0 {
            return NEVER;
        }
        let last = match self.format.packed {
            true => self.format.channels.last(),
            false => self.format.channels.get((number % per_frame) as usize),
        };
        let end = last.map_or(0, |channel| channel.position + u64::from(channel.width));
        let frame = number / per_frame;
        link.clock
            .clock_after(link.first + frame * link.frame_clocks + end)
    }

    /// The next word is word `number`.
    fn expect(&mut self, number: u64, link: &Link) {
        self.next = Some(number);
        self.next_at = self.time_of(number, link);
    }

    fn word(&self, number: u64, link: &Link) -> u32 {
        let (frame, index) = match self.words_per_frame() {
            0 => return 0,
            per_frame => (number / per_frame, number % per_frame),
        };
        let of = |channel: &Channel| {
            let bits = link.bits(frame, channel.position, channel.width);
            let above = 32 - channel.width;
            match self.format.signed {
                true => ((bits << above) as i32 >> above) as u32,
                false => bits,
            }
        };
        let channels = &self.format.channels;
        if self.format.packed {
            return channels
                .iter()
                .rev()
                .fold(0, |word, channel| word << 16 | of(channel) & 0xffff);
        }
        channels.get(index as usize).map_or(0, of)
    }

    /// Takes the words that have come by `now`; without `stored` the FIFO's memory is in standby or
    /// being cleared, and they are lost.
    pub fn advance(&mut self, now: u64, link: &Link, stored: bool) {
        while let Some(next) = self.next
            && self.next_at <= now
        {
            if stored && self.fifo.len() < DEPTH {
                let word = self.word(next, link);
                self.fifo.push_back(word);
            } else if stored {
                self.error = true;
            }
            self.expect(next + 1, link);
        }
    }

    /// Words in the FIFO.
    pub fn level(&self) -> usize {
        self.fifo.len()
    }

    /// True if the FIFO holds whole frames.
    pub fn is_in_sync(&self) -> bool {
        (self.fifo.len() as u64).is_multiple_of(self.words_per_frame().max(1))
    }

    /// Empties the FIFO.
    pub fn clear(&mut self) {
        self.fifo.clear();
    }

    /// Takes the oldest word.
    pub fn take(&mut self) -> u32 {
        let word = self.fifo.pop_front();
        self.error |= word.is_none();
        word.unwrap_or(0)
    }
}

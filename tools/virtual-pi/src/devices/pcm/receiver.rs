//! Reception: channels cut out of frames, and the FIFO that they go to.
//!
//! A word goes to the FIFO when the last bit of its channel has come. What finds the FIFO full is
//! lost, a word at a time, so that left and right may change places afterwards.
//!
//! Sources: BCM2835 ARM Peripherals, section 8.8, RXC_A and thresholds of DREQ_A; Linux
//! `bcm2835-i2s.c`; raspberrypi/linux 1417 for channels that change places when a FIFO runs over.

use std::collections::VecDeque;

use super::link::Link;
use super::{FRXP, RXSEX};
use crate::devices::NEVER;

/// Words of the FIFO.
pub const DEPTH: usize = 64;
const CHWEX: u32 = 1 << 15;
const CHEN: u32 = 1 << 14;

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

impl Format {
    /// The channels that RXC describes, as far as a frame has their first bit.
    pub fn of(rxc: u32, mode: u32, cs: u32, frame_clocks: u64) -> Self {
        let channel = |half: u32| {
            let width = (half & 0xf) + 8 + if half & CHWEX != 0 { 16 } else { 0 };
            (half & CHEN != 0).then_some(Channel {
                position: u64::from(half >> 4 & 0x3ff),
                width: width.min(32),
            })
        };
        let mut channels: Vec<Channel> = [rxc >> 16, rxc & 0xffff]
            .into_iter()
            .filter_map(channel)
            .filter(|channel| channel.position < frame_clocks)
            .collect();
        channels.sort_by_key(|channel| channel.position);
        Self {
            channels,
            packed: mode & FRXP != 0,
            signed: cs & RXSEX != 0,
        }
    }
}

/// Words of PCM's receiver since power-on, resets of the board included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PcmWords {
    /// Words whose last bit came while the receiver was on (EN and RXON, with a clock) and its FIFO
    /// took words. A word is a channel's sample, or a frame's where both are packed.
    pub due: u64,
    /// Those of them that found the FIFO full.
    pub lost: u64,
    /// Words that DMA or the ARM has taken from the FIFO.
    pub taken: u64,
    /// Frames of which a word was lost.
    pub frames_lost: u64,
}

/// The receiver.
#[derive(Default)]
pub struct Receiver {
    format: Format,
    /// The number of the next word since frame 0, while it is on.
    next: Option<u64>,
    /// The time at which that is in the FIFO.
    next_at: u64,
    /// Reception ends with the frame, before this word.
    until: Option<u64>,
    fifo: VecDeque<u32>,
    /// A word was lost, or one was read that was not there.
    pub error: bool,
    /// The counts.
    pub counts: PcmWords,
    /// The frame of which a word was lost last, of those since the start.
    lost_frame: Option<u64>,
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
        self.lost_frame = None;
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
        self.until = None;
    }

    /// Stops at the end of the frame; or goes on after all.
    pub fn stop_after_frame(&mut self, stops: bool) {
        let per_frame = self.words_per_frame().max(1);
        let next = self.next.filter(|_| stops);
        self.until = next.map(|next| next.next_multiple_of(per_frame));
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
        while let Some(next) = self.next {
            if self.until.is_some_and(|until| next >= until) {
                return self.stop();
            }
            if self.next_at > now {
                return;
            }
            self.counts.due += u64::from(stored);
            if stored && self.fifo.len() < DEPTH {
                let word = self.word(next, link);
                self.fifo.push_back(word);
            } else if stored {
                self.lose(next);
            }
            self.expect(next + 1, link);
        }
    }

    /// Word `number` finds the FIFO full.
    fn lose(&mut self, number: u64) {
        self.error = true;
        self.counts.lost += 1;
        let frame = number / self.words_per_frame().max(1);
        if self.lost_frame.replace(frame) != Some(frame) {
            self.counts.frames_lost += 1;
        }
    }

    /// Words in the FIFO.
    pub fn level(&self) -> usize {
        self.fifo.len()
    }

    /// True if the FIFO holds whole frames, and the words of the one that is coming.
    pub fn is_in_sync(&self) -> bool {
        let per_frame = self.words_per_frame().max(1);
        let begun = self.next.unwrap_or(0) % per_frame;
        self.fifo.len() as u64 % per_frame == begun
    }

    /// Empties the FIFO.
    pub fn clear(&mut self) {
        self.fifo.clear();
    }

    /// Takes the oldest word.
    pub fn take(&mut self) -> u32 {
        let word = self.fifo.pop_front();
        self.error |= word.is_none();
        self.counts.taken += u64::from(word.is_some());
        word.unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_channels_of_32_bits_fill_a_frame() {
        let half = |position: u32| CHWEX | CHEN | position << 4 | 8;
        let channel = |position| Channel {
            position,
            width: 32,
        };
        let found = Format::of(half(1) << 16 | half(33), 0, RXSEX, 64);
        assert_eq!(found.channels, [channel(1), channel(33)]);
        assert!(found.signed && !found.packed);
        // The first channel of a frame comes first, whatever its number; one beyond it never does.
        let found = Format::of(half(33) << 16 | half(1), FRXP, 0, 64);
        assert_eq!(found.channels, [channel(1), channel(33)]);
        assert!(found.packed);
        assert_eq!(
            Format::of(half(1) << 16 | half(64), 0, 0, 64).channels,
            [channel(1)]
        );
        assert_eq!(Format::of(CHEN | 8, 0, 0, 64).channels[0].width, 16);
    }
}

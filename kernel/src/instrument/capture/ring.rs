//! The ring: which samples are in memory, counted from the first.
//!
//! DMA goes round and round, and only its place is known. The number of rounds follows from the
//! time and the rate, so a caller may stay away for longer than a round and the index of every
//! sample stays exact.
//!
//! A block may begin near the end of the ring. Its rest is copied from the start of the ring to the
//! tail behind the end, so that the block is one piece of memory. That happens once a round.

use core::ops::Range;

use qpu::job::{Buffer, BusAddr};

use super::port::{MARGIN_BYTES, Place, RING_BYTES, TAIL_BYTES};
use crate::dma_buf::{DmaBuf, LINE_BYTES};

const RING: u64 = RING_BYTES as u64;
/// DMA is at least so far from samples that are read: 13 ms at 20 MS/s. Nobody may read a line
/// while DMA writes it, and the ARM takes a while to read a lot of blocks.
const HEADROOM_BYTES: u64 = 512 << 10;
/// Words that are copied at a time.
const CHUNK: usize = 64;

/// Samples of the ring among which some are missing, by index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::instrument) struct Gap {
    /// All samples before this one are whole.
    pub start: u64,
    /// From this one on they are again. It begins a line, and may be yet to come.
    pub end: u64,
}

/// The bytes that DMA has written since it began.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::instrument) struct Ring {
    frame_bytes: u64,
    /// Bytes that DMA has written, and those that it has passed over.
    pub(super) written: u64,
    /// Bytes that DMA has passed over, because it began again at a line.
    passed: u64,
    /// When they were that many.
    pub(super) seen_us: u64,
    /// The round whose start the tail continues, and how many bytes of it.
    tail: (u64, usize),
}

impl Ring {
    /// A ring that is empty now.
    pub(super) const fn new(frame_bytes: u32, now_us: u64) -> Self {
        Self {
            frame_bytes: frame_bytes as u64,
            written: 0,
            passed: 0,
            seen_us: now_us,
            tail: (0, 0),
        }
    }

    /// Takes in DMA's place. `bytes_a_second` says how many rounds it has made; 0 where it is not
    /// known, and less than a round has passed.
    pub(super) fn update(&mut self, place: Place, bytes_a_second: f64) {
        let seconds = place.at_us.saturating_sub(self.seen_us) as f64 / 1e6;
        let ahead = (u64::from(place.bytes) % RING + RING - self.written % RING) % RING;
        let rounds = (seconds * bytes_a_second - ahead as f64) / RING as f64;
        self.written += ahead + libm::round(rounds).max(0.0) as u64 * RING;
        self.seen_us = place.at_us;
    }

    /// Lets DMA begin again at the next line; returns its place in the ring.
    pub(super) const fn begin_again(&mut self) -> u32 {
        // A frame of which only a part came has not come.
        let whole = self.written - self.written % self.frame_bytes;
        let at = self.written.next_multiple_of(LINE_BYTES as u64);
        self.passed += at - whole;
        self.written = at;
        (at % RING) as u32
    }

    /// Bytes that DMA has written.
    pub(super) const fn received(&self) -> u64 {
        self.written - self.passed
    }

    /// Frames that DMA has passed over.
    pub(super) const fn frames_passed(&self) -> u64 {
        self.passed / self.frame_bytes
    }

    /// The first frame of a line of which FIFO and DMA hold nothing, where they hold `words`.
    pub(super) const fn beyond(&self, words: u32) -> u64 {
        let end = self.written + 4 * words as u64 + MARGIN_BYTES;
        (end / self.frame_bytes + 1).next_multiple_of(LINE_BYTES as u64)
    }

    /// Frames that are in memory for certain.
    pub(in crate::instrument) const fn frames(&self) -> u64 {
        self.written.saturating_sub(MARGIN_BYTES) / self.frame_bytes
    }

    /// Reports if DMA has left this frame and those behind it alone, as of the last look, and does
    /// not come near them.
    pub(in crate::instrument) const fn has(&self, frame: u64) -> bool {
        self.written + HEADROOM_BYTES <= frame * self.frame_bytes + RING
    }

    /// The index from which to go on when frames have been overtaken: that of a frame which begins
    /// a line, and which is yet to come.
    pub(super) const fn restart(&self) -> u64 {
        self.frames().next_multiple_of(LINE_BYTES as u64)
    }

    /// Hands over `count` frames from frame `first` on, some at a time: words, and which of their
    /// bytes are of these frames. They are what DMA wrote if [`Self::has`] says so afterwards.
    pub(in crate::instrument) fn read(
        &self,
        memory: &mut DmaBuf,
        first: u64,
        count: u64,
        mut take: impl FnMut(&[u32], Range<usize>),
    ) {
        let end = (first + count) * self.frame_bytes;
        let mut at = first * self.frame_bytes;
        while at < end {
            let from = at - at % 4;
            let place = from % RING;
            let until = end.min(from + (RING - place).min(4 * CHUNK as u64));
            let words = (until - from).div_ceil(4) as usize;
            let words = memory.look(place as usize / 4, words);
            debug_assert!(!words.is_empty(), "the memory is as long as the ring");
            take(words, (at - from) as usize..(until - from) as usize);
            at = until;
        }
    }

    /// The place of `count` frames from frame `first` on, in one piece, if they are all there and
    /// begin a line. The QPUs read them there; DMA has overtaken them when
    /// [`super::Capture::still_has`] denies the first of them.
    pub(in crate::instrument) fn lend(
        &mut self,
        memory: &mut DmaBuf,
        first: u64,
        count: u64,
    ) -> Option<Buffer> {
        let start = first * self.frame_bytes;
        let begins_line = start.is_multiple_of(LINE_BYTES as u64);
        if !begins_line || self.frames() < first + count {
            return None;
        }
        let offset = (start % RING) as usize;
        let bytes = (count * self.frame_bytes) as usize;
        let behind_end = (offset + bytes).saturating_sub(RING_BYTES);
        if behind_end > TAIL_BYTES {
            return None;
        }
        if behind_end > 0 {
            self.continue_in_tail(memory, start / RING + 1, behind_end);
        }
        let BusAddr(base) = memory.bus();
        Some(Buffer {
            addr: BusAddr(base + offset as u32),
            bytes: bytes as u32,
        })
    }

    /// Copies the first `bytes` bytes of a round behind the end of the ring. What is there of the
    /// round already stays untouched: the QPUs may be reading it.
    fn continue_in_tail(&mut self, memory: &mut DmaBuf, round: u64, bytes: usize) {
        let (known, done) = self.tail;
        let mut done = if known == round { done } else { 0 };
        let bytes = bytes.next_multiple_of(LINE_BYTES);
        let mut words = [0; CHUNK];
        while done < bytes {
            let words = &mut words[..CHUNK.min((bytes - done) / 4)];
            let copied =
                memory.read(done / 4, words) && memory.write((RING_BYTES + done) / 4, words);
            debug_assert!(copied, "the tail is as long as the longest block");
            done += 4 * words.len();
        }
        self.tail = (round, done);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: f64 = 4.0 * 50_000.0;

    fn place(bytes: u64, at_us: u64) -> Place {
        Place {
            bytes: (bytes % RING) as u32,
            at_us,
            within_us: 1,
            is_overrun: false,
        }
    }

    /// A ring in which DMA has written the index of each frame.
    fn filled(frames: u64) -> (Ring, DmaBuf) {
        let mut memory = DmaBuf::fake((RING_BYTES + TAIL_BYTES) / 4);
        let words = RING_BYTES as u64 / 4;
        for frame in frames.saturating_sub(words)..frames {
            memory.words_mut()[(frame % words) as usize] = frame as u32;
        }
        let mut ring = Ring::new(4, 0);
        ring.update(place(4 * frames, frames * 20), RATE);
        (ring, memory)
    }

    #[test]
    fn rounds_are_counted_however_long_nobody_looked() {
        for bytes in [
            0,
            4,
            RING - 4,
            RING,
            RING + 4,
            7 * RING + RING / 2,
            1000 * RING,
        ] {
            let mut ring = Ring::new(4, 10);
            ring.update(place(bytes, 10 + bytes * 5), RATE);
            assert_eq!(ring.written, bytes);
            // A rate that is 0.04 % off does no harm in a thousand rounds.
            let mut ring = Ring::new(4, 10);
            ring.update(place(bytes, 10 + bytes * 5), 1.0004 * RATE);
            assert_eq!(ring.written, bytes);
        }
        let mut ring = Ring::new(4, 0);
        ring.update(place(RING - 8, 20), 0.0);
        ring.update(place(RING + 8, 40), 0.0);
        assert_eq!(ring.written, RING + 8);
    }

    #[test]
    fn frames_are_there_when_dma_has_left_their_line_and_until_it_comes_again() {
        let (ring, _) = filled(1000);
        assert_eq!(ring.frames(), 1000 - MARGIN_BYTES / 4);
        assert!(ring.has(0));
        let (ring, _) = filled(RING / 4 + 1000);
        assert!(!ring.has(1000 + HEADROOM_BYTES / 4 - 1));
        assert!(ring.has(1000 + HEADROOM_BYTES / 4));
        assert!(ring.restart() * 4 % 64 == 0 && ring.restart() >= ring.frames());
    }

    /// The words of frames of 4 bytes.
    fn read(ring: &Ring, memory: &mut DmaBuf, first: u64, count: u64) -> Vec<u32> {
        let mut all = vec![];
        ring.read(memory, first, count, |words, bytes| {
            assert_eq!(bytes, 0..4 * words.len());
            all.extend_from_slice(words);
        });
        all
    }

    #[test]
    fn a_block_at_the_end_of_the_ring_goes_on_behind_it() {
        let (mut ring, mut memory) = filled(RING / 4 + 5000);
        let first = RING / 4 - 1024;
        for number in 0..4 {
            let first = first + 512 * number;
            let block = ring.lend(&mut memory, first, 4096).expect("it is there");
            assert_eq!(block.bytes, 4 * 4096);
            let start = (block.addr.0 - memory.bus().0) as usize / 4;
            let words = &memory.words()[start..start + 4096];
            let wanted: Vec<u32> = (first as u32..).take(4096).collect();
            assert!(words == wanted, "block {number}");
            let copy = read(&ring, &mut memory, first, 4096);
            assert!(copy == wanted, "block {number}, copied");
        }
        assert_eq!(ring.lend(&mut memory, first, 1 << 14), None, "not yet");
        assert_eq!(ring.lend(&mut memory, first + 1, 16), None, "inside a line");
    }

    #[test]
    fn frames_of_two_bytes_may_begin_inside_a_word() {
        let mut memory = DmaBuf::fake((RING_BYTES + TAIL_BYTES) / 4);
        let frames = RING / 2 + 10_000;
        for word in (frames / 2).saturating_sub(RING / 4)..frames / 2 {
            let frame = 2 * word as u32;
            memory.words_mut()[(word % (RING / 4)) as usize] = frame & 0xffff | (frame + 1) << 16;
        }
        let mut ring = Ring::new(2, 0);
        ring.update(place(2 * frames, frames * 10), RATE);
        let nearly_all = RING / 2 - 500;
        for (first, count) in [
            (nearly_all, 1001),
            (nearly_all + 1, 1000),
            (nearly_all + 1, 1),
        ] {
            let mut got = vec![];
            ring.read(&mut memory, first, count, |words, bytes| {
                let all: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                let frames = all[bytes].as_chunks().0.iter();
                got.extend(frames.map(|frame| u16::from_le_bytes(*frame)));
            });
            let wanted = (first..first + count).map(|frame| frame as u16);
            assert!(got.into_iter().eq(wanted), "{count} from {first}");
        }
        assert_eq!(
            ring.lend(&mut memory, nearly_all, 1000),
            None,
            "inside a line"
        );
        let block = ring
            .lend(&mut memory, nearly_all - 12, 1000)
            .expect("on a line");
        assert_eq!((block.addr.0 - memory.bus().0) as u64, RING - 1024);
    }
}

//! From bytes to frames, text and damage, one byte at a time.
//!
//! Whatever arrives, the decoder yields a payload only when frame structure, length field and
//! checksum all agree, and finds its feet again at the next zero byte. Text is handed on line by
//! line, before any zero byte, so that the messages of other programs on the line (the boot
//! firmware) are seen as they come.

use crate::field::{Field, Reader};
use crate::frame::{CRC_BYTES, HEADER_BYTES, MAGIC, MAX_ENCODED, VERSION_MAJOR, crc32};
use crate::{Header, MAX_PAYLOAD};

/// Text without a line end is handed on in pieces of this many bytes.
pub const TEXT_PIECE: usize = 256;

/// The kind of bytes that arrived since the last item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Item<'a> {
    /// Printable ASCII, tabs and line ends; a line with its end, or what came before a frame.
    Text(&'a [u8]),
    /// A frame whose checksum holds, and its payload.
    Frame(Header, &'a [u8]),
    /// Bytes that are neither.
    Damaged {
        /// The fault.
        reason: Damage,
        /// The number of bytes that were lost.
        bytes: usize,
    },
}

/// Why bytes between two zero bytes are not a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Damage {
    /// Not COBS, or too short for a header: noise, or a piece of a frame.
    NotAFrame,
    /// More bytes without a zero byte than any frame has.
    TooLong,
    /// The checksum does not match.
    Checksum,
    /// The length field does not match; the checksum does.
    Length,
    /// The checksum matches, but the frame is of another major version.
    Version(u8),
}

/// Counts of the line's behaviour since the decoder was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LineCounters {
    /// Frames handed on.
    pub frames: u64,
    /// Bytes of text handed on.
    pub text_bytes: u64,
    /// Bytes that were neither.
    pub lost_bytes: u64,
    /// Segments with the form of a frame whose checksum was wrong.
    pub crc_errors: u64,
    /// All damaged segments, wrong checksums included.
    pub damaged: u64,
    /// Frames that are missing by their sequence numbers.
    pub sequence_gaps: u64,
    /// Times the sender began again at sequence number 0.
    pub restarts: u64,
}

/// The receiving end of a line.
pub struct Decoder {
    buffer: [u8; MAX_ENCODED],
    used: usize,
    /// A byte of this segment was not text. (Said this way round, a new decoder is all zero bits
    /// and costs a static nothing in the image.)
    binary: bool,
    /// Text of this segment has been handed on, so it is no frame.
    text_taken: bool,
    /// The segment is too long; its bytes are counted and thrown away.
    overflow: usize,
    next_sequence: Option<u32>,
    counters: LineCounters,
}

impl Default for Decoder {
    fn default() -> Self {
        Self::new()
    }
}

const fn is_text(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\t' | b'\r' | b'\n')
}

impl Decoder {
    /// A decoder that has seen nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            buffer: [0; MAX_ENCODED],
            used: 0,
            binary: false,
            text_taken: false,
            overflow: 0,
            next_sequence: None,
            counters: LineCounters {
                frames: 0,
                text_bytes: 0,
                lost_bytes: 0,
                crc_errors: 0,
                damaged: 0,
                sequence_gaps: 0,
                restarts: 0,
            },
        }
    }

    /// The line's behaviour so far.
    #[must_use]
    pub const fn counters(&self) -> LineCounters {
        self.counters
    }

    /// Bytes of a segment that has not ended yet.
    #[must_use]
    pub const fn pending(&self) -> usize {
        self.used + self.overflow
    }

    /// Returns whether what has arrived since the last item can be text no more: a frame, or noise.
    #[must_use]
    pub const fn is_in_binary(&self) -> bool {
        self.binary || self.overflow > 0
    }

    /// Takes one byte; returns an item when the byte ends one.
    pub fn push(&mut self, byte: u8) -> Option<Item<'_>> {
        if byte == 0 {
            return self.end_segment();
        }
        if self.overflow > 0 {
            self.overflow += 1;
            return None;
        }
        self.binary |= !is_text(byte);
        if self.used == self.buffer.len() {
            self.overflow = self.used + 1;
            self.used = 0;
            return None;
        }
        self.buffer[self.used] = byte;
        self.used += 1;
        if byte == b'\n' || self.used == TEXT_PIECE {
            return self.take_line();
        }
        None
    }

    /// Ends the stream: what has arrived of the last segment becomes an item.
    pub fn finish(&mut self) -> Option<Item<'_>> {
        self.end_segment()
    }

    /// Hands on pending text before its line end, as for a terminal that sends CR alone. Nothing
    /// when there is none, or when it may be part of a frame.
    pub fn take_line(&mut self) -> Option<Item<'_>> {
        // A lone first byte may be the COBS code of a frame; its second byte would tell.
        if self.binary || self.overflow > 0 || (self.used < 2 && !self.text_taken) {
            return None;
        }
        self.text_taken = true;
        self.take_text()
    }

    /// Takes the last character of a line under way back, as Backspace in a terminal asks; whether
    /// a line was under way. No byte of a frame is taken for that: its second byte is no text.
    pub fn erase(&mut self) -> bool {
        let in_line = !self.is_in_binary() && (self.used > 0 || self.text_taken);
        if in_line {
            self.used = self.used.saturating_sub(1);
        }
        in_line
    }

    fn take_text(&mut self) -> Option<Item<'_>> {
        let length = core::mem::take(&mut self.used);
        if length == 0 {
            return None;
        }
        self.counters.text_bytes += length as u64;
        Some(Item::Text(&self.buffer[..length]))
    }

    fn end_segment(&mut self) -> Option<Item<'_>> {
        let binary = core::mem::take(&mut self.binary);
        self.text_taken = false;
        let overflow = core::mem::take(&mut self.overflow);
        if overflow > 0 {
            return Some(self.damaged(Damage::TooLong, overflow));
        }
        if !binary {
            return self.take_text();
        }
        let segment = core::mem::take(&mut self.used);
        match self.check(segment) {
            Ok((header, length)) => {
                self.counters.frames += 1;
                self.follow(header.sequence);
                let payload = &self.buffer[HEADER_BYTES..HEADER_BYTES + length];
                Some(Item::Frame(header, payload))
            }
            Err(reason) => Some(self.damaged(reason, segment)),
        }
    }

    fn damaged(&mut self, reason: Damage, bytes: usize) -> Item<'_> {
        self.counters.damaged += 1;
        self.counters.lost_bytes += bytes as u64;
        if reason == Damage::Checksum {
            self.counters.crc_errors += 1;
        }
        Item::Damaged { reason, bytes }
    }

    /// Undoes COBS in place and holds the frame to all its rules; header and payload length.
    fn check(&mut self, segment: usize) -> Result<(Header, usize), Damage> {
        let length =
            cobs::decode_in_place(&mut self.buffer[..segment]).map_err(|_| Damage::NotAFrame)?;
        let frame = &self.buffer[..length];
        let Some(body) = length.checked_sub(CRC_BYTES) else {
            return Err(Damage::NotAFrame);
        };
        let (body, crc) = frame.split_at(body);
        let mut reader = Reader::new(body);
        let first: u8 = reader.get().map_err(|_| Damage::NotAFrame)?;
        if first & 0xF0 != MAGIC || body.len() < HEADER_BYTES {
            return Err(Damage::NotAFrame);
        }
        if crc != crc32(body).to_le_bytes() {
            return Err(Damage::Checksum);
        }
        if first != MAGIC + VERSION_MAJOR {
            return Err(Damage::Version(first & 0x0F));
        }
        let header = Header::read(&mut reader).map_err(|_| Damage::NotAFrame)?;
        let stated: u16 = reader.get().map_err(|_| Damage::NotAFrame)?;
        let payload = body.len() - HEADER_BYTES;
        if payload != usize::from(stated) || payload > MAX_PAYLOAD {
            return Err(Damage::Length);
        }
        Ok((header, payload))
    }

    /// Counts what is missing before `sequence`. A step back is a sender that started again, not
    /// four thousand million lost frames.
    fn follow(&mut self, sequence: u32) {
        if let Some(expected) = self.next_sequence {
            let missing = sequence.wrapping_sub(expected);
            if missing < 1 << 31 {
                self.counters.sequence_gaps += u64::from(missing);
            } else {
                self.counters.restarts += 1;
                self.counters.sequence_gaps += u64::from(sequence);
            }
        }
        self.next_sequence = Some(sequence.wrapping_add(1));
    }
}

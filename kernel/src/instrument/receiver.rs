//! The receiving end of the line: bytes to frames and lines.

use wire::{Decoder, Item};

use super::board::{Board, SECOND_US};

/// A fragment of a frame is given up when nothing has followed for this time.
const FRAGMENT_US: u64 = SECOND_US;

/// Bytes that have come, and the decoder that they go through.
pub(super) struct Receiver<'a> {
    decoder: &'a mut Decoder,
    received: [u8; 256],
    start: usize,
    end: usize,
    /// When the last byte was looked at.
    byte_us: u64,
}

impl<'a> Receiver<'a> {
    pub(super) const fn new(decoder: &'a mut Decoder) -> Self {
        Self {
            decoder,
            received: [0; 256],
            start: 0,
            end: 0,
            byte_us: 0,
        }
    }

    /// Takes the next byte, if one has come.
    pub(super) fn byte(&mut self, board: &mut impl Board) -> Option<u8> {
        if self.start == self.end {
            self.start = 0;
            self.end = board.receive(&mut self.received);
        }
        let byte = *self.received[..self.end].get(self.start)?;
        self.start += 1;
        Some(byte)
    }

    /// Forgets what has come and has not become an item yet.
    pub(super) fn forget(&mut self) {
        (self.start, self.end) = (0, 0);
        let _ = self.decoder.finish();
    }

    /// Notes that a byte has come now.
    pub(super) fn note(&mut self, now_us: u64) {
        self.byte_us = now_us;
    }

    /// Decodes a byte, and hands on the item that it ends.
    pub(super) fn decode(&mut self, byte: u8, take: impl FnOnce(Item)) {
        // Backspace, which terminals send as either.
        if matches!(byte, 0x08 | 0x7F) && self.decoder.erase() {
            return;
        }
        let mut item = self.decoder.push(byte);
        if item.is_none() && byte == b'\r' {
            // A terminal's Enter key.
            item = self.decoder.take_line();
        }
        if let Some(item) = item {
            take(item);
        }
    }

    /// Gives up what cannot become text any more and has not gone on for a second, so that a stray
    /// byte (an arrow key, noise of a plug) does not swallow every command typed after it. Reports
    /// if there was any.
    pub(super) fn give_up(&mut self, now_us: u64, take: impl FnOnce(Item)) -> bool {
        let is_stale = self.fragment_ends_us().is_some_and(|at_us| now_us >= at_us);
        if is_stale && let Some(item) = self.decoder.finish() {
            take(item);
        }
        is_stale
    }

    /// When a fragment will be given up, if there is one.
    pub(super) fn fragment_ends_us(&self) -> Option<u64> {
        self.decoder
            .is_in_binary()
            .then_some(self.byte_us + FRAGMENT_US)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text that bytes become, without frames.
    fn typed(receiver: &mut Receiver, bytes: &[u8]) -> String {
        let mut text = String::new();
        for byte in bytes {
            receiver.decode(*byte, |item| match item {
                Item::Text(line) => text.push_str(core::str::from_utf8(line).unwrap()),
                Item::Frame(..) | Item::Damaged { .. } => {}
            });
        }
        text
    }

    #[test]
    fn a_line_ends_with_either_key_and_can_be_corrected() {
        let mut decoder = Decoder::new();
        let mut receiver = Receiver::new(&mut decoder);
        assert_eq!(typed(&mut receiver, b"hepx\x08\x7flp\r"), "help\r");
        assert_eq!(typed(&mut receiver, b"info\n"), "info\n");
        assert_eq!(receiver.fragment_ends_us(), None);
    }

    #[test]
    fn what_is_forgotten_does_not_become_part_of_what_follows() {
        let mut decoder = Decoder::new();
        let mut receiver = Receiver::new(&mut decoder);
        assert_eq!(typed(&mut receiver, b"help, \xffand"), "");
        receiver.forget();
        assert_eq!(receiver.fragment_ends_us(), None);
        assert_eq!(typed(&mut receiver, b"info\r"), "info\r");
    }

    #[test]
    fn a_fragment_is_given_up_after_a_second() {
        let mut decoder = Decoder::new();
        let mut receiver = Receiver::new(&mut decoder);
        receiver.note(5);
        assert_eq!(typed(&mut receiver, b"\x1b[A"), "");
        assert_eq!(receiver.fragment_ends_us(), Some(5 + FRAGMENT_US));
        assert!(!receiver.give_up(FRAGMENT_US, |_| panic!("too early")));
        assert!(receiver.give_up(5 + FRAGMENT_US, |_| {}));
        assert_eq!(typed(&mut receiver, b"help\r"), "help\r");
    }
}

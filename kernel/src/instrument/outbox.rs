//! The outbox: one frame or text at a time, taken whole or not at all.
//!
//! A frame is made only when the one before has gone into the board's transmit queue, so nothing
//! piles up, and what cannot be sent in time is dropped as a whole record by its maker.

use wire::{Encoder, Envelope, Message};

use super::board::Board;

/// The time before the line falls idle when the next chunk is handed on.
const BACKLOG_US: u64 = 50_000;

pub(super) struct Outbox<'a> {
    encoder: Encoder,
    payload: &'a mut [u8],
    frame: &'a mut [u8],
    used: usize,
    sent: usize,
    /// When the line will have sent what the board has taken, by the line's rate.
    busy_until_us: u64,
}

impl<'a> Outbox<'a> {
    pub(super) fn new(payload: &'a mut [u8], frame: &'a mut [u8]) -> Self {
        Self {
            encoder: Encoder::new(),
            payload,
            frame,
            used: 0,
            sent: 0,
            busy_until_us: 0,
        }
    }

    /// Reports if the next message can be put in.
    pub(super) fn is_free(&self) -> bool {
        self.sent == self.used
    }

    /// Puts in a message. It must be free.
    pub(super) fn put(&mut self, envelope: Envelope, message: &Message) {
        debug_assert!(self.is_free());
        self.sent = 0;
        // The buffers hold every message whose texts are bounded as ours are; one that does not
        // fit would be a bug, and is better lost than fatal.
        let result = self
            .encoder
            .message(envelope, message, self.payload, self.frame);
        debug_assert!(result.is_ok(), "{message:?}");
        self.used = result.unwrap_or(0);
    }

    /// Puts in text, behind a zero byte that ends whatever was on the line before.
    pub(super) fn put_text(&mut self, text: &str) {
        debug_assert!(self.is_free());
        let length = text.len().min(self.frame.len() - 1);
        self.frame[0] = 0;
        self.frame[1..=length].copy_from_slice(&text.as_bytes()[..length]);
        self.sent = 0;
        self.used = length + 1;
    }

    /// Hands on bytes that the board takes; reports if it took any.
    pub(super) fn pump(&mut self, board: &mut impl Board, baud: u32) -> bool {
        if self.is_free() {
            return false;
        }
        let taken = board.send(&self.frame[self.sent..self.used]);
        self.sent += taken;
        let took_us = taken as u64 * 10_000_000 / u64::from(baud.max(1));
        self.busy_until_us = self.busy_until_us.max(board.now_us()) + took_us;
        taken > 0
    }

    /// From when on the next chunk of a spectrum may follow. A board's transmit queue may hold more
    /// than a second of spectra; keeping it short lets answers and descriptors through in time.
    pub(super) fn next_chunk_us(&self) -> u64 {
        self.busy_until_us.saturating_sub(BACKLOG_US)
    }
}

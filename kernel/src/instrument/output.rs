//! The order in which frames leave.

use core::fmt::Write;

use wire::{Message, State, Status};

use super::board::{Board, SECOND_US};
use super::hub::Hub;
use super::link::Listener;
use super::plot;
use super::settings::Output;
use crate::engine::{Fft, QpuHost};

impl<Q: Fft + QpuHost> Hub<'_, Q> {
    /// Makes the next frame, in order of urgency; reports if there was one. The outbox is free.
    pub(super) fn next_output(&mut self, board: &mut impl Board) -> bool {
        if self.link.is_held() {
            return false;
        }
        let now_us = board.now_us();
        self.draw_plot();
        if !self.link.notice.is_empty() {
            self.link.send_notice();
            return true;
        }
        let takes_frames = self.takes_frames();
        let stream = self.stream.number();
        if self.link.send_failure(takes_frames, stream, board) {
            return true;
        }
        if let Some(ack) = self.stream.next_ack() {
            let message = ack.brought.map_or(Message::Ack(""), Message::Uploaded);
            self.link.put(ack.request, ack.stream, &message, board);
            return true;
        }
        if let Some((credit, stream)) = self.upload.take_credit(now_us) {
            self.link.put(0, stream, &Message::Credit(credit), board);
            return true;
        }
        if now_us >= self.stream.next_second_us {
            self.stream.next_second_us = now_us + SECOND_US;
            self.link.rate.forget_some();
            if self.stream.state() == State::Idle && self.stream.records.sending.is_none() {
                return self.send_status(board);
            }
            self.stream.descriptor_due = true;
        }
        if core::mem::take(&mut self.live.holes.status_due) && self.send_status(board) {
            return true;
        }
        if takes_frames && let Some(descriptor) = self.stream.take_descriptor() {
            let message = Message::Descriptor(descriptor);
            self.link.put(0, stream, &message, board);
            return true;
        }
        if now_us >= self.link.outbox.next_chunk_us()
            && let Some((chunk, stream)) = self.stream.records.next_chunk()
        {
            self.link.put(0, stream, &Message::Spectrum(chunk), board);
            return true;
        }
        self.send_log(takes_frames, board)
    }

    /// Puts the drawing of the last record where text waits. It takes most of the room.
    fn draw_plot(&mut self) {
        let (records, notice) = (&self.stream.records, &mut self.link.notice);
        if !self.stream.plot_due || !notice.is_empty() {
            return;
        }
        let Some(last) = records.last else {
            return;
        };
        self.stream.plot_due = false;
        if self.settings.output != Output::Text {
            // The title would stand behind what a terminal makes of a record.
            let _ = notice.write_str("\r\n");
        }
        let mut parts = records.values(&last);
        let first = parts.next().unwrap_or_default();
        let parts = [first, parts.next().unwrap_or_default()];
        let _ = plot::draw(parts, &last.head, &last.descriptor, notice);
    }

    fn send_status(&mut self, board: &mut impl Board) -> bool {
        if self.link.listener != Listener::Host {
            return false;
        }
        let status = Status {
            state: self.stream.state(),
            engine: self.engine(),
            counters: self.stream.counters,
            line_errors: self.link.line_errors,
        };
        self.link.put(0, 0, &Message::Status(status), board);
        true
    }

    fn send_log(&mut self, takes_frames: bool, board: &mut impl Board) -> bool {
        // A board that was told to be quiet says nothing before a host has spoken.
        let is_quiet = self.link.listener == Listener::Unknown && !self.settings.start;
        if is_quiet || !takes_frames {
            return false;
        }
        let mut bytes = [0; 256];
        let count = board.take_log(&mut bytes).min(bytes.len());
        if count > 0 {
            self.link.put(0, 0, &Message::Log(&bytes[..count]), board);
        }
        count > 0
    }

    /// When there will be something to do without a byte from outside.
    pub(super) fn next_event_us(&self, now_us: u64) -> u64 {
        // A busy line is waited for in short steps; the board wakes up earlier when there is room.
        let waits = self.link.waits();
        let mut at_us = self.link.next_event_us();
        at_us = at_us.min(self.unattended.next_event_us());
        at_us = at_us.min(match waits {
            true => now_us + 1000,
            false => self.stream.next_second_us,
        });
        if self.stream.records.sending.is_some() && !waits {
            at_us = at_us.min(self.link.outbox.next_chunk_us());
        }
        let needed = self.analyser.next_sample() + self.analyser.wants() as u64;
        if self.live.capture.is_open() {
            at_us = at_us.min(self.live.capture.due_us(needed));
        } else if self.stream.state() == State::Streaming {
            at_us = at_us.min(self.stream.generator.due_us(needed));
        }
        if !waits {
            at_us = at_us.min(self.upload.next_event_us());
        }
        at_us.max(now_us + 1)
    }
}

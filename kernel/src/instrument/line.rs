//! The line: baud changes, timers, and which frame leaves next.

use wire::{Fault, Message, State, Status, Uploaded};

use super::{
    BaudChange, Board, CREDIT_REPEAT_US, Core, LateAck, Listener, SECOND_US, START_BAUD, Stage,
    UPLOAD_TIMEOUT_US,
};
use crate::engine::Engine;

/// A new baud rate is given up when no frame has come after this time.
const BAUD_CONFIRM_US: u64 = 500_000;
/// At another rate than the first, this many damaged bytes without a good frame bring it back.
const LOST_HOST_ERRORS: u32 = 200;
/// So long a good frame is waited for behind them: one flipped bit damages a frame of more bytes than that, and a host
/// that waits for what became of it sends again after two seconds.
const LOST_HOST_US: u64 = 3 * SECOND_US;
/// Of those as many are forgotten a second, so that glitches of days do not add up while a host only listens. One that
/// asks at a wrong rate sends more.
const FORGOTTEN_A_SECOND: u32 = 5;

impl<Q: Engine> Core<'_, Q> {
    /// Timers: heartbeat, baud changes, uploads without a host, reboot.
    pub(super) fn keep_time(&mut self, board: &mut impl Board, now_us: u64) {
        self.counters.overruns = self
            .counters
            .overruns
            .saturating_add(board.receive_errors());
        if board.take_break() {
            self.baud_change = BaudChange::None;
            // Setting a rate empties the receive queue, and with it the first frame after the break.
            if self.baud != START_BAUD {
                self.set_baud(START_BAUD, board);
            }
            self.hint(board, "break: 115200 baud");
        }
        if self.stopped_hint_us.is_some_and(|at_us| now_us >= at_us) {
            self.stopped_hint_us = None;
            self.say("stream stopped; type help and Enter, or run `qpuscope read`");
        }
        match self.baud_change {
            BaudChange::Drain { new } if self.outbox.is_free() && board.send_idle() => {
                let old = self.baud;
                self.baud_change = if self.set_baud(new, board) {
                    BaudChange::Confirm {
                        old,
                        deadline_us: now_us + BAUD_CONFIRM_US,
                    }
                } else {
                    BaudChange::None
                };
            }
            BaudChange::Confirm { old, deadline_us } if now_us >= deadline_us => {
                self.baud_change = BaudChange::None;
                self.set_baud(old, board);
                self.say("no frame came at the new baud rate; back at the old one");
            }
            BaudChange::None | BaudChange::Drain { .. } | BaudChange::Confirm { .. } => {}
        }
        if self.baud != START_BAUD
            && self.strange_bytes > LOST_HOST_ERRORS
            && now_us >= self.strange_us + LOST_HOST_US
        {
            self.strange_bytes = 0;
            self.baud_change = BaudChange::None;
            self.set_baud(START_BAUD, board);
            self.say("only noise came at this baud rate; back at 115200");
        }
        if self.reboot && self.outbox.is_free() && board.send_idle() {
            self.reboot = false;
            board.stage(Stage::Reboot);
            board.reboot();
        }
        if let Some(upload) = &self.upload {
            let waits = self.waits_for_host();
            if upload.granted <= upload.received && !waits {
                // The host has no credit: that it is silent is our doing.
                self.upload_deadline_us = now_us + UPLOAD_TIMEOUT_US;
            }
            if (upload.ending.is_none() || waits) && now_us >= self.upload_deadline_us {
                self.end_stream(board);
                self.say("nothing came for 10 s: the upload is given up; begin it again");
            } else if upload.ending.is_none() && now_us >= self.next_credit_us {
                self.credit_due = true;
            }
        }
    }

    /// Whether it kept the line working.
    pub(super) fn set_baud(&mut self, baud: u32, board: &mut impl Board) -> bool {
        match board.set_baud(baud) {
            Ok(_) => {
                self.baud = baud;
                true
            }
            Err(_) => {
                self.say("the UART cannot run at that baud rate; nothing was changed");
                false
            }
        }
    }

    /// Nothing may be sent while the line changes its rate.
    pub(super) fn output_held(&self) -> bool {
        self.baud_change != BaudChange::None
    }

    /// Makes the next frame, in order of urgency; whether there was one. The outbox is free.
    pub(super) fn next_output(&mut self, board: &mut impl Board) -> bool {
        if self.output_held() || self.reboot {
            return false;
        }
        let now_us = board.now_us();
        if self.plot_is_due() {
            self.draw_plot();
        }
        if !self.notice.is_empty() {
            self.outbox.put_text(&self.notice);
            self.notice.clear();
            return true;
        }
        if let Some((code, text)) = self.failed.pop_front()
            && self.takes_frames()
        {
            let fault = Fault {
                code,
                pc: 0,
                address: 0,
                text: &text,
            };
            let envelope = self.envelope(board, 0, self.stream());
            self.outbox.put(envelope, &Message::Fault(fault));
            return true;
        }
        // Before the first chunk of a newer record, which may have begun at once.
        if let Some(ack) = self.late_acks.front().copied()
            && (self.sending.is_none() || self.emitted != ack.behind)
        {
            self.late_acks.pop_front();
            let envelope = self.envelope(board, ack.request, ack.stream);
            let message = ack.brought.map_or(Message::Ack(""), Message::Uploaded);
            self.outbox.put(envelope, &message);
            return true;
        }
        if core::mem::take(&mut self.credit_due)
            && let Some(upload) = &mut self.upload
        {
            let message = Message::Credit(upload.credit(self.fifo));
            let stream = upload.stream;
            self.next_credit_us = now_us + CREDIT_REPEAT_US;
            let envelope = self.envelope(board, 0, stream);
            self.outbox.put(envelope, &message);
            return true;
        }
        if now_us >= self.next_second_us {
            self.next_second_us = now_us + SECOND_US;
            self.strange_bytes = self.strange_bytes.saturating_sub(FORGOTTEN_A_SECOND);
            if self.state == State::Idle && self.sending.is_none() {
                return self.send_status(board);
            }
            self.descriptor_due = true;
        }
        // A new descriptor waits for the record under way, which is read by the one before.
        if self.descriptor_due
            && self.takes_frames()
            && let Some(descriptor) = self.descriptor
            && self
                .sending
                .is_none_or(|sending| sending.descriptor == descriptor.id)
        {
            self.descriptor_due = false;
            let envelope = self.envelope(board, 0, self.stream());
            self.outbox.put(envelope, &Message::Descriptor(descriptor));
            return true;
        }
        if now_us >= self.outbox.next_chunk_us() && self.send_chunk(board) {
            return true;
        }
        self.send_log(board)
    }

    /// Acknowledges a request when the record that is being sent has come to its end. When as many
    /// wait as may, the oldest is given up: whoever sent it has asked again since. The end of an upload says what it has
    /// `brought`, where the host wants to know.
    pub(super) fn acknowledge_late(
        &mut self,
        request: u16,
        stream: u16,
        brought: Option<Uploaded>,
    ) {
        if self.late_acks.is_full() {
            self.late_acks.pop_front();
        }
        let ack = LateAck {
            request,
            stream,
            behind: self.emitted,
            brought,
        };
        let _ = self.late_acks.push_back(ack);
    }

    pub(super) fn send_status(&mut self, board: &mut impl Board) -> bool {
        if self.listener != Listener::Host {
            return false;
        }
        let status = Status {
            state: self.state,
            engine: self
                .analyser
                .engine_for(self.settings.engine, self.settings.n as usize),
            counters: self.counters,
            line_errors: self.line_errors,
        };
        let envelope = self.envelope(board, 0, 0);
        self.outbox.put(envelope, &Message::Status(status));
        true
    }

    pub(super) fn send_log(&mut self, board: &mut impl Board) -> bool {
        // A board that was told to be quiet says nothing before a host has spoken.
        let is_quiet = self.listener == Listener::Unknown && !self.settings.start;
        if is_quiet || !self.takes_frames() {
            return false;
        }
        let mut bytes = [0; 256];
        let count = board.take_log(&mut bytes).min(bytes.len());
        if count == 0 {
            return false;
        }
        let envelope = self.envelope(board, 0, 0);
        self.outbox.put(envelope, &Message::Log(&bytes[..count]));
        true
    }
}

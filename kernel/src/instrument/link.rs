//! The link: the sending end of the line, and what is known about the other end.
//!
//! One message or text is sent at a time ([`Outbox`]). Text and failures wait here for their turn.

use core::fmt::Write;

use wire::{Damage, Envelope, Fault, Item, Message, NakCode};

use super::board::{Board, SECOND_US, Stage};
use super::line_rate::LineRate;
use super::notice::{Notice, Sentence};
use super::outbox::Outbox;
use super::refusal::Refusal;

/// Failures of V3D and of plans that may wait for a host.
const FAILURES: usize = 4;
/// A frame that ended the stream has come to its own end by then.
const STOPPED_HINT_US: u64 = 300_000;

/// The other end of the line, by what came last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Listener {
    /// Nobody has spoken yet.
    Unknown,
    /// A person who types: frames would be noise on the screen.
    Person,
    /// A program that sends frames.
    Host,
}

/// The line to the host.
pub(super) struct Link<'a> {
    pub outbox: Outbox<'a>,
    pub notice: Notice,
    pub rate: LineRate,
    pub listener: Listener,
    /// Pieces that were damaged since the start.
    pub line_errors: u32,
    /// The board restarts when all has left; nothing is answered any more.
    pub reboots: bool,
    /// Failures that the host is still to hear of, as code and text.
    failed: heapless::Deque<(u16, Sentence), FAILURES>,
    /// A typed line goes on that was refused for its length.
    in_long_line: bool,
    next_hint_us: u64,
    /// When to say that the stream was stopped.
    stopped_hint_us: Option<u64>,
}

impl<'a> Link<'a> {
    pub(super) fn new(outbox: Outbox<'a>) -> Self {
        Self {
            outbox,
            notice: Notice::default(),
            rate: LineRate::new(),
            listener: Listener::Unknown,
            line_errors: 0,
            reboots: false,
            failed: heapless::Deque::new(),
            in_long_line: false,
            next_hint_us: 0,
            stopped_hint_us: None,
        }
    }

    /// Hands on bytes that the board takes; reports if it took any.
    pub(super) fn pump(&mut self, board: &mut impl Board) -> bool {
        self.outbox.pump(board, self.rate.baud())
    }

    /// Puts a message into the outbox, which must be free.
    pub(super) fn put(
        &mut self,
        request: u16,
        stream: u16,
        message: &Message,
        board: &mut impl Board,
    ) {
        let envelope = Envelope {
            stream,
            request,
            time_us: board.now_us(),
        };
        self.outbox.put(envelope, message);
    }

    /// Answers a request with a refusal.
    pub(super) fn refuse(
        &mut self,
        refusal: &Refusal,
        request: u16,
        stream: u16,
        board: &mut impl Board,
    ) {
        let mut sentence = heapless::String::<320>::new();
        let _ = write!(sentence, "{refusal}");
        let nak = Message::Nak(refusal.code(), &sentence);
        self.put(request, stream, &nak, board);
    }

    pub(super) fn say(&mut self, line: &str) {
        self.notice.say(line);
    }

    /// Sends the text that waits. The outbox must be free.
    pub(super) fn send_notice(&mut self) {
        self.outbox.put_text(self.notice.as_str());
        self.notice.clear();
    }

    /// Says something that nobody asked for, at most twice a second.
    pub(super) fn hint(&mut self, text: &str, now_us: u64) {
        if self.hint_allowed(now_us) {
            self.say(text);
        }
    }

    fn hint_allowed(&mut self, now_us: u64) -> bool {
        let allowed = now_us >= self.next_hint_us;
        if allowed {
            self.next_hint_us = now_us + SECOND_US / 2;
        }
        allowed
    }

    /// Says soon that the stream was stopped, unless a frame follows.
    pub(super) fn hint_stopped(&mut self, now_us: u64) {
        self.stopped_hint_us = Some(now_us + STOPPED_HINT_US);
    }

    /// Notes a failure for the host; of too many the oldest is left out.
    pub(super) fn fail(&mut self, code: u16, text: &str) {
        if self.failed.is_full() {
            self.failed.pop_front();
        }
        let mut sentence = Sentence::new();
        let _ = sentence.push_str(text);
        let _ = self.failed.push_back((code, sentence));
    }

    /// Takes the oldest failure, and puts it into the outbox where the listener takes frames.
    pub(super) fn send_failure(
        &mut self,
        takes_frames: bool,
        stream: u16,
        board: &mut impl Board,
    ) -> bool {
        let Some((code, text)) = self.failed.pop_front() else {
            return false;
        };
        if takes_frames {
            let fault = Fault {
                code,
                pc: 0,
                address: 0,
                text: &text,
            };
            self.put(0, stream, &Message::Fault(fault), board);
        }
        takes_frames
    }

    /// Notes what kind of item came.
    pub(super) fn note(&mut self, item: &Item, now_us: u64) {
        if !matches!(item, Item::Text(_)) {
            self.in_long_line = false;
        }
        match item {
            Item::Frame(..) => {
                self.listener = Listener::Host;
                self.stopped_hint_us = None;
                self.rate.good_frame();
            }
            Item::Text(_) => {}
            Item::Damaged { bytes, .. } => {
                self.line_errors = self.line_errors.saturating_add(1);
                self.rate.damage(*bytes, now_us);
            }
        }
    }

    /// Reports damage to the other end, at most twice a second.
    pub(super) fn report_damage(
        &mut self,
        reason: Damage,
        takes_frames: bool,
        board: &mut impl Board,
    ) {
        if self.rate.is_changing() || !self.hint_allowed(board.now_us()) {
            return;
        }
        let sentence = match reason {
            Damage::Version(_) => {
                "this firmware speaks protocol version 1; use the qpuscope that came with it"
            }
            Damage::NotAFrame | Damage::TooLong | Damage::Checksum | Damage::Length => {
                "bytes arrived that are no intact frame; check baud rate and cable, and send again"
            }
        };
        if takes_frames {
            let nak = Message::Nak(NakCode::BAD_PAYLOAD, sentence);
            self.put(0, 0, &nak, board);
        } else {
            self.say(sentence);
        }
    }

    /// Returns a typed line that is whole, without the space around it. A piece of a line is
    /// refused: of settings all are taken or none.
    pub(super) fn whole_line<'b>(&mut self, line: &'b [u8], now_us: u64) -> Option<&'b str> {
        let goes_on =
            line.len() == wire::TEXT_PIECE && !line.ends_with(b"\r") && !line.ends_with(b"\n");
        let in_long_line = core::mem::replace(&mut self.in_long_line, goes_on);
        if goes_on && !in_long_line {
            let text = "nothing was taken of a line of more than 255 characters; send shorter ones";
            self.hint(text, now_us);
        }
        if goes_on || in_long_line {
            return None;
        }
        let line = core::str::from_utf8(line).unwrap_or("").trim();
        (!line.is_empty() && !self.reboots).then_some(line)
    }

    /// Timers of the line: breaks, hints, baud changes, the restart.
    pub(super) fn keep_time(&mut self, board: &mut impl Board, now_us: u64) {
        if board.take_break() {
            self.rate.reset(board, &mut self.notice);
            self.hint("break: 115200 baud", now_us);
        }
        if self.stopped_hint_us.is_some_and(|at_us| now_us >= at_us) {
            self.stopped_hint_us = None;
            self.say("stream stopped; type help and Enter, or run `qpuscope read`");
        }
        let is_drained = self.is_held() && self.outbox.is_free() && board.send_idle();
        self.rate.step(is_drained, now_us, board, &mut self.notice);
        if self.reboots && is_drained {
            self.reboots = false;
            board.stage(Stage::Reboot);
            board.reboot();
        }
    }

    /// Reports if nothing may be sent now.
    pub(super) fn is_held(&self) -> bool {
        self.rate.is_changing() || self.reboots
    }

    /// Reports if the line is busy or changing, which is waited for in short steps.
    pub(super) fn waits(&self) -> bool {
        !self.outbox.is_free() || self.is_held()
    }

    /// When there will be something to say.
    pub(super) fn next_event_us(&self) -> u64 {
        self.stopped_hint_us.unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::FakeBoard;
    use super::*;
    use wire::{Decoder, Header, Kind, MAX_FRAME, MAX_PAYLOAD};

    /// A link, and the payloads and kinds that it sends.
    fn sent(act: impl FnOnce(&mut Link, &mut FakeBoard)) -> Vec<(Header, Vec<u8>)> {
        let (mut payload, mut frame) = ([0; MAX_PAYLOAD], [0; MAX_FRAME]);
        let mut link = Link::new(Outbox::new(&mut payload, &mut frame));
        let mut board = FakeBoard::new();
        act(&mut link, &mut board);
        while link.pump(&mut board) {}
        let (mut decoder, mut frames) = (Decoder::new(), Vec::new());
        for byte in board.take_sent() {
            if let Some(Item::Frame(header, payload)) = decoder.push(byte) {
                frames.push((header, payload.to_vec()));
            }
        }
        frames
    }

    #[test]
    fn failures_wait_for_a_host_and_the_oldest_is_left_out() {
        let frames = sent(|link, board| {
            for code in 0..=FAILURES as u16 {
                link.fail(code, "broken");
            }
            assert!(link.send_failure(true, 7, board));
        });
        let [(header, payload)] = &frames[..] else {
            panic!("{frames:?}")
        };
        assert_eq!((header.kind, header.stream), (Kind::FAULT, 7));
        let Ok(Message::Fault(fault)) = Message::decode(header.kind, payload) else {
            panic!("{payload:?}")
        };
        assert_eq!((fault.code, fault.text), (1, "broken"));
    }

    #[test]
    fn damage_is_reported_twice_a_second_and_to_people_in_words() {
        let frames = sent(|link, board| {
            link.report_damage(Damage::Checksum, false, board);
            assert!(link.notice.as_str().contains("no intact frame"));
            link.report_damage(Damage::Checksum, true, board);
            assert!(link.outbox.is_free(), "too early");
            board.now_ns += 500_000_000;
            link.report_damage(Damage::Checksum, true, board);
        });
        assert_eq!(frames.len(), 1);
        assert_eq!((frames[0].0.kind, frames[0].0.request), (Kind::NAK, 0));
    }

    #[test]
    fn a_restart_waits_until_all_has_left() {
        let frames = sent(|link, board| {
            link.put(9, 0, &Message::Ack(""), board);
            link.reboots = true;
            link.keep_time(board, board.now_ns / 1000);
            assert!(board.reboots.is_empty() && link.is_held());
            while link.pump(board) {}
            board.now_ns += 10_000_000;
            link.keep_time(board, board.now_ns / 1000);
            assert_eq!(board.reboots.len(), 1);
        });
        assert_eq!(frames[0].0.request, 9);
    }
}

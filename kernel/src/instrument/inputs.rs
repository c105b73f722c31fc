//! Live input in the hub: begins a capture, follows it, and answers who asked for it.
//!
//! A capture takes up to a third of a second until its rate is known, or until there is something
//! wrong with it. So its request is answered later, and the instrument goes on meanwhile.

use core::fmt::Write;

use wire::{Fault, Message};

use super::board::Board;
use super::capture::{Event, Trouble};
use super::hub::Hub;
use super::live::{Asker, Begun};
use super::notice::Sentence;
use super::refusal::Refusal;
use super::unattended::Before;
use crate::engine::{Fft, QpuHost};

impl<Q: Fft + QpuHost> Hub<'_, Q> {
    /// Begins a capture for a stream.
    pub(super) fn begin_capture(&mut self, board: &mut impl Board) -> Result<(), Refusal> {
        self.end_stream(board);
        self.live.input = self.settings.input;
        self.live.channel = self.settings.channel;
        self.live.mode = self.settings.mode;
        self.shape_analyser(self.live.coding());
        self.analyser.read_ring(self.live.mode);
        self.analyser.get_ready(board);
        self.report_drops();
        let (slots, rate) = (self.settings.channel.slots(), self.settings.rate);
        let opened = self.live.open(&self.settings, slots, rate, board);
        opened.map_err(Refusal::Input)
    }

    /// Reports if a stream begins when its input is there.
    pub(super) fn is_coming(&self) -> bool {
        let capture = &self.live.capture;
        capture.is_open() && !capture.is_running() && !self.live.probe
    }

    /// Does what the capture asks for; reports if it did.
    pub(super) fn step_live(&mut self, board: &mut impl Board) -> bool {
        let is_idle = !self.live.capture.is_open() && self.live.found.is_none();
        let answers = self.live.asker.is_some();
        if is_idle || (answers && !self.link.outbox.is_free()) {
            return false;
        }
        let event = self.live.capture.step(board.port());
        if self.live.probe {
            return self.step_probe(event, board);
        }
        match event {
            Event::Nothing => return false,
            Event::Started => {
                let asker = self.live.asker.take();
                let is_unasked = core::mem::take(&mut self.live.is_unasked);
                if let Some(signal) = self.live.signal() {
                    self.begin(signal, board);
                    self.stream.unasked = is_unasked;
                    if let Some(losses) = self.unattended.begin(board.now_us()) {
                        self.stream.counters = losses;
                    }
                }
                match asker {
                    Some(Asker::Host { request, stream }) => {
                        self.link.put(request, stream, &Message::Ack(""), board);
                    }
                    Some(Asker::Person) => self.link.say("ok"),
                    None => {}
                }
            }
            Event::Rate => {
                if let Some(rate) = self.live.capture.rate() {
                    self.stream.set_rate(rate.rate, rate.within_hz);
                    self.refresh_descriptor(board);
                }
            }
            Event::Failed(trouble) => self.fail_input(&trouble, board),
        }
        true
    }

    /// Ends the stream of a capture that has ended, and says why.
    fn fail_input(&mut self, trouble: &Trouble, board: &mut impl Board) {
        let asker = self.live.asker.take();
        let is_unattended = self.stream.unasked || self.live.is_unasked;
        let mut counters = self.stream.counters;
        let rest = self.live.capture.take_rest();
        counters.overruns = counters.overruns.saturating_add(rest);
        let before = self.stream.signal().map(|signal| Before {
            counters,
            rate: signal.rate,
            since_us: self.live.capture.last_us(),
        });
        let known = core::mem::take(&mut self.unattended);
        self.end_stream(board);
        if let Some(Asker::Host { request, stream }) = asker {
            let refusal = Refusal::Input(*trouble);
            self.link.refuse(&refusal, request, stream, board);
            return;
        }
        let mut sentence = Sentence::new();
        let _ = write!(sentence, "{trouble}");
        self.link.say(&sentence);
        if asker.is_none() {
            self.link.fail(Fault::INPUT_FAILED, &sentence);
        }
        if is_unattended {
            self.unattended = known;
            self.try_again_later(trouble, before, board);
        }
    }

    /// Says once a second if no lot of blocks of it is whole.
    pub(super) fn say_holes(&mut self, now_us: u64) {
        let rate = self.stream.signal().map_or(0.0, |it| it.rate.to_hz());
        // In a second are several lots, or nothing follows from one that was left out.
        let has_many = self.analyser.lot_samples() as f64 <= rate / 4.0;
        let holes = &mut self.live.holes;
        let Some(lost) = holes
            .second(now_us, &self.stream.counters)
            .filter(|_| has_many)
        else {
            return;
        };
        holes.status_due = true;
        let mut sentence = Sentence::new();
        let _ = write!(
            sentence,
            "no lot of blocks of the last second is whole: {lost} samples were lost at the input; \
             set a lower rate or a smaller avg"
        );
        self.link.say(&sentence);
        self.link.fail(Fault::SAMPLES_LOST, &sentence);
    }

    /// Lets an unattended stream be tried again, if that may help. `before`: if it had run.
    pub(super) fn try_again_later(
        &mut self,
        trouble: &Trouble,
        before: Option<Before>,
        board: &mut impl Board,
    ) {
        // What the board lacks does not come, unless it was there.
        if before.is_none() && !trouble.may_pass() {
            return;
        }
        let seconds = self.unattended.fail(board.now_us(), before);
        let mut sentence = Sentence::new();
        let _ = write!(
            sentence,
            "the input is tried again in {seconds} s, until a byte comes from the host"
        );
        self.link.say(&sentence);
    }

    /// Tries the stream again, when it is time; reports if it did.
    pub(super) fn step_unattended(&mut self, board: &mut impl Board) -> bool {
        let is_due = self.unattended.next_event_us() <= board.now_us();
        if !is_due {
            return false;
        }
        // Beginning ends what was there, and with it what is known of the stream before.
        let mut known = core::mem::take(&mut self.unattended);
        known.begin_try();
        let begun = self.begin_stream(board);
        self.unattended = known;
        match begun {
            Ok(Begun::Later) => self.live.is_unasked = true,
            Ok(Begun::Now) => self.stream.unasked = true,
            Err(Refusal::Input(trouble)) => {
                self.say_refusal(&Refusal::Input(trouble));
                self.try_again_later(&trouble, None, board);
            }
            Err(refusal) => self.say_refusal(&refusal),
        }
        true
    }
}

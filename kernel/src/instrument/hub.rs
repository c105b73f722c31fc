//! The hub: samples from a source through the analyser to records, and what its parts share.
//!
//! [`Link`], [`Stream`], [`Upload`] and [`SelfTest`] are state machines that know nothing of each
//! other. The hub asks one and tells the next. Requests ([`super::commands`]), typed lines
//! ([`super::typed`]) and the order of output ([`super::output`]) are methods of it in files of
//! their own.

use core::fmt::Write;

use wire::{Envelope, Fault, Item, NakCode, SampleFormat, Source, State};

use super::analyser::{Analyser, Shape};
use super::board::{Board, Stage};
use super::descriptor::{cropped, describe};
use super::link::{Link, Listener};
use super::live::{Begun, Live};
use super::notice::Sentence;
use super::refusal::Refusal;
use super::selftest::{SelfTest, Step, test_engines};
use super::settings::{Input, Output, SettingError, Settings};
use super::source::{Generator, Signal};
use super::stream::Stream;
use super::text;
use super::unattended::Unattended;
use super::upload::Upload;
use crate::engine::samples::Coding;
use crate::engine::{EngineError, Fft, QpuHost};
use crate::log;

/// The instrument behind its decoder.
pub(super) struct Hub<'a, Q> {
    pub settings: Settings,
    pub complaint: Option<SettingError>,
    pub analyser: Analyser<'a, Q>,
    pub link: Link<'a>,
    pub stream: Stream<'a>,
    pub upload: Upload<'a>,
    pub live: Live,
    pub unattended: Unattended,
    pub selftest: SelfTest,
    /// Room for the words of an answer.
    pub words: &'a mut [u8],
}

impl<Q: Fft + QpuHost> Hub<'_, Q> {
    /// Writes the banner, tests itself, and begins what `cmdline.txt` asks for.
    pub(super) fn start(&mut self, board: &mut impl Board) {
        board.stage(Stage::SelfTest);
        self.write_banner(board);
        self.shape_analyser(Coding::new(SampleFormat::F32, self.settings.domain));
        test_engines(&mut self.analyser, board, &mut self.link.notice);
        self.report_drops();
        self.link
            .say("next: run `qpuscope read PORT` on the host, or type help and Enter");
        if self.settings.start {
            self.link.say(match self.settings.input {
                Input::Generator => {
                    "spectra of the built-in generator follow until a byte comes from the host"
                }
                Input::I2s => "spectra of the I2S input follow until a byte comes from the host",
                Input::Smi => "spectra of the parallel ADC follow until a byte comes from the host",
            });
        }
        board.stage(Stage::Idle);
        self.stream.next_second_us = board.now_us() + super::board::SECOND_US;
        match self.settings.selftest_rounds {
            0 => self.begin_unasked(board),
            rounds => self.selftest.begin_qpus(rounds, &mut self.link.notice),
        }
    }

    pub(super) fn write_banner(&mut self, board: &mut impl Board) {
        let info = *board.info();
        text::write_banner(
            &info,
            &self.analyser,
            self.complaint.as_ref(),
            &mut self.link.notice,
        );
    }

    pub(super) fn envelope(&self, board: &mut impl Board, request: u16, stream: u16) -> Envelope {
        Envelope {
            stream,
            request,
            time_us: board.now_us(),
        }
    }

    /// Starts the input that is set, if it is to start by itself.
    fn begin_unasked(&mut self, board: &mut impl Board) {
        if !self.settings.start {
            return;
        }
        match self.begin_stream(board) {
            Ok(Begun::Now) => self.stream.unasked = true,
            Ok(Begun::Later) => self.live.is_unasked = true,
            Err(refusal) => {
                self.say_refusal(&refusal);
                if let Refusal::Input(trouble) = refusal {
                    self.try_again_later(&trouble, None, board);
                }
            }
        }
    }

    /// Says a refusal to a person.
    pub(super) fn say_refusal(&mut self, refusal: &Refusal) {
        let mut sentence = heapless::String::<320>::new();
        let _ = write!(sentence, "{refusal}");
        self.link.say(&sentence);
    }

    /// Begins the stream of the input that is set, at its first sample.
    pub(super) fn begin_stream(&mut self, board: &mut impl Board) -> Result<Begun, Refusal> {
        let domain = self.settings.input_domain();
        cropped(&self.settings, domain)?;
        if self.settings.average == 0 {
            return Err(Refusal::Plain(
                NakCode::WRONG_STATE,
                "avg=all is for uploads, live input never ends; set avg=16 and start again",
            ));
        }
        if self.settings.input != Input::Generator {
            return self.begin_capture(board).map(|()| Begun::Later);
        }
        self.stream.generator = Generator::new(domain, board.now_us());
        let signal = self.stream.generator.signal(0);
        self.begin(signal, board);
        Ok(Begun::Now)
    }

    /// Begins a run of records.
    pub(super) fn begin(&mut self, signal: Signal, board: &mut impl Board) {
        self.shape_analyser(signal.coding);
        if signal.is_captured() {
            self.analyser.read_ring(self.live.mode);
        } else {
            self.live.end(board);
        }
        self.stream.begin(signal, board.now_us());
        self.refresh_descriptor(board);
        board.stage(signal.stage());
    }

    /// Lets the analyser make what the settings say of such samples.
    pub(super) fn shape_analyser(&mut self, coding: Coding) {
        let all = coding.domain.bins(self.settings.n as usize) as u32;
        let bins = cropped(&self.settings, coding.domain).unwrap_or((0, all));
        let shape = Shape::new(&self.settings, coding, bins);
        self.analyser.begin(shape);
    }

    /// Makes the descriptor of what is set now.
    pub(super) fn refresh_descriptor(&mut self, board: &mut impl Board) {
        let Some(signal) = self.stream.signal() else {
            return;
        };
        let Settings { window, n, .. } = self.settings;
        let gain = self.analyser.gain(window, n as usize);
        let engine = self.engine();
        let descriptor = describe(&self.settings, &signal, gain, engine, board.info());
        self.stream.describe(descriptor);
    }

    /// The engine that will be asked first.
    pub(super) fn engine(&self) -> wire::Engine {
        let n = self.settings.n as usize;
        self.analyser.engine_for(self.settings.engine, n)
    }

    /// Ends the stream: no more samples. The record that is being sent goes on to its end.
    pub(super) fn end_stream(&mut self, board: &mut impl Board) {
        if self.stream.end() {
            self.link.say(text::NO_SPECTRUM);
        }
        self.analyser.abandon();
        self.upload.give_up();
        self.live.end(board);
        self.unattended = Unattended::default();
        board.stage(Stage::Idle);
    }

    /// Ends the self-tests, and the stream that nobody asked for. Unless a frame follows, the byte
    /// was a key, and the person is told what can be typed.
    pub(super) fn any_byte(&mut self, board: &mut impl Board) {
        self.selftest.stop(&mut self.link.notice);
        let is_coming = core::mem::take(&mut self.live.is_unasked) || self.unattended.waits();
        if core::mem::take(&mut self.stream.unasked) || is_coming {
            self.end_stream(board);
            self.link.hint_stopped(board.now_us());
        }
    }

    /// Serves a frame or a line.
    pub(super) fn item(&mut self, item: Item, board: &mut impl Board) {
        self.link.note(&item, board.now_us());
        match item {
            Item::Frame(header, payload) => self.frame(&header, payload, board),
            Item::Text(text) => self.typed(text, board),
            Item::Damaged { reason, .. } => {
                let takes_frames = self.takes_frames();
                self.link.report_damage(reason, takes_frames, board);
            }
        }
    }

    /// Reports if frames that answer no request may be sent: not to a person who reads text.
    pub(super) fn takes_frames(&self) -> bool {
        let records = self.settings.output != Output::Text;
        let is_idle = self.stream.state() == State::Idle && self.stream.records.sending.is_none();
        match self.link.listener {
            Listener::Host => true,
            Listener::Unknown => records,
            // Records were asked for, and nobody can read them without their descriptor.
            Listener::Person => records && !is_idle,
        }
    }

    /// Timers: baud changes, uploads without a host, restarts.
    pub(super) fn keep_time(&mut self, board: &mut impl Board, now_us: u64) {
        let errors = board.receive_errors();
        let overruns = &mut self.stream.counters.overruns;
        *overruns = overruns.saturating_add(errors.into());
        // Most of what is sent at another rate comes without its stop bit, and goes no further.
        self.link.rate.damage(errors as usize, now_us);
        self.link.keep_time(board, now_us);
        self.say_holes(now_us);
        if self.upload.is_overdue(self.waits_for_host(), now_us) {
            self.end_stream(board);
            self.link
                .say("nothing came for 10 s: the upload is given up; begin it again");
        }
    }

    /// Does one step of a self-test; reports if there was one.
    pub(super) fn step_selftest(&mut self, board: &mut impl Board) -> bool {
        let notice = &mut self.link.notice;
        let step = self.selftest.step_qpus(self.analyser.qpu(), board, notice);
        if step == Step::Failed {
            self.analyser.distrusted = true;
        }
        if matches!(step, Step::Passed | Step::Failed) {
            self.begin_unasked(board);
        }
        step != Step::Nothing
    }

    /// Begins the blocks that are ready and finishes those that were begun first, if they are done;
    /// reports if there was something to do, or is while the QPUs are at work.
    pub(super) fn work(&mut self, board: &mut impl Board) -> bool {
        let changed = self.step_unattended(board) || self.step_live(board);
        let Some(signal) = self.stream.signal() else {
            return changed;
        };
        let mut busy = self.feed(&signal, board);
        if self.analyser.may_begin(board.now_us()) {
            self.upload.add_blocks(self.analyser.due());
            self.analyser.begin_blocks(&mut self.live.capture, board);
            self.report_drops();
            busy = true;
        }
        let Some(is_last) = self.analyser.first_ends_record() else {
            return self.finish_upload(board) || busy || changed;
        };
        // Asked first, whatever else has to be waited for: the QPUs' time ends when they are asked.
        if !self.analyser.has_first() {
            return true;
        }
        // A check may have failed, and they are begun again.
        if self.analyser.first_ends_record().is_none() {
            return true;
        }
        let is_leaving = self.stream.records.sending.is_some();
        // The record before must have left before another can take its place, and the host must
        // have the one that would go.
        if is_last && !signal.is_live() && (is_leaving || self.waits_for_host()) {
            return busy;
        }
        if !self.finish_blocks(&signal, board) {
            return true;
        }
        if is_last {
            self.live.capture.cover(self.analyser.covered_end());
        }
        if is_last && signal.is_live() && (is_leaving || self.link.is_held()) {
            self.analyser.skip_record();
            self.stream.drop_record();
        } else if is_last {
            self.emit(board);
        }
        true
    }

    /// Lets the analyser have samples of the source; reports if there were any.
    fn feed(&mut self, signal: &Signal, board: &mut impl Board) -> bool {
        let analyser = &mut self.analyser;
        let wants = analyser.wants();
        match signal.source {
            Source::Generator => {
                let next = analyser.next_sample();
                let push = |sample| analyser.push(sample);
                self.stream
                    .generator
                    .feed(next, wants, board.now_us(), push)
            }
            Source::I2s | Source::Smi => {
                let counters = &mut self.stream.counters;
                self.live.feed(analyser, counters)
            }
            Source::Upload => {
                let fed = self.upload.feed(wants, |bytes| analyser.extend(bytes));
                self.stream.counters.clipped = self.upload.clipped(self.settings.unit);
                if self.upload.drained().is_some() {
                    analyser.closed = true;
                }
                fed
            }
        }
    }

    /// Ends an upload all of whose samples have been transformed: the rest makes the last record.
    fn finish_upload(&mut self, board: &mut impl Board) -> bool {
        let is_leaving = self.stream.records.sending.is_some();
        if is_leaving || !self.link.outbox.is_free() || self.waits_for_host() {
            return false;
        }
        let Some(finished) = self.upload.drained() else {
            return false;
        };
        let stream = self.stream.number();
        if finished.blocks == 0 {
            let refusal = Refusal::Short {
                samples: finished.samples,
                n: self.settings.n,
            };
            self.end_stream(board);
            self.link.refuse(&refusal, finished.request, stream, board);
            return true;
        }
        if self.analyser.so_far().blocks > 0 {
            self.emit(board);
        }
        let brought = self.upload.finish();
        self.end_stream(board);
        self.stream
            .acknowledge_late(finished.request, stream, brought);
        true
    }

    /// Reports if the next record would take the place of one that the host has not got.
    fn waits_for_host(&self) -> bool {
        match (self.upload.first_kept(), self.stream.record_bytes()) {
            (Some(held), Some(bytes)) => self.stream.records.kept.would_lose(bytes, held),
            _ => false,
        }
    }

    /// Finishes the blocks that were begun first, and says so when the QPUs have failed. Reports if
    /// they are done: if DMA has not overtaken their samples.
    fn finish_blocks(&mut self, signal: &Signal, board: &mut impl Board) -> bool {
        let finished = self.analyser.finish_blocks(&mut self.live.capture, board);
        board.stage(signal.stage());
        self.report_drops();
        let counters = &mut self.stream.counters;
        if finished.is_overtaken {
            self.live.leave_out(&mut self.analyser, counters);
        } else {
            self.live.holes.had_block = true;
            counters.clipped = counters.clipped.saturating_add(finished.clipped);
        }
        if let Some(error) = finished.trouble {
            let failure = match error {
                EngineError::Timeout { .. } => "a QPU job did not end in time, V3D was restarted",
                EngineError::NoMemory => "the QPUs have not enough memory for this length",
                EngineError::Length => "the QPUs do not support this length",
                EngineError::Device
                | EngineError::Busy
                | EngineError::Lost
                | EngineError::NotAvailable
                | EngineError::OutsideBlock
                | EngineError::Stray(_) => "a QPU job failed",
            };
            if matches!(error, EngineError::Timeout { .. } | EngineError::Device) {
                self.link.fail(Fault::V3D_FAILED, failure);
            }
            self.link.say(failure);
            self.link
                .say("this block is computed by the CPU instead; the record says so");
            self.refresh_descriptor(board);
        }
        !finished.is_overtaken
    }

    /// Reports plans that were dropped: in text, in the log, and to the host in a frame.
    pub(super) fn report_drops(&mut self) {
        while let Some(report) = self.analyser.take_report() {
            let mut sentence = Sentence::new();
            let _ = text::write_report(&report, &mut sentence);
            log::error!("{=str}", sentence.as_str());
            self.link.say(&sentence);
            self.link.fail(Fault::PLAN_DROPPED, &sentence);
        }
    }

    /// Finishes the record under way and begins to send it.
    fn emit(&mut self, board: &mut impl Board) {
        let power = self.stream.records.power(self.analyser.values());
        let summary = self.analyser.finish_record(power);
        let Some(last) = self.stream.finish_record(&summary, board.now_us()) else {
            return;
        };
        let mut says = self.settings.output == Output::Text;
        if !says {
            let analyser = &mut self.analyser;
            if let Some(values) = self.stream.send(&last, || analyser.let_qpus_go_on()) {
                self.upload.add_record(values);
            }
            // A person with a terminal sees at least this, about once a second.
            says = self.stream.unasked && last.head.record.is_multiple_of(6);
        }
        if says {
            let parts = last.descriptor.detector.parts().iter();
            for (values, detector) in self.stream.records.values(&last).zip(parts) {
                let line = text::spectrum_line(values, *detector, &last, board.now_us());
                self.link.say(&line);
            }
        }
    }
}

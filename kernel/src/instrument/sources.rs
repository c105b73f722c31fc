//! Sources: the generator in real time, and uploads as they come.
//!
//! The generator never leaves samples out: on a machine that is too slow it falls behind, so that a
//! record with the same number has the same samples everywhere. When a record is finished while the
//! one before is still being sent, the generator's is dropped; an upload waits.

use dsp::generator::{Generator, RATE_HZ};
use wire::{Counters, Domain, Fault, NakCode, SampleFormat, Source, State};

use super::analyser::Shape;
use super::upload::Ended;
use super::{Board, Core, Refusal, SECOND_US, Sentence, Stage, text};
use crate::engine::{Engine, EngineError};
use crate::log;

/// Samples made or copied in one step.
const SAMPLE_BUDGET: usize = 2048;

impl<Q: Engine> Core<'_, Q> {
    /// Begins the generator's stream at its first sample.
    pub(super) fn begin_stream(&mut self, board: &mut impl Board) -> Result<(), Refusal> {
        let domain = self.settings.domain;
        self.check_crop(domain)?;
        if self.settings.average == 0 {
            return Err(Refusal::Plain(
                NakCode::WRONG_STATE,
                "avg=all is for uploads, the generator never ends; set avg=16 and start again",
            ));
        }
        self.generator = Generator::new();
        self.epoch_us = board.now_us();
        self.begin(State::Streaming, SampleFormat::F32, domain, board);
        Ok(())
    }

    /// Begins a run of records.
    pub(super) fn begin(
        &mut self,
        state: State,
        format: SampleFormat,
        domain: Domain,
        board: &mut impl Board,
    ) {
        self.state = state;
        self.unasked = false;
        self.shape_analyser(format, domain);
        self.next_record = 0;
        self.last = None;
        // The record that is being sent goes on to its end.
        self.kept.forget(self.sending.is_some());
        self.counters = Counters::default();
        self.refresh_descriptor(board);
        self.descriptor_due = true;
        self.next_second_us = board.now_us() + SECOND_US;
        board.stage(match state {
            State::Idle => Stage::Idle,
            State::Streaming => Stage::Streaming,
            State::Uploading => Stage::Uploading,
        });
    }

    /// Lets the analyser make what the settings say of such samples.
    pub(super) fn shape_analyser(&mut self, format: SampleFormat, domain: Domain) {
        let bins = self.cropped(domain);
        let shape = Shape::new(&self.settings, format, domain, bins);
        self.analyser.begin(shape);
    }

    /// No more samples. The record that is being sent goes on to its end.
    pub(super) fn end_stream(&mut self, board: &mut impl Board) {
        self.state = State::Idle;
        // No record follows that it could be made of.
        self.plot_due &= self.last.is_some();
        self.unasked = false;
        self.upload = None;
        self.credit_due = false;
        board.stage(Stage::Idle);
    }

    /// One block of samples at most; whether there was something to do.
    pub(super) fn work(&mut self, board: &mut impl Board) -> bool {
        match self.state {
            State::Idle => false,
            State::Streaming => self.work_generator(board),
            State::Uploading => self.work_upload(board),
        }
    }

    pub(super) fn work_generator(&mut self, board: &mut impl Board) -> bool {
        let now_us = board.now_us();
        let made = self.analyser.next_sample();
        let due = now_us.saturating_sub(self.epoch_us) * RATE_HZ / SECOND_US;
        if due > made + RATE_HZ {
            // A second behind: be late rather than leave samples out, so that every record of a
            // run is the same everywhere, however slow the machine.
            self.epoch_us = now_us - made * SECOND_US / RATE_HZ;
        }
        let ready = due.saturating_sub(made).min(self.analyser.wants() as u64);
        let count = (ready as usize).min(SAMPLE_BUDGET);
        for _ in 0..count {
            let sample = match self.settings.domain {
                Domain::Real => dsp::Complex::new(self.generator.real(), 0.0),
                Domain::Complex => self.generator.complex(),
            };
            self.analyser.push(sample);
        }
        if !self.analyser.is_ready() {
            return count > 0;
        }
        let last = self.analyser.completes_record();
        self.process(board);
        if last {
            if self.sending.is_some() || self.output_held() {
                self.analyser.clear();
                self.next_record = self.next_record.wrapping_add(1);
                self.counters.dropped = self.counters.dropped.saturating_add(1);
            } else {
                self.emit(board);
            }
        }
        true
    }

    pub(super) fn work_upload(&mut self, board: &mut impl Board) -> bool {
        let Some(upload) = &mut self.upload else {
            self.state = State::Idle;
            return false;
        };
        let before = upload.consumed;
        let end = before + SAMPLE_BUDGET.min(self.analyser.wants()) as u64;
        loop {
            let most = (end - upload.consumed) as usize;
            let bytes = upload.pull(self.fifo, most);
            if bytes.is_empty() {
                break;
            }
            let clipped = self.analyser.extend(bytes);
            upload.clipped = upload.clipped.saturating_add(clipped);
        }
        let mut busy = upload.consumed != before;
        self.counters.clipped = match (upload.format, self.settings.unit) {
            // Samples in a unit of the host's own have no full scale.
            (SampleFormat::F32, wire::Unit::DbReUnit) => 0,
            _ => upload.clipped,
        };
        let drained = upload.consumed == upload.received;
        let ending = upload.ending;
        if ending.is_some() && drained {
            self.analyser.close();
        }
        self.credit_due |= ending.is_none() && upload.credit_due(self.fifo);
        if self.analyser.is_ready() {
            let last = self.analyser.completes_record();
            // The record before must have left before another can take its place, and the host must have what would go.
            if !last || (self.sending.is_none() && !self.waits_for_host()) {
                let blocks = self.analyser.due();
                self.process(board);
                if let Some(upload) = &mut self.upload {
                    upload.blocks = upload.blocks.saturating_add(blocks);
                }
                if last {
                    self.emit(board);
                }
                busy = true;
            }
        } else if let Some(request) = ending
            && drained
            && self.sending.is_none()
            && self.outbox.is_free()
            && !self.waits_for_host()
        {
            self.finish_upload(request, board);
            busy = true;
        }
        busy
    }

    /// All samples have been transformed: what is left makes the last record.
    pub(super) fn finish_upload(&mut self, request: u16, board: &mut impl Board) {
        let Some(upload) = self.upload.take() else {
            return;
        };
        self.state = State::Idle;
        board.stage(Stage::Idle);
        if upload.blocks == 0 {
            let refusal = Refusal::Short {
                samples: upload.received,
                n: self.settings.n,
            };
            self.refuse(&refusal, request, upload.stream, board);
            return;
        }
        if self.analyser.blocks() > 0 {
            self.emit_of(upload.stream, board);
        }
        let brought = upload.keeps.then(|| self.brought.message());
        self.ended = Some(Ended {
            samples: upload.received,
            crc: upload.crc.value(),
            brought,
        });
        self.acknowledge_late(request, upload.stream, brought);
    }

    /// Whether the next record would take the place of one that the host has not got.
    pub(super) fn waits_for_host(&self) -> bool {
        let (Some(upload), Some(descriptor)) = (&self.upload, &self.descriptor) else {
            return false;
        };
        let bytes = descriptor.bins as usize * descriptor.encoding.bytes();
        upload.keeps && self.kept.would_lose(bytes, upload.held)
    }

    /// Transforms the block that is ready, and says so when the QPUs fail.
    pub(super) fn process(&mut self, board: &mut impl Board) {
        let result = self.analyser.process(board);
        board.stage(match self.state {
            State::Uploading => Stage::Uploading,
            State::Idle | State::Streaming => Stage::Streaming,
        });
        self.report_drops();
        if let Err(error) = result {
            let what = match error {
                EngineError::Timeout { .. } => "a QPU job did not end in time, V3D was restarted",
                EngineError::NoMemory => "the QPUs have not enough memory for this length",
                EngineError::Length => "the QPUs do not support this length",
                EngineError::Device
                | EngineError::NotAvailable
                | EngineError::OutsideBlock
                | EngineError::Stray(_) => "a QPU job failed",
            };
            if matches!(error, EngineError::Timeout { .. } | EngineError::Device) {
                self.fail(Fault::V3D_FAILED, what);
            }
            self.say(what);
            self.say("this block is computed by the CPU instead; the record says so");
            self.refresh_descriptor(board);
        }
    }

    /// Reports plans that were dropped: in text, in the log, and to the host in a frame.
    pub(super) fn report_drops(&mut self) {
        while let Some(report) = self.analyser.take_report() {
            let mut sentence = Sentence::new();
            let _ = text::write_report(&report, &mut sentence);
            log::error!("{=str}", sentence.as_str());
            self.say(&sentence);
            self.fail(Fault::PLAN_DROPPED, &sentence);
        }
    }

    /// Notes a failure for the host; of too many the oldest is left out.
    fn fail(&mut self, code: u16, text: &str) {
        if self.failed.is_full() {
            self.failed.pop_front();
        }
        let mut sentence = Sentence::new();
        let _ = sentence.push_str(text);
        let _ = self.failed.push_back((code, sentence));
    }

    pub(super) fn source(&self) -> Source {
        match self.upload {
            Some(_) => Source::Upload,
            None => Source::Generator,
        }
    }
}

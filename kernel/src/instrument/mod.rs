//! The instrument: samples in, spectra out, commands answered.
//!
//! [`Instrument::run`] says its banner, tests itself, streams the generator's spectra until a byte
//! comes from the host, and then does as it is told. It is a loop of [`Instrument::step`], which
//! never waits except in [`Board::sleep_until`], and does at most one block of samples at a time,
//! so that a command is seen within the time of one transform and one chunk.
//!
//! Output is one frame at a time. A spectrum of the generator that comes while the one before is
//! still being sent is dropped as a whole and counted; uploads are held back by their credits
//! instead, and lose nothing.

mod analyser;
mod board;
mod commands;
mod outbox;
mod records;
mod refusal;
mod settings;
#[cfg(test)]
mod tests;
mod text;
mod upload;
mod workspace;

pub use board::{BaudError, Board, BoardInfo, Stage};
pub use settings::{EngineChoice, MAX_N, MIN_N, Output, Overlap, Problem, SettingError, Settings};
pub use text::fault_report;
pub use workspace::Workspace;

use core::fmt::Write;

use dsp::generator::{Generator, RATE_HZ};
use wire::{
    Counters, Damage, Decoder, Descriptor, Domain, Envelope, Item, Message, NakCode, Source, State,
    Status,
};

use crate::engine::cpu::CpuEngine;
use crate::engine::{Engine, EngineError};
use analyser::{Analyser, Buffers, Shape};
use outbox::Outbox;
use records::Sending;
use refusal::Refusal;
use upload::Upload;

/// The line's rate after every start.
pub const START_BAUD: u32 = 115_200;

const SECOND_US: u64 = 1_000_000;
/// A new baud rate is given up when no frame has come after this time.
const BAUD_CONFIRM_US: u64 = 500_000;
/// Credits are repeated after this time without one, in case the last was lost.
const CREDIT_REPEAT_US: u64 = 500_000;
/// An upload is given up when no samples have come for this time.
const UPLOAD_TIMEOUT_US: u64 = 10 * SECOND_US;
/// At another rate than the first, this many damaged bytes without a good frame bring it back.
const LOST_HOST_ERRORS: u32 = 200;
/// Bytes looked at in one step, so that transforms get their turn.
const RECEIVE_BUDGET: usize = 2048;
/// Samples made or converted in one step.
const SAMPLE_BUDGET: usize = 2048;

/// Text that waits to be sent.
type Notice = heapless::String<2048>;

/// The spectrum instrument. `Q` is the engine on the QPUs, an `Option` where a board may have none;
/// the engine on the ARM is built in.
pub struct Instrument<'a, Q> {
    decoder: &'a mut Decoder,
    received: [u8; 256],
    received_start: usize,
    received_end: usize,
    core: Core<'a, Q>,
}

/// A baud change under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum BaudChange {
    None,
    /// The acknowledgement is on its way out at the old rate.
    Drain {
        new: u32,
    },
    /// At the new rate, until a frame comes.
    Confirm {
        old: u32,
        deadline_us: u64,
    },
}

/// An acknowledgement that waits for the record under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct LateAck {
    request: u16,
    stream: u16,
}

struct Core<'a, Q> {
    settings: Settings,
    complaint: Option<SettingError>,
    analyser: Analyser<'a, Q>,
    outbox: Outbox<'a>,
    power: &'a mut [f32],
    values: &'a mut [u8],
    fifo: &'a mut [u8],
    notice: Notice,

    state: State,
    /// The stream was not asked for: any byte ends it.
    unasked: bool,
    /// The generator's time at its sample 0.
    epoch_us: u64,
    generator: Generator,
    upload: Option<Upload>,
    /// Samples and checksum of the last upload that ended well, for a repeated request.
    ended: Option<(u64, u32)>,

    sending: Option<Sending>,
    next_record: u32,
    counters: Counters,
    descriptor: Option<Descriptor>,
    descriptor_due: bool,
    credit_due: bool,
    late_ack: Option<LateAck>,

    host_seen: bool,
    line_errors: u32,
    baud: u32,
    baud_change: BaudChange,
    /// Damage at another baud rate since the last good frame.
    strange_bytes: u32,
    reboot: bool,

    next_second_us: u64,
    next_credit_us: u64,
    next_hint_us: u64,
    upload_deadline_us: u64,
}

impl<'a, Q: Engine> Instrument<'a, Q> {
    /// An instrument with these settings. `complaint` is what was wrong with `cmdline.txt`; the
    /// banner says it.
    pub fn new(
        workspace: &'a mut Workspace,
        qpu: Q,
        settings: Settings,
        complaint: Option<SettingError>,
    ) -> Self {
        let buffers = Buffers {
            history: &mut workspace.history,
            work: &mut workspace.work,
            window: &mut workspace.window,
            sums: &mut workspace.sums,
        };
        let cpu = CpuEngine::new(&mut workspace.twiddles);
        Self {
            decoder: &mut workspace.decoder,
            received: [0; 256],
            received_start: 0,
            received_end: 0,
            core: Core {
                settings,
                complaint,
                analyser: Analyser::new(qpu, cpu, buffers),
                outbox: Outbox::new(&mut workspace.payload, &mut workspace.frame),
                power: &mut workspace.power,
                values: &mut workspace.values,
                fifo: &mut workspace.fifo,
                notice: Notice::new(),
                state: State::Idle,
                unasked: false,
                epoch_us: 0,
                generator: Generator::new(),
                upload: None,
                ended: None,
                sending: None,
                next_record: 0,
                counters: Counters::default(),
                descriptor: None,
                descriptor_due: false,
                credit_due: false,
                late_ack: None,
                host_seen: false,
                line_errors: 0,
                baud: START_BAUD,
                baud_change: BaudChange::None,
                strange_bytes: 0,
                reboot: false,
                next_second_us: 0,
                next_credit_us: 0,
                next_hint_us: 0,
                upload_deadline_us: 0,
            },
        }
    }

    /// Starts and never ends.
    pub fn run(&mut self, board: &mut impl Board) -> ! {
        self.start(board);
        loop {
            self.step(board);
        }
    }

    /// Banner, self-test, and the generator if it starts unasked.
    pub fn start(&mut self, board: &mut impl Board) {
        let core = &mut self.core;
        board.stage(Stage::SelfTest);
        core.write_banner(board);
        core.self_test();
        core.write_next_step();
        board.stage(Stage::Idle);
        core.next_second_us = board.now_us() + SECOND_US;
        if core.settings.start && core.begin_stream(board).is_ok() {
            core.unasked = true;
        }
    }

    /// Does what can be done now, then sleeps until there is more to do.
    pub fn step(&mut self, board: &mut impl Board) {
        let now_us = board.now_us();
        let mut busy = self.core.outbox.pump(board);
        self.core.keep_time(board, now_us);
        busy |= self.receive(board);
        busy |= self.core.work(board);
        if self.core.outbox.is_free() && self.core.next_output(board) {
            self.core.outbox.pump(board);
            busy = true;
        }
        if !busy {
            let at_us = self.core.next_event_us(now_us);
            board.sleep_until(at_us);
        }
    }

    /// Takes what has come in; whether anything had.
    fn receive(&mut self, board: &mut impl Board) -> bool {
        let mut budget = RECEIVE_BUDGET;
        let mut any = false;
        // A reply needs the outbox, so nothing is read while that is full.
        while self.core.outbox.is_free() && budget > 0 {
            if self.received_start == self.received_end {
                self.received_start = 0;
                self.received_end = board.receive(&mut self.received);
                if self.received_end == 0 {
                    break;
                }
            }
            let byte = self.received[self.received_start];
            self.received_start += 1;
            budget -= 1;
            any = true;
            self.core.any_byte(byte, board);
            let mut item = self.decoder.push(byte);
            if item.is_none() && byte == b'\r' {
                // A terminal's Enter key.
                item = self.decoder.take_line();
            }
            if let Some(item) = item {
                self.core.item(item, board);
            }
        }
        any
    }
}

impl<Q: Engine> Core<'_, Q> {
    fn envelope(&self, board: &mut impl Board, request: u16, stream: u16) -> Envelope {
        Envelope {
            stream,
            request,
            time_us: board.now_us(),
        }
    }

    /// The stream number of records.
    fn stream(&self) -> u16 {
        self.upload.as_ref().map_or(0, |upload| upload.stream)
    }

    /// Ends the stream that nobody asked for, whatever the byte is.
    fn any_byte(&mut self, byte: u8, board: &mut impl Board) {
        if core::mem::take(&mut self.unasked) {
            self.end_stream(board);
            if byte != 0 {
                self.hint(
                    board,
                    "stream stopped; type help and Enter, or run `qpuscope read`",
                );
            }
        }
    }

    fn item(&mut self, item: Item, board: &mut impl Board) {
        match item {
            Item::Frame(header, payload) => {
                self.host_seen = true;
                self.strange_bytes = 0;
                if let BaudChange::Confirm { .. } = self.baud_change {
                    self.baud_change = BaudChange::None;
                }
                self.frame(&header, payload, board);
            }
            Item::Text(text) => self.typed(text, board),
            Item::Damaged { reason, bytes } => {
                self.line_errors = self.line_errors.saturating_add(1);
                self.strange_bytes = self.strange_bytes.saturating_add(bytes as u32);
                self.damaged(reason, board);
            }
        }
    }

    /// Says that something came that is no frame, at most twice a second.
    fn damaged(&mut self, reason: Damage, board: &mut impl Board) {
        if self.output_held() || !self.hint_allowed(board) {
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
        let envelope = self.envelope(board, 0, 0);
        self.outbox
            .put(envelope, &Message::Nak(NakCode::BAD_PAYLOAD, sentence));
    }

    fn hint_allowed(&mut self, board: &mut impl Board) -> bool {
        let now_us = board.now_us();
        let allowed = now_us >= self.next_hint_us;
        if allowed {
            self.next_hint_us = now_us + SECOND_US / 2;
        }
        allowed
    }

    fn hint(&mut self, board: &mut impl Board, text: &str) {
        if self.hint_allowed(board) {
            self.say(text);
        }
    }

    /// Puts a line of text behind what waits. What does not fit is left out as a whole.
    fn say(&mut self, line: &str) {
        if self.notice.capacity() - self.notice.len() >= line.len() + 2 {
            let _ = self.notice.push_str(line);
            let _ = self.notice.push_str("\r\n");
        }
    }

    /// Begins the generator's stream at its first sample.
    fn begin_stream(&mut self, board: &mut impl Board) -> Result<(), Refusal> {
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
        self.begin(State::Streaming, domain, board);
        Ok(())
    }

    /// Begins a run of records.
    fn begin(&mut self, state: State, domain: Domain, board: &mut impl Board) {
        self.state = state;
        self.unasked = false;
        self.analyser.begin(Shape::new(&self.settings, domain));
        self.next_record = 0;
        self.counters = Counters::default();
        self.late_ack = None;
        self.refresh_descriptor(board);
        self.descriptor_due = true;
        self.next_second_us = board.now_us() + SECOND_US;
        board.stage(match state {
            State::Idle => Stage::Idle,
            State::Streaming => Stage::Streaming,
            State::Uploading => Stage::Uploading,
        });
    }

    /// No more samples. The record that is being sent goes on to its end.
    fn end_stream(&mut self, board: &mut impl Board) {
        self.state = State::Idle;
        self.unasked = false;
        self.upload = None;
        self.credit_due = false;
        board.stage(Stage::Idle);
    }

    /// One block of samples at most; whether there was something to do.
    fn work(&mut self, board: &mut impl Board) -> bool {
        match self.state {
            State::Idle => false,
            State::Streaming => self.work_generator(board),
            State::Uploading => self.work_upload(board),
        }
    }

    fn work_generator(&mut self, board: &mut impl Board) -> bool {
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

    fn work_upload(&mut self, board: &mut impl Board) -> bool {
        let Some(upload) = &mut self.upload else {
            self.state = State::Idle;
            return false;
        };
        let before = upload.consumed;
        for _ in 0..SAMPLE_BUDGET.min(self.analyser.wants()) {
            let Some(sample) = upload.pull(self.fifo) else {
                break;
            };
            self.analyser.push(sample);
        }
        let mut busy = upload.consumed != before;
        self.counters.clipped = match (upload.format, self.settings.unit) {
            // Samples in a unit of the host's own have no full scale.
            (wire::SampleFormat::F32, wire::Unit::DbReUnit) => 0,
            _ => upload.clipped,
        };
        let drained = upload.consumed == upload.received;
        let ending = upload.ending;
        self.credit_due |= ending.is_none() && upload.credit_due(self.fifo);
        if self.analyser.is_ready() {
            let last = self.analyser.completes_record();
            // The record before must have left before another can take its place.
            if !last || self.sending.is_none() {
                self.process(board);
                if let Some(upload) = &mut self.upload {
                    upload.blocks = upload.blocks.saturating_add(1);
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
        {
            self.finish_upload(request, board);
            busy = true;
        }
        busy
    }

    /// All samples have been transformed: what is left makes the last record.
    fn finish_upload(&mut self, request: u16, board: &mut impl Board) {
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
        self.ended = Some((upload.received, upload.crc.value()));
        if self.analyser.blocks() > 0 {
            self.emit_of(upload.stream, board);
        }
        self.late_ack = Some(LateAck {
            request,
            stream: upload.stream,
        });
    }

    fn refuse(&mut self, refusal: &Refusal, request: u16, stream: u16, board: &mut impl Board) {
        let mut sentence = heapless::String::<320>::new();
        let _ = write!(sentence, "{refusal}");
        let envelope = self.envelope(board, request, stream);
        self.outbox
            .put(envelope, &Message::Nak(refusal.code(), &sentence));
    }

    /// Transforms the block that is ready, and says so when the QPUs fail.
    fn process(&mut self, board: &mut impl Board) {
        let result = self.analyser.process(board);
        board.stage(match self.state {
            State::Uploading => Stage::Uploading,
            State::Idle | State::Streaming => Stage::Streaming,
        });
        if let Err(error) = result {
            let what = match error {
                EngineError::Timeout { .. } => "a QPU job did not end in time, V3D was restarted",
                EngineError::NoMemory => "the QPUs have not enough memory for this length",
                EngineError::Length => "the QPUs do not support this length",
                EngineError::Device | EngineError::NotAvailable => "a QPU job failed",
            };
            self.say(what);
            self.say("this block is computed by the CPU instead; the record says so");
            self.refresh_descriptor(board);
        }
    }

    /// Timers: heartbeat, baud changes, uploads without a host, reboot.
    fn keep_time(&mut self, board: &mut impl Board, now_us: u64) {
        self.counters.overruns = self
            .counters
            .overruns
            .saturating_add(board.receive_errors());
        if board.take_break() {
            self.baud_change = BaudChange::None;
            self.set_baud(START_BAUD, board);
            self.say("break: 115200 baud");
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
        if self.baud != START_BAUD && self.strange_bytes > LOST_HOST_ERRORS {
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
            if upload.ending.is_none() && now_us >= self.upload_deadline_us {
                self.end_stream(board);
                self.say("no samples for 10 s: the upload is given up; begin it again");
            } else if upload.ending.is_none() && now_us >= self.next_credit_us {
                self.credit_due = true;
            }
        }
    }

    /// Whether it kept the line working.
    fn set_baud(&mut self, baud: u32, board: &mut impl Board) -> bool {
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
    fn output_held(&self) -> bool {
        self.baud_change != BaudChange::None
    }

    /// Makes the next frame, in order of urgency; whether there was one. The outbox is free.
    fn next_output(&mut self, board: &mut impl Board) -> bool {
        if self.output_held() || self.reboot {
            return false;
        }
        let now_us = board.now_us();
        if !self.notice.is_empty() {
            self.outbox.put_text(&self.notice);
            self.notice.clear();
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
            if self.state == State::Idle && self.sending.is_none() {
                return self.send_status(board);
            }
            self.descriptor_due = true;
        }
        // A new descriptor waits for the record under way, which is read by the one before.
        if self.descriptor_due
            && let Some(descriptor) = self.descriptor
            && self
                .sending
                .is_none_or(|sending| sending.head.descriptor == descriptor.id)
        {
            self.descriptor_due = false;
            let envelope = self.envelope(board, 0, self.stream());
            self.outbox.put(envelope, &Message::Descriptor(descriptor));
            return true;
        }
        if self.send_chunk(board) {
            return true;
        }
        if let Some(ack) = self.late_ack.take() {
            let envelope = self.envelope(board, ack.request, ack.stream);
            self.outbox.put(envelope, &Message::Ack(""));
            return true;
        }
        self.send_log(board)
    }

    fn send_status(&mut self, board: &mut impl Board) -> bool {
        if !self.host_seen {
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

    fn send_log(&mut self, board: &mut impl Board) -> bool {
        // A board that was told to be quiet says nothing before a host has spoken.
        if !self.host_seen && !self.settings.start {
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

    /// When there will be something to do without a byte from outside.
    fn next_event_us(&self, now_us: u64) -> u64 {
        // While the line is busy or changing, that is waited for in short steps; the board wakes
        // up earlier when there is room.
        let waiting = !self.outbox.is_free() || self.reboot || self.output_held();
        let mut at_us = if waiting {
            now_us + 1000
        } else {
            self.next_second_us.max(now_us + 1)
        };
        if self.state == State::Streaming {
            let needed = self.analyser.next_sample() + self.analyser.wants() as u64;
            let due_us = self.epoch_us + (needed * SECOND_US).div_ceil(RATE_HZ);
            at_us = at_us.min(due_us.max(now_us + 1));
        }
        if self.upload.is_some() && !waiting {
            at_us = at_us.min(self.next_credit_us).max(now_us + 1);
        }
        at_us
    }

    fn source(&self) -> Source {
        match self.upload {
            Some(_) => Source::Upload,
            None => Source::Generator,
        }
    }
}

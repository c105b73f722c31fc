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
mod jobs;
mod kept;
mod line;
mod outbox;
mod plot;
mod prove;
mod qpu_test;
mod records;
mod refusal;
mod report;
mod settings;
mod sources;
#[cfg(test)]
mod tests;
mod text;
mod upload;
mod workspace;

pub use board::{BaudError, Board, BoardInfo, BootTimes, ClockReading, Clocks, Stage};
pub use settings::{EngineChoice, MAX_N, MIN_N, Output, Overlap, Problem, SettingError, Settings};
pub use text::fault_report;
pub use workspace::Workspace;

use core::fmt::Write;

use dsp::generator::{Generator, RATE_HZ};
use wire::{
    Counters, Damage, Decoder, Descriptor, Envelope, Item, Message, NakCode, State, Uploaded,
};

use crate::engine::Engine;
use crate::engine::cpu::CpuEngine;
use crate::engine::samples::History;
use analyser::{Analyser, Buffers};
use outbox::Outbox;
use plot::Last;
use qpu_test::QpuTest;
use records::Sending;
use refusal::Refusal;
use report::Report;
use upload::{Brought, Ended, Upload};

/// The line's rate after every start.
pub const START_BAUD: u32 = 115_200;

/// The lowest rate that a host may ask for: what waits in the transmit queue after a break must have
/// left before the board's watchdog takes the silence for a hang.
pub const LOWEST_BAUD: u32 = 9_600;

const SECOND_US: u64 = 1_000_000;
/// Credits are repeated after this time without one, in case the last was lost.
const CREDIT_REPEAT_US: u64 = 500_000;
/// An upload is given up when no samples have come for this time.
const UPLOAD_TIMEOUT_US: u64 = 10 * SECOND_US;
/// A frame that ended the stream has come to its own end by then.
const STOPPED_HINT_US: u64 = 300_000;
/// A fragment of a frame is given up when nothing has followed for this time.
const FRAGMENT_US: u64 = SECOND_US;
/// Bytes looked at in one step, so that transforms get their turn.
const RECEIVE_BUDGET: usize = 2048;

/// Failures of V3D and of plans that may wait to be told.
const FAILURES: usize = 4;

/// A failure in words.
type Sentence = heapless::String<192>;

/// Text that waits to be sent.
type Notice = heapless::String<2048>;

/// The spectrum instrument. `Q` is the engine on the QPUs, an `Option` where a board may have none;
/// the engine on the ARM is built in.
pub struct Instrument<'a, Q> {
    decoder: &'a mut Decoder,
    received: [u8; 256],
    received_start: usize,
    received_end: usize,
    /// When the last byte came.
    byte_us: u64,
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

/// An acknowledgement that waits for the end of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct LateAck {
    request: u16,
    stream: u16,
    /// [`Core::emitted`] when it was asked for: the record under way is that one.
    behind: u32,
    /// What an upload has brought, where its end is acknowledged to a host that wants to know.
    brought: Option<Uploaded>,
}

/// Acknowledgements that may wait. A host asks again after a second, and a record at the lowest
/// rate and the greatest length takes longer than that; more than this nobody asks.
const LATE_ACKS: usize = 8;

/// Who is at the other end of the line, by what came last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Listener {
    /// Nobody has spoken yet.
    Unknown,
    /// Somebody who types: frames would be noise on the screen.
    Person,
    /// A program that sends frames.
    Host,
}

struct Core<'a, Q> {
    settings: Settings,
    complaint: Option<SettingError>,
    analyser: Analyser<'a, Q>,
    outbox: Outbox<'a>,
    power: &'a mut [f32],
    values: &'a mut [u8],
    kept: kept::Records<'a>,
    fifo: &'a mut [u8],
    notice: Notice,
    /// Failures that the host is still to be told, as code and text.
    failed: heapless::Deque<(u16, Sentence), FAILURES>,

    state: State,
    /// The stream was not asked for: any byte ends it.
    unasked: bool,
    /// The generator's time at its sample 0.
    epoch_us: u64,
    generator: Generator,
    upload: Option<Upload>,
    /// The last upload that ended well, for a repeated request.
    ended: Option<Ended>,
    /// What the upload has brought so far.
    brought: Brought,

    sending: Option<Sending>,
    next_record: u32,
    counters: Counters,
    descriptor: Option<Descriptor>,
    descriptor_due: bool,
    credit_due: bool,
    late_acks: heapless::Deque<LateAck, LATE_ACKS>,
    /// Records that have begun to be sent since the start.
    emitted: u32,
    /// The last record of the last stream, for `plot`.
    last: Option<Last>,
    /// A drawing was asked for and has not been made yet.
    plot_due: bool,

    listener: Listener,
    line_errors: u32,
    baud: u32,
    baud_change: BaudChange,
    /// A typed line goes on that was refused for its length.
    in_long_line: bool,
    /// Damage at another baud rate since the last good frame.
    strange_bytes: u32,
    /// When the first of it came.
    strange_us: u64,
    reboot: bool,

    next_second_us: u64,
    next_credit_us: u64,
    next_hint_us: u64,
    /// The QPU test, while it runs.
    qpu_test: Option<QpuTest>,
    /// The summary that was asked for, while it is made.
    report: Option<Report>,
    /// When the first spectrum was there; 0: not yet.
    first_spectrum_us: u32,
    /// When to say that the stream was stopped.
    stopped_hint_us: Option<u64>,
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
            history: History::new(&mut workspace.history),
            work: &mut workspace.work,
            window: &mut workspace.window,
            held: &mut workspace.held,
            noise: &mut workspace.noise,
            wanted: &mut workspace.wanted,
            got: &mut workspace.got,
        };
        let cpu = CpuEngine::new(&mut workspace.twiddles);
        Self {
            decoder: &mut workspace.decoder,
            received: [0; 256],
            received_start: 0,
            received_end: 0,
            byte_us: 0,
            core: Core {
                settings,
                complaint,
                analyser: Analyser::new(qpu, cpu, buffers),
                outbox: Outbox::new(&mut workspace.payload, &mut workspace.frame),
                power: &mut workspace.power,
                values: &mut workspace.values,
                kept: kept::Records::new(&mut workspace.kept),
                fifo: &mut workspace.fifo,
                notice: Notice::new(),
                failed: heapless::Deque::new(),
                state: State::Idle,
                unasked: false,
                epoch_us: 0,
                generator: Generator::new(),
                upload: None,
                ended: None,
                brought: Brought::default(),
                sending: None,
                next_record: 0,
                counters: Counters::default(),
                descriptor: None,
                descriptor_due: false,
                credit_due: false,
                late_acks: heapless::Deque::new(),
                emitted: 0,
                last: None,
                plot_due: false,
                listener: Listener::Unknown,
                line_errors: 0,
                baud: START_BAUD,
                baud_change: BaudChange::None,
                in_long_line: false,
                strange_bytes: 0,
                strange_us: 0,
                reboot: false,
                next_second_us: 0,
                next_credit_us: 0,
                next_hint_us: 0,
                qpu_test: None,
                report: None,
                first_spectrum_us: 0,
                stopped_hint_us: None,
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

    /// Banner, self-test, then the QPU test if it was asked for, and the generator if it starts unasked.
    pub fn start(&mut self, board: &mut impl Board) {
        let core = &mut self.core;
        board.stage(Stage::SelfTest);
        core.write_banner(board);
        core.self_test(board);
        core.write_next_step();
        board.stage(Stage::Idle);
        core.next_second_us = board.now_us() + SECOND_US;
        if core.settings.qpu_test > 0 {
            core.begin_qpu_test();
        } else {
            core.begin_unasked(board);
        }
    }

    /// Does what can be done now, then sleeps until there is more to do.
    pub fn step(&mut self, board: &mut impl Board) {
        let now_us = board.now_us();
        let mut busy = self.core.outbox.pump(board, self.core.baud);
        self.core.keep_time(board, now_us);
        busy |= self.receive(board);
        busy |= self.drop_fragment(board);
        busy |= self.core.work(board);
        busy |= self.core.step_qpu_test(board);
        busy |= self.core.step_report(board);
        if self.core.outbox.is_free() && self.core.next_output(board) {
            self.core.outbox.pump(board, self.core.baud);
            busy = true;
        }
        if !busy {
            let mut at_us = self.core.next_event_us(now_us);
            if self.decoder.is_in_binary() {
                at_us = at_us.min(self.byte_us + FRAGMENT_US).max(now_us + 1);
            }
            board.sleep_until(at_us);
        }
    }

    /// Gives up what cannot become text any more and has not gone on for a second, so that a stray
    /// byte (an arrow key, noise of a plug) does not swallow every command typed after it.
    fn drop_fragment(&mut self, board: &mut impl Board) -> bool {
        let stale = self.decoder.is_in_binary()
            && self.core.outbox.is_free()
            && board.now_us() >= self.byte_us + FRAGMENT_US;
        if stale && let Some(item) = self.decoder.finish() {
            self.core.item(item, board);
        }
        stale
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
            if !any {
                self.byte_us = board.now_us();
            }
            any = true;
            self.core.any_byte(board);
            // The line that asks for the summary may end in two.
            if !matches!(byte, b'\r' | b'\n') {
                self.core.stop_report();
            }
            // Backspace, which terminals send as either.
            if matches!(byte, 0x08 | 0x7F) && self.decoder.erase() {
                continue;
            }
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

    /// The stream number of records: the upload's, also while its last record is sent.
    fn stream(&self) -> u16 {
        let last = self.sending.map_or(0, |sending| sending.stream);
        self.upload.as_ref().map_or(last, |upload| upload.stream)
    }

    /// Starts the generator, if it is to start by itself.
    fn begin_unasked(&mut self, board: &mut impl Board) {
        if self.settings.start && self.begin_stream(board).is_ok() {
            self.unasked = true;
        }
    }

    /// Ends the QPU test, and the stream that nobody asked for, whatever the byte is. Unless a frame follows, it was a
    /// key, and whoever pressed it is told what can be typed.
    fn any_byte(&mut self, board: &mut impl Board) {
        self.stop_qpu_test();
        if core::mem::take(&mut self.unasked) {
            self.end_stream(board);
            self.stopped_hint_us = Some(board.now_us() + STOPPED_HINT_US);
        }
    }

    fn item(&mut self, item: Item, board: &mut impl Board) {
        if !matches!(item, Item::Text(_)) {
            self.in_long_line = false;
        }
        match item {
            Item::Frame(header, payload) => {
                self.listener = Listener::Host;
                self.strange_bytes = 0;
                self.stopped_hint_us = None;
                if let BaudChange::Confirm { .. } = self.baud_change {
                    self.baud_change = BaudChange::None;
                }
                self.frame(&header, payload, board);
            }
            Item::Text(text) => self.typed(text, board),
            Item::Damaged { reason, bytes } => {
                self.line_errors = self.line_errors.saturating_add(1);
                if self.strange_bytes == 0 {
                    self.strange_us = board.now_us();
                }
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
        if !self.takes_frames() {
            self.say(sentence);
            return;
        }
        let envelope = self.envelope(board, 0, 0);
        self.outbox
            .put(envelope, &Message::Nak(NakCode::BAD_PAYLOAD, sentence));
    }

    /// Whether frames that answer no request may be sent: not to somebody who reads text.
    fn takes_frames(&self) -> bool {
        let records = self.settings.output != Output::Text;
        match self.listener {
            Listener::Host => true,
            Listener::Unknown => records,
            // Records were asked for, and nobody can read them without their descriptor.
            Listener::Person => records && (self.state != State::Idle || self.sending.is_some()),
        }
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

    fn refuse(&mut self, refusal: &Refusal, request: u16, stream: u16, board: &mut impl Board) {
        let mut sentence = heapless::String::<320>::new();
        let _ = write!(sentence, "{refusal}");
        let envelope = self.envelope(board, request, stream);
        self.outbox
            .put(envelope, &Message::Nak(refusal.code(), &sentence));
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
        if self.sending.is_some() && !waiting {
            at_us = at_us.min(self.outbox.next_chunk_us()).max(now_us + 1);
        }
        if let Some(hint_us) = self.stopped_hint_us {
            at_us = at_us.min(hint_us).max(now_us + 1);
        }
        if self.state == State::Streaming {
            let needed = self.analyser.next_sample() + self.analyser.wants() as u64;
            let due_us = self.epoch_us + (needed * SECOND_US).div_ceil(RATE_HZ);
            at_us = at_us.min(due_us.max(now_us + 1));
        }
        let uploads = |upload: &Upload| upload.ending.is_none();
        if self.upload.as_ref().is_some_and(uploads) && !waiting {
            at_us = at_us.min(self.next_credit_us).max(now_us + 1);
        }
        at_us
    }
}

//! The instrument: samples in, spectra out, commands answered.
//!
//! [`Instrument::run`] writes its banner, tests itself, streams the generator's spectra until a
//! byte comes from the host, and then serves requests. It is a loop of [`Instrument::step`], which
//! never waits except in [`Board::sleep_until`], and does at most one block of samples at a time,
//! so that a command is seen within the time of one transform and one chunk.
//!
//! Output is one frame at a time. A spectrum of the generator that is finished while the one before
//! is still being sent is dropped as a whole and counted; uploads are held back by their credits
//! instead, and lose nothing.
//!
//! ```text
//! bytes -> receiver -> commands, typed -> hub -> output -> link -> bytes
//!                                          |
//!       source (generator, upload, capture) -> analyser -> stream (records)
//! ```

mod analyser;
mod board;
pub mod capture;
mod commands;
mod descriptor;
mod hub;
mod inputs;
mod jobs;
mod kept;
mod line_rate;
mod link;
mod live;
mod notice;
mod outbox;
mod output;
mod plot;
mod probe;
mod prove;
mod qpu_selftest;
mod readings;
mod receiver;
mod records;
mod refusal;
mod selftest;
mod settings;
mod source;
mod stream;
#[cfg(test)]
mod tests;
mod text;
mod transfer;
mod typed;
mod unattended;
mod upload;
mod workspace;

pub use board::{Board, BoardInfo, BootTimes, ClockReading, Clocks, Stage};
pub use settings::{EngineChoice, MAX_N, MIN_N, Output, Overlap, Problem, SettingError, Settings};
pub use text::fault_report;
pub use workspace::Workspace;

use crate::engine::cpu::CpuEngine;
use crate::engine::samples::History;
use crate::engine::{Fft, QpuHost};
use analyser::{Analyser, Buffers, Exponential};
use hub::Hub;
use kept::Kept;
use link::Link;
use live::Live;
use outbox::Outbox;
use receiver::Receiver;
use records::Records;
use selftest::SelfTest;
use stream::Stream;
use unattended::Unattended;
use upload::Upload;

/// Bytes looked at in one step, so that transforms get their turn.
const RECEIVE_BUDGET: usize = 2048;

/// The spectrum instrument. `Q` is the engine on the QPUs; the engine on the ARM is built in.
pub struct Instrument<'a, Q> {
    receiver: Receiver<'a>,
    hub: Hub<'a, Q>,
}

impl<'a, Q: Fft + QpuHost> Instrument<'a, Q> {
    /// An instrument with these settings, and with QPUs where the board has them. `complaint` is
    /// the first error in `cmdline.txt`; the banner says it.
    pub fn new(
        workspace: &'a mut Workspace,
        qpu: Option<Q>,
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
        let exponential = Exponential::new(&mut workspace.averaged);
        let cpu = CpuEngine::new(&mut workspace.twiddles);
        let kept = Kept::new(&mut workspace.kept, &mut workspace.entries);
        let records = Records::new(&mut workspace.power, kept);
        let outbox = Outbox::new(&mut workspace.payload, &mut workspace.frame);
        Self {
            receiver: Receiver::new(&mut workspace.decoder),
            hub: Hub {
                settings,
                complaint,
                analyser: Analyser::new(qpu, cpu, buffers, exponential),
                link: Link::new(outbox),
                stream: Stream::new(records),
                upload: Upload::new(&mut workspace.fifo),
                live: Live::new(),
                unattended: Unattended::default(),
                selftest: SelfTest::default(),
                words: &mut workspace.words,
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

    /// Writes the banner and tests itself; then begins the QPU self-test if it was asked for, or
    /// the generator if that starts unasked.
    pub fn start(&mut self, board: &mut impl Board) {
        self.hub.start(board);
    }

    /// Does as much as can be done now, then sleeps until there is more to do.
    pub fn step(&mut self, board: &mut impl Board) {
        let now_us = board.now_us();
        let mut busy = self.hub.link.pump(board);
        self.hub.analyser.let_qpus_go_on();
        self.hub.keep_time(board, now_us);
        if self.hub.link.rate.take_new() {
            self.receiver.forget();
        }
        busy |= self.receive(board);
        busy |= self.hub.link.outbox.is_free()
            && self
                .receiver
                .give_up(board.now_us(), |item| self.hub.item(item, board));
        self.hub.analyser.let_qpus_go_on();
        busy |= self.hub.work(board);
        self.hub.analyser.let_qpus_go_on();
        busy |= self.hub.step_selftest(board);
        if self.hub.link.outbox.is_free() && self.hub.next_output(board) {
            self.hub.analyser.let_qpus_go_on();
            self.hub.link.pump(board);
            busy = true;
        }
        if !busy {
            let fragment_us = self.receiver.fragment_ends_us().unwrap_or(u64::MAX);
            let at_us = self.hub.next_event_us(now_us).min(fragment_us);
            board.sleep_until(at_us.max(now_us + 1));
        }
    }

    /// Takes bytes that have come; reports if there were any.
    fn receive(&mut self, board: &mut impl Board) -> bool {
        let mut budget = RECEIVE_BUDGET;
        // A reply needs the outbox, so nothing is read while that is full.
        while self.hub.link.outbox.is_free()
            && budget > 0
            && let Some(byte) = self.receiver.byte(board)
        {
            if budget == RECEIVE_BUDGET {
                self.receiver.note(board.now_us());
            }
            budget -= 1;
            self.hub.any_byte(board);
            self.receiver
                .decode(byte, |item| self.hub.item(item, board));
        }
        budget < RECEIVE_BUDGET
    }
}

//! Requests from the host.

use core::fmt::Write;

use wire::{Header, Info, Message, NakCode, State, UploadBegin, VERSION_MAJOR, VERSION_MINOR};

use super::board::{Board, BoardInfo};
use super::descriptor::cropped;
use super::hub::Hub;
use super::line_rate::LOWEST_BAUD;
use super::live::{Asker, Begun};
use super::readings;
use super::refusal::Refusal;
use super::settings::{EngineChoice, write_capabilities};
use super::upload::Ending;
use crate::baud::BaudError;
use crate::engine::{Fft, QpuHost};

/// Capabilities that depend neither on the board nor on a setting.
const CAPABILITIES: &str = "upload=u8,i16,f32,i32,u8-high\npayload=4096\n";

/// The answer to a request that is not refused.
enum Answer {
    /// An `ACK`.
    Done,
    /// Nothing, or something that has been put into the outbox already.
    None,
}

impl<Q: Fft + QpuHost> Hub<'_, Q> {
    /// Answers a frame. The outbox is free.
    pub(super) fn frame(&mut self, header: &Header, payload: &[u8], board: &mut impl Board) {
        // Our own kinds come back from a loop in the wiring; answering would never end.
        if header.kind.0 >= 0x80 || self.link.reboots {
            return;
        }
        let result = Message::decode(header.kind, payload)
            .map_err(Refusal::Payload)
            .and_then(|message| self.request(header, &message, board));
        let (request, stream) = (header.request, header.stream);
        match result {
            Ok(Answer::Done) => self.link.put(request, stream, &Message::Ack(""), board),
            Ok(Answer::None) => {}
            Err(refusal) => self.link.refuse(&refusal, request, stream, board),
        }
    }

    fn request(
        &mut self,
        header: &Header,
        message: &Message,
        board: &mut impl Board,
    ) -> Result<Answer, Refusal> {
        let envelope = self.envelope(board, header.request, header.stream);
        let done = |()| Answer::Done;
        match message {
            Message::Hello(_) => self.send_info(header, board),
            Message::Ping(token) => self.link.outbox.put(envelope, &Message::Pong(*token)),
            Message::Get(keys) => {
                let mut text = heapless::String::<1024>::new();
                self.write_settings(keys, &mut text, board);
                self.link.outbox.put(envelope, &Message::Settings(&text));
            }
            Message::Set(text) => return self.set(text, board).map(done),
            Message::Start => {
                self.require_no_upload()?;
                return Ok(match self.begin_stream(board)? {
                    Begun::Now => Answer::Done,
                    Begun::Later => self.answer_later(header),
                });
            }
            Message::Stop => {
                self.end_stream(board);
                self.stream
                    .acknowledge_late(header.request, header.stream, None);
            }
            Message::Reboot => {
                self.end_stream(board);
                self.link.reboots = true;
                return Ok(Answer::Done);
            }
            Message::Baud(baud) => {
                if *baud < LOWEST_BAUD {
                    return Err(Refusal::Plain(
                        NakCode::BAUD,
                        "rates below 9600 baud are too slow to stay in touch; ask for 9600 or more",
                    ));
                }
                board.check_baud(*baud).map_err(|error| {
                    Refusal::Baud(BaudError {
                        lowest: error.lowest.max(LOWEST_BAUD),
                        ..error
                    })
                })?;
                self.link.rate.change_to(*baud);
                return Ok(Answer::Done);
            }
            Message::UploadBegin(begin) => {
                return self.upload_begin(begin, header, board).map(done);
            }
            Message::UploadData { offset, data } => {
                self.upload.data(*offset, data, board.now_us())?;
            }
            Message::UploadEnd { samples, crc } => {
                self.upload_end(*samples, *crc, header, board)?;
            }
            Message::Fetch {
                record,
                offset,
                values,
            } => {
                self.upload.heard(board.now_us());
                let which = (*record, *offset, *values);
                let (records, descriptor) = (&self.stream.records, self.stream.descriptor);
                let answer = records.fetch(which, header.stream, descriptor)?;
                self.link.outbox.put(envelope, &answer);
            }
            Message::Held(record) => self.upload.held(*record, board.now_us()),
            Message::JobMemory(bytes) => self.job_memory(*bytes, envelope)?,
            Message::JobWrite(words) => return self.job_write(*words).map(done),
            Message::JobRead { first, words } => self.job_read(*first, *words, envelope)?,
            Message::RunJob(job) => self.run_job(*job, envelope, board)?,
            Message::Prove(plan) => self.prove(*plan, envelope, board)?,
            Message::Probe => {
                self.require_no_upload()?;
                self.begin_probe(board)?;
                return Ok(self.answer_later(header));
            }
            Message::Measure(number) => self.measure(*number, envelope, board)?,
            _ => {
                return Err(Refusal::Plain(
                    NakCode::UNKNOWN_REQUEST,
                    "this message goes from the instrument to the host only",
                ));
            }
        }
        Ok(Answer::None)
    }

    /// Answers when the live input is there, or is not.
    fn answer_later(&mut self, header: &Header) -> Answer {
        let (request, stream) = (header.request, header.stream);
        self.live.asker = Some(Asker::Host { request, stream });
        Answer::None
    }

    fn send_info(&mut self, header: &Header, board: &mut impl Board) {
        let mut capabilities = heapless::String::<768>::new();
        let about = *board.info();
        self.write_capabilities(&about, &mut capabilities);
        let info = Info {
            engine: self.engine(),
            state: self.stream.state(),
            reset_cause: about.reset_cause,
            board_revision: about.revision,
            memory_bytes: about.memory_bytes,
            clocks: about.clocks,
            baud: self.link.rate.baud(),
            firmware: about.firmware,
            board: about.name,
            capabilities: &capabilities,
        };
        let info = Message::Info(info);
        self.link.put(header.request, header.stream, &info, board);
    }

    fn write_capabilities(&mut self, about: &BoardInfo, out: &mut impl Write) {
        let _ = writeln!(out, "protocol={VERSION_MAJOR}.{VERSION_MINOR}");
        let _ = write_capabilities(out);
        let _ = out.write_str(CAPABILITIES);
        if let Some((first, last)) = self.analyser.qpu_lengths() {
            let _ = writeln!(out, "qpu-n={}..{}", 1u32 << first, 1u32 << last);
        }
        if let Ok(qpu) = self.analyser.qpu() {
            let order = qpu.launch_order();
            let _ = out.write_str("launch-order=");
            for (place, qpu) in order.qpus().iter().enumerate() {
                let comma = if place == 0 { "" } else { "," };
                let _ = write!(out, "{comma}{qpu}");
            }
            let _ = out.write_str("\n");
        }
        if about.early_ends > 0 {
            let _ = writeln!(out, "early-ends={}", about.early_ends);
        }
        let costs = self.analyser.costs();
        let _ = writeln!(
            out,
            "proofs={}\nproof-us={}\nplans-dropped={}\nchecks={}\ncheck-us={}",
            costs.proofs, costs.proof_us, costs.dropped, costs.checks, costs.check_us
        );
    }

    pub(super) fn write_settings(
        &mut self,
        keys: &str,
        out: &mut impl Write,
        board: &mut impl Board,
    ) {
        let _ = self.settings.write(keys, out);
        if keys.contains("capabilities") {
            self.write_capabilities(board.info(), out);
        }
        if keys.contains("clocks") {
            readings::write_clocks(&board.clocks(), out);
        }
        if keys.contains("boot") {
            readings::write_boot(&board.info().boot, self.stream.first_spectrum_us, out);
        }
        if keys.contains("stack") {
            readings::write_stack(board.stack_left_bytes(), out);
        }
    }

    pub(super) fn require_no_upload(&self) -> Result<(), Refusal> {
        if self.stream.state() != State::Uploading {
            return Ok(());
        }
        Err(Refusal::Plain(
            NakCode::WRONG_STATE,
            "an upload is under way; end it with UPLOAD_END or STOP first",
        ))
    }

    /// Takes settings. A stream under way begins anew when they change it.
    pub(super) fn set(&mut self, text: &str, board: &mut impl Board) -> Result<(), Refusal> {
        self.require_no_upload()?;
        let before = self.settings;
        self.settings.apply(text).map_err(Refusal::Setting)?;
        if self.settings != before && (self.stream.state() == State::Streaming || self.is_coming())
        {
            let asker = self.live.asker;
            match self.begin_stream(board) {
                Ok(_) => self.live.asker = asker.filter(|_| self.is_coming()),
                Err(refusal) => {
                    self.settings = before;
                    // What streamed before may have had to end for the attempt.
                    if self.stream.state() != State::Streaming {
                        let _ = self.begin_stream(board);
                    }
                    return Err(refusal);
                }
            }
        }
        let wants_qpus = self.settings.engine != EngineChoice::Cpu;
        if wants_qpus && self.settings.engine != before.engine && board.info().v3d_unwanted {
            self.link.say(match board.info().is_careful() {
                true => "engine: cpu all the same: this start is careful, and V3D has no power; type reboot for a usual one",
                false => "engine: cpu all the same: cmdline.txt says engine=cpu, so V3D has no power; take that out and restart",
            });
        }
        Ok(())
    }

    fn upload_begin(
        &mut self,
        begin: &UploadBegin,
        header: &Header,
        board: &mut impl Board,
    ) -> Result<(), Refusal> {
        cropped(&self.settings, begin.domain)?;
        if begin.samples > 0 && begin.samples < u64::from(self.settings.n) {
            return Err(Refusal::Short {
                samples: begin.samples,
                n: self.settings.n,
            });
        }
        let receive_bytes = board.receive_capacity();
        let signal = self.upload.begin(begin, header.stream, receive_bytes);
        self.begin(signal, board);
        self.upload.heard(board.now_us());
        Ok(())
    }

    fn upload_end(
        &mut self,
        samples: u64,
        crc: u32,
        header: &Header,
        board: &mut impl Board,
    ) -> Result<(), Refusal> {
        match self.upload.end(samples, crc, header.request)? {
            Ending::Begun => {}
            Ending::Before(brought) => {
                self.stream
                    .acknowledge_late(header.request, header.stream, brought);
            }
            Ending::Damaged => {
                self.end_stream(board);
                return Err(Refusal::Plain(
                    NakCode::CHECKSUM,
                    "the samples that arrived are not those that were sent; upload them again",
                ));
            }
        }
        Ok(())
    }
}

//! Requests from the host, and lines typed by hand.

use core::fmt::Write;

use wire::{Chunk, Header, Info, Message, NakCode, State, UploadBegin, Window};

use super::analyser::Costs;
use super::upload::Brought;
use super::upload::{Taken, Upload};
use super::{
    BaudChange, BaudError, Board, Core, EngineChoice, LOWEST_BAUD, Listener, Output, Refusal,
    UPLOAD_TIMEOUT_US, report, text,
};
use crate::engine::Engine;

/// Capabilities that do not depend on the board, before and after the windows.
const CAPABILITIES: [&str; 2] = [
    "protocol=1.3\nn=16..65536\nwindow=",
    ",kaiser:0..30\nout=f32,u16,u8,text\ndomain=real,complex\nupload=u8,i16,f32\naverage=1..,all\n\
     detector=mean,max,min\ndc=keep,remove\npayload=4096\n",
];

/// What a request is answered with, when it is not refused.
enum Answer {
    /// An `ACK`.
    Done,
    /// Nothing, or something that has been put into the outbox already.
    None,
}

impl<Q: Engine> Core<'_, Q> {
    /// Answers a frame. The outbox is free.
    pub(super) fn frame(&mut self, header: &Header, payload: &[u8], board: &mut impl Board) {
        // Our own kinds come back from a loop in the wiring; answering would never end.
        if header.kind.0 >= 0x80 || self.reboot {
            return;
        }
        let result = Message::decode(header.kind, payload)
            .map_err(Refusal::Payload)
            .and_then(|message| self.request(header, &message, board));
        match result {
            Ok(Answer::Done) => {
                let envelope = self.envelope(board, header.request, header.stream);
                self.outbox.put(envelope, &Message::Ack(""));
            }
            Ok(Answer::None) => {}
            Err(refusal) => self.refuse(&refusal, header.request, header.stream, board),
        }
    }

    fn request(
        &mut self,
        header: &Header,
        message: &Message,
        board: &mut impl Board,
    ) -> Result<Answer, Refusal> {
        let envelope = self.envelope(board, header.request, header.stream);
        match message {
            Message::Hello(_) => self.send_info(header, board),
            Message::Ping(token) => self.outbox.put(envelope, &Message::Pong(*token)),
            Message::Get(keys) => {
                let mut text = heapless::String::<512>::new();
                self.write_settings(keys, &mut text, board);
                self.outbox.put(envelope, &Message::Settings(&text));
            }
            Message::Set(text) => {
                self.set(text, board)?;
                return Ok(Answer::Done);
            }
            Message::Start => {
                self.require_no_upload()?;
                self.begin_stream(board)?;
                return Ok(Answer::Done);
            }
            Message::Stop => {
                self.end_stream(board);
                self.acknowledge_late(header.request, header.stream, None);
            }
            Message::Reboot => {
                self.end_stream(board);
                self.reboot = true;
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
                self.baud_change = BaudChange::Drain { new: *baud };
                return Ok(Answer::Done);
            }
            Message::UploadBegin(begin) => {
                self.upload_begin(begin, header, board)?;
                return Ok(Answer::Done);
            }
            Message::UploadData { offset, data } => self.upload_data(*offset, data, board)?,
            Message::UploadEnd { samples, crc } => {
                return self.upload_end(*samples, *crc, header, board);
            }
            Message::Fetch {
                record,
                offset,
                values,
            } => self.fetch((*record, *offset, *values), header, board)?,
            Message::Held(record) => self.held(*record, board),
            Message::JobMemory(bytes) => self.job_memory(*bytes, envelope)?,
            Message::JobWrite(words) => {
                self.job_write(*words)?;
                return Ok(Answer::Done);
            }
            Message::JobRead { first, words } => self.job_read(*first, *words, envelope)?,
            Message::RunJob(job) => self.run_job(*job, envelope, board)?,
            Message::Prove(plan) => self.prove(*plan, envelope, board)?,
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

    fn send_info(&mut self, header: &Header, board: &mut impl Board) {
        let mut capabilities = heapless::String::<512>::new();
        self.write_capabilities(&mut capabilities);
        let about = *board.info();
        let info = Info {
            engine: self
                .analyser
                .engine_for(self.settings.engine, self.settings.n as usize),
            state: self.state,
            reset_cause: about.reset_cause,
            board_revision: about.revision,
            memory_bytes: about.memory_bytes,
            clocks: about.clocks,
            baud: self.baud,
            firmware: about.firmware,
            board: about.name,
            capabilities: &capabilities,
        };
        let envelope = self.envelope(board, header.request, header.stream);
        self.outbox.put(envelope, &Message::Info(info));
    }

    fn write_capabilities(&self, out: &mut impl Write) {
        let [before, after] = CAPABILITIES;
        let _ = write!(out, "{before}{}{after}", Window::names(","));
        if let Some((first, last)) = self.analyser.qpu_lengths() {
            let _ = writeln!(out, "qpu-n={}..{}", 1u32 << first, 1u32 << last);
        }
        if let Some(order) = self.analyser.qpu().launch_order() {
            let _ = out.write_str("launch-order=");
            for (place, qpu) in order.qpus().iter().enumerate() {
                let comma = if place == 0 { "" } else { "," };
                let _ = write!(out, "{comma}{qpu}");
            }
            let _ = out.write_str("\n");
        }
        let Costs {
            proofs,
            dropped,
            proof_us,
            checks,
            check_us,
        } = self.analyser.costs();
        let _ = writeln!(
            out,
            "proofs={proofs}\nproof-us={proof_us}\nplans-dropped={dropped}"
        );
        let _ = writeln!(out, "checks={checks}\ncheck-us={check_us}");
    }

    fn write_settings(&self, keys: &str, out: &mut impl Write, board: &mut impl Board) {
        let _ = self.settings.write(keys, out);
        if keys.contains("capabilities") {
            self.write_capabilities(out);
        }
        if keys.contains("clocks") {
            report::write_clocks(&board.clocks(), out);
        }
        if keys.contains("boot") {
            report::write_boot(&board.info().boot, self.first_spectrum_us, out);
        }
    }

    pub(super) fn require_no_upload(&self) -> Result<(), Refusal> {
        if self.state != State::Uploading {
            return Ok(());
        }
        Err(Refusal::Plain(
            NakCode::WRONG_STATE,
            "an upload is under way; end it with UPLOAD_END or STOP first",
        ))
    }

    /// Takes settings. A stream under way begins anew when they change it.
    fn set(&mut self, text: &str, board: &mut impl Board) -> Result<(), Refusal> {
        self.require_no_upload()?;
        let before = self.settings;
        self.settings.apply(text).map_err(Refusal::Setting)?;
        if self.state == State::Streaming
            && self.settings != before
            && let Err(refusal) = self.begin_stream(board)
        {
            self.settings = before;
            return Err(refusal);
        }
        let wants_qpus = self.settings.engine != EngineChoice::Cpu;
        if wants_qpus && self.settings.engine != before.engine && board.info().v3d_unwanted {
            self.say("engine: cpu all the same: cmdline.txt says engine=cpu, so V3D has no power; take that out and restart");
        }
        Ok(())
    }

    fn upload_begin(
        &mut self,
        begin: &UploadBegin,
        header: &Header,
        board: &mut impl Board,
    ) -> Result<(), Refusal> {
        self.check_crop(begin.domain)?;
        if begin.samples > 0 && begin.samples < u64::from(self.settings.n) {
            return Err(Refusal::Short {
                samples: begin.samples,
                n: self.settings.n,
            });
        }
        self.upload = Some(Upload::new(begin, header.stream, board.receive_capacity()));
        self.ended = None;
        self.brought = Brought::default();
        self.begin(State::Uploading, begin.format, begin.domain, board);
        self.credit_due = true;
        self.upload_deadline_us = board.now_us() + UPLOAD_TIMEOUT_US;
        Ok(())
    }

    fn upload_data(
        &mut self,
        offset: u64,
        data: &[u8],
        board: &mut impl Board,
    ) -> Result<(), Refusal> {
        let Some(upload) = &mut self.upload else {
            // Sent again by a host that had not heard yet that all of it has come.
            return match self.ended {
                Some(ended) if offset < ended.samples => Ok(()),
                _ => Err(no_upload()),
            };
        };
        self.upload_deadline_us = board.now_us() + UPLOAD_TIMEOUT_US;
        match upload.take(offset, data, self.fifo) {
            Taken::Yes | Taken::StillGap => Ok(()),
            Taken::Gap => {
                self.credit_due = true;
                Err(Refusal::Gap(upload.received))
            }
            Taken::NoCredit => {
                self.credit_due = true;
                Err(Refusal::NoCredit(upload.received))
            }
            Taken::Torn => Err(Refusal::Torn {
                bytes: data.len(),
                sample: upload.sample_bytes(),
            }),
        }
    }

    /// Sends values of a record again, or its descriptor.
    fn fetch(
        &mut self,
        (record, offset, values): (u32, u32, u16),
        header: &Header,
        board: &mut impl Board,
    ) -> Result<(), Refusal> {
        self.upload_deadline_us = board.now_us() + UPLOAD_TIMEOUT_US;
        let envelope = self.envelope(board, header.request, header.stream);
        let found = self.kept.find(record);
        let Some((kept, data)) = found.filter(|(kept, _)| kept.stream == header.stream) else {
            return Err(Refusal::Plain(
                NakCode::BAD_VALUE,
                "this record is not kept any more, or was never made; go on without it",
            ));
        };
        if values == 0 {
            // Settings do not change while records are made, so that the last descriptor is that of all of them.
            let Some(descriptor) = self.descriptor.filter(|it| it.id == kept.head.descriptor)
            else {
                return Err(Refusal::Plain(
                    NakCode::BAD_VALUE,
                    "the descriptor of this record is not kept any more; begin again",
                ));
            };
            self.outbox.put(envelope, &Message::Descriptor(descriptor));
            return Ok(());
        }
        let left = kept.head.total.saturating_sub(offset);
        if left == 0 {
            return Err(Refusal::Plain(
                NakCode::BAD_VALUE,
                "the record has no such value; its last index is one less than its values",
            ));
        }
        let width = kept.head.encoding.bytes();
        let count = (left as usize)
            .min(values.into())
            .min(kept.head.max_data() / width);
        let start = offset as usize * width;
        let chunk = Chunk {
            head: kept.head,
            offset,
            data: &data[start..start + count * width],
        };
        self.outbox.put(envelope, &Message::Spectrum(chunk));
        Ok(())
    }

    /// The host has all records before this one.
    fn held(&mut self, record: u32, board: &mut impl Board) {
        if let Some(upload) = &mut self.upload {
            self.upload_deadline_us = board.now_us() + UPLOAD_TIMEOUT_US;
            upload.held = upload.held.max(record);
        }
    }

    fn upload_end(
        &mut self,
        samples: u64,
        crc: u32,
        header: &Header,
        board: &mut impl Board,
    ) -> Result<Answer, Refusal> {
        let Some(upload) = &mut self.upload else {
            // Asked again because the answer was lost, or is still to come.
            return match self.ended {
                Some(ended) if (ended.samples, ended.crc) == (samples, crc) => {
                    self.acknowledge_late(header.request, header.stream, ended.brought);
                    Ok(Answer::None)
                }
                _ => Err(no_upload()),
            };
        };
        if samples > upload.received {
            self.credit_due = true;
            return Err(Refusal::Gap(upload.received));
        }
        if samples < upload.received || crc != upload.crc.value() {
            self.end_stream(board);
            return Err(Refusal::Plain(
                NakCode::CHECKSUM,
                "the samples that arrived are not those that were sent; upload them again",
            ));
        }
        upload.ending = Some(header.request);
        Ok(Answer::None)
    }

    /// A line from a terminal, or what a host at a wrong rate looks like.
    pub(super) fn typed(&mut self, line: &[u8], board: &mut impl Board) {
        // A piece of a line is no line: of settings all are taken or none.
        let goes_on =
            line.len() == wire::TEXT_PIECE && !line.ends_with(b"\r") && !line.ends_with(b"\n");
        let in_long_line = core::mem::replace(&mut self.in_long_line, goes_on);
        if goes_on && !in_long_line {
            self.hint(
                board,
                "nothing was taken of a line of more than 255 characters; send shorter ones",
            );
        }
        if goes_on || in_long_line {
            return;
        }
        let line = core::str::from_utf8(line).unwrap_or("").trim();
        if line.is_empty() || self.reboot {
            return;
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let listener = core::mem::replace(&mut self.listener, Listener::Person);
        let result = match word {
            "help" | "?" => {
                let _ = self.notice.push_str(text::HELP);
                return;
            }
            "info" => {
                self.write_banner(board);
                return;
            }
            "get" => {
                let mut settings = heapless::String::<512>::new();
                self.write_settings(rest, &mut settings, board);
                settings.lines().for_each(|line| self.say(line));
                if settings.is_empty() {
                    self.say("no such setting; get without a name lists all");
                }
                return;
            }
            "plot" => {
                self.plot_due = self.last.is_some() || self.state == State::Streaming;
                if !self.plot_due {
                    self.say("there is no spectrum yet; type start, then plot");
                }
                return;
            }
            "start" => self
                .require_no_upload()
                .and_then(|()| self.begin_stream(board)),
            "stop" => {
                self.end_stream(board);
                Ok(())
            }
            "report" => {
                self.end_stream(board);
                self.begin_report();
                return;
            }
            "reboot" => {
                self.end_stream(board);
                self.reboot = true;
                return;
            }
            _ if line.contains('=') => {
                let set = self.set(line.strip_prefix("set ").unwrap_or(line), board);
                if self.settings.output == Output::Text {
                    // What is left of a record would be noise on the screen.
                    self.sending = None;
                }
                set
            }
            _ => {
                // It may be a frame at a wrong rate.
                self.listener = listener;
                self.hint(board, "not a command; type help and Enter");
                return;
            }
        };
        match result {
            Ok(()) => self.say("ok"),
            Err(refusal) => {
                let mut sentence = heapless::String::<320>::new();
                let _ = write!(sentence, "{refusal}");
                self.say(&sentence);
            }
        }
    }
}

fn no_upload() -> Refusal {
    Refusal::Plain(
        NakCode::WRONG_STATE,
        "no upload is under way; send UPLOAD_BEGIN first",
    )
}

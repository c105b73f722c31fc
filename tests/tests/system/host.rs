//! A small host: speaks the wire protocol over a line, with a limit on every wait.
//!
//! It is not `qpuscope`: what the firmware sends is judged here by the protocol's own crate and by
//! nothing that shares a mistake with the host tool. Only the texts of the firmware's log are
//! looked up by it.

use crate::line::Line;
use host::log::Logs;
use std::collections::VecDeque;
use wire::{
    Assembled, Assembler, Credit, Decoder, Descriptor, Domain, Encoder, Envelope, Header, Item,
    JobClear, JobProgram, JobWords, Kind, LineCounters, MAX_FRAME, MAX_PAYLOAD, Message, NakCode,
    Rate, RecordHead, RunJob, SampleFormat, UploadBegin, Value, crc32,
};

/// Longest wait for an answer, in milliseconds of the line's time.
pub const ANSWER_MS: u64 = 5_000;

const STEP_MS: u64 = 2;

/// A spectrum with what is needed to read it.
#[derive(Clone, Debug)]
pub struct Spectrum {
    /// The record's own head.
    pub head: RecordHead,
    /// The descriptor it names.
    pub descriptor: Descriptor,
    /// Values as they travelled.
    pub raw: Vec<u8>,
    /// Levels in decibels.
    pub levels_db: Vec<f64>,
    /// The board's time when it had its first chunk ready, in microseconds.
    pub left_us: u64,
}

/// A frame that is neither spectrum nor descriptor.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Its header.
    pub header: Header,
    payload: Vec<u8>,
}

impl Reply {
    /// The message in it.
    pub fn message(&self) -> Message<'_> {
        Message::decode(self.header.kind, &self.payload).expect("the board sends what decodes")
    }
}

/// An arrival from the board.
#[derive(Clone, Debug)]
pub enum Event {
    /// A line of text.
    Text(String),
    /// A spectrum, complete.
    Spectrum(Box<Spectrum>),
    /// Another frame.
    Frame(Reply),
    /// Bytes that are neither.
    Damaged,
}

/// The host's end of a line.
pub struct Host<L> {
    /// The line itself.
    pub line: L,
    decoder: Box<Decoder>,
    encoder: Encoder,
    assembler: Assembler<Vec<u8>>,
    descriptor: Option<Descriptor>,
    /// The board's time in the last chunk that begins a record.
    left_us: u64,
    waiting: VecDeque<Event>,
    request: u16,
    /// All text so far.
    pub text: String,
    /// True if this board may drop plans: one whose silicon is sound may not, and every test fails
    /// when it does.
    pub may_drop_plans: bool,
    /// All bytes of LOG records so far.
    log: Vec<u8>,
}

impl<L: Line> Host<L> {
    /// A host that has heard nothing.
    pub fn new(line: L) -> Self {
        Self {
            line,
            decoder: Box::default(),
            encoder: Encoder::new(),
            assembler: Assembler::new(vec![0; 4 << 20]),
            descriptor: None,
            left_us: 0,
            waiting: VecDeque::new(),
            request: 0,
            text: String::new(),
            may_drop_plans: false,
            log: Vec::new(),
        }
    }

    /// The firmware's log so far, in words; nothing where the ELF file beside the image is missing.
    pub fn log(&self) -> Option<String> {
        let elf = tests::given("QPUSCOPE_KERNEL")?.with_extension("elf");
        let mut logs = Logs::with_elf(&elf).ok()?;
        Some(logs.push(&self.log).join("\n"))
    }

    /// The counters of how the line has behaved.
    pub fn counters(&self) -> LineCounters {
        self.decoder.counters()
    }

    /// The first event that `wanted` makes something of; the others are dropped.
    ///
    /// # Panics
    /// When none comes within `limit_ms`; the message has the text of the board.
    pub fn until<T>(
        &mut self,
        what: &str,
        limit_ms: u64,
        mut wanted: impl FnMut(&Event) -> Option<T>,
    ) -> T {
        let mut left = limit_ms.div_ceil(STEP_MS);
        loop {
            while let Some(event) = self.waiting.pop_front() {
                if let Some(found) = wanted(&event) {
                    return found;
                }
            }
            assert!(
                left > 0,
                "no {what} within {limit_ms} ms; line {:?}; text so far:\n{}",
                self.counters(),
                self.text
            );
            left -= 1;
            for byte in self.line.receive(STEP_MS) {
                self.take(byte);
            }
        }
    }

    /// Everything that comes in the next `span_ms`.
    pub fn collect(&mut self, span_ms: u64) -> Vec<Event> {
        for _ in 0..span_ms.div_ceil(STEP_MS) {
            for byte in self.line.receive(STEP_MS) {
                self.take(byte);
            }
        }
        self.waiting.drain(..).collect()
    }

    /// The spectra that come in the next `span_ms`.
    pub fn spectra(&mut self, span_ms: u64) -> Vec<Spectrum> {
        let events = self.collect(span_ms).into_iter();
        let spectra = events.filter_map(|event| match event {
            Event::Spectrum(spectrum) => Some(*spectrum),
            _ => None,
        });
        spectra.collect()
    }

    /// The next spectrum.
    pub fn spectrum(&mut self, limit_ms: u64) -> Spectrum {
        self.until("spectrum", limit_ms, |event| match event {
            Event::Spectrum(spectrum) => Some((**spectrum).clone()),
            _ => None,
        })
    }

    /// Waits for a line of text that contains `part`.
    pub fn line_with(&mut self, part: &str, limit_ms: u64) -> String {
        self.until(
            &format!("line with {part:?}"),
            limit_ms,
            |event| match event {
                Event::Text(text) if text.contains(part) => Some(text.clone()),
                _ => None,
            },
        )
    }

    /// Sends a message without waiting for an answer; returns its request number.
    pub fn send(&mut self, message: &Message) -> u16 {
        self.request = self.request.wrapping_add(1).max(1);
        let envelope = Envelope {
            request: self.request,
            ..Envelope::default()
        };
        let mut scratch = [0; MAX_PAYLOAD];
        let mut frame = [0; MAX_FRAME];
        let length = self
            .encoder
            .message(envelope, message, &mut scratch, &mut frame)
            .expect("tests send messages that fit");
        self.line.send(&frame[..length]);
        self.request
    }

    /// Sends a request and waits for its answer.
    pub fn ask(&mut self, message: &Message) -> Reply {
        let request = self.send(message);
        self.answer(request, ANSWER_MS)
    }

    /// Waits for the answer to a request.
    pub fn answer(&mut self, request: u16, limit_ms: u64) -> Reply {
        self.until(
            &format!("answer to request {request}"),
            limit_ms,
            |event| match event {
                Event::Frame(reply) if reply.header.request == request => Some(reply.clone()),
                _ => None,
            },
        )
    }

    /// Sends a request that must be acknowledged.
    pub fn must(&mut self, message: &Message) {
        let reply = self.ask(message);
        assert_eq!(
            reply.header.kind,
            Kind::ACK,
            "{message:?}: {:?}",
            reply.message()
        );
    }

    /// Sends a request that must be refused; returns the code and the sentence.
    pub fn refused(&mut self, message: &Message) -> (NakCode, String) {
        match self.ask(message).message() {
            Message::Nak(code, sentence) => (code, sentence.to_string()),
            other => panic!("{message:?} was answered by {other:?}"),
        }
    }

    /// Runs a program on one QPU, in a block of its own, on a board that allows it; the
    /// microseconds that it took, or why it was refused.
    pub fn run_program(&mut self, code: &[u8], limit_us: u32) -> Result<u32, (NakCode, String)> {
        let request = self.send_program(code, limit_us)?;
        let reply = self.answer(request, ANSWER_MS);
        match reply.message() {
            Message::QpuResult(elapsed_us) => Ok(elapsed_us),
            _ => Err(refusal(&reply)),
        }
    }

    /// Sends a program as [`Self::run_program`] does, without waiting for an answer to the last
    /// request, whose number it returns.
    pub fn send_program(&mut self, code: &[u8], limit_us: u32) -> Result<u16, (NakCode, String)> {
        let reply = self.ask(&Message::JobMemory(4096));
        let Message::JobBlock(block) = reply.message() else {
            return Err(refusal(&reply));
        };
        self.must(&Message::JobWrite(JobWords::new(0, code)));
        let program = JobProgram {
            code: block.address,
            uniforms: block.address,
        };
        let mut launch = [0; 12];
        RunJob::put_launch(JobClear::All, RunJob::ALL_QPUS, &[program], &mut launch)
            .expect("one program fits");
        let job = RunJob::new(1, limit_us, &launch).expect("it is one");
        Ok(self.send(&Message::RunJob(job)))
    }

    /// Has the board forget all plans: its microbenchmarks take their memory.
    pub fn forget_plans(&mut self) {
        let reply = self.ask(&Message::Measure(0));
        // With broken silicon it may fail.
        let kinds = [Kind::MEASURED, Kind::NAK];
        assert!(kinds.contains(&reply.header.kind), "{:?}", reply.message());
    }

    /// Stops the stream that the board starts by itself.
    pub fn quiet(&mut self) {
        self.must(&Message::Stop);
        // What was under way.
        self.collect(200);
    }

    /// Sends samples as credits allow; returns the spectra that came of them.
    pub fn upload(
        &mut self,
        format: SampleFormat,
        domain: Domain,
        rate: Rate,
        bytes: &[u8],
    ) -> Vec<Spectrum> {
        let width = format.sample_bytes(domain);
        let samples = (bytes.len() / width) as u64;
        let begin = UploadBegin {
            format,
            domain,
            rate,
            samples,
            keeps: false,
        };
        self.must(&Message::UploadBegin(begin));
        let (mut spectra, mut sent, mut granted) = (Vec::new(), 0_u64, 0_u64);
        // A piece is a whole number of samples of every format and fits a frame.
        let piece = 2048 / width as u64;
        while sent < samples {
            if sent < granted {
                let count = piece.min(granted - sent).min(samples - sent);
                let range = sent as usize * width..(sent + count) as usize * width;
                let data = &bytes[range];
                self.send(&Message::UploadData { offset: sent, data });
                sent += count;
                continue;
            }
            let event = self.until("credit", ANSWER_MS, |event| Some(event.clone()));
            match event {
                Event::Spectrum(spectrum) => spectra.push(*spectrum),
                Event::Frame(reply) => match reply.message() {
                    Message::Credit(Credit { granted: to, .. }) => granted = granted.max(to),
                    Message::Nak(code, sentence) => panic!("upload refused: {code:?} {sentence}"),
                    _ => {}
                },
                _ => {}
            }
        }
        let crc = crc32(bytes);
        let end = self.send(&Message::UploadEnd { samples, crc });
        self.until("end of the upload", 20 * ANSWER_MS, |event| match event {
            Event::Spectrum(spectrum) => {
                spectra.push((**spectrum).clone());
                None
            }
            Event::Frame(reply) if reply.header.request == end => {
                assert_eq!(reply.header.kind, Kind::ACK, "{:?}", reply.message());
                Some(())
            }
            _ => None,
        });
        spectra
    }

    fn take(&mut self, byte: u8) {
        let event = match self.decoder.push(byte) {
            None => return,
            Some(Item::Text(text)) => {
                let text = String::from_utf8_lossy(text).into_owned();
                let dropped = text.contains("plan dropped");
                assert!(self.may_drop_plans || !dropped, "sound silicon: {text}");
                self.text.push_str(&text);
                Event::Text(text)
            }
            Some(Item::Damaged { .. }) => Event::Damaged,
            Some(Item::Frame(header, payload)) => match Message::decode(header.kind, payload) {
                Ok(Message::Descriptor(descriptor)) => {
                    self.descriptor = Some(descriptor);
                    return;
                }
                Ok(Message::Spectrum(chunk)) => {
                    if chunk.offset == 0 {
                        self.left_us = header.time_us;
                    }
                    let Assembled::Record(record) = self.assembler.push(&chunk) else {
                        return;
                    };
                    let Some(descriptor) = self.descriptor else {
                        return;
                    };
                    assert_eq!(
                        record.head.descriptor, descriptor.id,
                        "descriptor comes first"
                    );
                    let has_trouble = record.head.replaced || record.head.doubt.is_some();
                    assert!(self.may_drop_plans || !has_trouble, "{:?}", record.head);
                    if record.missing > 0 {
                        return;
                    }
                    let levels = record.values().map(|value| level_db(value, &descriptor));
                    Event::Spectrum(Box::new(Spectrum {
                        head: record.head,
                        descriptor,
                        raw: record.raw().to_vec(),
                        levels_db: levels.collect(),
                        left_us: self.left_us,
                    }))
                }
                Ok(Message::Log(piece)) => {
                    self.log.extend_from_slice(piece);
                    return;
                }
                _ => Event::Frame(Reply {
                    header,
                    payload: payload.to_vec(),
                }),
            },
        };
        self.waiting.push_back(event);
    }
}

fn level_db(value: Value, descriptor: &Descriptor) -> f64 {
    match value {
        Value::Missing => f64::NAN,
        Value::Power(power) => 10.0 * f64::from(power).log10(),
        Value::Steps(raw) => {
            f64::from(raw) * f64::from(descriptor.scale) + f64::from(descriptor.offset)
        }
    }
}

fn refusal(reply: &Reply) -> (NakCode, String) {
    match reply.message() {
        Message::Nak(code, sentence) => (code, sentence.to_string()),
        other => panic!("a job was answered by {other:?}"),
    }
}

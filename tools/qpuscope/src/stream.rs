//! From the bytes of a line to spectra, answers, text and losses.
//!
//! The receiver never gives up on a stream: what does not decode is counted and skipped. A spectrum
//! whose descriptor has not come yet waits for nothing and is counted too; descriptors come once a
//! second.

use std::collections::HashMap;

use wire::{
    Assembled, Assembler, Decoder, Descriptor, Domain, Header, Item, LineCounters, Message,
    NakCode, Record, Status, Value,
};

use crate::input::Unit;
use crate::rate::Rate;
use crate::spectrum::{Counters, Spectrum};

/// The largest record that is put together: 2^22 bins of f32.
const LARGEST_RECORD: usize = 16 << 20;

/// The source of samples that some host sends.
const UPLOAD: &str = "an upload";

/// Descriptors that are kept; a record names one of the last few.
const DESCRIPTORS: usize = 64;

/// Who the board says it is.
#[derive(Clone, PartialEq, Debug)]
pub struct Info {
    /// The engine in use.
    pub engine: wire::Engine,
    /// What the instrument is doing.
    pub state: wire::State,
    /// Why the board last started.
    pub reset_cause: wire::ResetCause,
    /// Revision code of the board.
    pub board_revision: u32,
    /// Memory of the ARM in bytes.
    pub memory_bytes: u32,
    /// Clocks.
    pub clocks: wire::Clocks,
    /// Rate of the line.
    pub baud: u32,
    /// The firmware's version.
    pub firmware: String,
    /// The board's name.
    pub board: String,
    /// `key=value` words.
    pub capabilities: String,
}

/// How a request was answered.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    /// Done; with a remark, often empty.
    Ack(String),
    /// Refused: why, as a code and as a sentence that says what to do.
    Nak(NakCode, String),
    /// To HELLO.
    Info(Info),
    /// To PING.
    Pong(u64),
    /// To GET: `key=value` lines.
    Settings(String),
    /// To RUN_QPU: time in microseconds and output words.
    QpuResult(u32, Vec<u8>),
}

/// What has come.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// A line of text, or a piece of one, with its line end.
    Text(String),
    /// A spectrum. The second number is how many of its values were lost.
    Spectrum(Box<Spectrum>, u32),
    /// A spectrum that no descriptor explains yet.
    Unexplained,
    /// An answer, to the request of this number.
    Answer(u16, Answer),
    /// How far an upload may go on.
    Credit(wire::Credit),
    /// A piece of the firmware's defmt stream.
    Log(Vec<u8>),
    /// The firmware says that it failed.
    Fault(String),
    /// The heartbeat.
    Status(Status),
    /// Bytes that were neither text nor a whole frame.
    Damaged,
}

/// The receiving end.
pub struct Receiver {
    decoder: Box<Decoder>,
    records: Records,
    /// What uploaded samples are called.
    source: Option<String>,
    /// The unit that the host gave its samples.
    unit: Option<Unit>,
    bytes: u64,
    spectra: u64,
    unexplained: u64,
}

/// Records under way, and the descriptors to read them by.
struct Records {
    assembler: Assembler<Vec<u8>>,
    /// Bytes of the largest record that the assembler holds.
    room: usize,
    /// Incomplete records of the assemblers before, which were too small.
    incomplete: u64,
    descriptors: HashMap<u32, Descriptor>,
}

/// How a stream went, for people and for JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct Health {
    /// Bytes received.
    pub bytes: u64,
    /// Frames whose checksum held.
    pub frames: u64,
    /// Bytes of readable text.
    pub text_bytes: u64,
    /// Bytes that were neither.
    pub lost_bytes: u64,
    /// Frames whose checksum did not hold.
    pub crc_errors: u64,
    /// Frames missing by their sequence numbers.
    pub sequence_gaps: u64,
    /// Times the board started anew.
    pub restarts: u64,
    /// Whole spectra.
    pub spectra: u64,
    /// Spectra that came before their descriptor, and could not be shown.
    pub unexplained_spectra: u64,
    /// Spectra of which a part was lost.
    pub incomplete_spectra: u64,
}

impl Health {
    /// Whether anything was lost.
    #[must_use]
    pub fn is_lossy(&self) -> bool {
        self.lost_bytes + self.crc_errors + self.sequence_gaps + self.incomplete_spectra > 0
    }
}

impl std::fmt::Display for Health {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} spectra in {} frames; {} bytes lost, {} CRC errors, {} sequence gaps, {} incomplete spectra",
            self.spectra,
            self.frames,
            self.lost_bytes,
            self.crc_errors,
            self.sequence_gaps,
            self.incomplete_spectra
        )?;
        if self.restarts > 0 {
            write!(f, ", the board restarted {} times", self.restarts)?;
        }
        Ok(())
    }
}

impl Default for Receiver {
    fn default() -> Self {
        Self {
            decoder: Box::default(),
            records: Records {
                assembler: Assembler::new(vec![]),
                room: 0,
                incomplete: 0,
                descriptors: HashMap::new(),
            },
            source: None,
            unit: None,
            bytes: 0,
            spectra: 0,
            unexplained: 0,
        }
    }
}

impl Receiver {
    /// Says what the samples are that the host itself sends from now on.
    pub fn name_upload(&mut self, source: &str, unit: &Unit) {
        self.source = Some(source.to_owned());
        self.unit = Some(unit.clone());
    }

    /// How the stream went so far.
    #[must_use]
    pub fn health(&self) -> Health {
        let LineCounters {
            frames,
            text_bytes,
            lost_bytes,
            crc_errors,
            sequence_gaps,
            restarts,
            ..
        } = self.decoder.counters();
        Health {
            bytes: self.bytes,
            frames,
            text_bytes,
            lost_bytes,
            crc_errors,
            sequence_gaps,
            restarts,
            spectra: self.spectra,
            unexplained_spectra: self.unexplained,
            incomplete_spectra: self.records.incomplete + self.records.assembler.incomplete(),
        }
    }

    /// Bytes of a frame or of noise that has not ended yet.
    #[must_use]
    pub fn pending(&self) -> u64 {
        self.decoder.pending() as u64
    }

    /// Takes bytes in; what they complete is appended to `events`.
    pub fn push(&mut self, bytes: &[u8], events: &mut Vec<Event>) {
        self.bytes += bytes.len() as u64;
        for &byte in bytes {
            let event = match self.decoder.push(byte) {
                None => continue,
                Some(item) => self.records.event(item),
            };
            self.keep(event, events);
        }
    }

    /// The stream has ended: what is left becomes an event.
    pub fn finish(&mut self, events: &mut Vec<Event>) {
        let event = self
            .decoder
            .finish()
            .and_then(|item| self.records.event(item));
        self.keep(event, events);
    }

    fn keep(&mut self, event: Option<Event>, events: &mut Vec<Event>) {
        let Some(mut event) = event else { return };
        match &mut event {
            Event::Unexplained => self.unexplained += 1,
            Event::Spectrum(spectrum, _) => {
                self.spectra += 1;
                if spectrum.source == UPLOAD {
                    if let Some(source) = &self.source {
                        spectrum.source.clone_from(source);
                    }
                    if let Some(unit) = &self.unit {
                        spectrum.unit = unit.clone();
                    }
                }
            }
            _ => {}
        }
        events.push(event);
    }
}

impl Records {
    fn event(&mut self, item: Item) -> Option<Event> {
        let (header, payload) = match item {
            Item::Text(text) => {
                return Some(Event::Text(String::from_utf8_lossy(text).into_owned()));
            }
            Item::Damaged { .. } => return Some(Event::Damaged),
            Item::Frame(header, payload) => (header, payload),
        };
        let answer = |answer| Some(Event::Answer(header.request, answer));
        match Message::decode(header.kind, payload) {
            Ok(Message::Ack(text)) => answer(Answer::Ack(text.to_owned())),
            Ok(Message::Nak(code, text)) => answer(Answer::Nak(code, text.to_owned())),
            Ok(Message::Info(info)) => answer(Answer::Info(own_info(&info))),
            Ok(Message::Pong(number)) => answer(Answer::Pong(number)),
            Ok(Message::Settings(text)) => answer(Answer::Settings(text.to_owned())),
            Ok(Message::QpuResult(result)) => {
                answer(Answer::QpuResult(result.elapsed_us, result.output.to_vec()))
            }
            Ok(Message::Credit(credit)) => Some(Event::Credit(credit)),
            Ok(Message::Log(bytes)) => Some(Event::Log(bytes.to_vec())),
            Ok(Message::Fault(fault)) => Some(Event::Fault(format!(
                "{} (code {}, pc {:#010x}, address {:#010x})",
                fault.text, fault.code, fault.pc, fault.address
            ))),
            Ok(Message::Status(status)) => Some(Event::Status(status)),
            Ok(Message::Descriptor(descriptor)) => {
                if self.descriptors.len() >= DESCRIPTORS
                    && !self.descriptors.contains_key(&descriptor.id)
                {
                    self.descriptors.clear();
                }
                self.descriptors.insert(descriptor.id, descriptor);
                None
            }
            Ok(Message::Spectrum(chunk)) => {
                let bytes = chunk.head.total as usize * chunk.head.encoding.bytes();
                if bytes > LARGEST_RECORD {
                    return Some(Event::Unexplained);
                }
                if bytes > self.room {
                    self.room = bytes.next_power_of_two();
                    self.incomplete += self.assembler.incomplete();
                    self.assembler = Assembler::new(vec![0; self.room]);
                }
                match self.assembler.push(&chunk) {
                    Assembled::Record(record) => {
                        Some(match self.descriptors.get(&record.head.descriptor) {
                            Some(descriptor) => Event::Spectrum(
                                Box::new(spectrum(&header, &record, descriptor)),
                                record.missing,
                            ),
                            None => Event::Unexplained,
                        })
                    }
                    Assembled::Pending | Assembled::TooLarge(_) => None,
                }
            }
            // A kind of a later version, or a request that somebody else sent.
            _ => None,
        }
    }
}

fn own_info(info: &wire::Info) -> Info {
    Info {
        engine: info.engine,
        state: info.state,
        reset_cause: info.reset_cause,
        board_revision: info.board_revision,
        memory_bytes: info.memory_bytes,
        clocks: info.clocks,
        baud: info.baud,
        firmware: info.firmware.to_string(),
        board: info.board.to_string(),
        capabilities: info.capabilities.to_owned(),
    }
}

/// A record read by its descriptor.
fn spectrum(header: &Header, record: &Record, descriptor: &Descriptor) -> Spectrum {
    let head = &record.head;
    let power = record
        .values()
        .map(|value| match value {
            Value::Missing => f64::NAN,
            Value::Power(power) => f64::from(power),
            Value::Steps(steps) => {
                let level =
                    f64::from(steps) * f64::from(descriptor.scale) + f64::from(descriptor.offset);
                10_f64.powf(level / 10.0)
            }
        })
        .collect();
    Spectrum {
        source: match descriptor.source {
            wire::Source::Generator => "the built-in generator".to_owned(),
            wire::Source::Upload => UPLOAD.to_owned(),
        },
        power,
        first_bin: i64::from(descriptor.first_bin),
        n: descriptor.n,
        complex: descriptor.domain == Domain::Complex,
        rate: Rate::new(descriptor.rate.num, descriptor.rate.den)
            .unwrap_or(Rate { num: 1, den: 1 }),
        centre_hz: descriptor.centre_hz,
        window: descriptor.window.name(),
        enbw_bins: descriptor.enbw_bins,
        overlap: descriptor.overlap,
        averages: head.blocks,
        engine: head.engine,
        fallback: head.fallback,
        board: descriptor.board.to_string(),
        firmware: descriptor.firmware.to_string(),
        unit: match descriptor.unit {
            wire::Unit::Dbfs => Unit::FullScale,
            wire::Unit::DbReUnit => Unit::One("unit of the input".to_owned()),
        },
        device_us: header.time_us,
        stream: header.stream,
        record: head.record,
        counters: Counters {
            overruns: head.counters.overruns,
            clipped: head.counters.clipped,
            dropped_records: head.counters.dropped,
            clamped: head.counters.clamped,
            qpu_us: head.counters.qpu_us,
            cpu_us: head.counters.cpu_us,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::{
        Averaging, Chunk, Clocks, Encoder, Encoding, Engine, Envelope, MAX_FRAME, MAX_PAYLOAD,
        Name, RecordHead, Source, Window,
    };

    /// A descriptor of real samples at 48 kHz.
    fn descriptor(n: u32, encoding: Encoding) -> Descriptor {
        Descriptor {
            id: 1,
            rate: wire::Rate::hz(48_000),
            n,
            domain: Domain::Real,
            window: Window::Hann,
            enbw_bins: 1.5,
            coherent_gain: 0.5,
            overlap: n / 2,
            averaging: Averaging::Linear,
            average_count: 4,
            first_bin: 0,
            bins: n / 2 + 1,
            centre_hz: 0.0,
            unit: wire::Unit::Dbfs,
            encoding,
            scale: 0.01,
            offset: -400.0,
            source: Source::Generator,
            engine: Engine::Qpu,
            board_revision: 0x10,
            clocks: Clocks::default(),
            firmware: Name::new("0.1.0"),
            board: Name::new("Raspberry Pi 1"),
        }
    }

    /// The bytes of a line: a text, a descriptor, and `count` spectra whose line is at bin n/8.
    fn example_stream(n: u32, count: u32) -> Vec<u8> {
        let mut encoder = Encoder::new();
        let mut out = b"qpuscope test\r\n".to_vec();
        let mut put = |time_us: u64, message: &Message| {
            let (mut scratch, mut frame) = ([0; MAX_PAYLOAD], [0; MAX_FRAME]);
            let envelope = Envelope {
                time_us,
                ..Envelope::default()
            };
            let length = encoder
                .message(envelope, message, &mut scratch, &mut frame)
                .expect("a frame holds it");
            out.extend_from_slice(&frame[..length]);
        };
        put(1, &Message::Descriptor(descriptor(n, Encoding::U16)));
        for record in 0..count {
            let bins = n / 2 + 1;
            let levels: Vec<u16> = (0..bins)
                .map(|k| if k == n / 8 { 39_000 } else { 30_000 })
                .collect();
            let data: Vec<u8> = levels
                .iter()
                .flat_map(|level| level.to_le_bytes())
                .collect();
            for (index, part) in data.chunks(1000).enumerate() {
                let head = RecordHead {
                    record,
                    total: bins,
                    descriptor: 1,
                    encoding: Encoding::U16,
                    engine: Engine::Qpu,
                    fallback: false,
                    blocks: 4,
                    first_sample: 0,
                    counters: wire::Counters::default(),
                };
                let chunk = Chunk {
                    head,
                    offset: 500 * index as u32,
                    data: part,
                };
                put(u64::from(record) * 100_000, &Message::Spectrum(chunk));
            }
        }
        out
    }

    /// The recording that the manual page's transcript reads is made by this test.
    #[test]
    fn the_recording_of_the_manual_page_is_this_stream() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recorded.bin");
        let stream = example_stream(1024, 2);
        if std::env::var_os("QPUSCOPE_BLESS").is_some() {
            std::fs::write(path, &stream).expect("the folder can be written");
        }
        assert!(
            std::fs::read(path).is_ok_and(|file| file == stream),
            "run with QPUSCOPE_BLESS=1"
        );
    }

    #[test]
    fn a_stream_becomes_text_and_spectra() {
        let (mut receiver, mut events) = (Receiver::default(), vec![]);
        receiver.push(&example_stream(4096, 2), &mut events);
        assert_eq!(events[0], Event::Text("qpuscope test\r\n".into()));
        let spectra: Vec<_> = events
            .iter()
            .filter_map(|event| match event {
                Event::Spectrum(spectrum, 0) => Some(spectrum),
                _ => None,
            })
            .collect();
        assert_eq!(spectra.len(), 2);
        assert_eq!(spectra[1].power.len(), 2049);
        assert!((spectra[1].level_db(512) + 10.0).abs() < 1e-4);
        assert_eq!(spectra[1].frequency_hz(512), 6000.0);
        let health = receiver.health();
        assert_eq!(
            (health.spectra, health.lost_bytes, health.sequence_gaps),
            (2, 0, 0)
        );
        assert!(!health.is_lossy());
    }

    #[test]
    fn damage_costs_its_chunk_and_is_counted() {
        let mut bytes = example_stream(4096, 3);
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x10;
        let (mut receiver, mut events) = (Receiver::default(), vec![]);
        receiver.push(&bytes, &mut events);
        receiver.finish(&mut events);
        let health = receiver.health();
        assert!(health.lost_bytes > 0 && health.is_lossy(), "{health}");
        assert_eq!(health.spectra, 3, "{health}");
        let lost: u32 = events
            .iter()
            .map(|event| match event {
                Event::Spectrum(spectrum, missing) => {
                    assert_eq!(
                        spectrum.power.iter().filter(|power| power.is_nan()).count(),
                        *missing as usize
                    );
                    *missing
                }
                _ => 0,
            })
            .sum();
        assert!((1..=500).contains(&lost), "{lost}");
    }

    #[test]
    fn any_bytes_are_survived() {
        let (mut receiver, mut events) = (Receiver::default(), vec![]);
        let mut state = 1_u32;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .take(100_000)
        .collect();
        receiver.push(&noise, &mut events);
        receiver.push(&example_stream(256, 1), &mut events);
        assert_eq!(receiver.health().spectra, 1);
    }
}

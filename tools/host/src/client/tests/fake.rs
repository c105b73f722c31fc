//! A board for tests of the client: follows the protocol, over a bad line.

use std::collections::VecDeque;
use std::time::Duration;

use wire::{
    Chunk, Credit, Decoder, Encoder, Encoding, Engine, Envelope, Header, Item, MAX_FRAME,
    MAX_PAYLOAD, Message, NakCode, Name, RecordHead,
};

use crate::client::Client;
use crate::input::{Channel, Format, Number, Samples};
use crate::link::{FIRST_BAUD, Link, Received};
use crate::log::Logs;
use common::failure::Result;
use signal::Rate;

/// Samples that are granted ahead.
const WINDOW: u64 = 4096;

/// The defects of the board or its line.
#[derive(Clone, Copy)]
pub struct Faults {
    /// Every so many frames from the host one is lost; 0: none.
    pub lose_every: u64,
    /// Every so many frames from the host one comes with a bit flipped; 0: none.
    pub damage_every: u64,
    /// After so many frames from the host nothing works any more.
    pub dies_after: u64,
    /// The board's rate; at another one than the host's everything is noise.
    pub board_baud: u32,
    /// Takes an upload and then says no more than this, twice a second.
    pub stands: Option<Still>,
    /// Above this the line is noise although both sides have the same rate.
    pub highest_baud: u32,
}

/// The state that a board reports when it does not go on.
#[derive(Clone, Copy)]
pub enum Still {
    /// That it is there.
    Status,
    /// That it grants nothing.
    NoCredit,
}

impl Faults {
    /// Nothing.
    pub const NONE: Self = Self {
        lose_every: 0,
        damage_every: 0,
        dies_after: u64::MAX,
        board_baud: FIRST_BAUD,
        stands: None,
        highest_baud: u32::MAX,
    };
}

/// The rate of [`channel`].
pub const RATE: Rate = Rate {
    num: 48_000,
    den: 1,
};

/// The board and its line.
pub struct FakeBoard {
    faults: Faults,
    board_baud: u32,
    host_baud: u32,
    now: Duration,
    decoder: Box<Decoder>,
    encoder: Encoder,
    out: VecDeque<u8>,
    frames: u64,
    expected: u64,
    points: u64,
    gap_reported: bool,
    /// The rate to go back to, and when, unless the host is heard at the new one.
    trial: Option<(u32, Duration)>,
    last_credit: Duration,
    uploading: bool,
    /// Bytes of a sample.
    width: u64,
}

/// A conversation with such a board.
pub fn client(faults: Faults) -> Client {
    Client::new(
        Box::new(FakeBoard::new(faults)),
        FIRST_BAUD,
        Logs::default(),
        true,
    )
}

/// Samples to send.
pub fn channel(points: usize) -> Channel {
    let values = (0..points).map(|index| (index * 7 % 1000) as i16);
    let bytes: Vec<u8> = values.flat_map(i16::to_le_bytes).collect();
    Channel::only(Samples::all(
        bytes.into(),
        Format::new(Number::I16, false),
        0,
    ))
}

impl FakeBoard {
    /// A board that has just started.
    pub fn new(faults: Faults) -> Self {
        Self {
            faults,
            board_baud: faults.board_baud,
            host_baud: FIRST_BAUD,
            now: Duration::ZERO,
            decoder: Box::default(),
            encoder: Encoder::new(),
            out: VecDeque::new(),
            frames: 0,
            expected: 0,
            points: 0,
            gap_reported: false,
            trial: None,
            last_credit: Duration::ZERO,
            uploading: false,
            width: 1,
        }
    }

    fn is_noise(&self) -> bool {
        self.host_baud != self.board_baud || self.host_baud > self.faults.highest_baud
    }

    fn send(&mut self, header: Header, message: &Message) {
        if self.frames > self.faults.dies_after {
            return;
        }
        let (mut scratch, mut frame) = ([0; MAX_PAYLOAD], [0; MAX_FRAME]);
        let envelope = Envelope {
            stream: header.stream,
            request: header.request,
            time_us: self.now.as_micros() as u64,
        };
        let length = self
            .encoder
            .message(envelope, message, &mut scratch, &mut frame)
            .expect("fits");
        self.out.extend(&frame[..length]);
    }

    fn credit(&mut self, header: Header) {
        self.last_credit = self.now;
        let unasked = Header {
            request: 0,
            ..header
        };
        if let Some(still) = self.faults.stands {
            let nothing = Credit {
                granted: 0,
                received: 0,
            };
            let status = wire::Status {
                state: wire::State::Uploading,
                engine: Engine::Cpu,
                counters: wire::Counters::default(),
                line_errors: 0,
            };
            return self.send(
                unasked,
                &match still {
                    Still::Status => Message::Status(status),
                    Still::NoCredit => Message::Credit(nothing),
                },
            );
        }
        let credit = Credit {
            granted: (self.expected + WINDOW).min(self.points),
            received: self.expected,
        };
        self.send(unasked, &Message::Credit(credit));
    }

    fn take(&mut self, header: Header, message: &Message) {
        match *message {
            Message::Hello(_) => {
                let info = wire::Info {
                    engine: Engine::Cpu,
                    state: wire::State::Idle,
                    reset_cause: wire::ResetCause::PowerOn,
                    board_revision: 0,
                    memory_bytes: 0,
                    clocks: wire::Clocks::default(),
                    baud: self.board_baud,
                    firmware: Name::new("0"),
                    board: Name::new("fake"),
                    capabilities: "",
                };
                self.send(header, &Message::Info(info));
            }
            Message::Measure(_) | Message::Probe => self.send(
                header,
                &Message::Nak(NakCode::UNKNOWN_REQUEST, "this request is not known"),
            ),
            Message::Ping(number) => self.send(header, &Message::Pong(number)),
            Message::Set("n=3") => {
                self.send(
                    header,
                    &Message::Nak(NakCode::BAD_VALUE, "n must be a power of two; use n=4"),
                );
            }
            Message::Baud(baud) => {
                self.send(header, &Message::Ack(""));
                self.trial = Some((self.board_baud, self.now + Duration::from_millis(500)));
                self.board_baud = baud;
            }
            Message::UploadBegin(begin) => {
                self.width = begin.format.sample_bytes(begin.domain) as u64;
                (self.expected, self.points, self.uploading) = (0, begin.samples, true);
                self.send(header, &Message::Ack(""));
                self.credit(header);
            }
            Message::UploadData { offset, data } => {
                if offset == self.expected {
                    self.expected += data.len() as u64 / self.width;
                    self.gap_reported = false;
                    self.credit(header);
                } else if offset > self.expected && !self.gap_reported {
                    self.gap_reported = true;
                    self.send(header, &Message::Nak(NakCode::GAP, "samples are missing"));
                    self.credit(header);
                }
            }
            Message::UploadEnd { samples, .. } if samples != self.expected => {
                self.send(header, &Message::Nak(NakCode::GAP, "samples are missing"));
                self.credit(header);
            }
            Message::UploadEnd { .. } => {
                // A repeated end must not bring a second spectrum.
                if std::mem::take(&mut self.uploading) {
                    let unasked = Header {
                        request: 0,
                        ..header
                    };
                    self.send(unasked, &Message::Descriptor(descriptor()));
                    self.send(unasked, &Message::Spectrum(chunk()));
                }
                let chunk = chunk();
                let brought = wire::Uploaded {
                    records: 1,
                    bytes: chunk.data.len() as u64,
                    crc: wire::crc32(chunk.data),
                };
                self.send(header, &Message::Uploaded(brought));
            }
            Message::Held(_) => {}
            _ => self.send(header, &Message::Ack("")),
        }
    }
}

/// Damages the middle byte of a frame, which does not become the zero that ends one.
pub fn flip_a_bit(frame: &mut [u8]) {
    let middle = frame.len() / 2;
    frame[middle] ^= if frame[middle] == 0x80 { 1 } else { 0x80 };
}

/// The header of what answers no request.
fn unasked() -> Header {
    Header {
        minor: 0,
        kind: wire::Kind::CREDIT,
        flags: 0,
        stream: 0,
        request: 0,
        sequence: 0,
        time_us: 0,
    }
}

fn descriptor() -> wire::Descriptor {
    wire::Descriptor {
        id: 9,
        rate: wire::Rate::hz(48_000),
        n: 4,
        domain: wire::Domain::Real,
        window: wire::Window::Hann,
        enbw_bins: 1.5,
        coherent_gain: 0.5,
        overlap: 2,
        averaging: wire::Averaging::All,
        average_count: 0,
        first_bin: 0,
        bins: 3,
        centre_hz: 0.0,
        unit: wire::Unit::DbReUnit,
        encoding: Encoding::F32,
        scale: 1.0,
        offset: 0.0,
        source: wire::Source::Upload,
        engine: Engine::Cpu,
        board_revision: 0,
        clocks: wire::Clocks::default(),
        firmware: Name::new("0"),
        board: Name::new("fake"),
        detector: wire::Detector::Mean,
        dc: wire::Dc::Keep,
        rate_within_hz: 0.0,
        exponential: 0,
    }
}

fn chunk() -> Chunk<'static> {
    Chunk {
        head: RecordHead {
            record: 0,
            total: 3,
            descriptor: 9,
            encoding: Encoding::F32,
            engine: Engine::Cpu,
            fallback: false,
            replaced: false,
            doubt: None,
            duty_ppm: None,
            blocks: 1,
            first_sample: 0,
            counters: wire::Counters::default(),
        },
        offset: 0,
        data: &[0; 12],
    }
}

impl Link for FakeBoard {
    fn read(&mut self, out: &mut [u8], wait: Duration) -> Result<Received> {
        if self.out.is_empty() {
            // Time passes, whatever happens.
            self.now += wait.max(Duration::from_micros(100));
            if let Some((baud, until)) = self.trial
                && self.now >= until
            {
                self.board_baud = baud;
                self.trial = None;
            }
            if self.uploading && self.now - self.last_credit > Duration::from_millis(500) {
                self.credit(Header {
                    stream: 1,
                    ..unasked()
                });
            }
            if self.out.is_empty() && self.is_noise() && self.frames <= self.faults.dies_after {
                out[..8].fill(0xF5);
                return Ok(Received::Bytes(8));
            }
            return Ok(Received::Nothing);
        }
        let count = out.len().min(self.out.len());
        for (place, byte) in out.iter_mut().zip(self.out.drain(..count)) {
            *place = if self.host_baud > self.faults.highest_baud {
                0xF5
            } else {
                byte
            };
        }
        Ok(Received::Bytes(count))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.frames += 1;
        self.now += Duration::from_micros(bytes.len() as u64 * 87);
        let lost = self.faults.lose_every > 0 && self.frames.is_multiple_of(self.faults.lose_every);
        if lost || self.is_noise() || self.frames > self.faults.dies_after {
            return Ok(());
        }
        self.trial = None;
        let mut bytes = bytes.to_vec();
        let every = self.faults.damage_every;
        if every > 0 && self.frames.is_multiple_of(every) {
            flip_a_bit(&mut bytes);
        }
        for byte in bytes {
            match self.decoder.push(byte) {
                Some(Item::Frame(header, payload)) => {
                    let payload = payload.to_vec();
                    let message = Message::decode(header.kind, &payload)
                        .expect("the client speaks the protocol");
                    self.take(header, &message);
                }
                Some(Item::Damaged { .. }) => self.send(
                    unasked(),
                    &Message::Nak(NakCode::BAD_PAYLOAD, "bytes are no intact frame"),
                ),
                Some(Item::Text(_)) | None => {}
            }
        }
        Ok(())
    }

    fn set_baud(&mut self, baud: u32) -> Result<()> {
        self.host_baud = baud;
        Ok(())
    }

    fn description(&self) -> String {
        "a fake board".to_owned()
    }

    fn now(&self) -> Duration {
        self.now
    }
}

//! Bytes of a line that carries records, for tests of what becomes of them.

use wire::{
    Averaging, Chunk, Clocks, Descriptor, Domain, Encoder, Encoding, Engine, Envelope, MAX_FRAME,
    MAX_PAYLOAD, Message, Name, RecordHead, Source, Window,
};

/// Values of a chunk.
const CHUNK: usize = 256;

/// A line that is being recorded.
pub struct Stream {
    encoder: Encoder,
    descriptor: Descriptor,
    /// The counters of the records that follow.
    pub counters: wire::Counters,
    bytes: Vec<u8>,
}

impl Stream {
    /// A line whose records have so many points of complex samples, at a rate and a centre.
    pub fn new(n: u32, rate_hz: u64, centre_hz: f64) -> Self {
        let mut stream = Self {
            encoder: Encoder::new(),
            descriptor: descriptor(n, rate_hz, centre_hz),
            counters: wire::Counters::default(),
            bytes: vec![],
        };
        stream.describe();
        stream
    }

    fn describe(&mut self) {
        let descriptor = self.descriptor;
        self.put(0, &Message::Descriptor(descriptor));
    }

    /// Other settings from now on.
    pub fn set(&mut self, n: u32) {
        let Descriptor {
            id,
            rate,
            centre_hz,
            ..
        } = self.descriptor;
        self.descriptor = descriptor(n, rate.num, centre_hz);
        self.descriptor.id = id + 1;
        self.describe();
    }

    /// From now on records have the greatest of each bin behind the means, which are averaged over
    /// so many records.
    #[allow(dead_code)]
    pub fn set_both(&mut self, exponential: u32) {
        self.descriptor.id += 1;
        self.descriptor.detector = wire::Detector::MeanMax;
        self.descriptor.averaging = Averaging::Exponential;
        self.descriptor.exponential = exponential;
        self.describe();
    }

    fn put(&mut self, time_us: u64, message: &Message) {
        let (mut scratch, mut frame) = ([0; MAX_PAYLOAD], [0; MAX_FRAME]);
        let envelope = Envelope {
            time_us,
            ..Envelope::default()
        };
        let length = self
            .encoder
            .message(envelope, message, &mut scratch, &mut frame)
            .expect("a frame holds it");
        self.bytes.extend_from_slice(&frame[..length]);
    }

    /// A record of linear powers, complete at a time.
    pub fn record(&mut self, record: u32, time_us: u64, power: &[f32]) {
        for (index, part) in power.chunks(CHUNK).enumerate() {
            let data: Vec<u8> = part.iter().flat_map(|power| power.to_le_bytes()).collect();
            let head = RecordHead {
                record,
                total: power.len() as u32,
                descriptor: self.descriptor.id,
                encoding: Encoding::F32,
                engine: Engine::Qpu,
                fallback: false,
                replaced: false,
                doubt: None,
                duty_ppm: None,
                blocks: 4,
                first_sample: 0,
                counters: self.counters,
            };
            let chunk = Chunk {
                head,
                offset: (CHUNK * index) as u32,
                data: &data,
            };
            self.put(time_us, &Message::Spectrum(chunk));
        }
    }

    /// The bytes so far, none of which come the next time.
    pub fn bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }
}

fn descriptor(n: u32, rate_hz: u64, centre_hz: f64) -> Descriptor {
    Descriptor {
        id: 1,
        rate: wire::Rate::hz(rate_hz),
        n,
        domain: Domain::Complex,
        window: Window::Hann,
        enbw_bins: 1.5,
        coherent_gain: 0.5,
        overlap: n / 2,
        averaging: Averaging::Linear,
        average_count: 4,
        first_bin: -(n as i32 / 2),
        bins: n,
        centre_hz,
        unit: wire::Unit::Dbfs,
        encoding: Encoding::F32,
        scale: 1.0,
        offset: 0.0,
        source: Source::Generator,
        engine: Engine::Qpu,
        board_revision: 0x10,
        clocks: Clocks::default(),
        firmware: Name::new("0.1.0"),
        board: Name::new("Raspberry Pi 1"),
        detector: wire::Detector::Mean,
        dc: wire::Dc::Keep,
        rate_within_hz: 0.0,
        exponential: 0,
    }
}

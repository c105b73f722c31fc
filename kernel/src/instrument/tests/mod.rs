//! The instrument on a board made of byte queues and a clock that jumps.
//!
//! A session is a host and a board with a line between them: bytes take their time at the line's
//! rate, everything else takes none unless a test says so.

mod commands;
mod detectors;
mod live;
mod long_records;
mod measure;
mod pipeline;
mod qpu_selftest;
mod stream;
mod terminal;
mod trouble;
mod trust;
mod upload;

use std::collections::VecDeque;

use super::capture::tests::fake::FakePort;
use super::line_rate::{LOWEST_BAUD, START_BAUD};
use super::*;
use crate::baud::BaudError;
use crate::dma_buf::DmaBuf;
use crate::engine::host_job::HostJob;
use crate::engine::measure::Words;
use crate::engine::qpu_selftest::Verdict;
use crate::engine::{Candidate, EngineError, EngineKind, Manner, Samples, Spectra};
use dsp::{Complex, Direction, Plan, Radix};
use qpu::job::{LaunchOrder, QpuSet};
use qpu_programs::microbench::{Microbench, What};
use wire::{
    Assembled, Assembler, Counters, Decoder, Descriptor, Domain, Encoder, Envelope, Header, Item,
    JobBlock, Kind, MAX_FRAME, MAX_PAYLOAD, Message, NakCode, Name, RecordHead, ResetCause, Source,
    State, Value,
};

/// A board without hardware.
pub struct FakeBoard {
    pub now_ns: u64,
    info: BoardInfo,
    baud: u32,
    /// Host's side of the line; bytes are lost while the rates differ.
    pub host_baud: u32,
    to_board: VecDeque<(u64, u8)>,
    line_free_ns: u64,
    sent: Vec<u8>,
    pub reboots: Vec<u64>,
    pub log: VecDeque<u8>,
    pub stages: Vec<Stage>,
    pub sleeps: u64,
    /// Checksums of the firmware's memory, each before the next one that is asked for.
    pub sums: VecDeque<u32>,
    /// The number of changes that were reported.
    pub memory_changes: u32,
    pub port: FakePort,
}

/// Bytes of its stack that the fake board says were never used.
const STACK_LEFT_BYTES: u32 = 128 << 10;
const QUEUE_BYTES: u64 = 16 * 1024;

impl FakeBoard {
    /// A board just after its start.
    pub fn new() -> Self {
        Self {
            now_ns: 0,
            info: BoardInfo {
                name: Name::new("Raspberry Pi 1 B+"),
                revision: 0x10,
                memory_bytes: 448 << 20,
                clocks: wire::Clocks {
                    arm_hz: 700_000_000,
                    core_hz: 250_000_000,
                    v3d_hz: 250_000_000,
                    uart_hz: 48_000_000,
                },
                reset_cause: ResetCause::Watchdog,
                last_stage: Some(Stage::QpuWait),
                firmware: Name::new("0.1.0"),
                v3d_ident0: 0,
                early_ends: 0,
                v3d_hung: false,
                v3d_unwanted: false,
                boot: BootTimes::default(),
            },
            baud: START_BAUD,
            host_baud: START_BAUD,
            to_board: VecDeque::new(),
            line_free_ns: 0,
            sent: Vec::new(),
            reboots: Vec::new(),
            log: VecDeque::new(),
            stages: Vec::new(),
            sleeps: 0,
            sums: VecDeque::from([7]),
            memory_changes: 0,
            port: FakePort::new(),
        }
    }

    /// The bytes that have left since the last call.
    pub fn take_sent(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.sent)
    }

    fn byte_ns(&self) -> u64 {
        10_000_000_000 / u64::from(self.baud)
    }

    fn room(&self) -> usize {
        let busy_ns = self.line_free_ns.saturating_sub(self.now_ns);
        QUEUE_BYTES.saturating_sub(busy_ns.div_ceil(self.byte_ns())) as usize
    }
}

impl Board for FakeBoard {
    type Port = FakePort;

    fn port(&mut self) -> &mut FakePort {
        self.port.now_us = self.now_ns / 1000;
        &mut self.port
    }

    fn now_us(&mut self) -> u64 {
        self.now_ns / 1000
    }

    fn receive(&mut self, out: &mut [u8]) -> usize {
        let mut count = 0;
        while count < out.len()
            && let Some((at_ns, byte)) = self.to_board.front()
            && *at_ns <= self.now_ns
        {
            out[count] = *byte;
            count += 1;
            self.to_board.pop_front();
        }
        count
    }

    fn receive_errors(&mut self) -> u32 {
        0
    }

    fn send(&mut self, bytes: &[u8]) -> usize {
        let count = bytes.len().min(self.room());
        let start = self.line_free_ns.max(self.now_ns);
        self.line_free_ns = start + count as u64 * self.byte_ns();
        if self.baud == self.host_baud {
            self.sent.extend(&bytes[..count]);
        }
        count
    }

    fn send_idle(&mut self) -> bool {
        self.now_ns >= self.line_free_ns
    }

    fn sleep_until(&mut self, at_us: u64) {
        self.sleeps += 1;
        let mut wake_ns = (at_us * 1000).max(self.now_ns + 1);
        // Only what comes from now on wakes it up; bytes may wait while the line is busy.
        let coming = self
            .to_board
            .partition_point(|(at_ns, _)| *at_ns <= self.now_ns);
        if let Some((at_ns, _)) = self.to_board.get(coming) {
            wake_ns = wake_ns.min(*at_ns);
        }
        if self.room() < QUEUE_BYTES as usize / 2 {
            wake_ns = wake_ns.min(self.now_ns + 512 * self.byte_ns());
        }
        self.now_ns = wake_ns;
    }

    fn take_break(&mut self) -> bool {
        false
    }

    fn receive_capacity(&self) -> usize {
        4096
    }

    fn clocks(&mut self) -> Clocks {
        Clocks::default()
    }

    fn check_baud(&self, baud: u32) -> Result<u32, BaudError> {
        if (300..=3_000_000).contains(&baud) {
            return Ok(baud);
        }
        Err(BaudError {
            lowest: 300,
            highest: 3_000_000,
        })
    }

    fn set_baud(&mut self, baud: u32) -> Result<u32, BaudError> {
        self.check_baud(baud)?;
        let now_ns = self.now_ns;
        self.to_board.retain(|(at_ns, _)| *at_ns > now_ns);
        // What is still on its way comes garbled, as in `Session::send_bytes`.
        if self.baud != baud {
            let coming = self.to_board.iter_mut().filter(|(_, byte)| *byte != 0);
            coming.for_each(|(_, byte)| *byte = !*byte);
        }
        self.baud = baud;
        Ok(baud)
    }

    fn stage(&mut self, stage: Stage) {
        self.stages.push(stage);
    }

    fn reboot(&mut self) {
        self.reboots.push(self.line_free_ns);
    }

    fn checksum(&mut self) -> u32 {
        if self.sums.len() > 1 {
            self.sums.pop_front();
        }
        self.sums[0]
    }

    fn memory_changed(&mut self) {
        self.memory_changes += 1;
    }

    fn info(&self) -> &BoardInfo {
        &self.info
    }

    fn stack_left_bytes(&self) -> u32 {
        STACK_LEFT_BYTES
    }

    fn take_log(&mut self, out: &mut [u8]) -> usize {
        let count = out.len().min(self.log.len());
        out.iter_mut()
            .zip(self.log.drain(..count))
            .for_each(|(out, byte)| *out = byte);
        count
    }
}

/// QPUs made of the CPU's FFT at radix 2, which fail when told to.
#[derive(Default)]
pub struct FakeQpu {
    pub failures: u32,
    /// The wrong value of bin 3 after each transform.
    pub wrong: Option<f32>,
    pub prepared: Option<u32>,
    /// QPUs that compute wrongly in the self-test.
    pub bad: QpuSet,
    /// QPUs on which a program does not end.
    pub hung: QpuSet,
    /// Rounds of the self-test so far.
    pub rounds: u32,
    /// Blocks whose power was added, call by call, without proofs and checks.
    pub powers: Vec<u32>,
    /// True if there are conservative plans.
    pub is_twofold: bool,
    /// Only plans of this manner are wrong.
    pub wrong_in: Option<Manner>,
    /// Bins 128, of a tone, and 40 are exchanged: the energy stays.
    pub exchanges: bool,
    /// Manner of the plan that runs.
    pub manner: Manner,
    pub believed: Vec<Candidate>,
    /// Powers under way, with window and samples.
    pub started: VecDeque<(Spectra, Vec<f32>, Vec<u32>)>,
    /// Lots that were started whose samples were not copied, and those whose samples were; no
    /// checks.
    pub in_place: u32,
    pub copied: u32,
    /// The most that were under way at a time.
    pub most_started: usize,
    /// So many questions for powers that were started pass before they are there.
    pub delay: u32,
    pub asked: u32,
    /// The powers that were started fail that are finished behind so many others.
    pub fails_at: Option<u32>,
    /// So many powers that were started are right before any are wrong.
    pub right: u32,
}

impl FakeQpu {
    fn supports(log2n: u32) -> bool {
        (8..=12).contains(&log2n)
    }
}

impl Fft for FakeQpu {
    fn prepare(&mut self, log2n: u32, manner: Manner) -> Result<(), EngineError> {
        assert!(Self::supports(log2n));
        self.prepared = Some(log2n);
        self.manner = manner;
        Ok(())
    }

    fn has(&self, candidate: &Candidate) -> bool {
        let log2n = match candidate {
            Candidate::Transform { log2n, .. } => *log2n,
            Candidate::Power(spectra) => spectra.log2n,
        };
        Self::supports(log2n) && (candidate.manner() == Manner::Fastest || self.is_twofold)
    }

    fn is_believed(&self, candidate: &Candidate) -> bool {
        self.believed.contains(candidate)
    }

    fn believe(&mut self, candidate: &Candidate) {
        self.believed.push(*candidate);
    }

    fn can_start(&self, _spectra: &Spectra) -> bool {
        self.started.len() < 3
    }

    fn start_power(
        &mut self,
        spectra: &Spectra,
        window: &[f32],
        samples: Samples,
    ) -> Result<(), EngineError> {
        assert!(self.can_start(spectra));
        let samples = match samples {
            Samples::Copied(words) => {
                self.copied += u32::from(spectra.split_for == 0);
                words.to_vec()
            }
            Samples::InPlace(buffer) => {
                self.in_place += 1;
                DmaBuf::peek(buffer)
            }
        };
        self.started.push_back((*spectra, window.to_vec(), samples));
        self.most_started = self.most_started.max(self.started.len());
        Ok(())
    }

    fn has_power(&mut self) -> bool {
        self.asked += 1;
        self.asked > self.delay || self.started.is_empty()
    }

    fn finish_power(&mut self, held: &mut [f64]) -> Result<u32, EngineError> {
        let (spectra, window, samples) = self.started.pop_front().ok_or(EngineError::Lost)?;
        self.asked = 0;
        if let Some(others) = &mut self.fails_at {
            self.failures += u32::from(*others == 0);
            self.fails_at = others.checked_sub(1);
        }
        let result = self.take_power(&spectra, &window, &samples, held);
        self.right = self.right.saturating_sub(1);
        if result.is_err() {
            self.started.clear();
        }
        result
    }

    fn abandon(&mut self) {
        self.started.clear();
    }

    fn make_room(&mut self) {}

    fn transform(
        &mut self,
        direction: Direction,
        data: &mut [Complex<f32>],
    ) -> Result<u32, EngineError> {
        assert_eq!(self.prepared, Some(data.len().trailing_zeros()));
        if self.failures > 0 {
            self.failures -= 1;
            self.prepared = None;
            self.believed.clear();
            data.fill(Complex::new(f32::NAN, 0.0));
            return Err(EngineError::Timeout { limit_us: 1000 });
        }
        let plan = Plan::new(data.len().trailing_zeros(), Radix::Two).unwrap();
        let mut twiddles = vec![Complex::ZERO; plan.twiddle_count()];
        plan.fill_twiddles(&mut twiddles).unwrap();
        plan.transform(direction, &twiddles, data).unwrap();
        if let Some(wrong) = self.wrong
            && self.right == 0
            && self.wrong_in.is_none_or(|manner| manner == self.manner)
        {
            data[3] = Complex::new(wrong, 0.0);
        }
        if self.exchanges && self.manner == Manner::Fastest {
            data.swap(128, 40);
        }
        Ok(7)
    }

    fn take_power(
        &mut self,
        spectra: &Spectra,
        window: &[f32],
        samples: &[u32],
        held: &mut [f64],
    ) -> Result<u32, EngineError> {
        let Spectra { coding, .. } = *spectra;
        assert_eq!(
            (window.len(), samples.len()),
            (spectra.points(), coding.words(spectra.samples()))
        );
        assert_eq!(held.len(), spectra.held());
        let mut qpu_us = 0;
        for block in 0..spectra.blocks as usize {
            let mut work = vec![Complex::ZERO; window.len()];
            let ones = vec![1.0; window.len()];
            coding.load(samples, block * spectra.hop, &ones, &mut work);
            for (x, w) in work.iter_mut().zip(window) {
                *x = x.scale(*w);
            }
            if spectra.removes_mean {
                let gain = spectra.window.gain(window).coherent;
                dsp::spectrum::remove_mean(window, gain, &mut work);
            }
            self.prepare(spectra.log2n, spectra.manner)?;
            qpu_us += self.transform(Direction::Forward, &mut work)?;
            dsp::spectrum::accumulate(coding.domain, spectra.detector, &work, held);
        }
        if self.believed.contains(&Candidate::Power(*spectra)) {
            self.powers.push(spectra.blocks);
        }
        Ok(qpu_us)
    }
}

impl QpuHost for FakeQpu {
    fn launch_order(&self) -> LaunchOrder {
        LaunchOrder::DESCENDING
    }

    fn host_block(&mut self, _bytes: u32) -> Result<JobBlock, EngineError> {
        Err(EngineError::NotAvailable)
    }

    fn host_job(&mut self, job: HostJob) -> Result<u32, EngineError> {
        let HostJob::Run(job) = job else {
            return Err(EngineError::NotAvailable);
        };
        self.prepared = None;
        match job.limit_us {
            13 => Err(EngineError::Timeout { limit_us: 13 }),
            _ => Ok(42),
        }
    }

    fn measure(&mut self, bench: &Microbench) -> Result<Words, EngineError> {
        let words = match bench.what {
            // 10 clocks of 250 MHz an operation.
            What::Time { .. } => &[25, 1, 2, 1, 1, 1, 2, 2, 2][..],
            What::Reservations => &[0xfff],
            What::Recovery => &[2, 1, 10_000],
        };
        Ok(Words::from_slice(words).expect("they fit"))
    }

    fn self_test(&mut self, on: QpuSet) -> Result<Verdict, EngineError> {
        self.prepared = None;
        self.rounds += 1;
        let of = |set: QpuSet| {
            set.numbers()
                .filter(|qpu| on.contains(*qpu))
                .map(QpuSet::only)
        };
        if of(self.hung).next().is_some() {
            return Err(EngineError::Timeout { limit_us: 1000 });
        }
        Ok(Verdict {
            ran: on,
            wrong: of(self.bad).fold(QpuSet::NONE, QpuSet::with),
            unnamed: 0,
        })
    }
}

/// The text and frames that the host has received.
#[derive(Clone, PartialEq, Debug)]
pub enum Seen {
    Text(String),
    Frame(Header, Vec<u8>),
}

/// A whole spectrum, as levels in dB.
#[derive(Clone, PartialEq, Debug)]
pub struct Spectrum {
    pub head: RecordHead,
    pub stream: u16,
    pub levels: Vec<f64>,
    pub raw: Vec<u8>,
}

/// A host and a board.
pub struct Session {
    pub board: FakeBoard,
    pub instrument: Instrument<'static, FakeQpu>,
    decoder: Decoder,
    encoder: Encoder,
    assembler: Assembler<Vec<u8>>,
    request: u16,
    host_free_ns: u64,
    pub seen: Vec<Seen>,
    pub spectra: Vec<Spectrum>,
    pub descriptors: Vec<(u64, Descriptor)>,
    pub descriptor: Option<Descriptor>,
}

fn workspace() -> &'static mut Workspace {
    // It passes over the stack on its way to the heap, and a test's stack is small.
    std::thread::Builder::new()
        .stack_size(64 << 20)
        .spawn(|| Box::leak(Box::new(Workspace::new())))
        .unwrap()
        .join()
        .unwrap()
}

impl Session {
    /// A board whose `cmdline.txt` has this text, just after its start.
    pub fn start(cmdline: &str, qpu: Option<FakeQpu>) -> Self {
        let (settings, complaint) = Settings::from_cmdline(cmdline);
        let board = FakeBoard::new();
        let mut session = Self {
            board,
            instrument: Instrument::new(workspace(), qpu, settings, complaint),
            decoder: Decoder::new(),
            encoder: Encoder::new(),
            assembler: Assembler::new(vec![0; 4 << 16]),
            request: 0,
            host_free_ns: 0,
            seen: Vec::new(),
            spectra: Vec::new(),
            descriptors: Vec::new(),
            descriptor: None,
        };
        session.instrument.start(&mut session.board);
        session
    }

    /// A quiet board.
    pub fn quiet(qpu: Option<FakeQpu>) -> Self {
        Self::quiet_with("start=0", qpu)
    }

    /// A quiet board whose owner lets hosts run programs.
    pub fn quiet_and_allowed(qpu: Option<FakeQpu>) -> Self {
        Self::quiet_with("start=0 allow=run", qpu)
    }

    fn quiet_with(cmdline: &str, qpu: Option<FakeQpu>) -> Self {
        let mut session = Self::start(cmdline, qpu);
        session.run_ms(200);
        session.seen.clear();
        session
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let lost = self.board.baud != self.board.host_baud;
        let byte_ns = 10_000_000_000 / u64::from(self.board.host_baud);
        for byte in bytes {
            self.host_free_ns = self.host_free_ns.max(self.board.now_ns) + byte_ns;
            // At a wrong rate zeros and ones are not what they were, but of a byte of zeros.
            let byte = if lost && *byte != 0 { !byte } else { *byte };
            self.board.to_board.push_back((self.host_free_ns, byte));
        }
    }

    pub fn encode(&mut self, request: u16, message: &Message) -> Vec<u8> {
        let (mut payload, mut frame) = ([0; MAX_PAYLOAD], [0; MAX_FRAME]);
        let envelope = Envelope {
            request,
            stream: 3,
            time_us: 0,
        };
        let length = self
            .encoder
            .message(envelope, message, &mut payload, &mut frame)
            .unwrap();
        frame[..length].to_vec()
    }

    pub fn send(&mut self, message: &Message) -> u16 {
        self.request += 1;
        let frame = self.encode(self.request, message);
        self.send_bytes(&frame);
        self.request
    }

    pub fn run_ms(&mut self, ms: u64) {
        let end_ns = self.board.now_ns + ms * 1_000_000;
        while self.board.now_ns < end_ns {
            self.step();
        }
    }

    pub fn step(&mut self) {
        self.instrument.step(&mut self.board);
        for byte in std::mem::take(&mut self.board.sent) {
            match self.decoder.push(byte) {
                None => {}
                Some(Item::Text(text)) => {
                    let text = String::from_utf8(text.to_vec()).unwrap();
                    self.seen.push(Seen::Text(text));
                }
                Some(Item::Frame(header, payload)) => {
                    let payload = payload.to_vec();
                    self.frame(&header, &payload);
                    self.seen.push(Seen::Frame(header, payload));
                }
                Some(Item::Damaged { reason, .. }) => panic!("the board sent damage: {reason:?}"),
            }
        }
    }

    fn frame(&mut self, header: &Header, payload: &[u8]) {
        match Message::decode(header.kind, payload).unwrap() {
            Message::Descriptor(descriptor) => {
                self.descriptors.push((header.time_us, descriptor));
                self.descriptor = Some(descriptor);
            }
            // What was asked for again goes to the one who asked.
            Message::Spectrum(chunk) if header.request == 0 => {
                let descriptor = self.descriptor.expect("a descriptor comes first");
                assert_eq!(chunk.head.descriptor, descriptor.id);
                if let Assembled::Record(record) = self.assembler.push(&chunk) {
                    assert_eq!(record.missing, 0);
                    let level = |value| match value {
                        Value::Missing => panic!("a value is missing"),
                        Value::Power(power) => 10.0 * f64::from(power).log10(),
                        Value::Steps(steps) => {
                            f64::from(steps) * f64::from(descriptor.scale)
                                + f64::from(descriptor.offset)
                        }
                    };
                    self.spectra.push(Spectrum {
                        head: record.head,
                        stream: header.stream,
                        levels: record.values().map(level).collect(),
                        raw: record.raw().to_vec(),
                    });
                }
            }
            _ => {}
        }
    }

    /// The answer to a request, waited for at most 30 s.
    pub fn answer(&mut self, request: u16) -> (Kind, Vec<u8>) {
        let end_ns = self.board.now_ns + 30_000_000_000;
        loop {
            let found = self.seen.iter().find_map(|seen| match seen {
                Seen::Frame(header, payload) if header.request == request => {
                    Some((header.kind, payload.clone()))
                }
                _ => None,
            });
            if let Some(found) = found {
                return found;
            }
            assert!(self.board.now_ns < end_ns, "no answer to {request}");
            self.step();
        }
    }

    pub fn ask(&mut self, message: &Message) -> (Kind, Vec<u8>) {
        let request = self.send(message);
        self.answer(request)
    }

    /// Asks, and expects consent.
    pub fn must(&mut self, message: &Message) {
        let (kind, payload) = self.ask(message);
        assert_eq!(kind, Kind::ACK, "{:?}", Message::decode(kind, &payload));
    }

    /// Asks, and expects a refusal with this code; its sentence.
    pub fn refused(&mut self, message: &Message, code: NakCode) -> String {
        let request = self.send(message);
        self.refusal(request, code)
    }

    pub fn refusal(&mut self, request: u16, code: NakCode) -> String {
        let (kind, payload) = self.answer(request);
        match Message::decode(kind, &payload).unwrap() {
            Message::Nak(actual, sentence) => {
                assert_eq!(actual, code, "{sentence}");
                sentence.to_owned()
            }
            other => panic!("not refused: {other:?}"),
        }
    }

    pub fn text(&self) -> String {
        let texts = self.seen.iter().filter_map(|seen| match seen {
            Seen::Text(text) => Some(text.as_str()),
            Seen::Frame(..) => None,
        });
        texts.collect()
    }

    /// Proof that the board still answers.
    pub fn ping(&mut self) {
        let token = 0xFEED + u64::from(self.request);
        let (kind, payload) = self.ask(&Message::Ping(token));
        assert_eq!(
            Message::decode(kind, &payload),
            Ok(Message::Pong(token)),
            "the board does not answer"
        );
    }
}

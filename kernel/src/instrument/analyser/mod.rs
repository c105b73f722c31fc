//! Samples to the power of records: blocks with overlap, DC removal, window, transform, |X|^2,
//! detector.
//!
//! The QPU engine is asked first: where it can, it makes the power of several blocks from their
//! samples, and the ARM goes on meanwhile ([`pipeline`]); otherwise it transforms block by block.
//! When it fails, the blocks are windowed from their samples and the CPU engine does them, so no
//! sample is lost; the record says so.

mod blocks;
mod check;
mod exponential;
mod newest;
mod pipeline;
mod ring;
mod shape;
mod trust;

use dsp::spectrum;
use dsp::{Complex, Direction, Gain, Window};
use qpu_programs::firmware::Blocks;
use wire::{Domain, Doubt, SampleFormat};

use super::settings::{EngineChoice, MAX_N, MIN_N, Settings};
use crate::engine::cpu::CpuEngine;
use crate::engine::proof;
use crate::engine::samples::{Coding, History};
use crate::engine::{Candidate, EngineError, EngineKind, Fft, Manner};
use check::Checks;
pub(super) use exponential::Exponential;
use newest::Newest;
use pipeline::Pipeline;
use trust::Trust;
pub(super) use trust::{Finding, Report};

pub(super) use shape::Shape;

/// After this many failures one after the other the QPUs are left alone until the next start.
const MAX_FAILURES: u32 = 3;

/// Samples of a lot in a ring, if it has not fewer than [`FEW_BLOCKS`]. The ARM proves a plan by
/// doing all of its work, so longer lots take longer to begin.
const LOT_SAMPLES: u32 = 1 << 17;
/// Blocks of a lot in a ring for which the ARM has time to read the powers at 20 MS/s.
const FEW_BLOCKS: u32 = 16;

/// Facts about a finished record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Summary {
    pub blocks: u32,
    pub first_sample: u64,
    pub engine: EngineKind,
    pub fallback: bool,
    /// The fastest plan was dropped, and another computed it.
    pub replaced: bool,
    pub doubt: Option<Doubt>,
    pub duty_ppm: Option<u32>,
    /// Time of the QPUs and of the ARM, in microseconds.
    pub qpu_us: u32,
    pub cpu_us: u32,
}

/// The slices of the workspace that the analyser works in.
pub(super) struct Buffers<'a> {
    pub history: History<'a>,
    pub work: &'a mut [Complex<f32>],
    pub window: &'a mut [f32],
    /// The detector's values of all bins.
    pub held: &'a mut [f64],
    /// The signal of a proof ([`trust`]).
    pub noise: &'a mut [u32],
    /// Its bins by the ARM, or those of a block that is checked.
    pub wanted: &'a mut [f64],
    /// Its bins by the QPUs.
    pub got: &'a mut [f64],
}

pub(super) struct Analyser<'a, Q> {
    /// The engine on the QPUs, where the board has them.
    qpu: Option<Q>,
    cpu: CpuEngine<'a>,
    buffers: Buffers<'a>,
    exponential: Exponential<'a>,
    shape: Shape,
    /// The window that `buffers.window` holds, its length, and what follows from both.
    window_for: Option<(Window, usize, Gain)>,
    /// Index of the first sample of the blocks under way, or of the next.
    position: u64,
    /// Index of the first sample in `history`.
    history_first: u64,
    /// Where samples lie in the ring of a capture: the index behind the last of them.
    ring_end: Option<u64>,
    /// The number of samples by which the stream is ahead of the ring's index.
    ahead_of_ring: i64,
    /// The first sample since the start, or since samples were left out.
    origin: u64,
    summary: Summary,
    /// Blocks that are done at a time, at the most.
    at_a_time: u32,
    /// No more samples come: what is whole is done.
    pub(super) closed: bool,
    failures: u32,
    /// The QPUs failed their self-test and are left alone for good.
    pub(super) distrusted: bool,
    trust: Trust,
    checks: Checks,
    pipeline: Pipeline,
    newest: Newest,
}

impl<'a, Q: Fft> Analyser<'a, Q> {
    pub(super) fn new(
        qpu: Option<Q>,
        cpu: CpuEngine<'a>,
        buffers: Buffers<'a>,
        exponential: Exponential<'a>,
    ) -> Self {
        Self {
            qpu,
            cpu,
            buffers,
            exponential,
            shape: Shape::new(
                &Settings::default(),
                Coding::new(SampleFormat::F32, Domain::Real),
                (0, 1),
            ),
            window_for: None,
            position: 0,
            history_first: 0,
            ring_end: None,
            ahead_of_ring: 0,
            origin: 0,
            summary: Summary::default(),
            at_a_time: 1,
            closed: false,
            failures: 0,
            distrusted: false,
            trust: Trust::default(),
            checks: Checks::default(),
            pipeline: Pipeline::default(),
            newest: Newest::default(),
        }
    }

    /// Begins anew at sample 0.
    pub(super) fn begin(&mut self, shape: Shape) {
        self.abandon();
        self.shape = shape;
        self.go_to(0);
        self.ring_end = None;
        self.ahead_of_ring = 0;
        self.newest = Newest::default();
        self.failures = 0;
        self.closed = false;
        self.exponential.begin();
        self.checks.begin();
        self.choose_lots();
        self.clear();
    }

    fn choose_lots(&mut self) {
        self.at_a_time = match self.engine_for(self.shape.engine, self.shape.n) {
            EngineKind::Qpu => self.record_blocks(),
            EngineKind::Cpu => 1,
        };
    }

    /// Has no samples; the next is this one.
    fn go_to(&mut self, index: u64) {
        self.buffers.history.begin(self.shape.coding);
        self.history_first = index;
        self.position = index;
        self.origin = index;
    }

    /// The number of blocks that one step may do, where the QPUs do them together: their samples
    /// must fit, and if the ARM has to do them, it must not take much longer than with one block of
    /// the greatest length.
    fn record_blocks(&self) -> u32 {
        let Shape {
            n, average, engine, ..
        } = self.shape;
        let most = match self.ring_end {
            Some(_) => self.aligned_lot(self.lot_of_record()),
            None => MAX_N / n as u32,
        };
        match (engine, average) {
            (EngineChoice::Fft | EngineChoice::Cpu, _) => 1,
            (EngineChoice::Auto, _) if !self.takes_power(1) => 1,
            (EngineChoice::Auto, 0) => most,
            (EngineChoice::Auto, average) => average.min(most),
        }
    }

    /// The number of blocks of a ring that are done together, at the most: as many in each lot of a
    /// record, so that one plan does, and only that has to be proven.
    fn lot_of_record(&self) -> u32 {
        let Shape { n, average, .. } = self.shape;
        let Coding { domain, format, .. } = self.shape.coding;
        let room = Blocks::most_samples(domain == Domain::Real, format) as u32;
        let samples = (FEW_BLOCKS * n as u32).clamp(LOT_SAMPLES.min(room), room);
        let lots = average.div_ceil(samples / n as u32).max(1);
        average.div_ceil(lots)
    }

    /// Forgets the record under way, not the blocks under way behind it.
    pub(super) fn clear(&mut self) {
        let values = self.values();
        spectrum::begin(self.shape.detector, &mut self.buffers.held[..values]);
        self.summary = Summary {
            engine: EngineKind::Qpu,
            ..Summary::default()
        };
        self.newest.begin_record();
    }

    /// Values of a record: one of each bin, or of two detectors two.
    pub(super) fn values(&self) -> usize {
        self.shape.values()
    }

    /// The engine on the QPUs.
    pub(super) fn qpu(&mut self) -> Result<&mut Q, EngineError> {
        on(&mut self.qpu)
    }

    /// Reports if the QPUs transform such lengths.
    fn supports(&self, log2n: u32) -> bool {
        let manner = Manner::Fastest;
        self.has_plan(&Candidate::Transform { log2n, manner })
    }

    /// Reports if the QPUs have such a plan, and the test has not shown that they compute wrongly.
    pub(super) fn has(&self, candidate: &Candidate) -> bool {
        !self.distrusted && self.has_plan(candidate)
    }

    fn has_plan(&self, candidate: &Candidate) -> bool {
        self.qpu.as_ref().is_some_and(|qpu| qpu.has(candidate))
    }

    /// Lengths that the QPUs can do, as log2 of the shortest and the longest.
    pub(super) fn qpu_lengths(&self) -> Option<(u32, u32)> {
        if self.distrusted {
            return None;
        }
        let mut lengths = (MIN_N.ilog2()..=MAX_N.ilog2()).filter(|log2n| self.supports(*log2n));
        let first = lengths.next()?;
        Some((first, lengths.last().unwrap_or(first)))
    }

    /// The engine that will be asked first.
    pub(super) fn engine_for(&self, choice: EngineChoice, n: usize) -> EngineKind {
        let working = self.failures < MAX_FAILURES && !self.distrusted;
        let able = working && self.supports(n.trailing_zeros());
        // Of other lengths it is not known yet.
        let able =
            able && ((n, choice) != (self.shape.n, self.shape.engine) || self.has_plan_left());
        match choice {
            EngineChoice::Auto | EngineChoice::Fft if able => EngineKind::Qpu,
            EngineChoice::Auto | EngineChoice::Fft | EngineChoice::Cpu => EngineKind::Cpu,
        }
    }

    /// Blocks that are begun together when their samples are there.
    pub(super) fn due(&self) -> u32 {
        let left = match self.shape.average {
            0 => self.at_a_time,
            average => average.saturating_sub(self.pipeline.begun),
        };
        let due = left.min(self.at_a_time);
        let whole = match self.waiting().checked_sub(self.shape.n) {
            Some(more) => (more / self.shape.hop()) as u32 + 1,
            None => 0,
        };
        if self.closed { due.min(whole) } else { due }.max(1)
    }

    fn needed(&self) -> usize {
        self.shape.spectra(self.due()).samples()
    }

    pub(super) fn is_ready(&self) -> bool {
        self.waiting() >= self.needed()
    }

    /// Samples that the blocks still lack.
    pub(super) fn wants(&self) -> usize {
        self.needed().saturating_sub(self.waiting())
    }

    /// Index of the next sample it takes.
    pub(super) fn next_sample(&self) -> u64 {
        self.position + self.filled() as u64
    }

    /// Index behind the last sample of the blocks so far.
    pub(super) const fn covered_end(&self) -> u64 {
        if self.position == self.origin {
            return self.origin;
        }
        self.position + self.shape.overlap as u64
    }

    /// Forgets record and samples, and goes on at sample `index` of the ring, where the stream is
    /// ahead of the ring's index by `ahead`.
    pub(super) fn restart_at(&mut self, index: u64, ahead: i64) {
        self.abandon();
        self.go_on_at(index, ahead);
        self.clear();
    }

    /// As [`Analyser::restart_at`], in the same record. No blocks are under way.
    pub(super) fn go_on_at(&mut self, index: u64, ahead: i64) {
        debug_assert_eq!(self.lots(), 0);
        self.go_to(index);
        self.ahead_of_ring = ahead;
    }

    /// Reports if no blocks are under way, and none can be begun.
    pub(super) fn has_done_all(&self) -> bool {
        self.lots() == 0 && !self.is_ready()
    }

    /// The index in the stream of sample `index`.
    const fn in_stream(&self, index: u64) -> u64 {
        index.saturating_add_signed(self.ahead_of_ring)
    }

    /// Samples from the first of the blocks under way on.
    fn filled(&self) -> usize {
        match self.ring_end {
            Some(end) => end.saturating_sub(self.position) as usize,
            None => self.buffers.history.len(),
        }
    }

    /// The place in the history of a sample that is there.
    fn in_history(&self, index: u64) -> usize {
        (index - self.history_first) as usize
    }

    /// Samples from the next block to begin on.
    fn waiting(&self) -> usize {
        self.filled().saturating_sub(self.ahead())
    }

    /// Takes a sample of the generator.
    pub(super) fn push(&mut self, sample: Complex<f32>) {
        self.buffers.history.push(sample);
    }

    /// Takes samples as they were uploaded; how many of them are clipped.
    pub(super) fn extend(&mut self, bytes: &[u8]) -> u32 {
        self.buffers.history.extend(bytes)
    }

    /// The facts about the blocks of the record under way that are finished.
    pub(super) const fn so_far(&self) -> Summary {
        self.summary
    }

    /// The gain of a window, whose coefficients the table of windows then holds.
    pub(super) fn gain(&mut self, window: Window, n: usize) -> Gain {
        match self.window_for {
            Some((known, points, gain)) if (known, points) == (window, n) => gain,
            _ => {
                let table = &mut self.buffers.window[..n];
                window.fill(table);
                let gain = window.gain(table);
                self.window_for = Some((window, n, gain));
                gain
            }
        }
    }

    /// Lets the blocks so far have their part in an exponential average, which takes their place.
    #[inline(never)]
    fn average_record(&mut self) {
        let Shape { exponential, .. } = self.shape;
        let blocks = self.summary.blocks;
        if exponential > 0 && blocks > 0 {
            let bins = self.shape.bins();
            let sums = &mut self.buffers.held[..bins];
            self.exponential.take(exponential, blocks, sums);
        }
    }

    /// Begins the next record; this one is not sent.
    pub(super) fn skip_record(&mut self) {
        self.average_record();
        self.clear();
    }

    /// Writes the power of the blocks so far to `power` and begins the next record.
    // Inlined into its only caller it takes the ARM longer.
    #[inline(never)]
    pub(super) fn finish_record(&mut self, power: &mut [f32]) -> Summary {
        self.let_qpus_go_on();
        self.average_record();
        let values = self.values();
        let gain = self.gain(self.shape.window, self.shape.n);
        spectrum::power(
            self.shape.coding.domain,
            self.shape.detector,
            gain.coherent,
            self.shape.n,
            self.summary.blocks,
            &self.buffers.held[..values],
            &mut power[..values],
            || go_on(&mut self.qpu),
        );
        let summary = Summary {
            doubt: self.checks.doubt,
            duty_ppm: self.newest.duty_ppm(),
            ..self.summary
        };
        self.clear();
        self.let_qpus_go_on();
        summary
    }

    /// Lets the QPUs go on with what was begun, in the middle of other work of the ARM.
    pub(super) fn let_qpus_go_on(&mut self) {
        go_on(&mut self.qpu);
    }

    /// The CPU engine against the definition of the transform, on 64 points.
    pub(super) fn check_cpu(&mut self) -> Result<u32, EngineError> {
        const N: usize = 64;
        let mut generator = dsp::generator::Generator::new();
        let mut data: [Complex<f32>; N] = core::array::from_fn(|_| generator.complex());
        let mut expected = [Complex::ZERO; N];
        dsp::dft::naive(Direction::Forward, &data, &mut expected);
        self.cpu.prepare(N.trailing_zeros())?;
        self.cpu.transform(Direction::Forward, &mut data)?;
        let error = dsp::dft::relative_rms_error(&data, &expected);
        Ok(proof::ppb(error))
    }
}

/// The engine on the QPUs, which a plan needs.
fn on<Q>(qpu: &mut Option<Q>) -> Result<&mut Q, EngineError> {
    qpu.as_mut().ok_or(EngineError::NotAvailable)
}

/// Lets the QPUs begin with the next launch, where one has ended: they wait until they are asked.
fn go_on<Q: Fft>(qpu: &mut Option<Q>) {
    if let Some(qpu) = qpu {
        qpu.has_power();
    }
}

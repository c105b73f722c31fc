//! Samples to averaged power: blocks with overlap, window, transform, |X|^2, sums.
//!
//! The QPU engine is asked first where it can do the length. When it fails, the block is windowed
//! again from its samples and the CPU engine does it, so no sample is lost; the record says so.

use dsp::spectrum::{Domain, accumulate, mean_power};
use dsp::{Complex, Direction, Window};

use super::board::{Board, Stage};
use super::settings::{EngineChoice, MAX_N, MIN_N, Settings};
use crate::engine::cpu::CpuEngine;
use crate::engine::{Engine, EngineError, EngineKind, Timing, known_answer};

/// After this many failures one after the other the QPUs are left alone until the next start.
const MAX_FAILURES: u32 = 3;

/// What the analyser makes of samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    pub n: usize,
    pub overlap: usize,
    pub average: u32,
    pub window: Window,
    pub domain: Domain,
    pub engine: EngineChoice,
}

impl Shape {
    pub(super) fn new(settings: &Settings, domain: wire::Domain) -> Self {
        Self {
            n: settings.n as usize,
            overlap: settings.overlap_samples() as usize,
            average: settings.average,
            window: window(settings.window),
            domain: match domain {
                wire::Domain::Real => Domain::Real,
                wire::Domain::Complex => Domain::Complex,
            },
            engine: settings.engine,
        }
    }

    fn log2n(&self) -> u32 {
        self.n.trailing_zeros()
    }
}

/// The window of that name; the wire and the mathematics each have their own list.
pub(super) fn window(window: wire::Window) -> Window {
    match window {
        wire::Window::Rectangular => Window::Rectangular,
        wire::Window::Hann => Window::Hann,
        wire::Window::Hamming => Window::Hamming,
        wire::Window::BlackmanHarris => Window::BlackmanHarris,
        wire::Window::FlatTop => Window::FlatTop,
    }
}

/// What is known about a finished record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Summary {
    pub blocks: u32,
    pub first_sample: u64,
    pub engine: EngineKind,
    pub fallback: bool,
    pub timing: Timing,
}

/// The slices of the workspace that the analyser works in.
pub(super) struct Buffers<'a> {
    pub history: &'a mut [Complex<f32>],
    pub work: &'a mut [Complex<f32>],
    pub window: &'a mut [f32],
    pub sums: &'a mut [f64],
}

pub(super) struct Analyser<'a, Q> {
    qpu: Q,
    cpu: CpuEngine<'a>,
    buffers: Buffers<'a>,
    shape: Shape,
    /// The window that `buffers.window` holds.
    window_for: Option<(Window, usize)>,
    /// Samples in `history`, and the index of the first.
    filled: usize,
    position: u64,
    summary: Summary,
    failures: u32,
    /// The QPUs failed the self-test and are left alone for good.
    distrusted: bool,
}

impl<'a, Q: Engine> Analyser<'a, Q> {
    pub(super) fn new(qpu: Q, cpu: CpuEngine<'a>, buffers: Buffers<'a>) -> Self {
        Self {
            qpu,
            cpu,
            buffers,
            shape: Shape::new(&Settings::default(), wire::Domain::Real),
            window_for: None,
            filled: 0,
            position: 0,
            summary: Summary::default(),
            failures: 0,
            distrusted: false,
        }
    }

    /// Begins anew at sample 0.
    pub(super) fn begin(&mut self, shape: Shape) {
        self.shape = shape;
        self.filled = 0;
        self.position = 0;
        self.failures = 0;
        self.clear();
    }

    /// Forgets the record under way, not the samples of the block under way.
    pub(super) fn clear(&mut self) {
        let bins = self.bins();
        self.buffers.sums[..bins].fill(0.0);
        self.summary = Summary {
            engine: EngineKind::Qpu,
            ..Summary::default()
        };
    }

    pub(super) fn bins(&self) -> usize {
        self.shape.domain.bins(self.shape.n)
    }

    pub(super) fn qpu_mut(&mut self) -> &mut Q {
        &mut self.qpu
    }

    /// Lengths that the QPUs can do, as log2 of the shortest and the longest.
    pub(super) fn qpu_lengths(&self) -> Option<(u32, u32)> {
        if self.distrusted {
            return None;
        }
        let mut lengths = (MIN_N.ilog2()..=MAX_N.ilog2()).filter(|log2n| self.qpu.supports(*log2n));
        let first = lengths.next()?;
        Some((first, lengths.last().unwrap_or(first)))
    }

    /// The engine that will be asked first.
    pub(super) fn engine_for(&self, choice: EngineChoice, n: usize) -> EngineKind {
        let working = self.failures < MAX_FAILURES && !self.distrusted;
        let able = working && self.qpu.supports(n.trailing_zeros());
        match choice {
            EngineChoice::Auto if able => EngineKind::Qpu,
            EngineChoice::Auto | EngineChoice::Cpu => EngineKind::Cpu,
        }
    }

    pub(super) fn is_ready(&self) -> bool {
        self.filled == self.shape.n
    }

    /// Samples that the block still lacks.
    pub(super) fn wants(&self) -> usize {
        self.shape.n - self.filled
    }

    /// Index of the next sample it takes.
    pub(super) fn next_sample(&self) -> u64 {
        self.position + self.filled as u64
    }

    pub(super) fn push(&mut self, sample: Complex<f32>) {
        if let Some(place) = self.buffers.history[..self.shape.n].get_mut(self.filled) {
            *place = sample;
            self.filled += 1;
        }
    }

    pub(super) fn blocks(&self) -> u32 {
        self.summary.blocks
    }

    /// Whether the block that is ready will be the last of its record.
    pub(super) fn completes_record(&self) -> bool {
        self.summary.blocks + 1 == self.shape.average
    }

    /// Transforms the block that is ready and adds its power. An error is why the QPUs did not do
    /// it; the block has then been done by the CPU engine.
    pub(super) fn process(&mut self, board: &mut impl Board) -> Result<(), EngineError> {
        let start_us = board.now_us();
        let (n, log2n) = (self.shape.n, self.shape.log2n());
        self.prepare_window();
        let mut timing = Timing::default();
        let mut trouble = Ok(());
        let mut kind = self.engine_for(self.shape.engine, n);
        self.load_block();
        if kind == EngineKind::Qpu {
            board.stage(Stage::QpuWait);
            let work = &mut self.buffers.work[..n];
            let result = self
                .qpu
                .prepare(log2n)
                .and_then(|()| self.qpu.transform(Direction::Forward, work));
            match result {
                Ok(took) => {
                    timing = took;
                    self.failures = 0;
                }
                Err(error) => {
                    trouble = Err(error);
                    kind = EngineKind::Cpu;
                    self.failures += 1;
                    self.summary.fallback = true;
                    self.load_block();
                }
            }
        }
        if kind == EngineKind::Cpu {
            // The CPU engine has every length that settings admit.
            let work = &mut self.buffers.work[..n];
            let done = self.cpu.prepare(log2n).is_ok()
                && self.cpu.transform(Direction::Forward, work).is_ok();
            debug_assert!(done);
            self.summary.engine = EngineKind::Cpu;
        }
        let bins = self.bins();
        accumulate(
            self.shape.domain,
            &self.buffers.work[..n],
            &mut self.buffers.sums[..bins],
        );
        self.advance();
        let elapsed_us = board.now_us().saturating_sub(start_us) as u32;
        let total = &mut self.summary.timing;
        total.qpu_us = total.qpu_us.saturating_add(timing.qpu_us);
        let cpu_us = elapsed_us.saturating_sub(timing.qpu_us);
        total.cpu_us = total.cpu_us.saturating_add(cpu_us);
        trouble
    }

    fn prepare_window(&mut self) {
        let wanted = (self.shape.window, self.shape.n);
        if self.window_for != Some(wanted) {
            wanted.0.fill(&mut self.buffers.window[..wanted.1]);
            self.window_for = Some(wanted);
        }
    }

    fn load_block(&mut self) {
        let samples = self.buffers.history[..self.shape.n].iter();
        let window = self.buffers.window.iter();
        for ((work, sample), w) in self.buffers.work.iter_mut().zip(samples).zip(window) {
            *work = sample.scale(*w);
        }
    }

    /// Counts the block and keeps what the next one shares with it.
    fn advance(&mut self) {
        if self.summary.blocks == 0 {
            self.summary.first_sample = self.position;
        }
        self.summary.blocks = self.summary.blocks.saturating_add(1);
        let hop = self.shape.n - self.shape.overlap;
        self.buffers.history.copy_within(hop..self.shape.n, 0);
        self.filled = self.shape.overlap;
        self.position += hop as u64;
    }

    /// Writes the mean power of the blocks so far to `power` and begins the next record.
    pub(super) fn finish_record(&mut self, power: &mut [f32]) -> Summary {
        let bins = self.bins();
        mean_power(
            self.shape.domain,
            self.shape.window,
            self.shape.n,
            self.summary.blocks,
            &self.buffers.sums[..bins],
            &mut power[..bins],
        );
        let summary = self.summary;
        self.clear();
        summary
    }

    /// The QPUs against a transform whose answer is known, in both directions: the larger error, in
    /// parts of 10^9. The two answers differ, so that memory which still holds one, as it may after a
    /// restart, does not pass for both. Uses the work space; for the self-test, while nothing else runs.
    pub(super) fn check_qpu(&mut self, log2n: u32) -> Result<u32, EngineError> {
        let mut worst = 0;
        for direction in [Direction::Forward, Direction::Inverse] {
            let work = &mut *self.buffers.work;
            let error = known_answer::relative_rms_error(&mut self.qpu, log2n, direction, work)?;
            worst = worst.max(ppb(error));
        }
        Ok(worst)
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
        Ok(ppb(error))
    }

    /// Whether the QPUs have failed their test.
    pub(super) fn is_qpu_distrusted(&self) -> bool {
        self.distrusted
    }

    /// Leaves the QPUs alone from now on.
    pub(super) fn distrust_qpu(&mut self) {
        self.distrusted = true;
    }
}

/// Parts of 10^9. What is no number is as wrong as can be: memory that nobody wrote holds such values.
fn ppb(error: f64) -> u32 {
    if error.is_nan() {
        u32::MAX
    } else {
        (error * 1e9) as u32
    }
}

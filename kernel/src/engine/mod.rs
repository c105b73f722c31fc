//! The FFT engines behind one trait: the QPUs, and the ARM.
//!
//! The instrument asks the QPU engine first, where the board has one and it supports the length,
//! and otherwise the CPU engine; whoever did the work is named in the record.

use ::qpu::job::{LaunchOrder, QpuSet};
use dsp::spectrum::Detector;
use dsp::{Complex, Direction, Window};
use host_job::HostJob;
use measure::Words;
use qpu_programs::microbench::Microbench;
use samples::Coding;
use wire::JobBlock;

pub mod cpu;
pub mod host_job;
pub mod literals;
pub mod measure;
pub mod power;
pub mod proof;
pub mod qpu;
pub mod qpu_test;
pub mod samples;

/// Which processor an engine computes on; the same codes as on the wire.
pub use wire::Engine as EngineKind;

/// Why an engine could not do what was asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineError {
    /// The length is not one that this engine supports.
    Length,
    /// Not enough memory that the engine can reach.
    NoMemory,
    /// The engine did not finish within this many microseconds; it has been restarted.
    Timeout {
        /// The limit.
        limit_us: u32,
    },
    /// The hardware reported an error; it has been restarted.
    Device,
    /// This engine cannot do that at all.
    NotAvailable,
    /// The memory that a host wants to use is not in its block, or it has none.
    OutsideBlock,
    /// A program of a host names an address that is not in its block.
    Stray(literals::Stray),
}

/// How a plan goes about its work.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Manner {
    /// As is fastest on the simulator.
    #[default]
    Fastest,
    /// With what others have done on boards only: [`::qpu::fft::request::Request::conservative`].
    Conservative,
}

impl Manner {
    /// In the order in which they are tried.
    pub const ALL: [Self; 2] = [Self::Fastest, Self::Conservative];

    /// Its name in text.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fastest => "fastest",
            Self::Conservative => "conservative",
        }
    }
}

/// A plan that may compute what is wanted, if it proves to be right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Candidate {
    /// Transforms of complex points, in both directions.
    Transform {
        /// Points, as a power of two.
        log2n: u32,
        /// Which plan.
        manner: Manner,
    },
    /// Powers of blocks of samples.
    Power(Spectra),
}

impl Candidate {
    /// Which plan it is.
    #[must_use]
    pub const fn manner(&self) -> Manner {
        match self {
            Self::Transform { manner, .. } => *manner,
            Self::Power(spectra) => spectra.manner,
        }
    }
}

/// What a transform took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Timing {
    /// Time on the QPUs, in microseconds.
    pub qpu_us: u32,
    /// Time on the ARM, in microseconds, as far as the engine knows it. The instrument measures
    /// what an engine without a clock leaves 0.
    pub cpu_us: u32,
}

/// Blocks of samples whose power spectra become one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spectra {
    /// Points of a block, as a power of two.
    pub log2n: u32,
    /// How the samples are coded.
    pub coding: Coding,
    /// The window, whose coefficients the caller has.
    pub window: Window,
    /// Samples from the start of a block to the start of the next.
    pub hop: usize,
    /// How many blocks, at least 1.
    pub blocks: u32,
    /// The first bin that is wanted and the one behind the last, of those that [`dsp::spectrum`] has in order; at
    /// least one.
    pub bins: [usize; 2],
    /// What becomes of the powers of the blocks.
    pub detector: Detector,
    /// Whether the mean of each block is taken away, as [`dsp::spectrum::remove_mean`] does.
    pub removes_mean: bool,
    /// Which plan computes them.
    pub manner: Manner,
    /// So many blocks the plan is split for, where a single block goes through the programs of many; 0: for its own.
    pub split_for: u32,
}

impl Spectra {
    /// Points of a block.
    #[must_use]
    pub const fn points(&self) -> usize {
        1 << self.log2n
    }

    /// A single block, all of its bins and nothing taken away, through the programs of these.
    #[must_use]
    pub const fn alone(&self) -> Self {
        Self {
            blocks: 1,
            hop: self.points(),
            bins: [0, self.coding.domain.bins(self.points())],
            detector: Detector::Mean,
            removes_mean: false,
            split_for: self.blocks,
            ..*self
        }
    }

    /// Samples of all blocks.
    #[must_use]
    pub const fn samples(&self) -> usize {
        self.points() + (self.blocks as usize - 1) * self.hop
    }
}

/// Something that computes discrete Fourier transforms of 2^`log2n` complex points.
pub trait Engine {
    /// Which processor it is.
    fn kind(&self) -> EngineKind;

    /// Whether transforms of 2^`log2n` points can be asked for.
    fn supports(&self, log2n: u32) -> bool;

    /// Gets tables, memory and programs ready for transforms of 2^`log2n` points. Transforms of
    /// that length then follow without further preparation.
    ///
    /// # Errors
    /// [`EngineError::Length`] or [`EngineError::NoMemory`].
    fn prepare(&mut self, log2n: u32) -> Result<(), EngineError>;

    /// Transforms `data` in place, in natural order, unscaled: forward and then inverse gives
    /// `data.len()` times the input.
    ///
    /// # Errors
    /// The contents of `data` are undefined after an error, and the engine wants a new
    /// [`Engine::prepare`].
    fn transform(
        &mut self,
        direction: Direction,
        data: &mut [Complex<f32>],
    ) -> Result<Timing, EngineError>;

    /// As [`Engine::prepare`], with the plan of that manner.
    ///
    /// # Errors
    /// [`EngineError::Length`], [`EngineError::NoMemory`], or [`EngineError::NotAvailable`] where there is no such plan.
    fn prepare_as(&mut self, log2n: u32, manner: Manner) -> Result<(), EngineError> {
        match manner {
            Manner::Fastest => self.prepare(log2n),
            Manner::Conservative => Err(EngineError::NotAvailable),
        }
    }

    /// Whether there is such a plan.
    fn has(&self, candidate: &Candidate) -> bool {
        match candidate {
            Candidate::Transform { log2n, manner } => {
                *manner == Manner::Fastest && self.supports(*log2n)
            }
            Candidate::Power(_) => false,
        }
    }

    /// Whether the plan stands in memory as it did when it was last proven ([`Engine::believe`]).
    fn is_believed(&self, candidate: &Candidate) -> bool {
        let _ = candidate;
        false
    }

    /// Notes that the plan has been proven: it is believed until it is made anew.
    fn believe(&mut self, candidate: &Candidate) {
        let _ = candidate;
    }

    /// Lets `held` take the squared magnitudes of the transforms of all blocks: as
    /// [`dsp::spectrum::accumulate`] does after window and transform, block by block. Needs no
    /// [`Engine::prepare`]. `window` has a coefficient for each point, `samples` are
    /// [`Spectra::samples`] packed in words ([`samples`]). Bins that are not wanted may be left alone.
    ///
    /// # Errors
    /// `held` is as it was after an error.
    fn take_power(
        &mut self,
        spectra: &Spectra,
        window: &[f32],
        samples: &[u32],
        held: &mut [f64],
    ) -> Result<Timing, EngineError> {
        let _ = (spectra, window, samples, held);
        Err(EngineError::NotAvailable)
    }

    /// In which order QPUs get programs; `None` where there are no QPUs.
    fn launch_order(&self) -> Option<LaunchOrder> {
        None
    }

    /// Takes a block of memory for jobs of a host, and gives back all other memory: the engine is unprepared
    /// afterwards. The block is given back when memory is wanted for anything else.
    ///
    /// # Errors
    /// [`EngineError::NotAvailable`] when there are no QPUs, [`EngineError::NoMemory`].
    fn host_block(&mut self, bytes: u32) -> Result<JobBlock, EngineError> {
        let _ = bytes;
        Err(EngineError::NotAvailable)
    }

    /// Does what a host asks for in its block; gives the time that programs took in microseconds.
    ///
    /// # Errors
    /// [`EngineError::NotAvailable`] when there are no QPUs, [`EngineError::OutsideBlock`], and what programs can
    /// fail of.
    fn host_job(&mut self, job: HostJob) -> Result<u32, EngineError> {
        let _ = job;
        Err(EngineError::NotAvailable)
    }

    /// One round of the QPU test ([`qpu_test`]) on the QPUs of `on`. The engine is unprepared afterwards.
    ///
    /// # Errors
    /// [`EngineError::NotAvailable`] when there are no QPUs, and what a round can fail of.
    fn test_qpus(&mut self, on: QpuSet) -> Result<qpu_test::Verdict, EngineError> {
        let _ = on;
        Err(EngineError::NotAvailable)
    }

    /// Runs one of the image's microbenchmarks. The engine is unprepared afterwards.
    ///
    /// # Errors
    /// [`EngineError::NotAvailable`] when there are no QPUs, and what programs can fail of.
    fn measure(&mut self, bench: &Microbench) -> Result<Words, EngineError> {
        let _ = bench;
        Err(EngineError::NotAvailable)
    }
}

/// An engine that a board may or may not have; `None` supports no length.
impl<E: Engine> Engine for Option<E> {
    fn kind(&self) -> EngineKind {
        self.as_ref().map_or(EngineKind::Qpu, Engine::kind)
    }

    fn supports(&self, log2n: u32) -> bool {
        self.as_ref().is_some_and(|engine| engine.supports(log2n))
    }

    fn prepare(&mut self, log2n: u32) -> Result<(), EngineError> {
        let engine = self.as_mut().ok_or(EngineError::NotAvailable)?;
        engine.prepare(log2n)
    }

    fn transform(
        &mut self,
        direction: Direction,
        data: &mut [Complex<f32>],
    ) -> Result<Timing, EngineError> {
        let engine = self.as_mut().ok_or(EngineError::NotAvailable)?;
        engine.transform(direction, data)
    }

    fn prepare_as(&mut self, log2n: u32, manner: Manner) -> Result<(), EngineError> {
        let engine = self.as_mut().ok_or(EngineError::NotAvailable)?;
        engine.prepare_as(log2n, manner)
    }

    fn has(&self, candidate: &Candidate) -> bool {
        self.as_ref().is_some_and(|engine| engine.has(candidate))
    }

    fn is_believed(&self, candidate: &Candidate) -> bool {
        let engine = self.as_ref();
        engine.is_some_and(|engine| engine.is_believed(candidate))
    }

    fn believe(&mut self, candidate: &Candidate) {
        if let Some(engine) = self {
            engine.believe(candidate);
        }
    }

    fn take_power(
        &mut self,
        spectra: &Spectra,
        window: &[f32],
        samples: &[u32],
        held: &mut [f64],
    ) -> Result<Timing, EngineError> {
        let engine = self.as_mut().ok_or(EngineError::NotAvailable)?;
        engine.take_power(spectra, window, samples, held)
    }

    fn launch_order(&self) -> Option<LaunchOrder> {
        self.as_ref().and_then(Engine::launch_order)
    }

    fn host_block(&mut self, bytes: u32) -> Result<JobBlock, EngineError> {
        let engine = self.as_mut().ok_or(EngineError::NotAvailable)?;
        engine.host_block(bytes)
    }

    fn host_job(&mut self, job: HostJob) -> Result<u32, EngineError> {
        let engine = self.as_mut().ok_or(EngineError::NotAvailable)?;
        engine.host_job(job)
    }

    fn test_qpus(&mut self, on: QpuSet) -> Result<qpu_test::Verdict, EngineError> {
        let engine = self.as_mut().ok_or(EngineError::NotAvailable)?;
        engine.test_qpus(on)
    }

    fn measure(&mut self, bench: &Microbench) -> Result<Words, EngineError> {
        let engine = self.as_mut().ok_or(EngineError::NotAvailable)?;
        engine.measure(bench)
    }
}

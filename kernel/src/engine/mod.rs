//! The FFT engines: the QPUs, and the ARM.
//!
//! The instrument asks the QPU engine ([`Fft`]) first, where the board has one and it has a plan,
//! and otherwise the [`cpu::CpuEngine`], which has every length; the record names the one that
//! computed. QPUs can do more than transforms: [`QpuHost`].

use ::qpu::job::{Buffer, LaunchOrder, QpuSet};
use dsp::spectrum::Detector;
use dsp::{Complex, Direction, Window};
use host_job::HostJob;
use literals::Stray;
use measure::Words;
use qpu_programs::microbench::Microbench;
use qpu_selftest::Verdict;
use samples::Coding;
use wire::JobBlock;

pub mod cpu;
pub mod host_job;
pub mod literals;
pub mod measure;
pub mod power;
pub mod proof;
pub mod qpu;
pub mod qpu_selftest;
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
    /// As much is under way as can be, or what is under way uses memory that is wanted.
    Busy,
    /// What was started is lost, because something else failed.
    Lost,
    /// This engine cannot do that at all.
    NotAvailable,
    /// The memory that a host wants to use is not in its block, or it has none.
    OutsideBlock,
    /// A program of a host names an address that is not in its block.
    Stray(Stray),
}

/// The choice of programs for a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Manner {
    /// The fastest on the simulator.
    #[default]
    Fastest,
    /// Only techniques that others have used on boards:
    /// [`::qpu_fft::request::Request::conservative`].
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

/// Blocks of samples whose power spectra become one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spectra {
    /// Points of a block, as a power of two.
    pub log2n: u32,
    /// The coding of the samples.
    pub coding: Coding,
    /// The window, whose coefficients the caller has.
    pub window: Window,
    /// Samples from the start of a block to the start of the next.
    pub hop: usize,
    /// The number of blocks, at least 1.
    pub blocks: u32,
    /// The first bin that is wanted and the one behind the last, of those that [`dsp::spectrum`]
    /// has in order; at least one.
    pub bins: [usize; 2],
    /// The detector that makes one power of those of the blocks.
    pub detector: Detector,
    /// True if the mean of each block is taken away, as [`dsp::spectrum::remove_mean`] does.
    pub removes_mean: bool,
    /// Which plan computes them.
    pub manner: Manner,
    /// So many blocks the plan is split for, where a single block goes through the programs of
    /// many; 0: for its own.
    pub split_for: u32,
}

impl Spectra {
    /// Points of a block.
    #[must_use]
    pub const fn points(&self) -> usize {
        1 << self.log2n
    }

    /// Numbers that are held of all bins: one for each of the detector's parts.
    #[must_use]
    pub const fn held(&self) -> usize {
        self.coding.domain.bins(self.points()) * self.detector.parts().len()
    }

    /// A single block, all of its bins and nothing taken away, through the programs of these.
    #[must_use]
    pub const fn alone(&self) -> Self {
        Self {
            blocks: 1,
            hop: self.points(),
            bins: [0, self.coding.domain.bins(self.points())],
            detector: match self.detector {
                Detector::Mean | Detector::Max | Detector::Min => Detector::Mean,
                Detector::MeanMax => Detector::MeanMax,
            },
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

    /// Reports if each block begins with a word where the first one does. Only then can the QPUs
    /// read them where they lie.
    #[must_use]
    pub const fn is_in_words(&self) -> bool {
        (self.hop * self.coding.bytes()).is_multiple_of(4)
    }
}

/// The samples of all blocks, for [`Fft::start_power`].
#[derive(Clone, Copy, Debug)]
pub enum Samples<'a> {
    /// Packed in words ([`samples`]), which are copied.
    Copied(&'a [u32]),
    /// Packed in memory that V3D sees, from a line's start on. The QPUs read them there, so they
    /// must stay as they are until the powers are finished or given up.
    InPlace(Buffer),
}

/// Plans of the QPUs: Fourier transforms of 2^`log2n` complex points, and powers of blocks of
/// samples. Each says how long the QPUs took, in microseconds.
pub trait Fft {
    /// Reports if there is such a plan.
    fn has(&self, candidate: &Candidate) -> bool;

    /// Gets tables, memory and programs ready for transforms of 2^`log2n` points with the plan of
    /// that manner. Transforms of that length then follow without further preparation.
    ///
    /// # Errors
    /// [`EngineError::Length`], [`EngineError::NoMemory`], or [`EngineError::NotAvailable`] where
    /// there is no such plan.
    fn prepare(&mut self, log2n: u32, manner: Manner) -> Result<(), EngineError>;

    /// Transforms `data` in place, in natural order, unscaled: forward and then inverse gives
    /// `data.len()` times the input.
    ///
    /// # Errors
    /// The contents of `data` are undefined after an error, and the engine wants a new
    /// [`Fft::prepare`].
    fn transform(
        &mut self,
        direction: Direction,
        data: &mut [Complex<f32>],
    ) -> Result<u32, EngineError>;

    /// Lets `held` take the squared magnitudes of the transforms of all blocks: as
    /// [`dsp::spectrum::accumulate`] does after window and transform, block by block. Needs no
    /// [`Fft::prepare`]. `window` has a coefficient for each point, `samples` are
    /// [`Spectra::samples`] packed in words ([`samples`]), `held` has [`Spectra::held`] numbers.
    /// Bins that are not wanted may be left alone.
    ///
    /// # Errors
    /// `held` is as it was after an error.
    fn take_power(
        &mut self,
        spectra: &Spectra,
        window: &[f32],
        samples: &[u32],
        held: &mut [f64],
    ) -> Result<u32, EngineError>;

    /// Reports if powers of these can be started now: not as many are under way as can be, and if
    /// some are, the plan stands in memory, so that nothing has to make room for it.
    fn can_start(&self, spectra: &Spectra) -> bool;

    /// Starts to make the powers that [`Fft::take_power`] takes, behind those that were started
    /// before. Samples that are copied are not needed any more when it returns.
    ///
    /// # Errors
    /// [`EngineError::Busy`] when they cannot be started now. After any other error what was
    /// started before may be lost, too: [`Fft::finish_power`] says so.
    fn start_power(
        &mut self,
        spectra: &Spectra,
        window: &[f32],
        samples: Samples,
    ) -> Result<(), EngineError>;

    /// Reports if the powers that were started first are there, or are lost: if
    /// [`Fft::finish_power`] does not wait. The QPUs go on with what was started only when they are
    /// asked, so it is asked in the middle of long work of the ARM, too.
    fn has_power(&mut self) -> bool;

    /// Lets `held` take the powers that were started first, as [`Fft::take_power`] does.
    ///
    /// # Errors
    /// `held` is as it was after an error, and all others that were started are lost.
    fn finish_power(&mut self, held: &mut [f64]) -> Result<u32, EngineError>;

    /// Waits for all powers that were started, and gives them up.
    fn abandon(&mut self);

    /// Gives up what was started, and all plans, so that those which come have room together.
    fn make_room(&mut self);

    /// Reports if the plan stands in memory as it did when it was last proven ([`Fft::believe`]).
    fn is_believed(&self, candidate: &Candidate) -> bool;

    /// Notes that the plan has been proven: it is believed until it is made anew.
    fn believe(&mut self, candidate: &Candidate);
}

/// QPUs that run programs other than the instrument's own: jobs of a host, self-tests,
/// microbenchmarks. The plans of [`Fft`] are unprepared after each of them.
pub trait QpuHost {
    /// The order in which QPUs get programs.
    fn launch_order(&self) -> LaunchOrder;

    /// Takes a block of memory for jobs of a host, and gives back all other memory. The block is
    /// given back when memory is wanted for anything else.
    ///
    /// # Errors
    /// [`EngineError::NoMemory`].
    fn host_block(&mut self, bytes: u32) -> Result<JobBlock, EngineError>;

    /// Does a job of a host in its block; returns the time that programs took in microseconds.
    ///
    /// # Errors
    /// [`EngineError::OutsideBlock`], and those of programs.
    fn host_job(&mut self, job: HostJob) -> Result<u32, EngineError>;

    /// Runs one round of the self-test ([`qpu_selftest`]) on the QPUs of `on`.
    ///
    /// # Errors
    /// Those of programs.
    fn self_test(&mut self, on: QpuSet) -> Result<Verdict, EngineError>;

    /// Runs one of the image's microbenchmarks.
    ///
    /// # Errors
    /// Those of programs.
    fn measure(&mut self, bench: &Microbench) -> Result<Words, EngineError>;
}

//! What a plan is asked for, and why it is refused.

use super::Direction;
use super::bins::power::Powers;
use super::bins::product::ProductPass;
use super::bins::real::spectrum_bytes;
use super::convolution::{Kernels, Points};
use super::geometry::POINT_BYTES;
use super::plane;
use super::program::Task;
use super::samples::{Factors, Format, Reading};
use super::split::{Axis, MAX_LOG2_POINTS, MIN_LOG2_POINTS, Split};
use super::steps::Steps;
use crate::job::QPUS;

/// Bytes that lookups read at once.
const WORD: u64 = 4;

/// The factor that the last pass multiplies with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Scale {
    /// 1: forward and then inverse gives N times the input.
    #[default]
    None,
    /// 1/N.
    ByPoints,
    /// 1/√N, the same in both directions: a unitary transform.
    ByRootOfPoints,
}

impl Scale {
    /// The factor for 2^`log2_points` points.
    #[must_use]
    pub fn factor(self, log2_points: u32) -> f64 {
        match self {
            Self::None => 1.0,
            Self::ByPoints => libm::ldexp(1.0, -(log2_points as i32)),
            Self::ByRootOfPoints => libm::sqrt(Self::ByPoints.factor(log2_points)),
        }
    }
}

/// What is transformed into what.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Transform {
    /// Complex points to complex bins, in one dimension.
    Complex {
        /// Points, as a power of two.
        log2_points: u32,
    },
    /// Complex points of a plane, row after row, to the complex bins of the transform in two dimensions:
    /// rows of bins in the order of vertical frequencies, along which horizontal ones are in order.
    Plane {
        /// Rows, as a power of two: 4 or more.
        log2_rows: u32,
        /// Columns, as a power of two: 4 or more.
        log2_columns: u32,
    },
    /// Real points to bins 0 to N/2, forward only.
    ///
    /// The points of a batch follow each other; spectra begin [`spectrum_bytes`](super::bins::real::spectrum_bytes)
    /// apart, 64 bytes more than N points take: interleaved complex bins, imaginary parts of the
    /// first and of the last 0, and 56 bytes that are left alone.
    RealToBins {
        /// Points, as a power of two.
        log2_points: u32,
    },
    /// Signals and kernels to their circular convolutions, forward only: [`super::convolution`]. The batch is
    /// that of the signals.
    Convolution {
        /// Points of a signal, of a kernel and of a result, as a power of two.
        log2_points: u32,
        /// What they are.
        points: Points,
        /// How many kernels there are.
        kernels: Kernels,
    },
    /// The inverse of [`Transform::RealToBins`], from what that has written. Imaginary parts of bins 0 and N/2
    /// must be 0.
    BinsToReal {
        /// Points, as a power of two.
        log2_points: u32,
    },
    /// Samples to powers, forward only: of each K segments that follow each other one row of
    /// powers ([`super::bins::power`]).
    ///
    /// Rows of a batch follow each other, [`Powers::output_bytes`] apart.
    Powers(Powers),
}

impl Transform {
    /// Points of one transform, N, as a power of two.
    #[must_use]
    pub const fn log2_points(&self) -> u32 {
        match self {
            Self::Complex { log2_points }
            | Self::Convolution { log2_points, .. }
            | Self::RealToBins { log2_points }
            | Self::BinsToReal { log2_points } => *log2_points,
            Self::Powers(powers) => powers.log2_points,
            Self::Plane {
                log2_rows,
                log2_columns,
            } => log2_rows.saturating_add(*log2_columns),
        }
    }

    /// The longest complex transform of one dimension that it is made of, as a power of two: of real points
    /// half as many, of a plane a row.
    #[must_use]
    pub const fn log2_row(&self) -> u32 {
        match self {
            Self::Complex { log2_points } => *log2_points,
            Self::RealToBins { log2_points }
            | Self::BinsToReal { log2_points }
            | Self::Convolution {
                log2_points,
                points: Points::Real,
                ..
            } => log2_points.saturating_sub(1),
            Self::Convolution { log2_points, .. } => *log2_points,
            Self::Plane { log2_columns, .. } => *log2_columns,
            Self::Powers(powers) => powers.log2_complex(),
        }
    }

    /// The lengths that plans exist for, as powers of two; of planes those of rows and columns.
    #[must_use]
    pub const fn lengths(&self) -> [u32; 2] {
        match self {
            Self::Complex { .. } | Self::Plane { .. } => [MIN_LOG2_POINTS, MAX_LOG2_POINTS],
            // Both halves of a spectrum are rows of sixteen bins.
            Self::Powers(powers) if !powers.is_real => [MIN_LOG2_POINTS + 1, MAX_LOG2_POINTS],
            Self::RealToBins { .. }
            | Self::BinsToReal { .. }
            | Self::Powers(_)
            | Self::Convolution {
                points: Points::Real,
                ..
            } => [MIN_LOG2_POINTS + 1, MAX_LOG2_POINTS + 1],
            Self::Convolution { .. } => [MIN_LOG2_POINTS, MAX_LOG2_POINTS],
        }
    }

    /// That no plan has this length.
    #[must_use]
    pub const fn length_error<E>(&self) -> Error<E> {
        let [least, most] = self.lengths();
        Error::Length {
            log2_points: self.log2_points(),
            least,
            most,
        }
    }

    /// The direction that it has; `None` where a plan does both.
    #[must_use]
    pub const fn direction(&self) -> Option<Direction> {
        match self {
            Self::Complex { .. } | Self::Plane { .. } => None,
            Self::RealToBins { .. } | Self::Powers(_) | Self::Convolution { .. } => {
                Some(Direction::Forward)
            }
            Self::BinsToReal { .. } => Some(Direction::Inverse),
        }
    }

    /// Segments of input that become one output: K of powers, else 1.
    #[must_use]
    pub const fn segments(&self) -> u32 {
        match self {
            Self::Powers(powers) => powers.segments,
            _ => 1,
        }
    }

    /// Components of a sample: 2 of complex points, I and Q; 1 of real ones. 0 where the input is something
    /// that comes in f32 only.
    #[must_use]
    pub const fn sample_components(&self) -> u32 {
        match self {
            Self::Complex { .. } => 2,
            Self::RealToBins { .. } => 1,
            Self::Powers(powers) => 2 - powers.is_real as u32,
            Self::BinsToReal { .. } | Self::Plane { .. } | Self::Convolution { .. } => 0,
        }
    }

    /// Bytes of the input of one transform, in f32.
    #[must_use]
    pub const fn input_bytes(&self) -> u64 {
        match self {
            Self::Complex { .. } | Self::Plane { .. } => complex_bytes(self.log2_points()),
            // Of a convolution, those of the signal.
            Self::RealToBins { .. } | Self::Powers(_) | Self::Convolution { .. } => {
                complex_bytes(self.log2_row())
            }
            Self::BinsToReal { .. } => real_bytes(self.log2_row()),
        }
    }

    /// Bytes of the output of one transform.
    #[must_use]
    pub const fn output_bytes(&self) -> u64 {
        match self {
            Self::Complex { .. } | Self::Plane { .. } => complex_bytes(self.log2_points()),
            Self::BinsToReal { .. } | Self::Convolution { .. } => complex_bytes(self.log2_row()),
            Self::RealToBins { .. } => real_bytes(self.log2_row()),
            Self::Powers(powers) if powers.log2_complex() > MAX_LOG2_POINTS => u64::MAX,
            Self::Powers(powers) => powers.output_bytes() as u64,
        }
    }
}

/// Bytes of 2^`log2_points` complex points; what no memory holds must not overflow.
const fn complex_bytes(log2_points: u32) -> u64 {
    if log2_points > 2 * MAX_LOG2_POINTS {
        return u64::MAX;
    }
    (POINT_BYTES as u64) << log2_points
}

/// Bytes of a real spectrum of twice 2^`log2_half` points.
const fn real_bytes(log2_half: u32) -> u64 {
    if log2_half > MAX_LOG2_POINTS {
        return u64::MAX;
    }
    spectrum_bytes(log2_half)
}

/// What a plan is made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    /// What is transformed.
    pub transform: Transform,
    /// Transforms that one run does; they lie one after the other.
    pub batch: u32,
    /// Factor of forward transforms.
    pub forward: Scale,
    /// Factor of inverse transforms.
    pub inverse: Scale,
    /// QPUs to use at the most, 2 to 12; the runner must let programs start on as many.
    pub qpus: u8,
    /// How to split the length, where it is not to be taken from the table
    /// ([`super::table::split`]); of a plane, that of its rows.
    pub split: Option<Split>,
    /// How to split the columns of a plane, where not into the fewest passes ([`super::plane::split`]).
    pub columns: Option<Split>,
    /// Whether all passes run in one launch, programs waiting for each other between them, and not
    /// each in a launch of its own; as far as they may ([`super::steps`]).
    pub one_launch: bool,
    /// What the numbers of the input are.
    pub samples: Format,
    /// Samples from the start of one transform's input to the start of the next one's; `None` where they
    /// lie one after the other. Less than a transform makes transforms overlap.
    pub hop: Option<u32>,
    /// Whether samples are multiplied by a window ([`super::Plan::set_window`]).
    pub windowed: bool,
}

impl Request {
    /// `batch` complex transforms of 2^`log2_points` points, unscaled, on all QPUs.
    #[must_use]
    pub const fn new(log2_points: u32, batch: u32) -> Self {
        Self::of(Transform::Complex { log2_points }, batch)
    }

    /// `batch` transforms, unscaled, on all QPUs.
    #[must_use]
    pub const fn of(transform: Transform, batch: u32) -> Self {
        Self {
            transform,
            batch,
            forward: Scale::None,
            inverse: Scale::None,
            qpus: QPUS,
            split: None,
            columns: None,
            one_launch: false,
            samples: Format::F32,
            hop: None,
            windowed: false,
        }
    }

    /// The factor of a direction.
    #[must_use]
    pub fn factor(&self, direction: Direction) -> f64 {
        let scale = match direction {
            Direction::Forward => self.forward,
            Direction::Inverse => self.inverse,
        };
        scale.factor(self.transform.log2_points())
    }

    /// What is wrong with it, whatever the programs and the memory.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Plane`], [`Error::EmptyBatch`] or [`Error::Qpus`].
    pub fn check<E>(&self) -> Result<(), Error<E>> {
        let [least, most] = self.transform.lengths();
        let is_length = |log2| (least..=most).contains(&log2);
        match self.transform {
            Transform::Plane {
                log2_rows,
                log2_columns,
            } if !(is_length(log2_rows) && is_length(log2_columns)) => {
                return Err(Error::Plane {
                    log2_rows,
                    log2_columns,
                });
            }
            Transform::Plane { .. } => {}
            transform if !is_length(transform.log2_points()) => {
                return Err(transform.length_error());
            }
            _ => {}
        }
        if self.batch == 0 || self.transform.segments() == 0 {
            return Err(Error::EmptyBatch);
        }
        if let Transform::Powers(powers) = self.transform
            && !powers.has_bins()
        {
            let [least, most] = powers.all_bins();
            return Err(Error::Bins { least, most });
        }
        if !(2..=QPUS).contains(&self.qpus) {
            return Err(Error::Qpus(self.qpus));
        }
        if self.transform.sample_components() == 0 && !self.reads_points() {
            return Err(Error::Samples(self.samples));
        }
        if self.hop == Some(0) || !self.hop_bytes().is_multiple_of(WORD) {
            let samples = self.transform.sample_components() * self.samples.bytes();
            return Err(Error::Hop {
                hop: self.hop.unwrap_or_default(),
                multiple: (WORD as u32 / samples).max(1),
            });
        }
        Ok(())
    }

    /// Whether the input is complex points in f32, or whatever a transform reads, one transform after the other.
    #[must_use]
    pub const fn reads_points(&self) -> bool {
        matches!(self.samples, Format::F32) && self.hop.is_none() && !self.windowed
    }

    /// Bytes from the start of one transform's input to the start of the next one's.
    #[must_use]
    pub const fn hop_bytes(&self) -> u64 {
        let sample = self.transform.sample_components() * self.samples.bytes();
        match self.hop {
            Some(hop) => hop as u64 * sample as u64,
            None => self.transform_bytes(),
        }
    }

    /// Bytes of the input of one transform.
    const fn transform_bytes(&self) -> u64 {
        self.transform.input_bytes() / 4 * self.samples.bytes() as u64
    }

    /// How its first pass reads the input.
    #[must_use]
    pub const fn reading(&self) -> Reading {
        Reading {
            format: self.samples,
            factors: match (self.windowed, self.transform.sample_components()) {
                (false, _) => Factors::Common,
                (true, 1) => Factors::OfComponents,
                (true, _) => Factors::OfPoints,
            },
            hop: self.hop_bytes() as u32,
        }
    }

    /// Its passes, where transforms of one dimension are split by `split`.
    ///
    /// # Errors
    /// [`Error::Split`] when that is the split of another length.
    pub fn steps<E>(&self, split: &Split) -> Result<Steps, Error<E>> {
        let steps = match self.transform {
            transform
                if split.axis() != Axis::Row || split.log2_points() != transform.log2_row() =>
            {
                return Err(Error::Split(*split));
            }
            Transform::Complex { .. } => Steps::complex(split, self.batch),
            Transform::RealToBins { .. } => Steps::real_to_bins(split, self.batch),
            Transform::BinsToReal { .. } => Steps::bins_to_real(split, self.batch),
            Transform::Powers(powers) => Steps::powers(split, self.batch, powers),
            Transform::Convolution {
                log2_points,
                points,
                kernels,
            } => {
                let product = ProductPass {
                    log2_points,
                    is_real: points == Points::Real,
                    signals: self.batch,
                    is_shared: kernels == Kernels::One,
                };
                let count = kernels.count(self.batch);
                Steps::convolution(split, product, self.batch, count)
            }
            Transform::Plane {
                log2_rows,
                log2_columns,
            } => {
                let columns = self.columns.or_else(|| plane::split(log2_rows));
                let columns = columns.ok_or_else(|| self.transform.length_error())?;
                for (split, axis, log2) in [
                    (*split, Axis::Row, log2_columns),
                    (columns, Axis::Column, log2_rows),
                ] {
                    if split.axis() != axis || split.log2_points() != log2 {
                        return Err(Error::Split(split));
                    }
                }
                Steps::plane(split, &columns, self.batch)
            }
        };
        Ok(if self.reads_points() {
            steps
        } else {
            steps.reading(self.reading())
        })
    }

    /// Transforms of one dimension that are done together: of planes, rows; of convolutions, signals and kernels.
    #[must_use]
    pub const fn rows(&self) -> u32 {
        match self.transform {
            Transform::Plane { log2_rows, .. } => match 1u32.checked_shl(log2_rows) {
                Some(rows) => self.batch.saturating_mul(rows),
                None => u32::MAX,
            },
            Transform::Convolution { kernels, .. } => {
                self.batch.saturating_add(kernels.count(self.batch))
            }
            _ => self.batch.saturating_mul(self.transform.segments()),
        }
    }

    /// Bytes of the input: of all transforms, and of the kernels of convolutions.
    #[must_use]
    pub const fn input_bytes(&self) -> u64 {
        let kernels = match self.transform {
            Transform::Convolution { kernels, .. } => kernels.count(self.batch) as u64,
            _ => 0,
        };
        let segments = self.batch as u64 * self.transform.segments() as u64 + kernels;
        let hops = segments.saturating_sub(1).saturating_mul(self.hop_bytes());
        hops.saturating_add(self.transform_bytes())
    }

    /// Bytes of the output: of all transforms.
    #[must_use]
    pub const fn output_bytes(&self) -> u64 {
        (self.batch as u64).saturating_mul(self.transform.output_bytes())
    }
}

/// Which of the caller's buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which {
    /// What is read.
    Input,
    /// What is written.
    Output,
}

/// Why a plan could not be made or run. `E` is the runner's own reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Error<E> {
    /// No plan of the kind has this many points.
    Length {
        /// Points, as a power of two.
        log2_points: u32,
        /// The shortest that there is.
        least: u32,
        /// The longest.
        most: u32,
    },
    /// The kind of transform has this direction only.
    Direction(Direction),
    /// No plane has this many rows and columns, given as powers of two.
    Plane {
        /// Rows.
        log2_rows: u32,
        /// Columns.
        log2_columns: u32,
    },
    /// No bins were asked for, or such as there are not.
    Bins {
        /// The first that there is.
        least: i32,
        /// The one behind the last.
        most: i32,
    },
    /// The greater in one place and the lesser in another.
    Combination,
    /// There are no powers to combine with.
    NoPowers,
    /// A batch of no transforms.
    EmptyBatch,
    /// 2 to 12 QPUs can be used, not this many.
    Qpus(u8),
    /// The split asked for needs more QPUs, which share a transform.
    TooFewQpus {
        /// How many.
        needed: u32,
        /// How many may be used.
        qpus: u8,
    },
    /// The split asked for is one of another length, or of columns where it should be of rows.
    Split(Split),
    /// The catalogue lacks a program.
    Program(Task),
    /// More memory than V3D can address, in bytes.
    TooLarge(u64),
    /// The runner has not this much memory left, in bytes, beside the caller's buffers.
    Memory {
        /// Bytes that the plan needs.
        bytes: u32,
        /// What the runner said.
        error: E,
    },
    /// Transforms of this kind read f32 only, one after the other and without a window.
    Samples(Format),
    /// Transforms would begin inside a word.
    Hop {
        /// What was asked for, in samples.
        hop: u32,
        /// What it must be a multiple of.
        multiple: u32,
    },
    /// A window for a plan whose request is not `windowed`.
    NoWindow,
    /// The inverse, by a plan with a window.
    WindowedInverse,
    /// A buffer does not hold all transforms of the batch.
    Short {
        /// Which buffer.
        which: Which,
        /// Bytes that it must have.
        needed: u32,
        /// Bytes that it has.
        bytes: u32,
    },
    /// A buffer does not begin at a multiple of 64 bytes.
    Unaligned(Which),
    /// Input and output overlap without being the same.
    Overlap,
    /// Input and output are the same, and the points of the one do not lie where those of the other do.
    InPlace,
    /// The runner could not write memory, or a job did not end well.
    Runner(E),
}

impl<E> From<E> for Error<E> {
    fn from(error: E) -> Self {
        Self::Runner(error)
    }
}

impl<E: core::fmt::Debug> core::fmt::Display for Error<E> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let name = |which: &Which| match which {
            Which::Input => "input",
            Which::Output => "output",
        };
        match self {
            Self::Length {
                log2_points,
                least,
                most,
            } => write!(
                f,
                "the QPUs transform 2^{least} to 2^{most} points, not 2^{log2_points}"
            ),
            Self::Direction(direction) => write!(
                f,
                "the plan is for {direction:?} transforms: make another for the other direction"
            ),
            Self::Plane {
                log2_rows,
                log2_columns,
            } => write!(
                f,
                "the QPUs transform planes of 2^{MIN_LOG2_POINTS} to 2^{MAX_LOG2_POINTS} rows and as many \
                 columns, not of 2^{log2_rows} by 2^{log2_columns}"
            ),
            Self::Bins { least, most } => write!(
                f,
                "a spectrum has bins {least} to {}: ask for some of these",
                most - 1
            ),
            Self::Combination => write!(
                f,
                "the greatest of several spectra and the least of several calls (or the other way round) \
                 cannot be had together: keep one of them in a plan of its own"
            ),
            Self::NoPowers => write!(
                f,
                "the plan makes no powers: make it from a request of `Transform::Powers`"
            ),
            Self::EmptyBatch => write!(f, "a batch must have at least one transform"),
            Self::Qpus(qpus) => write!(f, "a plan uses 2 to {QPUS} QPUs, not {qpus}"),
            Self::TooFewQpus { needed, qpus } => write!(
                f,
                "the split needs {needed} QPUs that share a transform, and may use {qpus}: take more \
                 QPUs or another split"
            ),
            Self::Split(split) => write!(
                f,
                "{split} is the split of another length, or of columns where rows are split (or the other way round)"
            ),
            Self::Program(task) => write!(f, "the catalogue has no QPU program for {task}"),
            Self::TooLarge(bytes) => write!(
                f,
                "the plan needs {bytes} bytes, more than V3D can address: make the batch smaller"
            ),
            Self::Memory { bytes, error } => write!(
                f,
                "the plan needs {bytes} bytes beside input and output, and they are not there \
                 ({error:?}): release other plans or make the batch smaller"
            ),
            Self::Samples(format) => write!(
                f,
                "this kind of transform reads f32, one transform after the other and without a window: \
                 samples of {format}, hops and windows are for complex and real ones"
            ),
            Self::Hop { hop, multiple } => write!(
                f,
                "a hop of {hop} samples: transforms must begin at words, so make it a multiple of {multiple}"
            ),
            Self::NoWindow => write!(
                f,
                "the plan multiplies by no window: make it from a request that is `windowed`"
            ),
            Self::WindowedInverse => write!(
                f,
                "a plan with a window transforms forward only: make another for the inverse"
            ),
            Self::Short {
                which,
                needed,
                bytes,
            } => write!(
                f,
                "the {} needs {needed} bytes and has {bytes}",
                name(which)
            ),
            Self::Unaligned(which) => write!(
                f,
                "the {} must begin at a multiple of 64 bytes",
                name(which)
            ),
            Self::Overlap => write!(
                f,
                "input and output overlap: they must be the same buffer or lie apart"
            ),
            Self::InPlace => write!(
                f,
                "in place, input and output must have the same layout: give smaller samples and other \
                 hops an output of their own"
            ),
            Self::Runner(error) => write!(f, "the QPU runner failed: {error:?}"),
        }
    }
}

impl<E: core::fmt::Debug> core::error::Error for Error<E> {}

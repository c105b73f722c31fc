//! Requests for plans, and the reasons why they are refused.

mod error;
mod kind;
mod transform;

pub use error::{Error, Which};
pub use kind::{NoTransform, TransformKind};
pub use transform::{Kernels, Points, Transform};

use super::plane;
use super::steps::{Area, Steps};
use super::streams::Streams;
use super::tuning::Chip;
use crate::Direction;
use crate::kernels::samples::{Channels, Factors, Format, Reading};
use crate::kernels::spectral::product::ProductPass;
use crate::split::{Axis, Split};
use qpu::machine::{LANE_BYTES, QPUS};
use signal::Domain;

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

/// The request that a plan is made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    /// The transform.
    pub transform: Transform,
    /// Transforms that one run does; they lie one after the other.
    pub batch: u32,
    /// Factor of forward transforms; of convolutions, one more beside their 1/N. Powers have
    /// [`Powers::scale`](crate::kernels::spectral::power::Powers::scale) instead.
    pub forward: Scale,
    /// Factor of inverse transforms.
    pub inverse: Scale,
    /// The chip whose table of splits is taken ([`crate::planner::tuning`]).
    pub chip: Chip,
    /// QPUs to use at the most, 2 to 12; the runner must let programs start on as many.
    pub qpus: u8,
    /// The split of the length, where it is not to be taken from the table
    /// ([`crate::planner::tuning::split`]); for a plane, that of its rows.
    pub split: Option<Split>,
    /// The split of the columns of a plane, where not into the fewest passes
    /// ([`crate::planner::plane::split`]).
    pub columns: Option<Split>,
    /// True: all passes run in one launch, programs waiting for each other between them, and not
    /// each in a launch of its own; as far as they may ([`crate::planner::steps`]).
    pub one_launch: bool,
    /// The data that passes read past the system L2, where that is not to be taken from the table.
    pub streams: Option<Streams>,
    /// The format of the numbers of the input.
    pub samples: Format,
    /// The numbers of the input that are taken. Others than all are of i32 only.
    pub channels: Channels,
    /// Samples from the start of one transform's input to the start of the next one's; `None` where
    /// they lie one after the other. Less than a transform makes transforms overlap.
    pub hop: Option<u32>,
    /// True if samples are multiplied by a window ([`crate::Plan::set_window`]).
    pub windowed: bool,
    /// True if the plan does only what programs of others do on boards: passes through memory, each
    /// in a launch of its own behind a clear of all caches; programs that share nothing but a lock;
    /// reads by one bus alias; no QPU left out. The split is that of
    /// [`crate::planner::tuning::conservative`]. It is the plan for a board that has not run a
    /// faster plan correctly.
    pub conservative: bool,
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
            chip: Chip::Bcm2835,
            qpus: QPUS,
            split: None,
            columns: None,
            one_launch: false,
            streams: None,
            samples: Format::F32,
            channels: Channels::All,
            hop: None,
            windowed: false,
            conservative: false,
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

    /// Checks the request, whatever the programs and the memory.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Plane`], [`Error::EmptyBatch`], [`Error::Bins`],
    /// [`Error::Window`], [`Error::Qpus`], [`Error::Samples`], [`Error::Channels`] or
    /// [`Error::Hop`].
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
        if let Transform::Powers(powers) = self.transform {
            if !powers.has_bins() {
                let [least, most] = powers.all_bins();
                return Err(Error::Bins { least, most });
            }
            if !powers.has_detectors() {
                return Err(Error::Combination);
            }
            if !powers.has_finite_factors() {
                return Err(Error::Window);
            }
        }
        if !(2..=QPUS).contains(&self.qpus) {
            return Err(Error::Qpus(self.qpus));
        }
        if self.transform.sample_components() == 0 && !self.reads_points() {
            return Err(Error::Samples(self.samples));
        }
        let domain = match self.transform.sample_components() {
            1 => Domain::Real,
            _ => Domain::Complex,
        };
        // Channels are taken from frames of two i32.
        let has_channels = self.samples == Format::I32 && self.channels.suits(domain);
        if self.channels != Channels::All && !has_channels {
            return Err(Error::Channels);
        }
        if self.hop == Some(0) || !self.hop_bytes().is_multiple_of(LANE_BYTES.into()) {
            let samples = self.transform.sample_components() * self.samples.bytes();
            return Err(Error::Hop {
                hop: self.hop.unwrap_or_default(),
                multiple: (LANE_BYTES / samples).max(1),
            });
        }
        Ok(())
    }

    /// True if the input is complex points in f32, or whatever a transform reads, one transform
    /// after the other.
    #[must_use]
    pub const fn reads_points(&self) -> bool {
        matches!(self.samples, Format::F32) && self.hop.is_none() && !self.windowed
    }

    /// True if input and output may be the same memory: the points of both lie in the same places.
    #[must_use]
    pub const fn may_be_in_place(&self) -> bool {
        matches!(self.samples, Format::F32) && self.hop.is_none()
    }

    /// Bytes from the start of one transform's input to the start of the next one's.
    #[must_use]
    pub const fn hop_bytes(&self) -> u64 {
        let sample = self.transform.sample_components() * self.number_bytes();
        match self.hop {
            Some(hop) => hop as u64 * sample as u64,
            None => self.transform_bytes(),
        }
    }

    /// Bytes from a number that is taken to the next.
    const fn number_bytes(&self) -> u32 {
        self.channels.step() * self.samples.bytes()
    }

    /// Bytes of the input of one transform.
    const fn transform_bytes(&self) -> u64 {
        self.transform.input_bytes() / 4 * self.number_bytes() as u64
    }

    /// The way in which its first pass reads the input.
    #[must_use]
    pub const fn reading(&self) -> Reading {
        Reading {
            format: self.samples,
            channels: self.channels,
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
        let mut steps = Steps::default();
        match self.transform {
            transform
                if split.axis() != Axis::Row || split.log2_points() != transform.log2_row() =>
            {
                return Err(Error::Split(*split));
            }
            Transform::Complex { .. } => {
                steps.append_complex(split, self.batch, Area::Input, Area::Output, [0, 1]);
            }
            Transform::RealToBins { .. } => {
                steps.append_real_to_bins(split, self.batch, Area::Output);
            }
            Transform::BinsToReal { .. } => {
                steps.append_bins_to_real(split, self.batch, Area::Input);
            }
            Transform::Powers(powers) => steps.append_powers(split, self.batch, powers),
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
                steps.append_convolution(split, product, kernels.count(self.batch));
            }
            Transform::Plane { log2_rows, .. } => {
                let columns = self.columns.or_else(|| plane::split(log2_rows));
                let columns = columns.ok_or_else(|| self.transform.length_error())?;
                if columns.axis() != Axis::Column || columns.log2_points() != log2_rows {
                    return Err(Error::Split(columns));
                }
                steps.append_plane(split, &columns, self.batch);
            }
        }
        Ok(if self.reads_points() {
            steps
        } else {
            steps.reading(self.reading())
        })
    }

    /// Transforms of one dimension that are done together: of planes, rows; of convolutions,
    /// signals and kernels.
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

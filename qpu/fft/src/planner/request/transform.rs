//! The kinds of transforms: lengths, and bytes of what they read and write.

use super::Error;
use crate::Direction;
use crate::kernels::sizes::POINT_BYTES;
use crate::kernels::spectral::power::Powers;
use crate::kernels::spectral::real_split::spectrum_bytes;
use crate::split::{MAX_LOG2_POINTS, MIN_LOG2_POINTS};

/// The kernels of convolutions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kernels {
    /// All signals the same.
    One,
    /// Each its own.
    Each,
}

impl Kernels {
    /// The number of kernels for `signals` signals.
    #[must_use]
    pub const fn count(self, signals: u32) -> u32 {
        match self {
            Self::One => 1,
            Self::Each => signals,
        }
    }
}

/// Points of convolutions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Points {
    /// Real numbers.
    Real,
    /// Complex numbers: real part, imaginary part.
    Complex,
}

/// The kind of input and output of a transform.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Transform {
    /// Complex points to complex bins, in one dimension.
    Complex {
        /// Points, as a power of two.
        log2_points: u32,
    },
    /// Complex points of a plane, row after row, to the complex bins of the transform in two
    /// dimensions: rows of bins in the order of vertical frequencies, along which horizontal ones
    /// are in order.
    Plane {
        /// Rows, as a power of two: 4 or more.
        log2_rows: u32,
        /// Columns, as a power of two: 4 or more.
        log2_columns: u32,
    },
    /// Real points to bins 0 to N/2, forward only.
    ///
    /// The points of a batch follow each other; spectra begin
    /// [`spectrum_bytes`](crate::kernels::spectral::real_split::spectrum_bytes) apart, 64
    /// bytes more than N points take: interleaved complex bins, imaginary parts of the first and of
    /// the last 0, and 56 bytes that are left alone or become 0.
    RealToBins {
        /// Points, as a power of two.
        log2_points: u32,
    },
    /// Signals and kernels to their circular convolutions, forward only:
    /// [`crate::convolution`]. The batch is that of the signals.
    Convolution {
        /// Points of a signal, of a kernel and of a result, as a power of two.
        log2_points: u32,
        /// The kind of these points.
        points: Points,
        /// The number of kernels.
        kernels: Kernels,
    },
    /// The inverse of [`Transform::RealToBins`], from what that has written. Imaginary parts of
    /// bins 0 and N/2 must be 0.
    BinsToReal {
        /// Points, as a power of two.
        log2_points: u32,
    },
    /// Samples to powers, forward only: of each K segments that follow each other one row of
    /// powers ([`crate::kernels::spectral::power`]).
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

    /// True if points, of input or output, are real.
    #[must_use]
    pub const fn is_real(&self) -> bool {
        match self {
            Self::Complex { .. } | Self::Plane { .. } => false,
            Self::RealToBins { .. } | Self::BinsToReal { .. } => true,
            Self::Powers(powers) => powers.is_real,
            Self::Convolution { points, .. } => matches!(points, Points::Real),
        }
    }

    /// The complex points that it is done with, as a power of two: of real points half as many.
    #[must_use]
    pub const fn log2_complex(&self) -> u32 {
        self.log2_points().saturating_sub(self.is_real() as u32)
    }

    /// The longest complex transform of one dimension that it is made of, as a power of two: of a
    /// plane a row.
    #[must_use]
    pub const fn log2_row(&self) -> u32 {
        match self {
            Self::Plane { log2_columns, .. } => *log2_columns,
            _ => self.log2_complex(),
        }
    }

    /// The lengths that plans exist for, as powers of two; of planes those of rows and columns.
    #[must_use]
    pub const fn lengths(&self) -> [u32; 2] {
        match (self, self.is_real()) {
            (_, true) => [MIN_LOG2_POINTS + 1, MAX_LOG2_POINTS + 1],
            // Both halves of a spectrum are rows of sixteen bins.
            (Self::Powers(_), false) => [MIN_LOG2_POINTS + 1, MAX_LOG2_POINTS],
            (_, false) => [MIN_LOG2_POINTS, MAX_LOG2_POINTS],
        }
    }

    /// True if its first passes are those of complex transforms of its rows, as the table of splits
    /// has them.
    #[must_use]
    pub(crate) const fn begins_with_its_split(&self) -> bool {
        matches!(
            self,
            Self::Complex { .. } | Self::RealToBins { .. } | Self::Powers(_)
        )
    }

    /// The error for a length that no plan has.
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

    /// Components of a sample: 2 of complex points, I and Q; 1 of real ones. 0 where the input is
    /// something that comes in f32 only.
    #[must_use]
    pub const fn sample_components(&self) -> u32 {
        match self {
            Self::BinsToReal { .. } | Self::Plane { .. } | Self::Convolution { .. } => 0,
            _ => 2 - self.is_real() as u32,
        }
    }

    /// Bytes of the input of one transform, in f32.
    #[must_use]
    pub const fn input_bytes(&self) -> u64 {
        match self {
            Self::BinsToReal { .. } => real_bytes(self.log2_complex()),
            // Of a convolution, those of the signal.
            _ => complex_bytes(self.log2_complex()),
        }
    }

    /// Bytes of the output of one transform.
    #[must_use]
    pub const fn output_bytes(&self) -> u64 {
        match self {
            Self::RealToBins { .. } => real_bytes(self.log2_complex()),
            Self::Powers(powers) if powers.log2_complex() > MAX_LOG2_POINTS => u64::MAX,
            Self::Powers(powers) => powers.output_bytes() as u64,
            _ => complex_bytes(self.log2_complex()),
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

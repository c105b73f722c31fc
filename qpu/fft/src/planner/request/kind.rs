//! Transforms by the number of their points, as users of a planner name them.

use core::fmt;

use super::Transform;
use crate::Direction;
use crate::kernels::spectral::power::Powers;

/// The kind of a transform, without its length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TransformKind {
    /// Complex points to complex bins.
    Complex,
    /// Real points to bins; inverse, bins to real points.
    Real,
    /// A plane of so many rows.
    Plane(u64),
    /// The mean power spectrum of so many segments.
    Powers {
        /// True for real samples.
        is_real: bool,
        /// Segments in the mean.
        segments: u32,
    },
}

/// What no transform is, with the numbers that there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoTransform {
    /// A number of points that is no power of two.
    Length {
        /// Points that were asked for.
        points: u64,
        /// The least and the greatest log2 of a length.
        log2_range: [u32; 2],
    },
    /// Powers in the inverse direction.
    InversePowers,
}

impl TransformKind {
    /// The transform of this kind of `points` points; of a plane, of so many columns.
    ///
    /// # Errors
    /// When a number of points is no power of two, or the kind has no such direction.
    pub fn of(self, points: u64, direction: Direction) -> Result<Transform, NoTransform> {
        if matches!(self, Self::Powers { .. }) && direction == Direction::Inverse {
            return Err(NoTransform::InversePowers);
        }
        let log2 = |count: u64| match count.is_power_of_two() {
            true => Ok(count.ilog2()),
            false => Err(NoTransform::Length {
                points: count,
                log2_range: self.of_length(0, direction).lengths(),
            }),
        };
        Ok(match self {
            Self::Plane(rows) => Transform::Plane {
                log2_rows: log2(rows)?,
                log2_columns: log2(points)?,
            },
            _ => self.of_length(log2(points)?, direction),
        })
    }

    /// The transform of this length; that of a row for a plane.
    fn of_length(self, log2_points: u32, direction: Direction) -> Transform {
        match (self, direction) {
            (Self::Powers { is_real, segments }, _) => {
                Transform::Powers(Powers::new(is_real, log2_points, segments))
            }
            (Self::Real, Direction::Forward) => Transform::RealToBins { log2_points },
            (Self::Real, Direction::Inverse) => Transform::BinsToReal { log2_points },
            (Self::Complex | Self::Plane(_), _) => Transform::Complex { log2_points },
        }
    }
}

impl fmt::Display for NoTransform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Length { points, log2_range } => {
                let [least, most] = log2_range;
                write!(
                    f,
                    "no plan has {points} points; lengths are the powers of two {}, {}, {} .. {}",
                    1u64 << least,
                    2u64 << least,
                    4u64 << least,
                    1u64 << most
                )
            }
            Self::InversePowers => {
                f.write_str("powers have no inverse; transform forward, or without powers")
            }
        }
    }
}

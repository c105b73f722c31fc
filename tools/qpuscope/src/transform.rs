//! A transform in the words of a user, for the planner.

use qpu::fft::Direction;
use qpu::fft::kernels::spectral::power::Powers;
use qpu::fft::request::Transform;

use crate::failure::{Failure, Result};

/// The kind of a transform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
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

impl Kind {
    /// The transform of this kind of `points` points, of a plane of so many columns.
    ///
    /// # Errors
    /// Usage, when a number of points is no power of two, or the kind has no such direction.
    pub fn of(self, points: u64, direction: Direction) -> Result<Transform> {
        let one = |log2_points: u32| match (self, direction) {
            (Self::Powers { is_real, segments }, _) => {
                Transform::Powers(Powers::new(is_real, log2_points, segments))
            }
            (Self::Real, Direction::Forward) => Transform::RealToBins { log2_points },
            (Self::Real, Direction::Inverse) => Transform::BinsToReal { log2_points },
            (Self::Complex | Self::Plane(_), _) => Transform::Complex { log2_points },
        };
        let log2 = |count: u64| {
            if count.is_power_of_two() {
                return Ok(count.ilog2());
            }
            let [least, most] = one(0).lengths();
            Err(Failure::usage(format!(
                "no plan has {count} points; lengths are the powers of two {}, {}, {} .. {}",
                1u64 << least,
                2u64 << least,
                4u64 << least,
                1u64 << most
            )))
        };
        if matches!(self, Self::Powers { .. }) && direction == Direction::Inverse {
            return Err(Failure::usage(
                "powers have no inverse; transform forward, or without powers",
            ));
        }
        Ok(match self {
            Self::Plane(rows) => Transform::Plane {
                log2_rows: log2(rows)?,
                log2_columns: log2(points)?,
            },
            _ => one(log2(points)?),
        })
    }
}

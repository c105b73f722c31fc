//! Which split each length takes: the fastest on the simulator.
//!
//! The rows are measured and written by `cargo xtask tune` ([`super::tuned`]), for a single transform
//! and for batches of ten.

use super::split::Split;
use super::tuned::TUNED;

/// Batches from here on take the row of batches of ten.
const MANY: u32 = 4;

/// A length, its split, and what that took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tuned {
    /// Points, as a power of two.
    pub log2_points: u8,
    /// Transforms of a batch.
    pub batch: u8,
    /// Radices of the split, as powers of two.
    pub log2_radices: &'static [u8],
    /// Most programs that run at the same time: more can be slower where memory is what they wait for.
    pub qpus: u8,
    /// Whether all passes run in one launch.
    pub one_launch: bool,
    /// V3D clocks of the batch, in the second run; 0 where nobody has measured.
    pub cycles: u32,
}

/// All rows.
#[must_use]
pub const fn tuned() -> &'static [Tuned] {
    TUNED
}

/// The row for a length and batch: of the nearest batch that was measured.
#[must_use]
pub fn row(log2_points: u32, batch: u32) -> Option<&'static Tuned> {
    let of_length = || {
        TUNED
            .iter()
            .filter(move |row| u32::from(row.log2_points) == log2_points)
    };
    let is_many = |row: &&Tuned| row.batch > 1;
    if batch >= MANY {
        of_length().find(is_many).or_else(|| of_length().next())
    } else {
        of_length().next()
    }
}

/// The split of 2^`log2_points` points, for a batch of `batch`; `None` for lengths that have none.
#[must_use]
pub fn split(log2_points: u32, batch: u32) -> Option<Split> {
    Split::new(row(log2_points, batch)?.log2_radices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fft::split::{MAX_LOG2_POINTS, MIN_LOG2_POINTS};

    #[test]
    fn every_length_has_a_split_of_that_length() {
        for log2_points in MIN_LOG2_POINTS..=MAX_LOG2_POINTS {
            for batch in [1, 2, 10, 1000] {
                let split = split(log2_points, batch).unwrap();
                assert_eq!(split.log2_points(), log2_points);
            }
        }
        assert_eq!(split(23, 1), None);
        assert_eq!(row(12, 5).unwrap().batch, 10);
        assert_eq!(row(20, 5).unwrap().batch, 1);
    }
}

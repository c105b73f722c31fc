//! The split of each length: of those with few passes over memory the fastest on the simulator.
//!
//! The rows are measured and written by `cargo xtask tune` ([`super::tuned`]), for a single
//! transform and for batches of ten, on either kind of chip ([`Chip`]).

use super::tuned::{Tuned, bcm2835, bcm2836, conservative};
use crate::split::Split;

/// Batches from here on take the row of batches of ten.
const MANY: u32 = 4;

/// The way in which V3D reaches memory: on that it depends which split is the fastest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Chip {
    /// The chip of a Pi 1 and Zero: through the L2 of the system, as the ARM does.
    #[default]
    Bcm2835,
    /// The chip of a Pi 2, and BCM2837 of a Pi 3 and Zero 2: past it, as the ARM does.
    Bcm2836,
}

impl Chip {
    /// The chip whose V3D reaches memory through the L2 of the system, or past it.
    #[must_use]
    pub const fn with_system_l2(has_system_l2: bool) -> Self {
        match has_system_l2 {
            true => Self::Bcm2835,
            false => Self::Bcm2836,
        }
    }

    /// All rows.
    #[must_use]
    pub const fn tuned(self) -> &'static [Tuned] {
        match self {
            Self::Bcm2835 => bcm2835::TUNED,
            Self::Bcm2836 => bcm2836::TUNED,
        }
    }
}

/// The row for a length and batch: of the nearest batch that was measured. Groups of producers take
/// less from two transforms on.
#[must_use]
pub fn row(chip: Chip, log2_points: u32, batch: u32) -> Option<&'static Tuned> {
    let rows = chip.tuned();
    let row = row_of(rows, log2_points, batch)?;
    let groups = || row_of(rows, log2_points, MANY).filter(|row| row.has_groups());
    (batch > 1).then(groups).flatten().or(Some(row))
}

/// The rows that a plan tries, one after the other: that of [`row`], those of other batches, which
/// may take fewer QPUs or other programs, and the one in passes.
pub fn rows(chip: Chip, log2_points: u32, batch: u32) -> impl Iterator<Item = &'static Tuned> {
    let first = row(chip, log2_points, batch);
    let others = chip
        .tuned()
        .iter()
        .filter(move |row| u32::from(row.log2_points) == log2_points && Some(*row) != first);
    let in_passes = row_in_passes(log2_points, batch);
    first.into_iter().chain(others).chain(in_passes)
}

fn row_of(rows: &'static [Tuned], log2_points: u32, batch: u32) -> Option<&'static Tuned> {
    let mut of_length = rows
        .iter()
        .filter(|row| u32::from(row.log2_points) == log2_points);
    let of_many = of_length.clone().find(|row| batch >= MANY && row.batch > 1);
    of_many.or_else(|| of_length.next())
}

/// The row of a conservative plan
/// ([`Request::conservative`](super::request::Request::conservative)): the same for both chips,
/// timed on that of a Pi 1; `None` for lengths that have none.
#[must_use]
pub fn conservative(log2_points: u32, batch: u32) -> Option<&'static Tuned> {
    row_of(conservative::TUNED, log2_points, batch)
}

/// A row that takes passes through memory, without shared tiles: the split of the conservative
/// plan. It serves where a faster row's programs cannot read the samples or need more QPUs; `None`
/// for lengths that have none.
#[must_use]
pub fn row_in_passes(log2_points: u32, batch: u32) -> Option<&'static Tuned> {
    conservative(log2_points, batch).filter(|row| !row.reads_points())
}

/// The split of 2^`log2_points` points, for a batch of `batch`; `None` for lengths that have none.
#[must_use]
pub fn split(chip: Chip, log2_points: u32, batch: u32) -> Option<Split> {
    Split::new(row(chip, log2_points, batch)?.log2_radices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::{MAX_LOG2_POINTS, MIN_LOG2_POINTS, SHARED};

    #[test]
    fn every_length_has_a_split_of_that_length() {
        for chip in [Chip::Bcm2835, Chip::Bcm2836] {
            for log2_points in MIN_LOG2_POINTS..=MAX_LOG2_POINTS {
                for batch in [1, 2, 10, 1000] {
                    let split = split(chip, log2_points, batch).unwrap();
                    assert_eq!(split.log2_points(), log2_points);
                }
            }
        }
        let row = |log2_points, batch| super::row(Chip::Bcm2835, log2_points, batch);
        assert_eq!(split(Chip::Bcm2835, 23, 1), None);
        assert_eq!(row(12, 5).unwrap().batch, 10);
        assert_eq!(row(12, 2).unwrap().log2_radices, [12]);
        assert_eq!(row(20, 5).unwrap().batch, 1);
        assert_eq!(row(10, 1).unwrap().log2_radices, [10]);
        assert_eq!(row(10, 2).unwrap().log2_radices, [SHARED | 10]);
        assert_eq!(rows(Chip::Bcm2835, 10, 2).nth(1), row(10, 1));
        assert_eq!(row_in_passes(7, 1), None);
        assert_eq!(row_in_passes(11, 5).unwrap().log2_radices, [5, 6]);
        assert_eq!(row_in_passes(17, 1), None);
    }
}

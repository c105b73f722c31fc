//! The split of each length: of those with few passes over memory, two up to 2^16 points, the
//! fastest on the simulator.
//!
//! The rows are measured and written by `cargo xtask tune` ([`super::tuned`]), for a single
//! transform and for batches of ten, on either kind of chip ([`Chip`]).

use super::split::Split;
use super::streams::Streams;
use super::tuned::{Tuned, bcm2835, bcm2836, conservative};

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

/// The rows that a plan tries, one after the other: that of [`row`], instead of groups of producers
/// what takes fewer QPUs, and the one in passes.
pub fn rows(chip: Chip, log2_points: u32, batch: u32) -> impl Iterator<Item = &'static Tuned> {
    let first = row(chip, log2_points, batch);
    let alone = row_of(chip.tuned(), log2_points, 1);
    let alone = alone.filter(|_| first.is_some_and(Tuned::has_groups));
    let all = [first, alone, row_in_passes(log2_points, batch)];
    all.into_iter().flatten()
}

fn row_of(rows: &'static [Tuned], log2_points: u32, batch: u32) -> Option<&'static Tuned> {
    let of_length = || {
        rows.iter()
            .filter(move |row| u32::from(row.log2_points) == log2_points)
    };
    let is_many = |row: &&Tuned| row.batch > 1;
    if batch >= MANY {
        of_length().find(is_many).or_else(|| of_length().next())
    } else {
        of_length().next()
    }
}

/// The fastest that take several passes, of lengths that are faster in one, or without shared tiles
/// or short programs where those are faster: what plans take that these programs cannot read for,
/// and samples of many transforms ([`super::convert`]). Timed as those are, on a Pi 1.
const IN_PASSES: &[Tuned] = &[
    in_passes(4, 1, &[4], (12, false), 2108),
    in_passes(4, 10, &[4], (12, false), 2448),
    in_passes(5, 1, &[5], (12, false), 2676),
    in_passes(5, 10, &[5], (12, false), 3656),
    in_passes(6, 1, &[6], (12, false), 3952),
    in_passes(6, 10, &[6], (12, false), 5960),
    in_passes(7, 1, &[7], (12, false), 6212),
    in_passes(7, 10, &[7], (12, false), 11_876),
    in_passes(8, 1, &[8], (12, false), 3396),
    in_passes(8, 10, &[4, 4], (6, false), 18_044),
    in_passes(9, 1, &[4, 5], (6, false), 8_160),
    Tuned {
        streams: Streams::from_bits(0xff_03_03),
        ..in_passes(9, 10, &[4, 5], (6, false), 31_680)
    },
    in_passes(10, 1, &[5, 5], (12, true), 12280),
    in_passes(10, 10, &[5, 5], (6, true), 70588),
    in_passes(11, 1, &[6, 5], (6, false), 20076),
    in_passes(11, 10, &[5, 6], (6, true), 136_672),
    in_passes(12, 1, &[6, 6], (8, false), 32_608),
    in_passes(12, 10, &[5, 7], (12, false), 251_156),
    in_passes(13, 1, &[6, 7], (12, true), 79364),
    in_passes(13, 10, &[6, 7], (12, true), 602_592),
    in_passes(14, 1, &[4, 5, 5], (6, true), 156_440),
    in_passes(14, 10, &[4, 5, 5], (6, false), 1_459_624),
    in_passes(15, 1, &[5, 5, 5], (6, false), 294_444),
    in_passes(15, 10, &[5, 5, 5], (6, false), 2_773_620),
    in_passes(16, 1, &[5, 5, 6], (6, false), 517_896),
];

const fn in_passes(
    log2_points: u8,
    batch: u8,
    log2_radices: &'static [u8],
    (qpus, one_launch): (u8, bool),
    cycles: u32,
) -> Tuned {
    Tuned {
        log2_points,
        batch,
        log2_radices,
        qpus,
        one_launch,
        streams: Streams::unmeasured(batch as u32),
        cycles,
    }
}

/// The row of a conservative plan
/// ([`Request::conservative`](super::request::Request::conservative)): the same for both chips,
/// timed on that of a Pi 1; `None` for lengths that have none.
#[must_use]
pub fn conservative(log2_points: u32, batch: u32) -> Option<&'static Tuned> {
    row_of(conservative::TUNED, log2_points, batch)
}

/// The counterpart of [`row`] where one pass will not do; `None` for lengths that take several
/// passes anyway.
#[must_use]
pub fn row_in_passes(log2_points: u32, batch: u32) -> Option<&'static Tuned> {
    row_of(IN_PASSES, log2_points, batch)
}

/// The split of 2^`log2_points` points, for a batch of `batch`; `None` for lengths that have none.
#[must_use]
pub fn split(chip: Chip, log2_points: u32, batch: u32) -> Option<Split> {
    Split::new(row(chip, log2_points, batch)?.log2_radices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fft::split::{MAX_LOG2_POINTS, MIN_LOG2_POINTS, SHARED};

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
        assert_eq!(row_in_passes(11, 5).unwrap().log2_radices, [5, 6]);
        assert_eq!(row_in_passes(17, 1), None);
    }
}

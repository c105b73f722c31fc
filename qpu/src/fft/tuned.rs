//! The fastest splits and their V3D clocks: written by `cargo xtask tune --write`.
//!
//! Simulated: preset pi1, second run, forward. Clocks of 0 were never measured.

use super::table::Tuned;

/// By length, then batch.
pub const TUNED: &[Tuned] = &[
    row(4, 1, &[4], 12, false, 0),
    row(4, 10, &[4], 12, false, 0),
    row(5, 1, &[5], 12, false, 0),
    row(5, 10, &[5], 12, false, 0),
    row(6, 1, &[6], 12, false, 0),
    row(6, 10, &[6], 12, false, 0),
    row(7, 1, &[7], 12, false, 0),
    row(7, 10, &[7], 12, false, 0),
    row(8, 1, &[8], 12, false, 0),
    row(8, 10, &[8], 12, false, 0),
    row(9, 1, &[9], 12, false, 0),
    row(9, 10, &[4, 5], 6, true, 33788),
    row(10, 1, &[5, 5], 12, true, 12192),
    row(10, 10, &[5, 5], 6, false, 71816),
    row(11, 1, &[5, 6], 6, true, 19652),
    row(11, 10, &[5, 6], 8, false, 147728),
    row(12, 1, &[6, 6], 6, true, 40712),
    row(12, 10, &[5, 7], 12, false, 313008),
    row(13, 1, &[6, 7], 12, false, 78144),
    row(13, 10, &[6, 7], 12, true, 698268),
    row(14, 1, &[4, 5, 5], 6, false, 157176),
    row(14, 10, &[4, 5, 5], 6, false, 1454364),
    row(15, 1, &[5, 5, 5], 6, false, 290608),
    row(15, 10, &[5, 5, 5], 6, true, 2751948),
    row(16, 1, &[5, 5, 6], 6, false, 576352),
    row(17, 1, &[5, 5, 7], 12, false, 0),
    row(18, 1, &[6, 6, 6], 12, false, 0),
    row(19, 1, &[6, 6, 7], 12, false, 0),
    row(20, 1, &[6, 7, 7], 12, false, 0),
    row(21, 1, &[6, 5, 5, 5], 12, false, 0),
    row(22, 1, &[6, 5, 5, 6], 12, false, 0),
];

const fn row(
    log2_points: u8,
    batch: u8,
    log2_radices: &'static [u8],
    qpus: u8,
    one_launch: bool,
    cycles: u32,
) -> Tuned {
    Tuned {
        log2_points,
        batch,
        log2_radices,
        qpus,
        one_launch,
        cycles,
    }
}

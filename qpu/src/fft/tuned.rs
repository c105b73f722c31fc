//! The fastest splits and their V3D clocks: written by `cargo xtask tune --write`.
//!
//! Simulated: preset pi1, second run, forward. Clocks of 0 were never measured.

use super::split::{QUAD as Q, SHARED as S};
use super::streams::Streams;
use super::table::Tuned;

/// By length, then batch.
pub const TUNED: &[Tuned] = &[
    row(4, 1, &[S + 4], 12, false, 0xff_ff_00, 1024),
    row(4, 10, &[S + 4], 12, false, 0xff_00_00, 1476),
    row(5, 1, &[S + 5], 12, false, 0xff_ff_00, 1124),
    row(5, 10, &[S + 5], 12, false, 0xff_00_00, 2000),
    row(6, 1, &[S + 6], 12, false, 0xff_ff_00, 1296),
    row(6, 10, &[S + 6], 12, false, 0xff_00_00, 2792),
    row(7, 1, &[S + 7], 12, false, 0xff_ff_00, 1572),
    row(7, 10, &[S + 7], 12, false, 0xff_00_00, 4852),
    row(8, 1, &[S + 8], 12, false, 0xff_ff_00, 2372),
    row(8, 10, &[8], 8, false, 0xff_00_00, 10948),
    row(9, 1, &[9], 12, false, 0xff_ff_00, 3568),
    row(9, 10, &[S + 9], 12, false, 0xff_01_00, 17100),
    row(10, 1, &[10], 12, false, 0xff_ff_00, 5868),
    row(10, 10, &[S + 10], 12, false, 0xff_01_00, 30712),
    row(11, 1, &[11], 12, false, 0xff_ff_00, 9216),
    row(11, 10, &[11], 12, false, 0xff_01_00, 79304),
    row(12, 1, &[12], 12, false, 0xff_ff_00, 19792),
    row(12, 10, &[12], 12, false, 0xff_01_00, 200288),
    row(13, 1, &[S + 7, 6], 8, false, 0xff_ff_00, 58604),
    row(13, 10, &[Q + 7, 6], 12, false, 0xff_03_03, 501688),
    row(14, 1, &[Q + 7, 7], 12, false, 0xff_ff_00, 114148),
    row(14, 10, &[Q + 7, 7], 12, false, 0xff_03_00, 1051324),
    row(15, 1, &[Q + 7, Q + 8], 12, false, 0xff_ff_00, 245508),
    row(15, 10, &[Q + 7, Q + 8], 12, false, 0xff_03_00, 2282724),
    row(16, 1, &[Q + 8, Q + 8], 12, false, 0xff_ff_00, 531176),
    row(17, 1, &[5, 6, 6], 8, false, 0xff_ff_00, 1054372),
    row(18, 1, &[4, 6, Q + 8], 12, false, 0xff_ff_00, 2369544),
    row(19, 1, &[5, 6, Q + 8], 12, true, 0xff_ff_00, 5120996),
    row(20, 1, &[5, 7, Q + 8], 12, true, 0xff_ff_00, 10867516),
    row(21, 1, &[Q + 7, 6, Q + 8], 12, false, 0xff_ff_00, 27535716),
    row(22, 1, &[Q + 7, 7, Q + 8], 12, false, 0x00_00_00, 57645280),
];

const fn row(
    log2_points: u8,
    batch: u8,
    log2_radices: &'static [u8],
    qpus: u8,
    one_launch: bool,
    streams: u32,
    cycles: u32,
) -> Tuned {
    Tuned {
        log2_points,
        batch,
        log2_radices,
        qpus,
        one_launch,
        streams: Streams::from_bits(streams),
        cycles,
    }
}

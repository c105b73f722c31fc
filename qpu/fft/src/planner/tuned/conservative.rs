//! The fastest splits and their V3D clocks: written by `cargo xtask tune --conservative --write`.
//!
//! Simulated: preset pi1, second run, forward, all caches cleared before each launch.
//! Clocks of 0 were never measured.

use super::Tuned;

/// By length, then batch.
#[rustfmt::skip]
pub const TUNED: &[Tuned] = &[
    Tuned::measured([7, 1], &[7], (12, false), 0xff_ff_00, 6116),
    Tuned::measured([7, 10], &[7], (12, false), 0xff_00_00, 10284),
    Tuned::measured([8, 1], &[4, 4], (12, false), 0xff_ff_00, 6632),
    Tuned::measured([8, 10], &[4, 4], (6, false), 0xff_00_00, 18028),
    Tuned::measured([9, 1], &[4, 5], (12, true), 0xff_ff_00, 8192),
    Tuned::measured([9, 10], &[4, 5], (6, true), 0xff_03_00, 34240),
    Tuned::measured([10, 1], &[5, 5], (12, true), 0xff_ff_00, 12588),
    Tuned::measured([10, 10], &[5, 5], (6, false), 0xff_03_00, 69508),
    Tuned::measured([11, 1], &[5, 6], (6, false), 0xff_ff_00, 19492),
    Tuned::measured([11, 10], &[5, 6], (6, false), 0xff_03_03, 136112),
    Tuned::measured([12, 1], &[6, 6], (8, false), 0xff_ff_03, 38008),
    Tuned::measured([12, 10], &[5, 7], (12, true), 0xff_03_00, 275024),
    Tuned::measured([13, 1], &[6, 7], (12, false), 0xff_ff_00, 75692),
    Tuned::measured([13, 10], &[6, 7], (12, true), 0xfe_03_03, 598536),
    Tuned::measured([14, 1], &[4, 5, 5], (6, false), 0xff_ff_00, 155444),
    Tuned::measured([14, 10], &[4, 5, 5], (6, false), 0xff_00_00, 1463960),
    Tuned::measured([15, 1], &[5, 5, 5], (6, false), 0xff_ff_00, 292408),
    Tuned::measured([15, 10], &[5, 5, 5], (6, false), 0xff_00_00, 2774920),
    Tuned::measured([16, 1], &[5, 5, 6], (6, false), 0xff_ff_00, 572928),
];

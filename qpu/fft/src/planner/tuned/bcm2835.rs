//! The fastest splits and their V3D clocks: written by `cargo xtask tune --board pi1 --write`.
//!
//! Simulated: preset pi1, second run, forward, data caches cleared before each launch.
//! Clocks of 0 were never measured.

use super::Tuned;
use crate::split::{QUAD as Q, SHARED as S};

/// By length, then batch.
#[rustfmt::skip]
pub const TUNED: &[Tuned] = &[
    Tuned::measured([4, 1], &[S + 4], (12, false), 0xff_ff_00, 984),
    Tuned::measured([4, 10], &[S + 4], (12, false), 0xff_00_00, 1408),
    Tuned::measured([5, 1], &[S + 5], (12, false), 0xff_ff_00, 1116),
    Tuned::measured([5, 10], &[S + 5], (12, false), 0xff_00_00, 1976),
    Tuned::measured([6, 1], &[S + 6], (12, false), 0xff_ff_00, 1304),
    Tuned::measured([6, 10], &[S + 6], (12, false), 0xff_00_00, 2860),
    Tuned::measured([7, 1], &[S + 7], (12, false), 0xff_ff_00, 1600),
    Tuned::measured([7, 10], &[S + 7], (12, false), 0xff_00_00, 4900),
    Tuned::measured([8, 1], &[S + 8], (12, false), 0xff_ff_00, 2372),
    Tuned::measured([8, 10], &[4, 4], (6, false), 0xfd_00_00, 18012),
    Tuned::measured([9, 1], &[9], (12, false), 0xff_ff_00, 3568),
    Tuned::measured([9, 10], &[S + 9], (12, false), 0xff_00_00, 17316),
    Tuned::measured([10, 1], &[10], (12, false), 0xff_ff_00, 5704),
    Tuned::measured([10, 10], &[S + 10], (12, false), 0xff_01_00, 30996),
    Tuned::measured([11, 1], &[11], (12, false), 0xff_ff_00, 9212),
    Tuned::measured([11, 10], &[11], (12, false), 0xff_01_00, 79284),
    Tuned::measured([12, 1], &[12], (12, false), 0xff_ff_00, 19792),
    Tuned::measured([12, 10], &[12], (12, false), 0xff_01_00, 200288),
    Tuned::measured([13, 1], &[S + 7, 6], (8, false), 0xff_ff_00, 58604),
    Tuned::measured([13, 10], &[Q + 7, 6], (12, false), 0xff_03_03, 501688),
    Tuned::measured([14, 1], &[Q + 7, 7], (12, false), 0xff_ff_00, 114148),
    Tuned::measured([14, 10], &[Q + 7, 7], (12, false), 0xff_00_00, 1007508),
    Tuned::measured([15, 1], &[Q + 7, Q + 8], (12, false), 0xff_ff_00, 245508),
    Tuned::measured([15, 10], &[Q + 7, Q + 8], (12, false), 0xff_03_00, 2282724),
    Tuned::measured([16, 1], &[5, 5, 6], (6, false), 0xff_ff_00, 516632),
    Tuned::measured([17, 1], &[5, 6, 6], (8, false), 0xff_ff_00, 1054372),
    Tuned::measured([18, 1], &[4, 7, S + 7], (12, false), 0xff_ff_00, 2250676),
    Tuned::measured([19, 1], &[4, 7, Q + 8], (12, false), 0xfb_ff_00, 4923492),
    Tuned::measured([20, 1], &[5, 7, Q + 8], (12, false), 0xfb_ff_07, 10735708),
    Tuned::measured([21, 1], &[Q + 7, 7, 7], (12, false), 0xfb_ff_00, 25590292),
    Tuned::measured([22, 1], &[Q + 7, 7, Q + 8], (12, false), 0xfd_ff_00, 55441428),
];

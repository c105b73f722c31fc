//! The fastest splits and their V3D clocks: written by `cargo xtask tune --board pi2 --write`.
//!
//! Simulated: preset pi2, second run, forward, data caches cleared before each launch.
//! Clocks of 0 were never measured.

use super::Tuned;
use crate::split::{QUAD as Q, SHARED as S};

/// By length, then batch.
#[rustfmt::skip]
pub const TUNED: &[Tuned] = &[
    Tuned::measured([4, 1], &[S + 4], (12, false), 0xff_ff_00, 1016),
    Tuned::measured([4, 10], &[S + 4], (12, false), 0xff_00_00, 1448),
    Tuned::measured([5, 1], &[S + 5], (12, false), 0xff_ff_00, 1140),
    Tuned::measured([5, 10], &[S + 5], (12, false), 0xff_00_00, 2004),
    Tuned::measured([6, 1], &[S + 6], (12, false), 0xff_ff_00, 1328),
    Tuned::measured([6, 10], &[S + 6], (12, false), 0xff_00_00, 2952),
    Tuned::measured([7, 1], &[S + 7], (12, false), 0xff_ff_00, 1628),
    Tuned::measured([7, 10], &[S + 7], (12, false), 0xff_00_00, 5252),
    Tuned::measured([8, 1], &[S + 8], (12, false), 0xff_ff_00, 2420),
    Tuned::measured([8, 10], &[4, 4], (6, false), 0xff_00_00, 19516),
    Tuned::measured([9, 1], &[9], (12, false), 0xff_ff_00, 3592),
    Tuned::measured([9, 10], &[S + 9], (12, false), 0xff_00_00, 17716),
    Tuned::measured([10, 1], &[10], (12, false), 0xff_ff_00, 5920),
    Tuned::measured([10, 10], &[S + 10], (12, false), 0xff_00_00, 35736),
    Tuned::measured([11, 1], &[11], (12, false), 0xff_ff_00, 10316),
    Tuned::measured([11, 10], &[11], (12, false), 0xff_00_00, 79376),
    Tuned::measured([12, 1], &[12], (12, false), 0xff_ff_00, 21308),
    Tuned::measured([12, 10], &[12], (12, false), 0xff_00_00, 198828),
    Tuned::measured([13, 1], &[S + 7, 6], (8, false), 0xff_ff_00, 61492),
    Tuned::measured([13, 10], &[Q + 7, 6], (12, false), 0xff_00_00, 489656),
    Tuned::measured([14, 1], &[Q + 7, 7], (12, false), 0xff_ff_00, 123884),
    Tuned::measured([14, 10], &[Q + 7, S + 7], (12, false), 0xff_00_00, 1078592),
    Tuned::measured([15, 1], &[Q + 7, Q + 8], (12, false), 0xff_ff_00, 256040),
    Tuned::measured([15, 10], &[Q + 7, Q + 8], (12, false), 0xff_00_00, 2386672),
    Tuned::measured([16, 1], &[4, 6, 6], (8, true), 0xff_ff_00, 508840),
    Tuned::measured([17, 1], &[5, 6, 6], (8, false), 0xff_ff_00, 1005988),
    Tuned::measured([18, 1], &[5, 6, S + 7], (12, true), 0xff_ff_00, 2304552),
    Tuned::measured([19, 1], &[5, 6, Q + 8], (12, false), 0xff_ff_00, 5208120),
    Tuned::measured([20, 1], &[5, 7, Q + 8], (12, false), 0xff_ff_00, 11797952),
    Tuned::measured([21, 1], &[Q + 7, 7, 7], (12, false), 0xff_ff_00, 26400264),
    Tuned::measured([22, 1], &[Q + 7, 7, Q + 8], (12, false), 0xff_ff_00, 62472892),
];

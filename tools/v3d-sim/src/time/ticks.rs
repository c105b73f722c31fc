//! The unit of simulated time: hundredths of a V3D clock.
//!
//! The buses and SDRAM have clocks of their own, so that their intervals are not whole V3D clocks.

use crate::chip::ROUND_CLOCKS;

/// A time or an interval.
pub type Ticks = u64;

/// A V3D clock.
pub const CLOCK: Ticks = 100;

/// A round of the functional model: an instruction of each QPU.
pub const ROUND: Ticks = ROUND_CLOCKS * CLOCK;

/// A time, in rounds or ticks, that never comes.
pub const NEVER: u64 = u64::MAX;

/// An interval that is given in clocks.
pub fn ticks(clocks: f64) -> Ticks {
    (clocks * CLOCK as f64).round() as Ticks
}

/// The first round that starts at `at` or later.
pub fn round_from(at: Ticks) -> u64 {
    at.div_ceil(ROUND)
}

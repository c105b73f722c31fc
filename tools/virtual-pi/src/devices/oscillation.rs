//! A clock signal: the ARM clock at which it started, and its exact rate.
//!
//! Rates are fractions, so that a million frames of 64 bit clocks end where they do on a board.

use crate::clock::{ARM_HZ, Ratio};

/// A clock that has run since an ARM clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Oscillation {
    /// The ARM clock at which its first cycle began.
    since: u64,
    /// Its cycles in ARM clocks.
    cycles: Ratio,
    /// Its half cycles in ARM clocks.
    halves: Ratio,
}

impl Oscillation {
    /// A clock of `numerator / denominator` Hz from `since` on; neither is 0.
    pub fn new(since: u64, numerator: u64, denominator: u64) -> Self {
        let numerator = numerator.max(1);
        let clocks = ARM_HZ.saturating_mul(denominator.max(1));
        Self {
            since,
            cycles: Ratio::new(numerator, clocks),
            halves: Ratio::new(numerator.saturating_mul(2), clocks),
        }
    }

    /// Cycles that have ended at `now`.
    pub fn cycles_at(&self, now: u64) -> u64 {
        self.cycles.floor(now.saturating_sub(self.since))
    }

    /// The first ARM clock at which `cycles` cycles have ended.
    pub fn clock_after(&self, cycles: u64) -> u64 {
        self.cycles.inverse_ceil(cycles).saturating_add(self.since)
    }

    /// The level at `now`: the first half of a cycle is high.
    pub fn is_high(&self, now: u64) -> bool {
        let halves = self.halves.floor(now.saturating_sub(self.since));
        halves.is_multiple_of(2)
    }

    /// Its rate in hertz.
    pub fn hz(&self) -> f64 {
        self.cycles.times(ARM_HZ as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_of_bit_clocks_is_exact() {
        // 3.2 MHz, and 48 kHz less 0.0037 %.
        for (numerator, denominator, an_hour) in
            [(19_200_000, 6, 11_520_000_000), (479_982, 10, 172_793_520)]
        {
            let clock = Oscillation::new(7, numerator, denominator);
            let end = 7 + 3600 * ARM_HZ;
            assert_eq!(clock.cycles_at(end), an_hour);
            assert_eq!(clock.cycles_at(end - 1), an_hour - 1);
            assert_eq!(clock.clock_after(an_hour), end);
        }
    }

    #[test]
    fn a_cycle_is_high_and_then_low() {
        let clock = Oscillation::new(0, ARM_HZ / 10, 1);
        let levels: Vec<bool> = (0..12).map(|now| clock.is_high(now)).collect();
        assert_eq!(levels[..5], [true; 5]);
        assert_eq!(levels[5..10], [false; 5]);
        assert_eq!(levels[10..], [true; 2]);
    }
}

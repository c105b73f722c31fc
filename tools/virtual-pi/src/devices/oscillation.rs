//! A clock signal: the ARM clock at which it started, and its exact rate.
//!
//! Rates are fractions, so that a million frames of 64 bit clocks end where they do on a board.

use crate::clock::ARM_HZ;

/// A clock that has run since an ARM clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Oscillation {
    /// The ARM clock at which its first cycle began.
    since: u64,
    /// Cycles in `clocks` ARM clocks, reduced.
    cycles: u64,
    clocks: u64,
}

impl Oscillation {
    /// A clock of `numerator / denominator` Hz from `since` on; neither is 0.
    pub fn new(since: u64, numerator: u64, denominator: u64) -> Self {
        let clocks = u128::from(ARM_HZ) * u128::from(denominator.max(1));
        let (mut a, mut b) = (clocks, u128::from(numerator.max(1)));
        while b != 0 {
            (a, b) = (b, a % b);
        }
        Self {
            since,
            cycles: (u128::from(numerator.max(1)) / a) as u64,
            clocks: u64::try_from(clocks / a).unwrap_or(u64::MAX),
        }
    }

    /// Cycles that have ended at `now`.
    pub fn cycles_at(&self, now: u64) -> u64 {
        crate::clock::scale(now.saturating_sub(self.since), self.cycles, self.clocks)
    }

    /// The first ARM clock at which `cycles` cycles have ended.
    pub fn clock_after(&self, cycles: u64) -> u64 {
        let clocks = (u128::from(cycles) * u128::from(self.clocks)).div_ceil(self.cycles.into());
        u64::try_from(clocks)
            .unwrap_or(u64::MAX)
            .saturating_add(self.since)
    }

    /// The level at `now`: the first half of a cycle is high.
    pub fn is_high(&self, now: u64) -> bool {
        let halves = u128::from(now.saturating_sub(self.since)) * u128::from(self.cycles) * 2;
        (halves / u128::from(self.clocks)).is_multiple_of(2)
    }

    /// Its rate in hertz.
    pub fn hz(&self) -> f64 {
        ARM_HZ as f64 * self.cycles as f64 / self.clocks as f64
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

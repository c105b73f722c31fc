//! The rate at which samples are played: the pins of a board do not carry every rate.

use signal::Rate;

/// The rates that are played as they are: I2S parts have them, and computers of today simulate
/// them in real time or nearly so.
const PLAYED_HZ: std::ops::RangeInclusive<u64> = 8_000..=96_000;
/// Faster samples are played at the next rate from here down that is a whole part of theirs.
const SLOWED_HZ: u64 = 48_000;

/// A rate on the pins, and what it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speed {
    /// The rate on the pins.
    pub rate: Rate,
    /// True frequencies are those on the pins times `over / under`; one of the two is 1.
    pub over: u64,
    /// The divisor.
    pub under: u64,
}

impl Speed {
    /// The speed for samples of a rate.
    pub fn of(true_rate: Rate) -> Self {
        let Rate { num: hz, den: per } = true_rate;
        let is_above = |least: u64| u128::from(hz) > u128::from(least) * u128::from(per);
        let is_below = u128::from(hz) < u128::from(*PLAYED_HZ.start()) * u128::from(per);
        let (over, under) = if is_above(*PLAYED_HZ.end()) {
            (hz.div_ceil(SLOWED_HZ.saturating_mul(per)), 1)
        } else if is_below {
            (1, PLAYED_HZ.start().saturating_mul(per).div_ceil(hz))
        } else {
            (1, 1)
        };
        let rate = Rate::new(hz.saturating_mul(under), per.saturating_mul(over));
        // Neither is 0.
        let rate = rate.unwrap_or(true_rate);
        Self { rate, over, under }
    }

    /// A sentence for people, where it is not 1.
    pub fn sentence(&self) -> Option<String> {
        match (self.over, self.under) {
            (1, 1) => None,
            (over, 1) => Some(format!(
                "Played at 1/{over} of its speed; frequencies are the true ones."
            )),
            (_, under) => Some(format!(
                "Played {under} times as fast; frequencies are the true ones."
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_pins_do_not_carry_is_played_at_a_whole_part_of_its_speed() {
        let of = |(num, den)| {
            let speed = Speed::of(Rate { num, den });
            ((speed.rate.num, speed.rate.den), speed.over, speed.under)
        };
        assert_eq!(of((44_100, 1)), ((44_100, 1), 1, 1));
        assert_eq!(of((96_000_000, 1000)), ((96_000, 1), 1, 1));
        assert_eq!(of((2_400_000_000, 1000)), ((48_000, 1), 50, 1));
        assert_eq!(of((250_000, 1)), ((125_000, 3), 6, 1));
        assert_eq!(of((1, 3600)), ((8000, 1), 1, 28_800_000));
        assert_eq!(of((7_999, 1)), ((15_998, 1), 1, 2));
        for hz in [1, 999, 8_000_000, 123_456_789, 10_000_000_000_000_u64] {
            let speed = Speed::of(Rate { num: hz, den: 1000 });
            assert!((8e3..=96e3).contains(&speed.rate.to_hz()), "{speed:?}");
            let true_hz = speed.rate.to_hz() * speed.over as f64 / speed.under as f64;
            assert!(
                (true_hz * 1000.0 / hz as f64 - 1.0).abs() < 1e-12,
                "{speed:?}"
            );
        }
        let slow = Speed::of(Rate::hz(2_400_000)).sentence().unwrap();
        assert!(slow.contains("1/50"), "{slow}");
    }
}

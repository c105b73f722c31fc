//! The places of records in time: by their samples, or by the device's clock.

use crate::picture::waterfall::Span;
use crate::spectrum::Spectrum;
use crate::utc::Utc;

/// The clock that records are placed by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// The samples of a recording, from its first on.
    Samples,
    /// The device's, which says when a record was complete.
    Device,
}

/// Picoseconds in a microsecond.
const PS_PER_US: i128 = 1_000_000;
/// Picoseconds in a second.
const PS_PER_S: i128 = 1_000_000_000_000;

/// The times of records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Times {
    /// The clock.
    pub clock: Clock,
    /// The time of day at microsecond 0.
    pub zero: Option<Utc>,
}

impl Times {
    /// The place of a record.
    #[must_use]
    pub fn span(&self, spectrum: &Spectrum) -> Span {
        let us = |ps: i128| {
            let us = ps.div_euclid(PS_PER_US);
            us.clamp(-LATEST_US, LATEST_US) as i64
        };
        let [from_us, to_us] = self.picoseconds(spectrum).map(us);
        Span { from_us, to_us }
    }

    /// Beginning and end of a record, in seconds.
    #[must_use]
    pub fn seconds(&self, spectrum: &Spectrum) -> [f64; 2] {
        let seconds = |ps: i128| ps as f64 / PS_PER_S as f64;
        self.picoseconds(spectrum).map(seconds)
    }

    /// Beginning and end of a record, in picoseconds: records may be less than a microsecond apart.
    fn picoseconds(&self, spectrum: &Spectrum) -> [i128; 2] {
        let samples = spectrum.samples();
        match self.clock {
            Clock::Samples => {
                let first = spectrum.first_sample;
                [first, first.saturating_add(samples)].map(|at| duration_ps(spectrum, at))
            }
            Clock::Device => {
                let to = i128::from(spectrum.device_us) * PS_PER_US;
                [to - duration_ps(spectrum, samples), to]
            }
        }
    }

    /// The moment of day at microsecond 0 that lets a record begin where the one before has ended.
    #[must_use]
    pub fn zero_after(&self, before: &Span, spectrum: &Spectrum) -> Utc {
        let zero = self.zero.unwrap_or(Utc(0));
        zero.after(before.to_us.saturating_sub(self.span(spectrum).from_us))
    }

    /// Picoseconds since 1970 at which a record begins and ends; of a clock that nobody has set it
    /// is 1970.
    #[must_use]
    pub fn moments(&self, spectrum: &Spectrum) -> [i128; 2] {
        let zero = i128::from(self.zero.unwrap_or(Utc(0)).0) * PS_PER_US;
        self.picoseconds(spectrum).map(|ps| zero + ps)
    }
}

/// The last microsecond that is told apart, so that sums of two stay within 64 bits.
const LATEST_US: i128 = i64::MAX as i128 / 4;

/// The time that so many samples of a spectrum take, in picoseconds.
pub(super) fn duration_ps(spectrum: &Spectrum, samples: u64) -> i128 {
    let (num, den) = (u128::from(spectrum.rate.num), u128::from(spectrum.rate.den));
    let num = num.max(1);
    // Whole seconds first: with picoseconds the product may have more than 128 bits.
    let seconds = u128::from(samples) * den;
    let rest_ps = seconds % num * PS_PER_S as u128 / num;
    let seconds = i128::try_from(seconds / num).unwrap_or(i128::MAX);
    // Sums of two of these stay within 128 bits.
    let most = i128::MAX / (4 * PS_PER_S);
    seconds.min(most) * PS_PER_S + rest_ps as i128
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::example;
    use signal::Rate;

    #[test]
    fn a_record_lies_where_its_samples_do() {
        let mut spectrum = example(16, false);
        spectrum.first_sample = 48_000;
        let [clock, device] = [Clock::Samples, Clock::Device].map(|clock| Times {
            clock,
            zero: Some(Utc(1_000_000)),
        });
        // 32 samples at 48 kHz.
        let span = clock.span(&spectrum);
        assert_eq!((span.from_us, span.to_us), (1_000_000, 1_000_666));
        let [from, to] = clock.moments(&spectrum);
        assert_eq!((from, to), (2 * PS_PER_S, 2 * PS_PER_S + 666_666_666));
        assert_eq!(device.span(&spectrum).to_us, 1_500_000);
    }

    #[test]
    fn any_rate_and_any_sample_has_a_time() {
        let mut spectrum = example(16, false);
        for (num, den) in [(1, u64::MAX), (u64::MAX, 1), (u64::MAX, u64::MAX), (0, 0)] {
            spectrum.rate = Rate { num, den };
            spectrum.first_sample = u64::MAX;
            for clock in [Clock::Samples, Clock::Device] {
                let times = Times {
                    clock,
                    zero: Some(Utc(i64::MAX)),
                };
                let span = times.span(&spectrum);
                assert!(span.from_us <= span.to_us);
                let [from, to] = times.moments(&spectrum);
                assert!(from <= to);
            }
        }
    }
}

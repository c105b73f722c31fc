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
        let us = |samples: u64| {
            let (num, den) = (u128::from(spectrum.rate.num), u128::from(spectrum.rate.den));
            let us = u128::from(samples) * 1_000_000 * den / num.max(1);
            i64::try_from(us).unwrap_or(i64::MAX / 4).min(i64::MAX / 4)
        };
        let length = us(spectrum.samples());
        match self.clock {
            Clock::Samples => {
                let from_us = us(spectrum.first_sample);
                Span {
                    from_us,
                    to_us: from_us + length,
                }
            }
            Clock::Device => {
                let to_us = i64::try_from(spectrum.device_us).unwrap_or(i64::MAX / 4);
                Span {
                    from_us: to_us - length,
                    to_us,
                }
            }
        }
    }

    /// The moments at which a record begins and ends; of a clock that nobody has set it is 1970.
    #[must_use]
    pub fn moments(&self, spectrum: &Spectrum) -> [Utc; 2] {
        let Span { from_us, to_us } = self.span(spectrum);
        let zero = self.zero.unwrap_or(Utc(0));
        [from_us, to_us].map(|us| zero.after(us))
    }
}

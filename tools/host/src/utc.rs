//! Moments in UTC, as files and axes write them.

use std::fmt;

use time::OffsetDateTime;

/// A moment: microseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Utc(pub i64);

impl Utc {
    /// The moment of this computer's clock.
    #[must_use]
    pub fn now() -> Self {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Self(since.map_or(0, |since| i64::try_from(since.as_micros()).unwrap_or(0)))
    }

    /// The moment so many microseconds later.
    #[must_use]
    pub const fn after(self, us: i64) -> Self {
        Self(self.0.saturating_add(us))
    }

    /// Seconds since 1970.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// In the calendar, as far as that goes: years of up to four digits.
    fn calendar(self) -> OffsetDateTime {
        let nanoseconds = i128::from(self.0) * 1000;
        OffsetDateTime::from_unix_timestamp_nanos(nanoseconds).unwrap_or(OffsetDateTime::UNIX_EPOCH)
    }

    /// `2026-11-26`.
    #[must_use]
    pub fn date(self) -> String {
        self.calendar().date().to_string()
    }

    /// `12:34:56`, with so many places behind the second, cut.
    #[must_use]
    pub fn time(self, places: usize) -> String {
        let (hour, minute, second, us) = self.calendar().to_hms_micro();
        let fraction = format!("{us:06}");
        let places = places.min(fraction.len());
        let dot = if places > 0 { "." } else { "" };
        format!(
            "{hour:02}:{minute:02}:{second:02}{dot}{}",
            &fraction[..places]
        )
    }
}

impl From<OffsetDateTime> for Utc {
    fn from(moment: OffsetDateTime) -> Self {
        let us = moment.unix_timestamp_nanos().div_euclid(1000);
        Self(i64::try_from(us).unwrap_or(0))
    }
}

/// The form of RFC 3339, to the microsecond: `2026-11-26T12:34:56.000000Z`.
impl fmt::Display for Utc {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}T{}Z", self.date(), self.time(6))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_calendar() {
        // By `date -u -d @SECONDS +%FT%T`.
        for (seconds, wanted) in [
            (0, "1970-01-01T00:00:00.000000Z"),
            (951_782_400, "2000-02-29T00:00:00.000000Z"),
            (1_709_251_199, "2024-02-29T23:59:59.000000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000000Z"),
            (-1, "1969-12-31T23:59:59.000000Z"),
        ] {
            assert_eq!(Utc(seconds * 1_000_000).to_string(), wanted);
        }
        let moment = OffsetDateTime::from_unix_timestamp(951_782_400).expect("a moment");
        assert_eq!(Utc::from(moment), Utc(951_782_400_000_000));
        assert_eq!(Utc(1_234_567).time(3), "00:00:01.234");
        assert_eq!(Utc(1_999_999).time(0), "00:00:01");
    }
}

//! Times of day in UTC, as files and axes write them.
//!
//! Days are counted in the proleptic Gregorian calendar; there are no leap seconds, as in Unix
//! time. Source of the count: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms" (2013).

use std::fmt;

/// Microseconds of a day.
const DAY_US: i64 = 86_400_000_000;

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

    /// `2026-11-26`.
    #[must_use]
    pub fn date(self) -> String {
        // Days since 0000-03-01: so a leap day is the last of its year.
        let days = self.0.div_euclid(DAY_US) + 719_468;
        let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = year_of_era + 400 * era + i64::from(month <= 2);
        format!("{year:04}-{month:02}-{day:02}")
    }

    /// `12:34:56`, with so many places behind the second, cut.
    #[must_use]
    pub fn time(self, places: usize) -> String {
        let us = self.0.rem_euclid(DAY_US);
        let seconds = us / 1_000_000;
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
        let fraction = format!("{:06}", us % 1_000_000);
        let places = places.min(fraction.len());
        let dot = if places > 0 { "." } else { "" };
        format!(
            "{hours:02}:{minutes:02}:{:02}{dot}{}",
            seconds % 60,
            &fraction[..places]
        )
    }
}

/// As RFC 3339 writes it, to the microsecond: `2026-11-26T12:34:56.000000Z`.
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
        assert_eq!(Utc(1_234_567).time(3), "00:00:01.234");
        assert_eq!(Utc(1_999_999).time(0), "00:00:01");
    }
}

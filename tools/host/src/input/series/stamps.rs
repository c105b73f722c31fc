//! Times of rows: time stamps with a date, and columns of seconds.
//!
//! Both become whole numbers of ticks, as fine as the finest field, so that equal steps are equal.

use time::{Date, Month, OffsetDateTime, Time};

use super::numbers::{NumberStyle, plain};

/// The most digits behind the seconds of a time stamp, and behind the point of a number.
const MOST_DIGITS: i32 = 15;

/// The time of a row: a whole number times a power of ten, in seconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instant {
    /// The number.
    pub count: i128,
    /// The digits that it has behind the point.
    pub digits: i32,
    /// False where it is a date and a time without a time zone.
    pub has_zone: bool,
}

/// The time of `2010-03-14 03:00[:00[.5]]`, with `-` or `/`, and a space or `T`; of
/// `14.03.2010 03:00`, too. `Z` or `+01:00` may stand behind it.
pub fn stamp(field: &str) -> Option<Instant> {
    let field = field.trim();
    let (date, clock) = match field.split_once([' ', 'T']) {
        Some((date, clock)) => (date, clock.trim_start()),
        None => (field.strip_suffix('Z').unwrap_or(field), "00:00"),
    };
    let days = i128::from(date_of(date)?.to_julian_day() - 2_440_588);
    let (clock, zone) = zone_of(clock)?;
    let (clock, part) = clock.split_once(['.', ',']).unwrap_or((clock, ""));
    // A minute of one digit is what a line that was cut has.
    let two = |part: &str| number(part, 2).filter(|_| part.len() == 2);
    let mut parts = clock.split(':');
    let (hour, minute) = (number(parts.next()?, 2)?, two(parts.next()?)?);
    let second = parts.next().map_or(Some(0), two)?;
    if parts.next().is_some() {
        return None;
    }
    // A leap second counts as the next one.
    let time = Time::from_hms(hour as u8, minute as u8, (second.min(59)) as u8).ok()?;
    let of_day = i128::from(time.hour()) * 3600 + i128::from(time.minute()) * 60;
    if second > 60 || !part.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let part = &part[..part.len().min(MOST_DIGITS as usize)];
    let seconds = days * 86_400 + of_day + i128::from(second) - i128::from(zone.unwrap_or(0));
    let scale = 10_i128.pow(part.len() as u32);
    Some(Instant {
        count: seconds * scale + part.parse::<i128>().unwrap_or(0),
        digits: part.len() as i32,
        has_zone: zone.is_some() || field.ends_with('Z'),
    })
}

/// A whole number of at most `most` digits.
fn number(text: &str, most: usize) -> Option<u16> {
    let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    (is_digits && (1..=most).contains(&text.len())).then(|| text.parse().ok())?
}

fn date_of(text: &str) -> Option<Date> {
    let mut parts = text.split(['-', '/', '.']);
    let (one, two, three) = (parts.next()?, parts.next()?, parts.next()?);
    let (year, month, day) = match text.contains('.') {
        true => (three, two, one),
        false => (one, two, three),
    };
    let is_whole = parts.next().is_none() && year.len() == 4;
    let month = Month::try_from(number(month, 2)? as u8).ok()?;
    let date = Date::from_calendar_date(number(year, 4)?.into(), month, number(day, 2)? as u8);
    date.ok().filter(|_| is_whole)
}

/// A time of day, and the seconds that its zone is ahead of UTC, if it says one.
fn zone_of(clock: &str) -> Option<(&str, Option<i64>)> {
    let clock = clock.trim_end();
    let utc = clock.strip_suffix('Z').or(clock.strip_suffix("UTC"));
    if let Some(clock) = utc {
        return Some((clock.trim_end(), Some(0)));
    }
    let Some(at) = clock.rfind(['+', '-']) else {
        return Some((clock, None));
    };
    let zone = clock[at + 1..].replace(':', "");
    let (hours, minutes) = match zone.len() {
        2 => (number(&zone, 2)?, 0),
        4 => (number(zone.get(..2)?, 2)?, number(zone.get(2..)?, 2)?),
        _ => return None,
    };
    let seconds = i64::from(hours) * 3600 + i64::from(minutes) * 60;
    let signed = if clock[at..].starts_with('-') {
        -seconds
    } else {
        seconds
    };
    (hours < 24 && minutes < 60).then_some((clock[..at].trim_end(), Some(signed)))
}

/// The time of a field that is a number of seconds times `10^power`.
pub fn seconds(field: &str, style: NumberStyle, power: i32) -> Option<Instant> {
    let text = plain(field, style)?;
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((&text, "0"));
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let part = part.trim_end_matches('0');
    let digits = part.len() as i32 - exponent.parse::<i32>().ok()? - power;
    let count = format!("{whole}{part}").parse::<i128>().ok()?;
    let (count, digits) = match digits {
        // What is finer than the finest tick is cut.
        digits if digits > MOST_DIGITS => {
            let cut = 10_i128.checked_pow((digits - MOST_DIGITS) as u32);
            (cut.map_or(0, |cut| count / cut), MOST_DIGITS)
        }
        digits if digits < 0 => {
            let scale = 10_i128.checked_pow(digits.unsigned_abs())?;
            (count.checked_mul(scale)?, 0)
        }
        digits => (count, digits),
    };
    // A thousand years, so that sums stay within 128 bits.
    let seconds = count / 10_i128.pow(digits as u32);
    (seconds.abs() < 40_000_000_000).then_some(Instant {
        count,
        digits,
        has_zone: true,
    })
}

impl Instant {
    /// Its ticks, of which a second has 10^`digits`.
    pub fn ticks(self, digits: i32) -> i128 {
        self.count * 10_i128.pow((digits - self.digits).max(0) as u32)
    }

    /// The time that it is, counted from 1970.
    pub fn utc(self) -> Option<OffsetDateTime> {
        let nanoseconds = match self.digits {
            digits @ 0..=9 => self.count * 10_i128.pow((9 - digits) as u32),
            digits => self.count / 10_i128.pow((digits - 9) as u32),
        };
        OffsetDateTime::from_unix_timestamp_nanos(nanoseconds).ok()
    }
}

/// Returns whether a field may be meant as a date or a time of day.
pub fn is_like_a_stamp(field: &str) -> bool {
    let digits = field.bytes().filter(u8::is_ascii_digit).count();
    digits >= 4 && field.contains(['-', '/', '.', ':'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unix(field: &str) -> Option<(i128, i32)> {
        stamp(field).map(|at| (at.count, at.digits))
    }

    #[test]
    fn stamps_count_days_as_the_calendar_does() {
        for (field, count, digits) in [
            ("1970-01-01T00:00:00Z", 0, 0),
            ("2010/03/14 03:00", 1_268_535_600, 0),
            ("2000-02-29", 951_782_400, 0),
            ("14.03.2010 03:00:00", 1_268_535_600, 0),
            ("2010-03-14 03:00:00.250", 1_268_535_600_250, 3),
            ("2010-03-14T04:00:00+01:00", 1_268_535_600, 0),
            ("2010-03-14 02:30:00 -0030", 1_268_535_600, 0),
            ("2010-03-14 03:00:00 UTC", 1_268_535_600, 0),
            ("1969-12-31 23:59:59.5", -5, 1),
        ] {
            assert_eq!(unix(field), Some((count, digits)), "{field}");
        }
        for field in [
            "39.4",
            "2010/13/01",
            "2010-02-30",
            "03/14/2010 03:00",
            "2010-03-14 25:00",
            "2010-03-14 03:0",
            "2010-03-14 3",
            "12:30",
            "",
            "2010-03-14 03:00:00x",
        ] {
            assert_eq!(unix(field), None, "{field}");
        }
        assert!(!stamp("2010-03-14 03:00").expect("a stamp").has_zone);
        assert!(stamp("2010-03-14 03:00Z").expect("a stamp").has_zone);
    }

    #[test]
    fn numbers_are_times_as_exact_as_they_are_written() {
        for (field, power, count, digits) in [
            ("0.5", 0, 5, 1),
            ("0.500", 0, 5, 1),
            ("-1.000000e-03", 0, -1, 3),
            ("250", -3, 250, 3),
            ("1.5", -6, 15, 7),
            ("1e3", 0, 1000, 0),
            ("1769900000", 0, 1_769_900_000, 0),
            ("0.0000000000000000004", 0, 0, 15),
        ] {
            let at = seconds(field, NumberStyle::Point, power).expect(field);
            assert_eq!((at.count, at.digits), (count, digits), "{field}");
        }
        assert_eq!(seconds("1e300", NumberStyle::Point, 0), None);
        assert_eq!(
            seconds("1,5", NumberStyle::Comma, 0)
                .expect("a number")
                .count,
            15
        );
    }
}

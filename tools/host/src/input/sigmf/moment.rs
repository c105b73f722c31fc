//! Times as people and programs write them into `core:datetime`.
//!
//! SigMF wants RFC 3339 in UTC. Programs leave out the zone, write a space for the T, more digits
//! than nanoseconds have, or the dense forms of ISO 8601. All of that is one moment and is read.
//! What may be another one is not: days without a time, the day before the year, names of zones.
//!
//! A leap second is the first second of the next minute, as in POSIX.

use time::format_description::well_known::Iso8601;
use time::{Duration, OffsetDateTime, UtcOffset};

/// Digits of a fraction that a time keeps.
const DIGITS: usize = 9;

/// A moment in UTC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment {
    pub time: OffsetDateTime,
    /// False if it is taken for UTC because nothing says its zone.
    pub has_zone: bool,
}

/// The moment that a text is, if it is exactly one.
pub fn moment(text: &str) -> Option<Moment> {
    let text = text.trim().to_ascii_uppercase();
    let (date, rest) = text.split_once(['T', ' ', '_'])?;
    let (clock, zone) = split_zone(rest.trim())?;
    let (clock, carried) = dense_clock(clock)?;
    let dense = format!(
        "{}T{clock}{}",
        dense_date(date)?,
        zone.as_deref().unwrap_or("Z")
    );
    let time = OffsetDateTime::parse(&dense, &Iso8601::PARSING).ok()?;
    let time = time.checked_to_offset(UtcOffset::UTC)?;
    let time = time.checked_add(carried)?;
    // Years of more digits cannot be written as RFC 3339.
    (0..=9999).contains(&time.year()).then_some(Moment {
        time,
        has_zone: zone.is_some(),
    })
}

/// A date without what separates its parts: the year first, then month and day, the day of the
/// year, or week and day.
fn dense_date(date: &str) -> Option<String> {
    let parts: Vec<_> = date.split(['-', '/']).collect();
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    match parts[..] {
        [whole] if matches!(whole.len(), 7 | 8) => Some(whole.to_owned()),
        [year, month, day] if year.len() == 4 && month.starts_with('W') => {
            Some(format!("{year}{month}{day}"))
        }
        [year, day] if year.len() == 4 && day.len() == 3 => Some(format!("{year}{day}")),
        [year, month, day]
            if year.len() == 4
                && (1..=2).contains(&month.len())
                && (1..=2).contains(&day.len())
                && is_number(month)
                && is_number(day) =>
        {
            Some(format!("{year}{month:0>2}{day:0>2}"))
        }
        _ => None,
    }
}

/// A time of day without colons, and the time that is to be added to it.
fn dense_clock(clock: &str) -> Option<(String, Duration)> {
    let clock = clock.trim_end().replace(',', ".");
    let (whole, fraction) = clock.split_once('.').unwrap_or((&clock, ""));
    let parts: Vec<_> = whole.split(':').collect();
    let mut digits = match parts[..] {
        [dense] => dense.to_owned(),
        [hour, ref rest @ ..] if rest.iter().all(|part| part.len() == 2) && hour.len() <= 2 => {
            format!("{hour:0>2}{}", rest.concat())
        }
        _ => return None,
    };
    let mut carried = Duration::ZERO;
    if digits.len() == 6 && digits.ends_with("60") {
        digits.replace_range(4.., "59");
        carried = Duration::SECOND;
    }
    if digits.starts_with("24") && digits.bytes().skip(2).all(|digit| digit == b'0') {
        digits.replace_range(..2, "00");
        carried = Duration::DAY;
    }
    let fraction = &fraction.get(..DIGITS).unwrap_or(fraction);
    let dot = if clock.contains('.') { "." } else { "" };
    Some((format!("{digits}{dot}{fraction}"), carried))
}

/// A time of day, and its zone without a colon where it says one.
fn split_zone(text: &str) -> Option<(&str, Option<String>)> {
    for utc in ["Z", "UTC", "GMT"] {
        if let Some(clock) = text.strip_suffix(utc) {
            return Some((clock, Some("Z".to_owned())));
        }
    }
    let Some(sign) = text.find(['+', '-', '\u{2212}']) else {
        return Some((text, None));
    };
    let (clock, zone) = text.split_at(sign);
    let dense = zone.replace('\u{2212}', "-").replacen(':', "", 1);
    let hours = dense.get(1..3)?.parse::<u8>().ok()?;
    let is_zone = matches!(dense.len(), 3 | 5) && hours < 24;
    is_zone.then_some((clock, Some(dense)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The moment as RFC 3339 has it.
    fn read(text: &str) -> Option<String> {
        let format = &time::format_description::well_known::Rfc3339;
        Some(moment(text)?.time.format(format).expect("a time"))
    }

    #[test]
    fn one_moment_is_read_in_all_its_forms() {
        for text in [
            "2023-08-06T15:18:38.5Z",
            "2023-08-06t15:18:38.5z",
            "2023-08-06 15:18:38.5",
            "  2023-08-06T15:18:38,500000  ",
            "2023-08-06T15:18:38.500000000999Z",
            "2023-08-06T15:18:38.5+00:00",
            "2023-08-06T17:18:38.5+02:00",
            "2023-08-06T17:18:38.5+0200",
            "2023-08-06T14:18:38.5-01",
            "2023-08-06T14:18:38.5\u{2212}01:00",
            "2023-08-06 15:18:38.5 UTC",
            "20230806T151838.5Z",
            "20230806_151838.5",
            "20230806T15:18:38.5Z",
            "2023-08-06T151838.5Z",
            "2023/8/6 15:18:38.5",
            "2023-218T15:18:38.5Z",
            "2023-W31-7T15:18:38.5Z",
        ] {
            assert_eq!(
                read(text).as_deref(),
                Some("2023-08-06T15:18:38.5Z"),
                "{text}"
            );
        }
        for (text, wanted) in [
            ("2023-08-06T15:18Z", "2023-08-06T15:18:00Z"),
            ("2023-08-06T15Z", "2023-08-06T15:00:00Z"),
            ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
            ("2016-12-31T23:59:60.25Z", "2017-01-01T00:00:00.25Z"),
            ("2023-12-31T24:00:00Z", "2024-01-01T00:00:00Z"),
            ("2023-08-06T00:18:38+02:00", "2023-08-05T22:18:38Z"),
            (
                "1969-12-31T23:59:59.999999999Z",
                "1969-12-31T23:59:59.999999999Z",
            ),
        ] {
            assert_eq!(read(text).as_deref(), Some(wanted), "{text}");
        }
        assert!(moment("2023-08-06T15:18:38Z").is_some_and(|moment| moment.has_zone));
        assert!(moment("2023-08-06T15:18:38").is_some_and(|moment| !moment.has_zone));
    }

    #[test]
    fn what_may_be_another_moment_is_not_read() {
        for text in [
            "",
            "2023",
            "2023-08",
            "2023-08-06",
            "06/08/2023 15:18:38",
            "06-08-2023T15:18:38Z",
            "23-08-06T15:18:38Z",
            "2023-1-23456T15:18:38Z",
            "2023-02-30T15:18:38Z",
            "2023-08-06T25:18:38Z",
            "2023-08-06T15:61:38Z",
            "2023-08-06T15:18:61Z",
            "2023-08-06T24:18:38Z",
            "2023-08-06T15:18:38 CEST",
            "2023-08-06T03:18:38 PM",
            "2023-08-06T15:18:38+25:00",
            "1691335118",
            "Sun Aug  6 15:18:38 2023",
            "\u{e9}\u{e9}\u{e9}T1\u{e9}:0",
            "2023-08-06T15:18:38.\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}",
            "9999-12-31T23:59:60-10:00",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}

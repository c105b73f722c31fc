//! The chunk `bext` of Broadcast Wave files: the date and the time of its first sample.
//!
//! Both are text, `2020-01-31` and `12:34:56` with any separators, and name no time zone.
//!
//! Source: EBU Tech 3285, OriginationDate and OriginationTime.

use time::OffsetDateTime;

use super::super::names::utc_of;
use common::text::quote;

/// The time of a chunk as if it were UTC, or the text that is none; nothing where it has no time.
pub fn read(chunk: &[u8]) -> Option<Result<OffsetDateTime, String>> {
    let text = |at: usize, most: usize| {
        let bytes = chunk.get(at..at + most).unwrap_or_default();
        let text = String::from_utf8_lossy(bytes);
        text.trim_matches(['\0', ' ']).to_owned()
    };
    let (date, time) = (text(320, 10), text(330, 8));
    let is_none = |text: &str| !text.contains(|c| ('1'..='9').contains(&c) || c.is_alphabetic());
    if is_none(&date) {
        return None;
    }
    let numbers = |text: &str| -> Option<[u16; 3]> {
        let parts = text.split(|c: char| !c.is_ascii_digit());
        let parts: Option<Vec<u16>> = parts.map(|part| part.parse().ok()).collect();
        parts?.try_into().ok()
    };
    let time_of_day = if time.is_empty() { "00:00:00" } else { &time };
    let start = numbers(&date)
        .zip(numbers(time_of_day))
        .and_then(|(date, time)| utc_of(date, time, 0));
    Some(start.ok_or_else(|| quote(&format!("{date} {time}"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(date: &[u8; 10], time: &[u8; 8]) -> Vec<u8> {
        [&[b'x'; 320][..], date, time, &[0; 264]].concat()
    }

    #[test]
    fn date_and_time_have_any_separators() {
        for (date, time) in [
            (b"2020-01-31", b"12:34:56"),
            (b"2020:01:31", b"12-34-56"),
            (b"2020_01_31", b"12.34.56"),
        ] {
            let start = read(&chunk(date, time)).expect("a time").expect("a time");
            assert_eq!(start.unix_timestamp(), 1_580_474_096);
        }
    }

    #[test]
    fn no_date_says_nothing_and_another_text_is_said() {
        for chunk in [
            vec![],
            vec![b'x'; 300],
            chunk(&[0; 10], &[0; 8]),
            chunk(b"0000-00-00", b"00:00:00"),
        ] {
            assert_eq!(read(&chunk), None);
        }
        for (date, time, said) in [
            (b"31.01.2020", b"12:34:56", "31.01.2020 12:34:56"),
            (b"2020-13-31", b"12:34:56", "2020-13-31 12:34:56"),
            (b"yesterday\0", b"noon\0\0\0\0", "yesterday noon"),
        ] {
            assert_eq!(read(&chunk(date, time)), Some(Err(said.to_owned())));
        }
    }
}

//! Names of files of receivers: centre frequency, time and rate in them.
//!
//! Only names of known programs are read, so that a `hum_50Hz.wav` stays what it is. A time is
//! taken where the program writes it in UTC.
//!
//! | program | name |
//! |---|---|
//! | SDR# | `SDRSharp_20150804_205139Z_145825000Hz_IQ.wav` |
//! | HDSDR | `HDSDR_20171123_005716Z_1130kHz_RF.wav` |
//! | SDRuno | `SDRuno_20200907_184033Z_88110kHz.wav` |
//! | SDRconnect | `SDRconnect_IQ_20250322_173407_741000HZ.wav` |
//! | SDR Console | `07-Aug-2023 181711.798 401.774MHz.wav` |
//! | SDR++ | `baseband_145000000Hz_12-34-56_01-01-2020.wav` |
//! | gqrx | `gqrx_20230806_151838_428000000_200000_fc.raw` |
//! | SatDump | `2023-08-05_08-02-00_16000000SPS_2274000000Hz.s16` |
//!
//! Sources: names of published recordings; gqrx's and SDR++'s sources, of which the first takes UTC
//! and the second local time.

use time::macros::format_description;
use time::{Date, Month, OffsetDateTime, PrimitiveDateTime, Time};

use common::quantity;
use signal::Rate;

/// The facts in a name.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Named {
    /// The program that writes such names.
    pub program: &'static str,
    /// The centre frequency in hertz.
    pub centre_hz: Option<f64>,
    /// The time of the first sample.
    pub start: Option<OffsetDateTime>,
    /// The sample rate.
    pub rate: Option<Rate>,
    /// The format, as `--samples` names it.
    pub samples: Option<&'static str>,
    /// True if the samples are demodulated, so that 0 Hz is 0 Hz.
    pub is_audio: bool,
}

/// Reads the name of a file; nothing, when it is of no known program.
pub fn of(name: &str) -> Option<Named> {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let words: Vec<&str> = stem.split(['_', ' ']).collect();
    let program = match *words.first()? {
        "gqrx" => return gqrx(&words),
        "SDRSharp" => "SDR#",
        "HDSDR" => "HDSDR",
        "SDRuno" => "SDRuno",
        "SDRconnect" => "SDRconnect",
        "baseband" => "SDR++",
        first if is_console_date(first) => "SDR Console",
        first if is_dashed_date(first) && words.iter().any(|word| word.ends_with("SPS")) => {
            "SatDump"
        }
        _ => return None,
    };
    let is_audio = words.contains(&"AF");
    let centre = words.iter().rev().find_map(|word| frequency(word));
    let rate = words.iter().find_map(|word| word.strip_suffix("SPS"));
    Some(Named {
        program,
        centre_hz: centre.filter(|_| !is_audio),
        start: words
            .windows(2)
            .find_map(|pair| utc(pair[0], pair[1].strip_suffix('Z')?)),
        rate: rate.and_then(|rate| quantity::rate(rate).ok()),
        samples: None,
        is_audio,
    })
}

/// `gqrx_DATE_TIME_CENTRE_RATE_fc`: samples. Without a rate it is audio.
fn gqrx(words: &[&str]) -> Option<Named> {
    let [_, date, time, centre, rest @ ..] = words else {
        return None;
    };
    let is_samples = rest.get(1) == Some(&"fc");
    Some(Named {
        program: "gqrx",
        centre_hz: centre.parse().ok().filter(|_| is_samples),
        start: utc(date, time),
        rate: rest.first().and_then(|rate| quantity::rate(rate).ok()),
        samples: is_samples.then_some("cf32"),
        is_audio: !is_samples,
    })
}

/// `1130kHz`, `741000HZ`, `401.774MHz` in hertz.
fn frequency(word: &str) -> Option<f64> {
    let number = word.strip_suffix("Hz").or(word.strip_suffix("HZ"))?;
    let (number, factor) = match number.as_bytes().last()? {
        b'k' => (&number[..number.len() - 1], 1e3),
        b'M' => (&number[..number.len() - 1], 1e6),
        b'G' => (&number[..number.len() - 1], 1e9),
        _ => (number, 1.0),
    };
    let is_plain = |byte: u8| byte.is_ascii_digit() || byte == b'.';
    let hz = number.parse::<f64>().ok()? * factor;
    (number.bytes().all(is_plain) && hz.is_finite()).then_some(hz)
}

/// A date such as `20171123` and a time such as `005716`.
fn utc(date: &str, time: &str) -> Option<OffsetDateTime> {
    let form = format_description!("[year][month][day]_[hour][minute][second]");
    let text = format!("{date}_{time}");
    let time = PrimitiveDateTime::parse(&text, form).ok()?;
    // The form would take a year with a sign as well.
    (date.len() == 8).then(|| time.assume_utc())
}

/// The time of a date in years, months and days, and of hours, minutes and seconds.
pub fn utc_of(date: [u16; 3], time: [u16; 3], millisecond: u16) -> Option<OffsetDateTime> {
    let [year, month, day] = date;
    let [hour, minute, second] = time.map(|part| u8::try_from(part).unwrap_or(u8::MAX));
    let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
    let date = Date::from_calendar_date(year.into(), month, u8::try_from(day).ok()?).ok()?;
    let time = Time::from_hms_milli(hour, minute, second, millisecond).ok()?;
    Some(PrimitiveDateTime::new(date, time).assume_utc())
}

/// `07-Aug-2023`.
fn is_console_date(word: &str) -> bool {
    let parts: Vec<&str> = word.split('-').collect();
    matches!(parts[..], [day, month, year]
        if day.parse::<u8>().is_ok() && month.len() == 3 && year.parse::<u16>().is_ok()
            && month.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

/// `2023-08-05`.
fn is_dashed_date(word: &str) -> bool {
    let mut parts = word.split('-');
    let mut next = |digits: usize| {
        parts.next().is_some_and(|part| {
            part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    next(4) && next(2) && next(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_programs_give_centre_time_and_rate() {
        for (name, centre_hz, start, rate) in [
            (
                "SDRSharp_20150804_205139Z_145825000Hz_IQ.wav",
                Some(145_825_000.0),
                Some(1_438_721_499),
                None,
            ),
            (
                "HDSDR_20171123_005716Z_1130kHz_RF.wav",
                Some(1_130_000.0),
                Some(1_511_398_636),
                None,
            ),
            (
                "HDSDR_20171123_005716Z_1130kHz_AF.wav",
                None,
                Some(1_511_398_636),
                None,
            ),
            (
                "SDRuno_20200907_184033Z_88110kHz.wav",
                Some(88_110_000.0),
                Some(1_599_504_033),
                None,
            ),
            (
                "SDRconnect_IQ_20250322_173407_741000HZ.wav",
                Some(741_000.0),
                None,
                None,
            ),
            (
                "07-Aug-2023 181711.798 401.774MHz.wav",
                Some(401_774_000.0),
                None,
                None,
            ),
            (
                "baseband_145000000Hz_12-34-56_01-01-2020.wav",
                Some(145e6),
                None,
                None,
            ),
            (
                "gqrx_20230806_151838_428000000_200000_fc.raw",
                Some(428e6),
                Some(1_691_335_118),
                Some(200_000),
            ),
            (
                "gqrx_20230806_151838_428000000.wav",
                None,
                Some(1_691_335_118),
                None,
            ),
            (
                "2023-08-05_08-02-00_16000000SPS_2274000000Hz.s16",
                Some(2_274_000_000.0),
                None,
                Some(16_000_000),
            ),
        ] {
            let named = of(name).expect(name);
            assert_eq!(named.centre_hz, centre_hz, "{name}");
            assert_eq!(
                named.start.map(OffsetDateTime::unix_timestamp),
                start,
                "{name}"
            );
            assert_eq!(named.rate, rate.map(Rate::hz), "{name}");
        }
    }

    #[test]
    fn other_names_say_nothing() {
        for name in [
            "hum_50Hz.wav",
            "a.wav",
            "",
            "2023-08-05_walk.wav",
            "gqrx_1.wav",
        ] {
            assert_eq!(of(name), None, "{name}");
        }
        let named = of("HDSDR_20171323_005716Z_ékHz_RF.wav").expect("HDSDR's");
        assert_eq!((named.start, named.centre_hz), (None, None));
    }
}

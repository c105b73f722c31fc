//! The chunk `auxi` of WAV files of receivers: when the recording began, and its centre frequency.
//!
//! SpectraVue's is binary: two times of eight fields of 16 bits (year, month, day of the week, day,
//! hour, minute, second, millisecond), of the start and of the end, and then the centre in hertz in
//! 32 bits. SDR#, HDSDR, SDRuno and SDRconnect write the same. SDR Console's is XML in UTF-16 with
//! the attributes `RadioCenterFreq` and `UTCSeconds`.
//!
//! Sources: SpectraVue User Guide 3.18; recordings of SDRuno and SDR Console as `rsp-recorder` and
//! UberSDR write them.

use time::OffsetDateTime;

use super::super::names::utc_of;
use super::chunks::field;
use common::text::quote;

/// The facts in a chunk.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Auxi {
    /// The centre frequency in hertz.
    pub centre_hz: Option<f64>,
    /// The time of the first sample, in UTC.
    pub start: Option<OffsetDateTime>,
    /// A text in place of a time that is none.
    pub no_time: Option<String>,
}

/// Reads a chunk; a fact that is missing is left out.
pub fn read(chunk: &[u8]) -> Auxi {
    let is_xml = |start: &[u8]| chunk.starts_with(start);
    if is_xml(b"<\0?\0") || is_xml(b"<\0S\0") || is_xml(b"\xff\xfe<\0") {
        let units = chunk
            .as_chunks()
            .0
            .iter()
            .map(|unit| u16::from_le_bytes(*unit));
        return xml(&char::decode_utf16(units)
            .map(|c| c.unwrap_or(' '))
            .collect::<String>());
    }
    if is_xml(b"<") {
        return xml(&String::from_utf8_lossy(chunk));
    }
    binary(chunk).unwrap_or_else(|| Auxi {
        no_time: Some(format!("{} bytes of another kind", chunk.len())),
        ..Auxi::default()
    })
}

fn binary(chunk: &[u8]) -> Option<Auxi> {
    let number = |at: usize| field(chunk, 2 * at, 2).map(|number| number as u16);
    let date = [number(0)?, number(1)?, number(3)?];
    let time = [number(4)?, number(5)?, number(6)?];
    let centre = field(chunk, 32, 4)?;
    let start = utc_of(date, time, number(7)?);
    // A recorder without a clock writes zeros.
    let is_given = [date, time].concat().iter().any(|part| *part != 0);
    let ([year, month, day], [hour, minute, second]) = (date, time);
    let text = format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}");
    Some(Auxi {
        centre_hz: (centre > 0).then_some(centre as f64),
        start,
        no_time: (start.is_none() && is_given).then_some(text),
    })
}

/// Two attributes of the only element that has them.
fn xml(text: &str) -> Auxi {
    let attribute = |name: &str| {
        let (_, rest) = text.split_once(&format!(" {name}=\""))?;
        Some(rest.split_once('"')?.0)
    };
    let seconds = attribute("UTCSeconds").filter(|text| text.parse() != Ok(0.0));
    let start = seconds.and_then(|text| {
        let seconds = text.parse::<f64>().ok().filter(|seconds| *seconds > 0.0)?;
        let whole = OffsetDateTime::from_unix_timestamp(seconds as i64).ok()?;
        Some(whole + time::Duration::milliseconds((seconds.fract() * 1000.0).round() as i64))
    });
    let centre_hz = attribute("RadioCenterFreq").and_then(|text| text.parse().ok());
    Auxi {
        centre_hz: centre_hz.filter(|hz: &f64| hz.is_finite() && *hz > 0.0),
        start,
        no_time: seconds.filter(|_| start.is_none()).map(quote),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_give_centre_and_time() {
        let mut chunk = vec![];
        for field in [2017_u16, 11, 4, 23, 0, 57, 16, 250] {
            chunk.extend(field.to_le_bytes());
        }
        chunk.extend([0; 16]);
        chunk.extend(1_130_000_u32.to_le_bytes());
        chunk.extend([0; 128]);
        let auxi = read(&chunk);
        assert_eq!(auxi.centre_hz, Some(1_130_000.0));
        let start = auxi.start.expect("a time");
        assert_eq!(
            (start.unix_timestamp(), start.millisecond()),
            (1_511_398_636, 250)
        );
        let xml = "<?xml version=\"1.0\"?><SDR-XML-Root><Definition RadioCenterFreq=\"7110000\" \
                   SampleRate=\"192000\" UTCSeconds=\"1592637566\"></Definition></SDR-XML-Root>";
        let xml: Vec<u8> = xml.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let auxi = read(&xml);
        assert_eq!(auxi.centre_hz, Some(7_110_000.0));
        assert_eq!(auxi.start.expect("a time").unix_timestamp(), 1_592_637_566);
    }

    #[test]
    fn a_time_that_is_none_is_said_and_a_missing_one_is_not() {
        for (chunk, no_time) in [
            (&[][..], Some("0 bytes of another kind")),
            (&[0xff; 20], Some("20 bytes of another kind")),
            (&[0xff; 164], Some("65535-65535-65535 65535:65535:65535")),
            (&[0; 164], None),
            (b"<x RadioCenterFreq=\"inf\"/>", None),
            (b"<x UTCSeconds=\"0\"/>", None),
            (b"<x UTCSeconds=\"noon\"/>", Some("noon")),
            (b"<x UTCSeconds=\"1e99\"/>", Some("1e99")),
            (b"<x UTCSeconds=\"inf\"/>", Some("inf")),
        ] {
            let auxi = read(chunk);
            assert_eq!(auxi.start, None, "{chunk:?}");
            assert_eq!(auxi.no_time.as_deref(), no_time, "{chunk:?}");
        }
        let auxi = read(b"<x UTCSeconds=\"1592637566.25\"/>");
        assert_eq!(auxi.start.expect("a time").millisecond(), 250);
    }
}

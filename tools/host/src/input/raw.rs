//! Raw samples: numbers and nothing else, as receivers record them.

use super::names::{self, Named};
use super::{Bytes, Channel, Format, Reading, Recording, Samples};
use common::failure::{Failure, Result};

/// Reads samples of a known format.
pub fn read(name: &str, bytes: Bytes, format: Format, how: &Reading) -> Result<Recording> {
    let named = names::of(name).unwrap_or_default();
    let rate = how.rate.or(named.rate).ok_or_else(|| {
        Failure::usage(format!(
            "{name} is raw {} and does not say its sample rate; give it with --rate, for example --rate 2M",
            format.name()
        ))
    })?;
    let left = bytes.len() % format.bytes() as u64;
    let samples = Samples::all(bytes, format, 0);
    if samples.count() == 0 {
        return Err(Failure::usage(format!(
            "{name} holds not one sample of {} bytes; choose another recording",
            format.bytes()
        )));
    }
    let mut recording = Recording::new(name, format.name(), rate, vec![Channel::only(samples)]);
    let Named {
        centre_hz, start, ..
    } = named;
    (recording.centre_hz, recording.start) = (centre_hz, start);
    if let Some(stated) = named.rate.filter(|&stated| stated != rate) {
        let note = format!("sample rate {rate} as given; the file's name says {stated}");
        recording.notes.push(note);
    }
    match left {
        0 => {}
        1 => recording
            .notes
            .push("the last byte is part of a sample and was left out".to_owned()),
        left => recording.notes.push(format!(
            "the last {left} bytes are part of a sample and were left out"
        )),
    }
    Ok(recording)
}

/// The refusal of an ending that many formats share.
pub fn format_unknown(name: &str) -> Failure {
    let example = match names::of(name) {
        Some(Named {
            samples: Some(format),
            program,
            ..
        }) => format!("{program} records {format}: --samples {format}"),
        _ => format!("one of {}", Format::names()),
    };
    Failure::usage(format!(
        "{name} may hold samples of any format; say which with --samples ({example})"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Number, read_bytes};

    #[test]
    fn bytes_are_pairs_and_need_a_rate() {
        let how = Reading {
            rate: Some(signal::Rate::hz(2_000_000)),
            ..Reading::default()
        };
        let read = |bytes: &[u8], how: &Reading| {
            read(
                "a.iq",
                bytes.to_vec().into(),
                Format::new(Number::U8, true),
                how,
            )
        };
        let recording = read(&[0, 255, 128, 127, 9], &how).expect("I/Q");
        assert_eq!(recording.channels[0].points(), 2);
        assert!(recording.is_complex());
        let values = recording.channels[0].samples.values(0, 1);
        assert_eq!(values.expect("values"), [-1.0, 1.0]);
        assert_eq!(recording.notes.len(), 1);
        let failure = read(&[0, 255], &Reading::default()).expect_err("no rate");
        assert!(failure.message.contains("--rate 2M"), "{failure}");
        assert!(read(&[1], &how).is_err());
    }

    #[test]
    fn the_name_of_a_file_of_gqrx_gives_what_it_says() {
        let name = "gqrx_20230806_151838_428000000_200000_fc.raw";
        let failure = read_bytes(name, vec![0; 64], &Reading::default()).expect_err("any format");
        assert!(failure.message.contains("--samples cf32"), "{failure}");
        let how = Reading {
            samples: Format::from_name("cf32"),
            ..Reading::default()
        };
        let recording = read_bytes(name, vec![0; 64], &how).expect("samples");
        assert_eq!(recording.rate, signal::Rate::hz(200_000));
        assert_eq!(recording.centre_hz, Some(428e6));
        let start = recording.start.expect("a time");
        assert_eq!(start.unix_timestamp(), 1_691_335_118);
    }
}

//! Raw unsigned 8-bit I/Q, as RTL-SDR programs record it.
//!
//! The bytes travel as they are: the wire's u8 format is this one.

use super::{Channel, Reading, Recording, Samples, Unit};
use crate::failure::{Failure, Result};

/// Reads interleaved I and Q bytes.
pub fn read(name: &str, bytes: &[u8], how: &Reading) -> Result<Recording> {
    let Some(rate) = how.rate else {
        return Err(Failure::usage(format!(
            "{name} is raw I/Q and does not say its sample rate; give it with --rate, for example --rate 2M"
        )));
    };
    let mut notes = vec![];
    let whole = bytes.len() / 2 * 2;
    if whole != bytes.len() {
        notes.push("the last byte is half a sample and was left out".to_owned());
    }
    if whole == 0 {
        return Err(Failure::usage(format!(
            "{name} holds not one I/Q pair; choose another recording"
        )));
    }
    Ok(Recording {
        name: name.to_owned(),
        rate,
        unit: Unit::FullScale,
        channels: vec![Channel {
            name: String::new(),
            samples: Samples::U8(bytes[..whole].to_vec()),
            complex: true,
        }],
        notes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_pairs_and_need_a_rate() {
        let how = Reading {
            rate: Some(signal::Rate::hz(2_000_000)),
            ..Reading::default()
        };
        let recording = read("a.iq", &[0, 255, 128, 127, 9], &how).expect("I/Q");
        assert_eq!(recording.channels[0].points(), 2);
        assert!(recording.channels[0].complex);
        assert_eq!(recording.channels[0].samples.to_f32()[..2], [-1.0, 1.0]);
        assert_eq!(recording.notes.len(), 1);
        let failure = read("a.iq", &[0, 255], &Reading::default()).expect_err("no rate");
        assert!(failure.message.contains("--rate 2M"), "{failure}");
        assert!(read("a.iq", &[1], &how).is_err());
    }
}

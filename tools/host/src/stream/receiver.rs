//! The receiving end of a line: bytes in, events out, losses counted.

use std::fmt;

use wire::{Decoder, LineCounters};

use super::collector::Collector;
use super::event::Event;
use super::following::Following;
use super::records::Records;
use super::spectrum::UPLOAD;
use crate::input::Unit;

/// The receiving end.
#[derive(Default)]
pub struct Receiver {
    decoder: Box<Decoder>,
    records: Records,
    /// The source's name for uploaded samples.
    source: Option<String>,
    /// The unit that the host gave its samples.
    unit: Option<Unit>,
    following: Following,
    bytes: u64,
    spectra: u64,
}

impl Receiver {
    /// Says what the samples are that the host itself sends from now on.
    pub fn name_upload(&mut self, source: &str, unit: &Unit) {
        self.source = Some(source.to_owned());
        self.unit = Some(unit.clone());
    }

    /// Puts records of this stream together in any order from now on, because what is lost of them
    /// is asked for again.
    pub fn collect(&mut self, stream: Option<u16>) {
        self.records.collector = stream.map(Collector::new);
    }

    /// The records of [`Receiver::collect`].
    #[must_use]
    pub fn collector(&self) -> Option<&Collector> {
        self.records.collector.as_ref()
    }

    /// Values that have come, of all records.
    #[must_use]
    pub fn values(&self) -> u64 {
        self.records.values
    }

    /// The health of the stream so far.
    #[must_use]
    pub fn health(&self) -> Health {
        let LineCounters {
            frames,
            text_bytes,
            lost_bytes,
            crc_errors,
            sequence_gaps,
            restarts,
            ..
        } = self.decoder.counters();
        Health {
            bytes: self.bytes,
            frames,
            text_bytes,
            lost_bytes,
            crc_errors,
            sequence_gaps,
            restarts,
            spectra: self.spectra,
            unexplained_spectra: self.records.assembly.unexplained(),
            incomplete_spectra: self.records.assembly.incomplete(),
        }
    }

    /// Bytes of a frame or of noise that has not ended yet.
    #[must_use]
    pub fn pending(&self) -> u64 {
        self.decoder.pending() as u64
    }

    /// Pieces of the stream that were neither frames nor text.
    #[must_use]
    pub fn damaged(&self) -> u64 {
        self.decoder.counters().damaged
    }

    /// Takes bytes in; what they complete is appended to `events`.
    pub fn push(&mut self, bytes: &[u8], events: &mut Vec<Event>) {
        self.bytes += bytes.len() as u64;
        for &byte in bytes {
            let event = match self.decoder.push(byte) {
                None => continue,
                Some(item) => self.records.event(item),
            };
            self.keep(event, events);
            while let late @ Some(_) = self.records.late.pop_front() {
                self.keep(late, events);
            }
        }
    }

    /// The stream has ended: what is left becomes an event.
    pub fn finish(&mut self, events: &mut Vec<Event>) {
        let event = self
            .decoder
            .finish()
            .and_then(|item| self.records.event(item));
        self.keep(event, events);
        self.records.assembly.give_up();
    }

    fn keep(&mut self, event: Option<Event>, events: &mut Vec<Event>) {
        let Some(mut event) = event else { return };
        if let Event::Spectrum(spectrum, _) = &mut event {
            self.spectra += 1;
            self.following.take(spectrum);
            if spectrum.source == UPLOAD {
                if let Some(source) = &self.source {
                    spectrum.source.clone_from(source);
                }
                if let Some(unit) = &self.unit {
                    spectrum.unit = unit.clone();
                }
            }
        }
        events.push(event);
    }
}

/// The health of a stream, for people and for JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct Health {
    /// Bytes received.
    pub bytes: u64,
    /// Frames whose checksum held.
    pub frames: u64,
    /// Bytes of readable text.
    pub text_bytes: u64,
    /// Bytes that were neither.
    pub lost_bytes: u64,
    /// Frames whose checksum did not hold.
    pub crc_errors: u64,
    /// Frames missing by their sequence numbers.
    pub sequence_gaps: u64,
    /// Times the board started anew.
    pub restarts: u64,
    /// Whole spectra.
    pub spectra: u64,
    /// Spectra that could not be shown, because their descriptor has not come.
    pub unexplained_spectra: u64,
    /// Spectra of which a part was lost.
    pub incomplete_spectra: u64,
}

impl Health {
    /// Returns whether anything was lost.
    #[must_use]
    pub fn is_lossy(&self) -> bool {
        self.lost_bytes + self.crc_errors + self.sequence_gaps + self.incomplete_spectra > 0
    }
}

impl fmt::Display for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} spectra in {} frames; {} bytes lost, {} CRC errors, {} sequence gaps, {} incomplete spectra",
            self.spectra,
            self.frames,
            self.lost_bytes,
            self.crc_errors,
            self.sequence_gaps,
            self.incomplete_spectra
        )?;
        if self.restarts > 0 {
            write!(f, ", the board restarted {} times", self.restarts)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::tests::{example_stream, repeating_stream};

    #[test]
    fn a_stream_becomes_text_and_spectra() {
        let (mut receiver, mut events) = (Receiver::default(), vec![]);
        receiver.push(&example_stream(4096, 2), &mut events);
        assert_eq!(events[0], Event::Text("qpuscope test\r\n".into()));
        let spectra: Vec<_> = events
            .iter()
            .filter_map(|event| match event {
                Event::Spectrum(spectrum, 0) => Some(spectrum),
                _ => None,
            })
            .collect();
        assert_eq!(spectra.len(), 2);
        assert_eq!(spectra[1].power.len(), 2049);
        assert!((spectra[1].level_db(512) + 10.0).abs() < 1e-4);
        assert_eq!(spectra[1].frequency_hz(512), 6000.0);
        let health = receiver.health();
        assert_eq!(
            (health.spectra, health.lost_bytes, health.sequence_gaps),
            (2, 0, 0)
        );
        assert!(!health.is_lossy());
    }

    #[test]
    fn damage_costs_its_chunk_and_is_counted() {
        let mut bytes = example_stream(4096, 3);
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x10;
        let (mut receiver, mut events) = (Receiver::default(), vec![]);
        receiver.push(&bytes, &mut events);
        receiver.finish(&mut events);
        let health = receiver.health();
        assert!(health.lost_bytes > 0 && health.is_lossy(), "{health}");
        assert_eq!(health.spectra, 3, "{health}");
        let lost: u32 = events
            .iter()
            .map(|event| match event {
                Event::Spectrum(spectrum, missing) => {
                    assert_eq!(
                        spectrum.power.iter().filter(|power| power.is_nan()).count(),
                        *missing as usize
                    );
                    *missing
                }
                _ => 0,
            })
            .sum();
        assert!((1..=500).contains(&lost), "{lost}");
    }

    #[test]
    fn a_record_that_a_recording_ends_in_is_counted() {
        let bytes = example_stream(4096, 1);
        let ends: Vec<usize> = (1..bytes.len())
            .filter(|&at| bytes[at - 1..=at] == [0, 0])
            .collect();
        // The end of a frame, so that no byte of it is lost.
        let (mut receiver, mut events) = (Receiver::default(), vec![]);
        receiver.push(&bytes[..ends[ends.len() - 1]], &mut events);
        assert!(!receiver.health().is_lossy());
        receiver.finish(&mut events);
        let health = receiver.health();
        assert_eq!((health.spectra, health.incomplete_spectra), (0, 1));
    }

    #[test]
    fn what_was_said_before_a_start_explains_nothing_behind_it() {
        let frames = |bytes: &[u8]| {
            let end = bytes.windows(2).position(|pair| pair == [0, 0]);
            end.expect("two frames") + 1
        };
        let second = example_stream(256, 2);
        // Its descriptor was lost; the one before has the same number.
        let records = &second[frames(&second)..];
        let long = example_stream(4096, 2);
        // A start, told by the numbers of frames; and a length, where these happen to grow.
        for before in [&second[..], &long[..frames(&long)]] {
            let (mut receiver, mut events) = (Receiver::default(), vec![]);
            receiver.push(before, &mut events);
            let spectra = receiver.health().spectra;
            receiver.push(records, &mut events);
            let health = receiver.health();
            assert_eq!(
                (health.spectra, health.unexplained_spectra),
                (spectra, 2),
                "{health}"
            );
        }
    }

    #[test]
    fn records_wait_for_a_descriptor_that_comes_again() {
        let stream = repeating_stream(256, 3, 2);
        let at = |from: usize| {
            let end = stream[from..].windows(2).position(|pair| pair == [0, 0]);
            from + end.expect("frames") + 1
        };
        // Without the first descriptor; the second one lies behind two records.
        let first = at(0);
        let second = at(at(first));
        let (mut receiver, mut events) = (Receiver::default(), vec![]);
        receiver.push(&stream[first..second], &mut events);
        assert_eq!(receiver.health().unexplained_spectra, 2);
        receiver.push(&stream[second..], &mut events);
        assert_eq!(receiver.health().unexplained_spectra, 0);
        let records: Vec<u32> = events
            .iter()
            .filter_map(|event| match event {
                Event::Spectrum(spectrum, 0) => Some(spectrum.record),
                _ => None,
            })
            .collect();
        assert_eq!(records, [0, 1, 2]);
    }

    #[test]
    fn any_bytes_are_survived() {
        let (mut receiver, mut events) = (Receiver::default(), vec![]);
        let mut state = 1_u32;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .take(100_000)
        .collect();
        receiver.push(&noise, &mut events);
        receiver.push(&example_stream(256, 1), &mut events);
        assert_eq!(receiver.health().spectra, 1);
    }

    #[test]
    fn records_do_not_wait_in_any_number() {
        const RECORDS: u32 = 30_000;
        // 9 values each; the descriptor that was lost comes again before the last.
        let stream = repeating_stream(16, RECORDS, RECORDS - 1);
        let ends = stream.windows(2).enumerate();
        let mut ends = ends.filter_map(|(at, pair)| (pair == [0, 0]).then_some(at + 1));
        let first = ends.next().expect("a descriptor");
        let mut receiver = Receiver::default();
        receiver.push(&stream[first..], &mut vec![]);
        let most = (view::receive::MOST_VALUES / (9 + view::receive::RECORD_VALUES)) as u64;
        let health = receiver.health();
        assert_eq!(health.spectra, most + 1);
        assert_eq!(health.unexplained_spectra, u64::from(RECORDS) - most - 1);
    }
}

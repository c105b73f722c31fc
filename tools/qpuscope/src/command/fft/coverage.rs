//! The samples of a channel beside its spectra: those that are clipped, and those in none.

use crate::command::clipped::Clipped;
use common::failure::Result;
use host::input::{Channel, Recording, Unit};
use host::spectrum::Spectrum;

/// The spectra of a channel so far.
pub(super) struct Coverage<'a> {
    channel: &'a Channel,
    has_full_scale: bool,
    /// Samples before this one are in a spectrum, as far as blocks follow each other.
    end: u64,
    clipped: Clipped,
}

impl<'a> Coverage<'a> {
    /// The channels of a recording, of which no spectrum has come.
    pub(super) fn of(recording: &'a Recording) -> Vec<Self> {
        let has_full_scale = recording.unit == Unit::FullScale;
        let channels = recording.channels.iter();
        let none = |channel| Self {
            channel,
            has_full_scale,
            end: 0,
            clipped: Clipped::default(),
        };
        channels.map(none).collect()
    }

    /// Takes in the next spectrum, which gets the number of clipped samples that it is the first to
    /// have.
    pub(super) fn take(&mut self, spectrum: &mut Spectrum) -> Result<()> {
        let first = spectrum.first_sample;
        let end = first.saturating_add(spectrum.samples());
        let end = end.min(self.channel.points());
        let clipped = match self.has_full_scale {
            true => self.channel.samples.clipped(first.max(self.end), end)?,
            false => 0,
        };
        self.end = self.end.max(end);
        spectrum.counters.clipped = Some(clipped);
        self.clipped.take(Some(clipped));
        Ok(())
    }

    /// Samples behind the last spectrum.
    const fn left_over(&self) -> u64 {
        self.channel.points().saturating_sub(self.end)
    }
}

/// The sentences about clipped samples, and about those in no spectrum of blocks of `n`.
pub(super) fn remarks(channels: &[Coverage], n: u32) -> Vec<String> {
    let of = |coverage: &Coverage| match coverage.channel.name.as_str() {
        "" => String::new(),
        name => format!("{name}: "),
    };
    let clipped = channels.iter().filter_map(|coverage| {
        let remark = coverage.clipped.remark()?;
        let remedy = match coverage.channel.samples.format().number.is_float() {
            true => "if nothing was cut off there, scale them to 1; else record with a lower level",
            false => "if the signal was cut off there, record with a lower level",
        };
        Some(format!("{}{remark}; {remedy}", of(coverage)))
    });
    let mut remarks: Vec<_> = clipped.collect();
    let mut left_over = channels.iter().peekable();
    while let Some(coverage) = left_over.next() {
        let count = coverage.left_over();
        // What is true of both channels is said once.
        let is_of_all = left_over
            .next_if(|next| next.left_over() == count)
            .is_some();
        let whose = match is_of_all {
            true => "both channels: ".to_owned(),
            false => of(coverage),
        };
        let samples = match count {
            0 => continue,
            1 => "the last sample is".to_owned(),
            count => format!("the last {count} samples are"),
        };
        remarks.push(format!(
            "{whose}{samples} in no spectrum, because a block has {n}; a smaller --n or a greater --overlap reaches further"
        ));
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::example::example;
    use host::input::{Samples, read_bytes};
    use signal::Rate;

    /// Real samples of 8 bits.
    fn recording(bytes: Vec<u8>) -> Recording {
        let how = host::input::Reading {
            rate: Some(Rate::hz(8000)),
            samples: host::input::Format::from_name("u8"),
            ..Default::default()
        };
        read_bytes("a.u8", bytes, &how).expect("a recording")
    }

    /// Spectra of one block of 16 samples each, which share 8.
    fn clipped(coverage: &mut Coverage, first: &[u64]) -> Vec<u64> {
        let count = |first: &u64| {
            let mut spectrum = example(16, false);
            (spectrum.averages, spectrum.first_sample) = (1, *first);
            coverage.take(&mut spectrum).expect("samples");
            spectrum.counters.clipped.expect("a count")
        };
        first.iter().map(count).collect()
    }

    #[test]
    fn a_clipped_sample_counts_for_the_first_spectrum_that_has_it() {
        let mut bytes = vec![100; 37];
        for at in [3, 10, 17, 25, 35] {
            bytes[at] = 255;
        }
        let recording = recording(bytes);
        let mut channels = Coverage::of(&recording);
        assert_eq!(clipped(&mut channels[0], &[0, 8, 16]), [2, 1, 1]);
        let remarks = remarks(&channels, 16);
        let wanted = "4 samples are at or beyond full scale, in 3 of 3 spectra; if the signal";
        assert!(remarks[0].starts_with(wanted), "{remarks:?}");
        let wanted = "the last 5 samples are in no spectrum, because a block has 16; ";
        assert!(remarks[1].starts_with(wanted), "{remarks:?}");
        assert_eq!(remarks.len(), 2);
    }

    #[test]
    fn the_rest_of_two_channels_is_said_once_where_it_is_one_number() {
        let samples = |count: usize| Samples::of_f64(&vec![0.5; count]);
        let channel = |name: &str, count| Channel {
            name: name.to_owned(),
            samples: samples(count),
        };
        for (counts, wanted) in [
            ([20, 20], &["both channels: the last 4 samples are"][..]),
            ([16, 17], &["right: the last sample is"]),
            (
                [18, 17],
                &["left: the last 2 samples are", "right: the last sample is"],
            ),
            ([16, 16], &[]),
        ] {
            let channels = vec![channel("left", counts[0]), channel("right", counts[1])];
            let recording = Recording::new("a", String::new(), Rate::hz(1), channels);
            let mut channels = Coverage::of(&recording);
            for channel in &mut channels {
                clipped(channel, &[0]);
            }
            let remarks = remarks(&channels, 16);
            assert_eq!(remarks.len(), wanted.len(), "{remarks:?}");
            for (remark, wanted) in remarks.iter().zip(wanted) {
                assert!(remark.starts_with(wanted), "{remark}");
            }
        }
    }
}

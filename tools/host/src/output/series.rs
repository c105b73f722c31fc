//! Files for all records of one kind: one picture, one table, one array.
//!
//! Records go through one at a time, so that a recording of any length takes the same memory. A
//! single record has files of its own, `spectrum.*`; of several there is a waterfall in place of
//! the chart, and `spectra.csv` has a line for each.

use std::path::{Path, PathBuf};

use super::place::SinkPlace;
use super::sink::{AnyFormat, SinkRecord, SpectrumSink};
use super::times::Times;
use crate::lines::Line;
use crate::picture::waterfall::Span;
use crate::spectrum::Spectrum;
use common::failure::Result;

/// Records of one kind and the files that they go to.
pub struct Series<'a> {
    place: SinkPlace<'a>,
    sinks: Vec<Box<dyn SpectrumSink>>,
    times: Times,
    /// The first record, which says what the others are like.
    first: Spectrum,
    /// The time of the last record.
    last: Span,
}

impl<'a> Series<'a> {
    /// Begins files in these formats with a record.
    ///
    /// # Errors
    /// Usage for an input, failed for what cannot be written.
    pub fn begin(
        formats: &[AnyFormat],
        mut place: SinkPlace<'a>,
        times: Times,
        spectrum: &Spectrum,
        lines: &[Line],
    ) -> Result<Self> {
        let record = SinkRecord {
            spectrum,
            lines,
            times: &times,
        };
        let mut open = |format: &AnyFormat| format.open(&mut place, &record);
        let sinks = formats.iter().map(&mut open).collect::<Result<_>>()?;
        let mut series = Self {
            place,
            sinks,
            times,
            first: spectrum.clone(),
            last: times.span(spectrum),
        };
        series.push(spectrum, lines)?;
        Ok(series)
    }

    /// Returns whether a record belongs to the same files: its axis and kind are those of the
    /// first, and it comes later than the last.
    #[must_use]
    pub fn takes(&self, spectrum: &Spectrum) -> bool {
        let span = self.times.span(spectrum);
        spectrum.is_like(&self.first) && span.from_us >= self.last.from_us
    }

    /// Takes a record that belongs to them.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn push(&mut self, spectrum: &Spectrum, lines: &[Line]) -> Result<()> {
        self.last = self.times.span(spectrum);
        let record = SinkRecord {
            spectrum,
            lines,
            times: &self.times,
        };
        for sink in &mut self.sinks {
            sink.put(&record, &mut self.place)?;
        }
        Ok(())
    }

    /// Gives all files their names, which are returned.
    ///
    /// # Errors
    /// When one cannot be written.
    pub fn finish(mut self) -> Result<Vec<PathBuf>> {
        for sink in self.sinks {
            sink.finish(&mut self.place)?;
        }
        Ok(self.place.into_names())
    }
}

/// A path within a sentence, without a leading `./`.
#[must_use]
pub fn shown(path: &Path) -> String {
    common::say::path(path.strip_prefix("./").unwrap_or(path))
}

#[cfg(test)]
mod tests {
    use super::super::{Clock, SinkOptions};
    use super::*;
    use crate::example::example;

    #[test]
    fn a_record_of_another_kind_or_time_begins_other_files() {
        let wanted = SinkOptions {
            folder: PathBuf::new(),
            look: crate::picture::Look::default(),
            merge: crate::picture::waterfall::Merge::Max,
            line_count: 0,
            each: false,
            notes: vec![],
            recorded: None,
        };
        let times = Times {
            clock: Clock::Samples,
            zero: None,
        };
        let mut record = example(64, false);
        record.first_sample = 4800;
        let place = SinkPlace::files(&wanted, &[], 1);
        let series = Series::begin(&[], place, times, &record, &[]).expect("no files");
        assert!(series.takes(&record));
        for (n, complex) in [(64, true), (128, false)] {
            let mut other = example(n, complex);
            other.first_sample = 9600;
            assert!(!series.takes(&other));
        }
        record.first_sample = 4799;
        assert!(!series.takes(&record));
    }
}

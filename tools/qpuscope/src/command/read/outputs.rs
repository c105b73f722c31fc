//! Spectra on their way to standard output and into files.

use super::options::Options;
use common::failure::{Failure, Result};
use common::files::{self, Input};
use common::say;
use host::lines::{Line, strongest};
use host::output::series::Series;
use host::output::{
    AnyFormat, Clock, ShownLines, SinkOptions, SinkPlace, SinkRecord, SpectrumSink, Times,
};
use host::picture::waterfall::Span;
use host::spectrum::Spectrum;
use host::utc::Utc;

/// The outputs of a run.
pub(super) struct Outputs<'a> {
    options: &'a Options,
    format: AnyFormat,
    wanted: &'a SinkOptions,
    inputs: &'a [Input<'a>],
    /// True for a line whose records this computer's clock may date.
    has_clock: bool,
    /// Spectra given out.
    pub(super) written: u64,
    /// The places of records in time, and that of the last one.
    clock: Option<(Times, Span)>,
    /// Standard output, and the sink of all records that are printed.
    printed: (SinkPlace<'a>, Option<Box<dyn SpectrumSink>>),
    /// The files of the records that come now.
    series: Option<Series<'a>>,
    count_of_series: usize,
}

impl<'a> Outputs<'a> {
    pub(super) fn new(
        options: &'a Options,
        wanted: &'a SinkOptions,
        inputs: &'a [Input<'a>],
        has_clock: bool,
    ) -> Self {
        Self {
            options,
            format: options.format(),
            wanted,
            inputs,
            has_clock,
            written: 0,
            clock: None,
            printed: (SinkPlace::standard_output(wanted), None),
            series: None,
            count_of_series: 0,
        }
    }

    pub(super) fn give(&mut self, spectrum: &Spectrum) -> Result<()> {
        self.written += 1;
        let lines = self.lines(spectrum);
        match self.format.is_printed() {
            true => self.print(spectrum, &lines),
            false if self.options.each => self.write_record(spectrum, &lines),
            false => self.put(spectrum, &lines),
        }
    }

    /// Prints a record.
    fn print(&mut self, spectrum: &Spectrum, lines: &[Line]) -> Result<()> {
        let record = SinkRecord {
            spectrum,
            lines,
            times: &self.times(spectrum),
        };
        let (place, sink) = &mut self.printed;
        let sink = match sink {
            Some(sink) => sink,
            None => sink.insert(self.format.open(place, &record)?),
        };
        sink.put(&record, place)
    }

    /// The places of records in time, from this record on. This computer's clock says when one has
    /// come; nobody has noted when bytes were recorded.
    fn times(&mut self, spectrum: &Spectrum) -> Times {
        let device_us = spectrum.device_us;
        let now = i64::try_from(device_us).unwrap_or(i64::MAX / 4);
        let anew = || Times {
            clock: Clock::Device,
            zero: self.has_clock.then(|| Utc::now().after(-now)),
        };
        let is_dated = self.format.is_dated();
        let times = match &self.clock {
            Some((times, last)) if now >= last.to_us => *times,
            // The board's clock has started again. Lines with a date go on behind those before.
            Some((times, last)) if is_dated => Times {
                zero: anew().zero.max(Some(times.zero_after(last, spectrum))),
                clock: Clock::Device,
            },
            _ => anew(),
        };
        if self.clock.is_none() && times.zero.is_none() && is_dated {
            common::say::remark!(
                "nobody noted when this was recorded: times count from 1970-01-01, when the board started"
            );
        }
        self.clock = Some((times, times.span(spectrum)));
        times
    }

    /// The lines of a record, where its output shows them: they take longer to find than all else.
    fn lines(&self, spectrum: &Spectrum) -> Vec<Line> {
        let begins_files = || {
            let series = self.series.as_ref();
            !series.is_some_and(|series| series.takes(spectrum))
        };
        let is_shown = match self.format.shown_lines() {
            ShownLines::None => false,
            ShownLines::OfSingle => self.options.each || begins_files(),
            ShownLines::OfAll => true,
        };
        match is_shown {
            true => strongest(spectrum, self.options.lines),
            false => vec![],
        }
    }

    /// Writes a record to the files of all.
    fn put(&mut self, spectrum: &Spectrum, lines: &[Line]) -> Result<()> {
        let times = self.times(spectrum);
        if let Some(series) = &mut self.series
            && series.takes(spectrum)
        {
            let done = series.push(spectrum, lines);
            if done.is_err() {
                // A file that cannot be written on is not to look whole.
                self.series = None;
            }
            return done;
        }
        self.close_series()?;
        let out = &self.options.out;
        std::fs::create_dir_all(out).map_err(|error| Failure::writing(out, &error))?;
        self.count_of_series += 1;
        let place = SinkPlace::files(self.wanted, self.inputs, self.count_of_series);
        let series = Series::begin(&[self.format], place, times, spectrum, lines)?;
        self.series = Some(series);
        Ok(())
    }

    /// Ends what is printed, and the files of the records that have come.
    pub(super) fn close(&mut self) -> Result<()> {
        let (place, sink) = &mut self.printed;
        sink.take().map_or(Ok(()), |sink| sink.finish(place))?;
        self.close_series()
    }

    /// Gives the files of the records that have come their names, and prints these.
    fn close_series(&mut self) -> Result<()> {
        let Some(series) = self.series.take() else {
            return Ok(());
        };
        for path in series.finish()? {
            say::data(&format!("{}\n", say::path(&path)))?;
        }
        Ok(())
    }

    /// Writes the file of a record by itself.
    fn write_record(&self, spectrum: &Spectrum, lines: &[Line]) -> Result<()> {
        let out = &self.options.out;
        std::fs::create_dir_all(out).map_err(|error| Failure::writing(out, &error))?;
        if let (Some(encode), [ending, ..]) = (self.format.of_record(), self.format.endings()) {
            let bytes = encode(self.wanted, spectrum, lines)?;
            let path = out.join(format!("spectrum-{:04}.{ending}", self.written));
            files::apart(&[&path], self.inputs)?;
            files::output::write(&path, &bytes)?;
            say::data(&format!("{}\n", say::path(&path)))?;
        }
        Ok(())
    }
}

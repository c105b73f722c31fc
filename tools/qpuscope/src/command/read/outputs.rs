//! Spectra on their way to standard output and into files.

use super::options::{Format, Options};
use common::failure::{Failure, Result};
use common::files::{self, Input};
use common::say;
use host::lines::{Line, strongest};
use host::output::series::{Series, Wanted, of_record};
use host::output::{self, Clock, CsvHeadings, RtlPower, Sdrff, Times};
use host::picture::waterfall::Span;
use host::spectrum::Spectrum;
use host::utc::Utc;

/// The records whose lines an output shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ShownLines {
    None,
    /// The first of each file, which is drawn with its lines when it stays the only one.
    OfFirst,
    OfAll,
}

/// The records whose lines are shown in a format, with or without `--each`.
const fn shown_lines(format: Format, each: bool) -> ShownLines {
    match format {
        Format::Table | Format::Json => ShownLines::OfAll,
        Format::Png | Format::Svg if each => ShownLines::OfAll,
        Format::Png | Format::Svg => ShownLines::OfFirst,
        Format::Csv | Format::RtlPower | Format::Sdrff | Format::Npy | Format::None => {
            ShownLines::None
        }
    }
}

/// The outputs of a run.
pub(super) struct Outputs<'a> {
    options: &'a Options,
    wanted: &'a Wanted,
    inputs: &'a [Input<'a>],
    /// True for a line whose records this computer's clock may date.
    has_clock: bool,
    /// Spectra given out.
    pub(super) written: u64,
    headings: CsvHeadings,
    /// The places of records in time, and that of the last one.
    clock: Option<(Times, Span)>,
    rtl_power: RtlPower,
    sdrff: Sdrff,
    /// The files of the records that come now.
    series: Option<Series<'a>>,
    count_of_series: usize,
}

impl<'a> Outputs<'a> {
    pub(super) fn new(
        options: &'a Options,
        wanted: &'a Wanted,
        inputs: &'a [Input<'a>],
        has_clock: bool,
    ) -> Self {
        Self {
            options,
            wanted,
            inputs,
            has_clock,
            written: 0,
            headings: CsvHeadings::default(),
            clock: None,
            rtl_power: RtlPower::default(),
            sdrff: Sdrff::default(),
            series: None,
            count_of_series: 0,
        }
    }

    pub(super) fn give(&mut self, spectrum: &Spectrum) -> Result<()> {
        self.written += 1;
        let format = if self.options.json {
            Format::Json
        } else {
            self.options.format
        };
        let lines = self.lines(format, spectrum);
        match format {
            Format::None => Ok(()),
            Format::Json => say::json(&output::json_line(spectrum, &lines)),
            Format::Csv => {
                if let Some(headings) = self.headings.before(spectrum) {
                    say::data(&headings)?;
                }
                say::data(&output::csv_row(spectrum))
            }
            Format::Table => say::data(&format!(
                "{:.3} s, record {}: N = {}, {} window, {}, engine {}\n{}",
                spectrum.device_us as f64 * 1e-6,
                spectrum.record,
                spectrum.n,
                spectrum.window,
                spectrum.made_of(),
                spectrum.engine.name(),
                output::tables(spectrum, &lines, self.options.lines)
            )),
            Format::RtlPower => {
                let times = self.times(spectrum);
                say::data(&self.rtl_power.line(spectrum, &times))
            }
            Format::Sdrff => {
                let times = self.times(spectrum);
                say::bytes(&self.sdrff.record(spectrum, &times))
            }
            Format::Png | Format::Svg if self.options.each => self.picture(spectrum, &lines),
            Format::Npy | Format::Png | Format::Svg => self.put(spectrum, &lines),
        }
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
        let is_dated = matches!(self.options.format, Format::RtlPower | Format::Sdrff);
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
    fn lines(&self, format: Format, spectrum: &Spectrum) -> Vec<Line> {
        let begins_files = || {
            let series = self.series.as_ref();
            !series.is_some_and(|series| series.takes(spectrum))
        };
        let is_shown = match shown_lines(format, self.options.each) {
            ShownLines::None => false,
            ShownLines::OfFirst => begins_files(),
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
        let number = self.count_of_series;
        let series = Series::begin(self.wanted, self.inputs, number, times, spectrum, lines)?;
        self.series = Some(series);
        Ok(())
    }

    /// Gives the files of the records that have come their names, and prints these.
    pub(super) fn close_series(&mut self) -> Result<()> {
        let Some(series) = self.series.take() else {
            return Ok(());
        };
        for path in series.finish()? {
            say::data(&format!("{}\n", say::path(&path)))?;
        }
        Ok(())
    }

    /// Draws a record by itself.
    fn picture(&self, spectrum: &Spectrum, lines: &[Line]) -> Result<()> {
        let out = &self.options.out;
        std::fs::create_dir_all(out).map_err(|error| Failure::writing(out, &error))?;
        for kind in &self.wanted.kinds {
            if let Some((ending, bytes)) = of_record(self.wanted, *kind, spectrum, lines)? {
                let path = out.join(format!("spectrum-{:04}.{ending}", self.written));
                files::apart(&[&path], self.inputs)?;
                files::output::write(&path, &bytes)?;
                say::data(&format!("{}\n", say::path(&path)))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn lines_are_looked_for_only_where_they_are_shown() {
        let shown = |each: bool| -> Vec<_> {
            let formats = Format::value_variants().iter();
            formats
                .map(|&format| (format, shown_lines(format, each)))
                .filter(|(_, shown)| *shown != ShownLines::None)
                .collect()
        };
        let all = |format| (format, ShownLines::OfAll);
        let first = |format| (format, ShownLines::OfFirst);
        let [table, json] = [Format::Table, Format::Json].map(all);
        let pictures = [Format::Png, Format::Svg];
        assert_eq!(
            shown(false),
            [[table, json], pictures.map(first)].concat(),
            "of a waterfall only the record that may stay alone"
        );
        assert_eq!(shown(true), [[table, json], pictures.map(all)].concat());
    }
}

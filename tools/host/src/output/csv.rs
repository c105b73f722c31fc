//! Tables: the bins of a single record, or a line for each of several.

use std::fmt::Write;

use super::csv_headings::{CsvHeadings, csv_row_headings, domain};
use super::decimals;
use super::options::SinkOptions;
use super::place::{OF_ALL, OF_ONE, SinkPlace};
use super::sink::{EncodeRecord, SinkRecord, SpectrumFormat, SpectrumSink};
use crate::lines::Line;
use crate::spectrum::{Spectrum, decibels};
use common::failure::Result;
use common::files::output::{Output, write};
use common::{say, text};

/// The format of tables.
#[derive(Debug)]
pub(super) struct CsvFormat;

impl SpectrumFormat for CsvFormat {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn read_help(&self) -> Option<&'static str> {
        Some("One line each: time, settings, and the level of every bin")
    }

    fn fft_help(&self) -> Option<&'static str> {
        Some("A table")
    }

    fn endings(&self) -> &'static [&'static str] {
        &["csv"]
    }

    fn is_printed(&self) -> bool {
        true
    }

    fn of_record(&self) -> Option<EncodeRecord> {
        Some(of_record)
    }

    fn open(&self, place: &mut SinkPlace<'_>, _: &SinkRecord<'_>) -> Result<Box<dyn SpectrumSink>> {
        Ok(match place.is_printed() {
            true => Box::new(CsvLines::default()),
            false => Box::new(CsvFile::default()),
        })
    }
}

#[expect(clippy::unnecessary_wraps, reason = "a picture can fail")]
fn of_record(wanted: &SinkOptions, spectrum: &Spectrum, _: &[Line]) -> Result<Vec<u8>> {
    let table = csv(spectrum, &wanted.notes);
    Ok(text::shown(&table).into_owned().into_bytes())
}

/// Lines that are printed, with headings where settings have changed.
#[derive(Default)]
struct CsvLines(CsvHeadings);

impl SpectrumSink for CsvLines {
    fn put(&mut self, record: &SinkRecord<'_>, _: &mut SinkPlace<'_>) -> Result<()> {
        if let Some(headings) = self.0.before(record.spectrum) {
            say::data(&headings)?;
        }
        say::data(&csv_row(record.spectrum))
    }

    fn finish(self: Box<Self>, _: &mut SinkPlace<'_>) -> Result<()> {
        Ok(())
    }
}

/// A file for records of one kind.
#[derive(Default)]
struct CsvFile {
    /// The only record so far.
    single: Option<Spectrum>,
    /// The file of several.
    table: Option<Output>,
}

impl SpectrumSink for CsvFile {
    fn put(&mut self, record: &SinkRecord<'_>, place: &mut SinkPlace<'_>) -> Result<()> {
        if let Some(first) = self.single.take() {
            let mut table = Output::create(&place.name(OF_ALL, "csv")?)?;
            let headings = csv_row_headings(&first);
            table.put(text::shown(&headings).as_bytes())?;
            table.put(csv_row(&first).as_bytes())?;
            self.table = Some(table);
        }
        match &mut self.table {
            Some(table) => table.put(csv_row(record.spectrum).as_bytes()),
            None => {
                self.single = Some(record.spectrum.clone());
                Ok(())
            }
        }
    }

    fn finish(self: Box<Self>, place: &mut SinkPlace<'_>) -> Result<()> {
        if let Some(spectrum) = self.single.filter(|_| !place.wanted.each) {
            let bytes = of_record(place.wanted, &spectrum, &[])?;
            write(&place.name(OF_ONE, "csv")?, &bytes)?;
        }
        self.table.map_or(Ok(()), Output::finish)
    }
}

/// One spectrum, a bin a line. Lines that begin with `#` say what the numbers are.
fn csv(spectrum: &Spectrum, notes: &[String]) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "# spectrum of {}",
        spectrum.source.replace(['\n', '\r'], " ")
    );
    let _ = writeln!(out, "# {}", spectrum.reference());
    let _ = writeln!(
        out,
        "# sample rate {}, N = {} {}, window {} (ENBW {:.4} bins), {} samples overlap, {}",
        spectrum.rate,
        spectrum.n,
        domain(spectrum),
        spectrum.window,
        spectrum.enbw_bins,
        spectrum.overlap,
        spectrum.made_of()
    );
    let _ = writeln!(
        out,
        "# engine {}, board {}, firmware {}",
        spectrum.engine.name(),
        spectrum.board,
        spectrum.firmware
    );
    for note in notes {
        let _ = writeln!(out, "# {note}");
    }
    let slow = spectrum.is_slow();
    let day = if slow {
        "frequency_cycles_per_day,"
    } else {
        ""
    };
    let unit = column_name(&spectrum.level_unit());
    let _ = write!(out, "bin,frequency_hz,{day}power,level_{unit}");
    if spectrum.greatest.is_some() {
        let _ = write!(out, ",power_max,level_max_{unit}");
    }
    out.push('\n');
    for (index, power) in spectrum.power.iter().enumerate() {
        let hz = spectrum.frequency_hz(index);
        let _ = write!(out, "{},{hz}", spectrum.bin(index));
        if slow {
            let _ = write!(out, ",{:.6}", hz * 86_400.0);
        }
        let greatest = spectrum.greatest.as_ref().map(|greatest| &greatest[index]);
        for power in [Some(power), greatest].into_iter().flatten() {
            // A bin that was lost on the line is left empty.
            let _ = match power.is_nan() {
                true => write!(out, ",,"),
                false => write!(out, ",{power:e},{:.4}", decibels(*power)),
            };
        }
        out.push('\n');
    }
    out
}

/// A unit as part of a column's name: `dBFS`, `dB_re_1_degree`.
fn column_name(unit: &str) -> String {
    unit.chars()
        .map(|letter| {
            if letter == ',' || letter.is_whitespace() {
                '_'
            } else {
                letter
            }
        })
        .collect()
}

/// One spectrum as a line: when, how, and the level of every bin; of two detectors those of the
/// second behind those of the first.
fn csv_row(spectrum: &Spectrum) -> String {
    // What nobody knows is left empty.
    let count = |count: Option<u64>| count.map_or_else(String::new, |count| count.to_string());
    let mut out = format!(
        "{:.6},{},{},{},{},{}",
        spectrum.device_us as f64 * 1e-6,
        spectrum.record,
        spectrum.engine.name(),
        spectrum.averages,
        count(spectrum.counters.clipped),
        count(spectrum.counters.dropped_records)
    );
    if let Some(ppm) = spectrum.duty_ppm {
        let _ = write!(out, ",{:.6}", f64::from(ppm) / 1e6);
    }
    for power in spectrum.powers() {
        out.push(',');
        if !power.is_nan() {
            decimals::push(&mut out, decibels(*power), 2);
        }
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::json_line::json_line;
    use super::super::settings::settings;
    use super::*;
    use crate::example::example;
    use crate::input::Unit;
    use signal::Rate;

    #[test]
    fn csv_states_the_reference_and_has_a_line_for_each_bin() {
        let mut spectrum = example(16, false);
        spectrum.power[3] = f64::NAN;
        let text = csv(&spectrum, &["a note".into()]);
        assert!(
            text.contains("# 0 dBFS is a sine of full-scale amplitude\n"),
            "{text}"
        );
        assert!(
            text.contains("# a note\nbin,frequency_hz,power,level_dBFS\n"),
            "{text}"
        );
        assert!(
            text.contains("\n2,6000,2.5e-1,-6.0206\n3,9000,,\n"),
            "{text}"
        );
        assert_eq!(
            text.lines().filter(|line| !line.starts_with('#')).count(),
            1 + 9
        );
    }

    #[test]
    fn a_slow_series_has_cycles_a_day_and_its_own_unit() {
        let mut spectrum = example(4096, false);
        spectrum.rate = Rate { num: 1, den: 3600 };
        spectrum.unit = Unit::One("degree".into());
        let text = csv(&spectrum, &[]);
        assert!(
            text.contains("bin,frequency_hz,frequency_cycles_per_day,power,level_dB_re_1_degree\n"),
            "{}",
            &text[..600]
        );
    }

    #[test]
    fn two_detectors_have_levels_of_their_own() {
        let spectrum = Spectrum {
            greatest: Some(vec![0.5; 9]),
            detector: crate::spectrum::Detector::MeanMax,
            ..example(16, false)
        };
        let text = csv(&spectrum, &[]);
        assert!(text.contains("power,level_dBFS,power_max,level_max_dBFS\n"));
        assert!(
            text.contains("\n2,6000,2.5e-1,-6.0206,5e-1,-3.0103\n"),
            "{text}"
        );
        let value: Value = serde_json::from_str(&json_line(&spectrum, &[])).expect("JSON");
        assert_eq!(value["levels"].as_array().map(Vec::len), Some(9));
        assert_eq!(value["levels_max"][8], -3.0103);
        let headings = csv_row_headings(&spectrum);
        let names = headings.lines().last().map(|line| line.split(',').count());
        assert_eq!(names, Some(6 + 9 + 9));
        assert_eq!(names, Some(csv_row(&spectrum).split(',').count()));
    }

    #[test]
    fn counts_that_nobody_knows_are_empty_and_null() {
        let mut spectrum = example(16, false);
        let row = csv_row(&spectrum);
        assert!(row.starts_with("1.500000,1,qpu,3,0,0,"), "{row}");
        spectrum.counters.clipped = None;
        spectrum.counters.dropped_records = None;
        let row = csv_row(&spectrum);
        assert!(row.starts_with("1.500000,1,qpu,3,,,"), "{row}");
        let counters = &settings(&spectrum)["counters"];
        assert!(counters["clipped"].is_null() && counters["overruns"] == 0);
    }

    #[test]
    fn rows_have_as_many_fields_as_headings() {
        assert_fields_match(&example(64, false));
        let mut spectrum = example(64, false);
        spectrum.duty_ppm = Some(250_000);
        assert_fields_match(&spectrum);
        assert!(csv_row_headings(&spectrum).contains(",dropped,duty,"));
        assert!(csv_row(&spectrum).contains(",0.250000,"));
        assert_eq!(settings(&spectrum)["duty"], 0.25);
        assert_eq!(spectrum.made_of(), "average of 3 blocks, duty 25.0 %");
    }

    fn assert_fields_match(spectrum: &Spectrum) {
        let headings = csv_row_headings(spectrum);
        let names = headings.lines().last().map(|line| line.split(',').count());
        assert_eq!(names, Some(csv_row(spectrum).split(',').count()));
        assert!(names.is_some_and(|names| names >= 6 + 33));
    }
}

//! The strongest lines as a table for people.

use std::fmt::Write;

use super::place::SinkPlace;
use super::sink::{ShownLines, SinkRecord, SpectrumFormat, SpectrumSink};
use crate::lines::{Line, PRECISION_BINS, strongest};
use crate::spectrum::Spectrum;
use common::failure::Result;
use common::quantity::{decimals, frequency_by, period};
use common::say;

const SECONDS_PER_DAY: f64 = 86_400.0;

/// The format for people.
#[derive(Debug)]
pub(super) struct TableFormat;

impl SpectrumFormat for TableFormat {
    fn name(&self) -> &'static str {
        "table"
    }

    fn read_help(&self) -> Option<&'static str> {
        Some("The strongest lines of each, for people")
    }

    fn is_printed(&self) -> bool {
        true
    }

    fn shown_lines(&self) -> ShownLines {
        ShownLines::OfAll
    }

    fn open(&self, _: &mut SinkPlace<'_>, _: &SinkRecord<'_>) -> Result<Box<dyn SpectrumSink>> {
        Ok(Box::new(Self))
    }
}

impl SpectrumSink for TableFormat {
    fn put(&mut self, record: &SinkRecord<'_>, place: &mut SinkPlace<'_>) -> Result<()> {
        let spectrum = record.spectrum;
        say::data(&format!(
            "{:.3} s, record {}: N = {}, {} window, {}, engine {}\n{}",
            spectrum.device_us as f64 * 1e-6,
            spectrum.record,
            spectrum.n,
            spectrum.window,
            spectrum.made_of(),
            spectrum.engine.name(),
            tables(spectrum, record.lines, place.wanted.line_count)
        ))
    }

    fn finish(self: Box<Self>, _: &mut SinkPlace<'_>) -> Result<()> {
        Ok(())
    }
}

/// The table of lines, and of two detectors the one of the strongest lines of the greatest.
#[must_use]
pub fn tables(spectrum: &Spectrum, lines: &[Line], count: usize) -> String {
    let mut out = table(spectrum, lines);
    if let Some(greatest) = spectrum.greatest_alone() {
        let lines = strongest(&greatest, count);
        let _ = write!(out, "greatest of each bin:\n{}", table(&greatest, &lines));
    }
    out
}

/// Lines with their frequencies and levels between bins, then the bin of each, its middle and its
/// level. Periods are left out where a centre frequency is set, cycles a day where samples are
/// fast.
#[must_use]
pub fn table(spectrum: &Spectrum, lines: &[Line]) -> String {
    if lines.is_empty() {
        return "no line stands 10 dB above its surroundings\n".to_owned();
    }
    let (slow, centred) = (spectrum.is_slow(), spectrum.centre_hz != 0.0);
    let bin_hz = spectrum.bin_hz();
    let unit = format!("level ({})", spectrum.level_unit());
    let width = unit.chars().count();
    let mut out = format!("{:>18}", "frequency");
    if slow {
        out += "  cycles per day";
    }
    if !centred {
        let _ = write!(out, "  {:>10}", "period");
    }
    let _ = writeln!(out, "  {unit}  {:>8}  {:>16}  {:>8}", "bin", "at", "reads");
    for line in lines {
        let precise = PRECISION_BINS * bin_hz;
        let _ = write!(out, "{:>18}", frequency_by(line.frequency, precise));
        if slow {
            let places = decimals(precise * SECONDS_PER_DAY);
            let _ = write!(out, "  {:>14.places$}", line.frequency * SECONDS_PER_DAY);
        }
        if !centred {
            let period = line.period.map_or_else(|| "-".to_owned(), period);
            let _ = write!(out, "  {period:>10}");
        }
        let at = frequency_by(line.bin_frequency, bin_hz);
        let _ = writeln!(
            out,
            "  {:>width$}  {:>8}  {at:>16}  {:>8}",
            level(line.level),
            line.bin,
            level(line.bin_level)
        );
    }
    out
}

/// A level with two decimals; zero has no sign.
fn level(db: f64) -> String {
    // Adding 0 makes -0 a plain one.
    format!("{:.2}", (db * 100.0).round() / 100.0 + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::example;
    use crate::input::Unit;
    use signal::Rate;

    #[test]
    fn a_slow_series_has_cycles_a_day_and_its_own_unit() {
        let mut spectrum = example(4096, false);
        spectrum.rate = Rate { num: 1, den: 3600 };
        spectrum.unit = Unit::One("degree".into());
        let text = table(&spectrum, &strongest(&spectrum, 1));
        let wanted = "         frequency  cycles per day      period  level (dB re 1 degree)       bin                at     reads
        34.725 µHz          3.0002";
        assert!(text.starts_with(wanted), "{text}");
    }

    #[test]
    fn channels_next_to_each_other_read_apart_and_have_no_period() {
        let mut spectrum = example(4096, true);
        spectrum.rate = Rate::hz(2_000_000);
        spectrum.centre_hz = 145e6;
        spectrum.power.fill(1e-9);
        let bin_hz = spectrum.bin_hz();
        let at = |hz: f64| (2048.0 + (hz - 145e6) / bin_hz).round() as usize;
        for (hz, power) in [(145_037_500.0, 0.1), (145_112_500.0, 0.05)] {
            let at = at(hz);
            spectrum.power[at] = power;
        }
        let lines = strongest(&spectrum, 2);
        let text = table(&spectrum, &lines);
        assert!(
            !text.contains("period") && lines[0].period.is_none(),
            "{text}"
        );
        let bins: Vec<_> = text
            .lines()
            .skip(1)
            .map(|line| line.split_whitespace().skip(4).take(2).collect::<Vec<_>>())
            .collect();
        assert_eq!(bins, [["145.0376", "MHz"], ["145.1123", "MHz"]], "{text}");
    }

    #[test]
    fn levels_of_nothing_have_no_sign() {
        assert_eq!(level(-0.001), "0.00");
        assert_eq!(level(-0.006), "-0.01");
    }
}

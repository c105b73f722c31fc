//! The lines of rtl_power, which its heat maps and other programs read.
//!
//! `date, time, Hz low, Hz high, Hz step, samples, dB, dB, ...`: value i is of the bin whose middle
//! is Hz low + i · Hz step, and Hz high is one step behind the last. The time is that of the
//! record's end, in UTC. Programs that draw heat maps take lines of one time for one sweep, so each
//! line has a later time than the one before. Where records follow each other in less than a second
//! it has six decimals, as hackrf_sweep writes them; in less than a microsecond nine or twelve.
//!
//! Sources: rtl-sdr, `src/rtl_power.c`, `csv_dbm`, which repeats the last value once, unlike all
//! others; soapy_power, `writer.py`; hackrf, `hackrf_sweep.c`.

use super::place::{SinkPlace, SinkStream};
use super::sink::{SinkRecord, SpectrumFormat, SpectrumSink};
use super::times::duration_ps;
use super::{Times, decimals};
use crate::spectrum::{Spectrum, decibels};
use crate::utc::Utc;
use common::failure::Result;

/// The format of rtl_power.
#[derive(Debug)]
pub(super) struct RtlPowerFormat;

impl SpectrumFormat for RtlPowerFormat {
    fn name(&self) -> &'static str {
        "rtl_power"
    }

    fn read_help(&self) -> Option<&'static str> {
        Some("One line of rtl_power each")
    }

    fn fft_help(&self) -> Option<&'static str> {
        Some("Lines of rtl_power")
    }

    fn endings(&self) -> &'static [&'static str] {
        &["rtl_power.csv"]
    }

    fn is_printed(&self) -> bool {
        true
    }

    fn is_dated(&self) -> bool {
        true
    }

    fn open(&self, place: &mut SinkPlace<'_>, _: &SinkRecord<'_>) -> Result<Box<dyn SpectrumSink>> {
        Ok(Box::new(RtlPowerSink {
            stream: place.stream("rtl_power.csv")?,
            lines: RtlPower::default(),
        }))
    }
}

/// Lines on their way out.
struct RtlPowerSink {
    stream: SinkStream,
    lines: RtlPower,
}

impl SpectrumSink for RtlPowerSink {
    fn put(&mut self, record: &SinkRecord<'_>, _: &mut SinkPlace<'_>) -> Result<()> {
        let line = self.lines.line(record.spectrum, record.times);
        self.stream.text(&line)
    }

    fn finish(self: Box<Self>, _: &mut SinkPlace<'_>) -> Result<()> {
        self.stream.finish()
    }
}

/// The decimals that a time may have.
const PLACES: [u32; 4] = [0, 6, 9, FINEST];
/// The most.
const FINEST: u32 = 12;
/// Picoseconds in a second.
const SECOND: i128 = 1_000_000_000_000;

/// Picoseconds between two times of so many decimals.
const fn unit(places: u32) -> i128 {
    SECOND / 10_i128.pow(places)
}

/// The writer of lines.
#[derive(Clone, Debug, Default)]
struct RtlPower {
    /// Decimals of the time, of the lines so far.
    places: Option<u32>,
    /// The time of the line before.
    last: Option<i128>,
}

impl RtlPower {
    /// A record as a line with its end. A bin that was lost is `nan`.
    fn line(&mut self, spectrum: &Spectrum, times: &Times) -> String {
        let [_, to] = times.moments(spectrum);
        let advance = u64::from(spectrum.averages).saturating_mul(spectrum.hop());
        let time = self.time(to, duration_ps(spectrum, advance));
        let (low, step) = (spectrum.frequency_hz(0), spectrum.bin_hz());
        let mut line = format!(
            "{time}, {}, {}, {step}, {}",
            low,
            spectrum.frequency_hz(spectrum.power.len()),
            spectrum.samples()
        );
        for power in &spectrum.power {
            line.push_str(", ");
            match power.is_nan() {
                true => line.push_str("nan"),
                false => decimals::push(&mut line, decibels(*power), 2),
            }
        }
        line.push('\n');
        line
    }

    /// Date and time of a record that ends at `to`. The next one ends `advance` later, unless it is
    /// shorter or late.
    ///
    /// A time that is not after the one before becomes the next there is. So a short record at the
    /// end keeps the decimals of the others. When short records move by more than that, times get
    /// the decimals that these need.
    fn time(&mut self, to: i128, advance: i128) -> String {
        let needed = PLACES.into_iter().find(|places| unit(*places) <= advance);
        let needed = needed.unwrap_or(FINEST);
        let mut places = self.places.unwrap_or(needed);
        let mut time = self.after_the_last(to, places);
        if time - to > unit(places) && needed > places {
            places = needed;
            time = self.after_the_last(to, places);
        }
        (self.places, self.last) = (Some(places), Some(time));
        let second = time.div_euclid(SECOND);
        let moment = Utc(i64::try_from(second * 1_000_000).unwrap_or(i64::MAX));
        let fraction = time.rem_euclid(SECOND) / unit(places);
        let (date, clock) = (moment.date(), moment.time(0));
        match places {
            0 => format!("{date}, {clock}"),
            places => format!(
                "{date}, {clock}.{fraction:0width$}",
                width = places as usize
            ),
        }
    }

    /// The time of so many decimals, or else the next one after that of the line before.
    fn after_the_last(&self, to: i128, places: u32) -> i128 {
        let unit = unit(places);
        let cut = to.div_euclid(unit) * unit;
        self.last.map_or(cut, |last| cut.max(last + unit))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Clock;
    use super::*;
    use crate::example::example;
    use signal::Rate;

    #[test]
    fn a_line_has_its_time_its_axis_and_its_levels() {
        let mut spectrum = example(16, true);
        spectrum.centre_hz = 145e6;
        spectrum.power[1] = f64::NAN;
        // 32 samples at 48 kHz.
        let times = Times {
            clock: Clock::Samples,
            zero: Some(Utc(1_709_251_199_000_000)),
        };
        let line = RtlPower::default().line(&spectrum, &times);
        let wanted = "2024-02-29, 23:59:59.000666, 144976000, 145024000, 3000, 32, -80.00, nan, ";
        assert!(line.starts_with(wanted), "{line}");
        assert_eq!(line.split(", ").count(), 6 + 16);
        spectrum.averages = 100_000;
        let line = RtlPower::default().line(&spectrum, &times);
        assert!(line.starts_with("2024-03-01, 00:00:15, "), "{line}");
    }

    /// The times of records of so many blocks each, of 4096 samples without overlap but the last
    /// argument, one behind the other.
    fn times(rate: u64, blocks: &[u32], overlap: u32) -> Vec<String> {
        let mut spectrum = example(4096, false);
        (spectrum.rate, spectrum.overlap) = (Rate::hz(rate), overlap);
        let times = Times {
            clock: Clock::Samples,
            zero: None,
        };
        let (mut writer, mut lines) = (RtlPower::default(), vec![]);
        for count in blocks {
            spectrum.averages = *count;
            let line = writer.line(&spectrum, &times);
            lines.push(line.split(", ").nth(1).expect("a time").to_owned());
            spectrum.first_sample += u64::from(*count) * spectrum.hop();
        }
        assert!(lines.windows(2).all(|pair| pair[0] < pair[1]), "{lines:?}");
        lines
    }

    #[test]
    fn records_closer_than_they_are_long_have_times_of_their_own() {
        // 90 % of a record of 1 s, and 50 %.
        let lines = times(4096, &[1; 20], 3686);
        assert_eq!(lines[0], "00:00:01.000000");
        assert_eq!(lines[19], "00:00:02.901855");
        assert_eq!(times(4096, &[1; 3], 2048)[2], "00:00:02.000000");
        // A sample of 20 million in a second.
        let lines = times(20_000_000, &[1; 3], 4095);
        assert_eq!(lines[2], "00:00:00.000204900");
    }

    #[test]
    fn a_short_record_at_the_end_keeps_whole_seconds() {
        assert_eq!(times(4096, &[1; 3], 0)[2], "00:00:03");
        // They end at 2.5, 4.5 and 5 s; then at 2, 4 and 4.5 s.
        let lines = times(4096, &[4, 4, 1], 2048);
        assert_eq!(lines, ["00:00:02", "00:00:04", "00:00:05"]);
        let lines = times(8192, &[4, 4, 1], 0);
        assert_eq!(lines, ["00:00:02", "00:00:04", "00:00:05"]);
        assert_eq!(times(16_384, &[5, 1], 0), ["00:00:01", "00:00:02"]);
    }

    #[test]
    fn many_short_records_after_long_ones_get_decimals() {
        let lines = times(16_384, &[4, 1, 1, 1, 1, 1, 1, 1, 1], 0);
        assert_eq!(lines[..2], ["00:00:01", "00:00:02"]);
        assert!(lines[8].starts_with("00:00:03.0"), "{lines:?}");
    }
}

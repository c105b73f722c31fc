//! The lines of rtl_power, which its heat maps and other programs read.
//!
//! `date, time, Hz low, Hz high, Hz step, samples, dB, dB, ...`: value i is of the bin whose middle
//! is Hz low + i · Hz step, and Hz high is one step behind the last. The time is that of the
//! record's end, in UTC. Where records take less than a second it has six decimals, as
//! hackrf_sweep writes them, since equal times are one sweep to those who read them.
//!
//! Sources: rtl-sdr, `src/rtl_power.c`, `csv_dbm`, which repeats the last value once, unlike all
//! others; soapy_power, `writer.py`; hackrf, `hackrf_sweep.c`.

use super::{Times, decimals};
use crate::spectrum::{Spectrum, decibels};

/// The writer of lines.
#[derive(Clone, Debug, Default)]
pub struct RtlPower {
    /// Decimals of the time, as the first record has them.
    places: Option<usize>,
}

impl RtlPower {
    /// A record as a line with its end. A bin that was lost is `nan`.
    #[must_use]
    pub fn line(&mut self, spectrum: &Spectrum, times: &Times) -> String {
        let [from, to] = times.moments(spectrum);
        let short = if to.0 - from.0 < 1_000_000 { 6 } else { 0 };
        let places = *self.places.get_or_insert(short);
        let (low, step) = (spectrum.frequency_hz(0), spectrum.bin_hz());
        let mut line = format!(
            "{}, {}, {}, {}, {step}, {}",
            to.date(),
            to.time(places),
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
}

#[cfg(test)]
mod tests {
    use super::super::Clock;
    use super::*;
    use crate::spectrum::tests::example;
    use crate::utc::Utc;

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
}

//! The headings of lines of CSV, which come again only where settings have changed.

use std::fmt::Write;

use crate::spectrum::Spectrum;
use signal::Rate;

/// The place and number of the columns that have levels.
#[derive(Clone, Copy, PartialEq, Debug)]
struct CsvColumns {
    first_bin: i64,
    n: u32,
    rate: Rate,
    centre_hz: f64,
    /// Columns of the first trace and of the second.
    counts: [usize; 2],
}

impl CsvColumns {
    fn of(spectrum: &Spectrum) -> Self {
        Self {
            first_bin: spectrum.first_bin,
            n: spectrum.n,
            rate: spectrum.rate,
            centre_hz: spectrum.centre_hz,
            counts: [
                spectrum.power.len(),
                spectrum.greatest.as_ref().map_or(0, Vec::len),
            ],
        }
    }
}

/// The headings that were given out last: their words, which are few, and their columns.
#[derive(Debug, Default)]
pub(super) struct CsvHeadings {
    last: Option<(String, CsvColumns)>,
    /// The device time of the last spectrum.
    last_us: u64,
}

impl CsvHeadings {
    /// The headings that a spectrum needs before its line; none where those before it hold. A clock
    /// that starts again begins another table.
    pub(super) fn before(&mut self, spectrum: &Spectrum) -> Option<String> {
        let now = (words(spectrum), CsvColumns::of(spectrum));
        let goes_on =
            spectrum.device_us >= std::mem::replace(&mut self.last_us, spectrum.device_us);
        if goes_on && self.last.as_ref() == Some(&now) {
            return None;
        }
        let headings = with_columns(now.0.clone(), spectrum);
        self.last = Some(now);
        Some(headings)
    }
}

/// The headings of [`csv_row`](super::csv::csv_row), for spectra of the same settings as this one.
pub(super) fn csv_row_headings(spectrum: &Spectrum) -> String {
    with_columns(words(spectrum), spectrum)
}

/// The kind of samples.
pub(super) const fn domain(spectrum: &Spectrum) -> &'static str {
    if spectrum.complex { "complex" } else { "real" }
}

/// The remark, and the names of the columns before the levels.
fn words(spectrum: &Spectrum) -> String {
    format!(
        "# level in {} ({}); N = {} {}, window {}, detector {}, dc {}{}, {}\ndevice_time_s,record,engine,averages,clipped,dropped{}",
        spectrum.level_unit(),
        spectrum.reference(),
        spectrum.n,
        domain(spectrum),
        spectrum.window,
        spectrum.detector.name(),
        spectrum.dc.name(),
        match spectrum.held {
            Some(held) => format!(", {} of all records so far", held.hold.name()),
            None => String::new(),
        },
        spectrum.rate,
        match spectrum.duty_ppm {
            Some(_) => ",duty",
            None => "",
        }
    )
}

/// The words with the names of the columns of levels behind them.
fn with_columns(mut out: String, spectrum: &Spectrum) -> String {
    for index in 0..spectrum.power.len() {
        let _ = write!(out, ",{}Hz", spectrum.frequency_hz(index));
    }
    for index in 0..spectrum.greatest.iter().flatten().count() {
        let _ = write!(out, ",max {}Hz", spectrum.frequency_hz(index));
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::example;
    use crate::spectrum::{Dc, Hold};

    #[test]
    fn headings_come_again_where_settings_have_changed_and_only_there() {
        let first = example(16, true);
        let changes: [fn(&mut Spectrum); 9] = [
            |it| it.centre_hz = 145e6,
            |it| it.rate = Rate::hz(44_100),
            |it| it.dc = Dc::Remove,
            |it| it.duty_ppm = Some(1),
            |it| it.hold(Hold::Max, None),
            |it| it.greatest = Some(vec![0.5; 16]),
            |it| it.first_bin = 0,
            |it| it.power.truncate(7),
            |it| it.unit = crate::input::Unit::One("V".to_owned()),
        ];
        for change in changes {
            let mut other = first.clone();
            change(&mut other);
            let mut headings = CsvHeadings::default();
            for (spectrum, is_new) in [(&first, true), (&first, false), (&other, true)] {
                let wanted = is_new.then(|| csv_row_headings(spectrum));
                assert_eq!(headings.before(spectrum), wanted);
            }
            assert_eq!(headings.before(&other), None);
            assert_ne!(csv_row_headings(&first), csv_row_headings(&other));
        }
        // Another record, with other levels and counters.
        let mut next = first.clone();
        (next.record, next.averages, next.device_us) = (7, 9, 2_000_000);
        next.power[3] = f64::NAN;
        let mut headings = CsvHeadings::default();
        assert!(headings.before(&first).is_some());
        assert_eq!(headings.before(&next), None);
        next.device_us = 1;
        assert!(headings.before(&next).is_some(), "the clock starts again");
    }
}

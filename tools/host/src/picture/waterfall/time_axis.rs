//! Marks of a time axis: round times, as a clock shows them.

use view::time::{DAY_US, MINUTE_US, SECOND_US, elapsed, step};

use crate::utc::Utc;
use common::quantity::decimals;

/// Marks with their words, and the name of the axis.
pub(super) struct TimeAxis {
    /// Times in microseconds.
    pub(super) marks: Vec<(f64, String)>,
    pub(super) name: String,
}

/// The axis from one time to another, both in microseconds, with `most` marks or so. Where `zero`
/// says which moment 0 is, it is in UTC; else times count from its beginning.
pub(super) fn time_axis(from_us: f64, to_us: f64, most: usize, zero: Option<Utc>) -> TimeAxis {
    let step = step((to_us - from_us) / most.max(1) as f64);
    // Marks are round in time of day, or from the beginning.
    let origin = zero.map_or(from_us, |zero| -(zero.0 as f64));
    let first = ((from_us - origin) / step - 1e-9).ceil();
    let count = (((to_us - origin) / step + 1e-9).floor() - first).max(0.0) as usize;
    let marks = (0..=count).map(|index| {
        let since = (first + index as f64) * step;
        let words = match zero {
            Some(_) => of_day(since, step),
            None => elapsed(since, step),
        };
        (origin + since, words)
    });
    let name = match zero {
        Some(zero) if step < DAY_US => {
            format!("UTC, {}", zero.after(from_us as i64).date())
        }
        Some(_) => "UTC".to_owned(),
        None if step < MINUTE_US && to_us - from_us < 2.0 * MINUTE_US => "Time (s)".to_owned(),
        None if step < DAY_US => "Time (h:mm:ss)".to_owned(),
        None => "Time (days)".to_owned(),
    };
    TimeAxis {
        marks: marks.collect(),
        name,
    }
}

/// A time of day, or a date where the marks are days apart.
fn of_day(us: f64, step: f64) -> String {
    let moment = Utc(us.round() as i64);
    if step >= DAY_US {
        return moment.date();
    }
    moment.time(decimals(step / SECOND_US))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(from_us: f64, to_us: f64, zero: Option<Utc>) -> (Vec<String>, String) {
        let axis = time_axis(from_us, to_us, 6, zero);
        let words = axis.marks.into_iter().map(|(_, words)| words).collect();
        (words, axis.name)
    }

    #[test]
    fn marks_are_those_of_a_clock() {
        let (marks, name) = words(5e6, 5.6e6, None);
        assert_eq!(marks, ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6"]);
        assert_eq!(name, "Time (s)");
        let (marks, name) = words(0.0, 7200e6, None);
        assert_eq!(marks[..2], ["0:00:00", "0:30:00"]);
        assert_eq!(name, "Time (h:mm:ss)");
        let (marks, name) = words(0.0, 30.0 * DAY_US, None);
        assert_eq!(marks, ["0", "5", "10", "15", "20", "25", "30"]);
        assert_eq!(name, "Time (days)");
    }

    #[test]
    fn a_known_time_of_day_is_in_utc() {
        // 23:59:30 on 29 February 2024, for two minutes.
        let zero = Some(Utc(1_709_251_170_000_000));
        let (marks, name) = words(0.0, 120e6, zero);
        assert_eq!(marks[..3], ["23:59:30", "00:00:00", "00:00:30"]);
        assert_eq!(name, "UTC, 2024-02-29");
    }
}

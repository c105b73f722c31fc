//! Marks of the axes: round numbers with their words.

use crate::axis::{Axis, Span};
use crate::quantity::{prefix, ticks};
use crate::time::DAY_US;

/// Marks of an axis and its name.
#[derive(Clone, PartialEq, Debug)]
pub struct Marks {
    /// Places, as shares of the length, and words.
    pub places: Vec<(f64, String)>,
    /// The name with the unit.
    pub name: String,
}

/// Marks of time and the name of their axis.
#[derive(Clone, PartialEq, Debug)]
pub struct TimeMarks {
    /// Lines of the waterfall from the last one back, and words.
    pub places: Vec<(usize, String)>,
    /// The name with the unit.
    pub name: &'static str,
}

/// A typographic minus sign.
#[must_use]
pub fn minus(number: &str) -> String {
    number.replace('-', "−")
}

/// Marks of frequency, `most` of them or so; cycles a day of a slow series.
#[must_use]
pub fn frequency(axis: &Axis, span: Span, most: usize) -> Marks {
    let largest = span.from_hz.abs().max(span.to_hz.abs());
    let (unit, name) = if axis.is_slow() {
        (1e6 / DAY_US, "Frequency (cycles per day)".to_owned())
    } else {
        let (factor, prefix) = prefix(largest);
        (factor, format!("Frequency ({prefix}Hz)"))
    };
    let (positions, decimals) = ticks(span.from_hz / unit, span.to_hz / unit, most);
    let places = positions.into_iter().map(|position| {
        let share = (position * unit - span.from_hz) / span.width_hz();
        (share, minus(&format!("{position:.decimals$}")))
    });
    Marks {
        places: places.collect(),
        name,
    }
}

/// Marks of level from the top down, `most` of them or so.
#[must_use]
pub fn level(top_db: f64, range_db: f64, most: usize, unit: &str) -> Marks {
    let (positions, decimals) = ticks(top_db - range_db, top_db, most);
    let places = positions.into_iter().map(|position| {
        let share = (top_db - position) / range_db;
        (share, minus(&format!("{position:.decimals$}")))
    });
    Marks {
        places: places.collect(),
        name: format!("Level ({unit})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(rate_over: f64, rate_under: f64) -> Axis {
        Axis {
            first_bin: 0,
            bins: 1025,
            n: 2048,
            is_complex: false,
            centre_hz: 0.0,
            rate_over,
            rate_under,
        }
    }

    #[test]
    fn marks_are_round_and_in_units_that_fit() {
        let span = Span {
            from_hz: 0.0,
            to_hz: 24_000.0,
        };
        let marks = frequency(&axis(48_000.0, 1.0), span, 6);
        let words: Vec<&str> = marks.places.iter().map(|(_, words)| &**words).collect();
        assert_eq!(words, ["0", "5", "10", "15", "20"]);
        assert_eq!(marks.name, "Frequency (kHz)");
        assert!((marks.places[1].0 - 5.0 / 24.0).abs() < 1e-12);
        // One sample an hour.
        let slow = axis(1.0, 3600.0);
        let marks = frequency(&slow, slow.whole(), 6);
        assert_eq!(marks.name, "Frequency (cycles per day)");
        assert_eq!(marks.places.last().expect("marks").1, "12");
        let marks = level(0.0, 60.0, 6, "dBFS");
        assert_eq!(marks.places.len(), 7);
        assert_eq!(marks.places[0], (1.0, "−60".to_owned()));
        assert_eq!(marks.name, "Level (dBFS)");
    }
}

//! A row of the report: a published figure, what the simulator makes of it, and how near it must
//! be.

use v3d_sim::Board;

/// The subject of a row: the report has a table for each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Section {
    /// Relative rms errors of GPU_FFT's results.
    Errors,
    /// Instructions that GPU_FFT executes.
    Instructions,
    /// The author's table of performance counters.
    Counters,
    /// Run times of release 3.0.
    Times3,
    /// Run times of release 2.0.
    Times2,
    /// Run times that others measured on boards of their own.
    OtherBoards,
    /// Latencies and rates, by small programs.
    Microbenchmarks,
    /// The meaning of the performance counters.
    CounterIdentities,
}

impl Section {
    /// All, in the order of the report.
    pub const ALL: [Self; 8] = [
        Self::Errors,
        Self::Instructions,
        Self::Counters,
        Self::Times3,
        Self::Times2,
        Self::OtherBoards,
        Self::Microbenchmarks,
        Self::CounterIdentities,
    ];

    /// Its heading.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Errors => "Errors of GPU_FFT",
            Self::Instructions => "Instructions of GPU_FFT",
            Self::Counters => "The author's performance counters",
            Self::Times3 => "Run times of GPU_FFT 3.0",
            Self::Times2 => "Run times of GPU_FFT 2.0",
            Self::OtherBoards => "Run times on other boards",
            Self::Microbenchmarks => "Latencies and rates",
            Self::CounterIdentities => "What the counters count",
        }
    }
}

/// The required nearness of a simulated figure to the published one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Band {
    /// Equal.
    Exact,
    /// Equal when rounded to two significant digits, as it was printed.
    TwoDigits,
    /// Within this part of it.
    Within(f64),
    /// Within this much of it.
    Near(f64),
    /// Not more than this many times it, nor less than one such part of it.
    Factor(f64),
    /// At most this.
    AtMost(f64),
    /// Anything: too little is known of how it was measured.
    Reported,
}

impl Band {
    /// True if `simulated` lies in it; `None` when it is only reported.
    #[must_use]
    pub fn holds(self, published: f64, simulated: f64) -> Option<bool> {
        let apart = (simulated - published).abs();
        // Decimal bands are met by decimal figures that lie on their edge.
        let edge = 1.0 + 1e-9;
        match self {
            Self::Exact => Some(simulated == published),
            Self::TwoDigits => Some(two_digits(simulated) == two_digits(published)),
            Self::Within(part) => Some(apart <= part * published.abs() * edge),
            Self::Near(distance) => Some(apart <= distance * edge),
            Self::Factor(factor) => Some(
                simulated <= published * factor * edge && simulated * factor * edge >= published,
            ),
            Self::AtMost(most) => Some(simulated <= most * edge),
            Self::Reported => None,
        }
    }

    /// For a reader. `unit` is that of the row.
    #[must_use]
    pub fn text(self, unit: &str) -> String {
        match self {
            Self::Exact => "exact".into(),
            Self::TwoDigits => "printed digits".into(),
            Self::Within(part) => format!("±{:.3} %", 100.0 * part).replace(".000", ""),
            Self::Near(distance) => format!("±{distance} {unit}"),
            Self::Factor(factor) => format!("factor {factor}"),
            Self::AtMost(most) => format!("at most {most} {unit}"),
            Self::Reported => "none".into(),
        }
    }
}

/// Two significant digits, as GPU_FFT prints.
fn two_digits(value: f64) -> String {
    format!("{value:.1e}")
}

/// A published figure and its simulation.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The table it stands in.
    pub section: Section,
    /// The quantity measured.
    pub what: String,
    /// The publication.
    pub source: &'static str,
    /// The board it was measured on, and so the preset it is simulated with.
    pub board: Board,
    /// The unit of the figures.
    pub unit: &'static str,
    /// The figure; the middle when a range was published.
    pub published: f64,
    /// The required nearness of the simulation.
    pub band: Band,
    /// True if constants were fitted to it.
    pub fitted: bool,
    /// The simulator's figure; `None` when it was not run.
    pub simulated: Option<f64>,
    /// Its figure when it was last recorded.
    pub recorded: Option<f64>,
}

impl Row {
    /// A row of a Pi 1, to which nothing was fitted.
    #[must_use]
    pub fn new(
        section: Section,
        what: impl Into<String>,
        source: &'static str,
        (published, unit): (f64, &'static str),
        band: Band,
        simulated: Option<f64>,
    ) -> Self {
        Self {
            section,
            what: what.into(),
            source,
            board: Board::Pi1,
            unit,
            published,
            band,
            fitted: false,
            simulated,
            recorded: None,
        }
    }

    /// Relative error of the simulation, or its distance where 0 was published.
    #[must_use]
    pub fn error(&self) -> Option<f64> {
        let simulated = self.simulated?;
        Some(if self.published == 0.0 {
            simulated
        } else {
            simulated / self.published - 1.0
        })
    }

    /// True if it lies in its band; `None` when it was not run or is only reported.
    #[must_use]
    pub fn in_band(&self) -> Option<bool> {
        self.band.holds(self.published, self.simulated?)
    }

    /// By what the recorded values are found again.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{}: {} ({})", self.section.title(), self.what, self.source)
    }

    /// The row as in `--json`: `null` where nothing was run.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "section": self.section.title(),
            "what": self.what,
            "source": self.source,
            "board": self.board.name(),
            "unit": self.unit,
            "published": self.published,
            "simulated": self.simulated,
            "recorded": self.recorded,
            "error": self.error(),
            "band": self.band.text(self.unit),
            "fitted": self.fitted,
            "in_band": self.in_band(),
        })
    }
}

/// Mean of the absolute relative errors of the rows that were run; `None` when none was.
pub fn mean_absolute_error<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Option<f64> {
    let errors: Vec<f64> = rows
        .into_iter()
        .filter_map(Row::error)
        .map(f64::abs)
        .collect();
    (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_end_where_they_say() {
        assert_eq!(Band::Exact.holds(5.0, 5.5), Some(false));
        assert_eq!(Band::TwoDigits.holds(0.33, 0.3349), Some(true));
        assert_eq!(Band::TwoDigits.holds(0.33, 0.3351), Some(false));
        assert_eq!(Band::Within(0.12).holds(100.0, 112.0), Some(true));
        assert_eq!(Band::Within(0.12).holds(100.0, 87.9), Some(false));
        assert_eq!(Band::Near(1.0).holds(9.0, 10.0), Some(true));
        assert_eq!(Band::Near(1.0).holds(9.0, 7.9), Some(false));
        assert_eq!(Band::Factor(1.5).holds(30.0, 20.0), Some(true));
        assert_eq!(Band::Factor(1.5).holds(30.0, 45.1), Some(false));
        assert_eq!(Band::AtMost(6.0).holds(0.0, 6.1), Some(false));
        assert_eq!(Band::Reported.holds(1.0, 2.0), None);
    }

    #[test]
    fn bands_are_written_as_they_are_spoken_of() {
        assert_eq!(Band::Within(0.12).text("us"), "±12 %");
        assert_eq!(Band::Within(0.015).text(""), "±1.500 %");
        assert_eq!(Band::Near(1.0).text("slots"), "±1 slots");
    }
}

//! Stretches of time without records.

/// The cause of a gap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Samples were lost at the board's input.
    Overrun,
    /// The board dropped records, because the line was busy.
    Dropped,
    /// Records were lost on the line, or the line was down.
    Line,
}

impl Reason {
    /// Words for a table.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Overrun => "samples lost at the input",
            Self::Dropped => "dropped by the board",
            Self::Line => "lost on the line",
        }
    }
}

/// A stretch of time without records.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Gap {
    /// Its begin in seconds: the end of the record before.
    pub from_s: f64,
    /// Its end in seconds: the begin of the record after it.
    pub to_s: f64,
    /// Its cause.
    pub reason: Reason,
}

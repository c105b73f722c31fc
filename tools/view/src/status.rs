//! The state of the stream in numbers, and its gaps.

use wire::{Descriptor, RecordHead};

use crate::axis::Axis;

/// The last record that is shown, and what was lost so far.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Status {
    /// The descriptor of the record.
    pub descriptor: Descriptor,
    /// Its head, with the counters of the board.
    pub head: RecordHead,
    /// Its frequencies, multiplied where samples are played slower or faster.
    pub axis: Axis,
    /// Records that have come, of all sections.
    pub records: u64,
    /// Records that are missing by their numbers: the board has dropped them, or the line has.
    pub missing_records: u64,
    /// Values of records that were lost on the line.
    pub missing_values: u64,
    /// Gaps that the waterfall has drawn.
    pub gaps: u64,
    /// Sections so far.
    pub sections: u32,
}

impl Status {
    /// The resolution bandwidth: the window's equivalent noise bandwidth in hertz.
    #[must_use]
    pub fn rbw_hz(&self) -> f64 {
        self.descriptor.enbw_bins * self.axis.bin_hz()
    }

    /// `dBFS`, or `dB` re 1 of the samples' unit.
    #[must_use]
    pub const fn unit(&self) -> &'static str {
        self.descriptor.unit.name()
    }

    /// The share of the samples that was taken, if the stream leaves some out.
    #[must_use]
    pub fn duty(&self) -> Option<f64> {
        self.head.duty_ppm.map(|ppm| f64::from(ppm) / 1e6)
    }
}

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

//! A recording: its channels, and the facts about them that its file holds.

use std::fmt;
use std::sync::Arc;

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::{OwnDescription, Samples};
use common::text::quote;
use signal::Rate;

/// One stream of samples.
#[derive(Clone, Debug)]
pub struct Channel {
    /// The name that distinguishes it from the others: `left`, `right`, or nothing where there is
    /// one.
    pub name: String,
    /// Its samples, real or complex.
    pub samples: Samples,
}

impl Channel {
    /// The only channel of a recording.
    #[must_use]
    pub const fn only(samples: Samples) -> Self {
        Self {
            name: String::new(),
            samples,
        }
    }

    /// The number of samples: real ones, or pairs.
    #[must_use]
    pub const fn points(&self) -> u64 {
        self.samples.count()
    }

    /// True if samples are pairs of I and Q.
    #[must_use]
    pub const fn is_complex(&self) -> bool {
        self.samples.format().is_complex
    }
}

/// The reference, 0 dB.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unit {
    /// A sine that just reaches the largest sample value.
    FullScale,
    /// A sine whose amplitude is one of these.
    One(String),
}

/// A remark about a part of a recording, which its file holds.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct Annotation {
    /// The sample that it begins with.
    pub start: u64,
    /// Its samples; none where it goes on to the end.
    pub count: Option<u64>,
    /// The lower edge in hertz, where it has one.
    pub low_hz: Option<f64>,
    /// The upper edge in hertz, where it has one.
    pub high_hz: Option<f64>,
    /// Its text.
    pub label: String,
}

impl fmt::Display for Annotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}`: samples from {} on",
            quote(&self.label),
            self.start
        )?;
        if let Some(count) = self.count {
            write!(f, ", {count} of them")?;
        }
        match (self.low_hz, self.high_hz) {
            (Some(low), Some(high)) => write!(f, ", {low} to {high} Hz"),
            _ => Ok(()),
        }
    }
}

/// A recording, ready to be sent.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The file's name without its folder.
    pub name: String,
    /// The format that was read, in the word of `--samples` or of the file.
    pub format: String,
    /// Samples a second.
    pub rate: Rate,
    /// The reference of the levels.
    pub unit: Unit,
    /// At least one.
    pub channels: Vec<Channel>,
    /// The frequency in hertz that 0 Hz of complex samples stands for, where the file says it.
    pub centre_hz: Option<f64>,
    /// The time of the first sample in UTC, where the file says it.
    pub start: Option<OffsetDateTime>,
    /// Remarks about parts of it.
    pub annotations: Vec<Annotation>,
    /// The SigMF description that it came with.
    pub description: Option<Arc<OwnDescription>>,
    /// The changes to the data on the way, one sentence each.
    pub notes: Vec<String>,
    /// Matters that the user may have overlooked, one sentence each.
    pub hints: Vec<String>,
    /// Reasons why its spectra may mean less than they seem to, which are said behind them.
    pub doubts: Vec<String>,
}

impl Recording {
    /// A recording in numbers with a full scale, of which nothing else is known.
    #[must_use]
    pub fn new(name: &str, format: String, rate: Rate, channels: Vec<Channel>) -> Self {
        Self {
            name: name.to_owned(),
            format,
            rate,
            unit: Unit::FullScale,
            channels,
            centre_hz: None,
            start: None,
            annotations: vec![],
            description: None,
            notes: vec![],
            hints: vec![],
            doubts: vec![],
        }
    }

    /// The time of its first sample, as `2023-08-06T15:18:38Z`.
    #[must_use]
    pub fn start_text(&self) -> Option<String> {
        self.start?.format(&Rfc3339).ok()
    }

    /// Returns whether its samples are complex.
    #[must_use]
    pub fn is_complex(&self) -> bool {
        self.channels.iter().any(Channel::is_complex)
    }
}

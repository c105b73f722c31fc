//! One thing that was seen on a card, and how a list of them is printed.

use std::fmt;

/// Meaning of a finding for the card.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// Correct.
    Right,
    /// Worth knowing; the firmware starts.
    Note,
    /// The firmware does not start, or does not work as it should.
    Wrong,
}

/// One thing that was seen on a card.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Its meaning.
    pub severity: Severity,
    /// The file, with the line where it is about one.
    pub place: String,
    /// The observation and the advice, as a sentence.
    pub sentence: String,
}

impl Finding {
    pub(crate) fn right(place: impl Into<String>, sentence: impl Into<String>) -> Self {
        Self::new(Severity::Right, place, sentence)
    }

    pub(crate) fn note(place: impl Into<String>, sentence: impl Into<String>) -> Self {
        Self::new(Severity::Note, place, sentence)
    }

    pub(crate) fn wrong(place: impl Into<String>, sentence: impl Into<String>) -> Self {
        Self::new(Severity::Wrong, place, sentence)
    }

    pub(crate) fn is_wrong(&self) -> bool {
        self.severity == Severity::Wrong
    }

    pub(crate) fn new(
        severity: Severity,
        place: impl Into<String>,
        sentence: impl Into<String>,
    ) -> Self {
        Self {
            severity,
            place: place.into(),
            sentence: sentence.into(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match self.severity {
            Severity::Right => "ok",
            Severity::Note => "note",
            Severity::Wrong => "WRONG",
        };
        write!(f, "{mark:<5}  {:<15}  {}", self.place, self.sentence)
    }
}

/// The findings line by line, and a verdict; whether the card is right.
#[must_use]
pub fn report(found: &[Finding]) -> (String, bool) {
    let lines: String = found.iter().map(|finding| format!("{finding}\n")).collect();
    let verdict = match found.iter().filter(|it| it.is_wrong()).count() {
        0 => "This card is right.\n".to_owned(),
        1 => "One thing to put right.\n".to_owned(),
        count => format!("{count} things to put right.\n"),
    };
    (lines + &verdict, !verdict.contains("put right"))
}

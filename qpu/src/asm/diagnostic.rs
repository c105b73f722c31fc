//! The problems of a source, as people and editors read them.

use std::fmt;

/// The severity of a problem.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The program can be assembled, and may do something else than was meant.
    Warning,
    /// There is no program.
    Error,
}

impl Severity {
    /// `warning` or `error`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A step on the way from the file that was assembled to the line in question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expansion {
    /// The thing that was expanded there: `macro load_tw`, `file gpu_fft.qinc`, `.rep i = 3`.
    pub what: String,
    /// The file it was asked for in.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

impl Expansion {
    /// True if it is an iteration of `.rep` or its like.
    pub(super) fn is_iteration(&self) -> bool {
        self.what.starts_with('.')
    }
}

impl fmt::Display for Expansion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, file, line } = self;
        write!(f, "in {what}, from {file}:{line}")
    }
}

/// One thing that is wrong, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Short name of the rule that is broken.
    pub rule: &'static str,
    /// The problem, in one sentence.
    pub message: String,
    /// The remedy: what would be accepted, or what to do.
    pub help: String,
    /// The file as it was named.
    pub file: String,
    /// The line, from 1; 0 when the whole file is meant.
    pub line: u32,
    /// The column, in characters from 1.
    pub column: u32,
    /// The number of characters that are meant.
    pub length: u32,
    /// The text of the line.
    pub source: String,
    /// The way by which the assembler came there, innermost first.
    pub expansion: Vec<Expansion>,
}

impl Diagnostic {
    /// True if both say the same of the same line, whatever way leads there.
    pub(super) fn is_same_anywhere(&self, other: &Self) -> bool {
        self.without_way() == other.without_way()
    }

    fn without_way(&self) -> (Severity, &str, [u32; 3], [&str; 4]) {
        let texts = [&self.message, &self.help, &self.file, &self.source];
        let numbers = [self.line, self.column, self.length];
        (self.severity, self.rule, numbers, texts.map(String::as_str))
    }

    /// True if both say the same, but for which iteration of a repetition it is.
    pub(super) fn is_same_in_any_iteration(&self, other: &Self) -> bool {
        let same_step = |(one, two): (&Expansion, &Expansion)| {
            let is_iteration = one.is_iteration() && two.is_iteration();
            (&one.file, one.line) == (&two.file, two.line) && (is_iteration || one.what == two.what)
        };
        self.expansion.len() == other.expansion.len()
            && self.expansion.iter().zip(&other.expansion).all(same_step)
            && self.is_same_anywhere(other)
    }
}

/// Everything that was said of a source; at least one error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostics(pub Vec<Diagnostic>);

/// Characters of a source line that a message shows.
const SHOWN: usize = 160;

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            severity,
            rule,
            message,
            help,
            file,
            line,
            column,
            ..
        } = self;
        write!(f, "{file}")?;
        if *line > 0 {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}: {message} [{rule}]", severity.name())?;
        if *line > 0 && !self.source.trim().is_empty() {
            let before = (*column as usize - 1).saturating_sub(SHOWN / 2);
            let shown: String = self.source.chars().skip(before).take(SHOWN).collect();
            // Tabs are kept, so that the caret stands below what it means.
            let margin: String = self
                .source
                .chars()
                .skip(before)
                .take(*column as usize - 1 - before)
                .map(|c| if c == '\t' { '\t' } else { ' ' })
                .collect();
            let carets = "^".repeat((self.length.max(1) as usize).min(SHOWN));
            write!(f, "\n  {}\n  {margin}{carets}", shown.trim_end())?;
        }
        if !help.is_empty() {
            write!(f, "\n  {help}")?;
        }
        for step in &self.expansion {
            write!(f, "\n  {step}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.0.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{diagnostic}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

/// An error in the statement at hand, before the place of the statement is added.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub rule: &'static str,
    pub message: String,
    pub help: String,
    /// Bytes of the line that are meant.
    pub start: u32,
    pub end: u32,
    /// Said already where: in the body of a function.
    pub place: Option<Box<(super::source::Place, Vec<Expansion>)>>,
    /// True if nothing after it is worth reading: a limit is reached.
    pub fatal: bool,
}

impl Fault {
    pub fn new(rule: &'static str, (start, end): (u32, u32), message: impl Into<String>) -> Self {
        Self {
            rule,
            message: message.into(),
            help: String::new(),
            start,
            end,
            place: None,
            fatal: false,
        }
    }

    /// Ends what is being read; what stopped it has been reported.
    pub fn stop() -> Self {
        Self {
            fatal: true,
            ..Self::new("stop", (0, 1), "")
        }
    }

    pub fn is_stop(&self) -> bool {
        self.rule == "stop"
    }

    /// This fault at other bytes of the line.
    pub fn at(self, (start, end): (u32, u32)) -> Self {
        Self { start, end, ..self }
    }

    /// With the names that may have been meant; help where there are none.
    pub fn suggest(self, near: &[impl AsRef<str>], help: &str) -> Self {
        let near: Vec<&str> = near.iter().map(AsRef::as_ref).collect();
        match near.is_empty() {
            true => self.help(help),
            false => self.help(format!("did you mean {}?", near.join(" or "))),
        }
    }

    pub fn help(self, help: impl Into<String>) -> Self {
        Self {
            help: help.into(),
            ..self
        }
    }

    /// A limit: what it is, and what it is there for.
    pub fn limit(at: (u32, u32), message: impl Into<String>) -> Self {
        Self {
            fatal: true,
            ..Self::new("limit", at, message)
        }
    }
}

//! Why a program does not build.

use std::panic::Location;

/// One thing that is wrong with a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Byte address of the instruction, from the start of the program.
    pub pc: u32,
    /// The line of the generator that asked for the instruction.
    pub at: Option<&'static Location<'static>>,
    /// The instruction, if it could be encoded.
    pub text: Option<String>,
    /// Short name of the rule that is broken.
    pub rule: &'static str,
    /// The fault, in one sentence.
    pub reason: String,
    /// The remedy.
    pub fix: &'static str,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#06x}", self.pc)?;
        if let Some(at) = self.at {
            write!(f, " ({}:{})", at.file(), at.line())?;
        }
        if let Some(text) = &self.text {
            write!(f, " `{text}`")?;
        }
        write!(
            f,
            ": {}: {}; to fix it, {}",
            self.rule, self.reason, self.fix
        )
    }
}

/// All that is wrong with a program; at least one problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuildError {
    /// In the order of the program, as far as it was looked at.
    pub problems: Vec<Problem>,
}

impl BuildError {
    /// These problems as an error, if there are any.
    pub(super) fn unless_none(problems: Vec<Problem>) -> Result<(), Self> {
        match problems[..] {
            [] => Ok(()),
            _ => Err(Self { problems }),
        }
    }
}

impl std::fmt::Display for BuildError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = self.problems.len();
        let plural = if count == 1 { "" } else { "s" };
        write!(f, "the program does not build ({count} problem{plural})")?;
        for problem in &self.problems {
            write!(f, "\n  {problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for BuildError {}

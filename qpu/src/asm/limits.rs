//! How much of everything a source may ask for.

/// Bounds that keep time and memory finite whatever the source says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of a line.
    pub line_bytes: usize,
    /// Bytes of all files together, each counted once.
    pub source_bytes: usize,
    /// Lines of all files together that hold something.
    pub source_lines: usize,
    /// Files that include each other, one inside the other.
    pub include_depth: usize,
    /// Macros, functions, repetitions and files, one inside the other.
    pub expansion_depth: usize,
    /// Repetitions of one `.rep`.
    pub repetitions: i64,
    /// Operators and parentheses, one inside the other.
    pub expression_depth: usize,
    /// Statements (long ones count for several), operands and calls, over all passes.
    pub steps: usize,
    /// Bytes of the program.
    pub output_bytes: usize,
    /// Errors, and warnings, that are reported.
    pub diagnostics: usize,
}

impl Limits {
    /// What hosts allow.
    pub const DEFAULT: Self = Self {
        line_bytes: 1 << 16,
        source_bytes: 1 << 26,
        source_lines: 1 << 20,
        include_depth: 32,
        expansion_depth: 128,
        repetitions: 1 << 20,
        expression_depth: 64,
        steps: 30_000_000,
        output_bytes: 1 << 25,
        diagnostics: 20,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

//! The limits on everything that a source may ask for.

/// Bounds that keep time and memory finite whatever the source says.
///
/// The defaults keep an assembly below 1 GB of memory and below 1 MB of stack, and are far beyond
/// what a QPU runs: the largest of GPU_FFT's programs has some 4,000 lines and 5,000 instructions.
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
    /// Blocks of lines of every kind, one inside the other: as written, and as macros and files
    /// bring them together.
    pub block_depth: usize,
    /// Repetitions of one `.rep`.
    pub repetitions: i64,
    /// Operators and parentheses, one inside the other.
    pub expression_depth: usize,
    /// Operators and parentheses, through all functions that are being computed.
    pub expression_levels: usize,
    /// Lines of one pass, each counted as often as macros and repetitions bring it.
    pub expanded_lines: usize,
    /// Statements (long ones count for several), operands and calls, over all passes.
    pub steps: usize,
    /// Bytes of the program.
    pub output_bytes: usize,
    /// Instructions and constants of the program.
    pub units: usize,
    /// Labels, those with numbers for names counted each time.
    pub labels: usize,
    /// Errors, and warnings, that are reported.
    pub diagnostics: usize,
}

impl Limits {
    /// The limits that hosts allow.
    pub const DEFAULT: Self = Self {
        line_bytes: 1 << 16,
        source_bytes: 1 << 26,
        source_lines: 1 << 20,
        include_depth: 32,
        expansion_depth: 128,
        block_depth: 256,
        repetitions: 1 << 20,
        expression_depth: 64,
        expression_levels: 320,
        expanded_lines: 1 << 21,
        steps: 30_000_000,
        output_bytes: 1 << 23,
        units: 1 << 20,
        labels: 1 << 20,
        diagnostics: 20,
    };
}

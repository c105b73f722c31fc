//! A program that runs units, and the words that it reads.

use crate::fft::kernels::program::{Record, Start, Tail, Task};
use crate::fft::kernels::uniform::{Pack, UniformId};

/// A word that a program reads as a uniform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    Start(Start),
    Record(Record),
    Row(UniformId),
    Scalar(UniformId),
}

impl Word {
    pub fn start(word: impl Into<Start>) -> Self {
        Self::Start(word.into())
    }

    pub fn record(word: impl Into<Record>) -> Self {
        Self::Record(word.into())
    }

    pub fn row(word: impl Pack) -> Self {
        Self::Row(word.id())
    }

    pub fn scalar(word: impl Pack) -> Self {
        Self::Scalar(word.id())
    }
}

/// A generated program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generated {
    /// The task that it does.
    pub task: Task,
    /// Instructions.
    pub code: Vec<u64>,
    /// First instruction of the loop over units, and the first behind it.
    pub units: core::ops::Range<usize>,
    /// Start list.
    pub start: Vec<Start>,
    /// Words of a record.
    pub record: Vec<Record>,
    /// Words of the tail.
    pub tail: Vec<Tail>,
    /// Words of a row list.
    pub rows: Vec<UniformId>,
    /// Words of a scalar list.
    pub scalars: Vec<UniformId>,
    /// Words of row lists as the code has them: what routines read in one call, and what the loop
    /// reads.
    pub listed: [Vec<UniformId>; 2],
    /// Names of instructions, by index.
    pub labels: Vec<(usize, String)>,
}

/// The phase of what is scheduled as one piece: a unit.
pub const UNIT: &str = "unit";

impl Generated {
    /// `fft-first-32` or `fft-first-32-i16`, say.
    #[must_use]
    pub fn name(&self) -> String {
        self.task.name().to_string()
    }
}

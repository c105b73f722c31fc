//! The words that a program with a loop over units reads, and their names.

use crate::codelet::op_list::{OpList, Wish};
use crate::kernels::program::{Record, Start};
use crate::kernels::uniform::{Pack, UniformId};
use qpu::generate::schedule::{Place, Source};
use qpu::isa::AddOp;

/// The phase of what is scheduled as one piece: a unit.
pub const UNIT: &str = "unit";

/// A word that a program reads as a uniform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    Start(Start),
    Record(Record),
    Row(UniformId),
    Scalar(UniformId),
}

/// A list of a program.
#[derive(Clone, Copy)]
pub enum List {
    Start,
    Record,
    Row,
    Scalar,
}

/// The name of a uniform of a kernel in one of its lists, for listings.
pub type Names = fn(List, UniformId) -> String;

/// Byte offsets of the lanes, 2^`log2_bytes` bytes each.
pub fn lane_offsets(ops: &mut OpList<Word>, log2_bytes: i32, wish: Wish) -> Place {
    let offsets = ops.take(wish);
    ops.add_op(AddOp::Shl, Source::Lane, log2_bytes, offsets);
    offsets
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

    /// Its name in listings.
    pub fn name(self, names: Names) -> String {
        match self {
            Self::Start(Start::Kernel(id)) => names(List::Start, id),
            Self::Start(Start::Record(record)) => {
                format!("Record({})", Self::Record(record).name(names))
            }
            Self::Start(Start::Row(id)) => format!("Row({})", names(List::Row, id)),
            Self::Start(start) => format!("{start:?}"),
            Self::Record(Record::Kernel(id)) => names(List::Record, id),
            Self::Record(record) => format!("{record:?}"),
            Self::Row(id) => names(List::Row, id),
            Self::Scalar(id) => names(List::Scalar, id),
        }
    }
}

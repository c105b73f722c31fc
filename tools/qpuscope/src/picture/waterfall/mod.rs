//! One picture of all records: frequency to the right, time downwards, level as colour.
//!
//! Records are taken in one by one and kept as rows of at most as many columns as the picture has.
//! When there are more rows than it can show, those of neighbouring times become one, so that a
//! recording of any length takes the same memory.

mod draw;
mod rows;
mod time_axis;

pub use rows::{Merge, Waterfall};

/// The place of a record in time, in microseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// Where its first sample lies.
    pub from_us: i64,
    /// Where the last one ends.
    pub to_us: i64,
}

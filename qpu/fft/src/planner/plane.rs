//! Transforms in two dimensions: rows, and then columns, without a transposition.
//!
//! The rows of a plane are a batch of transforms. Its columns lie side by side in the lanes
//! ([`crate::kernels::unit::geometry`], columns of a plane), so passes over columns read what
//! the passes over rows have written as it lies. Between the two, rows lie a line further apart
//! than they are long: else, their length being a power of two, all points of a column would
//! compete for the same sets of every cache.
//!
//! All passes but the last write one of two scratch areas in turn.

use super::steps::{Area, Steps};
use crate::kernels::sizes::{CELL_BYTES, POINT_BYTES};
use crate::kernels::unit::Geometry;
use crate::split::{Axis, Split};

/// Bytes between rows.
const GAP: u32 = CELL_BYTES;

/// The split of columns of 2^`log2_rows` points unless a request has one: into the fewest passes.
#[must_use]
pub fn split(log2_rows: u32) -> Option<Split> {
    Split::all_along(Axis::Column, log2_rows).next()
}

impl Steps {
    /// Appends the passes of `batch` transforms of planes, from the caller's input to his output.
    pub fn append_plane(&mut self, rows: &Split, columns: &Split, batch: u32) {
        let (log2_columns, log2_rows) = (rows.log2_points(), columns.log2_points());
        let row_count = batch << log2_rows;
        let between = ((rows.passes() - 1) % 2) as u8;
        let along = |split: &Split| {
            let split = *split;
            (0..split.passes()).map(move |pass| Geometry::of_plane(&split, pass, log2_columns, GAP))
        };
        let pitch = (POINT_BYTES << log2_columns) + GAP;
        let plane = self.area(between, u64::from(row_count) * u64::from(pitch));
        self.append(along(rows), row_count, Area::Input, plane, [0, 1]);
        self.leave_unscaled();
        let cells = [1 - between, between];
        self.append(along(columns), batch, plane, Area::Output, cells);
    }
}

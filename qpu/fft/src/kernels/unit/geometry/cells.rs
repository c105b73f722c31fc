//! The places in scratch memory of the cells that a pass writes.

use crate::kernels::sizes::{BLOCK_CELLS, CELL_BYTES, OCTET, UNIT_POINTS};
use crate::kernels::unit::Geometry;
use crate::split::Role;
use qpu::machine::LANES;

/// Blocks of neighbouring rows of the next pass lie line by line between each other: as many, at
/// the most, as a power of two.
const LOG2_INTERLEAVED: u32 = 3;

/// Bytes of scratch memory for `blocks` blocks, however they are interleaved.
#[must_use]
pub const fn scratch_bytes(blocks: u32) -> u32 {
    let group = 1 << LOG2_INTERLEAVED;
    group_offset(blocks.div_ceil(group), LOG2_INTERLEAVED)
}

/// Byte offset of a group of 2^`log2_blocks` interleaved blocks in scratch memory.
///
/// Without gaps, what a pass reads together would share sets of every cache: its distance is a
/// power of two. So a group is followed by a gap of a line for each of its blocks, and every 64
/// lines of gaps by one more.
const fn group_offset(index: u32, log2_blocks: u32) -> u32 {
    let gaps = index + (index >> (6 - log2_blocks)) + (index >> 6);
    ((index * BLOCK_CELLS + gaps) * CELL_BYTES) << log2_blocks
}

impl Geometry {
    /// Byte offset, in the scratch memory that the pass writes, of the cell of `column` and of the
    /// bins `bin` .. `bin + 8` of Pj, `bin` a multiple of 8.
    pub(crate) fn cell(&self, transform: u32, column: u32, bin: u32) -> u32 {
        let units = transform * (self.points() / UNIT_POINTS);
        let k = bin >> self.log2_before;
        let (unit, cell) = match self.role {
            // They write no cells.
            Role::Single | Role::Last => (0, 0),
            Role::First => {
                let (sharer, cell) = self.tile_cell(column, bin);
                (self.unit_index(column, 0, 0) + sharer, cell)
            }
            Role::Middle => {
                let bin = bin & (self.before() - 1);
                let parts = self.parts();
                let octet = bin / OCTET % self.octets();
                (
                    self.unit_index(column, bin, k % parts),
                    LANES * octet + k / parts,
                )
            }
        };
        self.block(units + unit) + ((cell * CELL_BYTES) << self.log2_interleaved())
    }

    /// Byte offset of the first cell of a block of unit `index`; the others follow
    /// [`Geometry::cell_pitch`] apart.
    pub(crate) fn block(&self, index: u32) -> u32 {
        let log2 = self.log2_interleaved();
        let (low, row) = (
            index & ((1 << self.log2_units_of_a_row()) - 1),
            index >> self.log2_units_of_a_row(),
        );
        let group = ((row >> log2) << self.log2_units_of_a_row()) | low;
        group_offset(group, log2) + (row & ((1 << log2) - 1)) * CELL_BYTES
    }

    /// Bytes from a cell of a block to the next.
    pub(crate) fn cell_pitch(&self) -> u32 {
        CELL_BYTES << self.log2_interleaved()
    }

    /// Units, as a power of two, from one that writes a row of the next pass to the one that writes
    /// the next row.
    fn log2_units_of_a_row(&self) -> u32 {
        let step = self.columns_of_a_twiddle();
        match self.role {
            Role::First if step >= self.lane_columns() => {
                (step / self.lane_columns() * self.sharers()).trailing_zeros()
            }
            Role::First => 0,
            _ => {
                let octets = self.before() / (OCTET * self.octets());
                (step * octets * self.parts()).trailing_zeros()
            }
        }
    }

    /// Number of blocks that are interleaved, as a power of two: those of neighbouring rows of the
    /// next pass, which its units read together.
    fn log2_interleaved(&self) -> u32 {
        // Neighbouring columns of a first pass are in the same block.
        let log2_rows = match self.role {
            Role::First if self.columns_of_a_twiddle() < self.lane_columns() => 0,
            _ => self.log2_next,
        };
        log2_rows.min(LOG2_INTERLEAVED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::unit::geometry::tests::passes;
    use crate::split::{Axis, Split};

    #[test]
    fn every_cell_is_written_once_and_offsets_add_up() {
        let columns = (8..=14).flat_map(|log2| Split::all_along(Axis::Column, log2));
        let columns = columns.flat_map(|split| {
            (0..split.passes()).map(move |pass| Geometry::of_plane(&split, pass, 4, 64))
        });
        for pass in passes(8..=14)
            .chain(columns)
            .filter(|pass| matches!(pass.role(), Role::First | Role::Middle))
        {
            let bins = pass.before() * pass.radix();
            let mut seen = std::collections::HashSet::new();
            let sum = |column: u32, bin: u32| pass.cell(0, column, bin);
            for column in 0..pass.columns() {
                for bin in (0..bins).step_by(OCTET as usize) {
                    let offset = sum(column, bin);
                    assert!(seen.insert(offset), "{pass:?} {column} {bin}");
                    // What the next pass adds: its row, and its octet or column.
                    let step = pass.columns_of_a_twiddle();
                    let row = column / step * step;
                    let rest = column % step;
                    assert_eq!(
                        offset,
                        sum(row, 0) + sum(rest, bin),
                        "{pass:?} {column} {bin}"
                    );
                    let low = row & (2 * step - 1);
                    assert_eq!(sum(row, 0), sum(row - low, 0) + sum(low, 0));
                    assert_eq!(sum(rest, bin), sum(rest, bin & !8) + sum(0, bin & 8));
                }
            }
            assert_eq!(seen.len() as u32, pass.points() / OCTET);
            let end = scratch_bytes(pass.units(1));
            assert!(seen.iter().all(|offset| offset + CELL_BYTES <= end));
        }
    }
}

//! Where everything of a pass lies: units, columns, rows, lanes, cells.
//!
//! Pass j of N = R1 · .. · Rp reads index n = .. + nj · Sj + rest and has the bins K of the passes
//! before it, with Pj = R1 · .. · Rj, Sj = N / Pj, rest < Sj and K = k1 + R1 k2 + .. < P(j-1). For
//! each rest and K it computes, with W_M = exp(-2πi/M),
//!
//! Y\[kj\] = Σ_nj W_Rj^(nj kj) x\[nj\], and then, but for the last pass,
//! Y\[kj\] · W_P(j+1)^(n(j+1) (K + P(j-1) kj)), where n(j+1) = rest / S(j+1).
//!
//! A *unit* is 256 of these Y, what one program computes at a time:
//!
//! | pass | lanes | unit |
//! |---|---|---|
//! | Only | (row mod R/16) · c + transform | c = 256/R transforms of the batch |
//! | First | (row mod R/16) · c + column | c = 256/R columns |
//! | Middle | (row mod 2) · 8 + bin | column, octet of bins, part |
//! | Last | 2 · bin + row mod 2 | octet of bins, part |
//! | Last, 16 points | 2 · bin + octet mod 2 | two octets of bins |
//! | Middle, 16 points | 8 · (octet mod 2) + bin | column, two octets of bins |
//!
//! Two or four QPUs can share a tile of first and last passes, rows and outputs; [`super::tile`] says which.
//!
//! A *part* q of F = R/32 computes kj = q + F k'. An *octet* is eight bins K that begin at a multiple
//! of 8. A *cell* is 64 bytes, the real and then the imaginary parts of one octet of one column. The
//! 32 cells of a unit are a block of 2 KiB; [`Geometry::block`] says where.
//!
//! # Columns of a plane
//!
//! Of a plane of W columns, rows after rows in memory, the transforms of the columns lie side by side as those
//! of W bins K do behind passes of W points, and everything above holds with P(0) = W: bins K = x + W (k1 + R1
//! k2 + ..). Only the twiddles do not depend on x, which [`Geometry::bins`] counts without; and the first of
//! these passes reads, instead of cells, the points of eight columns, which are a line as well.
//!
//! All offsets are sums of one of the unit, one of the row and one of the lane: that is what programs
//! add up, and why a pass needs no address arithmetic of its own.

use super::program::{Kind, Samples};
use super::samples::Reading;
use super::split::{Axis, Role, Split};
use super::tables::Table;

/// Bytes of an interleaved complex point.
pub const POINT_BYTES: u32 = 8;
/// Lanes of a vector.
pub const LANES: u32 = 16;
/// Points of a unit, which are in registers at the same time.
pub const UNIT_POINTS: u32 = 256;
/// Bins of a cell.
pub const OCTET: u32 = 8;
/// Bytes of a cell: a line of the caches.
pub const CELL_BYTES: u32 = 64;
/// Cells of a block.
pub const BLOCK_CELLS: u32 = 32;

/// Blocks of neighbouring rows of the next pass lie line by line between each other: as many, at the
/// most, as a power of two.
pub const LOG2_INTERLEAVED: u32 = 3;

/// Bytes of scratch memory for `blocks` blocks, however they are interleaved.
#[must_use]
pub const fn scratch_bytes(blocks: u32) -> u32 {
    let group = 1 << LOG2_INTERLEAVED;
    group_offset(blocks.div_ceil(group), LOG2_INTERLEAVED)
}

/// Byte offset of a group of 2^`log2_blocks` interleaved blocks in scratch memory.
///
/// Without gaps, what a pass reads together would share sets of every cache: its distance is a power
/// of two. So a group is followed by a gap of a line for each of its blocks, and every 64 lines of gaps by one more.
const fn group_offset(index: u32, log2_blocks: u32) -> u32 {
    let gaps = index + (index >> (6 - log2_blocks)) + (index >> 6);
    ((index * BLOCK_CELLS + gaps) * CELL_BYTES) << log2_blocks
}

/// A pass of a split.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry {
    split: Split,
    pass: usize,
    role: Role,
    log2_points: u32,
    log2_radix: u32,
    /// QPUs that share a tile ([`super::tile`]), as a power of two.
    log2_sharers: u32,
    /// W of a pass over columns, else 0.
    log2_width: u32,
    /// P(j-1).
    log2_before: u32,
    /// R(j+1); 0 in the last pass.
    log2_next: u32,
    /// Bytes between a transform and the next in what the last of a split's passes writes; of a pass over
    /// columns, between rows of what the first reads.
    gap: u32,
    /// Of a pass that reads the caller's input.
    reading: Reading,
}

/// What a unit computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unit {
    /// Which transform of the batch; the first of several.
    pub transform: u32,
    /// Its column; the first of several.
    pub column: u32,
    /// Its first bin K.
    pub bin: u32,
    /// Which part of the outputs.
    pub part: u32,
    /// Which of the QPUs that share its tile has it.
    pub sharer: u32,
}

impl Geometry {
    /// Pass number `pass` of `split`.
    #[must_use]
    pub fn new(split: &Split, pass: usize) -> Self {
        Self::of_plane(split, pass, 0, 0)
    }

    /// Pass number `pass` of `split`, of the rows or of the columns of a plane. It has 2^`log2_width` columns,
    /// and where rows are left to the columns, `gap` bytes between rows.
    #[must_use]
    pub fn of_plane(split: &Split, pass: usize, log2_width: u32, gap: u32) -> Self {
        let log2_width = match split.axis() {
            Axis::Row => 0,
            Axis::Column => log2_width,
        };
        let before: u32 = (0..pass).map(|pass| split.log2_radix(pass)).sum();
        Self {
            split: *split,
            pass,
            role: split.role(pass),
            log2_points: log2_width + split.log2_points(),
            log2_radix: split.log2_radix(pass),
            log2_sharers: split.log2_sharers(pass),
            log2_width,
            log2_before: log2_width + before,
            gap,
            log2_next: match split.role(pass) {
                Role::First | Role::Middle => split.log2_radix(pass + 1),
                Role::Last | Role::Only => 0,
            },
            reading: Reading::points(split.log2_points()),
        }
    }

    /// The same, where the caller's input is something else than points one transform after the other. No
    /// other pass than the first notices.
    #[must_use]
    pub const fn reads(self, reading: Reading) -> Self {
        Self { reading, ..self }
    }

    /// How the caller's input is read.
    #[must_use]
    pub const fn reading(&self) -> &Reading {
        &self.reading
    }

    /// The kind of program that does the pass.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        Kind {
            role: self.role,
            radix: self.radix() as u16,
            samples: match self.role {
                Role::First | Role::Only => self.reading.samples(),
                Role::Middle | Role::Last => Samples::Points,
            },
            sharers: self.sharers() as u8,
        }
    }

    /// The pass before, whose cells this one reads; `None` where it reads the caller's input.
    #[must_use]
    pub fn previous(&self) -> Option<Self> {
        let pass = self.pass.checked_sub(1)?;
        Some(Self::of_plane(&self.split, pass, self.log2_width, self.gap))
    }

    /// What the pass is to its transform.
    #[must_use]
    pub const fn role(&self) -> Role {
        self.role
    }

    /// N; of a pass over columns, points of the plane.
    #[must_use]
    pub const fn points(&self) -> u32 {
        1 << self.log2_points
    }

    /// Rj: rows that an output is the sum of.
    #[must_use]
    pub const fn radix(&self) -> u32 {
        1 << self.log2_radix
    }

    /// QPUs that share a tile: units that follow each other.
    #[must_use]
    pub const fn sharers(&self) -> u32 {
        1 << self.log2_sharers
    }

    /// Rows of a tile that a unit transforms by itself, as a power of two.
    const fn log2_own_radix(&self) -> u32 {
        self.log2_radix - self.log2_sharers
    }

    /// P(j-1): bins of the passes before.
    #[must_use]
    pub const fn before(&self) -> u32 {
        1 << self.log2_before
    }

    /// Whether the pass is over the columns of a plane.
    #[must_use]
    pub fn is_over_columns(&self) -> bool {
        self.split.axis() == Axis::Column
    }

    /// Bins of the passes before on which twiddles depend: P(j-1), of a pass over columns without x.
    #[must_use]
    pub const fn bins(&self) -> u32 {
        1 << (self.log2_before - self.log2_width)
    }

    /// Bins, on which twiddles depend, up to and with the next pass: P(j+1), of columns without x.
    #[must_use]
    pub const fn denominator(&self) -> u32 {
        self.bins() * self.radix() * self.next_radix()
    }

    /// Sj: columns for each bin.
    #[must_use]
    pub const fn columns(&self) -> u32 {
        1 << (self.log2_points - self.log2_before - self.log2_radix)
    }

    /// S(j+1): columns with the same n(j+1), which is what the twiddles after the pass depend on.
    #[must_use]
    pub const fn columns_of_a_twiddle(&self) -> u32 {
        self.columns() >> self.log2_next
    }

    /// R(j+1): radix of the next pass.
    #[must_use]
    pub const fn next_radix(&self) -> u32 {
        1 << self.log2_next
    }

    /// F: units that share the same rows.
    #[must_use]
    pub const fn parts(&self) -> u32 {
        match self.role {
            Role::Middle | Role::Last if self.log2_own_radix() > 5 => {
                1 << (self.log2_own_radix() - 5)
            }
            _ => 1,
        }
    }

    /// Rows that lie side by side in the lanes of a vector.
    #[must_use]
    pub const fn row_lanes(&self) -> u32 {
        match self.role {
            Role::Only | Role::First => (1 << self.log2_own_radix()) / LANES,
            Role::Middle | Role::Last if self.log2_radix == 4 => 1,
            Role::Middle | Role::Last => 2,
        }
    }

    /// Columns, transforms or octets that lie side by side in the lanes of a vector.
    #[must_use]
    pub const fn lane_columns(&self) -> u32 {
        LANES / self.row_lanes()
    }

    /// Transforms of a batch that a unit works on.
    #[must_use]
    pub const fn transforms_per_unit(&self) -> u32 {
        match self.role {
            Role::Only => UNIT_POINTS >> self.log2_radix,
            _ => 1,
        }
    }

    /// Units for `batch` transforms.
    #[must_use]
    pub const fn units(&self, batch: u32) -> u32 {
        match self.role {
            Role::Only => batch.div_ceil(self.transforms_per_unit()),
            _ => batch << (self.log2_points - 8),
        }
    }

    /// Octets of bins that a unit works on: 1, and 2 in a middle or last pass of 16 points.
    #[must_use]
    pub const fn octets(&self) -> u32 {
        match self.role {
            Role::Middle | Role::Last if self.log2_radix == 4 => 2,
            _ => 1,
        }
    }

    /// What unit number `index` of the batch computes. Parts that share rows have neighbouring
    /// numbers, so that they can run at the same time on QPUs that share a TMU.
    #[must_use]
    pub const fn unit(&self, index: u32) -> Unit {
        match self.role {
            Role::Only => Unit {
                transform: index * self.transforms_per_unit(),
                column: 0,
                bin: 0,
                part: 0,
                sharer: 0,
            },
            Role::First => {
                let units = self.points() / UNIT_POINTS;
                Unit {
                    transform: index / units,
                    column: index % units / self.sharers() * self.lane_columns(),
                    bin: 0,
                    part: 0,
                    sharer: index % self.sharers(),
                }
            }
            Role::Middle | Role::Last => {
                let units = self.points() / UNIT_POINTS;
                let parts = self.parts();
                let bins = OCTET * self.octets();
                let octets = self.before() / bins;
                let rest = index % units / self.sharers();
                Unit {
                    transform: index / units,
                    column: rest / parts / octets,
                    bin: bins * (rest / parts % octets),
                    part: rest % parts,
                    sharer: index % self.sharers(),
                }
            }
        }
    }

    /// The unit that is done as number `number` of those of `batch` transforms.
    ///
    /// Where each unit of a transform has its own part of a large table or of a window, the same unit of all
    /// transforms follow each other, so that the part is read from memory once. Units that share lines of the
    /// input stay together.
    #[must_use]
    pub const fn unit_in_order(&self, number: u32, batch: u32) -> u32 {
        if !self.is_by_unit() {
            return number;
        }
        let lines = CELL_BYTES.div_ceil(self.lane_columns() * self.reading.point_bytes());
        let together = lines * self.sharers();
        let together = if together < self.units(1) {
            together
        } else {
            self.units(1)
        };
        let (low, rest) = (number % together, number / together);
        let (transform, group) = (rest % batch, rest / batch);
        transform * self.units(1) + group * together + low
    }

    /// Whether each unit of a transform has its own part of a table or of a window.
    const fn is_by_unit(&self) -> bool {
        let is_by_unit = match self.table() {
            Table::ByUnit => true,
            Table::ByTile => self.columns_of_a_twiddle() == 1,
            _ => false,
        };
        is_by_unit || self.factored_units() > 1
    }

    /// The number of the unit of transform 0 that computes this, of those that share it the first; the reverse
    /// of [`Geometry::unit`].
    const fn unit_index(&self, column: u32, bin: u32, part: u32) -> u32 {
        let first = match self.role {
            Role::Only => 0,
            Role::First => column / self.lane_columns(),
            Role::Middle | Role::Last => {
                let bins = OCTET * self.octets();
                (column * (self.before() / bins) + bin / bins) * self.parts() + part
            }
        };
        first * self.sharers()
    }

    /// Byte offset, in the scratch memory that the pass writes, of the cell of `column` and of the
    /// bins `bin` .. `bin + 8` of Pj, `bin` a multiple of 8.
    #[must_use]
    pub const fn cell(&self, transform: u32, column: u32, bin: u32) -> u32 {
        let units = transform * (self.points() / UNIT_POINTS);
        let k = bin >> self.log2_before;
        let (unit, cell) = match self.role {
            // Only passes write no cells.
            Role::Only => (0, 0),
            Role::First if self.log2_sharers > 0 => {
                let place = self.tile_cell(column, bin);
                (self.unit_index(column, 0, 0) + place.0, place.1)
            }
            Role::First => {
                let lane = bin / LANES * self.lane_columns() + column % self.lane_columns();
                (
                    self.unit_index(column, 0, 0),
                    LANES * (bin / OCTET % 2) + lane,
                )
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
            Role::Last => (0, 0),
        };
        self.block(units + unit) + ((cell * CELL_BYTES) << self.log2_interleaved())
    }

    /// Byte offset of the first cell of a block of unit `index`; the others follow
    /// [`Geometry::cell_pitch`] apart.
    #[must_use]
    pub const fn block(&self, index: u32) -> u32 {
        let log2 = self.log2_interleaved();
        let (low, row) = (
            index & ((1 << self.log2_units_of_a_row()) - 1),
            index >> self.log2_units_of_a_row(),
        );
        let group = ((row >> log2) << self.log2_units_of_a_row()) | low;
        group_offset(group, log2) + (row & ((1 << log2) - 1)) * CELL_BYTES
    }

    /// Bytes from a cell of a block to the next.
    #[must_use]
    pub const fn cell_pitch(&self) -> u32 {
        CELL_BYTES << self.log2_interleaved()
    }

    /// Units, as a power of two, from one that writes a row of the next pass to the one that writes the next row.
    const fn log2_units_of_a_row(&self) -> u32 {
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

    /// How many blocks are interleaved, as a power of two: those of neighbouring rows of the next pass, which its units read together.
    const fn log2_interleaved(&self) -> u32 {
        // Neighbouring columns of a first pass are in the same block.
        let log2_rows = match self.role {
            Role::First if self.columns_of_a_twiddle() < self.lane_columns() => 0,
            _ => self.log2_next,
        };
        if log2_rows < LOG2_INTERLEAVED {
            log2_rows
        } else {
            LOG2_INTERLEAVED
        }
    }

    /// Byte offset of a row in the caller's input; in the plane, of the first point of a row.
    #[must_use]
    pub fn input(&self, transform: u32, row: u32, column: u32) -> u32 {
        let point = row * self.columns() + column;
        if self.is_over_columns() {
            let rows = self.points() >> self.log2_width;
            let pitch = (POINT_BYTES << self.log2_width) + self.gap;
            return (transform * rows + point) * pitch;
        }
        transform * self.reading.hop + point * self.reading.point_bytes()
    }

    /// Byte offset of a bin in the caller's output: of output `k` of the pass and bin `bin` of those
    /// before.
    #[must_use]
    pub const fn output(&self, transform: u32, bin: u32, k: u32) -> u32 {
        transform * self.transform_pitch() + POINT_BYTES * (bin + self.before() * k)
    }

    /// Bytes from the output of a transform to that of the next.
    #[must_use]
    pub const fn transform_pitch(&self) -> u32 {
        let gap = match self.split.axis() {
            Axis::Row => self.gap,
            Axis::Column => 0,
        };
        POINT_BYTES * self.points() + gap
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(log2_points: std::ops::RangeInclusive<u32>) -> impl Iterator<Item = Geometry> {
        log2_points
            .flat_map(Split::all)
            .flat_map(|split| (0..split.passes()).map(move |pass| Geometry::new(&split, pass)))
    }

    #[test]
    fn units_are_numbered_without_gaps() {
        for pass in passes(8..=16).filter(|pass| pass.role() != Role::Only) {
            let units = pass.units(1);
            for index in 0..units {
                let unit = pass.unit(index);
                assert_eq!(unit.transform, 0);
                let first = pass.unit_index(unit.column, unit.bin, unit.part);
                assert_eq!(first + unit.sharer, index);
                let next = pass.unit(index + 3 * units);
                assert_eq!(
                    next,
                    Unit {
                        transform: 3,
                        ..unit
                    }
                );
            }
        }
    }

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

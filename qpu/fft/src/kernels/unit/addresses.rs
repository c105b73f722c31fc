//! Numbers that programs add up to find their rows, one per unit, row and lane; and the rows that
//! they store.
//!
//! A lookup of component c of vector v reads, in each lane, at
//! [`Geometry::read_unit`] + [`Geometry::read_vector`] + [`Geometry::read_lane`]. Vector v = 16 b +
//! m holds rows 16 r b + r m + (row of the lane), r = [`Geometry::row_lanes`]: all b < F enter
//! point m of the 16 that are transformed.
//!
//! Part q of F folds its rows before it transforms them: row n = R/F · b + n' enters the sum of n'
//! times (-i)^(4qb/F). That is an exchange of components, done by the address, and a sign; the sum
//! is multiplied by the twiddle factor W_R^(q n').

use super::Geometry;
use crate::kernels::sizes::{CELL_BYTES, OCTET, POINT_BYTES};
use crate::split::Role;
use qpu::machine::{LANE_BYTES, LANES, VECTOR_BYTES};

impl Geometry {
    /// Vectors that a unit reads: 16 for each part.
    #[must_use]
    pub fn vectors(&self) -> u32 {
        LANES * self.parts()
    }

    /// Byte offset of what unit `index` reads, in the caller's input or in scratch memory.
    pub(crate) fn read_unit(&self, index: u32) -> u32 {
        let unit = self.unit(index);
        let row = self.first_row(unit.sharer);
        match self.previous() {
            None => self.input(unit.transform, row, unit.column) + POINT_BYTES * unit.bin,
            Some(previous) => {
                let column = row * self.columns() + unit.column;
                previous.cell(unit.transform, column, unit.bin)
            }
        }
    }

    /// Byte offset of the row in lane 0 of a vector, for a component of what part `part` sums up:
    /// 0 for real, 1 for imaginary parts.
    pub(crate) fn read_vector(&self, part: u32, vector: u32, component: u32) -> u32 {
        let row = vector * self.row_lanes() * self.sharers();
        let component = (component + self.quarters(part, vector)) % 2;
        match self.previous() {
            // A word has all components of smaller samples, and both points of bytes.
            None => self.input(0, row, 0) / LANE_BYTES * LANE_BYTES + LANE_BYTES * component,
            Some(previous) => {
                previous.cell(0, row * self.columns(), 0) + CELL_BYTES / 2 * component
            }
        }
    }

    /// Byte offset of a lane's row and column, octet, bin or transform. Of a unit that has fewer
    /// transforms than lanes for them, `transforms` of them: the other lanes read the last.
    pub(crate) fn read_lane(&self, lane: u32, transforms: u32) -> u32 {
        let row = self.row_of_lane(lane) * self.row_step();
        let column = self.column_of_lane(lane);
        match (self.role(), self.previous()) {
            (Role::Single, _) => {
                self.input(column.min(transforms - 1), row, 0) / LANE_BYTES * LANE_BYTES
            }
            (_, None) if self.is_over_columns() => self.input(0, row, 0) + POINT_BYTES * column,
            (_, None) => self.input(0, row, column) / LANE_BYTES * LANE_BYTES,
            (_, Some(previous)) if self.row_lanes() == 1 => {
                previous.cell(0, 0, OCTET * (column / OCTET)) + LANE_BYTES * (column % OCTET)
            }
            (_, Some(previous)) => previous.cell(0, row * self.columns(), 0) + LANE_BYTES * column,
        }
    }

    /// Row, modulo [`Geometry::row_lanes`], that a lane holds of each vector.
    pub(crate) fn row_of_lane(&self, lane: u32) -> u32 {
        let group = lane / self.lane_columns();
        match self.role() {
            Role::Last => lane % self.row_lanes(),
            // Bit reversed, so that outputs come out in order.
            _ if group > 0 => group.reverse_bits() >> (32 - self.row_lanes().trailing_zeros()),
            _ => 0,
        }
    }

    /// Column, transform or bin that a lane holds; of two octets the bin modulo 16.
    pub(crate) fn column_of_lane(&self, lane: u32) -> u32 {
        match self.role() {
            Role::Last if self.row_lanes() == 1 => lane / 2 + OCTET * (lane % 2),
            Role::Last => lane / 2,
            _ => lane % self.lane_columns(),
        }
    }

    /// Exponent of the power of -i by which part `part` multiplies the rows of a vector before it
    /// sums them.
    pub(crate) fn quarters(&self, part: u32, vector: u32) -> u32 {
        part * (vector / LANES) * (4 / self.parts()) % 4
    }

    /// Rows of one store of a unit: blocks of rows at equal distances. Of single passes, those of a
    /// full unit.
    pub(crate) fn rows_of_a_store(&self) -> u32 {
        match self.role() {
            Role::First if self.sharers() > 1 => LANES,
            Role::Last if self.sharers() > 1 => LANES / 2,
            Role::Last if self.row_lanes() == 1 => LANES,
            Role::First | Role::Middle | Role::Last => 2 * LANES,
            Role::Single => self.lane_columns(),
        }
    }

    /// Bytes from the start of a row that is stored to the start of the next.
    pub(crate) fn store_pitch(&self) -> u32 {
        match self.role() {
            Role::First | Role::Middle => self.cell_pitch(),
            Role::Last => POINT_BYTES * self.before() * self.parts(),
            Role::Single => self.transform_pitch(),
        }
    }

    /// True if the distance of rows is more than a store can have (16 bits from the end of a row to
    /// the start of the next), so that each row is a store of its own.
    #[must_use]
    pub fn is_stored_by_rows(&self) -> bool {
        self.store_pitch() - VECTOR_BYTES > u16::MAX as u32
    }
}

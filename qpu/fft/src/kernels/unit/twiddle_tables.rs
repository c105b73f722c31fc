//! The tables of twiddles that passes read, each entry from f64 and rounded once.
//!
//! An entry is the cosine and the sine of a positive angle; programs multiply by its conjugate.
//! After pass j the angle is n(j+1) · K of P(j+1)-ths of a turn, K the bins up to and with pass j.
//! Where it is looked up:
//!
//! | table | after | one entry for | address |
//! |---|---|---|---|
//! | by unit | the first of two passes | unit, output, lane | unit + output + lane |
//! | by column | the first of three or four | n(j+1), output | column + output + lane's part of the output |
//! | by octet | a middle pass | n(j+1), octet, part, lane | unit + lane |
//! | by tile | a first pass whose tiles are shared | [`crate::kernels::tile::layout`] | unit + output + lane |
//!
//! Columns of a plane share their twiddles: a vector by octet is then by bin, the same for all
//! columns.
//!
//! In first passes from 64 points the twiddles are in two parts: the entry of an output has the
//! part that depends on k_lo together with the root of the row that the lane holds before the
//! lanes' transform; a seventeenth output has the other, which depends on k_hi alone. Only that one
//! has the gain.
//!
//! After a middle pass, only the factor of the twiddles that all outputs k_lo of a lane have in
//! common is in the table; the other is a list of uniforms ([`super::uniforms::Scalars`]). The last
//! pass has no table. The expected loss of both by truncation is made up for in the table before it
//! ([`Geometry::loss`]).

use super::Geometry;
use crate::kernels::sizes::{CELL_BYTES, OCTET, POINT_BYTES};
use crate::kernels::truncation::{LOSS_OF_A_SUM, LOSS_OF_A_TWIDDLE};
use crate::kernels::twiddle::{Roots, product, root};
use crate::split::Role;
use qpu::machine::LANES;

/// Bytes of a vector of complex numbers.
pub const COMPLEX_VECTOR_BYTES: u32 = LANES * POINT_BYTES;

/// Cosine (component 0) or sine of a root, times `factor`, rounded once.
pub(in crate::kernels) fn part_of(root: (f64, f64), component: u32, factor: f64) -> u32 {
    let part = if component == 0 { root.0 } else { root.1 };
    ((factor * part) as f32).to_bits()
}

/// The layout of the twiddles after a pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Table {
    /// There are none.
    None,
    /// One entry for each lane of each output of each unit.
    ByUnit,
    /// One entry for each output of each n(j+1).
    ByColumn,
    /// A vector for each octet and part of each n(j+1).
    ByOctet,
    /// The layout for passes whose tiles are shared ([`crate::kernels::tile::layout`]).
    ByTile,
}

/// Takes a vector of entries, and the index of its first word.
type PutEntries<'a> = &'a mut dyn FnMut(u32, &mut dyn Iterator<Item = (f64, f64)>);

impl Geometry {
    /// The table that the pass reads.
    pub(crate) fn table(&self) -> Table {
        match self.role() {
            Role::Single | Role::Last => Table::None,
            Role::First if self.sharers() > 1 => Table::ByTile,
            Role::First if self.columns_of_a_twiddle() == 1 => Table::ByUnit,
            Role::First => Table::ByColumn,
            Role::Middle => Table::ByOctet,
        }
    }

    /// Bytes of the table, a multiple of a cache line.
    pub(crate) fn table_bytes(&self) -> u32 {
        match self.table() {
            Table::None => 0,
            Table::ByTile => self.tile_table_bytes(),
            Table::ByUnit => self.units(1) * self.table_outputs() * COMPLEX_VECTOR_BYTES,
            Table::ByColumn => {
                self.next_radix() * self.table_outputs() * self.row_lanes() * POINT_BYTES
            }
            Table::ByOctet => {
                self.next_radix() * self.twiddle_vectors() * self.parts() * COMPLEX_VECTOR_BYTES
            }
        }
    }

    /// Bins whose twiddles are in one vector of a table by octet.
    fn bins_of_a_vector(&self) -> u32 {
        if self.is_over_columns() {
            1
        } else {
            OCTET * self.octets()
        }
    }

    /// Vectors of a table by octet, for each n(j+1) and part.
    fn twiddle_vectors(&self) -> u32 {
        self.bins() / self.bins_of_a_vector()
    }

    /// True if the twiddles are in two parts, the first with the twiddle factors of the lanes'
    /// rows.
    pub(crate) fn roots_by_table(&self) -> bool {
        matches!(self.role(), Role::First) && self.row_lanes() > 2 && self.sharers() == 1
    }

    /// Outputs that a table by unit or by column has entries for.
    fn table_outputs(&self) -> u32 {
        LANES + self.roots_by_table() as u32
    }

    /// Byte offset of what unit `index` of a batch reads of the table.
    pub(crate) fn twiddle_of_unit(&self, index: u32) -> u32 {
        let unit = self.unit(index);
        // A pass with columns of their own twiddles has n(j+1) = column / S(j+1).
        let row = unit.column / self.columns_of_a_twiddle();
        match self.table() {
            Table::None => 0,
            Table::ByTile => self.tile_table_of_unit(&unit),
            Table::ByUnit => index % self.units(1) * self.table_outputs() * COMPLEX_VECTOR_BYTES,
            Table::ByColumn => row * self.table_outputs() * self.row_lanes() * POINT_BYTES,
            Table::ByOctet => {
                let bin = unit.bin / (self.before() / self.bins());
                let vector = row * self.twiddle_vectors() + bin / self.bins_of_a_vector();
                (vector * self.parts() + unit.part) * COMPLEX_VECTOR_BYTES
            }
        }
    }

    /// Byte offset of what is read for output `k_lo` = 0..16, beside that of unit and lane; 16
    /// where [`Geometry::roots_by_table`] for the other part.
    pub(crate) fn twiddle_of_output(&self, k_lo: u32) -> u32 {
        match self.table() {
            Table::ByTile => self.tile_table_of_output(k_lo),
            Table::ByUnit => k_lo * COMPLEX_VECTOR_BYTES,
            Table::ByColumn if self.roots_by_table() => k_lo * self.row_lanes() * POINT_BYTES,
            Table::ByColumn => k_lo * POINT_BYTES,
            Table::None | Table::ByOctet => 0,
        }
    }

    /// Byte offset of what a lane reads, beside that of unit and output.
    pub(crate) fn twiddle_of_lane(&self, lane: u32) -> u32 {
        match self.table() {
            Table::ByUnit | Table::ByOctet => lane * POINT_BYTES,
            Table::ByTile => lane % self.lane_columns() * POINT_BYTES,
            Table::ByColumn if self.roots_by_table() => self.row_of_lane(lane) * POINT_BYTES,
            // Of k_hi.
            Table::ByColumn => lane / self.lane_columns() * LANES * POINT_BYTES,
            Table::None => 0,
        }
    }

    /// Gives the words of the table in order, a vector of 16 entries at a time, times `gain`.
    pub fn fill_table(&self, gain: f64, put: &mut dyn FnMut(u32, &[u32])) {
        // Angles are in P(j+1)-ths of a turn.
        let denominator = self.denominator();
        let words = |bytes: u32| bytes / 4;
        let gained = |(cos, sin): (f64, f64)| (cos * gain, sin * gain);
        let mut put_entries = |first: u32, entries: &mut dyn Iterator<Item = (f64, f64)>| {
            let mut words = [0; 2 * LANES as usize];
            for (pair, (cos, sin)) in words.chunks_exact_mut(2).zip(entries) {
                pair.copy_from_slice(&[cos, sin].map(|x| (x as f32).to_bits()));
            }
            put(first, &words);
        };
        match self.table() {
            Table::None => {}
            Table::ByTile => {
                let mut entries = self.tile_table(gain);
                for first in (0..self.table_bytes()).step_by(COMPLEX_VECTOR_BYTES as usize) {
                    put_entries(words(first), &mut entries.by_ref().take(LANES as usize));
                }
            }
            Table::ByUnit => {
                for index in 0..self.units(1) {
                    let unit = self.unit(index);
                    for output in 0..self.table_outputs() {
                        let entry = |lane: u32| {
                            let column = unit.column + lane % self.lane_columns();
                            self.part_of_twiddle(column, output, self.row_of_lane(lane), gain)
                        };
                        let offset = self.twiddle_of_unit(index) + self.twiddle_of_output(output);
                        put_entries(words(offset), &mut (0..LANES).map(entry));
                    }
                }
            }
            Table::ByColumn if self.roots_by_table() => {
                let of_column = self.table_outputs() * self.row_lanes();
                for first in (0..self.next_radix() * of_column).step_by(LANES as usize) {
                    let entry = |index: u32| {
                        let output = index % of_column / self.row_lanes();
                        let row = index % self.row_lanes();
                        self.part_of_twiddle(index / of_column, output, row, gain)
                    };
                    put_entries(
                        words(first * POINT_BYTES),
                        &mut (first..first + LANES).map(entry),
                    );
                }
            }
            Table::ByColumn => {
                for row in 0..self.next_radix() {
                    for k_hi in 0..self.radix() / LANES {
                        let first = u64::from(row) * u64::from(k_hi * LANES);
                        let roots = Roots::new(first, row.into(), denominator);
                        let entry = row * self.radix() + k_hi * LANES;
                        put_entries(words(entry * POINT_BYTES), &mut roots.map(gained));
                    }
                }
            }
            Table::ByOctet => self.fill_by_octet(gained, &mut put_entries),
        }
    }

    /// [`Geometry::fill_table`] for [`Table::ByOctet`].
    fn fill_by_octet(
        &self,
        gained: impl Fn((f64, f64)) -> (f64, f64) + Copy,
        put_entries: PutEntries<'_>,
    ) {
        let denominator = self.denominator();
        let parts = self.parts();
        for row in 0..self.next_radix() {
            let row64 = u64::from(row);
            // Both outputs of the lanes' transform: the second is 16 F outputs further on.
            let far = u64::from(self.bins() * LANES * parts);
            let far = root((row64 * far % u64::from(denominator)) as u32, denominator);
            // Neighbouring bins differ by one row's angle, columns of a plane by none.
            let angle = if self.is_over_columns() { 0 } else { row64 };
            let step = Roots::new(0, angle, denominator);
            for index in 0..self.twiddle_vectors() {
                let bin = u64::from(index * self.bins_of_a_vector());
                for part in 0..parts {
                    let bins = bin + u64::from(self.bins() * part);
                    let near = step.from(row64 * bins);
                    let index = (row * self.twiddle_vectors() + index) * parts + part;
                    let at = index * COMPLEX_VECTOR_BYTES / 4;
                    if self.octets() == 2 {
                        // The lanes hold bins of one output.
                        put_entries(at, &mut near.take(LANES as usize).map(gained));
                        continue;
                    }
                    let near = near.take(OCTET as usize);
                    let both = near.clone().chain(near.map(|root| product(root, far)));
                    put_entries(at, &mut both.map(gained));
                }
            }
        }
    }

    /// An entry of a table by unit, or of a pass that [`Geometry::roots_by_table`], for n2 =
    /// `column`: of output k_lo < 16 and row r of the lanes, or of the outputs k_hi, which are rows
    /// with their bits reversed.
    fn part_of_twiddle(&self, column: u32, output: u32, row: u32, gain: f64) -> (f64, f64) {
        if !self.roots_by_table() {
            // Of two rows, k_hi is the row.
            let k = output + LANES * row;
            let (cos, sin) = root(column * k % self.points(), self.points());
            return (gain * cos, gain * sin);
        }
        let denominator = self.radix() * self.next_radix();
        let (angle, factor) = if output < LANES {
            let root = row * self.next_radix();
            (output * (column + root), Self::sign_of_row(row))
        } else {
            let bits = self.row_lanes().trailing_zeros();
            let k_hi = row.reverse_bits() >> (u32::BITS - bits);
            (LANES * column * k_hi, gain)
        };
        let (cos, sin) = root(angle % denominator, denominator);
        (factor * cos, factor * sin)
    }

    /// The expected loss of the outputs of the pass by truncation, in units of 2^-24.
    ///
    /// Both ALUs truncate. A product loses 1/(2 ln 2) = 0.72 units on average over mantissas (of
    /// logarithmic distribution); a sum of two independent numbers 0.50, and nothing where one of
    /// them is 0; so a complex product loses 0.72 to 1.30. Random input meets the larger figures,
    /// an impulse the smaller, and their middle is taken: 0.25 for each of the log2 R sums on an
    /// output's path and 1.01 for each factor. Of the factors inside a 16-point transform half are
    /// by multiples of a quarter turn, which are exact; row 0 and part 0 are not multiplied.
    pub(crate) fn loss(&self) -> f64 {
        let share_of_others = |count: u32| 1.0 - 1.0 / f64::from(count);
        let after = match self.table() {
            // Odd rows of odd outputs, behind an exchange.
            Table::None if self.sharers() > 2 => 0.25,
            Table::None => 0.0,
            // The first part is the root of the lanes, of row 0 as well.
            _ if self.roots_by_table() => 1.0 + 1.0 / f64::from(self.row_lanes()),
            Table::ByUnit | Table::ByColumn => 1.0,
            // The outputs' own; a vector of which a group of lanes is 1; a factor by column, for
            // the first 1.
            Table::ByTile => {
                let of_columns = if self.sharers() > 2 && self.columns_of_a_twiddle() == 1 {
                    share_of_others(self.lane_columns())
                } else {
                    0.0
                };
                1.0 + share_of_others(self.row_lanes()) + of_columns
            }
            // The list's factor, then the table's.
            Table::ByOctet => 2.0,
        };
        let rows = self.row_lanes() * self.sharers();
        let inside = 0.5 + share_of_others(rows.min(self.radix() / LANES));
        LOSS_OF_A_SUM * f64::from(self.radix().trailing_zeros())
            + LOSS_OF_A_TWIDDLE * (inside + share_of_others(self.parts()) + after)
    }
}

const _: () = assert!(COMPLEX_VECTOR_BYTES.is_multiple_of(CELL_BYTES));

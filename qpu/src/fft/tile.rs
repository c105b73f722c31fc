//! First and last passes of 128 and 256 points whose tiles two QPUs share through the VPM.
//!
//! A QPU holds 256 points, so rows of more than 64 points in lines of memory would have to be read several times.
//! Here QPUs j = 0 and 1 each take half of the rows, transform them, and exchange half of what they have; a sum and
//! a difference then make all outputs, half of them in either QPU. Units 2t and 2t + 1 are those of tile t, and
//! programs 2p and 2p + 1 run at the same time.
//!
//! | pass | row | turned by, before the exchange | output |
//! |---|---|---|---|
//! | First | 8 m + 2 r + j | W_128^((2 r + j) k_lo), then W_8^(j k_hi) and a part of the twiddles | k_lo + 16 k_hi + 64 k_j |
//! | Last, part q of F | 64 b + 4 m + 2 j + r | W_64F^((2 j + r) (q + F k_lo)) | q + F (k_lo + 16 k_j + 32 k_r) |
//!
//! First passes have 128 rows, last passes 64 F = 128 or 256. Vector m (of block b) goes into the transform of 16 points with output k_lo; r is what differs across lanes. Of
//! k_lo, QPU j keeps those from 8 j to 8 j + 8. The code is the same for both: odd m enter with (-1)^j, which
//! shifts the outputs by 8 j, so that what is kept is always at positions 0 to 7. The difference is that of
//! what one has and what came, so it has the wrong sign in QPU 1: the twiddles of a first pass and the
//! factors of a last one put that right.
//!
//! Twiddles after a first pass are W_P^(n (k_lo + 16 k_hi + 64 k_j)), n = n(j+1): the part with k_hi is one
//! vector for all outputs and applied before the exchange, the others have an entry for each output and column.

use super::geometry::{Geometry, LANES, OCTET, POINT_BYTES, Unit};
use super::split::Role;
use super::twiddle::turn;

/// Outputs of a first pass that have their own twiddles in a table.
const OUTPUTS: u32 = LANES;
/// k_lo that a QPU keeps.
const KEPT: u32 = LANES / 2;

impl Geometry {
    /// First row of those that a QPU reads.
    #[must_use]
    pub const fn first_row(&self, sharer: u32) -> u32 {
        match self.role() {
            Role::Last => sharer * self.row_lanes(),
            _ => sharer,
        }
    }

    /// Rows from one that a vector holds to the next.
    #[must_use]
    pub const fn row_step(&self) -> u32 {
        match self.role() {
            Role::Last => 1,
            _ => self.sharers(),
        }
    }

    /// How many row lists there are: one for each part and QPU of a tile.
    #[must_use]
    pub const fn row_lists(&self) -> u32 {
        self.parts() * self.sharers()
    }

    /// Part, and QPU of a tile, of a row list.
    pub(super) const fn of_list(&self, list: u32) -> [u32; 2] {
        [list / self.sharers(), list % self.sharers()]
    }

    /// k_lo of an output of a QPU's transform.
    const fn kept_output(output: u32, sharer: u32) -> u32 {
        (output + KEPT * sharer) % LANES
    }

    /// By how many radix-ths of a turn point m is turned in a part, with what shifts the outputs.
    pub(super) const fn turn_of_point(&self, list: u32, vector: u32) -> u32 {
        let [part, sharer] = self.of_list(list);
        let rows = self.row_lanes() * self.sharers();
        (rows * part + self.radix() / 2 * sharer) * vector
    }

    /// Bytes of a row list's turns.
    pub(super) const fn turns_of_a_list(&self) -> u32 {
        LANES * self.row_lanes() * POINT_BYTES
    }

    /// Byte offset of the turns of an output in those of a list.
    pub(super) const fn turn_of_output(&self, list: u32, output: u32, component: u32) -> u32 {
        let entry = output * self.row_lanes() * POINT_BYTES;
        list * self.turns_of_a_list() + entry + POINT_BYTES / 2 * component
    }

    /// Word `word` of the turns of all lists.
    pub(super) fn tile_turn(&self, word: u32) -> u32 {
        let words = self.turns_of_a_list() / 4;
        let (list, word) = (word / words, word % words);
        let [part, sharer] = self.of_list(list);
        let (entry, component) = (word / 2, word % 2);
        let (output, row) = (entry / self.row_lanes(), entry % self.row_lanes());
        let k_lo = Self::kept_output(output, sharer);
        let row_of_tile = self.first_row(sharer) + self.row_step() * row;
        let (cos, sin) = turn(
            row_of_tile * (part + self.parts() * k_lo) % self.radix(),
            self.radix(),
        );
        let sign = match self.role() {
            Role::First => Self::sign_of_row(row),
            _ => 1.0,
        };
        ((sign * if component == 0 { cos } else { sin }) as f32).to_bits()
    }

    /// Which unit of a tile writes the cell of a column and of the bins from `bin` on, and where in its block.
    pub(super) const fn tile_cell(&self, column: u32, bin: u32) -> (u32, u32) {
        let groups = self.row_lanes();
        let (k_hi, k_j) = (bin / LANES % groups, bin / LANES / groups);
        let lane = k_hi * self.lane_columns() + column % self.lane_columns();
        (bin / OCTET % self.sharers(), LANES * k_j + lane)
    }

    /// How often a unit of a tile stores.
    pub(super) const fn tile_stores(&self) -> u32 {
        match self.role() {
            Role::Last => 4,
            _ => 2,
        }
    }

    /// The first output that a store of a unit of a last pass holds.
    pub(super) const fn tile_output(&self, unit: &Unit, store: u32) -> u32 {
        // Sums, then differences, each for k_r = 0 and 1.
        let (k_j, k_r) = (store / 2, store % 2);
        let k_lo = KEPT * unit.sharer;
        unit.part + self.parts() * (k_lo + LANES * (k_j + self.sharers() * k_r))
    }

    /// Columns with twiddles of their own that are not in the same vector.
    fn twiddled_tiles(&self) -> u32 {
        match self.columns_of_a_twiddle() {
            1 => self.columns() / self.lane_columns(),
            _ => self.next_radix(),
        }
    }

    /// Bytes of what a unit reads of the table of twiddles.
    const fn tile_table_of_a_unit(&self) -> u32 {
        (OUTPUTS * self.lane_columns() + LANES) * POINT_BYTES
    }

    /// Bytes of the table.
    pub(super) fn tile_table_bytes(&self) -> u32 {
        self.twiddled_tiles() * self.sharers() * self.tile_table_of_a_unit()
    }

    /// Byte offset of what a unit reads of it.
    pub(super) const fn tile_table_of_unit(&self, unit: &Unit) -> u32 {
        let tile = match self.columns_of_a_twiddle() {
            1 => unit.column / self.lane_columns(),
            columns => unit.column / columns,
        };
        (tile * self.sharers() + unit.sharer) * self.tile_table_of_a_unit()
    }

    /// Byte offset there of what is read for an output; 16 is the vector that all share.
    pub(super) const fn tile_table_of_output(&self, output: u32) -> u32 {
        output * self.lane_columns() * POINT_BYTES
    }

    /// The entries of the table in order.
    pub(super) fn tile_table(&self, gain: f64) -> impl Iterator<Item = (f64, f64)> {
        let of_each = self.tile_table_of_a_unit() / POINT_BYTES;
        let entries = self.twiddled_tiles() * self.sharers() * of_each;
        let denominator = self.radix() * self.next_radix();
        let lanes = self.lane_columns();
        (0..entries).map(move |entry| {
            let (unit, entry) = (entry / of_each, entry % of_each);
            let (tile, sharer) = (unit / self.sharers(), unit % self.sharers());
            let is_of_output = entry < OUTPUTS * lanes;
            let n = match self.columns_of_a_twiddle() {
                1 => tile * lanes + entry % lanes,
                _ => tile,
            };
            let (angle, factor) = if is_of_output {
                let (k, k_j) = (entry / lanes % KEPT, entry / lanes / KEPT);
                let k = k + KEPT * sharer + LANES * self.row_lanes() * k_j;
                let sign = if sharer * k_j == 1 { -1.0 } else { 1.0 };
                (n * k, sign * gain)
            } else {
                let k_hi = (entry - OUTPUTS * lanes) / lanes;
                (LANES * k_hi * (n + sharer * self.next_radix()), 1.0)
            };
            let (cos, sin) = turn(angle % denominator, denominator);
            (factor * cos, factor * sin)
        })
    }
}

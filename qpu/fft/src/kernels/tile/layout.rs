//! First passes of 128 points, and last passes of 128 and 256, whose tiles two or four QPUs share
//! through the VPM.
//!
//! A QPU holds 256 points: of 128 rows no more than two columns, which is a part of a line of
//! memory that all tiles beside it would read again. Here S QPUs each take some of the R rows and
//! transform them. What is left is a transform of S points across QPUs: a step for two of them, j =
//! a, two steps for four, j = 2 a + b. A step is an exchange of half of what a QPU has, a sum and a
//! difference.
//!
//! | pass | row | multiplied by, before the exchange | output |
//! |---|---|---|---|
//! | First, L = R / 16 S rows in the lanes | R / 16 m + S r + j | W_R^((S r + j) k_lo), then W_(L S)^(j k_hi) and a part of the twiddles | k_lo + 16 k_hi + 16 L k_j |
//! | Last, part q of F | 32 S b + 2 S m + 2 j + r | W_R^((2 j + r) (q + F k_lo)) | q + F (k_lo + 16 k_j + 16 S k_r) |
//!
//! First passes have 128 rows, last passes R = 32 S F: two QPUs 128 and four 256, both with F = 2.
//! Tiles of first passes have 256 S / R columns: those of four QPUs read whole lines. Vector m (of
//! block b) goes into the transform of 16 points with output k_lo; r is what differs across lanes.
//!
//! The code is the same for all QPUs of a tile:
//!
//! * Step one is between QPUs that differ in a: of k_lo, each keeps those from 8 a to 8 a + 8. Odd
//!   m enter with (-1)^a, which shifts the outputs by 8 a, so that what is kept is always at
//!   positions 0 to 7. Of four, what came is multiplied by (-1)^b: where b is 1, what is added and
//!   what is subtracted change places.
//! * Step two is between those that differ in b. Each keeps the sum that step one made (of b = 0
//!   the even k_j, of b = 1 the odd ones) and gives the difference. Odd k_j need a quarter turn of
//!   one operand: where b is 1, what came is multiplied by i, as real and imaginary parts that are
//!   read for each other and a sign.
//!
//! Some outputs then are -1 or ±i times what they should be: in a first pass the twiddles put that
//! right, in a last one what odd rows are multiplied by, W_2S^(r k_j).
//!
//! Twiddles after a first pass are W_P^(n (k_lo + 16 k_hi + 16 L k_j)), n = n(j+1): the part with
//! k_hi is one vector for all outputs and applied before the exchange. The others have an entry for
//! each output and column. For four QPUs that would be half as many lines as the points have, in
//! passes that wait for the SDRAM: with k = k_lo + 16 L k_j and n = n0 + c in column c of a tile,
//! W_P^(n0 k) is in the table for each output and tile, W_P^(c k) in the lists of roots.

use crate::kernels::sizes::{OCTET, POINT_BYTES};
use crate::kernels::twiddle::root;
use crate::kernels::unit::Geometry;
use crate::kernels::unit::geometry::Unit;
use crate::kernels::unit::twiddle_tables::{COMPLEX_VECTOR_BYTES, part_of};
use crate::kernels::unit::uniforms::Exchange;
use crate::split::Role;
use qpu::machine::LANES;
use qpu::vpm::Block;

/// Outputs of a first pass that have their own twiddles in a table.
const OUTPUTS: u32 = LANES;
/// k_lo that a QPU keeps.
const KEPT: u32 = LANES / 2;
/// Entries of a list of roots: of outputs, and in a last pass of sums and differences, to full
/// vectors.
const ROOTS: u32 = LANES + 8;
/// Rows of the VPM that are exchanged through.
const EXCHANGED: u32 = 32;

/// By how many quarters an output has been multiplied too far: sum (0) or difference (1) of the
/// last step.
const fn quarters_too_far(sharers: u32, sharer: u32, half: u32) -> u32 {
    match sharers {
        2 => 2 * sharer * half,
        _ => {
            let (a, b) = (sharer / 2, sharer % 2);
            b * (1 + 2 * half + 2 * a) % 4
        }
    }
}

impl Geometry {
    /// A setup word for the exchange.
    pub(crate) fn exchange_setup(&self, sharer: u32, word: Exchange) -> Option<u32> {
        let count = (EXCHANGED / self.sharers()) as u8;
        let rows = |sharer: u32| count * sharer as u8;
        let own = Block::row(rows(sharer));
        match word {
            Exchange::Write => own.write_setup(),
            Exchange::Drain => own.read_setup(1),
            Exchange::Read { step, component } => {
                let (partner, exchanged) = match step {
                    0 => (sharer ^ (self.sharers() / 2), 0),
                    _ => (sharer ^ 1, sharer as u8 & 1),
                };
                let half = count / 2;
                Block::row(rows(partner) + half * (component ^ exchanged)).read_setup(half)
            }
        }
        .ok()
    }

    /// The bit of `sharer` that decides which half of the outputs a QPU keeps in the first step.
    fn shifts(&self, sharer: u32) -> u32 {
        2 * sharer / self.sharers()
    }

    /// k_j of the sums (0) or differences (1) of the last step.
    fn k_j(&self, sharer: u32, half: u32) -> u32 {
        match self.sharers() {
            2 => half,
            _ => sharer % 2 + 2 * half,
        }
    }

    /// First row of those that a QPU reads.
    pub(crate) fn first_row(&self, sharer: u32) -> u32 {
        match self.role() {
            Role::Last => sharer * self.row_lanes(),
            _ => sharer,
        }
    }

    /// Rows from one that a vector holds to the next.
    pub(crate) fn row_step(&self) -> u32 {
        match self.role() {
            Role::Last => 1,
            _ => self.sharers(),
        }
    }

    /// Part, and QPU of a tile, of a row list.
    pub(crate) fn of_list(&self, list: u32) -> [u32; 2] {
        [list / self.sharers(), list % self.sharers()]
    }

    /// k_lo of an output of a QPU's transform.
    fn kept_output(&self, output: u32, sharer: u32) -> u32 {
        (output + KEPT * self.shifts(sharer)) % LANES
    }

    /// By how many radix-ths of a turn point m is multiplied in a part, with what shifts the
    /// outputs.
    pub(crate) fn root_of_point(&self, list: u32, vector: u32) -> u32 {
        let [part, sharer] = self.of_list(list);
        let rows = self.row_lanes() * self.sharers();
        (rows * part + self.radix() / 2 * self.shifts(sharer)) * vector
    }

    /// True if twiddles of outputs are in two factors, of which the table has the one that depends
    /// on the tile.
    fn splits_twiddles(&self) -> bool {
        matches!(self.role(), Role::First) && self.sharers() > 2
    }

    /// Columns with an entry of their own for an output of a tile.
    fn columns_of_an_output(&self) -> u32 {
        if self.splits_twiddles() {
            1
        } else {
            self.lane_columns()
        }
    }

    /// Bytes of a row list's roots: those by row, and where twiddles are split those by column
    /// behind them.
    pub(crate) fn roots_of_a_list(&self) -> u32 {
        let by_column = if self.splits_twiddles() {
            OUTPUTS * self.lane_columns()
        } else {
            0
        };
        (ROOTS * self.row_lanes() + by_column) * POINT_BYTES
    }

    /// Byte offset of the roots of an output in those of a list, by row.
    pub(crate) fn root_of_output(&self, list: u32, output: u32, component: u32) -> u32 {
        let entry = output * self.row_lanes();
        list * self.roots_of_a_list() + entry * POINT_BYTES + POINT_BYTES / 2 * component
    }

    /// Byte offset of the roots of an output in each column.
    pub(crate) fn root_of_column(&self, list: u32, output: u32, component: u32) -> u32 {
        let entry = ROOTS * self.row_lanes() + output * self.lane_columns();
        list * self.roots_of_a_list() + entry * POINT_BYTES + POINT_BYTES / 2 * component
    }

    /// Word `word` of the roots of all lists.
    pub(crate) fn tile_root(&self, word: u32) -> u32 {
        let words = self.roots_of_a_list() / 4;
        let (list, word) = (word / words, word % words);
        let [part, sharer] = self.of_list(list);
        let (entry, component) = (word / 2, word % 2);
        let (output, row) = (entry / self.row_lanes(), entry % self.row_lanes());
        let (root, sign) = if let Some(entry) = entry.checked_sub(ROOTS * self.row_lanes()) {
            let (output, column) = (entry / self.lane_columns(), entry % self.lane_columns());
            let denominator = self.radix() * self.next_radix();
            // Columns with the same twiddles are a whole number of tiles.
            let n = match self.columns_of_a_twiddle() {
                1 => column,
                _ => 0,
            };
            let angle = n * self.tile_bin(sharer, output) + self.quarters_back(sharer, output);
            (root(angle % denominator, denominator), 1.0)
        } else if output < LANES {
            let k_lo = self.kept_output(output, sharer);
            let row_of_tile = self.first_row(sharer) + self.row_step() * row;
            let sign = match self.role() {
                Role::First => Self::sign_of_row(row),
                _ => 1.0,
            };
            (self.root(part, row_of_tile, k_lo), sign)
        } else {
            let half = (output - LANES) % 2;
            let eighths = row * self.k_j(sharer, half) * (4 / self.sharers());
            let back = 2 * quarters_too_far(self.sharers(), sharer, half);
            (root((eighths + back) % 8, 8), 1.0)
        };
        part_of(root, component, sign)
    }

    /// k_lo + 16 L k_j of output `output` of a QPU in a first pass: sums of the last step, then
    /// differences.
    fn tile_bin(&self, sharer: u32, output: u32) -> u32 {
        let k_lo = self.kept_output(output % KEPT, sharer);
        k_lo + LANES * self.row_lanes() * self.k_j(sharer, output / KEPT)
    }

    /// By what it has been multiplied too far, as the twiddles say it.
    fn quarters_back(&self, sharer: u32, output: u32) -> u32 {
        let quarters = quarters_too_far(self.sharers(), sharer, output / KEPT);
        quarters * (self.radix() * self.next_radix() / 4)
    }

    /// The unit of a tile that writes the cell of a column and of the bins from `bin` on, and the
    /// place of the cell in its block.
    pub(crate) fn tile_cell(&self, column: u32, bin: u32) -> (u32, u32) {
        let groups = self.row_lanes();
        let (k_hi, k_j) = (bin / LANES % groups, bin / LANES / groups);
        let lane = k_hi * self.lane_columns() + column % self.lane_columns();
        let octet = bin / OCTET % 2;
        match self.sharers() {
            1 => (0, LANES * octet + lane),
            2 => (octet, LANES * k_j + lane),
            _ => (2 * octet + k_j % 2, LANES * (k_j / 2) + lane),
        }
    }

    /// The first output that a store of a unit of a last pass holds.
    pub(crate) fn tile_output(&self, unit: &Unit, store: u32) -> u32 {
        // Sums, then differences of the last step, each for k_r = 0 and 1.
        let (half, k_r) = (store / 2, store % 2);
        let k_j = self.k_j(unit.sharer, half);
        let k_lo = KEPT * self.shifts(unit.sharer);
        unit.part + self.parts() * (k_lo + LANES * (k_j + self.sharers() * k_r))
    }

    /// Columns with twiddles of their own that are not in the same vector.
    fn twiddled_tiles(&self) -> u32 {
        match self.columns_of_a_twiddle() {
            1 => self.columns() / self.lane_columns(),
            _ => self.next_radix(),
        }
    }

    /// Bytes of what a unit reads of the table of twiddles, as a power of two: addresses are added
    /// up without carries.
    fn tile_table_of_a_unit(&self) -> u32 {
        (OUTPUTS * self.columns_of_an_output() * POINT_BYTES + COMPLEX_VECTOR_BYTES)
            .next_power_of_two()
    }

    /// Bytes of the table.
    pub(crate) fn tile_table_bytes(&self) -> u32 {
        self.twiddled_tiles() * self.sharers() * self.tile_table_of_a_unit()
    }

    /// Byte offset of what a unit reads of it.
    pub(crate) fn tile_table_of_unit(&self, unit: &Unit) -> u32 {
        let tile = match self.columns_of_a_twiddle() {
            1 => unit.column / self.lane_columns(),
            columns => unit.column / columns,
        };
        (tile * self.sharers() + unit.sharer) * self.tile_table_of_a_unit()
    }

    /// Byte offset there of what is read for an output; 16 is the vector that all share.
    pub(crate) fn tile_table_of_output(&self, output: u32) -> u32 {
        output * self.columns_of_an_output() * POINT_BYTES
    }

    /// The entries of the table in order.
    pub(crate) fn tile_table(&self, gain: f64) -> impl Iterator<Item = (f64, f64)> {
        let of_each = self.tile_table_of_a_unit() / POINT_BYTES;
        let entries = self.twiddled_tiles() * self.sharers() * of_each;
        let denominator = self.radix() * self.next_radix();
        let lanes = self.lane_columns();
        (0..entries).map(move |entry| {
            let (unit, entry) = (entry / of_each, entry % of_each);
            let (tile, sharer) = (unit / self.sharers(), unit % self.sharers());
            // n of the tile's first column, and from there to that of the lane.
            let (n, column) = match self.columns_of_a_twiddle() {
                1 => (tile * lanes, entry % lanes),
                _ => (tile, 0),
            };
            let of_output = self.columns_of_an_output();
            let (angle, factor) = match entry.checked_sub(OUTPUTS * of_output) {
                None if self.splits_twiddles() => (n * self.tile_bin(sharer, entry), gain),
                None => {
                    let output = entry / of_output;
                    let back = self.quarters_back(sharer, output);
                    ((n + column) * self.tile_bin(sharer, output) + back, gain)
                }
                Some(lane) if lane >= LANES => return (0.0, 0.0),
                Some(lane) => {
                    let k_hi = lane / lanes;
                    let multiplied = n + column + sharer * self.next_radix();
                    (LANES * k_hi * multiplied, 1.0)
                }
            };
            let (cos, sin) = root(angle % denominator, denominator);
            (factor * cos, factor * sin)
        })
    }
}

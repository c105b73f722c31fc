//! The places of everything in a pass: units, columns, rows, lanes, cells.
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
//! | Single | (row mod R/16) · c + transform | c = 256/R transforms of the batch |
//! | First | (row mod R/16) · c + column | c = 256/R columns |
//! | Middle | (row mod 2) · 8 + bin | column, octet of bins, part |
//! | Last | 2 · bin + row mod 2 | octet of bins, part |
//! | Last, 16 points | 2 · bin + octet mod 2 | two octets of bins |
//! | Middle, 16 points | 8 · (octet mod 2) + bin | column, two octets of bins |
//!
//! Two or four QPUs can share a tile of first and last passes, rows and outputs;
//! [`crate::kernels::tile::layout`] says which.
//!
//! A *part* q of F = R/32 computes kj = q + F k'. An *octet* is eight bins K that begin at a
//! multiple of 8. A *cell* is 64 bytes, the real and then the imaginary parts of one octet of one
//! column. The 32 cells of a unit are a block of 2 KiB; [`cells`] says where.
//!
//! # Columns of a plane
//!
//! Of a plane of W columns, rows after rows in memory, the transforms of the columns lie side by
//! side as those of W bins K do behind passes of W points, and everything above holds with P(0) =
//! W: bins K = x + W (k1 + R1 k2 + ..). Only the twiddles do not depend on x, which
//! [`Geometry::bins`] counts without; and the first of these passes reads, instead of cells, the
//! points of eight columns, which are a line as well.
//!
//! All offsets are sums of one of the unit, one of the row and one of the lane: that is what
//! programs add up, and why a pass needs no address arithmetic of its own.

mod cells;
mod units;

use crate::kernels::samples::Reading;
use crate::kernels::sizes::{POINT_BYTES, UNIT_POINTS};
use crate::split::{Axis, Role, Split};
pub use cells::scratch_bytes;
use qpu::machine::LANES;
pub use units::Unit;

/// A pass of a split.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry {
    split: Split,
    pass: usize,
    role: Role,
    log2_points: u32,
    log2_radix: u32,
    /// QPUs that share a tile ([`crate::kernels::tile::layout`]), as a power of two.
    log2_sharers: u32,
    /// W of a pass over columns, else 0.
    log2_width: u32,
    /// P(j-1).
    log2_before: u32,
    /// R(j+1); 0 in the last pass.
    log2_next: u32,
    /// Bytes between a transform and the next in what the last of a split's passes writes; of a
    /// pass over columns, between rows of what the first reads.
    gap: u32,
    /// The way the caller's input is read, in a pass that reads it.
    pub(super) reading: Reading,
}

impl Geometry {
    /// Pass number `pass` of `split`.
    pub(crate) fn new(split: &Split, pass: usize) -> Self {
        Self::of_plane(split, pass, 0, 0)
    }

    /// Pass number `pass` of `split`, of the rows or of the columns of a plane. It has
    /// 2^`log2_width` columns, and where rows are left to the columns, `gap` bytes between rows.
    pub(crate) fn of_plane(split: &Split, pass: usize, log2_width: u32, gap: u32) -> Self {
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
                Role::Last | Role::Single => 0,
            },
            reading: Reading::points(split.log2_points()),
        }
    }

    /// This pass, where the caller's input is something else than points one transform after the
    /// other. No other pass than the first notices.
    pub(crate) fn reads(self, reading: Reading) -> Self {
        Self { reading, ..self }
    }

    /// The pass before, whose cells this one reads; `None` where it reads the caller's input.
    pub(crate) fn previous(&self) -> Option<Self> {
        let pass = self.pass.checked_sub(1)?;
        Some(Self::of_plane(&self.split, pass, self.log2_width, self.gap))
    }

    /// The role of the pass in its transform.
    #[must_use]
    pub fn role(&self) -> Role {
        self.role
    }

    /// N; of a pass over columns, points of the plane.
    pub(crate) fn points(&self) -> u32 {
        1 << self.log2_points
    }

    /// Rj: rows that an output is the sum of.
    #[must_use]
    pub fn radix(&self) -> u32 {
        1 << self.log2_radix
    }

    /// QPUs that share a tile: units that follow each other.
    pub(crate) fn sharers(&self) -> u32 {
        1 << self.log2_sharers
    }

    /// Rows of a tile that a unit transforms by itself, as a power of two.
    fn log2_own_radix(&self) -> u32 {
        self.log2_radix - self.log2_sharers
    }

    /// P(j-1): bins of the passes before.
    pub(crate) fn before(&self) -> u32 {
        1 << self.log2_before
    }

    /// True if the pass is over the columns of a plane.
    pub(crate) fn is_over_columns(&self) -> bool {
        self.split.axis() == Axis::Column
    }

    /// Bins of the passes before on which twiddles depend: P(j-1), of a pass over columns without
    /// x.
    pub(crate) fn bins(&self) -> u32 {
        1 << (self.log2_before - self.log2_width)
    }

    /// Bins, on which twiddles depend, up to and with the next pass: P(j+1), of columns without x.
    pub(crate) fn denominator(&self) -> u32 {
        self.bins() * self.radix() * self.next_radix()
    }

    /// Sj: columns for each bin.
    pub(crate) fn columns(&self) -> u32 {
        1 << (self.log2_points - self.log2_before - self.log2_radix)
    }

    /// S(j+1): columns with the same n(j+1), which is what the twiddles after the pass depend on.
    pub(crate) fn columns_of_a_twiddle(&self) -> u32 {
        self.columns() >> self.log2_next
    }

    /// R(j+1): radix of the next pass.
    pub(crate) fn next_radix(&self) -> u32 {
        1 << self.log2_next
    }

    /// F: units that share the same rows.
    #[must_use]
    pub fn parts(&self) -> u32 {
        match self.role {
            Role::Middle | Role::Last if self.log2_own_radix() > 5 => {
                1 << (self.log2_own_radix() - 5)
            }
            _ => 1,
        }
    }

    /// Rows that lie side by side in the lanes of a vector.
    pub(crate) fn row_lanes(&self) -> u32 {
        match self.role {
            Role::Single | Role::First => (1 << self.log2_own_radix()) / LANES,
            Role::Middle | Role::Last if self.log2_radix == 4 => 1,
            Role::Middle | Role::Last => 2,
        }
    }

    /// Columns, transforms or octets that lie side by side in the lanes of a vector.
    pub(crate) fn lane_columns(&self) -> u32 {
        LANES / self.row_lanes()
    }

    /// Transforms of a batch that a unit works on.
    pub(crate) fn transforms_per_unit(&self) -> u32 {
        match self.role {
            Role::Single => UNIT_POINTS >> self.log2_radix,
            _ => 1,
        }
    }

    /// Octets of bins that a unit works on: 1, and 2 in a middle or last pass of 16 points.
    pub(crate) fn octets(&self) -> u32 {
        match self.role {
            Role::Middle | Role::Last if self.log2_radix == 4 => 2,
            _ => 1,
        }
    }

    /// Byte offset of a row in the caller's input; in the plane, of the first point of a row.
    pub(crate) fn input(&self, transform: u32, row: u32, column: u32) -> u32 {
        let point = row * self.columns() + column;
        if self.is_over_columns() {
            let rows = self.points() >> self.log2_width;
            let pitch = (POINT_BYTES << self.log2_width) + self.gap;
            return (transform * rows + point) * pitch;
        }
        transform * self.reading.hop + point * self.reading.point_bytes()
    }

    /// Byte offset of a bin in the caller's output: of output `k` of the pass and bin `bin` of
    /// those before.
    pub(crate) fn output(&self, transform: u32, bin: u32, k: u32) -> u32 {
        transform * self.transform_pitch() + POINT_BYTES * (bin + self.before() * k)
    }

    /// Bytes from the output of a transform to that of the next.
    pub(crate) fn transform_pitch(&self) -> u32 {
        let gap = match self.split.axis() {
            Axis::Row => self.gap,
            Axis::Column => 0,
        };
        POINT_BYTES * self.points() + gap
    }
}

#[cfg(test)]
mod tests {
    use super::Split;
    use crate::kernels::unit::Geometry;

    /// All passes of all splits of these lengths.
    pub fn passes(log2_points: std::ops::RangeInclusive<u32>) -> impl Iterator<Item = Geometry> {
        log2_points
            .flat_map(Split::all)
            .flat_map(|split| (0..split.passes()).map(move |pass| Geometry::new(&split, pass)))
    }
}

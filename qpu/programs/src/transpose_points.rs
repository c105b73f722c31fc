//! transpose-points: what `transpose-points.qasm` expects in memory.
//!
//! Matrices of complex points. Bands of 8 rows are dealt out in turn to at most four QPUs, each of
//! which has a quarter of the VPM.

use qpu::job::BusAddr;

/// Rows of a tile: the rows of a matrix are a multiple of it.
pub const TILE_ROWS: u32 = 8;
/// Columns of a tile: the columns of a matrix are a multiple of it.
pub const TILE_COLUMNS: u32 = 16;
/// QPUs that can take part.
pub const MAX_QPUS: u32 = 4;
/// Most bytes from a row of the result to the next.
pub const MAX_PITCH: u32 = 65_599;

/// Rows of points that are equally far apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rows {
    /// The first point.
    pub at: BusAddr,
    /// Bytes from a row to the next.
    pub pitch: u32,
}

/// A matrix and where its transpose goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TransposePoints {
    from: Rows,
    to: Rows,
    rows: u32,
    columns: u32,
}

impl TransposePoints {
    /// A matrix of so many rows and columns, whose transpose goes to `to`; the two must not
    /// overlap. `None` when there are no whole tiles, or rows of the result are more than
    /// [`MAX_PITCH`] apart.
    #[must_use]
    pub fn new(from: Rows, to: Rows, rows: u32, columns: u32) -> Option<Self> {
        let whole = |side: u32, tile: u32| side > 0 && side.is_multiple_of(tile);
        let fits = to.pitch <= MAX_PITCH;
        (whole(rows, TILE_ROWS) && whole(columns, TILE_COLUMNS) && fits).then_some(Self {
            from,
            to,
            rows,
            columns,
        })
    }

    /// QPUs that find work, of `qpus`.
    #[must_use]
    pub fn qpus(&self, qpus: u32) -> u32 {
        qpus.clamp(1, MAX_QPUS).min(self.rows / TILE_ROWS)
    }

    /// Uniforms of QPU `number`, counted from 0, of as many as [`TransposePoints::qpus`] says.
    #[must_use]
    pub fn uniforms(&self, number: u32, qpus: u32) -> [u32; 9] {
        const LINE_BYTES: u32 = 8 * TILE_ROWS;
        let qpus = self.qpus(qpus);
        let number = number.min(qpus - 1);
        let band_bytes = TILE_ROWS.wrapping_mul(self.from.pitch);
        let bands = self.rows / TILE_ROWS;
        [
            self.from.at.offset(number.wrapping_mul(band_bytes)).0,
            self.to.at.offset(number * LINE_BYTES).0,
            self.from.pitch,
            self.to.pitch,
            self.columns / TILE_COLUMNS,
            (bands - number).div_ceil(qpus),
            qpus.wrapping_mul(band_bytes),
            qpus * LINE_BYTES,
            // Rows of the VPM.
            2 * TILE_ROWS * number,
        ]
    }
}

//! transpose: what `transpose.qasm` and `transpose-points.qasm` expect in memory.
//!
//! Matrices of 32-bit words in tiles of 16 by 16, or of complex points in tiles of 8 rows and 16
//! columns. Bands of rows as high as a tile are dealt out in turn to at most four QPUs, each of
//! which has a quarter of the VPM.

use qpu::job::{BusAddr, Program, Runner};

use crate::code::{TRANSPOSE, TRANSPOSE_POINTS, place, place_uniforms};

/// Side of a tile of words: the sides of a matrix are multiples of it. Tiles of points have as many
/// columns.
pub const TILE: u32 = 16;
/// Rows of a tile of points.
const TILE_ROWS_OF_POINTS: u32 = 8;
/// Bytes of a row of a tile's transpose.
const LINE_BYTES: u32 = 64;
/// QPUs that can take part.
pub const MAX_QPUS: u32 = 4;
/// Most bytes from a row of the result to the next.
pub const MAX_PITCH: u32 = 65_599;

/// Rows that are equally far apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rows {
    /// The first word.
    pub at: BusAddr,
    /// Bytes from a row to the next.
    pub pitch: u32,
}

/// A matrix and where its transpose goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transpose {
    code: &'static [u64],
    tile_rows: u32,
    from: Rows,
    to: Rows,
    rows: u32,
    columns: u32,
}

impl Transpose {
    /// A matrix of so many rows and columns of words at `from`, whose transpose goes to `to`, both
    /// without gaps between rows; the two must not overlap. `None` when a side is 0 or no multiple
    /// of [`TILE`], when rows of the result are more than [`MAX_PITCH`] bytes apart, or when the
    /// matrix has 4 GiB.
    #[must_use]
    pub fn of_words(from: BusAddr, to: BusAddr, rows: u32, columns: u32) -> Option<Self> {
        u32::try_from(4 * u64::from(rows) * u64::from(columns)).ok()?;
        let [from, to] = [(from, columns), (to, rows)].map(|(at, words)| Rows {
            at,
            pitch: words.saturating_mul(4),
        });
        let matrix = Self {
            code: TRANSPOSE,
            tile_rows: TILE,
            from,
            to,
            rows,
            columns,
        };
        matrix.if_possible()
    }

    /// A matrix of so many rows and columns of complex points; the two must not overlap. `None`
    /// when there are no whole tiles, or rows of the result are more than [`MAX_PITCH`] apart.
    #[must_use]
    pub fn of_points(from: Rows, to: Rows, rows: u32, columns: u32) -> Option<Self> {
        let matrix = Self {
            code: TRANSPOSE_POINTS,
            tile_rows: TILE_ROWS_OF_POINTS,
            from,
            to,
            rows,
            columns,
        };
        matrix.if_possible()
    }

    fn if_possible(self) -> Option<Self> {
        let is_whole = |side: u32, tile: u32| side > 0 && side.is_multiple_of(tile);
        let is_possible = is_whole(self.rows, self.tile_rows)
            && is_whole(self.columns, TILE)
            && self.to.pitch <= MAX_PITCH;
        is_possible.then_some(self)
    }

    /// QPUs that find work, of `qpus`.
    #[must_use]
    pub fn qpus(&self, qpus: u32) -> u32 {
        qpus.clamp(1, MAX_QPUS).min(self.rows / self.tile_rows)
    }

    /// Uniforms of QPU `number`, counted from 0, of as many as [`Transpose::qpus`] says.
    #[must_use]
    pub fn uniforms(&self, number: u32, qpus: u32) -> [u32; 9] {
        let qpus = self.qpus(qpus);
        let number = number.min(qpus - 1);
        let band_bytes = self.tile_rows.wrapping_mul(self.from.pitch);
        let bands = self.rows / self.tile_rows;
        [
            self.from.at.offset(number.wrapping_mul(band_bytes)).0,
            self.to.at.offset(number * LINE_BYTES).0,
            self.from.pitch,
            self.to.pitch,
            self.columns / TILE,
            (bands - number).div_ceil(qpus),
            qpus.wrapping_mul(band_bytes),
            qpus * LINE_BYTES,
            // The first of its rows of the VPM.
            16 * number,
        ]
    }

    /// Puts program and uniforms for `qpus` QPUs into the memory of `runner`, and the programs of a
    /// launch into `programs`; how many there are. The launch clears V3D's data caches when the
    /// matrix has changed.
    ///
    /// # Errors
    /// When there is no room.
    pub fn programs<R: Runner>(
        &self,
        runner: &mut R,
        qpus: u32,
        programs: &mut [Program; MAX_QPUS as usize],
    ) -> Result<usize, R::Error> {
        let code = place(runner, self.code)?;
        let qpus = self.qpus(qpus);
        for (number, program) in (0..qpus).zip(programs) {
            let uniforms = place_uniforms(runner, &self.uniforms(number, qpus))?;
            *program = Program {
                code: code.addr,
                uniforms: uniforms.addr,
            };
        }
        Ok(qpus as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_that_do_not_fit_the_program_are_refused() {
        let new = |rows, columns| Transpose::of_words(BusAddr(0), BusAddr(0), rows, columns);
        for (rows, columns) in [(16, 16), (16_384, 16), (16, 1 << 24)] {
            assert!(new(rows, columns).is_some());
        }
        for (rows, columns) in [
            (0, 16),
            (16, 0),
            (16, 17),
            (8, 16),
            (16_400, 16),
            (16_384, 1 << 16),
        ] {
            assert!(new(rows, columns).is_none(), "{rows} x {columns}");
        }
    }

    #[test]
    fn every_band_is_somebodys() {
        for rows in [16, 32, 80, 1024] {
            let matrix =
                Transpose::of_words(BusAddr(0), BusAddr(0), rows, 16).expect("whole tiles");
            for qpus in 1..=MAX_QPUS {
                let used = matrix.qpus(qpus);
                let bands: u32 = (0..used)
                    .map(|number| matrix.uniforms(number, qpus)[5])
                    .sum();
                assert_eq!(bands, rows / TILE);
            }
        }
    }
}

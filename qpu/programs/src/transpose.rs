//! transpose: what `transpose.qasm` expects in memory.
//!
//! Matrices of 32-bit words whose sides are multiples of 16. Bands of 16 rows are dealt out in turn
//! to at most four QPUs, each of which has a quarter of the VPM.

use qpu::job::{BusAddr, Program, Runner};

use crate::code::{TRANSPOSE, place, place_uniforms};

/// Side of a tile: the sides of a matrix are multiples of it.
pub const TILE: u32 = 16;
/// QPUs that can take part.
pub const MAX_QPUS: u32 = 4;
/// Most rows of a matrix: rows of the result are at most 65,599 bytes apart.
pub const MAX_ROWS: u32 = 16_384;

/// A matrix and where its transpose goes, both without gaps between rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transpose {
    from: BusAddr,
    to: BusAddr,
    rows: u32,
    columns: u32,
}

impl Transpose {
    /// A matrix of so many rows and columns at `from`, whose transpose goes to `to`; the two must
    /// not overlap. `None` when a side is 0 or no multiple of [`TILE`], when there are more than
    /// [`MAX_ROWS`] rows, or when the matrix has 4 GiB.
    #[must_use]
    pub fn new(from: BusAddr, to: BusAddr, rows: u32, columns: u32) -> Option<Self> {
        let whole = |side: u32| side > 0 && side.is_multiple_of(TILE);
        let bytes = 4u64 * u64::from(rows) * u64::from(columns);
        let fits = rows <= MAX_ROWS && u32::try_from(bytes).is_ok();
        (whole(rows) && whole(columns) && fits).then_some(Self {
            from,
            to,
            rows,
            columns,
        })
    }

    /// QPUs that find work, of `qpus`.
    #[must_use]
    pub fn qpus(&self, qpus: u32) -> u32 {
        qpus.clamp(1, MAX_QPUS).min(self.rows / TILE)
    }

    /// Uniforms of QPU `number`, counted from 0, of as many as [`Transpose::qpus`] says.
    #[must_use]
    pub fn uniforms(&self, number: u32, qpus: u32) -> [u32; 9] {
        let qpus = self.qpus(qpus);
        let number = number.min(qpus - 1);
        let (pitch, to_pitch) = (4 * self.columns, 4 * self.rows);
        let bands = self.rows / TILE;
        [
            self.from.offset(number * TILE * pitch).0,
            self.to.offset(number * TILE * 4).0,
            pitch,
            to_pitch,
            self.columns / TILE,
            (bands - number).div_ceil(qpus),
            (qpus * TILE).wrapping_mul(pitch),
            qpus * TILE * 4,
            TILE * number,
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
        let code = place(runner, TRANSPOSE)?;
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
        let new = |rows, columns| Transpose::new(BusAddr(0), BusAddr(0), rows, columns);
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
            let matrix = Transpose::new(BusAddr(0), BusAddr(0), rows, 16).expect("whole tiles");
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

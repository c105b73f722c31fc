//! memcpy: what `memcpy.qasm` expects in memory.
//!
//! Whole rows of 64 bytes. The rows are dealt out in as many parts as there are QPUs, each part in
//! one piece, and so are the 64 rows of the VPM.

use qpu::job::{Buffer, BusAddr, Program, Runner};
use qpu::machine;

use crate::code::{MEMCPY, place, place_uniforms};

/// Bytes of a row.
pub const ROW_BYTES: u32 = machine::VECTOR_BYTES;
/// QPUs that can take part.
pub const MAX_QPUS: u32 = machine::QPUS as u32;

/// The most rows of a store that fit twice.
const MAX_STORE_ROWS: u32 = 32;

/// Uniforms of QPU `number` of `qpus`, which together copy `rows` rows from `from` to `to`. With
/// `qpus` 0 or above [`MAX_QPUS`] it is taken as the nearest that works; `number` counts from 0.
#[must_use]
pub fn uniforms(from: BusAddr, to: BusAddr, rows: u32, number: u32, qpus: u32) -> [u32; 5] {
    let qpus = qpus.clamp(1, MAX_QPUS);
    let number = number.min(qpus - 1);
    let start = |number: u32| (u64::from(rows) * u64::from(number) / u64::from(qpus)) as u32;
    let first = start(number);
    let store_rows = (u32::from(machine::VPM_ROWS) / qpus / 2).min(MAX_STORE_ROWS) & !1;
    [
        from.offset(first.wrapping_mul(ROW_BYTES)).0,
        to.offset(first.wrapping_mul(ROW_BYTES)).0,
        start(number + 1) - first,
        2 * store_rows * number,
        store_rows,
    ]
}

/// Puts program and uniforms into the memory of `runner`, to copy as many whole rows of `from` as
/// fit `to` on `QPUS` QPUs: what a launch needs, which clears V3D's data caches when `from` has
/// changed.
///
/// # Errors
/// When there is no room.
pub fn programs<R: Runner, const QPUS: usize>(
    runner: &mut R,
    from: Buffer,
    to: Buffer,
) -> Result<[Program; QPUS], R::Error> {
    let code = place(runner, MEMCPY)?;
    let rows = from.bytes.min(to.bytes) / ROW_BYTES;
    let mut programs = [Program {
        code: code.addr,
        uniforms: code.addr,
    }; QPUS];
    for (number, program) in (0..).zip(&mut programs) {
        let uniforms = uniforms(from.addr, to.addr, rows, number, QPUS as u32);
        program.uniforms = place_uniforms(runner, &uniforms)?.addr;
    }
    Ok(programs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_meet_and_vpm_rows_do_not() {
        let (from, to) = (BusAddr(0x1000), BusAddr(0x9000));
        for qpus in 1..=MAX_QPUS {
            for rows in [0, 1, 5, 12, 13, 1000] {
                let (mut row, mut vpm_row) = (0, 0);
                for number in 0..qpus {
                    let [source, target, count, first, store] =
                        uniforms(from, to, rows, number, qpus);
                    assert_eq!((source, target), (0x1000 + 64 * row, 0x9000 + 64 * row));
                    assert!(first >= vpm_row && store >= 2 && store.is_multiple_of(2));
                    row += count;
                    vpm_row = first + 2 * store;
                }
                assert_eq!(row, rows);
                assert!(vpm_row <= 64);
            }
        }
    }
}

//! Capacity of the caches: loops over code and data of the published sizes miss nothing.

use super::iteration::{LINE_BYTES, Loop};
use super::lookup::{L1_BYTES, addresses, alternate, one_at_a_time};
use super::{CACHES, row};
use crate::machine::MachineError;
use crate::row::{Band, Row};
use qpu::generate::{R0, R1, R2, TMU0_S};
use v3d_sim::Constants;

/// Instructions that the cache of a slice holds.
const CODE: usize = 512;
/// Instructions of the loop itself.
const LOOP: usize = 5;
/// Instructions in a line.
const LINE: usize = 8;

const CODE_MISSES: usize = 21;
const LOOKUP_MISSES: usize = 25;

/// The rows.
pub fn rows(constants: &Constants) -> Result<Vec<Row>, MachineError> {
    let alternating = one_at_a_time(constants, alternate, L1_BYTES)?.counters[LOOKUP_MISSES];
    let misses = [
        (
            "misses of a loop of 512 instructions, an iteration",
            0.0,
            code_misses(constants)?,
        ),
        (
            "misses of lookups through 4 KiB, an iteration",
            0.0,
            data_misses(constants)?,
        ),
        (
            "misses of a lookup by turns in two lines 4 KiB apart",
            1.0,
            alternating,
        ),
    ];
    let row =
        |(what, published, misses)| row(what, CACHES, (published, "lines"), Band::Exact, misses);
    Ok(misses.into_iter().map(row).collect())
}

fn code_misses(constants: &Constants) -> Result<f64, MachineError> {
    let iteration = Loop {
        data_bytes: 0,
        uniforms: &[],
        // The loop starts with a line.
        setup: &|b| b.nops(LINE - b.len() % LINE),
        body: &|b| b.nops(CODE - LOOP),
    };
    Ok(iteration.measure(constants)?.counters[CODE_MISSES])
}

fn data_misses(constants: &Constants) -> Result<f64, MachineError> {
    let iteration = Loop {
        data_bytes: L1_BYTES,
        uniforms: &[],
        setup: &|b| {
            addresses(b, LINE_BYTES);
            b.mov(R2, R0);
        },
        body: &|b| {
            b.mov(R0, R2);
            for _ in 0..L1_BYTES / LINE_BYTES {
                b.mov(TMU0_S, R0);
                b.nop().ldtmu0();
                b.add(R0, R0, R1);
            }
        },
    };
    Ok(iteration.measure(constants)?.counters[LOOKUP_MISSES])
}

//! Latency of a TMU lookup: from the write of the address to an `ldtmu` that does not stall.
//!
//! One lookup at a time, all lanes in one line. What the line before was decides where the next is
//! found: the same line again, one of two lines that share a place in the TMU's cache, or lines
//! that nobody has read.

use super::iteration::{DATA, Iteration, LINE_BYTES, Loop};
use super::{FORUM, row};
use crate::machine::MachineError;
use crate::row::{Band, Row};
use qpu::generate::{Builder, ELEM_NUM, R0, R1, R2, TMU0_S};
use v3d_sim::Constants;

/// Lines this far apart share a place in a TMU's cache.
pub const L1_BYTES: u32 = 4096;

/// The rows.
pub fn rows(constants: &Constants) -> Result<Vec<Row>, MachineError> {
    let latency = |what, published, next: fn(&mut Builder), distance| {
        let iteration = one_at_a_time(constants, next, distance)?;
        // An `ldtmu` right after the write would be one slot from it.
        let slots = iteration.stall_slots() + 1.0;
        Ok::<_, MachineError>(Row {
            fitted: true,
            ..row(what, FORUM, (published, "slots"), Band::Near(1.0), slots)
        })
    };
    Ok(vec![
        latency("lookup that hits the TMU's cache", 9.0, |_| (), 0)?,
        latency("lookup that hits the L2C", 12.0, alternate, L1_BYTES)?,
        latency("lookup that goes to SDRAM", 20.0, advance, LINE_BYTES)?,
    ])
}

/// The next line: r1 is the distance.
fn advance(b: &mut Builder) {
    b.add(R0, R0, R1);
}

/// One of two lines by turns.
pub fn alternate(b: &mut Builder) {
    b.xor(R0, R0, R1);
}

/// r0: addresses of one line, a word a lane; r1: `distance`.
pub fn addresses(b: &mut Builder, distance: u32) {
    b.ldi(R1, distance);
    b.mov(R2, ELEM_NUM);
    b.shl(R2, R2, 2);
    b.add(R0, DATA, R2);
}

/// Lookup after lookup, each waited for.
pub fn one_at_a_time(
    constants: &Constants,
    next: fn(&mut Builder),
    distance: u32,
) -> Result<Iteration, MachineError> {
    Loop {
        data_bytes: 1 << 16,
        uniforms: &[],
        setup: &|b| addresses(b, distance),
        body: &|b| {
            b.mov(TMU0_S, R0);
            b.nop().ldtmu0();
            next(b);
        },
    }
    .measure(constants)
}

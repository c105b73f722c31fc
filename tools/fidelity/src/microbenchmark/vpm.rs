//! The VPM as a QPU sees it: what the first vector of a read costs, and those after it.

use super::iteration::{Iteration, Loop};
use super::{FORUM, TERMINUS, row};
use crate::machine::MachineError;
use crate::row::{Band, Row};
use qpu::generate::{NONE, R0, RD_SETUP, VPM, WR_SETUP};
use qpu::vpm::Block;
use v3d_sim::Constants;

/// Vectors of a read or write of more than one.
const VECTORS: u8 = 16;

/// The rows.
pub fn rows(constants: &Constants) -> Result<Vec<Row>, MachineError> {
    let (one, all) = (reads(constants, 1)?, reads(constants, VECTORS)?);
    let each = (all.clocks - one.clocks) / 4.0 / f64::from(VECTORS - 1);
    let slots = |what, source, published, slots| {
        row(what, source, (published, "slots"), Band::Near(1.0), slots)
    };
    let first = "stall of the first VPM read after its setup";
    let further = "each further VPM read of the setup";
    let write = "each VPM write of one QPU";
    Ok(vec![
        Row {
            fitted: true,
            ..slots(first, FORUM, 5.0, one.stall_slots())
        },
        slots(further, TERMINUS, 1.0, each),
        slots(write, TERMINUS, 1.0, writes(constants)?),
    ])
}

fn reads(constants: &Constants, vectors: u8) -> Result<Iteration, MachineError> {
    let setup = Block::row(0).read_setup(vectors).expect("in range");
    Loop {
        data_bytes: 0,
        uniforms: &[],
        setup: &|b| {
            // The rows need an owner: a read of rows that nothing has written is a warning.
            b.ldi(WR_SETUP, Block::row(0).write_setup().expect("in range"));
            for _ in 0..VECTORS {
                b.mov(VPM, R0);
            }
            b.nops(16);
        },
        body: &|b| {
            b.ldi(RD_SETUP, setup);
            for _ in 0..vectors {
                b.mov(NONE, VPM);
            }
        },
    }
    .measure(constants)
}

fn writes(constants: &Constants) -> Result<f64, MachineError> {
    let iteration = Loop {
        data_bytes: 0,
        uniforms: &[],
        setup: &|b| {
            b.ldi(WR_SETUP, Block::row(0).write_setup().expect("in range"));
        },
        body: &|b| {
            for _ in 0..VECTORS {
                b.mov(VPM, R0);
            }
        },
    }
    .measure(constants)?;
    Ok(1.0 + iteration.stall_slots() / f64::from(VECTORS))
}

//! Bursts of uniforms: how many slots of a loop that reads fresh uniforms issue an instruction.
//!
//! Published without its program. Here each iteration reads a burst that the QPU has not read
//! before, with some other instructions between bursts.

use super::iteration::{Loop, MANY, read_uniforms};
use super::{TERMINUS, row};
use crate::machine::MachineError;
use crate::row::{Band, Row};
use v3d_sim::Constants;

/// Instructions of the loop itself.
const LOOP_SLOTS: usize = 5;

/// The rows.
pub fn rows(constants: &Constants) -> Result<Vec<Row>, MachineError> {
    let bursts = [
        (
            "bursts of 16 uniforms, 7 other slots between them",
            1.0,
            16,
            7,
        ),
        (
            "bursts of 32 uniforms, 7 other slots between them",
            1.0,
            32,
            7,
        ),
        ("64 uniforms back to back", 0.6, 64, LOOP_SLOTS),
    ];
    let burst = |(what, published, burst, others)| {
        let efficiency = efficiency(constants, burst, others)?;
        let published = (published, "of the slots");
        Ok(row(what, TERMINUS, published, Band::Reported, efficiency))
    };
    bursts.into_iter().map(burst).collect()
}

fn efficiency(constants: &Constants, burst: usize, others: usize) -> Result<f64, MachineError> {
    let iteration = Loop {
        data_bytes: 0,
        uniforms: &vec![0; burst * MANY as usize + 2],
        setup: &|_| (),
        body: &|b| {
            read_uniforms(b, burst);
            b.nops(others - LOOP_SLOTS);
        },
    }
    .measure(constants)?;
    Ok(iteration.instructions / (iteration.instructions + iteration.stall_slots()))
}

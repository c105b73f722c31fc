//! Bursts of uniforms: how many slots of a loop that reads fresh uniforms issue an instruction.
//!
//! Published without its program. Here each iteration reads a burst that the QPU has not read
//! before, with some other instructions between bursts.

use super::iteration::{Loop, most_iterations, read_uniforms};
use super::{Measurement, Microbenchmark, TERMINUS};
use crate::row::{Band, Section};
use v3d_sim::{Board, Constants};

/// Instructions of the loop itself.
const LOOP_SLOTS: usize = 5;

pub const LIST: &[Microbenchmark] = &[
    burst(
        "bursts of 16 uniforms, 7 other slots between them",
        1.0,
        |constants| efficiency(constants, 16, 7),
    ),
    burst(
        "bursts of 32 uniforms, 7 other slots between them",
        1.0,
        |constants| efficiency(constants, 32, 7),
    ),
    burst("64 uniforms back to back", 0.6, |constants| {
        efficiency(constants, 64, LOOP_SLOTS)
    }),
];

const fn burst(
    what: &'static str,
    published: f64,
    measure: fn(&Constants) -> Measurement,
) -> Microbenchmark {
    Microbenchmark {
        section: Section::Microbenchmarks,
        what,
        source: TERMINUS,
        board: Board::Pi2,
        unit: "of the slots",
        published,
        band: Band::Reported,
        fitted: false,
        measure,
    }
}

fn efficiency(constants: &Constants, burst: usize, others: usize) -> Measurement {
    let iteration = Loop {
        board: Board::Pi2,
        data_bytes: 0,
        uniforms: &vec![0; burst * most_iterations() as usize + 2],
        setup: &|_| (),
        body: &|b| {
            read_uniforms(b, burst);
            b.nops(others - LOOP_SLOTS);
        },
    }
    .measure(constants)?;
    Ok(iteration.instructions / (iteration.instructions + iteration.stall_slots()))
}

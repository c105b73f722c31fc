//! Handing over between two QPUs: what it costs beyond the instructions.
//!
//! Two QPUs take turns. QPU A increments and waits, QPU B waits and increments; with a hand-over that
//! costs nothing the one that waits issues its decrement in the slot after the increment.

use super::iteration::{SLOT_CLOCKS, halves, words};
use super::{Measurement, Microbenchmark, TERMINUS};
use crate::machine::{Machine, MachineError, config};
use crate::row::{Band, Section};
use qpu::generate::{Builder, UNIF, ra};
use qpu::isa::BranchCond;
use v3d_sim::{Board, Constants};

pub const LIST: &[Microbenchmark] = &[Microbenchmark {
    section: Section::Microbenchmarks,
    what: "hand-over by a semaphore, beyond the instructions: \"no measurable extra\"",
    source: TERMINUS,
    board: Board::Pi3,
    unit: "clocks",
    published: 0.0,
    band: Band::Reported,
    fitted: false,
    measure: handover,
}];

/// Slots of an iteration of A when hand-overs cost nothing: increment, B's two, decrement, loop.
const FREE_SLOTS: f64 = 9.0;

const FEW: u32 = 32;
const MANY: u32 = 160;

fn program(body: impl Fn(&mut Builder)) -> Vec<u32> {
    let mut b = Builder::new();
    b.mov(ra(0), UNIF);
    b.nop();
    let again = b.here("again");
    body(&mut b);
    b.sub(ra(0), ra(0), 1).setf();
    b.brr(BranchCond::AnyZC, again);
    b.nops(3);
    b.end();
    halves(&words(&b))
}

fn clocks(constants: &Constants, iterations: u32) -> Result<u64, MachineError> {
    let mut machine = Machine::new(config(Board::Pi3, constants), 3 * 4096);
    let mut place = || machine.alloc(4096).expect("three pages");
    let (a, b, uniforms) = (place(), place(), place());
    machine.store(
        a,
        &program(|b| {
            b.srel(0);
            b.sacq(1);
        }),
    );
    machine.store(
        b,
        &program(|b| {
            b.sacq(0);
            b.srel(1);
        }),
    );
    machine.store(uniforms, &[iterations]);
    Ok(machine
        .run(&[(a, uniforms), (b, uniforms)], 1_000_000)?
        .clocks)
}

fn handover(constants: &Constants) -> Measurement {
    let (few, many) = (clocks(constants, FEW)?, clocks(constants, MANY)?);
    let each = (many as f64 - few as f64) / f64::from(MANY - FEW);
    Ok((each - FREE_SLOTS * SLOT_CLOCKS) / 2.0)
}

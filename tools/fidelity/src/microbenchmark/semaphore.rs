//! Handing over between two QPUs: what it costs beyond the instructions.
//!
//! Two QPUs take turns. QPU A increments and waits, QPU B waits and increments; with a hand-over
//! that costs nothing the one that waits issues its decrement in the slot after the increment.

use super::iteration::{SLOT_CLOCKS, looped, timed};
use super::{TERMINUS, row};
use crate::machine::{Machine, MachineError, Run, config};
use crate::row::{Band, Row};
use qpu::generate::Builder;
use v3d_sim::{Board, Constants};

/// The row.
pub fn rows(constants: &Constants) -> Result<Vec<Row>, MachineError> {
    let each = timed(|iterations| run(constants, iterations))?;
    let clocks = (each.clocks - FREE_SLOTS * SLOT_CLOCKS) / 2.0;
    let what = "hand-over by a semaphore, beyond the instructions: \"no measurable extra\"";
    Ok(vec![Row {
        board: Board::Pi3,
        ..row(what, TERMINUS, (0.0, "clocks"), Band::Reported, clocks)
    }])
}

/// Slots of an iteration of A when hand-overs cost nothing: increment, B's two, decrement, loop.
const FREE_SLOTS: f64 = 9.0;

fn run(constants: &Constants, iterations: u32) -> Result<Run, MachineError> {
    let mut machine = Machine::new(config(Board::Pi3, constants), 3 * 4096);
    let mut place = || machine.alloc(4096).expect("three pages");
    let (a, b, uniforms) = (place(), place(), place());
    let wait = |b: &mut Builder| {
        b.nop();
    };
    let first = looped(wait, |b| {
        b.srel(0);
        b.sacq(1);
    });
    let second = looped(wait, |b| {
        b.sacq(0);
        b.srel(1);
    });
    machine.store(a, &first);
    machine.store(b, &second);
    machine.store(uniforms, &[iterations]);
    machine.run(&[(a, uniforms), (b, uniforms)], 1_000_000)
}

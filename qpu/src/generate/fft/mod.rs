//! FFT programs, written as codelets and packed into both ALUs by a scheduler.
//!
//! A codelet is a function that writes operations on registers in an order that is easy to read
//! ([`dft16`], [`mod@unit`], [`coop`]); [`schedule`](super::schedule) decides which instruction
//! each becomes part of. What a program reads as uniforms is listed beside it in the order that
//! came out, so nothing else needs to know the schedule.

mod ahead;
pub mod coop;
mod dft16;
mod draft;
pub mod unit;

use super::tuned;
use crate::isa::{self, Instruction, raddr};

/// Searched schedules ([`tuned`]) that are ignored, because operations have changed since.
#[must_use]
pub fn stale_schedules() -> Vec<String> {
    let keys: Vec<_> = unit::keys().chain(coop::keys()).collect();
    tuned::stale(&keys)
}

/// True if a word takes a uniform, through either port.
fn reads_uniform(word: u64) -> bool {
    matches!(isa::decode(word), Ok(Instruction::Alu(alu))
        if alu.raddr_a == raddr::UNIFORM || alu.read_b() == raddr::UNIFORM)
}

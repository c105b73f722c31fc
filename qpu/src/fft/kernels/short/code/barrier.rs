//! A barrier of the QPUs that share a transform: all arrive, and another program lets all go on,
//! the conductor.
//!
//! Each program counts ARRIVED up and then a gate down; the conductor counts ARRIVED down once for
//! each and then the gate up as often. A program that has gone on cannot meet that gate again
//! before the conductor has opened the other one: so none can take another's token. All semaphores
//! are 0 when all have passed.
//!
//! One of those that share it could do this as well. It would have code that the others have not,
//! in the middle of theirs.
//!
//! What comes before must have read the VPM in the end: only that says that its writes are in it.

use crate::fft::kernels::short::layout::Word;
use crate::generate::{Builder, schedule};
use crate::isa::SemaphoreAction;

type Operation = schedule::Operation<Word>;

const ARRIVED: u8 = 0;
/// Gates of two barriers in turn: from writes of columns to reads, and from these to writes of
/// other rows.
const GATES: [u8; 2] = [1, 2];

/// Says that this program has come to a barrier.
pub fn arrive() -> Operation {
    Operation::semaphore(SemaphoreAction::Increment, ARRIVED)
}

/// Waits at barrier 0 or 1, at which it has arrived.
pub fn pass(number: usize) -> Operation {
    Operation::semaphore(SemaphoreAction::Decrement, GATES[number])
}

/// Waits for all at both, one after the other, and lets them go on.
pub fn conduct(b: &mut Builder, sharers: u32) {
    for gate in GATES {
        for _ in 0..sharers {
            b.sacq(ARRIVED);
        }
        for _ in 0..sharers {
            b.srel(gate);
        }
    }
}

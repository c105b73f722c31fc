//! Semaphores of the double-buffered pipeline
//! ([`crate::kernels::pipeline::double_buffered::layout`]), and what waits for them.

use super::BACK;
use crate::kernels::pipeline::double_buffered::DoubleBuffered;
use crate::kernels::pipeline::double_buffered::layout::Handover;
use crate::kernels::pipeline::layout::CONSUMERS;
use crate::kernels::pipeline::roles::HALVES;
use qpu::generate::{Builder, ra};
use qpu::isa::BranchCond;

/// The right to write each pair of vectors.
pub const GATES: [u8; 4] = [0, 1, 2, 5];
/// Producers whose vectors of each pair are in the VPM.
pub const WRITTEN: [u8; 4] = [6, 7, 13, 14];
/// That two consumers may read a pair, then that one of them has read it; or that the one that
/// reads it alone may. Pairs 1 and 3 share one, as [`Handover`] has it.
const TWO: [u8; 4] = [8, 9, 12, 9];
/// Units that producers have loaded.
pub const LOADED: u8 = 15;
/// Consumers that have stored a transform, at the next or at their end.
pub const STORED: u8 = 10;
/// That the third pair of early vectors has been read.
const THIRD_READ: u8 = 11;

/// Semaphores that consumer 0 makes, and takes back.
pub const MADE: [u8; 3] = [HALVES[0], HALVES[1], GATES[0]];

/// The ways of consumers: what they wait for before they read, and do when they have read; then
/// they go back to where [`BACK`] says.
///
/// # Panics
/// When a way is not as long as [`Handover`] has it: a bug, found when the programs are built.
pub fn ways(b: &mut Builder) {
    for way in Handover::ALL {
        let from = b.len();
        write(b, way);
        assert_eq!((b.len() - from) as u32, way.instructions(), "{way:?}");
    }
}

fn write(b: &mut Builder, way: Handover) {
    let gate = |pair: u8| GATES[usize::from(pair) % GATES.len()];
    let two = |pair: u8| TWO[usize::from(pair)];
    match way {
        Handover::Tell(number) => short(b, &[], Some(two(number))),
        Handover::AwaitOther(number) => short(b, &[two(number)], None),
        Handover::Next(pair) => short(b, &[two(pair), gate(pair)], Some(gate(pair + 1))),
        Handover::NextEarly(2) => short(b, &[two(2), gate(2)], Some(THIRD_READ)),
        Handover::NextEarly(3) => {
            b.sacq(two(3));
            short(b, &[gate(3), THIRD_READ], Some(gate(0)));
        }
        Handover::NextEarly(pair) => short(b, &[two(pair), gate(pair)], Some(gate(pair + 2))),
        Handover::AwaitProducers(pair) => {
            await_all(b, WRITTEN[usize::from(pair)]);
            b.srel(two(pair));
        }
        Handover::Begin(0) => {
            for _ in 1..CONSUMERS {
                b.sacq(STORED);
            }
            b.srel(gate(1));
        }
        Handover::Begin(_) => {
            b.srel(STORED);
        }
    }
}

fn back(b: &mut Builder) {
    b.bra(BranchCond::Always, ra(BACK));
}

/// Waits for all producers; the last two times on the way back, where there is place for one more
/// instruction.
fn await_all(b: &mut Builder, semaphore: u8) {
    for left in (0..DoubleBuffered::PRODUCERS).rev() {
        if left + 1 == 2 {
            back(b);
        }
        b.sacq(semaphore);
    }
}

/// A way of four instructions.
fn short(b: &mut Builder, takes: &[u8], gives: Option<u8>) {
    back(b);
    for &number in takes {
        b.sacq(number);
    }
    if let Some(number) = gives {
        b.srel(number);
    }
    b.nops(3 - takes.len() - usize::from(gives.is_some()));
}

/// Takes a consumer's share of the units that are loaded out of the count. Called behind each early
/// vectors: the first time all early units are, and it does not wait; the second time it waits for
/// late ones.
pub fn count_loaded(b: &mut Builder) {
    for _ in 0..DoubleBuffered::PRODUCERS / CONSUMERS {
        b.sacq(LOADED);
    }
}

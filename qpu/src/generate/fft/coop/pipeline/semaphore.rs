//! Which semaphore is what ([`crate::fft::pipeline`]), and how a consumer hands its turn on.

use crate::generate::fft::coop::roles::semaphore::HALVES;
use crate::generate::{Builder, Label};
use crate::isa::BranchCond;

/// Producers whose vectors of a round are in the VPM.
pub const WRITTEN: u8 = 0;
/// The right to write a round, in turn: a producer that has written hands it on to the next.
pub const GATES: [u8; 2] = [1, 2];
/// Turn of a consumer.
pub const TURNS: [u8; 4] = [5, 6, 7, 8];
/// Consumers that have ended.
pub const ENDED: u8 = 9;
/// What is made at the start: after an even number of rounds the gate of the next is the first again.
pub const MADE: [u8; 4] = [HALVES[0], HALVES[1], TURNS[0], GATES[0]];
/// What of that is there when all rounds have been read.
pub const ALL_READ: [u8; 2] = [TURNS[0], GATES[0]];

/// Instructions of [`pass_on`] for a consumer.
pub const PASS_ON: u8 = 5;

/// For each consumer: all producers have written its round, whose gate it closes; it opens that of the next round, which
/// is the next consumer's.
pub fn pass_on(b: &mut Builder, back: Label) {
    for consumer in 0..TURNS.len() {
        let next = consumer + 1;
        b.sacq(GATES[consumer % 2]);
        b.brr(BranchCond::Always, back);
        b.srel(GATES[next % 2]);
        b.srel(TURNS[next % TURNS.len()]);
        b.nop();
    }
}

//! Which semaphore is what ([`crate::fft::pipeline`]), and how consumers begin and end.

use crate::generate::{Builder, Label, NONE, R0, UNIF};
use crate::isa::BranchCond;

/// Producers whose vectors of a round are in the VPM.
pub const WRITTEN: u8 = 0;
/// The right to write a round, in turn: a producer that has written hands it on to the next.
pub const GATES: [u8; 2] = [1, 2];
/// Locks of the halves of output.
pub const HALVES: [u8; 2] = [3, 4];
/// Turn of a consumer.
pub const TURNS: [u8; 4] = [5, 6, 7, 8];
const ENDED: u8 = 9;
/// What is made at the start: after an even number of rounds the gate of the next is the first again.
const MADE: [u8; 4] = [HALVES[0], HALVES[1], TURNS[0], GATES[0]];

/// Consumer 0, whose next uniform is not 0, makes locks, the first turn, and opens the first gate.
pub fn open(b: &mut Builder) {
    let others = b.label("others");
    b.mov(NONE, UNIF).setf();
    b.brr(BranchCond::AllZS, others);
    b.nops(3);
    for number in MADE {
        b.srel(number);
    }
    b.bind(others);
}

/// The end of a consumer, which has in r0 how many others wait for it, or -1. Consumer 0 takes back what it made.
pub fn close(b: &mut Builder) {
    let follower = b.label("follower");
    b.mov(NONE, R0).setf();
    b.brr(BranchCond::AllNS, follower);
    b.nops(3);
    // All rounds have been read when these are there.
    for number in [TURNS[0], GATES[0]] {
        b.sacq(number);
    }
    for _ in 1..TURNS.len() {
        b.sacq(ENDED);
    }
    for number in HALVES {
        b.sacq(number);
    }
    b.end();
    b.bind(follower);
    b.srel(ENDED);
    b.end();
}

/// For each consumer: its turn, 4 instructions ([`Word::Turn`](crate::fft::coop::Word::Turn)).
pub fn await_turn(b: &mut Builder, back: Label) {
    for turn in TURNS {
        b.brr(BranchCond::Always, back);
        b.sacq(turn);
        b.nops(2);
    }
}

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

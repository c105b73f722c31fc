//! Which semaphore is what ([`crate::fft::relay`]), and what waits for them.

use crate::fft::relay::Relay;
use crate::generate::fft::coop::pipeline::semaphore::HALVES;
use crate::generate::{Builder, Label, NONE, R0, R2, UNIF};
use crate::isa::BranchCond;

/// Locks of the rows of producers.
const LOCKS: [u8; 2] = [0, 1];
/// Units whose half is stored.
pub const STORED: [u8; 2] = [2, 5];
/// Turn of a consumer to look up.
const TURNS: [u8; 4] = [6, 7, 8, 9];
const ENDED: u8 = 13;
/// Producers at the barrier, and its gates.
const ARRIVED: u8 = 10;
const GATES: [u8; 2] = [11, 12];

/// What consumer 0 makes, and takes back.
const MADE: [u8; 5] = [LOCKS[0], LOCKS[1], HALVES[0], HALVES[1], TURNS[0]];

/// Consumer 0, whose next uniform is not 0, makes locks and the first turn.
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
    for _ in 1..TURNS.len() {
        b.sacq(ENDED);
    }
    for number in MADE {
        b.sacq(number);
    }
    b.end();
    b.bind(follower);
    b.srel(ENDED);
    b.end();
}

/// For each lock: takes it, 4 instructions ([`Word::Turn`](crate::fft::coop::Word::Turn)).
pub fn take(b: &mut Builder, back: Label) {
    for lock in LOCKS {
        b.brr(BranchCond::Always, back);
        b.sacq(lock);
        b.nops(2);
    }
}

/// The same: gives it back.
pub fn give_back(b: &mut Builder, back: Label) {
    for lock in LOCKS {
        b.brr(BranchCond::Always, back);
        b.srel(lock);
        b.nops(2);
    }
}

/// What consumers wait for at the beginning of a round ([`crate::fft::coop::PartWord::Await`]): their turn; consumer 0
/// before that, at the beginning of a half, all units.
pub fn await_turn(b: &mut Builder, back: Label) {
    for turn in TURNS {
        b.brr(BranchCond::Always, back);
        b.sacq(turn);
        b.nops(2);
    }
    for (stored, name) in STORED.into_iter().zip(["count-0", "count-1"]) {
        b.mov(R2, Relay::PRODUCERS as i32 - 1);
        let again = b.here(name);
        for _ in 0..Relay::UNITS {
            b.sacq(stored);
        }
        b.sub(R2, R2, 1).setf();
        b.brr(BranchCond::AllNC, again);
        b.nops(3);
        b.brr(BranchCond::Always, back);
        b.sacq(TURNS[0]);
        b.nops(2);
    }
}

/// For each consumer: the next one may look up, 4 instructions ([`Word::Turn`](crate::fft::coop::Word::Turn)).
pub fn pass_on(b: &mut Builder, back: Label) {
    for consumer in 0..TURNS.len() {
        b.brr(BranchCond::Always, back);
        b.srel(TURNS[(consumer + 1) % TURNS.len()]);
        b.nops(2);
    }
}

/// The barrier of producers: once through each gate, so that none can take another's token. The leader has
/// 0 in r2.
pub fn barrier(b: &mut Builder, back: Label) {
    let follower = b.label("follower-at-barrier");
    b.mov(NONE, R2).setf();
    b.brr(BranchCond::AllZC, follower);
    b.nops(3);
    for gate in GATES {
        for _ in 1..Relay::PRODUCERS {
            b.sacq(ARRIVED);
        }
        for _ in 1..Relay::PRODUCERS {
            b.srel(gate);
        }
    }
    b.brr(BranchCond::Always, back);
    b.nops(3);
    b.bind(follower);
    b.srel(ARRIVED);
    b.sacq(GATES[0]);
    b.srel(ARRIVED);
    b.brr(BranchCond::Always, back);
    b.sacq(GATES[1]);
    b.nops(2);
}

//! Which semaphore is what ([`crate::fft::relay`]), and what waits for them.

use crate::fft::relay::Relay;
use crate::generate::fft::coop::roles::semaphore::{HALVES, ways};
use crate::generate::{Builder, Label, NONE, R2};
use crate::isa::{BranchCond, SemaphoreAction};

/// Locks of the rows of producers.
pub const LOCKS: [u8; 2] = [0, 1];
/// Units whose half is stored.
pub const STORED: [u8; 2] = [2, 5];
/// Turn of a consumer to look up.
pub const TURNS: [u8; 4] = [6, 7, 8, 9];
/// Consumers that have ended.
pub const ENDED: u8 = 13;
/// Producers at the barrier, and its gates.
const ARRIVED: u8 = 10;
const GATES: [u8; 2] = [11, 12];

/// What consumer 0 makes, and takes back.
pub const MADE: [u8; 5] = [LOCKS[0], LOCKS[1], HALVES[0], HALVES[1], TURNS[0]];

/// What consumers wait for at the beginning of a round ([`crate::fft::coop::PartWord::Await`]): their turn; consumer 0
/// before that, at the beginning of a half, all units.
pub fn await_turn(b: &mut Builder, back: Label) {
    ways(b, SemaphoreAction::Decrement, TURNS, back);
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

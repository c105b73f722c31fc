//! Which semaphore is what ([`crate::fft::pipeline`]), and how consumers begin and end.

use crate::generate::{Builder, Label, NONE, R0, UNIF};
use crate::isa::BranchCond;

/// Producers whose vectors of a round are in the VPM.
pub const WRITTEN: u8 = 0;
/// Producers that may write the next round: in turn.
pub const GATES: [u8; 2] = [1, 2];
/// Locks of the halves of output.
pub const HALVES: [u8; 2] = [3, 4];
/// Turn of a consumer.
pub const TURNS: [u8; 4] = [5, 6, 7, 8];
const ENDED: u8 = 9;

/// Consumer 0, whose next uniform is not 0, makes locks and the first turn.
pub fn open(b: &mut Builder) {
    let others = b.label("others");
    b.mov(NONE, UNIF).setf();
    b.brr(BranchCond::AllZS, others);
    b.nops(3);
    for number in [HALVES[0], HALVES[1], TURNS[0]] {
        b.srel(number);
    }
    b.bind(others);
}

/// The end of a consumer, which has in r0 how many others there are. Consumer 0 takes back what it made.
pub fn close(b: &mut Builder) {
    let [follower, closed] = ["follower", "closed"].map(|name| b.label(name));
    b.mov(NONE, R0).setf();
    b.brr(BranchCond::AllNS, follower);
    b.nops(3);
    let collect = b.here("collect");
    b.sub(R0, R0, 1).setf();
    b.brr(BranchCond::AllNS, closed);
    b.nops(3);
    b.brr(BranchCond::Always, collect);
    b.sacq(ENDED);
    b.nops(2);
    b.bind(closed);
    for number in [HALVES[0], HALVES[1], TURNS[0]] {
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

/// For each consumer: producers may write the next round, which is the next one's; 2 instructions more than there
/// are producers.
pub fn pass_on(b: &mut Builder, producers: u32, back: Label) {
    for consumer in 0..TURNS.len() {
        let gate = GATES[(consumer + 1) % 2];
        for _ in 2..producers {
            b.srel(gate);
        }
        b.brr(BranchCond::Always, back);
        b.srel(gate);
        b.srel(gate);
        b.srel(TURNS[(consumer + 1) % TURNS.len()]);
    }
}

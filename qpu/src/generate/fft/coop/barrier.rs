//! A barrier of the QPUs that share a transform: they arrive, the leader lets all go on.
//!
//! Every follower counts ARRIVED up and then a gate down; the leader counts ARRIVED down once for each
//! follower and then the gate up as often. Who has gone on cannot meet that gate again before the
//! leader has gone through the other one: so no follower can take another's token. All semaphores are
//! 0 when all have passed.
//!
//! What comes before must have read the VPM in the end: only that says that its writes are in it.

use crate::generate::{Builder, Label};
use crate::isa::BranchCond;

const ARRIVED: u8 = 0;
/// Gates of two barriers in turn: from writes to reads, and from one transform to the next.
pub const GATES: [u8; 2] = [1, 2];

/// Followers go their own way, three instructions later.
pub fn part(b: &mut Builder, follower: Label) {
    b.brr(BranchCond::AllZC, follower);
}

/// The leader's part, in line; gives where followers come back.
pub fn lead(b: &mut Builder, sharers: u32, gate: u8, joined: Label) {
    for _ in 1..sharers {
        b.sacq(ARRIVED);
    }
    for _ in 1..sharers {
        b.srel(gate);
    }
    b.bind(joined);
}

/// The followers' part, out of line.
pub fn follow(b: &mut Builder, gate: u8, joined: Label) {
    b.srel(ARRIVED);
    b.brr(BranchCond::Always, joined);
    b.sacq(gate);
    b.nops(2);
}

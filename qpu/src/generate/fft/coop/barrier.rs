//! A barrier of the QPUs that share a transform: they arrive, the leader lets all go on.
//!
//! Every follower counts ARRIVED up and then GO down; the leader counts ARRIVED down once for each
//! follower and then GO up as often. Who has gone on cannot meet the GO of the same barrier again, so
//! no follower can take another's token; both semaphores are 0 when all have passed. A second barrier
//! needs a GO of its own: a fast follower would take the token of a slow one.
//!
//! What comes before must have read the VPM in the end: only that says that its writes are in it.

use crate::fft::coop::Word;
use crate::generate::fft::draft::Draft;
use crate::generate::schedule::{Destination, Operation, Source};
use crate::generate::{Builder, Label};
use crate::isa::BranchCond;

const ARRIVED: u8 = 0;
const GO: u8 = 1;

/// Flags by which the parts are told: Z in the leader only. They stay until the barrier.
pub fn set_flags(draft: &mut Draft<Word>) {
    let follows = Source::Uniform(Word::Follows);
    draft.push(Operation::copy(follows, Destination::Nothing).setting_flags());
}

/// Followers go their own way, three instructions later.
pub fn part(b: &mut Builder, follower: Label) {
    b.brr(BranchCond::AllZC, follower);
}

/// The leader's part, in line; gives where followers come back.
pub fn lead(b: &mut Builder, programs: u32) -> Label {
    for _ in 1..programs {
        b.sacq(ARRIVED);
    }
    for _ in 1..programs {
        b.srel(GO);
    }
    b.here("joined")
}

/// The followers' part, out of line.
pub fn follow(b: &mut Builder, joined: Label) {
    b.srel(ARRIVED);
    b.brr(BranchCond::Always, joined);
    b.sacq(GO);
    b.nops(2);
}

//! The locks of the two halves of the VPM, for programs that are alone with their transforms.
//!
//! Semaphores 0 and 1 are the locks (1: free), 2 counts programs that have ended. All are 0 at
//! rest: the program that made the locks takes them back when all others have ended.

use crate::generate::{Builder, NONE, R0, Reg, UNIF};
use crate::isa::BranchCond;

/// The lock of the half through which rows and columns are exchanged.
pub const EXCHANGE: u8 = 0;
/// The lock of the half through which output goes.
pub const OUTPUT: u8 = 1;
const ENDED: u8 = 2;

/// Makes them once, if `opens` is not 0; then it is.
pub fn open(b: &mut Builder, opens: Reg) {
    let others = b.label("others");
    b.mov(NONE, opens).setf();
    b.brr(BranchCond::AllZS, others);
    b.nop();
    b.mov(opens, 0);
    b.nop();
    for lock in [EXCHANGE, OUTPUT] {
        b.srel(lock);
    }
    b.bind(others);
}

/// Reads how many others there are.
pub fn peers(b: &mut Builder) {
    b.mov(R0, UNIF);
}

/// The end of the program, after [`peers`].
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
    for lock in [EXCHANGE, OUTPUT] {
        b.sacq(lock);
    }
    b.end();
    b.bind(follower);
    b.srel(ENDED);
    b.end();
}

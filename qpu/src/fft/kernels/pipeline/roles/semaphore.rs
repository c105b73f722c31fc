//! The beginning and end of consumers, and ways to what one of several waits for or signals.

use crate::generate::{Builder, Label, NONE, R0, UNIF};
use crate::isa::BranchCond;

/// Locks of the halves of output.
pub const HALVES: [u8; 2] = [3, 4];

/// Consumer 0, whose next uniform is not 0, makes what is `made` at the start: locks, and what lets
/// the first go on.
pub fn open(b: &mut Builder, made: &[u8]) {
    let others = b.label("others");
    b.mov(NONE, UNIF).setf();
    b.brr(BranchCond::AllZS, others);
    b.nops(3);
    for &number in made {
        b.srel(number);
    }
    b.bind(others);
}

/// The end of a consumer, which has in r0 a number, or -1 if it is a follower. Consumer 0 takes
/// back what `first` does and, when all `others` have counted `ended`, what it `made`.
pub fn close(
    b: &mut Builder,
    follower: Label,
    (ended, others): (u8, usize),
    made: &[u8],
    first: impl FnOnce(&mut Builder),
) {
    b.mov(NONE, R0).setf();
    b.brr(BranchCond::AllNS, follower);
    b.nops(3);
    first(b);
    for _ in 0..others {
        b.sacq(ended);
    }
    for &number in made {
        b.sacq(number);
    }
    b.end();
    b.bind(follower);
    b.srel(ended);
    b.end();
}

/// For each semaphore: waits for it, and goes `back`; 4 instructions
/// ([`Word::Slot`](crate::fft::kernels::pipeline::uniforms::Word::Slot)).
pub fn ways(b: &mut Builder, semaphores: impl IntoIterator<Item = u8>, back: Label) {
    for number in semaphores {
        b.brr(BranchCond::Always, back);
        b.sacq(number);
        b.nops(2);
    }
}

//! Semaphores of a pipeline ([`crate::kernels::pipeline::layout`]), and the code by which
//! producers go through gates and consumers pass their slots on.

use crate::kernels::pipeline::Pipeline;
use crate::kernels::pipeline::roles::{self, HALVES};
use qpu::generate::{Builder, Label, NONE, R0, RD_SETUP, Reg, VPM, ra};
use qpu::isa::BranchCond;

/// Producers whose vectors of a round are in the VPM.
pub const WRITTEN: u8 = 0;
/// The right to write a round, in turn: a producer that has written hands it on to the next. Two of
/// each group.
pub const GATES: [u8; 8] = [1, 2, 10, 11, 12, 13, 14, 15];
/// The slot of a consumer: its right to the next round.
pub const SLOTS: [u8; 4] = [5, 6, 7, 8];
/// Consumers that have ended.
pub const ENDED: u8 = 9;
/// Semaphores that are made at the start.
pub const MADE: [u8; 4] = [HALVES[0], HALVES[1], SLOTS[0], GATES[0]];

/// Register of file A that says which of the ways a program takes.
pub const WAY: u8 = 16;
/// And where such a way of a producer goes back to; both are even.
pub const LINK: u8 = 18;

/// For each consumer: waits for its slot, and goes `back`; [`Pipeline::WAY`] instructions.
pub fn await_slots(b: &mut Builder, back: Label) {
    for slot in SLOTS {
        b.brr(BranchCond::Always, back);
        b.sacq(slot);
        b.nops(2);
    }
}

/// For each way: all producers have written a round, whose gate the consumer closes; it opens that
/// of the next round, which is the next consumer's.
pub fn pass_on(b: &mut Builder, pipeline: Pipeline, back: Label) {
    for [closes, opens, slot] in pipeline.ways_on() {
        b.sacq(GATES[closes as usize]);
        b.brr(BranchCond::Always, back);
        b.srel(GATES[opens as usize]);
        b.srel(SLOTS[slot as usize]);
        b.nop();
    }
}

/// Labels of the ways of producers: to the gate of a round, and from what is written on.
#[derive(Clone, Copy)]
pub struct Gates {
    pub enter: Label,
    pub leave: Label,
    /// Setup of the read that waits for writes.
    drain: Reg,
    /// The ways to both gates together.
    pub both: Reg,
}

impl Gates {
    pub fn new(b: &mut Builder, [drain, both]: [Reg; 2]) -> Self {
        let [enter, leave] = ["to-gate", "from-gate"].map(|name| b.label(name));
        Self {
            enter,
            leave,
            drain,
            both,
        }
    }

    /// A branch to the way of this round.
    pub fn call(b: &mut Builder, way: Label) {
        b.brr(BranchCond::Always, way).plus(ra(WAY)).link(ra(LINK));
    }

    /// Writes the code that is called: a producer that leaves a gate lets the next producer write,
    /// waits until its own writes are in the VPM (HW-2497), signals the consumer, and goes over to
    /// its other gate.
    pub fn put(self, b: &mut Builder, pipeline: Pipeline) {
        let gates = &GATES[..2 * pipeline.groups() as usize];
        b.bind(self.enter);
        for &gate in gates {
            b.bra(BranchCond::Always, ra(LINK));
            b.sacq(gate);
            b.nops(2);
        }
        let left = b.label("left");
        b.bind(self.leave);
        for &gate in gates {
            b.brr(BranchCond::Always, left);
            b.srel(gate);
            b.mov(RD_SETUP, self.drain);
            b.mov(NONE, VPM);
        }
        b.bind(left);
        b.bra(BranchCond::Always, ra(LINK));
        b.srel(WRITTEN);
        b.sub(ra(WAY), self.both, ra(WAY));
        b.nop();
    }
}

/// The end of a consumer, which has in r0 which way takes back the slot and the gate that are left,
/// or -1. A consumer without a round comes to `follower`.
pub fn close(b: &mut Builder, pipeline: Pipeline, follower: Label) {
    let others = (ENDED, SLOTS.len() - 1);
    if pipeline.groups() == 1 {
        return roles::close(b, follower, others, &MADE, |_| {});
    }
    roles::close(b, follower, others, &HALVES, |b| {
        let [take_back, taken] = ["take-back", "taken"].map(|name| b.label(name));
        b.mov(ra(WAY), R0);
        b.nops(2);
        b.brr(BranchCond::Always, take_back).plus(ra(WAY));
        b.nops(3);
        b.bind(take_back);
        for [slot, gate] in pipeline.left() {
            b.brr(BranchCond::Always, taken);
            b.sacq(SLOTS[slot as usize]);
            b.sacq(GATES[gate as usize]);
            b.nop();
        }
        b.bind(taken);
    });
}

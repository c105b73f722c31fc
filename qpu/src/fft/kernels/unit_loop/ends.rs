//! The beginning and end of programs: the locks of the VPM, code that is fetched ahead, which
//! programs wait for which.

use super::{ENDED, GATES, UnitProgram};
use crate::fft::kernels::program::Tail;
use crate::generate::codelet::lookups::{LOOKUP_BYTES, look_up_lines};
use crate::generate::codelet::register;
use crate::generate::{Builder, ELEM_NUM, NONE, R0, R1, R2, UNIF, UNIFORMS_ADDRESS, ra, rb};
use crate::isa::BranchCond;

/// Lookups for the code of the next pass: no program is shorter than 3 KiB, and lists follow the
/// last.
const NEXT_LOOKUPS: u32 = 4;

impl UnitProgram {
    /// The leader makes the locks, and has the code brought into the L2C: QPUs that start on code
    /// which is in no cache wait for memory 60 times, one line after the other.
    pub(super) fn open(&self, b: &mut Builder, lookups: u32) {
        let others = b.label("others");
        b.mov(NONE, UNIF).setf(); // Opens
        b.mov(R1, UNIF); // Code
        b.brr(BranchCond::AllZS, others);
        b.shl(R0, ELEM_NUM, 6 - 1);
        b.add(R0, R0, R0);
        b.add(R0, R0, R1);
        b.srel(0);
        b.srel(1);
        b.ldi(R2, LOOKUP_BYTES);
        look_up_lines(b, R0, R2, lookups);
        b.bind(others);
    }

    /// Waits for the other programs, and goes on or ends.
    pub(super) fn end(&self, b: &mut Builder) -> Vec<Tail> {
        let [peers, gate, next_start, next_code] = [rb(0), rb(1), ra(1), ra(2)];
        let [follower, collected, go_on, gate_1, wait, wait_1, leave] = [
            "follower",
            "collected",
            "go-on",
            "gate-1",
            "wait",
            "wait-1-go",
            "leave",
        ]
        .map(|name| b.label(name));
        b.mov(UNIFORMS_ADDRESS, register(self.records));
        b.nops(2);
        b.mov(gate, UNIF);
        b.mov(next_start, UNIF);
        b.mov(next_code, UNIF);
        b.mov(peers, UNIF).setf();
        b.brr(BranchCond::AllNS, follower);
        b.nops(2);
        b.mov(R0, peers);

        // The leader has the next pass's code brought into the L2C, and waits for all others.
        let here = b.label("here");
        b.mov(NONE, next_code).setf();
        b.brr(BranchCond::AllZS, here);
        b.shl(R1, ELEM_NUM, 6 - 1);
        b.add(R1, R1, R1);
        b.add(R1, R1, next_code);
        b.ldi(R2, LOOKUP_BYTES);
        look_up_lines(b, R1, R2, NEXT_LOOKUPS);
        b.bind(here);
        let collect = b.here("collect");
        b.sub(R0, R0, 1).setf();
        b.brr(BranchCond::AllNS, collected);
        b.nops(3);
        b.brr(BranchCond::Always, collect);
        b.sacq(ENDED);
        b.nops(2);
        b.bind(collected);
        b.mov(NONE, next_code).setf();
        b.brr(BranchCond::AllZC, go_on);
        b.nops(3);
        b.sacq(0);
        b.sacq(1);
        b.end();
        b.bind(go_on);
        b.mov(NONE, gate).setf();
        b.brr(BranchCond::AllZC, gate_1);
        b.nops(2);
        b.mov(R0, peers);
        for (index, gate) in GATES.into_iter().enumerate() {
            if index == 1 {
                b.bind(gate_1);
            }
            let again = b.here(["open-0", "open-1"][index]);
            b.sub(R0, R0, 1).setf();
            b.brr(BranchCond::AllNS, leave);
            b.nops(3);
            b.brr(BranchCond::Always, again);
            b.srel(gate);
            b.nops(2);
        }

        b.bind(follower);
        b.srel(ENDED);
        b.mov(NONE, next_code).setf();
        b.brr(BranchCond::AllZC, wait);
        b.nops(3);
        b.end();
        b.bind(wait);
        b.mov(NONE, gate).setf();
        b.brr(BranchCond::AllZC, wait_1);
        b.nops(3);
        b.brr(BranchCond::Always, leave);
        b.sacq(GATES[0]);
        b.nops(2);
        b.bind(wait_1);
        b.sacq(GATES[1]);
        b.bind(leave);
        b.mov(UNIFORMS_ADDRESS, next_start);
        b.bra(BranchCond::Always, next_code);
        b.nops(3);
        vec![Tail::Gate, Tail::NextStart, Tail::NextCode, Tail::Peers]
    }
}

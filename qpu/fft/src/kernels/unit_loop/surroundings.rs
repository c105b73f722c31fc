//! The beginning and end of programs (the locks of the VPM, code that is fetched ahead, which
//! programs wait for which), and the store of a unit: rows into the program's half of the VPM under
//! its lock, and from there to memory.

use super::assemble::Rows;
use super::{ENDED, GATES, UnitProgram};
use crate::codelet::lookups::{LOOKUP_BYTES, look_up_lines};
use crate::codelet::register;
use crate::kernels::program::Tail;
use qpu::generate::schedule::Place;
use qpu::generate::{
    Builder, ELEM_NUM, Label, NONE, R0, R1, R2, R3, Reg, ST_ADDR, ST_WAIT, UNIF, UNIFORMS_ADDRESS,
    VPM, WR_SETUP, ra, rb,
};
use qpu::isa::BranchCond;
use qpu::vpm::Store;

/// Instructions of a store that both branches of the lock hold.
const SHARED: usize = 3;
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
        lines_of_lanes(b, R0, R1);
        b.srel(0);
        b.srel(1);
        b.ldi(R2, LOOKUP_BYTES);
        look_up_lines(b, R0, R2, lookups);
        b.bind(others);
    }

    /// Waits for the other programs, and goes on or ends.
    pub(super) fn end(&self, b: &mut Builder) -> Vec<Tail> {
        let [peers, gate, next_start, next_code] = [rb(0), rb(1), ra(1), ra(2)];
        let [follower, collected, go_on] =
            ["follower", "collected", "go-on"].map(|name| b.label(name));
        let [gate_1, wait, wait_1, leave] =
            ["gate-1", "wait", "wait-1-go", "leave"].map(|name| b.label(name));
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
        lines_of_lanes(b, R1, next_code);
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

    /// Writes the rows into the program's area and stores them.
    /// Gives where rows are stored one by one, and where that goes on.
    pub(super) fn store(&self, b: &mut Builder, rows: &Rows) -> Option<[Label; 2]> {
        let Rows { outputs, factors } = rows;
        let area = register(self.area);
        let write = |b: &mut Builder, step: usize| {
            if step == 0 {
                b.mov(WR_SETUP, register(self.write_setup));
                return;
            }
            let output = register(outputs[step - 1]);
            match factors {
                Some(_) => b.fmul(VPM, output, [R2, R3][step % 2]),
                None => b.mov(VPM, output),
            };
        };
        let [second, write_rest] = ["area-1", "write"].map(|name| b.label(name));
        b.mov(NONE, area).setf();
        b.brr(BranchCond::AllZC, second);
        match factors {
            Some([first, second]) => {
                b.mov(R3, register(*first));
                b.mov(R2, register(*second));
            }
            None => b.nops(2),
        }
        b.nop();
        b.sacq(0);
        b.brr(BranchCond::Always, write_rest);
        (0..SHARED).for_each(|step| write(b, step));
        b.bind(second);
        b.sacq(1);
        (0..SHARED).for_each(|step| write(b, step));
        b.bind(write_rest);
        (SHARED..=outputs.len()).for_each(|step| write(b, step));
        if self.listed > 0 {
            b.ldi(R0, 8 * u32::from(self.listed));
            b.sub(R0, register(self.records), R0);
            b.mov(UNIFORMS_ADDRESS, R0);
            b.nops(2);
        }
        for _ in 0..self.listed {
            b.mov(WR_SETUP, UNIF);
            b.mov(ST_ADDR, UNIF);
        }
        let stores = self.store_setups.iter().zip(&self.stores);
        let far = self.branch_if_far(b);
        for (setup, address) in stores {
            b.mov(WR_SETUP, register(*setup));
            b.mov(ST_ADDR, register(*address));
        }
        if let Some([_, back]) = far {
            b.bind(back);
            b.mov(NONE, area).setf();
        }
        let [second, stored] = ["wait-1", "stored"].map(|name| b.label(name));
        b.brr(BranchCond::AllZC, second);
        b.nops(3);
        b.mov(NONE, ST_WAIT);
        b.brr(BranchCond::Always, stored);
        b.srel(0);
        b.nops(2);
        b.bind(second);
        b.mov(NONE, ST_WAIT);
        b.srel(1);
        b.bind(stored);
        far
    }

    /// A branch to where rows are stored one by one, if they may be, and where that goes on. The
    /// instruction that follows is in its last delay slot.
    pub(super) fn branch_if_far(&self, b: &mut Builder) -> Option<[Label; 2]> {
        let pitch = self.pitch?;
        let labels = ["one-by-one", "begun"].map(|name| b.label(name));
        b.mov(NONE, register(pitch)).setf();
        b.brr(BranchCond::AllNC, labels[0]);
        b.nops(2);
        Some(labels)
    }

    /// Stores rows one by one: those that lie further apart than a stride can say.
    pub(super) fn store_far(&self, b: &mut Builder, [far, back]: [Label; 2]) {
        let Some(pitch) = self.pitch else {
            return;
        };
        b.bind(far);
        let stores = self.store_setups.iter().zip(&self.stores);
        for (number, ((setup, address), store)) in stores.zip(&self.fixed).enumerate() {
            let all = store.setup().expect("inside the VPM");
            let one = Store { rows: 1, ..*store };
            let one = one.setup().expect("inside the VPM");
            b.ldi(R0, all ^ one);
            b.xor(R0, R0, register(*setup));
            put_rows(b, store.rows, *address, pitch, ["row-0", "row-1"][number]);
        }
        b.brr(BranchCond::Always, back);
        b.nops(3);
    }
}

/// Addresses of a line of code for each lane, from `code` on.
fn lines_of_lanes(b: &mut Builder, lines: Reg, code: Reg) {
    b.shl(lines, ELEM_NUM, 6 - 1);
    b.add(lines, lines, lines);
    b.add(lines, lines, code);
}

/// Stores rows one by one, the first with the setup in r0; r1 to r3 are used up.
pub(super) fn put_rows(b: &mut Builder, rows: u8, address: Place, pitch: Place, name: &str) {
    b.mov(R1, register(address));
    b.ldi(R3, u32::from(rows));
    b.ldi(R2, 1 << 7); // a row of the VPM further
    let again = b.here(name);
    b.mov(WR_SETUP, R0);
    b.mov(ST_ADDR, R1);
    b.sub(R3, R3, 1).setf();
    b.brr(BranchCond::AnyZC, again);
    b.add(R0, R0, R2);
    b.add(R1, R1, register(pitch));
    b.nop();
}

//! The store of a unit: rows into the program's half of the VPM under its lock, and from there to
//! memory.

use super::UnitProgram;
use crate::generate::codelet::register;
use crate::generate::schedule::Place;
use crate::generate::{
    Builder, Label, NONE, R0, R1, R2, R3, ST_ADDR, ST_WAIT, UNIF, UNIFORMS_ADDRESS, VPM, WR_SETUP,
};
use crate::isa::BranchCond;
use crate::vpm::Store;

/// Instructions of a store that both branches of the lock hold.
const SHARED: usize = 3;

impl UnitProgram {
    /// Writes the rows into the program's area and stores them.
    /// Gives where rows are stored one by one, and where that goes on.
    pub(super) fn store(
        &self,
        b: &mut Builder,
        outputs: &[Place],
        factors: Option<[Place; 2]>,
    ) -> Option<(Label, Label)> {
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
                b.mov(R3, register(first));
                b.mov(R2, register(second));
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
        let far = self.pitch.map(|pitch| {
            let [far, back] = ["one-by-one", "begun"].map(|name| b.label(name));
            b.mov(NONE, register(pitch)).setf();
            b.brr(BranchCond::AllNC, far);
            b.nops(2);
            (far, back)
        });
        // The first setup is in the branch's last delay slot.
        for (setup, address) in stores {
            b.mov(WR_SETUP, register(*setup));
            b.mov(ST_ADDR, register(*address));
        }
        if let Some((_, back)) = far {
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

    /// Stores rows one by one: those that lie further apart than a stride can say.
    pub(super) fn store_far(&self, b: &mut Builder, far: Label, back: Label) {
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

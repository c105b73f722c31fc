//! Code that is brought into the L2C by lookups, before QPUs come to it.

use qpu::generate::{Builder, Reg, TMU0_S, TMU1_S};

/// Bytes of code that a lookup of sixteen lines covers.
pub const LOOKUP_BYTES: u32 = 1024;

/// Looks up sixteen lines at a time, from `address` in steps of `step`, and drops them.
pub fn look_up_lines(b: &mut Builder, address: Reg, step: Reg, lookups: u32) {
    for lookup in 0..lookups {
        let tmu = if lookup % 2 == 0 { TMU0_S } else { TMU1_S };
        b.mov(tmu, address);
        b.add(address, address, step);
    }
    drop_lookups(b, lookups);
}

/// Takes lookups from both TMUs in turn, of which nothing is wanted.
pub fn drop_lookups(b: &mut Builder, lookups: u32) {
    for lookup in 0..lookups {
        let line = b.nop();
        if lookup % 2 == 0 {
            line.ldtmu0()
        } else {
            line.ldtmu1()
        };
    }
}

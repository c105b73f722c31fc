//! LDREX, STREX, CLREX and SWP.
//!
//! The local monitor marks one address. On silicon exclusives on memory that is not Normal
//! cacheable may never succeed, which is check 4 of docs/hardware/virtual-pi.md.
//!
//! Source: ARM Architecture Reference Manual (DDI 0100I), A2.9; ARM1176JZF-S TRM, 8.3.

use super::Cpu;
use super::access::Manner;
use super::decode::{Handler, Operation, undefined};

const MANNER: Manner = Manner {
    strict: true,
    user: false,
    exclusive: true,
};

/// SWP and SWPB.
fn swap<const SIZE: u32>(cpu: &mut Cpu, op: &Operation) {
    let address = cpu.r[op.rn as usize & 15];
    let new = cpu.r[op.rm as usize & 15];
    let Some(old) = cpu.load_slow(address, SIZE, MANNER) else {
        return;
    };
    if cpu.store_slow(address, SIZE, new, MANNER).is_some() {
        cpu.r[op.rd as usize & 15] = old;
    }
}

/// LDREX, LDREXB, LDREXH; LDREXD with SIZE 8.
fn load<const SIZE: u32>(cpu: &mut Cpu, op: &Operation) {
    let address = cpu.r[op.rn as usize & 15];
    let rd = op.rd as usize & 15;
    if SIZE == 8 {
        if rd & 1 != 0 || rd == 14 {
            return cpu.undefined();
        }
        if address & 7 != 0 {
            return cpu.data_abort(address, 1, false);
        }
        let Some(low) = cpu.load_slow(address, 4, MANNER) else {
            return;
        };
        let Some(high) = cpu.load_slow(address + 4, 4, MANNER) else {
            return;
        };
        cpu.r[rd] = low;
        cpu.r[rd + 1] = high;
    } else {
        let Some(value) = cpu.load_slow(address, SIZE, MANNER) else {
            return;
        };
        cpu.r[rd] = value;
    }
    cpu.exclusive = Some((address, SIZE));
}

/// STREX, STREXB, STREXH; STREXD with SIZE 8.
fn store<const SIZE: u32>(cpu: &mut Cpu, op: &Operation) {
    let address = cpu.r[op.rn as usize & 15];
    let rm = op.rm as usize & 15;
    if SIZE == 8 && (rm & 1 != 0 || rm == 14) {
        return cpu.undefined();
    }
    if SIZE == 8 && address & 7 != 0 {
        return cpu.data_abort(address, 1, true);
    }
    let marked = cpu.exclusive.take();
    if marked != Some((address, SIZE)) {
        cpu.r[op.rd as usize & 15] = 1;
        return;
    }
    let stored = if SIZE == 8 {
        let (low, high) = (cpu.r[rm], cpu.r[rm + 1]);
        cpu.store_slow(address, 4, low, MANNER)
            .and_then(|()| cpu.store_slow(address + 4, 4, high, MANNER))
    } else {
        cpu.store_slow(address, SIZE, cpu.r[rm], MANNER)
    };
    if stored.is_some() {
        cpu.r[op.rd as usize & 15] = 0;
    }
}

/// The handler; `opcode` is bits 23:20.
pub fn handler(opcode: u32) -> Handler {
    match opcode {
        0x0 => swap::<4>,
        0x4 => swap::<1>,
        0x8 => store::<4>,
        0x9 => load::<4>,
        0xa => store::<8>,
        0xb => load::<8>,
        0xc => store::<1>,
        0xd => load::<1>,
        0xe => store::<2>,
        0xf => load::<2>,
        _ => undefined,
    }
}

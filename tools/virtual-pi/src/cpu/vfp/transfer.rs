//! Moves between the VFP's registers, the ARM's and memory.
//!
//! Source: ARM Architecture Reference Manual (DDI 0100I), C3 and C4.

use super::super::decode::Operation;
use super::super::registers::USR;
use super::{Cpu, EN};

/// The address of FLDS and its kin; r15 counts as the instruction's + 8, word aligned.
#[inline(always)]
fn address_of_one(cpu: &Cpu, op: &Operation) -> u32 {
    let base = if op.rn == 15 {
        cpu.r[15] & !3
    } else {
        cpu.r[op.rn as usize & 15]
    };
    if op.word & 1 << 23 != 0 {
        base.wrapping_add(op.immediate)
    } else {
        base.wrapping_sub(op.immediate)
    }
}

/// FLDS and FLDD.
pub fn load_one<const DOUBLE: bool>(cpu: &mut Cpu, op: &Operation) {
    if !cpu.vfp_enabled() {
        return;
    }
    let address = address_of_one(cpu, op);
    let Some(low) = cpu.load_strict(address) else {
        return;
    };
    if DOUBLE {
        let Some(high) = cpu.load_strict(address.wrapping_add(4)) else {
            return;
        };
        cpu.vfp.s[(op.rd as usize | 1) % 32] = high;
    }
    cpu.vfp.s[op.rd as usize % 32] = low;
}

/// FSTS and FSTD.
pub fn store_one<const DOUBLE: bool>(cpu: &mut Cpu, op: &Operation) {
    if !cpu.vfp_enabled() {
        return;
    }
    let address = address_of_one(cpu, op);
    let stored = cpu.store_strict(address, cpu.vfp.s[op.rd as usize % 32]);
    if DOUBLE && stored.is_some() {
        // An abort has been taken care of.
        let _ = cpu.store_strict(
            address.wrapping_add(4),
            cpu.vfp.s[(op.rd as usize | 1) % 32],
        );
    }
}

/// FLDM, FSTM, with the X forms of an odd count.
pub fn load_store_block(cpu: &mut Cpu, op: &Operation) {
    if !cpu.vfp_enabled() {
        return;
    }
    let word = op.word;
    let (before, up, writes_back) = (
        word & 1 << 24 != 0,
        word & 1 << 23 != 0,
        word & 1 << 21 != 0,
    );
    let words = op.immediate as usize / 4;
    let count = if word & 1 << 8 != 0 {
        words & !1
    } else {
        words
    };
    let first = op.rd as usize;
    // Increment after (with or without write-back) and decrement before are all there are.
    if first + count > 32 || before == up || before && !writes_back || op.rn == 15 && writes_back {
        return cpu.undefined();
    }
    let base = cpu.r[op.rn as usize & 15];
    let moved = if up {
        base.wrapping_add(op.immediate)
    } else {
        base.wrapping_sub(op.immediate)
    };
    let mut address = if up { base } else { moved };
    let mut values = cpu.vfp.s;
    for value in &mut values[first..first + count] {
        if word & 1 << 20 != 0 {
            let Some(loaded) = cpu.load_strict(address) else {
                return;
            };
            *value = loaded;
        } else if cpu.store_strict(address, *value).is_none() {
            return;
        }
        address = address.wrapping_add(4);
    }
    cpu.vfp.s = values;
    if writes_back {
        cpu.r[op.rn as usize & 15] = moved;
    }
}

/// FMSR, FMRS, FMDLR, FMDHR and back.
pub fn one_register(cpu: &mut Cpu, op: &Operation) {
    if !cpu.vfp_enabled() {
        return;
    }
    let (arm, vfp) = (op.rd as usize & 15, op.rn as usize & 31);
    if op.word & 1 << 20 != 0 {
        cpu.r[arm] = cpu.vfp.s[vfp];
    } else {
        cpu.vfp.s[vfp] = cpu.r[arm];
    }
}

/// FMSRR, FMDRR and back.
pub fn two_registers(cpu: &mut Cpu, op: &Operation) {
    if !cpu.vfp_enabled() {
        return;
    }
    let is_double = op.word & 1 << 8 != 0;
    let first = if is_double {
        (op.word & 15) as usize * 2
    } else {
        super::single(op.word, 0, 5) as usize
    };
    if first == 31 {
        return cpu.undefined();
    }
    let (low, high) = (op.rd as usize & 15, op.rn as usize & 15);
    if op.word & 1 << 20 != 0 {
        cpu.r[low] = cpu.vfp.s[first];
        cpu.r[high] = cpu.vfp.s[first + 1];
    } else {
        cpu.vfp.s[first] = cpu.r[low];
        cpu.vfp.s[first + 1] = cpu.r[high];
    }
}

/// FMRX, FMXR, FMSTAT.
pub fn system_register(cpu: &mut Cpu, op: &Operation) {
    if !cpu.vfp_accessible() {
        return cpu.undefined();
    }
    let register = op.word >> 16 & 15;
    // The identification registers and FPEXC are reachable while the VFP is off, by the system.
    if register == 1 {
        if !cpu.vfp_enabled() {
            return;
        }
    } else if cpu.mode == USR {
        return cpu.undefined();
    }
    let arm = op.rd as usize & 15;
    if op.word & 1 << 20 != 0 {
        let value = match register {
            0 => 0x4101_20b5,
            1 => cpu.vfp.fpscr,
            6 => 0,
            7 => 0x1111_1111,
            8 => cpu.vfp.fpexc,
            // FPINST and FPINST2: what a bounce leaves; none is ever taken here.
            9 | 10 => 0,
            _ => return cpu.undefined(),
        };
        if arm == 15 {
            cpu.nzcv = value >> 28;
        } else {
            cpu.r[arm] = value;
        }
        return;
    }
    let value = cpu.r[arm];
    match register {
        1 => cpu.write_fpscr(value),
        8 => cpu.vfp.fpexc = value & EN,
        0 | 9 | 10 => {}
        _ => cpu.undefined(),
    }
}

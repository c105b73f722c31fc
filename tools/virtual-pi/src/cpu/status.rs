//! Status registers and the unconditional instructions that go with exceptions.
//!
//! MRS, MSR, CPS, SETEND, SRS, RFE, CLREX, PLD, BKPT.
//!
//! Source: ARM Architecture Reference Manual (DDI 0100I), A4.1 and B1.

use super::Cpu;
use super::decode::Operation;
use super::registers::{CPSR_A, CPSR_F, CPSR_I, SYS, USR, bank};

/// MRS.
pub fn mrs(cpu: &mut Cpu, op: &Operation) {
    let value = if op.word & 1 << 22 == 0 {
        cpu.cpsr()
    } else if matches!(cpu.mode, USR | SYS) {
        return cpu.not_modelled("MRS of the SPSR in a mode that has none");
    } else {
        cpu.banks.spsr[bank(cpu.mode)]
    };
    cpu.r[op.rd as usize & 15] = value;
}

/// MSR of a register.
pub fn msr(cpu: &mut Cpu, op: &Operation) {
    write_status(cpu, op.word, cpu.r[op.rm as usize & 15]);
}

/// MSR of an immediate.
pub fn msr_immediate(cpu: &mut Cpu, op: &Operation) {
    write_status(cpu, op.word, op.immediate);
}

fn write_status(cpu: &mut Cpu, word: u32, value: u32) {
    let mut mask = 0;
    for field in 0..4 {
        if word & 1 << (16 + field) != 0 {
            mask |= 0xff << (8 * field);
        }
    }
    if word & 1 << 22 != 0 {
        if matches!(cpu.mode, USR | SYS) {
            return cpu.not_modelled("MSR to the SPSR in a mode that has none");
        }
        let saved = &mut cpu.banks.spsr[bank(cpu.mode)];
        *saved = *saved & !mask | value & mask;
        return;
    }
    // The execution state bits are not written by MSR.
    mask &= !(1 << 24 | 1 << 5);
    if cpu.mode == USR {
        mask &= 0xf80f_0200;
    }
    cpu.set_cpsr(value, mask);
}

/// BKPT.
pub fn breakpoint(cpu: &mut Cpu, _: &Operation) {
    cpu.breakpoint();
}

/// Everything whose condition field is 15, except coprocessor instructions.
pub fn unconditional(cpu: &mut Cpu, op: &Operation) {
    let word = op.word;
    if word & 0xfff1_0020 == 0xf100_0000 {
        change_state(cpu, word);
    } else if word & 0xffff_fdff == 0xf101_0000 {
        if word & 1 << 9 != 0 {
            cpu.not_modelled("big-endian data accesses (SETEND BE)");
        }
    } else if word & 0xfd70_f000 == 0xf550_f000 {
        // PLD: a hint; the cache model holds only what the program touched.
    } else if word == 0xf57f_f01f {
        cpu.exclusive = None;
    } else if word & 0xfe50_ffff == 0xf810_0a00 {
        return_from_exception(cpu, op);
    } else if word & 0xfe5f_ffe0 == 0xf84d_0500 {
        store_return_state(cpu, word);
    } else if word & 0xfe00_0000 == 0xfa00_0000 {
        cpu.not_modelled("Thumb state (BLX to a label)");
    } else {
        cpu.undefined();
    }
}

/// CPS. Does nothing in user mode.
fn change_state(cpu: &mut Cpu, word: u32) {
    if cpu.mode == USR {
        return;
    }
    let bits = word & (CPSR_A | CPSR_I | CPSR_F);
    let mask = if word & 1 << 19 != 0 { bits } else { 0 };
    let value = if word & 1 << 18 != 0 { bits } else { 0 };
    let mode = if word & 1 << 17 != 0 { 0x1f } else { 0 };
    cpu.set_cpsr(value | word & mode, mask | mode);
}

/// The lower address of the two words that SRS and RFE move, and the base after it.
fn two_words(base: u32, word: u32) -> (u32, u32) {
    let (before, up) = (word & 1 << 24 != 0, word & 1 << 23 != 0);
    let offset: i32 = match (up, before) {
        (true, false) => 0,
        (true, true) => 4,
        (false, false) => -4,
        (false, true) => -8,
    };
    (
        base.wrapping_add_signed(offset),
        base.wrapping_add_signed(if up { 8 } else { -8 }),
    )
}

/// RFE.
fn return_from_exception(cpu: &mut Cpu, op: &Operation) {
    if cpu.mode == USR {
        return cpu.not_modelled("RFE in user mode");
    }
    let base = op.rn as usize & 15;
    let (address, moved) = two_words(cpu.r[base], op.word);
    let Some(pc) = cpu.load_strict(address) else {
        return;
    };
    let Some(status) = cpu.load_strict(address.wrapping_add(4)) else {
        return;
    };
    if op.word & 1 << 21 != 0 {
        cpu.r[base] = moved;
    }
    cpu.set_cpsr(status, !0);
    cpu.next_pc = pc & !3;
}

/// SRS.
fn store_return_state(cpu: &mut Cpu, word: u32) {
    let mode = cpu.mode;
    if matches!(mode, USR | SYS) {
        return cpu.not_modelled("SRS in a mode that has no SPSR");
    }
    let (link, saved) = (cpu.r[14], cpu.banks.spsr[bank(mode)]);
    cpu.set_mode(word & 0x1f);
    let base = cpu.r[13];
    cpu.set_mode(mode);
    let (address, moved) = two_words(base, word);
    if cpu.store_strict(address, link).is_none()
        || cpu.store_strict(address.wrapping_add(4), saved).is_none()
    {
        return;
    }
    if word & 1 << 21 != 0 {
        cpu.set_mode(word & 0x1f);
        cpu.r[13] = moved;
        cpu.set_mode(mode);
    }
}

//! LDM and STM.
//!
//! An abort in the middle leaves the base and all loaded registers as they were (base restored
//! abort model, ARM1176JZF-S TRM 2.12.8); words already stored stay stored.
//!
//! Source: ARM Architecture Reference Manual (DDI 0100I), A5.4.

use super::Cpu;
use super::decode::Operation;
use super::load_store::{PRE, UP, WRITE_BACK};
use super::registers::SYS;

/// Bit in `extra`: user registers, or with r15 in a load a return from an exception.
pub const USER: u8 = 8;

/// The lowest address of the block, and the base after it.
#[inline(always)]
fn block(cpu: &Cpu, op: &Operation) -> (u32, u32) {
    let bytes = op.immediate.count_ones() * 4;
    let base = cpu.r[op.rn as usize & 15];
    let up = op.extra & UP != 0;
    let (lowest, moved) = if up {
        (base, base.wrapping_add(bytes))
    } else {
        (base.wrapping_sub(bytes), base.wrapping_sub(bytes))
    };
    let before = op.extra & PRE != 0;
    (
        if up == before {
            lowest.wrapping_add(4)
        } else {
            lowest
        },
        moved,
    )
}

/// LDM.
pub fn load(cpu: &mut Cpu, op: &Operation) {
    let (mut address, moved) = block(cpu, op);
    let mut loaded = [0; 16];
    let mut list = op.immediate;
    while list != 0 {
        let Some(value) = cpu.load_strict(address) else {
            return;
        };
        loaded[list.trailing_zeros() as usize & 15] = value;
        list &= list - 1;
        address = address.wrapping_add(4);
    }
    let has_pc = op.immediate & 0x8000 != 0;
    let mode = cpu.mode;
    let user_registers = op.extra & USER != 0 && !has_pc;
    if user_registers {
        cpu.set_mode(SYS);
    }
    let mut list = op.immediate & 0x7fff;
    while list != 0 {
        let register = list.trailing_zeros() as usize & 15;
        list &= list - 1;
        cpu.r[register] = loaded[register];
    }
    if user_registers {
        cpu.set_mode(mode);
    }
    if op.extra & WRITE_BACK != 0 && op.immediate >> op.rn & 1 == 0 {
        cpu.r[op.rn as usize & 15] = moved;
    }
    if has_pc {
        if op.extra & USER != 0 {
            cpu.return_from_exception(loaded[15]);
        } else {
            cpu.branch(loaded[15]);
        }
    }
}

/// STM.
pub fn store(cpu: &mut Cpu, op: &Operation) {
    let (mut address, moved) = block(cpu, op);
    let mode = cpu.mode;
    let user_registers = op.extra & USER != 0;
    if user_registers {
        cpu.set_mode(SYS);
    }
    let values = cpu.r;
    if user_registers {
        cpu.set_mode(mode);
    }
    let mut list = op.immediate;
    while list != 0 {
        let value = values[list.trailing_zeros() as usize & 15];
        list &= list - 1;
        if cpu.store_strict(address, value).is_none() {
            return;
        }
        address = address.wrapping_add(4);
    }
    if op.extra & WRITE_BACK != 0 {
        cpu.r[op.rn as usize & 15] = moved;
    }
}

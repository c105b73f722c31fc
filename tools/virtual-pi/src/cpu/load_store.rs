//! Loads and stores of single registers and of pairs.
//!
//! Source: ARM Architecture Reference Manual (DDI 0100I), A5.2 and A5.3.

use super::Cpu;
use super::access::Manner;
use super::alu::shift_constant;
use super::decode::{Handler, Operation, undefined};
use super::registers::C;

/// Bit in `extra`: the offset is added.
pub const UP: u8 = 1;
/// Bit in `extra`: the offset applies before the access.
pub const PRE: u8 = 2;
/// Bit in `extra`: with PRE, writes back; without, user permissions.
pub const WRITE_BACK: u8 = 4;

const LDR: u32 = 0;
const LDRB: u32 = 1;
const LDRH: u32 = 2;
const LDRSB: u32 = 3;
const LDRSH: u32 = 4;
const STR: u32 = 5;
const STRB: u32 = 6;
const STRH: u32 = 7;

/// The address of the access, and the base after it.
#[inline(always)]
fn effective<const REGISTER: bool>(cpu: &Cpu, op: &Operation) -> (u32, u32) {
    let offset = if REGISTER {
        let value = cpu.r[op.rm as usize & 15];
        shift_constant(
            op.immediate & 7,
            value,
            op.immediate >> 8,
            cpu.nzcv & C != 0,
        )
        .0
    } else {
        op.immediate
    };
    let base = cpu.r[op.rn as usize & 15];
    let moved = if op.extra & UP != 0 {
        base.wrapping_add(offset)
    } else {
        base.wrapping_sub(offset)
    };
    (if op.extra & PRE != 0 { moved } else { base }, moved)
}

fn single<const KIND: u32, const REGISTER: bool>(cpu: &mut Cpu, op: &Operation) {
    let (address, moved) = effective::<REGISTER>(cpu, op);
    let writes_back = op.extra & (PRE | WRITE_BACK) != PRE;
    if op.extra & (PRE | WRITE_BACK) == WRITE_BACK {
        return as_user::<KIND>(cpu, op, address, moved);
    }
    let rd = op.rd as usize & 15;
    let loaded = match KIND {
        LDR => cpu.load::<4>(address),
        LDRB => cpu.load::<1>(address),
        LDRH => cpu.load::<2>(address),
        LDRSB => cpu.load::<1>(address).map(|value| value as i8 as u32),
        LDRSH => cpu.load::<2>(address).map(|value| value as i16 as u32),
        STR => cpu.store::<4>(address, cpu.r[rd]).map(|()| 0),
        STRB => cpu.store::<1>(address, cpu.r[rd]).map(|()| 0),
        _ => cpu.store::<2>(address, cpu.r[rd]).map(|()| 0),
    };
    let Some(value) = loaded else { return };
    if writes_back {
        cpu.r[op.rn as usize & 15] = moved;
    }
    if KIND < STR {
        if rd == 15 {
            cpu.branch(value);
        } else {
            cpu.r[rd] = value;
        }
    }
}

/// LDRT, LDRBT, STRT, STRBT.
#[cold]
fn as_user<const KIND: u32>(cpu: &mut Cpu, op: &Operation, address: u32, moved: u32) {
    let manner = Manner {
        user: true,
        ..Manner::default()
    };
    let rd = op.rd as usize & 15;
    let size = if matches!(KIND, LDRB | STRB) { 1 } else { 4 };
    let loaded = match KIND {
        LDR | LDRB => cpu.load_slow(address, size, manner),
        STR | STRB => cpu.store_slow(address, size, cpu.r[rd], manner).map(|()| 0),
        _ => return cpu.undefined(),
    };
    let Some(value) = loaded else { return };
    cpu.r[op.rn as usize & 15] = moved;
    if KIND < STR {
        cpu.r[rd] = value;
    }
}

fn pair<const LOAD: bool, const REGISTER: bool>(cpu: &mut Cpu, op: &Operation) {
    let (address, moved) = effective::<REGISTER>(cpu, op);
    let writes_back = op.extra & (PRE | WRITE_BACK) != PRE;
    let rd = op.rd as usize & 15;
    if rd & 1 != 0 || rd == 14 {
        return cpu.undefined();
    }
    if LOAD {
        let Some(low) = cpu.load_strict(address) else {
            return;
        };
        let Some(high) = cpu.load_strict(address.wrapping_add(4)) else {
            return;
        };
        if writes_back {
            cpu.r[op.rn as usize & 15] = moved;
        }
        cpu.r[rd] = low;
        cpu.r[rd + 1] = high;
    } else {
        let (low, high) = (cpu.r[rd], cpu.r[rd + 1]);
        if cpu.store_strict(address, low).is_none()
            || cpu.store_strict(address.wrapping_add(4), high).is_none()
        {
            return;
        }
        if writes_back {
            cpu.r[op.rn as usize & 15] = moved;
        }
    }
}

/// The handler of a word or byte transfer.
pub fn word_or_byte(load: bool, byte: bool, register: bool) -> Handler {
    match (load, byte, register) {
        (true, false, false) => single::<LDR, false>,
        (true, false, true) => single::<LDR, true>,
        (true, true, false) => single::<LDRB, false>,
        (true, true, true) => single::<LDRB, true>,
        (false, false, false) => single::<STR, false>,
        (false, false, true) => single::<STR, true>,
        (false, true, false) => single::<STRB, false>,
        (false, true, true) => single::<STRB, true>,
    }
}

/// The handler of a halfword, signed or doubleword transfer; `kind` is bits 6:5 of the instruction.
pub fn miscellaneous(kind: u32, load: bool, register: bool) -> Handler {
    match (kind, load, register) {
        (1, true, false) => single::<LDRH, false>,
        (1, true, true) => single::<LDRH, true>,
        (1, false, false) => single::<STRH, false>,
        (1, false, true) => single::<STRH, true>,
        (2, true, false) => single::<LDRSB, false>,
        (2, true, true) => single::<LDRSB, true>,
        (3, true, false) => single::<LDRSH, false>,
        (3, true, true) => single::<LDRSH, true>,
        (2, false, false) => pair::<true, false>,
        (2, false, true) => pair::<true, true>,
        (3, false, false) => pair::<false, false>,
        (3, false, true) => pair::<false, true>,
        _ => undefined,
    }
}

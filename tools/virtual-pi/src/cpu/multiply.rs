//! Multiplication, the 16-bit signed multiplies and saturating addition.
//!
//! In the plain multiplies `rd` is the (high) destination and `rn` the low one or the addend, as
//! decode swaps them; in the others the fields have the positions that the manual draws.
//!
//! Source: ARM Architecture Reference Manual (DDI 0100I), A3.5 and A4.1.

use super::Cpu;
use super::decode::{Handler, Operation, undefined};
use super::registers::{C, V};

const MUL: u32 = 0;
const MLA: u32 = 1;
const UMAAL: u32 = 2;
const UMLAL: u32 = 5;
const SMULL: u32 = 6;
const SMLAL: u32 = 7;

fn multiply<const KIND: u32, const FLAGS: bool>(cpu: &mut Cpu, op: &Operation) {
    let (m, s) = (cpu.r[op.rm as usize & 15], cpu.r[op.rs as usize & 15]);
    let (d, n) = (op.rd as usize & 15, op.rn as usize & 15);
    if KIND == MUL || KIND == MLA {
        let addend = if KIND == MLA { cpu.r[n] } else { 0 };
        let result = m.wrapping_mul(s).wrapping_add(addend);
        cpu.r[d] = result;
        if FLAGS {
            cpu.set_nz(result);
        }
        return;
    }
    let unsigned = u64::from(m) * u64::from(s);
    let accumulator = u64::from(cpu.r[d]) << 32 | u64::from(cpu.r[n]);
    let result = match KIND {
        UMAAL => unsigned + u64::from(cpu.r[n]) + u64::from(cpu.r[d]),
        SMULL => (i64::from(m as i32) * i64::from(s as i32)) as u64,
        SMLAL => accumulator.wrapping_add((i64::from(m as i32) * i64::from(s as i32)) as u64),
        UMLAL => accumulator.wrapping_add(unsigned),
        _ => unsigned,
    };
    cpu.r[n] = result as u32;
    cpu.r[d] = (result >> 32) as u32;
    if FLAGS {
        cpu.nzcv = cpu.nzcv & (C | V) | u32::from(result == 0) << 2 | ((result >> 63) as u32) << 3;
    }
}

/// The handler of a plain multiply; `opcode` is bits 23:21.
pub fn handler(opcode: u32, flags: bool) -> Handler {
    match (opcode, flags) {
        (0, false) => multiply::<MUL, false>,
        (0, true) => multiply::<MUL, true>,
        (1, false) => multiply::<MLA, false>,
        (1, true) => multiply::<MLA, true>,
        (2, false) => multiply::<UMAAL, false>,
        (4, false) => multiply::<4, false>,
        (4, true) => multiply::<4, true>,
        (5, false) => multiply::<UMLAL, false>,
        (5, true) => multiply::<UMLAL, true>,
        (6, false) => multiply::<SMULL, false>,
        (6, true) => multiply::<SMULL, true>,
        (7, false) => multiply::<SMLAL, false>,
        (7, true) => multiply::<SMLAL, true>,
        _ => undefined,
    }
}

/// SMLAxy, SMLAWy, SMULWy, SMLALxy, SMULxy: rd in 19:16, rn (addend) in 15:12.
pub fn halfword(cpu: &mut Cpu, op: &Operation) {
    let (d, n) = (op.rn as usize & 15, op.rd as usize & 15);
    let (rm, rs) = (cpu.r[op.rm as usize & 15], cpu.r[op.rs as usize & 15]);
    let half = |value: u32, top: bool| {
        i64::from(if top {
            (value as i32 >> 16) as i16
        } else {
            value as i16
        })
    };
    let (x, y) = (op.word & 1 << 5 != 0, op.word & 1 << 6 != 0);
    let product = half(rm, x) * half(rs, y);
    let wide = (i64::from(rm as i32) * half(rs, y)) >> 16;
    match op.word >> 21 & 3 {
        0 => cpu.r[d] = accumulate(cpu, product, n),
        1 if !x => cpu.r[d] = accumulate(cpu, wide, n),
        1 => cpu.r[d] = wide as u32,
        2 => {
            let sum =
                ((u64::from(cpu.r[d]) << 32 | u64::from(cpu.r[n])) as i64).wrapping_add(product);
            cpu.r[n] = sum as u32;
            cpu.r[d] = (sum >> 32) as u32;
        }
        _ => cpu.r[d] = product as u32,
    }
}

/// Adds a register, wrapping, and sets Q on overflow.
fn accumulate(cpu: &mut Cpu, product: i64, register: usize) -> u32 {
    let (sum, overflow) = (product as i32).overflowing_add(cpu.r[register] as i32);
    cpu.saturated |= overflow;
    sum as u32
}

/// QADD, QSUB, QDADD, QDSUB.
pub fn saturating(cpu: &mut Cpu, op: &Operation) {
    let (m, n) = (
        cpu.r[op.rm as usize & 15] as i32,
        cpu.r[op.rn as usize & 15] as i32,
    );
    let mut saturate = |value: i64| {
        let clamped = value.clamp(i64::from(i32::MIN), i64::from(i32::MAX));
        cpu.saturated |= clamped != value;
        clamped
    };
    let doubled = op.word & 1 << 22 != 0;
    let n = if doubled {
        saturate(i64::from(n) * 2)
    } else {
        i64::from(n)
    };
    let m = i64::from(m);
    let result = if op.word & 1 << 21 == 0 {
        saturate(m + n)
    } else {
        saturate(m - n)
    };
    cpu.r[op.rd as usize & 15] = result as u32;
}

/// CLZ.
pub fn count_leading_zeros(cpu: &mut Cpu, op: &Operation) {
    cpu.r[op.rd as usize & 15] = cpu.r[op.rm as usize & 15].leading_zeros();
}

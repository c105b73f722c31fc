//! The ARMv6 media instructions: parallel arithmetic, packing, saturation, reversal, dual
//! multiplies.
//!
//! Source: ARM Architecture Reference Manual (DDI 0100I), A3.2 and A4.1.

use super::Cpu;
use super::decode::Operation;

/// All instructions with bits 27:25 = 3 and bit 4 set.
pub fn execute(cpu: &mut Cpu, op: &Operation) {
    let (opcode, second) = (op.word >> 20 & 0x1f, op.word >> 5 & 7);
    match opcode {
        0x01..=0x03 | 0x05..=0x07 => parallel(cpu, op, opcode, second),
        0x08 if second & 1 == 0 => pack_halfwords(cpu, op),
        0x08 if second == 5 => select(cpu, op),
        _ if opcode & 0x1a == 0x0a && second & 1 == 0 => saturate(cpu, op, opcode & 4 != 0),
        0x0a | 0x0e if second == 1 => saturate_halfwords(cpu, op, opcode & 4 != 0),
        _ if opcode & 0x18 == 0x08 && second == 3 => extend(cpu, op, opcode & 7),
        0x0b | 0x0f if second & 3 == 1 => reverse(cpu, op, opcode, second),
        0x10 | 0x14 if second < 4 => dual_multiply(cpu, op, opcode, second),
        0x15 if matches!(second, 0 | 1 | 6 | 7) => multiply_high(cpu, op, second),
        0x18 if second == 0 => absolute_differences(cpu, op),
        _ => cpu.undefined(),
    }
}

/// Field `index` of `bits` bits, as a signed number or not.
fn field(value: u32, index: u32, bits: u32, signed: bool) -> i32 {
    let raw = value >> (index * bits) & ((1 << bits) - 1);
    if signed {
        (raw << (32 - bits)) as i32 >> (32 - bits)
    } else {
        raw as i32
    }
}

/// {S, Q, SH, U, UQ, UH}{ADD8, SUB8, ADD16, SUB16, ADDSUBX, SUBADDX}.
fn parallel(cpu: &mut Cpu, op: &Operation, opcode: u32, second: u32) {
    let (rn, rm) = (cpu.r[op.rn as usize & 15], cpu.r[op.rm as usize & 15]);
    let signed = opcode & 4 == 0;
    let bits = match second {
        0..=3 => 16,
        4 | 7 => 8,
        _ => return cpu.undefined(),
    };
    let ge_mask = (1 << (bits / 8)) - 1;
    let (mut result, mut ge) = (0, 0);
    for index in 0..32 / bits {
        let exchange = matches!(second, 1 | 2);
        let subtract = match second {
            1 => index == 0,
            2 => index == 1,
            3 | 7 => true,
            _ => false,
        };
        let a = field(rn, index, bits, signed);
        let b = field(rm, if exchange { 1 - index } else { index }, bits, signed);
        let exact = if subtract { a - b } else { a + b };
        let carries = if signed || subtract {
            exact >= 0
        } else {
            exact >= 1 << bits
        };
        if carries {
            ge |= ge_mask << (index * bits / 8);
        }
        let value = match opcode & 3 {
            2 if signed => exact.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            2 => exact.clamp(0, (1 << bits) - 1),
            3 => exact >> 1,
            _ => exact,
        };
        result |= (value as u32 & ((1 << bits) - 1)) << (index * bits);
    }
    if opcode & 3 == 1 {
        cpu.ge = ge;
    }
    cpu.r[op.rd as usize & 15] = result;
}

/// The operand of PKH and SSAT: shifted left, or arithmetically right with 0 meaning 32.
fn shifted(op: &Operation, value: u32) -> i32 {
    let count = op.word >> 7 & 31;
    match (op.word & 1 << 6 != 0, count) {
        (false, _) => (value << count) as i32,
        (true, 0) => value as i32 >> 31,
        (true, _) => value as i32 >> count,
    }
}

/// PKHBT and PKHTB.
fn pack_halfwords(cpu: &mut Cpu, op: &Operation) {
    let (rn, rm) = (cpu.r[op.rn as usize & 15], cpu.r[op.rm as usize & 15]);
    let moved = shifted(op, rm) as u32;
    let top_from_rn = op.word & 1 << 6 != 0;
    cpu.r[op.rd as usize & 15] = if top_from_rn {
        rn & 0xffff_0000 | moved & 0xffff
    } else {
        moved & 0xffff_0000 | rn & 0xffff
    };
}

/// SEL.
fn select(cpu: &mut Cpu, op: &Operation) {
    let (rn, rm) = (cpu.r[op.rn as usize & 15], cpu.r[op.rm as usize & 15]);
    let mut mask = 0;
    for byte in 0..4 {
        if cpu.ge >> byte & 1 != 0 {
            mask |= 0xff << (8 * byte);
        }
    }
    cpu.r[op.rd as usize & 15] = rn & mask | rm & !mask;
}

/// The limits of `bits`-bit saturation: SSAT counts the sign bit off by one, USAT does not.
fn limits(bits: u32, unsigned: bool) -> (i64, i64) {
    if unsigned {
        (0, (1 << bits) - 1)
    } else {
        (-(1 << bits), (1 << bits) - 1)
    }
}

/// SSAT and USAT.
fn saturate(cpu: &mut Cpu, op: &Operation, unsigned: bool) {
    let value = i64::from(shifted(op, cpu.r[op.rm as usize & 15]));
    let (low, high) = limits(op.word >> 16 & 31, unsigned);
    let result = value.clamp(low, high);
    cpu.saturated |= result != value;
    cpu.r[op.rd as usize & 15] = result as u32;
}

/// SSAT16 and USAT16.
fn saturate_halfwords(cpu: &mut Cpu, op: &Operation, unsigned: bool) {
    let rm = cpu.r[op.rm as usize & 15];
    let (low, high) = limits(op.word >> 16 & 15, unsigned);
    let mut result = 0;
    for index in 0..2 {
        let value = i64::from(field(rm, index, 16, true));
        let clamped = value.clamp(low, high);
        cpu.saturated |= clamped != value;
        result |= (clamped as u32 & 0xffff) << (16 * index);
    }
    cpu.r[op.rd as usize & 15] = result;
}

/// {S, U}XT{A}{B, H, B16}.
fn extend(cpu: &mut Cpu, op: &Operation, kind: u32) {
    let value = cpu.r[op.rm as usize & 15].rotate_right((op.word >> 10 & 3) * 8);
    let addend = if op.rn & 15 == 15 {
        0
    } else {
        cpu.r[op.rn as usize & 15]
    };
    let halves = |signed: bool| {
        let low = addend.wrapping_add(field(value, 0, 8, signed) as u32) & 0xffff;
        let high = (addend >> 16).wrapping_add(field(value, 2, 8, signed) as u32);
        high << 16 | low
    };
    cpu.r[op.rd as usize & 15] = match kind {
        0 => halves(true),
        4 => halves(false),
        2 => addend.wrapping_add(value as i8 as u32),
        6 => addend.wrapping_add(value & 0xff),
        3 => addend.wrapping_add(value as i16 as u32),
        7 => addend.wrapping_add(value & 0xffff),
        _ => return cpu.undefined(),
    };
}

/// REV, REV16, REVSH.
fn reverse(cpu: &mut Cpu, op: &Operation, opcode: u32, second: u32) {
    let value = cpu.r[op.rm as usize & 15];
    cpu.r[op.rd as usize & 15] = match (opcode, second) {
        (0x0b, 1) => value.swap_bytes(),
        (0x0b, 5) => value.swap_bytes().rotate_left(16),
        (0x0f, 5) => (value as u16).swap_bytes() as i16 as u32,
        _ => return cpu.undefined(),
    };
}

/// SMUAD, SMLAD, SMUSD, SMLSD, SMLALD, SMLSLD, with exchange: rd in 19:16, addend in 15:12.
fn dual_multiply(cpu: &mut Cpu, op: &Operation, opcode: u32, second: u32) {
    let (d, n) = (op.rn as usize & 15, op.rd as usize & 15);
    let rm = cpu.r[op.rm as usize & 15];
    let rs = cpu.r[op.rs as usize & 15];
    let rs = if second & 1 != 0 {
        rs.rotate_right(16)
    } else {
        rs
    };
    let product =
        |index| i64::from(field(rm, index, 16, true)) * i64::from(field(rs, index, 16, true));
    let sum = if second & 2 == 0 {
        product(0) + product(1)
    } else {
        product(0) - product(1)
    };
    if opcode == 0x10 {
        let addend = if n == 15 {
            0
        } else {
            i64::from(cpu.r[n] as i32)
        };
        // SMUAD and SMLAD wrap after the whole sum; Q says whether it would not have fitted.
        let total = sum + addend;
        cpu.saturated |= total != i64::from(total as i32);
        cpu.r[d] = total as u32;
    } else {
        let total = ((u64::from(cpu.r[d]) << 32 | u64::from(cpu.r[n])) as i64).wrapping_add(sum);
        cpu.r[n] = total as u32;
        cpu.r[d] = (total >> 32) as u32;
    }
}

/// SMMUL, SMMLA, SMMLS, with rounding: rd in 19:16, addend in 15:12.
fn multiply_high(cpu: &mut Cpu, op: &Operation, second: u32) {
    let n = op.rd as usize & 15;
    let product =
        i64::from(cpu.r[op.rm as usize & 15] as i32) * i64::from(cpu.r[op.rs as usize & 15] as i32);
    let addend = if n == 15 {
        0
    } else {
        (u64::from(cpu.r[n]) << 32) as i64
    };
    let subtract = second & 6 == 6;
    let exact = if subtract {
        addend.wrapping_sub(product)
    } else {
        addend.wrapping_add(product)
    };
    let rounding = if second & 1 != 0 { 0x8000_0000 } else { 0 };
    cpu.r[op.rn as usize & 15] = (exact.wrapping_add(rounding) >> 32) as u32;
}

/// USAD8 and USADA8: rd in 19:16, addend in 15:12.
fn absolute_differences(cpu: &mut Cpu, op: &Operation) {
    let (rm, rs) = (cpu.r[op.rm as usize & 15], cpu.r[op.rs as usize & 15]);
    let n = op.rd as usize & 15;
    let mut total = if n == 15 { 0 } else { cpu.r[n] };
    for index in 0..4 {
        let difference = field(rm, index, 8, false) - field(rs, index, 8, false);
        total = total.wrapping_add(difference.unsigned_abs());
    }
    cpu.r[op.rn as usize & 15] = total;
}

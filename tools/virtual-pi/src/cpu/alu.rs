//! Data processing: sixteen operations, four kinds of second operand.
//!
//! Source: ARM Architecture Reference Manual (DDI 0100I), A3.4 and A5.1.

use super::Cpu;
use super::decode::{Handler, Operation};
use super::registers::C;

/// Second operand: rotated immediate.
pub const IMMEDIATE: u32 = 0;
/// Second operand: a register as it is.
pub const REGISTER: u32 = 1;
/// Second operand: a register shifted by a constant.
pub const SHIFTED: u32 = 2;
/// Second operand: a register shifted by a register.
pub const SHIFTED_BY_REGISTER: u32 = 3;

/// Shift type that decode gives ROR #0.
pub const RRX: u32 = 4;

/// Shifts by 0 to 255 as register shifts do: (result, carry).
#[inline(always)]
fn shift(kind: u32, value: u32, count: u32, carry: bool) -> (u32, bool) {
    if count == 0 {
        return (value, carry);
    }
    match (kind, count) {
        (0, 1..=31) => (value << count, value >> (32 - count) & 1 != 0),
        (0, 32) => (0, value & 1 != 0),
        (1, 1..=31) => (value >> count, value >> (count - 1) & 1 != 0),
        (1, 32) => (0, value >> 31 != 0),
        (0 | 1, _) => (0, false),
        (2, 1..=31) => (
            (value as i32 >> count) as u32,
            value >> (count - 1) & 1 != 0,
        ),
        (2, _) => ((value as i32 >> 31) as u32, value >> 31 != 0),
        _ => {
            let result = value.rotate_right(count & 31);
            (result, result >> 31 != 0)
        }
    }
}

/// Shifts by a constant as decode prepared it: LSR and ASR #0 are 32, ROR #0 is [`RRX`].
#[inline(always)]
pub fn shift_constant(kind: u32, value: u32, count: u32, carry: bool) -> (u32, bool) {
    if kind == RRX {
        (value >> 1 | u32::from(carry) << 31, value & 1 != 0)
    } else {
        shift(kind, value, count, carry)
    }
}

/// a + b + carry: (result, C and V).
#[inline(always)]
fn add(a: u32, b: u32, carry: bool) -> (u32, u32) {
    let sum = u64::from(a) + u64::from(b) + u64::from(carry);
    let result = sum as u32;
    (
        result,
        ((sum >> 32) as u32 * C) | (((a ^ result) & (b ^ result)) >> 31),
    )
}

fn data_processing<const OPCODE: u32, const FLAGS: bool, const OPERAND: u32>(
    cpu: &mut Cpu,
    op: &Operation,
) {
    let carry = cpu.nzcv & C != 0;
    let (b, shift_carry) = match OPERAND {
        IMMEDIATE => (
            op.immediate,
            if op.extra == 2 { carry } else { op.extra != 0 },
        ),
        REGISTER => (cpu.r[op.rm as usize & 15], carry),
        SHIFTED => shift_constant(
            op.extra as u32,
            cpu.r[op.rm as usize & 15],
            op.rs as u32,
            carry,
        ),
        _ => {
            let late_pc = if op.rm == 15 { 4 } else { 0 };
            let value = cpu.r[op.rm as usize & 15].wrapping_add(late_pc);
            shift(
                op.extra as u32,
                value,
                cpu.r[op.rs as usize & 15] & 255,
                carry,
            )
        }
    };
    let a = if OPERAND == SHIFTED_BY_REGISTER && op.rn == 15 {
        cpu.r[15].wrapping_add(4)
    } else {
        cpu.r[op.rn as usize & 15]
    };
    let arithmetic = matches!(OPCODE, 2..=7 | 10 | 11);
    let (result, flags) = match OPCODE {
        0 | 8 => (a & b, 0),
        1 | 9 => (a ^ b, 0),
        2 | 10 => add(a, !b, true),
        3 => add(b, !a, true),
        4 | 11 => add(a, b, false),
        5 => add(a, b, carry),
        6 => add(a, !b, carry),
        7 => add(b, !a, carry),
        12 => (a | b, 0),
        13 => (b, 0),
        14 => (a & !b, 0),
        _ => (!b, 0),
    };
    let writes = !matches!(OPCODE, 8..=11);
    if writes && op.rd == 15 {
        if FLAGS {
            cpu.return_from_exception(result);
        } else {
            cpu.next_pc = result & !3;
        }
        return;
    }
    if FLAGS {
        if arithmetic {
            cpu.nzcv = u32::from(result == 0) << 2 | result >> 31 << 3 | flags;
        } else {
            cpu.set_nzc(result, shift_carry);
        }
    }
    if writes {
        cpu.r[op.rd as usize & 15] = result;
    }
}

/// The handler of an opcode, its S bit and its kind of operand.
pub fn handler(opcode: u32, flags: bool, operand: u32) -> Handler {
    macro_rules! table {
        ($($code:literal)*) => {
            match (opcode, flags, operand) {
                $(
                    ($code, false, IMMEDIATE) => data_processing::<$code, false, IMMEDIATE> as Handler,
                    ($code, true, IMMEDIATE) => data_processing::<$code, true, IMMEDIATE>,
                    ($code, false, REGISTER) => data_processing::<$code, false, REGISTER>,
                    ($code, true, REGISTER) => data_processing::<$code, true, REGISTER>,
                    ($code, false, SHIFTED) => data_processing::<$code, false, SHIFTED>,
                    ($code, true, SHIFTED) => data_processing::<$code, true, SHIFTED>,
                    ($code, false, _) => data_processing::<$code, false, SHIFTED_BY_REGISTER>,
                    ($code, true, _) => data_processing::<$code, true, SHIFTED_BY_REGISTER>,
                )*
                _ => super::decode::undefined,
            }
        };
    }
    table!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_by_registers_keep_the_manuals_edges() {
        assert_eq!(shift(0, 0x8000_0001, 32, false), (0, true));
        assert_eq!(shift(0, 1, 33, true), (0, false));
        assert_eq!(shift(1, 0x8000_0000, 32, false), (0, true));
        assert_eq!(shift(2, 0x8000_0000, 200, false), (!0, true));
        assert_eq!(shift(3, 0x8000_0001, 32, false), (0x8000_0001, true));
        assert_eq!(shift(3, 1, 1, false), (0x8000_0000, true));
        assert_eq!(shift(3, 1, 0, true), (1, true));
        assert_eq!(shift_constant(RRX, 3, 0, false), (1, true));
    }

    #[test]
    fn addition_sets_carry_and_overflow() {
        assert_eq!(add(!0, 1, false), (0, C));
        assert_eq!(add(0x7fff_ffff, 1, false), (0x8000_0000, 1));
        assert_eq!(add(0x8000_0000, 0x8000_0000, false), (0, C | 1));
        assert_eq!(add(5, !5, true), (0, C));
    }
}

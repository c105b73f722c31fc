//! From an instruction word to an operation: a handler and its fields, taken apart once.
//!
//! Source: ARM Architecture Reference Manual (DDI 0100I), A3.1 and C3.

use super::load_store::{PRE, UP, WRITE_BACK};
use super::{
    Cpu, alu, branch, cp15, exclusive, load_store, media, multiple, multiply, status, vfp,
};

/// Executes one operation.
pub type Handler = fn(&mut Cpu, &Operation);

/// A decoded instruction.
#[derive(Clone, Copy)]
pub struct Operation {
    /// The function that executes it.
    pub run: Handler,
    /// The instruction word it was made from.
    pub word: u32,
    /// Immediate, offset, or register list.
    pub immediate: u32,
    /// Condition, 14 for always.
    pub condition: u8,
    /// Bits 15:12, or what the handler wants there.
    pub rd: u8,
    /// Bits 19:16.
    pub rn: u8,
    /// Bits 3:0.
    pub rm: u8,
    /// Bits 11:8, or a shift count.
    pub rs: u8,
    /// Shift type, carry of an immediate, or addressing mode.
    pub extra: u8,
}

/// The handler of words that are no instruction.
pub fn undefined(cpu: &mut Cpu, _: &Operation) {
    cpu.undefined();
}

/// Takes an instruction word apart.
pub fn decode(word: u32) -> Operation {
    let mut op = Operation {
        run: undefined,
        word,
        immediate: 0,
        condition: (word >> 28) as u8,
        rd: (word >> 12 & 15) as u8,
        rn: (word >> 16 & 15) as u8,
        rm: (word & 15) as u8,
        rs: (word >> 8 & 15) as u8,
        extra: 0,
    };
    if op.condition == 15 {
        op.condition = 14;
        op.run = status::unconditional;
        return op;
    }
    match word >> 25 & 7 {
        0 if word & 0x90 == 0x90 => multiply_or_extra_transfer(&mut op),
        0 => data_processing_register(&mut op),
        1 => data_processing_immediate(&mut op),
        3 if word & 0x10 != 0 => op.run = media::execute,
        2 | 3 => transfer(&mut op),
        4 => {
            op.immediate = word & 0xffff;
            op.extra = addressing(word);
            op.run = if word & 1 << 20 != 0 {
                multiple::load
            } else {
                multiple::store
            };
        }
        5 => {
            op.immediate = ((word << 8) as i32 >> 6) as u32;
            op.run = if word & 1 << 24 != 0 {
                branch::bl
            } else {
                branch::b
            };
        }
        6 => match word >> 8 & 15 {
            10 | 11 => vfp::decode_transfer(&mut op),
            15 if word & 0x0ff0_0000 == 0x0c40_0000 => op.run = cp15::range,
            _ => {}
        },
        _ if word & 1 << 24 != 0 => op.run = branch::svc,
        _ => match word >> 8 & 15 {
            10 | 11 => vfp::decode_operation(&mut op),
            15 if word & 0x10 != 0 => op.run = cp15::transfer,
            _ => {}
        },
    }
    op
}

/// U, P, W and S of a transfer as `extra` holds them.
fn addressing(word: u32) -> u8 {
    let bit = |position: u32, value: u8| if word & 1 << position != 0 { value } else { 0 };
    bit(23, UP) | bit(24, PRE) | bit(21, WRITE_BACK) | bit(22, multiple::USER)
}

/// A constant shift: its type and count, with the three special meanings of 0 resolved.
fn constant_shift(word: u32) -> (u32, u32) {
    match (word >> 5 & 3, word >> 7 & 31) {
        (kind @ (1 | 2), 0) => (kind, 32),
        (3, 0) => (alu::RRX, 0),
        other => other,
    }
}

fn multiply_or_extra_transfer(op: &mut Operation) {
    let word = op.word;
    let load = word & 1 << 20 != 0;
    match word >> 5 & 3 {
        0 if word & 1 << 24 == 0 => {
            (op.rd, op.rn) = (op.rn, op.rd);
            op.run = multiply::handler(word >> 21 & 7, load);
        }
        0 => op.run = exclusive::handler(word >> 20 & 15),
        kind => {
            let register = word & 1 << 22 == 0;
            op.extra = addressing(word) & (UP | PRE | WRITE_BACK);
            if op.extra & PRE == 0 {
                // Post-indexed always writes back; W set would be unpredictable.
                if op.extra & WRITE_BACK != 0 {
                    return;
                }
            }
            if !register {
                op.immediate = word >> 4 & 0xf0 | word & 15;
            }
            op.run = load_store::miscellaneous(kind, load, register);
        }
    }
}

fn data_processing_register(op: &mut Operation) {
    let word = op.word;
    let opcode = word >> 21 & 15;
    let flags = word & 1 << 20 != 0;
    if matches!(opcode, 8..=11) && !flags {
        op.run = match (opcode & 3, word >> 4 & 15) {
            (0 | 2, 0) => status::mrs,
            (1 | 3, 0) => status::msr,
            (1, 1 | 2) => branch::bx,
            (3, 1) => multiply::count_leading_zeros,
            (1, 3) => branch::blx,
            (_, 5) => multiply::saturating,
            (1, 7) => status::breakpoint,
            (_, 8 | 10 | 12 | 14) => multiply::halfword,
            _ => undefined,
        };
    } else if word & 0x10 != 0 {
        op.extra = (word >> 5 & 3) as u8;
        op.run = alu::handler(opcode, flags, alu::SHIFTED_BY_REGISTER);
    } else {
        let (kind, count) = constant_shift(word);
        op.extra = kind as u8;
        op.rs = count as u8;
        let operand = if kind == 0 && count == 0 {
            alu::REGISTER
        } else {
            alu::SHIFTED
        };
        op.run = alu::handler(opcode, flags, operand);
    }
}

fn data_processing_immediate(op: &mut Operation) {
    let word = op.word;
    let opcode = word >> 21 & 15;
    let rotation = (word >> 8 & 15) * 2;
    op.immediate = (word & 0xff).rotate_right(rotation);
    // The shifter's carry: 2 keeps C.
    op.extra = if rotation == 0 {
        2
    } else {
        (op.immediate >> 31) as u8
    };
    op.run = match (opcode, word & 1 << 20 != 0) {
        // MSR with an empty mask is the hint space of ARMv6K.
        (9, false) if word & 0x000f_0000 == 0 => branch::hint,
        (9 | 11, false) => status::msr_immediate,
        (8 | 10, false) => undefined,
        (_, flags) => alu::handler(opcode, flags, alu::IMMEDIATE),
    };
}

fn transfer(op: &mut Operation) {
    let word = op.word;
    op.extra = addressing(word) & (UP | PRE | WRITE_BACK);
    let register = word & 1 << 25 != 0;
    op.immediate = if register {
        let (kind, count) = constant_shift(word);
        kind | count << 8
    } else {
        word & 0xfff
    };
    op.run = load_store::word_or_byte(word & 1 << 20 != 0, word & 1 << 22 != 0, register);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_small() {
        assert_eq!(std::mem::size_of::<Operation>(), 24);
    }

    #[test]
    fn shift_constants_of_zero_mean_thirty_two() {
        assert_eq!(constant_shift(0xe1a0_0020), (1, 32));
        assert_eq!(constant_shift(0xe1a0_0040), (2, 32));
        assert_eq!(constant_shift(0xe1a0_0060), (alu::RRX, 0));
        assert_eq!(constant_shift(0xe1a0_0000), (0, 0));
    }
}

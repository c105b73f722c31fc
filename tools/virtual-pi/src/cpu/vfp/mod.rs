//! The VFP11: registers, FPSCR, enables, and decoding of its instructions.
//!
//! The host computes in IEEE 754 with subnormals; what the VFP11 does differently is added around
//! it: flush to zero with a positive sign, default NaNs, cumulative flags, and the bounce to
//! support code (check 2 of docs/hardware/virtual-pi.md). Modes that this model lacks stop the run
//! when FPSCR is written: short vectors, other roundings, traps.
//!
//! Source: ARM1176JZF-S TRM (DDI 0301H), chapters 18 to 22; ARM Architecture Reference Manual
//! (DDI 0100I), part C.

mod arithmetic;
mod convert;
mod format;
mod transfer;

use super::Cpu;
use super::decode::{Handler, Operation, undefined};
use format::Format;

/// FPSCR.FZ, flush to zero.
const FZ: u32 = 1 << 24;
/// FPSCR.DN, default NaN.
const DN: u32 = 1 << 25;
/// Cumulative: invalid operation.
const IOC: u32 = 1 << 0;
/// Cumulative: division by zero.
const DZC: u32 = 1 << 1;
/// Cumulative: overflow.
const OFC: u32 = 1 << 2;
/// Cumulative: underflow.
const UFC: u32 = 1 << 3;
/// Cumulative: inexact.
const IXC: u32 = 1 << 4;
/// Cumulative: input subnormal.
const IDC: u32 = 1 << 7;
/// FPEXC.EN.
const EN: u32 = 1 << 30;

/// In RunFast with IXC already set, ordinary numbers need nothing but the host's arithmetic.
const FAST_MASK: u32 = FZ | DN | IXC;

/// Registers of the VFP11.
#[derive(Default)]
pub struct Vfp {
    /// The single registers; a double is two of them, low word first.
    s: [u32; 32],
    fpscr: u32,
    fpexc: u32,
}

impl Cpu {
    /// True if the VFP may execute; takes the undefined exception if not.
    #[inline(always)]
    fn vfp_enabled(&mut self) -> bool {
        self.vfp.fpexc & EN != 0 && self.cp15.cpacr & 0x00f0_0000 == 0x00f0_0000
            || self.vfp_enabled_slow()
    }

    #[cold]
    #[inline(never)]
    fn vfp_enabled_slow(&mut self) -> bool {
        let enabled = self.vfp.fpexc & EN != 0 && self.vfp_accessible();
        if !enabled {
            self.undefined();
        }
        enabled
    }

    /// CPACR for coprocessors 10 and 11: 1 is privileged only, 3 is everybody.
    fn vfp_accessible(&self) -> bool {
        match self.cp15.cpacr >> 20 & 15 {
            15 => true,
            5 => self.mode != super::registers::USR,
            _ => false,
        }
    }

    fn double(&self, register: u8) -> u64 {
        let low = 2 * (register as usize & 15);
        u64::from(self.vfp.s[low]) | u64::from(self.vfp.s[low + 1]) << 32
    }

    fn set_double(&mut self, register: u8, value: u64) {
        let low = 2 * (register as usize & 15);
        self.vfp.s[low] = value as u32;
        self.vfp.s[low + 1] = (value >> 32) as u32;
    }

    fn write_fpscr(&mut self, value: u32) {
        self.vfp.fpscr = value & 0xf3f7_9f9f;
        if value & 7 << 16 != 0 {
            self.not_modelled("VFP short vectors (FPSCR.LEN)");
        }
        if value & 3 << 22 != 0 {
            self.not_modelled("VFP rounding other than to nearest (FPSCR.RMode)");
        }
        if value & 0x9f00 != 0 {
            self.not_modelled("VFP exception traps (FPSCR enable bits)");
        }
    }
}

/// Field positions of a single register: the low bit is apart.
fn single(word: u32, high: u32, low: u32) -> u8 {
    ((word >> high & 15) << 1 | word >> low & 1) as u8
}

/// FLD, FST, FLDM, FSTM, FMSRR, FMDRR and back.
pub fn decode_transfer(op: &mut Operation) {
    let word = op.word;
    if word & 0x0fe0_0000 == 0x0c40_0000 {
        if word & 0xd0 == 0x10 {
            op.run = transfer::two_registers;
        }
        return;
    }
    let is_double = word & 1 << 8 != 0;
    op.immediate = (word & 0xff) * 4;
    op.rd = if is_double {
        (word >> 12 & 15) as u8 * 2
    } else {
        single(word, 12, 22)
    };
    if is_double && word & 1 << 22 != 0 {
        return;
    }
    // P without W is one register, the others are blocks.
    op.run = match (
        word & (1 << 24 | 1 << 21) == 1 << 24,
        word & 1 << 20 != 0,
        is_double,
    ) {
        (true, true, false) => transfer::load_one::<false>,
        (true, true, true) => transfer::load_one::<true>,
        (true, false, false) => transfer::store_one::<false>,
        (true, false, true) => transfer::store_one::<true>,
        (false, ..) => transfer::load_store_block,
    };
}

/// Arithmetic, conversions, and moves of one register.
pub fn decode_operation(op: &mut Operation) {
    let word = op.word;
    let is_double = word & 1 << 8 != 0;
    if word & 0x10 != 0 {
        op.run = match (word >> 21 & 7, is_double) {
            (7, false) => transfer::system_register,
            (0, false) => {
                op.rn = single(word, 16, 7);
                transfer::one_register
            }
            (half @ (0 | 1), true) => {
                op.rn = (word >> 16 & 15) as u8 * 2 + half as u8;
                transfer::one_register
            }
            _ => undefined,
        };
        return;
    }
    // D, N and M of a double must be 0 on VFPv2, except where the operand is a single.
    let (high_d, high_n, high_m) = (word & 1 << 22 != 0, word & 1 << 7 != 0, word & 1 << 5 != 0);
    if !is_double {
        op.rd = single(word, 12, 22);
        op.rn = single(word, 16, 7);
        op.rm = single(word, 0, 5);
    }
    let opcode = word >> 21 & 4 | word >> 20 & 3;
    if opcode == 7 {
        if word & 1 << 6 != 0 {
            op.run = convert::handler(op, is_double);
        }
        return;
    }
    if is_double && (high_d || high_n || high_m) {
        return;
    }
    let negated = word & 1 << 6 != 0;
    op.run = if is_double {
        arithmetic_handler::<f64>(opcode, negated)
    } else {
        arithmetic_handler::<f32>(opcode, negated)
    };
}

fn arithmetic_handler<F: Format>(opcode: u32, negated: bool) -> Handler {
    use arithmetic::{add, divide, multiply, multiply_add, subtract};
    match (opcode, negated) {
        (0, false) => multiply_add::<F, false, false>,
        (0, true) => multiply_add::<F, true, false>,
        (1, false) => multiply_add::<F, false, true>,
        (1, true) => multiply_add::<F, true, true>,
        (2, false) => multiply::<F, false>,
        (2, true) => multiply::<F, true>,
        (3, false) => add::<F>,
        (3, true) => subtract::<F>,
        (4, false) => divide::<F>,
        _ => undefined,
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;

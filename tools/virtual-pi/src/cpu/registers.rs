//! Modes, the CPSR and the banked registers.
//!
//! `r[15]` holds the address of the running instruction + 8; the address of the next one is in
//! `next_pc`. The flags live in four bits of their own because almost every instruction tests them.
//!
//! Source: ARM Architecture Reference Manual (DDI 0100I), chapter A2.

use super::Cpu;

/// User mode.
pub const USR: u32 = 0x10;
/// Fast interrupt mode.
pub const FIQ: u32 = 0x11;
/// Interrupt mode.
pub const IRQ: u32 = 0x12;
/// Supervisor mode.
pub const SVC: u32 = 0x13;
/// Abort mode.
pub const ABT: u32 = 0x17;
/// Undefined mode.
pub const UND: u32 = 0x1b;
/// System mode.
pub const SYS: u32 = 0x1f;

/// Negative.
pub const N: u32 = 8;
/// Zero.
pub const Z: u32 = 4;
/// Carry.
pub const C: u32 = 2;
/// Overflow.
pub const V: u32 = 1;

/// CPSR.E, big-endian data.
pub const CPSR_E: u32 = 1 << 9;
/// CPSR.A, imprecise aborts masked.
pub const CPSR_A: u32 = 1 << 8;
/// CPSR.I, interrupts masked.
pub const CPSR_I: u32 = 1 << 7;
/// CPSR.F, fast interrupts masked.
pub const CPSR_F: u32 = 1 << 6;
/// CPSR.T, Thumb state.
const CPSR_T: u32 = 1 << 5;
/// CPSR.J, Jazelle state.
const CPSR_J: u32 = 1 << 24;

/// The registers that modes have copies of.
#[derive(Default)]
pub struct Banks {
    /// r13 and r14 of the modes that are not running.
    stack_and_link: [[u32; 2]; 6],
    /// r8 .. r12 of FIQ mode while another runs.
    fiq: [u32; 5],
    /// r8 .. r12 of the others while FIQ mode runs.
    others: [u32; 5],
    /// Saved program status, by bank.
    pub spsr: [u32; 6],
}

/// Bank of r13, r14 and SPSR that a mode has.
pub fn bank(mode: u32) -> usize {
    match mode {
        FIQ => 1,
        IRQ => 2,
        SVC => 3,
        ABT => 4,
        UND => 5,
        _ => 0,
    }
}

impl Cpu {
    /// The CPSR as MRS reads it.
    pub fn cpsr(&self) -> u32 {
        self.nzcv << 28 | u32::from(self.saturated) << 27 | self.ge << 16 | self.masks | self.mode
    }

    /// Writes the bits of the CPSR that `mask` names.
    pub fn set_cpsr(&mut self, value: u32, mask: u32) {
        if mask & 0xf800_0000 != 0 {
            self.nzcv = value >> 28;
            self.saturated = value & 1 << 27 != 0;
        }
        if mask & 0x000f_0000 != 0 {
            self.ge = value >> 16 & 15;
        }
        let masks = mask & (CPSR_E | CPSR_A | CPSR_I | CPSR_F);
        self.masks = self.masks & !masks | value & masks;
        if value & masks & CPSR_E != 0 {
            self.not_modelled("big-endian data accesses (CPSR.E)");
        }
        if value & mask & (CPSR_T | CPSR_J) != 0 {
            self.not_modelled("Thumb and Jazelle state");
        }
        if mask & 0x1f != 0 {
            self.set_mode(value & 0x1f);
        }
        // An interrupt that was masked may be due now.
        self.deadline = 0;
    }

    /// Switches the banked registers.
    pub fn set_mode(&mut self, mode: u32) {
        let old = self.mode;
        if old == mode {
            return;
        }
        if !matches!(mode, USR | FIQ | IRQ | SVC | ABT | UND | SYS) {
            self.not_modelled(&format!("processor mode {mode:#04x}"));
            return;
        }
        let (from, to) = (bank(old), bank(mode));
        if from != to {
            self.banks.stack_and_link[from] = [self.r[13], self.r[14]];
            if old == FIQ {
                self.banks.fiq.copy_from_slice(&self.r[8..13]);
                self.r[8..13].copy_from_slice(&self.banks.others);
            }
            if mode == FIQ {
                self.banks.others.copy_from_slice(&self.r[8..13]);
                self.r[8..13].copy_from_slice(&self.banks.fiq);
            }
            [self.r[13], self.r[14]] = self.banks.stack_and_link[to];
        }
        if (old == USR) != (mode == USR) {
            self.flush_tlb();
        }
        self.mode = mode;
    }

    /// N and Z of a result.
    #[inline(always)]
    pub fn set_nz(&mut self, value: u32) {
        self.nzcv = self.nzcv & (C | V) | u32::from(value == 0) << 2 | value >> 31 << 3;
    }

    /// N and Z of a result and the shifter's carry.
    #[inline(always)]
    pub fn set_nzc(&mut self, value: u32, carry: bool) {
        self.nzcv =
            self.nzcv & V | u32::from(value == 0) << 2 | value >> 31 << 3 | u32::from(carry) << 1;
    }

    /// Goes to `address`, in the state that its lowest bit names.
    #[inline(always)]
    pub fn branch(&mut self, address: u32) {
        self.next_pc = address & !1;
        if address & 1 != 0 {
            self.not_modelled("Thumb state");
        }
    }

    /// Goes to `address` with the saved program status, as returns from exceptions do.
    pub fn return_from_exception(&mut self, address: u32) {
        let saved = self.banks.spsr[bank(self.mode)];
        self.set_cpsr(saved, !0);
        self.next_pc = address & !3;
    }
}

//! Exceptions: entry, the vectors, aborts and their status registers.
//!
//! Source: ARM Architecture Reference Manual (DDI 0100I), A2.6; ARM1176JZF-S TRM, 2.12 and 3.2.

use super::Cpu;
use super::registers::{ABT, CPSR_A, CPSR_E, CPSR_F, CPSR_I, FIQ, IRQ, SVC, UND, bank};
use crate::fault::FaultKind;

/// DFSR of an imprecise external abort (TRM 3.2.16).
const IMPRECISE_EXTERNAL_ABORT: u32 = 0x406;

/// Offset in the vector table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Vector {
    Undefined = 0x04,
    SupervisorCall = 0x08,
    PrefetchAbort = 0x0c,
    DataAbort = 0x10,
    Interrupt = 0x18,
    FastInterrupt = 0x1c,
}

impl Cpu {
    fn exception(&mut self, vector: Vector, link: u32) {
        let (mode, masked) = match vector {
            Vector::Undefined => (UND, CPSR_I),
            Vector::SupervisorCall => (SVC, CPSR_I),
            Vector::PrefetchAbort | Vector::DataAbort => (ABT, CPSR_A | CPSR_I),
            Vector::Interrupt => (IRQ, CPSR_A | CPSR_I),
            Vector::FastInterrupt => (FIQ, CPSR_A | CPSR_I | CPSR_F),
        };
        let saved = self.cpsr();
        self.set_mode(mode);
        self.banks.spsr[bank(mode)] = saved;
        self.r[14] = link;
        self.masks = (self.masks | masked) & !CPSR_E;
        let base = if self.cp15.sctlr & 1 << 13 != 0 {
            0xffff_0000
        } else {
            self.cp15.vbar
        };
        self.next_pc = base.wrapping_add(vector as u32);
        self.exclusive = None;
        self.waiting = false;
        if matches!(vector, Vector::Undefined | Vector::PrefetchAbort) && self.next_pc == self.pc()
        {
            self.fault(FaultKind::Lockup, Some(self.pc()));
        }
        if self.cp15.sctlr & 1 << 25 != 0 {
            self.not_modelled("big-endian exceptions (SCTLR.EE)");
        }
        if self.cp15.sctlr & 1 << 24 != 0 && vector == Vector::Interrupt {
            self.not_modelled("vectored interrupts (SCTLR.VE)");
        }
    }

    /// Undefined instruction.
    #[cold]
    pub fn undefined(&mut self) {
        self.exception(Vector::Undefined, self.pc().wrapping_add(4));
    }

    /// SVC.
    pub fn supervisor_call(&mut self) {
        self.exception(Vector::SupervisorCall, self.pc().wrapping_add(4));
    }

    /// A load or store that failed; `status` for the fault status register.
    #[cold]
    pub fn data_abort(&mut self, address: u32, status: u32, write: bool) {
        self.cp15.dfsr = status | u32::from(write) << 11;
        self.cp15.dfar = address;
        self.exception(Vector::DataAbort, self.pc().wrapping_add(8));
    }

    /// A fetch that failed.
    #[cold]
    pub fn prefetch_abort(&mut self, address: u32, status: u32) {
        self.cp15.ifsr = status;
        self.cp15.ifar = address;
        self.r[15] = address.wrapping_add(8);
        self.exception(Vector::PrefetchAbort, address.wrapping_add(4));
    }

    /// BKPT. The fault address register keeps what it had (QEMU 7.2 writes it; see
    /// tests/guest-cpu).
    pub fn breakpoint(&mut self) {
        self.cp15.ifsr = 2;
        self.exception(Vector::PrefetchAbort, self.pc().wrapping_add(4));
    }

    /// Takes a pending imprecise abort before the next instruction. DFAR keeps what it had.
    pub fn imprecise_abort(&mut self) {
        self.cp15.dfsr = IMPRECISE_EXTERNAL_ABORT;
        self.exception(Vector::DataAbort, self.next_pc.wrapping_add(8));
    }

    /// Takes a pending interrupt before the next instruction.
    pub fn interrupt(&mut self, fast: bool) {
        let vector = if fast {
            Vector::FastInterrupt
        } else {
            Vector::Interrupt
        };
        self.exception(vector, self.next_pc.wrapping_add(4));
    }
}

//! Branch, sig 15: absolute or relative, with optional register and link.
//!
//! Three instructions after it execute whether it is taken or not. The link address, that of the
//! instruction after the delay slots, is written only when it is taken. The register operand is
//! element 15 of the register (measured by vc4asm's author; Broadcom's guide says element 0).
//! Bit 45 is both the lowest bit of the register number and the set-flags bit, so a taken branch
//! with an odd register sets flags (Broadcom's HW-2780).

use super::bits::{field, place};
use super::{BranchCond, Cond, DecodeError, INSTRUCTION_BYTES, Pack, Waddr, WriteBack, waddr};

/// Instructions after a branch that execute in any case.
pub const DELAY_SLOTS: u32 = 3;

/// A branch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Branch {
    /// Bits 59:56: without meaning, 0 in most programs, kept; 4 bits.
    pub ignored: u8,
    /// The condition on which it is taken.
    pub cond_br: BranchCond,
    /// True if the address of the instruction after the delay slots is added to the target.
    pub rel: bool,
    /// True if element 15 of the register `raddr_a` is added to the target.
    pub reg: bool,
    /// Register of file A, 5 bits: 0..=31. Kept when `reg` is false.
    pub raddr_a: u8,
    /// Write swap, as in the ALU format.
    pub ws: bool,
    /// First destination of the link address.
    pub waddr_add: Waddr,
    /// Second destination of the link address.
    pub waddr_mul: Waddr,
    /// Byte offset or absolute byte address; always added.
    pub immediate: u32,
}

impl Branch {
    /// A branch relative to the instruction after its delay slots, by 0 bytes, always taken, no
    /// link.
    pub const RELATIVE: Self = Self {
        ignored: 0,
        cond_br: BranchCond::Always,
        rel: true,
        reg: false,
        raddr_a: 0,
        ws: false,
        waddr_add: waddr::NOP,
        waddr_mul: waddr::NOP,
        immediate: 0,
    };

    pub(super) const fn decode(word: u64) -> Result<Self, DecodeError> {
        let bits = field(word, 55, 52);
        let Some(cond_br) = BranchCond::from_bits(bits) else {
            return Err(DecodeError::ReservedBranchCond(bits));
        };
        Ok(Self {
            ignored: field(word, 59, 56),
            cond_br,
            rel: field(word, 51, 51) != 0,
            reg: field(word, 50, 50) != 0,
            raddr_a: field(word, 49, 45),
            ws: field(word, 44, 44) != 0,
            waddr_add: Waddr::from_low_bits(field(word, 43, 38)),
            waddr_mul: Waddr::from_low_bits(field(word, 37, 32)),
            immediate: word as u32,
        })
    }

    /// The 64-bit word. Bits of `ignored` and `raddr_a` beyond their fields are cut off.
    #[must_use]
    pub const fn encode(&self) -> u64 {
        15 << 60
            | place(self.ignored as u64, 59, 56)
            | place(self.cond_br.bits() as u64, 55, 52)
            | place(self.rel as u64, 51, 51)
            | place(self.reg as u64, 50, 50)
            | place(self.raddr_a as u64, 49, 45)
            | place(self.ws as u64, 44, 44)
            | place(self.waddr_add.bits() as u64, 43, 38)
            | place(self.waddr_mul.bits() as u64, 37, 32)
            | self.immediate as u64
    }

    /// The destinations of the link: both addresses, unconditionally, when the branch is taken.
    #[must_use]
    pub const fn link_write(&self) -> WriteBack {
        WriteBack {
            pm: false,
            pack: Pack::None,
            cond_add: Cond::Always,
            cond_mul: Cond::Always,
            sf: self.sets_flags(),
            ws: self.ws,
            waddr_add: self.waddr_add,
            waddr_mul: self.waddr_mul,
        }
    }

    /// True if a taken branch sets flags from the link address: when bit 45 is set.
    #[must_use]
    pub const fn sets_flags(&self) -> bool {
        self.raddr_a & 1 != 0
    }

    /// The link address of a branch at `address`: the instruction after the delay slots.
    #[must_use]
    pub const fn link(address: u32) -> u32 {
        address.wrapping_add((DELAY_SLOTS + 1) * INSTRUCTION_BYTES)
    }

    /// Target of the branch at `address`, when element 15 of its register is `register`.
    #[must_use]
    pub const fn target(&self, address: u32, register: u32) -> u32 {
        let base = if self.rel { Self::link(address) } else { 0 };
        let register = if self.reg { register } else { 0 };
        self.immediate.wrapping_add(base).wrapping_add(register)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_branch_counts_from_after_its_delay_slots() {
        // GPU_FFT: brr +200 at 0x1e8 lands at 0x2d0.
        let branch = Branch {
            immediate: 200,
            ..Branch::RELATIVE
        };
        assert_eq!(branch.target(0x1e8, 0xdead), 0x2d0);
        assert_eq!(
            Branch {
                rel: false,
                reg: true,
                ..branch
            }
            .target(0x1e8, 0x1000),
            0x10c8
        );
    }

    #[test]
    fn an_odd_register_sets_flags_even_when_it_is_not_added() {
        assert!(
            Branch {
                raddr_a: 5,
                ..Branch::RELATIVE
            }
            .link_write()
            .sf
        );
        assert!(
            !Branch {
                raddr_a: 6,
                ..Branch::RELATIVE
            }
            .link_write()
            .sf
        );
    }
}

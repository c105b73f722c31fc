//! Flags, and the conditions that ask for them.
//!
//! Conditions gate the update of flags too (vc4asm, Broadcom's compiler); they see the flags as
//! they were before the instruction. Source: guide, "Condition codes"; VC4C's recorded tables.

use super::Qpu;
use super::state::{Flags, Registers};
use crate::alu::{self, LaneMask, Lanes};
use crate::conflicts::FlagsMasked;
use crate::decoded::Code;
use crate::rule::Rule;
use crate::shared::Shared;
use qpu::isa::{BranchCond, Cond};

impl Registers {
    /// The lanes in which the conditions of the two results hold.
    #[inline(always)]
    pub fn enabled_lanes(&self, code: &Code) -> [LaneMask; 2] {
        code.conditions.map(|condition| self.flags.of(condition))
    }
}

impl Qpu {
    /// Warns when a condition asks for flags of which nobody knows what they are.
    pub(super) fn check_conditions(&self, code: &Code, shared: &mut Shared) {
        let hazards = &self.hazards;
        let are_plain = hazards.defined_flags && !hazards.carry_from_mul && !hazards.flags_of_link;
        if !code.asks_flags || are_plain {
            return;
        }
        for condition in code.conditions {
            if !matches!(condition, Cond::Never | Cond::Always) {
                self.check_flags(matches!(condition, Cond::CS | Cond::CC), shared);
            }
        }
    }

    /// True if a branch is taken.
    pub(super) fn is_taken(&self, condition: BranchCond, shared: &mut Shared) -> bool {
        use BranchCond as C;
        if condition != C::Always {
            let carry = matches!(condition, C::AllCS | C::AllCC | C::AnyCS | C::AnyCC);
            self.check_flags(carry, shared);
        }
        let [z, n, c] = self.registers.flags.bits();
        let (all, any) = (|flags| flags == LaneMask::MAX, |flags| flags != 0);
        match condition {
            C::AllZS => all(z),
            C::AllZC => all(!z),
            C::AnyZS => any(z),
            C::AnyZC => any(!z),
            C::AllNS => all(n),
            C::AllNC => all(!n),
            C::AnyNS => any(n),
            C::AnyNC => any(!n),
            C::AllCS => all(c),
            C::AllCC => all(!c),
            C::AnyCS => any(c),
            C::AnyCC => any(!c),
            C::Always => true,
        }
    }

    fn check_flags(&self, carry: bool, shared: &mut Shared) {
        if !self.hazards.defined_flags {
            self.warn(Rule::UndefinedRead, shared, || "flags".into());
        }
        if self.hazards.flags_of_link {
            self.warn(Rule::BranchOddRegister, shared, String::new);
        }
        if carry && self.hazards.carry_from_mul {
            self.warn(Rule::MulFlagsCarry, shared, String::new);
        }
    }

    /// Sets the flags of the lanes in `enabled` from a 32-bit result.
    #[inline]
    pub(super) fn set_flags(
        &mut self,
        value: &Lanes,
        carry: LaneMask,
        enabled: LaneMask,
        from_mul: bool,
    ) {
        let enabled = match self.conflicts.flags_masked {
            FlagsMasked::Masked => enabled,
            FlagsMasked::Everywhere => LaneMask::MAX,
        };
        let update = |old: LaneMask, new: LaneMask| old & !enabled | new & enabled;
        let [z, n, c] = self.registers.flags.bits();
        self.registers.flags = Flags::new(
            update(z, alu::mask(|lane| value[lane] == 0)),
            update(n, alu::mask(|lane| value[lane] >> 31 != 0)),
            update(c, carry),
        );
        self.hazards.defined_flags = true;
        self.hazards.carry_from_mul = from_mul;
        self.hazards.flags_of_link &= enabled != LaneMask::MAX;
    }
}

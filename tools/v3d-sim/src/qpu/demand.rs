//! Lanes of its operands that an instruction needs.
//!
//! A value that comes too early or too late matters in those lanes only. Programs keep vectors of
//! scalars, write one lane under a condition and rotate another to where it is wanted. Sources:
//! Broadcom's shaders for `OpenVG`, py-videocore's products of matrices; vc4asm's addendum for
//! rotations, which fail to lower quads only.

use super::Qpu;
use super::io_write::takes_all_lanes;
use super::operands::moves_far;
use super::state::accumulator;
use crate::alu::{LANES, LaneMask};
use crate::decoded::{Code, Destination};
use qpu::isa::{MulOp, Mux, Slot, waddr};

/// The first lane of each quad.
const QUADS: LaneMask = 0x1111;

impl Qpu {
    /// Lanes of a result that a register, a unit or the flags get.
    fn lanes_wanted(&self, code: &Code, slot: Slot) -> LaneMask {
        let enabled = self.registers.enabled_lanes(code)[slot as usize];
        let stored = match code.destinations[slot as usize] {
            Destination::Nowhere => 0,
            Destination::Register(_) | Destination::Accumulator(_) => enabled,
            Destination::R5 => enabled & 1,
            Destination::R5Quads => enabled & QUADS,
            Destination::Unit(_, waddr::HOST_INT | waddr::MS_REV_FLAGS) => enabled,
            Destination::Unit(_, address) if takes_all_lanes(address) => enabled,
            Destination::Unit(..) => 1,
        };
        let sets_flags = code.sf && self.flags_come_from_mul(code) == (slot == Slot::Mul);
        stored | if sets_flags { enabled } else { 0 }
    }

    /// Lanes of the operand behind `mux` that results depend on.
    pub(super) fn lanes_needed(&self, code: &Code, mux: Mux) -> LaneMask {
        let Some(alu) = code.alu().filter(|_| code.takes(mux)) else {
            return 0;
        };
        let add = if alu.uses_in(Slot::Add, mux) {
            self.lanes_wanted(code, Slot::Add)
        } else {
            0
        };
        if !alu.uses_in(Slot::Mul, mux) {
            return add;
        }
        let wanted = self.lanes_wanted(code, Slot::Mul);
        // What comes through a port moves inside its quad.
        let by = self.registers.rotation(code) & 3;
        let quads = (0..LANES).step_by(4).map(|quad| {
            let lanes = wanted >> quad & 0xf;
            ((lanes >> by | lanes << (4 - by)) & 0xf) << quad
        });
        add | quads.fold(0, |all, quad| all | quad)
    }

    /// True if a lane of r0..r3 that the previous instruction wrote is rotated to a lower quad.
    pub(super) fn rotates_too_early(&self, code: &Code) -> bool {
        let Some(alu) = code.alu().filter(|alu| alu.op_mul != MulOp::Nop) else {
            return false;
        };
        let by = self.registers.rotation(code) as usize;
        let wanted = self.lanes_wanted(code, Slot::Mul);
        let fresh = [alu.mul_a, alu.mul_b]
            .into_iter()
            .filter(|mux| moves_far(accumulator(mux.bits())))
            .fold(0, |all, mux| all | self.hazards.fresh_lanes(mux.bits()));
        (0..LANES).any(|to| {
            let from = (to + LANES - by) % LANES;
            wanted & 1 << to != 0 && fresh & 1 << from != 0 && from / 4 > to / 4
        })
    }
}

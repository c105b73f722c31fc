//! Operands: what the two ports and the accumulators give to the ALUs.
//!
//! One value comes through each port whatever is selected; unpack widens the one from file A (pm =
//! 0) or r4 (pm = 1), and a rotation moves the operands of the mul ALU. Source: guide, figure 2 and
//! "Vector rotation"; vc4asm's addendum; Broadcom's shaders.

use super::state::{FILE_B, HELD_A, HELD_R4, Index, accumulator, last_quad, of_file, repeat_quad};
use super::{Qpu, Stop};
use crate::alu::Lanes;
use crate::alu::unpack::{self, Unpacked};
use crate::conflicts::{BranchElement, UnpackInput};
use crate::decoded::{Code, NO_REGISTER, Port};
use crate::memory::Memory;
use crate::rule::Rule;
use crate::shared::Shared;
use qpu::isa::{File, Mux, Unpack};

impl Qpu {
    /// Reads both ports, with all that a read causes, and unpacks. Gives the places of the
    /// operands.
    pub(super) fn read_inputs(
        &mut self,
        code: &Code,
        shared: &mut Shared,
        memory: &mut impl Memory,
    ) -> Result<[Index; 4], Stop> {
        let popped = self.pop_inputs(code, shared, memory)?;
        let mut operands = code.operands;
        let mut ports = code.ports;
        for (place, port) in ports.iter_mut().enumerate() {
            let held = HELD_A + place as Index;
            match *port {
                Port::Idle => continue,
                Port::LeftOver => {
                    *self.registers.at_mut(held) = repeat_quad(self.registers.last_port[place]);
                    continue;
                }
                Port::Constant(_) => {}
                Port::Register(index) => {
                    if let Some(old) = self.check_register(index, code, shared) {
                        *port = Port::Register(old);
                        for operand in operands.iter_mut().filter(|operand| **operand == index) {
                            *operand = old;
                        }
                    }
                }
                Port::Unit(address) => {
                    let (file, mux) = [(File::A, Mux::A), (File::B, Mux::B)][place];
                    let used = code.takes(mux);
                    *self.registers.at_mut(held) =
                        self.read_io(file, address, &popped, used, shared);
                }
            }
            let from = match *port {
                Port::Register(index) | Port::Constant(index) => index,
                _ => held,
            };
            self.registers.last_port[place] = last_quad(self.registers.at(from));
        }
        let is_input = !code.instruction.write_back().pm && code.reads[0] == NO_REGISTER;
        let ignored = is_input && self.conflicts.unpack_input == UnpackInput::Ignored;
        if code.unpack != Unpack::None && ignored {
            if let Port::Constant(index) = ports[0] {
                *self.registers.at_mut(HELD_A) = *self.registers.at(index);
            }
        } else if code.unpack != Unpack::None {
            self.unpack(code, ports[0]);
        }
        Ok(operands)
    }

    /// Warns about values that nobody knows, lane by lane where a condition made them so.
    pub(super) fn check_accumulators(&self, code: &Code, shared: &mut Shared) {
        let needed = code.needed_accumulators & !code.kept.1;
        let mut undefined = needed & !self.hazards.defined().1;
        if let Some((left_out, sfu_write)) = self.hazards.left_out
            && undefined & 1 << 4 != 0
        {
            undefined &= !(1 << 4);
            if self.lanes_needed(code, Mux::R4) & left_out != 0 {
                self.warn_after(Rule::UndefinedRead, Some(sfu_write), shared, |write| {
                    format!("r4 in lanes that the condition of {write} left out")
                });
            }
        }
        if undefined != 0 {
            let number = undefined.trailing_zeros();
            self.warn(Rule::UndefinedRead, shared, || format!("r{number}"));
        }
    }

    /// Warns about a register that is read; gives where its old value is when it is read too early.
    fn check_register(&self, index: Index, code: &Code, shared: &mut Shared) -> Option<Index> {
        let name = || {
            format!(
                "r{}{}",
                if index < FILE_B { 'a' } else { 'b' },
                index % FILE_B
            )
        };
        let needed = code.needed_registers & !code.kept.0;
        if needed & 1 << index != 0 && !self.hazards.is_defined(index) {
            self.warn(Rule::UndefinedRead, shared, name);
        }
        let old = self.hazards.overwritten(index)?;
        let mux = if index < FILE_B { Mux::A } else { Mux::B };
        if self.lanes_needed(code, mux) & self.hazards.overwritten_lanes(index) != 0 {
            self.warn_old(name(), shared);
        }
        Some(old)
    }

    #[cold]
    fn warn_old(&self, name: String, shared: &mut Shared) {
        let writer = self.back(1);
        self.warn_after(Rule::RegfileReadAfterWrite, writer, shared, |writer| {
            format!("{name}, which {writer} wrote")
        });
    }

    /// Widens r4 or what comes through port A.
    pub(super) fn unpack(&mut self, code: &Code, port_a: Port) {
        let (from, to) = match port_a {
            _ if code.instruction.write_back().pm => (accumulator(4), HELD_R4),
            Port::Register(index) | Port::Constant(index) => (index, HELD_A),
            _ => (HELD_A, HELD_A),
        };
        let kind = if code.unpack_float {
            Unpacked::Float
        } else {
            Unpacked::Integer
        };
        let mut value = *self.registers.at(from);
        unpack::lanes(code.unpack, kind, &mut value);
        *self.registers.at_mut(to) = value;
    }

    /// The value that a register, or its old value when it is read too early, adds to the target of
    /// a branch.
    pub(super) fn read_branch_register(&self, number: u8, shared: &mut Shared) -> u32 {
        let index = of_file(File::A, number);
        let name = || format!("ra{number}");
        if !self.hazards.is_defined(index) {
            self.warn(Rule::UndefinedRead, shared, name);
        }
        let mut from = index;
        let lane = match self.conflicts.branch_element {
            BranchElement::Fifteen => 15,
            BranchElement::Zero => 0,
        };
        if let Some(old) = self.hazards.overwritten(index) {
            if self.hazards.overwritten_lanes(index) & 1 << lane != 0 {
                self.warn_old(name(), shared);
            }
            from = old;
        }
        let value = self.registers.at(from);
        if value.iter().any(|element| *element != value[15]) {
            self.warn(Rule::BranchElements, shared, name);
        }
        value[lane]
    }
}

/// An operand of the mul ALU as the lanes of a rotated result see it: r0..r3 move over all lanes,
/// everything else only inside its quad.
#[inline]
pub fn rotated(operand: Index, value: &Lanes, by: u32) -> Lanes {
    if moves_far(operand) {
        rotate_all(value, by)
    } else {
        rotate_quads(value, by)
    }
}

/// True if a rotation moves an operand over all lanes.
pub fn moves_far(operand: Index) -> bool {
    (accumulator(0)..=accumulator(3)).contains(&operand)
}

/// One copy of the loop for each distance, so that each is a fixed shuffle.
macro_rules! shuffle {
    ($by:expr, $mask:literal, $value:ident, $from:expr, $($n:literal)*) => {
        match $by & $mask {
            $($n => {
                const BY: usize = $n;
                let from: fn(usize, usize) -> usize = $from;
                std::array::from_fn(|lane| $value[from(lane, BY)])
            })*
            _ => *$value,
        }
    };
}

fn rotate_all(value: &Lanes, by: u32) -> Lanes {
    shuffle!(by, 15, value, |lane, by| lane.wrapping_sub(by) & 15, 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
}

fn rotate_quads(value: &Lanes, by: u32) -> Lanes {
    shuffle!(by, 3, value, |lane, by| lane & 12 | lane.wrapping_sub(by) & 3, 1 2 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accumulators_rotate_over_all_lanes_and_the_rest_inside_quads() {
        let iota: Lanes = std::array::from_fn(|lane| lane as u32);
        assert_eq!(
            rotated(accumulator(2), &iota, 1),
            [15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]
        );
        assert_eq!(
            rotated(accumulator(5), &iota, 1),
            [3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14]
        );
        assert_eq!(rotated(HELD_A, &iota, 4), iota);
        for by in 0..16 {
            let moved = rotated(accumulator(0), &iota, by);
            assert_eq!(
                moved,
                std::array::from_fn(|lane| (lane as u32).wrapping_sub(by) & 15)
            );
        }
    }
}

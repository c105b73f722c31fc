//! Operands: what the two ports and the accumulators give to the ALUs.
//!
//! One value comes through each port whatever is selected; unpack widens the one from file A (pm = 0)
//! or r4 (pm = 1), and a rotation moves the operands of the mul ALU. Source:
//! guide, figure 2 and "Vector rotation"; vc4asm's addendum; Broadcom's shaders.

use super::Qpu;
use super::hazards::file_index;
use super::io_read::Popped;
use super::state::{last_quad, repeat_quad};
use crate::alu::unpack::{self, Unpacked};
use crate::alu::{LANES, Lanes};
use crate::code::Code;
use crate::event::FaultKind;
use crate::memory::Memory;
use crate::rule::Rule;
use crate::shared::Shared;
use qpu::isa::{Alu, File, Mux, RaddrB, Rotation, Unpack, raddr};

/// Where the value is that a mux chooses.
#[derive(Clone, Copy)]
pub enum Input {
    /// r0..r5.
    Accumulator(u8),
    /// A register of a file, as it is.
    Register(File, u8),
    /// Made by a read or an unpack; see [`Held`].
    Held(usize),
}

/// What the eight muxes choose.
pub type Inputs = [Input; 8];

/// Values of the instruction that executes which are in no register: through port A, through port B,
/// and r4 unpacked.
pub type Held = [Lanes; 3];

const HELD_R4: usize = 2;

impl Qpu {
    /// Reads both ports, with all that a read causes, and unpacks.
    pub(super) fn read_inputs(
        &mut self,
        alu: &Alu,
        code: &Code,
        shared: &mut Shared,
        memory: &mut impl Memory,
    ) -> Result<Inputs, FaultKind> {
        let popped = match code.uses_units {
            true => Some(self.pop_inputs(code, shared, memory)?),
            false => None,
        };
        let mut inputs: Inputs = std::array::from_fn(|mux| Input::Accumulator(mux as u8 % 6));
        inputs[Mux::A as usize] = self.read_port(File::A, code, popped.as_ref(), shared);
        inputs[Mux::B as usize] = match alu.raddr_b {
            RaddrB::Register { .. } => self.read_port(File::B, code, popped.as_ref(), shared),
            RaddrB::SmallImmediate(immediate) => {
                let place = file_index(File::B);
                self.held[place] = [immediate.value(); LANES];
                self.registers.last_port[place] = [immediate.value(); 4];
                Input::Held(place)
            }
        };
        if alu.unpack != Unpack::None {
            self.unpack(alu, code, &mut inputs, shared);
        }
        Ok(inputs)
    }

    /// What comes through a port; nobody looks at it when the address is nop and no mux chooses it.
    fn read_port(
        &mut self,
        file: File,
        code: &Code,
        popped: Option<&Popped>,
        shared: &mut Shared,
    ) -> Input {
        let place = file_index(file);
        let address = code.reads[place];
        let used = code.reads(if file == File::A { Mux::A } else { Mux::B });
        if address == raddr::NOP {
            if used {
                self.warn(Rule::NopRead, shared, String::new);
                self.held[place] = repeat_quad(self.registers.last_port[place]);
            }
            return Input::Held(place);
        }
        let input = match address.register() {
            Some(number) => self.read_register(file, number, code, shared),
            None => {
                self.held[place] = self.read_io(file, address, popped, used, shared);
                Input::Held(place)
            }
        };
        self.registers.last_port[place] = last_quad(self.input(input));
        input
    }

    fn read_register(&mut self, file: File, number: u8, code: &Code, shared: &mut Shared) -> Input {
        let place = file_index(file);
        let (mux, letter) = [(Mux::A, 'a'), (Mux::B, 'b')][place];
        if code.needed & 1 << mux.bits() != 0 && self.hazards.defined[place] & 1 << number == 0 {
            self.warn(Rule::UndefinedRead, shared, || format!("r{letter}{number}"));
        }
        let Some(old) = self.hazards.overwritten(file, number) else {
            return Input::Register(file, number);
        };
        self.held[place] = *old;
        if code.reads(mux) {
            self.warn(Rule::RegfileReadAfterWrite, shared, || {
                format!("r{letter}{number}")
            });
        }
        Input::Held(place)
    }

    fn unpack(&mut self, alu: &Alu, code: &Code, inputs: &mut Inputs, shared: &mut Shared) {
        let (mux, place) = if alu.write.pm {
            (Mux::R4, HELD_R4)
        } else {
            (Mux::A, file_index(File::A))
        };
        if !code.reads(mux) {
            return;
        }
        let to = if alu.write.pm {
            Unpacked::Float
        } else {
            self.unpacked_to(alu, shared)
        };
        let mut value = *self.input(inputs[mux as usize]);
        unpack::lanes(alu.unpack, to, &mut value);
        self.held[place] = value;
        inputs[mux as usize] = Input::Held(place);
    }

    /// What an operand from file A is widened to: decided once, one float consumer makes all see floats.
    fn unpacked_to(&self, alu: &Alu, shared: &mut Shared) -> Unpacked {
        if alu.raddr_a.register().is_none() {
            self.warn(Rule::UnpackInput, shared, String::new);
        }
        let operands =
            |count: u8, a: Mux, b: Mux| (count > 0 && a == Mux::A) || (count > 1 && b == Mux::A);
        let add = operands(alu.op_add.operands(), alu.add_a, alu.add_b);
        let mul = operands(alu.op_mul.operands(), alu.mul_a, alu.mul_b);
        let (add_float, mul_float) = (alu.op_add.takes_floats(), alu.op_mul.is_float());
        if add && mul && add_float != mul_float && alu.unpack != Unpack::U8dr {
            self.warn(Rule::UnpackMixed, shared, String::new);
        }
        if (add && add_float) || (mul && mul_float) {
            Unpacked::Float
        } else {
            Unpacked::Integer
        }
    }

    fn input(&self, input: Input) -> &Lanes {
        match input {
            Input::Accumulator(number) => &self.registers.accumulators[usize::from(number)],
            Input::Register(file, number) => &self.registers.file(file)[usize::from(number)],
            Input::Held(place) => &self.held[place],
        }
    }

    /// An operand of either ALU.
    pub(super) fn operand(&self, mux: Mux, inputs: &Inputs) -> &Lanes {
        self.input(inputs[mux as usize])
    }

    /// How far a mul result moves.
    pub(super) fn rotation(&self, rotation: Rotation) -> usize {
        match rotation {
            Rotation::ByR5 => self.registers.accumulators[5][0] as usize & 15,
            Rotation::By(lanes) => usize::from(lanes),
        }
    }
}

/// An operand of the mul ALU as the lanes of a rotated result see it: r0..r3 move over all lanes,
/// everything else only inside its quad.
pub fn rotated(mux: Mux, value: &Lanes, by: usize) -> Lanes {
    std::array::from_fn(|lane| {
        let from = lane.wrapping_sub(by);
        match mux {
            Mux::R0 | Mux::R1 | Mux::R2 | Mux::R3 => value[from & 15],
            _ => value[lane & 12 | from & 3],
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accumulators_rotate_over_all_lanes_and_the_rest_inside_quads() {
        let iota: Lanes = std::array::from_fn(|lane| lane as u32);
        assert_eq!(
            rotated(Mux::R2, &iota, 1),
            [15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]
        );
        assert_eq!(
            rotated(Mux::R5, &iota, 1),
            [3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14]
        );
        assert_eq!(rotated(Mux::A, &iota, 4), iota);
        assert_eq!(rotated(Mux::R0, &iota, 12)[0], 4);
    }
}

//! Operands: what the two ports and the accumulators give to the ALUs.
//!
//! One value comes through each port whatever is selected; unpack widens the one from file A (pm = 0)
//! or r4 (pm = 1), and a rotation moves the operands of the mul ALU (qpu.md 1.11 and 1.12).

use super::Qpu;
use super::hazards::file_index;
use super::state::{last_quad, repeat_quad};
use crate::alu::unpack::{self, Unpacked};
use crate::alu::{LANES, Lanes};
use crate::code::Code;
use crate::event::FaultKind;
use crate::memory::Memory;
use crate::rule::Rule;
use crate::shared::Shared;
use qpu::isa::{Alu, File, Mux, RaddrB, Rotation, Unpack, raddr};

/// What the muxes choose from, besides the accumulators.
pub struct Inputs {
    a: Lanes,
    b: Lanes,
    /// r4 after its unpack, when it has one.
    r4: Option<Lanes>,
}

impl Qpu {
    /// Reads both ports, with all that a read causes, and unpacks.
    pub(super) fn read_inputs(
        &mut self,
        alu: &Alu,
        code: &Code,
        shared: &mut Shared,
        memory: &mut impl Memory,
    ) -> Result<Inputs, FaultKind> {
        let io = if code.uses_units {
            self.pop_inputs(code, shared, memory)?
        } else {
            Default::default()
        };
        let mut inputs = Inputs {
            a: [0; LANES],
            b: [0; LANES],
            r4: None,
        };
        inputs.a = self.read_port(File::A, code, &io, shared);
        inputs.b = match alu.raddr_b {
            RaddrB::Register { .. } => self.read_port(File::B, code, &io, shared),
            RaddrB::SmallImmediate(immediate) => {
                self.registers.last_port[1] = [immediate.value(); 4];
                [immediate.value(); LANES]
            }
        };
        if alu.unpack != Unpack::None {
            self.unpack(alu, code, &mut inputs, shared);
        }
        Ok(inputs)
    }

    fn read_port(
        &mut self,
        file: File,
        code: &Code,
        io: &super::io_read::Popped,
        shared: &mut Shared,
    ) -> Lanes {
        let index = file_index(file);
        let address = code.reads[index];
        let mux = [Mux::A, Mux::B][index];
        if address == raddr::NOP {
            if code.reads(mux) {
                self.warn(Rule::NopRead, shared, String::new);
                return repeat_quad(self.registers.last_port[index]);
            }
            return [0; LANES];
        }
        let value = match address.register() {
            Some(number) => self.read_register(file, number, code, mux, shared),
            None => self.read_io(file, address, io, code.reads(mux), shared),
        };
        self.registers.last_port[index] = last_quad(&value);
        value
    }

    fn read_register(
        &mut self,
        file: File,
        number: u8,
        code: &Code,
        mux: Mux,
        shared: &mut Shared,
    ) -> Lanes {
        let index = file_index(file);
        let letter = ['a', 'b'][index];
        if code.needed & 1 << mux.bits() != 0 && self.hazards.defined[index] & 1 << number == 0 {
            self.warn(Rule::UndefinedRead, shared, || format!("r{letter}{number}"));
        }
        if let Some((written, old)) = self.hazards.previous[index]
            && written == number
        {
            if code.reads(mux) {
                self.warn(Rule::RegfileReadAfterWrite, shared, || {
                    format!("r{letter}{number}")
                });
            }
            return old;
        }
        self.registers.file(file)[usize::from(number)]
    }

    fn unpack(&mut self, alu: &Alu, code: &Code, inputs: &mut Inputs, shared: &mut Shared) {
        if alu.write.pm {
            if code.reads(Mux::R4) {
                let mut r4 = self.registers.accumulators[4];
                unpack::lanes(alu.unpack, Unpacked::Float, &mut r4);
                inputs.r4 = Some(r4);
            }
            return;
        }
        if !code.reads(Mux::A) {
            return;
        }
        if alu.raddr_a.register().is_none() {
            self.warn(Rule::UnpackInput, shared, String::new);
        }
        // Decided once for both ALUs: one float consumer makes all see floats.
        let add_takes = alu.op_add.operands() > 0
            && (alu.add_a == Mux::A || (alu.op_add.operands() > 1 && alu.add_b == Mux::A));
        let mul_takes = alu.op_mul.operands() > 0 && (alu.mul_a == Mux::A || alu.mul_b == Mux::A);
        let float =
            (add_takes && alu.op_add.takes_floats()) || (mul_takes && alu.op_mul.is_float());
        if add_takes
            && mul_takes
            && alu.op_add.takes_floats() != alu.op_mul.is_float()
            && alu.unpack != Unpack::U8dr
        {
            self.warn(Rule::UnpackMixed, shared, String::new);
        }
        let to = if float {
            Unpacked::Float
        } else {
            Unpacked::Integer
        };
        unpack::lanes(alu.unpack, to, &mut inputs.a);
    }

    /// An operand of either ALU.
    pub(super) fn operand<'a>(&'a self, mux: Mux, inputs: &'a Inputs) -> &'a Lanes {
        match mux {
            Mux::A => &inputs.a,
            Mux::B => &inputs.b,
            Mux::R4 => inputs
                .r4
                .as_ref()
                .unwrap_or(&self.registers.accumulators[4]),
            _ => &self.registers.accumulators[usize::from(mux.bits())],
        }
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

//! The fields of an instruction, as execution wants them; and the rules that they break by
//! themselves.

use super::{BY_R5, Code, Destination, NO_REGISTER, Port, Units};
use crate::alu;
use crate::qpu::handlers;
use crate::qpu::operands::moves_far;
use crate::qpu::state::{self, Index, accumulator};
use crate::rule::Rule;
use qpu::isa::{
    AddOp, Alu, Cond, File, Instruction, LoadImmediateKind, MulOp, MulPack, Mux, Pack, RaddrB,
    Rotation, Slot, Unpack, Waddr, WriteBack, raddr, waddr,
};

impl Code {
    /// The fields that execution of most plain instructions needs.
    ///
    /// `is_ordinary` says that nothing about it is odd but the units that it may use.
    pub(super) fn find_simple(&mut self, is_ordinary: bool) {
        for (place, port) in self.ports.into_iter().enumerate() {
            self.through[place] = match port {
                Port::Unit(_) => state::HELD_A + place as Index,
                _ => port.place_or(NO_REGISTER),
            };
        }
        for place in 0..2 {
            if self.conditions[place] == Cond::Never {
                continue;
            }
            let (registers, accumulators) = self.destinations[place].bits();
            self.defines.0 |= registers;
            self.defines.1 |= accumulators;
        }
        let as_is = match &self.instruction {
            Instruction::Alu(_) => {
                let leaves_last =
                    self.op_mul == MulOp::Nop && self.destinations[1] != Destination::Nowhere;
                let [first, second] = [2, 3].map(|place| moves_far(self.operands[place]));
                !leaves_last && (self.rotation == 0 || first == second)
            }
            Instruction::LoadImmediate(load) => load.kind == LoadImmediateKind::Word,
            Instruction::Semaphore(_) => true,
            Instruction::Branch(_) => false,
        };
        let as_is = as_is && self.unpack == Unpack::None && !self.indirect && !self.sf;
        self.simple = self.plain && as_is;
        self.tidy = as_is
            && is_ordinary
            && self.rules.is_empty()
            && !self.same_destination
            && self.units.any()
            && !self.units.uses(Units::OTHER_SIGNAL);
        self.handler = handlers::find(self, true);
    }

    /// Results that are written as they are, which is nearly all.
    pub(super) fn find_direct(&mut self) {
        for place in 0..2 {
            let colours = place == Slot::Mul as usize && self.colour != MulPack::None;
            if self.conditions[place] == Cond::Never {
                continue;
            }
            match self.destinations[place] {
                Destination::Nowhere => {}
                Destination::Register(index)
                    if !colours && (self.pack == Pack::None || index >= state::FILE_B) =>
                {
                    self.direct[place] = index;
                }
                Destination::Accumulator(index) if !colours => self.direct[place] = index,
                Destination::Unit(..) if !colours => {
                    self.direct[place] = state::FOR_UNIT + place as Index;
                }
                _ => self.indirect = true,
            }
        }
    }

    pub(super) fn decode_writes(&mut self, write: &WriteBack, rules: &mut Vec<Rule>) {
        let is_alu = matches!(self.instruction, Instruction::Alu(_));
        let live = match &self.instruction {
            // A mul nop with a live destination writes left-overs (vc4asm).
            Instruction::Alu(alu) => [
                alu.op_add != AddOp::Nop,
                alu.op_mul != MulOp::Nop
                    || write.cond_mul != Cond::Never && write.waddr_mul != waddr::NOP,
            ],
            _ => [true; 2],
        };
        self.sf = write.sf && !matches!(self.instruction, Instruction::Branch(_));
        self.pack = write.pack_a();
        if write.pm && write.pack != Pack::None && !is_alu {
            // Colours are made of floats by the mul ALU, which is not at work here.
            rules.push(Rule::PackReserved);
        } else if live[Slot::Mul as usize] && write.waddr_mul != waddr::NOP {
            self.colour = write.colour();
            if write.pack_mul().is_none() {
                rules.push(Rule::PackReserved);
            }
        }
        for slot in Slot::BOTH {
            let place = slot as usize;
            if !live[place] {
                continue;
            }
            let (address, file) = (write.waddr(slot), write.file(slot));
            self.destinations[place] = Destination::of(address, file);
            self.conditions[place] = write.cond(slot);
            if self.destinations[place].is_unit() {
                if write.cond(slot) == Cond::Never {
                    rules.push(Rule::NeverPeripheralWrite);
                } else {
                    self.units = self.units.with(Units::of_write(address, file));
                }
            }
            self.asks_flags |= !matches!(write.cond(slot), Cond::Never | Cond::Always);
            self.asks_carry |= matches!(write.cond(slot), Cond::CS | Cond::CC);
        }
        let goes_somewhere = |to: &Destination| *to != Destination::Nowhere;
        if self.pack != Pack::None
            && self.destinations.iter().any(goes_somewhere)
            && !self.destinations.into_iter().any(Destination::is_file_a)
        {
            rules.push(Rule::PackNoEffect);
        }
        self.same_destination = live[0]
            && live[1]
            && write.waddr_add == write.waddr_mul
            && goes_somewhere(&self.destinations[0])
            && write.waddr_add.register().is_none()
            && !differs_by_file(write.waddr_add);
        // No lane gets both results when one condition is the opposite of the other.
        let [add, mul] = self.conditions;
        self.plain &= !self.same_destination
            || add == mul.inverse()
            || add == Cond::Never
            || mul == Cond::Never;
    }

    pub(super) fn decode_alu(&mut self, format: &Alu, rules: &mut Vec<Rule>) {
        (self.op_add, self.op_mul) = (format.op_add, format.op_mul);
        self.operations = [alu::add(format.op_add), alu::mul(format.op_mul)];
        self.copies = [
            format.add_a == format.add_b && gives_either(format.op_add),
            format.mul_a == format.mul_b && matches!(format.op_mul, MulOp::V8min | MulOp::V8max),
        ];
        for (operation, copies) in self.operations.iter_mut().zip(self.copies) {
            if copies {
                *operation = alu::copy;
            }
        }
        let signal = format.signal();
        self.units = self.units.with(Units::of_signal(signal));
        let [add, mul] = Slot::BOTH.map(|slot| mux_bits(|mux| format.uses_in(slot, mux)));
        self.muxes = add | mul;
        self.decode_ports(format, rules);
        self.decode_unpack(format, rules);
        self.operands =
            [format.add_a, format.add_b, format.mul_a, format.mul_b].map(|mux| self.operand(mux));

        // py-videocore ends its programs with `or r0, r0, r0; v8min r0, r0, r0`.
        self.stays = Slot::BOTH.map(|slot| self.copies_onto_itself(format, slot));
        let add = if format.cancels(Slot::Add) { 0 } else { add };
        let mul_is_zero = format.cancels(Slot::Mul) && format.rotation().is_none();
        let mul = if mul_is_zero { 0 } else { mul };
        let kept = mux_bits(|mux| format.keeps(mux));
        let values = |muxes: u8| {
            let ports = [Mux::A, Mux::B].into_iter().zip(self.reads);
            let read = ports
                .filter(|(mux, register)| muxes & 1 << mux.bits() != 0 && *register != NO_REGISTER);
            let registers = read.fold(0_u64, |bits, (_, register)| bits | 1 << register);
            (registers, muxes & 0x3f)
        };
        (self.needed_registers, self.needed_accumulators) = values((add | mul) & kept);
        // Flags tell what a value was that stays.
        let [add, mul] = [(add, 0), (mul, 1)].map(|(muxes, place)| match self.stays[place] {
            true if !format.write.sf => 0,
            _ => muxes,
        });
        let (registers, accumulators) = values((add | mul) & kept);
        self.kept.0 = self.needed_registers & !registers;
        self.kept.1 = self.needed_accumulators & !accumulators;
        if let Some(rotation) = format.rotation()
            && format.op_mul.operands() > 0
        {
            self.rotated = mul & 0xf;
            self.rotation = match rotation {
                Rotation::By(lanes) => lanes,
                Rotation::ByR5 => {
                    self.rotated |= 1 << 5;
                    let is_written = self.destinations[1] != Destination::Nowhere
                        && self.conditions[1] != Cond::Never;
                    if is_written || format.write.sf && format.flag_slot() == Slot::Mul {
                        self.needed_accumulators |= 1 << 5;
                    }
                    BY_R5
                }
            };
        }
        if format.op_mul == MulOp::Nop && self.destinations[1] != Destination::Nowhere {
            rules.push(Rule::NopMulWrite);
        }
        if self.sf && format.op_add != AddOp::Nop && format.write.cond_add == Cond::Never {
            rules.push(Rule::FlagsCondNever);
        }
        // Which operand counts is a conflict between sources, and how ftoi rounds is another.
        self.plain &= format.op_add.operands() != 1 || format.add_a == format.add_b;
        self.plain &= format.op_add != AddOp::Ftoi;
        // The overflow of a sum is packed in its own way, which is a warning.
        self.plain &= self.pack == Pack::None
            || !self.destinations[0].is_file_a()
            || !matches!(format.op_add, AddOp::Add | AddOp::Sub);
    }

    /// True if an ALU copies a register or one of r0..r3 to itself, as it is.
    fn copies_onto_itself(&self, format: &Alu, slot: Slot) -> bool {
        let from = match slot {
            Slot::Add => format.add_a,
            Slot::Mul => format.mul_a,
        };
        let moves =
            slot == Slot::Mul && (format.rotation().is_some() || self.colour != MulPack::None);
        let is_same = match self.destinations[slot as usize] {
            Destination::Accumulator(to) => to == accumulator(from.bits()),
            Destination::Register(to) => {
                let packs = to < state::FILE_B && self.pack != Pack::None;
                let unpacks = from == Mux::A && self.unpack != Unpack::None && !format.write.pm;
                let reads = [(Mux::A, self.reads[0]), (Mux::B, self.reads[1])];
                !packs && !unpacks && reads.contains(&(from, to))
            }
            _ => false,
        };
        self.copies[slot as usize] && is_same && !moves
    }

    fn decode_ports(&mut self, alu: &Alu, rules: &mut Vec<Rule>) {
        let addresses = [alu.raddr_a, alu.read_b()];
        for (place, file) in [File::A, File::B].into_iter().enumerate() {
            let address = addresses[place];
            let mux = Mux::of(file);
            self.units = self.units.with(Units::of_read(address, file));
            self.ports[place] = match (address.register(), alu.raddr_b) {
                (_, RaddrB::SmallImmediate(immediate)) if file == File::B => {
                    Port::Constant(state::immediate(immediate))
                }
                (Some(number), _) => {
                    self.reads[place] = state::of_file(file, number);
                    Port::Register(self.reads[place])
                }
                (None, _) if address == raddr::ELEMENT_QPU => Port::Constant(match file {
                    File::A => state::ELEMENT_NUMBER,
                    File::B => state::QPU_NUMBER,
                }),
                (None, _) if address != raddr::NOP => Port::Unit(address),
                (None, _) if self.takes(mux) => {
                    if alu.keeps_result(mux, |_| true) {
                        rules.push(Rule::NopRead);
                    }
                    // A program that asks for such flags is reported.
                    self.flags_left_over |= alu.keeps_flags(mux);
                    // A mul nop may write what the mul ALU makes of them.
                    let multiplied =
                        self.op_mul != MulOp::Nop && [alu.mul_a, alu.mul_b].contains(&mux);
                    self.plain &= !self.flags_left_over && !multiplied;
                    Port::LeftOver
                }
                (None, _) => Port::Idle,
            };
        }
        if addresses == [raddr::UNIFORM; 2] {
            rules.push(Rule::UniformBothPorts);
        }
    }

    fn decode_unpack(&mut self, alu: &Alu, rules: &mut Vec<Rule>) {
        let mux = if alu.write.pm { Mux::R4 } else { Mux::A };
        if alu.unpack == Unpack::None || !self.takes(mux) {
            return;
        }
        self.unpack = alu.unpack;
        self.unpack_float = true;
        if alu.write.pm {
            return;
        }
        if alu.raddr_a.register().is_none() {
            rules.push(Rule::UnpackInput);
        }
        let [add, mul] = Slot::BOTH.map(|slot| alu.uses_in(slot, Mux::A));
        let (add_float, mul_float) = (alu.op_add.takes_floats(), alu.op_mul.is_float());
        if add && mul && add_float != mul_float && alu.unpack != Unpack::U8dr {
            rules.push(Rule::UnpackMixed);
        }
        // Decided once: one float consumer makes all see floats.
        self.unpack_float = (add && add_float) || (mul && mul_float);
    }

    /// The index of the value that a mux chooses.
    fn operand(&self, mux: Mux) -> Index {
        let unpacked = self.unpack != Unpack::None;
        let is_r4_unpacked = self.instruction.write_back().pm && unpacked;
        match mux {
            Mux::A if unpacked && !is_r4_unpacked => state::HELD_A,
            Mux::A => self.ports[0].place_or(state::HELD_A),
            Mux::B => self.ports[1].place_or(state::HELD_B),
            Mux::R4 if is_r4_unpacked => state::HELD_R4,
            _ => state::accumulator(mux.bits()),
        }
    }
}

/// A bit for each mux that is meant, by its number.
fn mux_bits(is_meant: impl Fn(Mux) -> bool) -> u8 {
    let meant = Mux::ALL.iter().filter(|mux| is_meant(**mux));
    meant.fold(0, |bits, mux| bits | 1 << mux.bits())
}

/// Operations that give one of their operands bit for bit, or what both have in common: of two
/// alike, that one.
fn gives_either(op: AddOp) -> bool {
    matches!(
        op,
        AddOp::Or | AddOp::And | AddOp::Min | AddOp::Max | AddOp::Fmin | AddOp::Fmax
    )
}

/// Addresses that are two registers, by the file through which they are written.
fn differs_by_file(address: Waddr) -> bool {
    matches!(
        address,
        waddr::VPMVCD_SETUP
            | waddr::VPM_ADDR
            | waddr::UNIFORMS_ADDRESS
            | waddr::QUAD_XY
            | waddr::MS_REV_FLAGS
    )
}

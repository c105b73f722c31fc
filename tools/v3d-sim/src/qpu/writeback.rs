//! Write-back: results to registers, accumulators and I/O, packed and masked.
//!
//! Source: guide, "Pack and unpack" and "Register address map". When both ALUs write one
//! destination the mul ALU wins, and a unit gets one write.

use super::execute::Results;
use super::state::{Index, accumulator};
use super::{Qpu, Stop};
use crate::alu::pack::{self, Packed, Source};
use crate::alu::{LANES, LaneMask, Lanes};
use crate::conflicts::ColourRounding;
use crate::decoded::{Code, Destination, NO_REGISTER};
use crate::memory::Memory;
use crate::rule::Rule;
use crate::shared::Shared;
use crate::vpm::setup::Width;
use qpu::isa::{AddOp, Cond, MulPack, Pack, Slot, waddr};

/// Operands of an add or sub, whose overflow is packed in its own way.
type Sum = (AddOp, Lanes, Lanes);

impl Qpu {
    /// Writes the results of a plain instruction.
    #[inline(always)]
    pub(super) fn write_plain(&mut self, code: &Code, results: &Results, enabled: [LaneMask; 2]) {
        if code.indirect {
            for slot in Slot::BOTH {
                let place = slot as usize;
                self.write_own(code, slot, &results.values[place], enabled[place], None);
            }
            return;
        }
        for ((index, enabled), value) in code.direct.into_iter().zip(enabled).zip(&results.values) {
            if index == NO_REGISTER || enabled == 0 {
                continue;
            }
            if index < accumulator(0) {
                self.write_register(index, value, enabled);
            } else {
                self.hazards
                    .write_accumulator(index - accumulator(0), enabled);
                write_lanes(self.registers.at_mut(index), value, enabled);
            }
        }
    }

    /// Writes both results.
    pub(super) fn write_back(
        &mut self,
        code: &Code,
        results: &Results,
        enabled: [LaneMask; 2],
        operands: [Index; 4],
        shared: &mut Shared,
        memory: &mut impl Memory,
    ) -> Result<(), Stop> {
        let add_loses =
            code.same_destination && self.check_same_destination(code, results, enabled, shared);
        let sum = self.packed_sum(code, enabled[0], operands, shared);
        for slot in Slot::BOTH {
            let place = slot as usize;
            let (value, enabled) = (&results.values[place], enabled[place]);
            if slot == Slot::Add && add_loses {
                continue;
            }
            let Destination::Unit(file, address) = code.destinations[place] else {
                let defined = self.hazards.defined();
                self.write_own(code, slot, value, enabled, sum.as_ref());
                if code.stays[place] {
                    self.hazards.keep_defined(defined);
                }
                continue;
            };
            if code.conditions[place] == Cond::Never {
                continue;
            }
            if slot == Slot::Add || code.colour == MulPack::None {
                self.write_io(file, address, value, enabled, shared, memory)?;
            } else {
                // 8888 leaves no byte as it was, and blits of VC4CV are made of it; of 8a the VPM
                // takes nothing else where elements are bytes, and pictures of remapvid are made
                // so.
                let is_whole = match code.colour {
                    MulPack::P8888 => true,
                    MulPack::P8a => {
                        address == waddr::VPM_WRITE && self.vpm_write.width == Width::Byte
                    }
                    _ => false,
                };
                if !is_whole {
                    self.warn(Rule::PackToPeripheral, shared, String::new);
                }
                let packed = value.map(|value| self.colour(code, value).bits);
                self.write_io(file, address, &packed, enabled, shared, memory)?;
            }
        }
        Ok(())
    }

    /// The operands of an add or sub that is packed; warns when it overflows.
    fn packed_sum(
        &self,
        code: &Code,
        enabled: LaneMask,
        operands: [Index; 4],
        shared: &mut Shared,
    ) -> Option<Sum> {
        let packs = code.pack != Pack::None && code.destinations[0].is_file_a();
        if !packs || !matches!(code.op_add, AddOp::Add | AddOp::Sub) {
            return None;
        }
        let [a, b] = [operands[0], operands[1]].map(|index| *self.registers.at(index));
        let overflows = |lane: usize| pack::overflow(code.op_add, a[lane], b[lane]).is_some();
        if (0..LANES).any(|lane| enabled & 1 << lane != 0 && overflows(lane)) {
            self.warn(Rule::PackOverflow, shared, String::new);
        }
        Some((code.op_add, a, b))
    }

    /// True if the add result is dropped: one unit gets one write, and that is the mul result.
    fn check_same_destination(
        &self,
        code: &Code,
        results: &Results,
        enabled: [LaneMask; 2],
        shared: &mut Shared,
    ) -> bool {
        let is_unit = matches!(code.destinations[0], Destination::Unit(..));
        // The element of each result that a lane gets.
        let from = |slot: Slot, lane: usize| match code.destinations[slot as usize] {
            Destination::R5Quads => lane & !3,
            Destination::R5 => 0,
            _ => lane,
        };
        let conflict = (0..LANES).any(|lane| {
            let [add, mul] = Slot::BOTH.map(|slot| from(slot, lane));
            let both = enabled[0] >> add & enabled[1] >> mul & 1 != 0;
            both && results.values[0][add] != results.values[1][mul]
        });
        let is_live = !code.conditions.contains(&Cond::Never);
        if is_live && (conflict || is_unit) {
            self.warn(Rule::SameDestination, shared, String::new);
        }
        is_live && is_unit
    }

    /// Writes a result to a register or an accumulator.
    fn write_own(
        &mut self,
        code: &Code,
        slot: Slot,
        value: &Lanes,
        enabled: LaneMask,
        sum: Option<&Sum>,
    ) {
        if enabled == 0 {
            return;
        }
        let colour = slot == Slot::Mul && code.colour != MulPack::None;
        match code.destinations[slot as usize] {
            Destination::Nowhere | Destination::Unit(..) => {}
            Destination::Register(index) => {
                let packs = colour || code.pack != Pack::None && index < super::state::FILE_B;
                let value = if packs {
                    &self.packed(code, slot, index, value, enabled, sum)
                } else {
                    value
                };
                self.write_register(index, value, enabled);
            }
            Destination::Accumulator(index) => {
                self.hazards
                    .write_accumulator(index - accumulator(0), enabled);
                let value = if colour {
                    &self.packed(code, slot, index, value, enabled, None)
                } else {
                    value
                };
                write_lanes(self.registers.at_mut(index), value, enabled);
            }
            to @ (Destination::R5 | Destination::R5Quads) => {
                let quads = to == Destination::R5Quads;
                let packed = if colour {
                    value.map(|value| self.colour(code, value))
                } else {
                    value.map(pack::word)
                };
                self.write_r5(quads, &packed, enabled);
            }
        }
    }

    #[inline(always)]
    pub(super) fn write_register(&mut self, index: Index, value: &Lanes, enabled: LaneMask) {
        let keep = self.hazards.overwrite(index, enabled);
        let old = *self.registers.at(index);
        *self.registers.at_mut(keep) = old;
        write_lanes(self.registers.at_mut(index), value, enabled);
    }

    /// r5 takes element 0 (of each quad, through A); the condition of that element decides (VC4C).
    fn write_r5(&mut self, quads: bool, value: &[Packed; LANES], enabled: LaneMask) {
        self.hazards.write_accumulator(5, enabled);
        for (lane, element) in self.registers.at_mut(accumulator(5)).iter_mut().enumerate() {
            let from = if quads { lane & !3 } else { 0 };
            if enabled & 1 << from != 0 {
                *element = *element & !value[from].mask | value[from].bits;
            }
        }
    }

    /// A mul result as 8-bit colour.
    fn colour(&self, code: &Code, value: u32) -> Packed {
        let rounding = match self.conflicts.colour_rounding {
            ColourRounding::Nearest => 0.5,
            ColourRounding::Truncate => 0.0,
        };
        pack::colour(code.colour, value, rounding)
    }

    /// The value of a register once a result is packed into it.
    fn packed(
        &self,
        code: &Code,
        slot: Slot,
        index: Index,
        value: &Lanes,
        enabled: LaneMask,
        sum: Option<&Sum>,
    ) -> Lanes {
        let mut register = *self.registers.at(index);
        if slot == Slot::Mul && code.colour != MulPack::None {
            pack_lanes(&mut register, enabled, |lane| {
                self.colour(code, value[lane])
            });
            return register;
        }
        let is_float = match slot {
            Slot::Add => code.op_add.gives_float(),
            Slot::Mul => code.op_mul.is_float(),
        };
        pack_lanes(&mut register, enabled, |lane| {
            let source = match sum {
                Some((op, a, b)) if slot == Slot::Add => Source::Sum(*op, a[lane], b[lane]),
                _ if is_float => Source::Float,
                _ => Source::Integer,
            };
            pack::file_a(code.pack, value[lane], source)
        });
        register
    }

    /// Writes a link address: registers and accumulators only.
    pub(super) fn write_link(&mut self, code: &Code, link: u32, shared: &mut Shared) {
        let value = [link; LANES];
        for slot in Slot::BOTH {
            if let Destination::Unit(..) = code.destinations[slot as usize] {
                self.warn(Rule::LinkDestination, shared, String::new);
            } else {
                self.write_own(code, slot, &value, LaneMask::MAX, None);
            }
        }
    }
}

#[inline(always)]
pub(super) fn write_lanes(register: &mut Lanes, value: &Lanes, enabled: LaneMask) {
    if enabled == LaneMask::MAX {
        *register = *value;
    } else {
        write_some_lanes(register, value, enabled);
    }
}

fn write_some_lanes(register: &mut Lanes, value: &Lanes, enabled: LaneMask) {
    for (lane, element) in register.iter_mut().enumerate() {
        *element = if enabled & 1 << lane != 0 {
            value[lane]
        } else {
            *element
        };
    }
}

fn pack_lanes(register: &mut Lanes, enabled: LaneMask, packed: impl Fn(usize) -> Packed) {
    for (lane, element) in register.iter_mut().enumerate() {
        if enabled & 1 << lane != 0 {
            let Packed { bits, mask } = packed(lane);
            *element = *element & !mask | bits;
        }
    }
}

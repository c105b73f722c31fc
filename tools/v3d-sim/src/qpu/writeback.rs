//! Write-back: results to registers, accumulators and I/O, packed and masked.
//!
//! Source: guide, "Pack and unpack" and "Register address map". When both ALUs write one destination
//! the mul ALU wins, and a unit gets one write.

use super::Qpu;
use crate::alu::pack::{self, Packed, Source};
use crate::alu::{LANES, LaneMask, Lanes};
use crate::event::FaultKind;
use crate::memory::Memory;
use crate::rule::Rule;
use crate::shared::Shared;
use qpu::isa::{AddOp, Cond, File, MulPack, Pack, Slot, Waddr, WriteBack, waddr};

/// A result of one ALU.
pub struct Output<'a> {
    /// The 32-bit results.
    pub value: &'a Lanes,
    /// Lanes that are written.
    pub enabled: LaneMask,
    /// Packing takes it for a float.
    pub is_float: bool,
    /// Operands of an add or sub, whose overflow is packed in its own way.
    pub sum: Option<(AddOp, &'a Lanes, &'a Lanes)>,
}

impl Output<'_> {
    fn source(&self, lane: usize) -> Source {
        match self.sum {
            Some((op, a, b)) => Source::Sum(op, a[lane], b[lane]),
            None if self.is_float => Source::Float,
            None => Source::Integer,
        }
    }
}

impl Qpu {
    /// Writes both results; `None` is an ALU that is idle.
    pub(super) fn write_back(
        &mut self,
        write: &WriteBack,
        outputs: [Option<Output>; 2],
        shared: &mut Shared,
        memory: &mut impl Memory,
    ) -> Result<(), FaultKind> {
        let mut add_loses = false;
        if let [Some(add), Some(mul)] = &outputs
            && write.waddr_add == write.waddr_mul
        {
            add_loses = self.check_same_destination(write, add, mul, shared);
        }
        let (mut written, mut packed) = (false, write.pack == Pack::None || write.pm);
        for (slot, output) in Slot::BOTH.into_iter().zip(&outputs) {
            let (address, file) = (write.waddr(slot), write.file(slot));
            let Some(output) = output else { continue };
            if address == waddr::NOP || (slot == Slot::Add && add_loses) {
                continue;
            }
            let colour = self.colour_pack(write, slot, shared);
            written = true;
            if let Some(number) = address.register() {
                let pack = if file == File::A {
                    write.pack_a()
                } else {
                    Pack::None
                };
                packed |= file == File::A;
                self.write_register(file, number, pack, colour, output, shared);
            } else if let Some(number) = address.accumulator() {
                self.write_accumulator(file, number, colour, output);
            } else if write.cond(slot) == Cond::Never {
                self.warn(Rule::NeverPeripheralWrite, shared, String::new);
            } else if colour == MulPack::None {
                self.write_io(file, address, output.value, output.enabled, shared, memory)?;
            } else {
                self.warn(Rule::PackToPeripheral, shared, String::new);
                let packed = output.value.map(|value| pack::colour(colour, value).bits);
                self.write_io(file, address, &packed, output.enabled, shared, memory)?;
            }
        }
        if written && !packed {
            self.warn(Rule::PackNoEffect, shared, String::new);
        }
        Ok(())
    }

    /// Whether the add result is dropped: one unit gets one write, and that is the mul result.
    fn check_same_destination(
        &self,
        write: &WriteBack,
        add: &Output,
        mul: &Output,
        shared: &mut Shared,
    ) -> bool {
        let address = write.waddr_add;
        let differs_by_file = matches!(
            address,
            waddr::VPMVCD_SETUP
                | waddr::VPM_ADDR
                | waddr::UNIFORMS_ADDRESS
                | waddr::QUAD_XY
                | waddr::MS_REV_FLAGS
        );
        if address == waddr::NOP || address.register().is_some() || differs_by_file {
            return false;
        }
        let both = add.enabled & mul.enabled;
        let is_accumulator = address.accumulator().is_some();
        let conflict =
            (0..LANES).any(|lane| both & 1 << lane != 0 && add.value[lane] != mul.value[lane]);
        let is_live = write.cond_add != Cond::Never && write.cond_mul != Cond::Never;
        if is_live && (conflict || !is_accumulator || address == waddr::ACC5) {
            self.warn(Rule::SameDestination, shared, String::new);
        }
        is_live && !is_accumulator
    }

    /// How a result becomes 8-bit colour: the mul result with pm = 1 only.
    fn colour_pack(&self, write: &WriteBack, slot: Slot, shared: &mut Shared) -> MulPack {
        if slot == Slot::Add || !write.pm {
            return MulPack::None;
        }
        write.pack_mul().unwrap_or_else(|| {
            self.warn(Rule::PackReserved, shared, String::new);
            MulPack::None
        })
    }

    fn write_register(
        &mut self,
        file: File,
        number: u8,
        pack: Pack,
        colour: MulPack,
        output: &Output,
        shared: &mut Shared,
    ) {
        if output.enabled == 0 {
            return;
        }
        self.hazards.overwrite(
            file,
            number,
            &self.registers.file(file)[usize::from(number)],
        );
        let overflows = |lane| match output.sum {
            Some((op, a, b)) => pack::overflow(op, a[lane], b[lane]).is_some(),
            None => false,
        };
        if pack != Pack::None
            && (0..LANES).any(|lane| output.enabled & 1 << lane != 0 && overflows(lane))
        {
            self.warn(Rule::PackOverflow, shared, String::new);
        }
        let register = &mut self.registers.file_mut(file)[usize::from(number)];
        if pack == Pack::None && colour == MulPack::None {
            write_lanes(register, output.value, output.enabled);
        } else if pack == Pack::None {
            pack_lanes(register, output, |lane| {
                pack::colour(colour, output.value[lane])
            });
        } else {
            pack_lanes(register, output, |lane| {
                pack::file_a(pack, output.value[lane], output.source(lane))
            });
        }
    }

    fn write_accumulator(&mut self, file: File, number: u8, colour: MulPack, output: &Output) {
        if output.enabled == 0 {
            return;
        }
        self.hazards.current_accumulators |= 1 << number;
        self.hazards.defined_accumulators |= 1 << number;
        let register = &mut self.registers.accumulators[usize::from(number)];
        if number == 5 {
            // r5 takes element 0 (of each quad, through A); the condition of that element decides (VC4C).
            let packed = |lane: usize| pack::colour(colour, output.value[lane]).bits;
            for (lane, element) in register.iter_mut().enumerate() {
                let from = if file == File::A { lane & !3 } else { 0 };
                if output.enabled & 1 << from != 0 {
                    *element = packed(from);
                }
            }
        } else if colour == MulPack::None {
            write_lanes(register, output.value, output.enabled);
        } else {
            pack_lanes(register, output, |lane| {
                pack::colour(colour, output.value[lane])
            });
        }
    }

    /// Writes a link address: registers and accumulators only.
    pub(super) fn write_link(&mut self, write: &WriteBack, link: u32, shared: &mut Shared) {
        let value = [link; LANES];
        let output = Output {
            value: &value,
            enabled: LaneMask::MAX,
            is_float: false,
            sum: None,
        };
        for slot in Slot::BOTH {
            let (address, file): (Waddr, File) = (write.waddr(slot), write.file(slot));
            if let Some(number) = address.register() {
                self.write_register(file, number, Pack::None, MulPack::None, &output, shared);
            } else if let Some(number) = address.accumulator() {
                self.write_accumulator(file, number, MulPack::None, &output);
            } else if address != waddr::NOP {
                self.warn(Rule::LinkDestination, shared, String::new);
            }
        }
    }
}

fn write_lanes(register: &mut Lanes, value: &Lanes, enabled: LaneMask) {
    if enabled == LaneMask::MAX {
        *register = *value;
        return;
    }
    for (lane, element) in register.iter_mut().enumerate() {
        *element = if enabled & 1 << lane != 0 {
            value[lane]
        } else {
            *element
        };
    }
}

fn pack_lanes(register: &mut Lanes, output: &Output, packed: impl Fn(usize) -> Packed) {
    for (lane, element) in register.iter_mut().enumerate() {
        if output.enabled & 1 << lane != 0 {
            let Packed { bits, mask } = packed(lane);
            *element = *element & !mask | bits;
        }
    }
}

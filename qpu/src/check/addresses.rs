//! Which registers hold addresses of code: links, and copies of them.
//!
//! A subroutine returns through a register that a branch linked to. Knowing where each link points,
//! the walk returns to the place that called, not to every place that ever does.

use super::facts::Facts;
use crate::isa::{AddOp, Alu, Cond, File, MulOp, Mux, Pack, Raddr, Slot, Unpack, Waddr};

/// Registers and the instructions whose addresses they hold, in order of the registers.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Addresses(Vec<(u8, u32)>);

/// One number for each register: file A, file B, accumulators.
fn written(file: File, address: Waddr) -> Option<u8> {
    match (address.register(), address.accumulator()) {
        (Some(number), _) => Some(in_file(file, number)),
        (None, accumulator) => accumulator
            .filter(|number| *number < 4)
            .map(|number| 64 + number),
    }
}

fn in_file(file: File, number: u8) -> u8 {
    match file {
        File::A => number,
        File::B => 32 + number,
    }
}

fn read(alu: &Alu, mux: Mux) -> Option<u8> {
    let port = |file, address: Raddr| address.register().map(|number| in_file(file, number));
    match mux {
        Mux::R0 | Mux::R1 | Mux::R2 | Mux::R3 => Some(64 + mux.bits()),
        Mux::A if alu.unpack != Unpack::None && !alu.write.pm => None,
        Mux::A => port(File::A, alu.raddr_a),
        Mux::B => port(File::B, alu.read_b()),
        Mux::R4 | Mux::R5 => None,
    }
}

impl Addresses {
    /// The instruction whose address register `number` of file A holds.
    pub fn of_file_a(&self, number: u8) -> Option<u32> {
        self.get(number)
    }

    fn get(&self, register: u8) -> Option<u32> {
        let place = self.0.binary_search_by_key(&register, |entry| entry.0);
        place.ok().map(|place| self.0[place].1)
    }

    fn set(&mut self, register: u8, value: Option<u32>) {
        match (
            self.0.binary_search_by_key(&register, |entry| entry.0),
            value,
        ) {
            (Ok(place), Some(value)) => self.0[place].1 = value,
            (Ok(place), None) => drop(self.0.remove(place)),
            (Err(place), Some(value)) => self.0.insert(place, (register, value)),
            (Err(_), None) => (),
        }
    }

    /// After the instruction; a branch's links are written with `link` when it is taken, else not at all.
    pub fn step(&mut self, at: &Facts, link: Option<u32>) {
        if at.branch().is_some() && link.is_none() {
            return;
        }
        if self.0.is_empty() && link.is_none() {
            return;
        }
        let mut changes = [None; 2];
        for (change, write) in changes.iter_mut().zip(at.writes.iter()) {
            let Some(register) = written(write.file, write.waddr) else {
                continue;
            };
            let value = match at.alu() {
                None => link,
                Some(alu) if write.cond == Cond::Always => copied(alu, write.slot)
                    .filter(|_| alu.write.pack == Pack::None)
                    .and_then(|source| self.get(source)),
                Some(_) => None,
            };
            if write.cond != Cond::Never {
                *change = Some((register, value));
            }
        }
        for (register, value) in changes.into_iter().flatten() {
            self.set(register, value);
        }
    }
}

/// The register that an ALU copies, if that is what it does. Addresses are alike in all lanes, so a
/// rotation changes nothing.
fn copied(alu: &Alu, slot: Slot) -> Option<u8> {
    let (is_copy, source) = match slot {
        Slot::Add => (alu.op_add == AddOp::Or && alu.add_a == alu.add_b, alu.add_a),
        Slot::Mul => (
            alu.op_mul == MulOp::V8min && alu.mul_a == alu.mul_b,
            alu.mul_a,
        ),
    };
    read(alu, source).filter(|_| is_copy)
}

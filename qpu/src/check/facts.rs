//! The reads and writes of an instruction, in the terms that the rules use.

use crate::isa::{
    AddOp, Alu, Branch, Cond, DecodeError, File, Instruction, Mux, Raddr, Rotation, Signal, Slot,
    Waddr, decode, raddr, waddr,
};
use crate::names::{read_name, write_name};

/// A result that goes somewhere.
#[derive(Clone, Copy)]
pub(super) struct Write {
    pub slot: Slot,
    pub file: File,
    pub waddr: Waddr,
    pub cond: Cond,
}

impl Write {
    pub fn name(&self) -> String {
        write_name(self.file, self.waddr)
    }
}

/// A read through a port. Its side effects happen whether or not an operand uses it.
#[derive(Clone, Copy)]
pub(super) struct Read {
    pub file: File,
    pub raddr: Raddr,
    /// True if an operand that counts uses the value.
    pub used: bool,
}

impl Read {
    pub fn name(&self) -> String {
        read_name(self.file, self.raddr)
    }
}

/// The number of the first accumulator, behind the registers of both files ([`in_file`]).
pub(super) const ACCUMULATORS: u8 = 64;

/// A number for each register of both files.
pub(super) const fn in_file(file: File, number: u8) -> u8 {
    match file {
        File::A => number,
        File::B => 32 + number,
    }
}

/// Up to two things: an instruction has two ports and two results.
#[derive(Clone, Copy)]
pub(super) struct UpToTwo<T>([Option<T>; 2]);

impl<T: Copy> UpToTwo<T> {
    fn new(mut all: [Option<T>; 2]) -> Self {
        if all[0].is_none() {
            all.swap(0, 1);
        }
        Self(all)
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().flatten()
    }

    /// Both, if there are two.
    pub fn both(&self) -> Option<[T; 2]> {
        Some([self.0[0]?, self.0[1]?])
    }
}

pub(super) struct Facts {
    pub instruction: Instruction,
    pub reads: UpToTwo<Read>,
    /// Results with a live destination; condition never included, for I/O only.
    pub writes: UpToTwo<Write>,
}

/// A program: its instructions, and why a word is none.
pub(super) type Program = [Result<Facts, DecodeError>];

impl Facts {
    pub fn new(word: u64) -> Result<Self, DecodeError> {
        let instruction = decode(word)?;
        Ok(Self {
            instruction,
            reads: reads(&instruction),
            writes: writes(&instruction),
        })
    }

    pub fn alu(&self) -> Option<&Alu> {
        match &self.instruction {
            Instruction::Alu(alu) => Some(alu),
            _ => None,
        }
    }

    pub fn branch(&self) -> Option<&Branch> {
        match &self.instruction {
            Instruction::Branch(branch) => Some(branch),
            _ => None,
        }
    }

    pub fn signal(&self) -> Signal {
        self.instruction.signal()
    }

    /// True if something is read through a port, used or not.
    pub fn reads_any(&self, of: impl Fn(Raddr) -> bool) -> bool {
        self.reads.iter().any(|read| of(read.raddr))
    }

    /// True if something is written.
    pub fn writes_any(&self, of: impl Fn(Waddr) -> bool) -> bool {
        self.writes.iter().any(|write| of(write.waddr))
    }

    pub fn reads_from(&self, address: Raddr) -> bool {
        self.reads_any(|raddr| raddr == address)
    }

    pub fn writes_to(&self, address: Waddr) -> bool {
        self.writes_any(|waddr| waddr == address)
    }

    /// Physical registers written.
    pub fn registers_written(&self) -> impl Iterator<Item = (File, u8)> {
        self.writes
            .iter()
            .filter_map(|write| Some((write.file, write.waddr.register()?)))
    }

    /// True if an operand that counts comes from this mux.
    pub fn uses(&self, mux: Mux) -> bool {
        self.alu().is_some_and(|alu| alu.uses(mux))
    }

    /// True if all that is wanted of a rotated result are the first lanes of its quads.
    ///
    /// Programs keep vectors of scalars: one lane of a register is written under a condition, and
    /// another is rotated to where r5, an address or a setup takes it. Source: Broadcom's shaders
    /// for `OpenVG`, py-videocore's products of matrices.
    pub fn rotates_to_first_lanes(&self) -> bool {
        let Some(alu) = self.alu().filter(|alu| alu.rotation().is_some()) else {
            return false;
        };
        let sets_flags = alu.write.sf && alu.op_add == AddOp::Nop;
        let mut products = self.writes.iter().filter(|write| write.slot == Slot::Mul);
        !sets_flags && products.all(takes_first_lanes)
    }

    /// True if all that is wanted of a rotated result comes from its own quad, over all lanes or
    /// inside quads: `<< 1` to `<< 3`, into the first lanes.
    pub fn stays_in_quads(&self) -> bool {
        let by = self.alu().and_then(Alu::rotation);
        matches!(by, Some(Rotation::By(13..=15))) && self.rotates_to_first_lanes()
    }
}

/// True if a destination takes the first lane of a result or of each quad, and no other.
fn takes_first_lanes(write: &Write) -> bool {
    matches!(
        write.waddr,
        waddr::ACC5
            | waddr::TMU_NOSWAP
            | waddr::UNIFORMS_ADDRESS
            | waddr::VPMVCD_SETUP
            | waddr::VPM_ADDR
    )
}

fn reads(instruction: &Instruction) -> UpToTwo<Read> {
    let all = match instruction {
        Instruction::Alu(alu) => [
            Some(Read {
                file: File::A,
                raddr: alu.raddr_a,
                used: alu.uses(Mux::A),
            }),
            Some(Read {
                file: File::B,
                raddr: alu.read_b(),
                used: alu.uses(Mux::B) && alu.small_immediate().is_none(),
            }),
        ],
        Instruction::Branch(branch) if branch.reg => {
            let raddr = Raddr::from_bits(branch.raddr_a).unwrap_or(raddr::NOP);
            let read = Read {
                file: File::A,
                raddr,
                used: true,
            };
            [Some(read), None]
        }
        _ => [None; 2],
    };
    UpToTwo::new(all.map(|read| read.filter(|read| read.raddr != raddr::NOP || read.used)))
}

fn writes(instruction: &Instruction) -> UpToTwo<Write> {
    let write_back = instruction.write_back();
    let add_is_idle = matches!(instruction, Instruction::Alu(alu) if alu.op_add == AddOp::Nop);
    let all = Slot::BOTH.map(|slot| {
        let write = Write {
            slot,
            file: write_back.file(slot),
            waddr: write_back.waddr(slot),
            cond: write_back.cond(slot),
        };
        let is_idle = add_is_idle && slot == Slot::Add;
        let is_live = write.cond != Cond::Never || is_peripheral(write.waddr);
        (!is_idle && write.waddr != waddr::NOP && is_live).then_some(write)
    });
    UpToTwo::new(all)
}

/// I/O beyond accumulators, whose writes do something of their own.
pub(super) fn is_peripheral(address: Waddr) -> bool {
    address.register().is_none() && address.accumulator().is_none() && address != waddr::NOP
}

/// The finding for this reason, if it is one.
pub(super) fn when(found: bool, reason: &str) -> Option<String> {
    found.then(|| reason.to_string())
}

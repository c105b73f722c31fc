//! What an instruction reads and writes, in the terms that the rules use.

use crate::isa::{
    AddOp, Alu, Branch, Cond, DecodeError, File, Instruction, Mux, Raddr, Signal, Slot, Waddr,
    decode, raddr, waddr,
};

/// A result that goes somewhere.
#[derive(Clone, Copy)]
pub(super) struct Write {
    pub slot: Slot,
    pub file: File,
    pub waddr: Waddr,
    pub cond: Cond,
}

/// A read through a port. Its side effects happen whether or not an operand uses it.
#[derive(Clone, Copy)]
pub(super) struct Read {
    pub file: File,
    pub raddr: Raddr,
    /// Whether an operand that counts uses the value.
    pub used: bool,
}

pub(super) struct Facts {
    pub instruction: Instruction,
    pub reads: Vec<Read>,
    /// Results with a live destination; condition never included, for I/O only.
    pub writes: Vec<Write>,
}

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

    /// Whether something is read through a port, used or not.
    pub fn reads_any(&self, of: impl Fn(Raddr) -> bool) -> bool {
        self.reads.iter().any(|read| of(read.raddr))
    }

    /// Whether something is written.
    pub fn writes_any(&self, of: impl Fn(Waddr) -> bool) -> bool {
        self.writes.iter().any(|write| of(write.waddr))
    }

    /// Physical registers written.
    pub fn registers_written(&self) -> impl Iterator<Item = (File, u8)> {
        self.writes
            .iter()
            .filter_map(|write| Some((write.file, write.waddr.register()?)))
    }

    /// Whether an operand that counts comes from this mux.
    pub fn uses(&self, mux: Mux) -> bool {
        self.alu().is_some_and(|alu| alu.uses(mux))
    }
}

fn reads(instruction: &Instruction) -> Vec<Read> {
    let all = match instruction {
        Instruction::Alu(alu) => vec![
            Read {
                file: File::A,
                raddr: alu.raddr_a,
                used: alu.uses(Mux::A),
            },
            Read {
                file: File::B,
                raddr: alu.read_b(),
                used: alu.uses(Mux::B) && alu.small_immediate().is_none(),
            },
        ],
        Instruction::Branch(branch) if branch.reg => {
            let raddr = Raddr::from_bits(branch.raddr_a).unwrap_or(raddr::NOP);
            vec![Read {
                file: File::A,
                raddr,
                used: true,
            }]
        }
        _ => Vec::new(),
    };
    all.into_iter()
        .filter(|read| read.raddr != raddr::NOP || read.used)
        .collect()
}

fn writes(instruction: &Instruction) -> Vec<Write> {
    let write_back = instruction.write_back();
    let add_is_idle = matches!(instruction, Instruction::Alu(alu) if alu.op_add == AddOp::Nop);
    Slot::BOTH
        .into_iter()
        .filter(|slot| !(add_is_idle && *slot == Slot::Add))
        .map(|slot| Write {
            slot,
            file: write_back.file(slot),
            waddr: write_back.waddr(slot),
            cond: write_back.cond(slot),
        })
        .filter(|write| write.waddr != waddr::NOP)
        .filter(|write| write.cond != Cond::Never || is_peripheral(write.waddr))
        .collect()
}

/// I/O beyond accumulators, whose writes do something of their own.
pub(super) fn is_peripheral(address: Waddr) -> bool {
    address.register().is_none() && address.accumulator().is_none() && address != waddr::NOP
}

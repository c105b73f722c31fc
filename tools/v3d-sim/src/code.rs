//! Instruction memory of a slice: decoded, and kept until ICC clears it.
//!
//! Like the chip's instruction cache it keeps executing what it has read once, so code that changed
//! without a clear of ICC runs as it was; unlike it, it never forgets a line by itself. An
//! instruction is read when it is executed, so nothing beyond it needs to exist.

use crate::event::{Access, FaultKind};
use crate::memory::Memory;
use qpu::isa::{
    AddOp, Cond, File, Instruction, MulOp, Mux, Raddr, Signal, Slot, Waddr, decode, raddr, waddr,
};
use std::collections::HashMap;

const LINE_BYTES: u32 = 64;

/// An instruction, ready to execute.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// As read.
    pub word: u64,
    /// As decoded.
    pub instruction: Instruction,
    /// Whether it uses more than registers and the two ALUs, so that it may have to wait.
    pub uses_units: bool,
    /// What is read through the ports of files A and B, whether an operand takes it or not.
    pub reads: [Raddr; 2],
    /// Whether the add and the mul result are ones: the operation is not nop.
    pub live: [bool; 2],
    /// A bit for each [`Mux`] that an operand which counts comes through.
    pub muxes: u8,
    /// Those whose value matters: `xor x, x` and its like give 0 for any x.
    pub needed: u8,
}

impl Code {
    fn new(word: u64, instruction: Instruction) -> Self {
        let write = instruction.write_back();
        let io_write = |address: Waddr| {
            address.bits() >= 36 && address != waddr::ACC5 && address != waddr::NOP
        };
        let io_read = |address: Raddr| address.register().is_none() && address != raddr::NOP;
        let mut code = Self {
            word,
            instruction,
            uses_units: io_write(write.waddr_add) || io_write(write.waddr_mul),
            reads: [raddr::NOP; 2],
            live: [true; 2],
            muxes: 0,
            needed: 0,
        };
        match instruction {
            Instruction::Alu(alu) => {
                code.reads = [alu.raddr_a, alu.read_b()];
                code.live = [alu.op_add != AddOp::Nop, alu.op_mul != MulOp::Nop];
                code.uses_units |=
                    alu.signal() != Signal::None || code.reads.into_iter().any(io_read);
                let bits = |operands: u8, a: Mux, b: Mux| match operands {
                    0 => 0,
                    1 => 1 << a.bits(),
                    _ => 1 << a.bits() | 1 << b.bits(),
                };
                let add = bits(alu.op_add.operands(), alu.add_a, alu.add_b);
                let mul = bits(alu.op_mul.operands(), alu.mul_a, alu.mul_b);
                code.muxes = add | mul;
                let add_is_zero = alu.add_a == alu.add_b
                    && matches!(alu.op_add, AddOp::Xor | AddOp::Sub | AddOp::V8subs);
                let mul_is_zero = alu.mul_a == alu.mul_b
                    && alu.op_mul == MulOp::V8subs
                    && alu.rotation().is_none();
                code.needed = if add_is_zero { 0 } else { add } | if mul_is_zero { 0 } else { mul };
            }
            Instruction::Semaphore(_) => code.uses_units = true,
            Instruction::LoadImmediate(_) | Instruction::Branch(_) => {}
        }
        code
    }

    /// Results that are written somewhere: slot, address and the file whose space it is in.
    pub fn writes(&self) -> impl Iterator<Item = (Slot, Waddr, File)> {
        let write = self.instruction.write_back();
        Slot::BOTH
            .into_iter()
            .zip(self.live)
            .filter(move |(slot, live)| *live && write.cond(*slot) != Cond::Never)
            .map(move |(slot, _)| (slot, write.waddr(slot), write.file(slot)))
    }

    /// Whether an operand that counts comes through `mux`.
    pub fn reads(&self, mux: Mux) -> bool {
        self.muxes & 1 << mux.bits() != 0
    }
}

#[derive(Clone, Default)]
struct Line {
    code: [Option<Code>; 8],
}

/// Where a QPU found its last instruction; saves the search for the next.
#[derive(Clone, Copy, Default, Debug)]
pub struct Cursor {
    line: Option<(u32, usize)>,
    generation: u64,
}

/// The lines that a slice has read.
#[derive(Default)]
pub struct CodeCache {
    index: HashMap<u32, usize>,
    lines: Vec<Line>,
    generation: u64,
    filled: bool,
}

/// Why there is no instruction, and the word that was read.
pub struct FetchFault {
    /// `None` when there was no memory.
    pub word: Option<u64>,
    /// Why.
    pub kind: FaultKind,
}

impl CodeCache {
    /// Forgets everything: SLCACTL.ICC.
    pub fn clear(&mut self) {
        self.index.clear();
        self.lines.clear();
        self.generation += 1;
    }

    /// Whether the line of the last fetch was read for it.
    pub fn take_filled(&mut self) -> bool {
        std::mem::take(&mut self.filled)
    }

    /// The instruction at `pc`.
    ///
    /// # Errors
    /// When there is no memory, or no instruction of user programs.
    pub fn fetch(
        &mut self,
        pc: u32,
        cursor: &mut Cursor,
        memory: &mut impl Memory,
    ) -> Result<&Code, Box<FetchFault>> {
        let base = pc & !(LINE_BYTES - 1);
        let line = match cursor.line {
            Some((at, line)) if at == base && cursor.generation == self.generation => line,
            _ => {
                let line = self.line(base);
                *cursor = Cursor {
                    line: Some((base, line)),
                    generation: self.generation,
                };
                line
            }
        };
        let slot = &mut self.lines[line].code[(pc / 8 % 8) as usize];
        match slot {
            Some(code) => Ok(code),
            None => Ok(slot.insert(read(pc, memory)?)),
        }
    }

    /// The place of the line that starts at `base`.
    fn line(&mut self, base: u32) -> usize {
        *self.index.entry(base).or_insert_with(|| {
            self.filled = true;
            self.lines.push(Line::default());
            self.lines.len() - 1
        })
    }
}

/// Reads and decodes the instruction at `pc`.
fn read(pc: u32, memory: &mut impl Memory) -> Result<Code, Box<FetchFault>> {
    let fault = |word, kind| Box::new(FetchFault { word, kind });
    let mut bytes = [0; 8];
    memory
        .read(pc, &mut bytes)
        .map_err(|absent| fault(None, FaultKind::Memory(Access::Code, absent)))?;
    let word = u64::from_le_bytes(bytes);
    if word == 0 {
        return Err(fault(Some(word), FaultKind::RanOffCode));
    }
    match decode(word) {
        Ok(instruction) => Ok(Code::new(word, instruction)),
        Err(error) => Err(fault(Some(word), FaultKind::Instruction(error.to_string()))),
    }
}

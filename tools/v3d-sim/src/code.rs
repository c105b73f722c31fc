//! Instruction memory of a slice: decoded, and kept until ICC clears it.
//!
//! Like the chip's instruction cache it keeps executing what it has read once, so code that changed
//! without a clear of ICC runs as it was; unlike it, it forgets a line by itself only when a
//! program runs through more than 256 KiB. An instruction is read when it is executed, so nothing beyond it needs to exist.

use crate::decoded::Code;
use crate::event::{Access, FaultKind};
use crate::memory::Memory;
use qpu::isa::decode;
use std::collections::HashMap;

const LINE_BYTES: u32 = 64;

/// Lines that a slice keeps: 256 KiB of code, 64 times what the chip's cache holds. A program that runs
/// through more is read anew, so that a job's memory stays bounded.
const MOST_LINES: usize = 4096;

/// Instructions in a line.
pub const LINE_CODES: usize = 8;

/// Where the instruction at `pc` is in its line.
#[inline]
pub const fn place_in_line(pc: u32) -> usize {
    pc as usize / 8 % LINE_CODES
}

#[derive(Clone, Default)]
struct Line {
    code: [Option<Code>; LINE_CODES],
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

    /// The instruction at `pc`. Counts up `lines` when its line had not been read.
    ///
    /// # Errors
    /// When there is no memory, or no instruction of user programs.
    pub fn fetch(
        &mut self,
        pc: u32,
        cursor: &mut Cursor,
        memory: &mut impl Memory,
        lines: &mut u64,
    ) -> Result<&Code, Box<FetchFault>> {
        let base = pc & !(LINE_BYTES - 1);
        let line = match cursor.line {
            Some((at, line)) if at == base && cursor.generation == self.generation => line,
            _ => {
                let line = self.line(base, lines);
                *cursor = Cursor {
                    line: Some((base, line)),
                    generation: self.generation,
                };
                line
            }
        };
        let slot = &mut self.lines[line].code[place_in_line(pc)];
        match slot {
            Some(code) => Ok(code),
            None => Ok(slot.insert(read(pc, memory)?)),
        }
    }

    /// The line of instructions around `pc`, as far as they have been read.
    #[inline]
    pub fn peek(&self, pc: u32, cursor: &mut Cursor) -> Option<&[Option<Code>; LINE_CODES]> {
        let base = pc & !(LINE_BYTES - 1);
        let line = match cursor.line {
            Some((at, line)) if at == base && cursor.generation == self.generation => line,
            _ => {
                let line = *self.index.get(&base)?;
                *cursor = Cursor {
                    line: Some((base, line)),
                    generation: self.generation,
                };
                line
            }
        };
        Some(&self.lines[line].code)
    }

    /// The place of the line that starts at `base`.
    fn line(&mut self, base: u32, lines: &mut u64) -> usize {
        if self.lines.len() == MOST_LINES && !self.index.contains_key(&base) {
            self.clear();
        }
        *self.index.entry(base).or_insert_with(|| {
            *lines += 1;
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

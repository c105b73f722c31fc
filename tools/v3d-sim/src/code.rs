//! Instruction memory of a slice: decoded, and kept until ICC clears it.
//!
//! Like the chip's instruction cache it keeps executing what it has read once, so code that changed
//! without a clear of ICC runs as it was; unlike it, it forgets a line by itself only when a
//! program runs through more than 256 KiB. An instruction is read when it is executed, so nothing beyond it needs to exist.

use crate::decoded::Code;
use crate::event::{Access, FaultKind};
use crate::memory::Memory;
use crate::run::Run;
use qpu::isa::decode;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

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

/// Instructions of a line, as far as they have been read.
pub type Codes = [Option<Code>; LINE_CODES];

#[derive(Clone, Default)]
struct Line {
    base: u32,
    code: Codes,
    /// The runs from each instruction on, as far as they are known.
    runs: [Run; LINE_CODES],
    /// The same of runs with units.
    stretches: [Run; LINE_CODES],
}

/// A multiplication spreads addresses well enough (Knuth, "The Art of Computer Programming", 6.4).
#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u32(u32::from(*byte));
        }
    }

    fn write_u32(&mut self, address: u32) {
        self.0 = (self.0 ^ u64::from(address)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

/// Where a QPU found its last instruction; saves the search for the next.
#[derive(Clone, Copy, Debug)]
pub struct Cursor {
    /// Address and place of the line.
    base: u32,
    line: usize,
    generation: u64,
}

/// The address of no line.
const NO_LINE: u32 = u32::MAX;

impl Default for Cursor {
    fn default() -> Self {
        Self {
            base: NO_LINE,
            line: 0,
            generation: 0,
        }
    }
}

/// The lines that a slice has read.
#[derive(Default)]
pub struct CodeCache {
    index: HashMap<u32, usize, BuildHasherDefault<AddressHasher>>,
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
        let line = match self.find(pc, cursor) {
            Some(line) => line,
            None => self.add(pc, cursor, lines),
        };
        let slot = &mut self.lines[line].code[place_in_line(pc)];
        match slot {
            Some(code) => Ok(code),
            None => Ok(slot.insert(read(pc, memory)?)),
        }
    }

    /// The line of instructions around `pc`, as far as they have been read.
    #[inline]
    pub fn peek(&self, pc: u32, cursor: &mut Cursor) -> Option<&Codes> {
        let line = self.find(pc, cursor)?;
        Some(&self.lines[line].code)
    }

    /// The run of instructions that starts at `pc`, and the first of them.
    #[inline]
    pub fn run(&mut self, pc: u32, cursor: &mut Cursor) -> Option<(Run, &Code)> {
        let line = self.find(pc, cursor)?;
        let (line, place) = (&mut self.lines[line], place_in_line(pc));
        let run = known(&mut line.runs[place], &line.code[place..], Run::of);
        Some((run, line.code[place].as_ref()?))
    }

    /// The run with units that starts at `pc`, and the instructions from there to the end of their line.
    #[inline]
    pub fn stretch(&mut self, pc: u32, cursor: &mut Cursor) -> Option<(Run, &[Option<Code>])> {
        let line = self.find(pc, cursor)?;
        let (line, place) = (&mut self.lines[line], place_in_line(pc));
        let rest = &line.code[place..];
        let run = known(&mut line.stretches[place], rest, Run::with_units);
        Some((run, rest))
    }

    /// Whether so many lines more can be read before all are forgotten.
    #[must_use]
    pub fn has_room(&self, lines: usize) -> bool {
        self.lines.len() + lines <= MOST_LINES
    }

    /// The place of the line around `pc`, if it has been read.
    #[inline]
    fn find(&self, pc: u32, cursor: &mut Cursor) -> Option<usize> {
        let base = pc & !(LINE_BYTES - 1);
        if cursor.generation == self.generation && cursor.base == base {
            return Some(cursor.line);
        }
        self.search(base, cursor)
    }

    fn search(&self, base: u32, cursor: &mut Cursor) -> Option<usize> {
        // Lines that follow each other were mostly read one after the other.
        let is_current = cursor.generation == self.generation && cursor.base != NO_LINE;
        let near = is_current.then_some(cursor.line + 1);
        let is_it = |line: &usize| self.lines.get(*line).is_some_and(|line| line.base == base);
        let line = match near.filter(is_it) {
            Some(line) => line,
            None => *self.index.get(&base)?,
        };
        *cursor = Cursor {
            base,
            line,
            generation: self.generation,
        };
        Some(line)
    }

    /// Makes room for the line around `pc`, which is not there.
    fn add(&mut self, pc: u32, cursor: &mut Cursor, lines: &mut u64) -> usize {
        if self.lines.len() == MOST_LINES {
            self.clear();
        }
        let base = pc & !(LINE_BYTES - 1);
        let line = self.lines.len();
        self.lines.push(Line {
            base,
            ..Line::default()
        });
        self.index.insert(base, line);
        *lines += 1;
        *cursor = Cursor {
            base,
            line,
            generation: self.generation,
        };
        line
    }
}

/// A run that `codes` begin with, looked for if it is not known yet.
#[inline]
fn known(run: &mut Run, codes: &[Option<Code>], find: impl Fn(&[Option<Code>]) -> Run) -> Run {
    if run.is_known() {
        return *run;
    }
    let found = find(codes);
    // One that ends where nothing has been read may be longer later.
    if codes.get(found.length()).is_none_or(Option::is_some) {
        *run = found;
    }
    found
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

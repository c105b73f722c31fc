//! Instruction memory of a slice: decoded, and kept until ICC clears it.
//!
//! Like the chip's instruction cache it keeps executing what it has read once, so code that changed
//! without a clear of ICC runs as it was; unlike it, it forgets code by itself only when a program
//! runs through more than 256 KiB. An instruction is read when it is executed, so nothing beyond it
//! needs to exist.

mod held;

use crate::decoded::Code;
use crate::event::{Access, FaultKind};
use crate::memory::Memory;
use crate::run::Run;
use held::Held;
use qpu::isa::{INSTRUCTION_BYTES, decode};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Bytes that are kept together: several lines of the chip's, which only make longer runs.
const BLOCK_BYTES: u32 = 512;

/// Blocks that a slice keeps: 256 KiB of code, 64 times what the chip's cache holds. A program that
/// runs through more is read anew, so that a job's memory stays bounded.
const MOST_BLOCKS: usize = 512;

/// Instructions in a block.
const BLOCK_CODES: usize = 64;

/// Instructions in a line of the chip's cache.
pub const LINE_CODES: usize = 8;

/// Bytes of such a line.
pub const LINE_BYTES: u32 = 64;

/// The index of the instruction at `pc` in its block.
#[inline]
pub const fn place_in_block(pc: u32) -> usize {
    pc as usize / 8 % BLOCK_CODES
}

/// Instructions of a block, as far as they have been read.
pub type Codes = [Option<Code>; BLOCK_CODES];

struct Block {
    code: Codes,
    /// The runs from each instruction to the end of its line at most, as far as they are known.
    runs: [Run; BLOCK_CODES],
    /// The runs with units, to the end of the block at most.
    stretches: [Run; BLOCK_CODES],
    /// Lines of which something has been read, a bit each.
    lines: u8,
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

/// The place at which a QPU found its last instruction; saves the search for the next.
#[derive(Clone, Copy, Debug)]
pub struct Cursor {
    /// Address and place of the block.
    base: u32,
    block: usize,
    generation: u64,
    /// [`WRONG`] for a QPU that multiplies wrongly, else 0.
    variant: u32,
}

/// A block has this in its address when its code is for a QPU with [`crate::Defect::WrongQpu`].
const WRONG: u32 = 1;

/// The address of no block.
const NO_BLOCK: u32 = u32::MAX;

impl Default for Cursor {
    fn default() -> Self {
        Self {
            base: NO_BLOCK,
            block: 0,
            generation: 0,
            variant: 0,
        }
    }
}

impl Cursor {
    /// The QPU goes on elsewhere.
    pub fn forget(&mut self) {
        self.base = NO_BLOCK;
    }

    /// Selects the code that it finds from now on.
    pub fn set_wrong(&mut self, wrong: bool) {
        self.variant = if wrong { WRONG } else { 0 };
    }
}

/// The code that a slice has read.
#[derive(Default)]
pub struct CodeCache {
    index: HashMap<u32, usize, BuildHasherDefault<AddressHasher>>,
    blocks: Vec<Box<Block>>,
    generation: u64,
    /// [`crate::Defect::StaleInstructions`]: what the chip's cache holds.
    held: Option<Box<Held>>,
}

/// Why there is no instruction, and the word that was read.
pub struct FetchFault {
    /// `None` when there was no memory.
    pub word: Option<u64>,
    /// Why.
    pub kind: FaultKind,
}

impl CodeCache {
    /// Forgets everything: SLCACTL.ICC. Lines that are held will be read again as they were.
    pub fn clear(&mut self) {
        self.index.clear();
        self.blocks.clear();
        self.generation += 1;
    }

    /// From now on holds as many lines of code for ever, or none. Those that it has read since it
    /// last forgot are the first.
    pub fn hold_lines(&mut self, lines: Option<usize>) {
        self.held = lines.map(|lines| Box::new(Held::new(lines)));
        let Some(held) = &mut self.held else {
            return;
        };
        let mut blocks: Vec<_> = self
            .index
            .iter()
            .map(|(base, block)| (*block, *base))
            .collect();
        blocks.sort_unstable();
        for (block, base) in blocks {
            for (place, code) in self.blocks[block].code.iter().enumerate() {
                if let Some(code) = code {
                    held.keep(
                        (base & !WRONG) + place as u32 * INSTRUCTION_BYTES,
                        code.word,
                    );
                }
            }
        }
    }

    /// The instruction at `pc`. Counts up `lines` when nothing of its line had been read.
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
        let block = match self.find(pc, cursor) {
            Some(block) => block,
            None => self.add(pc, cursor),
        };
        let (block, place) = (&mut self.blocks[block], place_in_block(pc));
        let slot = &mut block.code[place];
        match slot {
            Some(code) => Ok(code),
            None => {
                let line = 1 << (place / LINE_CODES);
                // Of what two kinds of QPUs read one counts.
                *lines += u64::from(block.lines & line == 0 && cursor.variant == 0);
                block.lines |= line;
                let word = match &mut self.held {
                    Some(held) => held.word(pc, memory)?,
                    None => read(pc, memory)?,
                };
                let mut code = decoded(word)?;
                if cursor.variant == WRONG {
                    code.multiply_wrongly();
                }
                Ok(slot.insert(code))
            }
        }
    }

    /// The block of instructions around `pc`, as far as they have been read.
    #[inline]
    pub fn peek(&self, pc: u32, cursor: &mut Cursor) -> Option<&Codes> {
        let block = self.find(pc, cursor)?;
        Some(&self.blocks[block].code)
    }

    /// The run of instructions that starts at `pc` and ends with their line at the latest, and the
    /// first of them.
    #[inline]
    pub fn run(&mut self, pc: u32, cursor: &mut Cursor) -> Option<(Run, &Code)> {
        let block = self.find(pc, cursor)?;
        let (block, place) = (&mut self.blocks[block], place_in_block(pc));
        let line = &block.code[place..(place / LINE_CODES + 1) * LINE_CODES];
        let run = known(&mut block.runs[place], line, Run::of);
        Some((run, block.code[place].as_ref()?))
    }

    /// The run with units that starts at `pc`, and the instructions from there to the end of their
    /// block.
    #[inline]
    pub fn stretch(&mut self, pc: u32, cursor: &mut Cursor) -> Option<(Run, &[Option<Code>])> {
        let block = self.find(pc, cursor)?;
        let (block, place) = (&mut self.blocks[block], place_in_block(pc));
        let rest = &block.code[place..];
        let run = known(&mut block.stretches[place], rest, Run::with_units);
        Some((run, rest))
    }

    /// True if so many instructions more can be read before all are forgotten, each in a block of
    /// its own at worst.
    #[must_use]
    pub fn has_room(&self, instructions: usize) -> bool {
        self.blocks.len() + instructions <= MOST_BLOCKS
    }

    /// The place of the block around `pc`, if something of it has been read.
    #[inline]
    fn find(&self, pc: u32, cursor: &mut Cursor) -> Option<usize> {
        let base = base(pc, cursor);
        if cursor.generation == self.generation && cursor.base == base {
            return Some(cursor.block);
        }
        self.search(base, cursor)
    }

    fn search(&self, base: u32, cursor: &mut Cursor) -> Option<usize> {
        let block = *self.index.get(&base)?;
        (cursor.base, cursor.block, cursor.generation) = (base, block, self.generation);
        Some(block)
    }

    /// Makes room for the block around `pc`, which is not there.
    fn add(&mut self, pc: u32, cursor: &mut Cursor) -> usize {
        if self.blocks.len() == MOST_BLOCKS {
            self.clear();
        }
        let base = base(pc, cursor);
        let block = self.blocks.len();
        self.blocks.push(Box::new(Block {
            code: [const { None }; BLOCK_CODES],
            runs: [Run::default(); BLOCK_CODES],
            stretches: [Run::default(); BLOCK_CODES],
            lines: 0,
        }));
        self.index.insert(base, block);
        (cursor.base, cursor.block, cursor.generation) = (base, block, self.generation);
        block
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

/// The key of a block around `pc`.
#[inline]
fn base(pc: u32, cursor: &Cursor) -> u32 {
    pc & !(BLOCK_BYTES - 1) | cursor.variant
}

fn fault(word: Option<u64>, kind: FaultKind) -> Box<FetchFault> {
    Box::new(FetchFault { word, kind })
}

/// Reads the instruction at `pc`.
fn read(pc: u32, memory: &mut impl Memory) -> Result<u64, Box<FetchFault>> {
    let mut bytes = [0; 8];
    memory
        .read(pc, &mut bytes)
        .map_err(|absent| fault(None, FaultKind::Memory(Access::Code, absent)))?;
    Ok(u64::from_le_bytes(bytes))
}

fn decoded(word: u64) -> Result<Code, Box<FetchFault>> {
    if word == 0 {
        return Err(fault(Some(word), FaultKind::RanOffCode));
    }
    match decode(word) {
        Ok(instruction) => Ok(Code::new(word, instruction)),
        Err(error) => Err(fault(Some(word), FaultKind::Instruction(error.to_string()))),
    }
}

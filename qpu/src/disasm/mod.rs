//! Disassembly: the text of instructions and of whole programs.
//!
//! The text is what `qpu::asm` reads, close to vc4asm's: operation of the add ALU, `;`, operation
//! of the mul ALU, `;`, signal. An idle add ALU beside a busy mul ALU is written `nop`, so that
//! left is always the add ALU. `.setf` and conditions (`.ifz`) follow the operation; `>> n` on the
//! operands r0..r3 of the mul ALU is a rotation by n lanes upwards (`<< n` downwards); `read unif`
//! is a port that reads I/O which no operand uses; `mnop r0` an idle mul ALU that writes what it
//! had left over. Constants of setup registers are the functions that make them.
//!
//! | function | for |
//! |---|---|
//! | [`text`], [`line`](fn@line) | one word |
//! | [`listing`] | people: address, word and text |
//! | [`source`] | the assembler: gives back the same words, whatever they are |
//! | [`canonical`] | the word that the assembler makes of an instruction's text |
//!
//! In a listing `|` marks instructions that execute after a branch or program end is decided (delay
//! slots). A word that is no instruction is `.int` with the reason.

mod alu;
mod canonical;
mod source;
mod write_back;

use std::fmt::Write;

use crate::isa::{
    Branch, DELAY_SLOTS, File, INSTRUCTION_BYTES, Instruction, LoadImmediate, LoadImmediateKind,
    Semaphore, SemaphoreAction, Slot, decode, waddr,
};
use crate::vpm::functions::push_call;
use write_back::push_outputs;

pub use canonical::canonical;
pub use source::{SourceOptions, source};

/// The text of one word, without comment; `None` when it is no instruction.
///
/// Branches give their offset or address as a number.
#[must_use]
pub fn text(word: u64) -> Option<String> {
    let instruction = decode(word).ok()?;
    let mut out = String::new();
    text_of(&mut out, &instruction, None);
    Some(out)
}

/// The text of one word with what people want to know; `pc` is its byte address, which relative
/// branches count from.
#[must_use]
pub fn line(word: u64, pc: u32) -> String {
    let mut out = String::new();
    push_line(&mut out, word, pc, None);
    out
}

fn push_line(out: &mut String, word: u64, pc: u32, label: Option<&str>) {
    let instruction = match decode(word) {
        Ok(instruction) => instruction,
        Err(error) => {
            let (low, high) = (word as u32, word >> 32);
            let _ = write!(out, ".int {low:#010x}, {high:#010x} # {error}");
            return;
        }
    };
    text_of(out, &instruction, label);
    if let (Instruction::Branch(branch), None) = (instruction, label)
        && branch.rel
        && !branch.reg
    {
        let _ = write!(out, " # {:#06x}", branch.target(pc, 0));
    }
}

/// Address, word and text of each instruction; branch targets inside the program get labels L1, L2
/// ...
#[must_use]
pub fn listing(words: &[u64]) -> String {
    listing_with_labels(words, &[])
}

/// [`listing`] with names for instructions, by index; targets that have no name get one.
#[must_use]
pub fn listing_with_labels(words: &[u64], labels: &[(usize, String)]) -> String {
    let labels = Labels::new(words, labels);
    let mut out = String::new();
    let mut slots = SlotsLeft::default();
    for (index, &word) in words.iter().enumerate() {
        for name in labels.at(index) {
            let _ = writeln!(out, ":{name}");
        }
        let pc = index as u32 * INSTRUCTION_BYTES;
        let in_slot = slots.next(decode(word).ok().as_ref());
        let mark = if in_slot { '|' } else { ' ' };
        let _ = write!(
            out,
            "{pc:04x}  {:08x}_{:08x} {mark} ",
            word >> 32,
            word as u32
        );
        let label = target(words, index).and_then(|place| labels.first(place));
        push_line(&mut out, word, pc, label);
        out.push('\n');
    }
    out
}

/// Names of instructions, in the order of their indices.
struct Labels(Vec<(usize, String)>);

impl Labels {
    /// The names given, and L1, L2 ... for branch targets that have none.
    fn new(words: &[u64], given: &[(usize, String)]) -> Self {
        let mut labels = given.to_vec();
        let mut targets: Vec<usize> = (0..words.len())
            .filter_map(|index| target(words, index))
            .collect();
        targets.sort_unstable();
        targets.dedup();
        targets.retain(|target| given.iter().all(|(index, _)| index != target));
        let generated = targets.into_iter().zip(1..);
        labels.extend(generated.map(|(target, number)| (target, format!("L{number}"))));
        labels.sort_by_key(|(index, _)| *index);
        Self(labels)
    }

    fn at(&self, index: usize) -> impl Iterator<Item = &str> {
        let start = self.0.partition_point(|(at, _)| *at < index);
        let names = self.0[start..].iter();
        names
            .take_while(move |(at, _)| *at == index)
            .map(|(_, name)| name.as_str())
    }

    fn first(&self, index: usize) -> Option<&str> {
        self.at(index).next()
    }
}

/// Counts the instructions that still execute after a change of flow.
#[derive(Default)]
pub(crate) struct SlotsLeft(u32);

impl SlotsLeft {
    /// Reports if the instruction, given in program order, executes after a change of flow.
    pub fn next(&mut self, instruction: Option<&Instruction>) -> bool {
        let in_slot = self.0 > 0;
        self.0 = match instruction {
            Some(Instruction::Branch(_)) => DELAY_SLOTS,
            Some(instruction) if instruction.signal().ends_program() => 2,
            _ => self.0.saturating_sub(1),
        };
        in_slot
    }
}

/// The index that the branch at `index` goes to, if it is a branch to a place in the program.
fn target(words: &[u64], index: usize) -> Option<usize> {
    // Sig 15 is a branch; most words are none.
    if words[index] >> 60 != 15 {
        return None;
    }
    let Ok(Instruction::Branch(branch)) = decode(words[index]) else {
        return None;
    };
    let target = branch.target(index as u32 * INSTRUCTION_BYTES, 0);
    let place = (target / INSTRUCTION_BYTES) as usize;
    let known = branch.rel && !branch.reg && target.is_multiple_of(INSTRUCTION_BYTES);
    (known && place < words.len()).then_some(place)
}

/// The text of an instruction; a branch names `label` instead of its offset, if there is one.
fn text_of(out: &mut String, instruction: &Instruction, label: Option<&str>) {
    match instruction {
        Instruction::Alu(instruction) => alu::push(out, instruction),
        Instruction::LoadImmediate(load) => push_load(out, load),
        Instruction::Semaphore(semaphore) => push_semaphore(out, semaphore),
        Instruction::Branch(branch) => push_branch(out, branch, label),
    }
}

fn push_load(out: &mut String, load: &LoadImmediate) {
    out.push_str("ldi");
    push_outputs(out, &load.write);
    out.push_str(", ");
    match (load.kind, setup_file(load)) {
        (LoadImmediateKind::Word, Some(file)) if push_call(out, file, load.immediate) => (),
        (LoadImmediateKind::Word, _) => push_number(out, load.immediate),
        _ => {
            for lane in 0..16 {
                out.push(if lane == 0 { '[' } else { ',' });
                let _ = write!(out, "{}", load.value(lane) as i32);
            }
            out.push(']');
        }
    }
}

/// The file of the setup that the constant goes to: `rd_setup` (file A) or `wr_setup` (file B), if
/// it goes to only one of them.
fn setup_file(load: &LoadImmediate) -> Option<File> {
    let is_setup = |slot| load.write.waddr(slot) == waddr::VPMVCD_SETUP;
    match Slot::BOTH.map(is_setup) {
        [true, false] => Some(load.write.file(Slot::Add)),
        [false, true] => Some(load.write.file(Slot::Mul)),
        _ => None,
    }
}

fn push_semaphore(out: &mut String, semaphore: &Semaphore) {
    out.push_str(match semaphore.action() {
        SemaphoreAction::Increment => "srel",
        SemaphoreAction::Decrement => "sacq",
    });
    push_outputs(out, &semaphore.write);
    let _ = write!(out, ", {}", semaphore.number());
}

/// One or two links, then the register and the offset, of which one may be left out beside one
/// link.
fn push_branch(out: &mut String, branch: &Branch, label: Option<&str>) {
    out.push_str(if branch.rel { "brr" } else { "bra" });
    if !branch.cond_br.name().is_empty() {
        out.push('.');
        out.push_str(branch.cond_br.name());
    }
    // The flag bit is the lowest of the register number and not the text's business.
    let mut links = branch.link_write();
    links.sf = false;
    push_outputs(out, &links);
    let has_two_links = branch.waddr_mul != waddr::NOP;
    if branch.reg {
        let _ = write!(out, ", ra{}", branch.raddr_a);
    } else if has_two_links {
        out.push_str(", -");
    }
    if branch.reg && branch.immediate == 0 && !has_two_links {
        return;
    }
    let _ = match label {
        Some(label) => write!(out, ", r:{label}"),
        None if branch.rel => write!(out, ", {}", branch.immediate as i32),
        None => write!(out, ", {:#x}", branch.immediate),
    };
}

/// Small numbers in decimal, others as bit patterns.
fn push_number(out: &mut String, word: u32) {
    let _ = match word as i32 {
        value @ -1023..=1023 => write!(out, "{value}"),
        _ => write!(out, "{word:#x}"),
    };
}

#[cfg(test)]
mod tests;

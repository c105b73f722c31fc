//! Disassembly: the text of instructions and of whole programs.
//!
//! The text is close to vc4asm's: operation of the add ALU, `;`, operation of the mul ALU, `;`, signal.
//! An idle add ALU beside a busy mul ALU is written `nop`, so that left is always the add ALU. `.setf`
//! and conditions (`.ifz`) follow the operation; `>> n` on the operands of the mul ALU is a rotation
//! by n lanes upwards (`<< n` downwards); `read unif` is a port that reads I/O which no operand uses.
//!
//! In a listing `|` marks instructions that execute after a branch or program end is decided (delay
//! slots). A word that is no instruction is `.long` with the reason.

mod alu;
mod names;

use std::fmt::Write;

use crate::isa::{
    Branch, Cond, DELAY_SLOTS, File, INSTRUCTION_BYTES, Instruction, LoadImmediate,
    LoadImmediateKind, Semaphore, SemaphoreAction, Slot, WriteBack, decode, waddr,
};

pub use names::{read_name, write_name};

/// The text of one word; `pc` is its byte address, which relative branches count from.
#[must_use]
pub fn line(word: u64, pc: u32) -> String {
    match decode(word) {
        Ok(Instruction::Branch(branch)) if branch.rel && !branch.reg => {
            format!(
                "{} # {:#06x}",
                text(&Instruction::Branch(branch), None),
                branch.target(pc, 0)
            )
        }
        Ok(instruction) => text(&instruction, None),
        Err(error) => format!(
            ".long {:#010x}, {:#010x} # {error}",
            word as u32,
            word >> 32
        ),
    }
}

/// Address, word and text of each instruction; branch targets inside the program get labels L1, L2 ...
#[must_use]
pub fn listing(words: &[u64]) -> String {
    listing_with_labels(words, &[])
}

/// [`listing`] with names for instructions, by index; targets that have no name get one.
#[must_use]
pub fn listing_with_labels(words: &[u64], labels: &[(usize, String)]) -> String {
    let mut labels = labels.to_vec();
    let mut targets: Vec<usize> = (0..words.len())
        .filter_map(|index| target(words, index))
        .collect();
    targets.sort_unstable();
    targets.dedup();
    targets.retain(|target| labels.iter().all(|(index, _)| index != target));
    labels.extend(
        targets
            .into_iter()
            .enumerate()
            .map(|(n, target)| (target, format!("L{}", n + 1))),
    );

    let name_of = |index| {
        labels
            .iter()
            .find(|(at, _)| *at == index)
            .map(|(_, name)| name.as_str())
    };
    let mut out = String::new();
    let mut slots = 0;
    for (index, word) in words.iter().enumerate() {
        for (_, name) in labels.iter().filter(|(at, _)| *at == index) {
            writeln!(out, "{name}:").unwrap_or_default();
        }
        let pc = index as u32 * INSTRUCTION_BYTES;
        let text = match (decode(*word), target(words, index).and_then(name_of)) {
            (Ok(instruction), Some(name)) => text(&instruction, Some(name)),
            _ => line(*word, pc),
        };
        let mark = if slots > 0 { '|' } else { ' ' };
        writeln!(
            out,
            "{pc:04x}  {:08x}_{:08x} {mark} {text}",
            word >> 32,
            *word as u32
        )
        .unwrap_or_default();
        slots = match decode(*word) {
            Ok(Instruction::Branch(_)) => DELAY_SLOTS,
            Ok(instruction) if instruction.signal().ends_program() => 2,
            _ => u32::saturating_sub(slots, 1),
        };
    }
    out
}

/// The index that the branch at `index` goes to, if it is a branch to a place in the program.
fn target(words: &[u64], index: usize) -> Option<usize> {
    let Ok(Instruction::Branch(branch)) = decode(words[index]) else {
        return None;
    };
    let target = branch.target(index as u32 * INSTRUCTION_BYTES, 0);
    let place = (target / INSTRUCTION_BYTES) as usize;
    let known = branch.rel && !branch.reg && target.is_multiple_of(INSTRUCTION_BYTES);
    (known && place < words.len()).then_some(place)
}

/// The text of an instruction; a branch names `target` instead of its offset, if there is one.
fn text(instruction: &Instruction, target: Option<&str>) -> String {
    match instruction {
        Instruction::Alu(instruction) => alu::text(instruction),
        Instruction::LoadImmediate(load) => load_text(load),
        Instruction::Semaphore(semaphore) => semaphore_text(semaphore),
        Instruction::Branch(branch) => branch_text(branch, target),
    }
}

fn load_text(load: &LoadImmediate) -> String {
    let value = match load.kind {
        LoadImmediateKind::Word => number(load.immediate),
        _ => {
            let lanes: Vec<String> = (0..16)
                .map(|lane| (load.value(lane) as i32).to_string())
                .collect();
            format!("[{}]", lanes.join(","))
        }
    };
    format!(
        "{} {}, {value}",
        load.kind.name().to_string() + &suffixes(&load.write),
        outputs(&load.write)
    )
}

fn semaphore_text(semaphore: &Semaphore) -> String {
    let name = match semaphore.action() {
        SemaphoreAction::Increment => "srel",
        SemaphoreAction::Decrement => "sacq",
    };
    let (suffixes, outputs) = (suffixes(&semaphore.write), outputs(&semaphore.write));
    format!("{name}{suffixes} {outputs}, {}", semaphore.number())
}

fn branch_text(branch: &Branch, target: Option<&str>) -> String {
    let mut out = String::from(if branch.rel { "brr" } else { "bra" });
    if !branch.cond_br.name().is_empty() {
        out = out + "." + branch.cond_br.name();
    }
    out = out + " " + &outputs(&branch.link_write());
    if branch.reg {
        out += &format!(", ra{}", branch.raddr_a);
    }
    match target {
        Some(name) => out = out + ", " + name,
        None if branch.rel && (!branch.reg || branch.immediate != 0) => {
            out += &format!(", {:+}", branch.immediate as i32);
        }
        None if !branch.reg || branch.immediate != 0 => {
            out += &format!(", {:#x}", branch.immediate)
        }
        None => (),
    }
    out
}

/// Small numbers in decimal, others as bit patterns.
fn number(word: u32) -> String {
    match word as i32 {
        value @ -1023..=1023 => value.to_string(),
        _ => format!("{word:#x}"),
    }
}

/// Flags and, where both results share it, the condition.
fn suffixes(write: &WriteBack) -> String {
    let mut out = String::new();
    if write.sf {
        out += ".setf";
    }
    if let Some(cond) = shared_condition(write) {
        out += &condition(cond);
    }
    out
}

fn condition(cond: Cond) -> String {
    if cond == Cond::Always {
        String::new()
    } else {
        format!(".{}", cond.name())
    }
}

fn shared_condition(write: &WriteBack) -> Option<Cond> {
    let idle = |slot| write.waddr(slot) == waddr::NOP && write.cond(slot) == Cond::Never;
    match Slot::BOTH.map(idle) {
        [true, true] => Some(Cond::Always),
        [false, true] => Some(write.cond_add),
        [true, false] => Some(write.cond_mul),
        [false, false] => (write.cond_add == write.cond_mul).then_some(write.cond_add),
    }
}

/// Destinations of a value that both ALUs deliver: the second is left out when it is written nowhere.
fn outputs(write: &WriteBack) -> String {
    let name = |slot| {
        let name = destination(write, slot);
        if shared_condition(write).is_none() {
            name + &condition(write.cond(slot))
        } else {
            name
        }
    };
    match write.waddr_mul {
        waddr::NOP => name(Slot::Add),
        _ => name(Slot::Add) + ", " + &name(Slot::Mul),
    }
}

/// Name of a destination with its pack mode.
fn destination(write: &WriteBack, slot: Slot) -> String {
    let (file, waddr) = (write.file(slot), write.waddr(slot));
    let name = write_name(file, waddr);
    let pack = match (write.pm, slot) {
        (true, Slot::Mul) => write.pack.name(),
        (false, _) if file == File::A && waddr.register().is_some() => write.pack.name(),
        _ => "",
    };
    if pack.is_empty() {
        name
    } else {
        format!("{name}.{pack}")
    }
}

#[cfg(test)]
mod tests;

//! The code of a job as a listing: line numbers, labels, and addresses that people can write.
//!
//! A listing begins where a launch starts a program and goes on to the first word that is no
//! instruction. Targets of branches inside are L1, L2 ... in the order of their addresses; the
//! starts of programs are `start`, `start2` ...

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use qpu::isa::{INSTRUCTION_BYTES, Instruction, decode};
use v3d_sim::{JobLaunch, Memory, SparseMemory};

/// The longest program that is listed.
const MOST_INSTRUCTIONS: u32 = 8192;

/// Instructions by address, and their labels.
pub struct CodeMap {
    words: BTreeMap<u32, u64>,
    labels: BTreeMap<u32, String>,
    /// Addresses by line number, from 1 on.
    lines: Vec<u32>,
}

fn word(memory: &mut impl Memory, address: u32) -> Option<u64> {
    let mut bytes = [0; 8];
    memory.read(address, &mut bytes).ok()?;
    Some(u64::from_le_bytes(bytes))
}

impl CodeMap {
    /// The code that the launches start.
    pub fn new(memory: &mut SparseMemory, launches: &[JobLaunch]) -> Self {
        let programs = launches.iter().flat_map(|launch| &launch.programs);
        let starts: BTreeSet<u32> = programs.map(|program| program.code.0).collect();
        let mut words = BTreeMap::new();
        for start in &starts {
            for index in 0..MOST_INSTRUCTIONS {
                let address = start.wrapping_add(index * INSTRUCTION_BYTES);
                match word(memory, address) {
                    Some(word) if word != 0 && decode(word).is_ok() => words.insert(address, word),
                    _ => break,
                };
            }
        }
        let mut targets: BTreeSet<u32> = words
            .iter()
            .filter_map(|(address, word)| match decode(*word) {
                Ok(Instruction::Branch(branch)) if branch.rel && !branch.reg => {
                    Some(branch.target(*address, 0))
                }
                _ => None,
            })
            .filter(|target| words.contains_key(target))
            .collect();
        let mut labels = BTreeMap::new();
        for (number, start) in starts.iter().enumerate() {
            targets.remove(start);
            labels.insert(
                *start,
                match number {
                    0 => "start".to_owned(),
                    _ => format!("start{}", number + 1),
                },
            );
        }
        for (number, target) in targets.into_iter().enumerate() {
            labels.insert(target, format!("L{}", number + 1));
        }
        Self {
            lines: words.keys().copied().collect(),
            words,
            labels,
        }
    }

    /// An address as people write it: `0x40001000`, `L2`, `L2+3` (instructions), `:12` (a line of
    /// the listing), `.` (where the QPU stands).
    ///
    /// # Errors
    /// With what to write instead.
    pub fn address(&self, text: &str, here: u32) -> Result<u32, String> {
        if let Some((base, more)) = text.split_once('+') {
            let more = common::quantity::number(more)?;
            let base = self.address(base, here)?;
            return Ok(base.wrapping_add((more as u32).wrapping_mul(INSTRUCTION_BYTES)));
        }
        if text == "." {
            return Ok(here);
        }
        if let Some(line) = text.strip_prefix(':') {
            let number = common::quantity::number(line)?;
            let index = usize::try_from(number).ok().and_then(|n| n.checked_sub(1));
            return index
                .and_then(|index| self.lines.get(index).copied())
                .ok_or_else(|| {
                    format!("there is no line {line}; `list` has {}", self.lines.len())
                });
        }
        if let Some((address, _)) = self.labels.iter().find(|(_, label)| *label == text) {
            return Ok(*address);
        }
        match common::quantity::number(text) {
            Ok(number) => u32::try_from(number)
                .map_err(|_| format!("{text} is larger than an address can be")),
            Err(_) => {
                let labels: Vec<&str> = self.labels.values().map(String::as_str).collect();
                Err(format!(
                    "`{text}` is no address; write 0x40001000, :LINE or one of {}",
                    labels.join(", ")
                ))
            }
        }
    }

    /// The address of an instruction, which must be one.
    ///
    /// # Errors
    /// As [`CodeMap::address`], and where no instruction can begin.
    pub fn instruction(&self, text: &str, here: u32) -> Result<u32, String> {
        let address = self.address(text, here)?;
        if !address.is_multiple_of(INSTRUCTION_BYTES) {
            return Err(format!(
                "{address:#010x} is no multiple of 8, where instructions begin"
            ));
        }
        Ok(address)
    }

    /// The label of an address, if it has one.
    pub fn label(&self, address: u32) -> Option<&str> {
        self.labels.get(&address).map(String::as_str)
    }

    /// The addresses of the listing around `address`, `before` lines of it first; where the listing
    /// has nothing, what follows in memory.
    pub fn around(&self, address: u32, before: usize, count: usize) -> Vec<u32> {
        match self.lines.binary_search(&address) {
            Ok(line) => {
                let from = line.saturating_sub(before);
                let to = (from + count).min(self.lines.len());
                self.lines[from..to].to_vec()
            }
            Err(_) => (0..count as u32)
                .map(|index| address.wrapping_add(index * INSTRUCTION_BYTES))
                .collect(),
        }
    }

    /// One line: marks of the caller, address, line number, text as memory has it now.
    pub fn line(&self, memory: &mut impl Memory, address: u32, marks: &str) -> String {
        let mut out = String::new();
        if let Some(label) = self.label(address) {
            let _ = writeln!(out, "{label}:");
        }
        let number = self
            .lines
            .binary_search(&address)
            .map_or_else(|_| String::new(), |line| (line + 1).to_string());
        let text = match word(memory, address) {
            Some(word) => qpu::disasm::line(word, address),
            None => "(no memory)".to_owned(),
        };
        let target = match self.words.get(&address).map(|word| decode(*word)) {
            Some(Ok(Instruction::Branch(branch))) if branch.rel && !branch.reg => self
                .label(branch.target(address, 0))
                .map_or_else(String::new, |label| format!(" ({label})")),
            _ => String::new(),
        };
        let _ = writeln!(
            out,
            "{marks:<3} {address:#010x} {number:>5}  {text}{target}"
        );
        out
    }
}

#[cfg(test)]
mod tests {
    use qpu::generate::*;
    use qpu::isa::BranchCond;
    use qpu::job::{BusAddr, CacheClear, Program};

    use super::*;

    fn map() -> CodeMap {
        let mut b = Builder::new();
        b.mov(R0, UNIF);
        let again = b.here("again");
        b.brr(BranchCond::Always, again);
        b.nops(3);
        let words = b.finish_unchecked().expect("a program");
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut memory = SparseMemory::new();
        memory.put(0x1000, &bytes);
        let program = Program {
            code: BusAddr(0x1000),
            uniforms: BusAddr(0),
        };
        let launch = JobLaunch {
            programs: vec![program; 2],
            clear: CacheClear::All,
        };
        CodeMap::new(&mut memory, &[launch])
    }

    #[test]
    fn addresses_are_numbers_labels_lines_and_here() {
        let map = map();
        assert_eq!(map.lines.len(), 5);
        for (text, address) in [
            ("0x1010", 0x1010),
            ("start", 0x1000),
            ("L1", 0x1008),
            ("L1+2", 0x1018),
            (":2", 0x1008),
            (".", 0x1020),
            (".+1", 0x1028),
        ] {
            assert_eq!(map.instruction(text, 0x1020), Ok(address), "{text}");
        }
        for (text, named) in [
            ("L2", "one of start, L1"),
            (":6", "has 5"),
            (":0", "no line 0"),
            ("0x1004", "multiple of 8"),
            ("0x100000000", "larger"),
            ("L1+x", "no number"),
        ] {
            let error = map.instruction(text, 0).expect_err(text);
            assert!(error.contains(named), "{text}: {error}");
        }
    }
}

//! A generated program: what the planner takes of it, and its listing.

use super::code::Code;
use super::program::{Program, Record, Start, Tail, Task};
use super::uniform::UniformId;
use core::ops::Range;
use qpu::disasm;
use qpu::generate::reads_uniform;

/// A generated program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generated {
    /// The task that it does.
    pub task: Task,
    /// Instructions.
    pub code: Vec<u64>,
    /// First instruction of the loop over units, and the first behind it; empty without such a
    /// loop.
    pub units: Range<usize>,
    /// Start list.
    pub start: Vec<Start>,
    /// Words of a record.
    pub record: Vec<Record>,
    /// Words of the tail.
    pub tail: Vec<Tail>,
    /// Words of a row list.
    pub rows: Vec<UniformId>,
    /// Words of a scalar list.
    pub scalars: Vec<UniformId>,
    /// Names of uniforms, in the order in which the instructions that read them stand.
    pub(super) reads: Vec<String>,
    /// Names of instructions, by index.
    pub(super) labels: Vec<(usize, String)>,
}

impl Generated {
    /// `fft-first-32` or `fft-first-32-i16`, say.
    #[must_use]
    pub fn name(&self) -> String {
        self.task.name().to_string()
    }

    /// The program for a planner, in memory that is never given back.
    #[must_use]
    pub fn leak(self) -> Program {
        Program {
            task: self.task,
            code: Code::Words(self.code.leak()),
            start: self.start.leak(),
            record: self.record.leak(),
            tail: self.tail.leak(),
            rows: self.rows.leak(),
            scalars: self.scalars.leak(),
        }
    }

    /// The index of the instruction with this label.
    pub(super) fn label(&self, wanted: &str) -> Option<usize> {
        let found = self.labels.iter().find(|(_, name)| name == wanted);
        found.map(|(at, _)| *at)
    }

    /// The program as text: byte offset, word, instruction, and which uniform it reads.
    #[must_use]
    pub fn listing(&self) -> String {
        let mut uniforms = self.reads.iter();
        let mut labels = self.labels.iter().peekable();
        let mut text = String::new();
        for (index, &word) in self.code.iter().enumerate() {
            while let Some((_, name)) = labels.next_if(|(at, _)| *at == index) {
                text.push_str(&format!(":{name}\n"));
            }
            let pc = 8 * index as u32;
            let uniform = reads_uniform(word).then(|| uniforms.next()).flatten();
            let comment = uniform.map_or(String::new(), |uniform| format!("    # {uniform}"));
            let line = disasm::line(word, pc);
            text.push_str(&format!("{pc:04x}  {word:016x}  {line}{comment}\n"));
        }
        text
    }
}

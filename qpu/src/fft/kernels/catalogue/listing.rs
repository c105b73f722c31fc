//! Listings of programs that run units.

use super::programs::{List, uniform_name};
use crate::disasm;
use crate::fft::kernels::program::{Record, Start, Task};
use crate::fft::kernels::spectral;
use crate::fft::kernels::uniform::{Pack, UniformId};
use crate::fft::kernels::unit_loop::Generated;
use crate::generate::reads_uniform;

impl Generated {
    /// The program as text: byte offset, word, instruction, and which uniform it reads.
    #[must_use]
    pub fn listing(&self) -> String {
        let record = |word: &Record| match *word {
            Record::Kernel(id) => uniform_name(self.task, List::Record, id),
            word => format!("{word:?}"),
        };
        let row = |id: &UniformId| uniform_name(self.task, List::Row, *id);
        let start = |word: &Start| match *word {
            Start::Kernel(id) => uniform_name(self.task, List::Start, id),
            Start::Record(word) => format!("Record({})", record(&word)),
            Start::Row(id) => format!("Row({})", row(&id)),
            word => format!("{word:?}"),
        };
        // What the store reads of a record comes behind everything else of a unit.
        let is_late = |word: &Record| match *word {
            Record::StoreSetup { .. } => true,
            Record::Kernel(id) if matches!(self.task, Task::Bins(_)) => {
                matches!(spectral::Record::of(id), spectral::Record::Old { .. })
            }
            _ => false,
        };
        let late = self.record.iter().position(is_late);
        let (early, late) = self.record.split_at(late.unwrap_or(self.record.len()));
        let [routines, rows] = &self.listed;
        let scalars = self.scalars.iter();
        let names = self.start.iter().map(start);
        let mut uniforms = names
            .chain(routines.iter().map(row))
            .chain(early.iter().map(record))
            .chain(rows.iter().map(row))
            .chain(scalars.map(|id| uniform_name(self.task, List::Scalar, *id)))
            .chain(late.iter().map(record))
            .chain(self.tail.iter().map(|word| format!("{word:?}")));
        let mut labels = self.labels.iter().peekable();
        let mut text = String::new();
        for (index, &word) in self.code.iter().enumerate() {
            while let Some((_, name)) = labels.next_if(|(at, _)| *at == index) {
                text.push_str(&format!(":{name}\n"));
            }
            let pc = 8 * index as u32;
            let uniform = reads_uniform(word).then(|| uniforms.next()).flatten();
            let line = disasm::line(word, pc);
            let comment = uniform.map_or(String::new(), |uniform| format!("    # {uniform}"));
            text.push_str(&format!("{pc:04x}  {word:016x}  {line}{comment}\n"));
        }
        text
    }
}

//! Programs that run units of 256 points: the passes of any transform.
//!
//! [`crate::fft::program`] says what each computes and what its uniforms mean. A program is a frame
//! ([`frame`]: start, loop, locks, store, end) around a codelet, whose operations the scheduler
//! packs: [`first`] and [`only`] read the caller's rows, [`middle`] and [`last`] cells; all
//! transform 16 vectors and then across lanes.

mod across;
mod bins;
mod cells;
mod codelet;
mod columns;
mod convert;
mod first;
mod frame;
mod groups;
mod independent;
mod last;
mod listing;
mod middle;
mod only;
mod points;
mod samples;
mod tile;

use crate::fft::Role;
use crate::fft::bins::Bins;
use crate::fft::program::{Kind, Record, Samples, Start, Tail, Task};
use crate::fft::uniform::{Pack, UniformId};
use crate::generate::tuned;

/// A word that a program reads as a uniform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Word {
    Start(Start),
    Record(Record),
    Row(UniformId),
    Scalar(UniformId),
}

impl Word {
    fn start(word: impl Into<Start>) -> Self {
        Self::Start(word.into())
    }

    fn record(word: impl Into<Record>) -> Self {
        Self::Record(word.into())
    }

    fn row(word: impl Pack) -> Self {
        Self::Row(word.id())
    }

    fn scalar(word: impl Pack) -> Self {
        Self::Scalar(word.id())
    }
}

/// A generated program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generated {
    /// The task that it does.
    pub task: Task,
    /// Instructions.
    pub code: Vec<u64>,
    /// First instruction of the loop over units, and the first behind it.
    pub units: core::ops::Range<usize>,
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
    /// Words of row lists as the code has them: what routines read in one call, and what the loop
    /// reads.
    listed: [Vec<UniformId>; 2],
    /// Names of instructions, by index.
    labels: Vec<(usize, String)>,
}

/// The tasks for which there are programs.
#[must_use]
pub fn tasks() -> Vec<Task> {
    let of = |role, radices: &[u16], samples: Samples| -> Vec<Kind> {
        let kind = |&radix| Kind {
            role,
            radix,
            samples,
            sharers: 1,
        };
        radices.iter().map(kind).collect()
    };
    let begin = Samples::ALL
        .into_iter()
        .flat_map(|samples| of(Role::First, &[16, 32, 64], samples));
    let only = of(Role::Only, &[16, 32, 64, 128], Samples::Points);
    let middle = of(Role::Middle, &[16, 32, 64, 128], Samples::Points);
    let last = of(Role::Last, &[16, 32, 64, 128], Samples::Points);
    let shared = [
        (Role::First, 128, 2),
        (Role::First, 128, 4),
        (Role::Last, 128, 2),
        (Role::Last, 256, 4),
    ];
    let shared = shared.map(|(role, radix, sharers)| Kind {
        role,
        radix,
        samples: Samples::Points,
        sharers,
    });
    let kinds = only
        .into_iter()
        .chain(begin)
        .chain(middle)
        .chain(last)
        .chain(shared);
    let kinds = kinds.map(Task::Points);
    let conversions = [Samples::Windowed, Samples::I16, Samples::Bytes];
    let bins = Bins::ALL.map(Task::Bins);
    kinds
        .chain(bins)
        .chain(conversions.map(Task::Convert))
        .collect()
}

/// The phase of what is scheduled as one piece: a unit.
const UNIT: &str = "unit";

/// The keys of all units that are scheduled as one piece.
pub(super) fn keys() -> impl Iterator<Item = tuned::Key> {
    tasks()
        .into_iter()
        .filter_map(|task| codelet_of(task)?.key())
}

/// Searches for a schedule of a program's loop by `tries` attempts from the one in use: a line of
/// `tuned/schedules.txt`, and the length without the store. `None` for one in several pieces.
#[must_use]
pub fn search(task: Task, tries: u16) -> Option<(String, usize)> {
    codelet_of(task)?.search(tries)
}

/// The program for a task.
///
/// # Panics
/// When there is none, or the program breaks a rule that the checker knows: a bug of the
/// generator, found at build time.
#[must_use]
pub fn program(task: Task) -> Generated {
    match (task, codelet_of(task)) {
        (_, Some(written)) => written.finish(),
        (Task::Bins(bins), None) => bins::program(bins),
        (Task::Convert(samples), None) => convert::program(samples),
        (task, None) => panic!("{task} has a generator of its own"),
    }
}

/// The codelet that is scheduled in a program that is a frame around it.
fn codelet_of(task: Task) -> Option<frame::Written> {
    let kind = match task {
        Task::Points(kind) => kind,
        Task::Bins(bins) => return bins::written(bins),
        Task::Convert(_) | Task::Shared { .. } | Task::Several { .. } => return None,
    };
    Some(match kind.role {
        Role::First if kind.sharers > 1 => tile::first(kind),
        Role::Last if kind.sharers > 1 => tile::last(kind),
        Role::First => first::program(kind),
        Role::Middle => middle::program(kind),
        Role::Last => last::program(kind),
        Role::Only => only::program(kind),
    })
}

/// The part of programs' names that stands for their samples.
const fn suffix(samples: Samples) -> &'static str {
    match samples {
        Samples::Points => "",
        Samples::Windowed => "-windowed",
        Samples::I16 => "-i16",
        Samples::Bytes => "-bytes",
    }
}

/// The name of a program's listing. Programs that go through the VPM are named elsewhere.
fn name_of(task: Task) -> String {
    let kind = match task {
        Task::Points(kind) => kind,
        Task::Bins(bins) => return format!("fft-{}", bins.name()),
        Task::Convert(samples) => return format!("fft-convert{}", suffix(samples)),
        Task::Shared { log2_points } => return format!("fft-coop-{log2_points}"),
        Task::Several { log2_points } => return format!("fft-short-{log2_points}"),
    };
    let role = match kind.role {
        Role::Only => "only",
        Role::First => "first",
        Role::Middle => "middle",
        Role::Last => "last",
    };
    let samples = suffix(kind.samples);
    let shared = match kind.sharers {
        1 => "",
        2 => "-shared",
        _ => "-quad",
    };
    format!("fft-{role}-{}{shared}{samples}", kind.radix)
}

impl Generated {
    /// `fft-first-32` or `fft-first-32-i16`, say.
    #[must_use]
    pub fn name(&self) -> String {
        name_of(self.task)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::fft::reads_uniform;

    #[test]
    fn a_program_lists_each_uniform_that_it_reads() {
        for program in tasks().into_iter().map(program) {
            let reads = program
                .code
                .iter()
                .filter(|word| reads_uniform(**word))
                .count();
            // The first unit of some has its record in the start list.
            let of_first = |word: &&Start| matches!(word, Start::Record(_));
            let repeated = program.start.iter().filter(of_first).count();
            let listed = program.start.len() - repeated
                + program.record.len()
                + program.listed.iter().map(Vec::len).sum::<usize>()
                + program.scalars.len()
                + program.tail.len();
            assert_eq!(reads, listed, "{}", program.name());
        }
    }

    #[test]
    fn loops_fit_the_instruction_cache_of_a_slice() {
        let programs = tasks().into_iter().map(program);
        let lengths = programs.map(|program| {
            let length = program.units.len();
            let name = program.name();
            println!(
                "{name}: {length} instructions, {} in all",
                program.code.len()
            );
            (name, length)
        });
        let longer = lengths.filter(|&(_, length)| length > 512);
        let longer: Vec<_> = longer.map(|(name, _)| name).collect();
        assert!(longer.is_empty(), "{longer:?}");
    }
}

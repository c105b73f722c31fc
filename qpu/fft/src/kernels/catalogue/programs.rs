//! The programs of all kernels.
//!
//! Programs that run units are a loop ([`unit_loop`](crate::kernels::unit_loop)) around a
//! codelet, whose operations the scheduler packs. Those of one-pass transforms are pieces with code
//! between them ([`one_pass::program`](crate::kernels::one_pass::program)).

use super::Pass;
use crate::Role;
use crate::kernels::one_pass::program::{Piece, Tried};
use crate::kernels::pipeline::{self, double_buffered};
use crate::kernels::program::{Kind, Samples, Task};
use crate::kernels::spectral::{self, Bins};
use crate::kernels::uniform::UniformId;
use crate::kernels::unit_loop::Written;
use crate::kernels::{convert, short, tile, unit};
use crate::schedules;
use qpu::generate::schedule::{self, ScheduleTuning};

pub use crate::kernels::generated::Generated;
pub use crate::kernels::one_pass::program::Phase;

/// The tasks for which there are programs.
#[must_use]
pub fn tasks() -> Vec<Task> {
    let kind = |role, radix, samples, sharers| Kind {
        role,
        radix,
        samples,
        sharers,
    };
    let alone = |role| [16, 32, 64, 128].map(|radix| kind(role, radix, Samples::Points, 1));
    let first = Samples::ALL
        .into_iter()
        .filter(|samples| !samples.is_converted_apart())
        .flat_map(|samples| [16, 32, 64].map(|radix| kind(Role::First, radix, samples, 1)));
    let shared = [
        (Role::First, 128, 2),
        (Role::First, 128, 4),
        (Role::Last, 128, 2),
        (Role::Last, 256, 4),
    ];
    let shared = shared.map(|(role, radix, sharers)| kind(role, radix, Samples::Points, sharers));
    let kinds = alone(Role::Single)
        .into_iter()
        .chain(first)
        .chain(alone(Role::Middle))
        .chain(alone(Role::Last))
        .chain(shared);
    let converted = Samples::ALL
        .into_iter()
        .filter(|&samples| samples != Samples::Points);
    kinds
        .map(Task::Points)
        .chain(Bins::all().map(Task::Bins))
        .chain(converted.map(Task::Convert))
        .collect()
}

/// All programs.
///
/// # Panics
/// As [`program`] and [`one_pass_programs`].
#[must_use]
pub fn all() -> Vec<Generated> {
    let units = tasks().into_iter().map(program);
    units.chain(one_pass_programs()).collect()
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
        (Task::Bins(bins), None) => spectral::code::short_split::program(bins),
        (Task::Convert(samples), None) => convert::code::program(samples),
        (task, None) => panic!("{task} has a generator of its own"),
    }
}

/// The codelet that is scheduled in a program with a unit loop around it.
fn codelet_of(task: Task) -> Option<Written> {
    let kind = match task {
        Task::Points(kind) => kind,
        Task::Bins(bins) => return spectral::code::written(bins),
        Task::Convert(_) | Task::OnePass { .. } | Task::OnePassBatch { .. } => return None,
    };
    Some(match kind.role {
        Role::First if kind.sharers > 1 => tile::code::first(kind),
        Role::Last if kind.sharers > 1 => tile::code::last(kind),
        Role::First | Role::Single => unit::code::first(kind),
        Role::Middle => unit::code::middle(kind),
        Role::Last => unit::code::last(kind),
    })
}

/// The passes that there are programs for.
fn passes() -> impl Iterator<Item = Pass> {
    let long = (9..=12).filter_map(Pass::one);
    let several = (4..=10).filter_map(Pass::several);
    long.chain(several)
}

/// The programs of one-pass transforms.
///
/// # Panics
/// When a program breaks a rule that the checker knows: a bug of the generator, found at build
/// time.
#[must_use]
pub fn one_pass_programs() -> Vec<Generated> {
    passes().map(|pass| one_pass_program(pass, None)).collect()
}

/// The pass that a program computes.
fn pass_of(program: &Generated) -> Pass {
    let mut all = passes();
    all.find(|pass| pass.layout().task() == program.task)
        .expect("a program of this list")
}

fn one_pass_program(pass: Pass, tried: Tried<'_>) -> Generated {
    match pass {
        Pass::Pipeline(pipeline) => pipeline::code::program(pipeline, tried),
        Pass::DoubleBuffered(_) => double_buffered::code::program(tried),
        Pass::Short(short) => short::code::program(short, tried),
        _ => unreachable!("only passes through the VPM are listed"),
    }
}

/// The pieces of a program: their keys among the searched schedules, and their operations.
fn pieces(pass: Pass) -> Vec<(schedules::Key, Vec<schedule::Operation<UniformId>>)> {
    let pieces = match pass {
        Pass::Short(short) => short::code::build(short).0.untyped(),
        Pass::Pipeline(pipeline) => pipeline::code::build(pipeline).0.untyped(),
        Pass::DoubleBuffered(_) => double_buffered::code::build().untyped(),
        _ => unreachable!("only passes through the VPM are listed"),
    };
    let with_key = |(phase, piece): Piece<UniformId>| {
        (
            schedules::Key::new(pass.layout().task().name().to_string(), phase, &piece),
            piece,
        )
    };
    pieces.into_iter().map(with_key).collect()
}

/// Searches for shorter schedules of a program's pieces: lines of `tuned/schedules.txt`, and
/// lengths.
#[must_use]
pub fn search_one_pass(program: &Generated, tries: u16) -> Vec<(String, usize)> {
    let search = |(key, piece): (schedules::Key, Vec<_>)| {
        let (tuning, length) = schedule::search(&piece, &key.tuning(), tries);
        (key.line(&tuning), length)
    };
    pieces(pass_of(program)).into_iter().map(search).collect()
}

/// The key of a piece of a program, by the name of its phase.
#[must_use]
pub fn key_of(program: &Generated, phase: &str) -> Option<schedules::Key> {
    let mut keys = pieces(pass_of(program)).into_iter().map(|(key, _)| key);
    keys.find(|key| key.phase == phase)
}

/// A copy of the program with another tuning for one of its pieces: for searches that run it.
///
/// # Panics
/// As [`one_pass_programs`], and where the piece gets too short for what is put into it.
#[must_use]
pub fn with_tuning(program: &Generated, phase: Phase, tuning: &ScheduleTuning) -> Generated {
    one_pass_program(pass_of(program), Some((phase, tuning)))
}

/// Searched schedules ([`schedules`]) that are ignored, because operations have changed since.
#[must_use]
pub fn stale_schedules() -> Vec<String> {
    let units = tasks()
        .into_iter()
        .filter_map(|task| codelet_of(task)?.key());
    let pieces = passes().flat_map(pieces).map(|(key, _)| key);
    schedules::stale(&units.chain(pieces).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::program::Start;
    use qpu::generate::reads_uniform;
    use std::collections::HashSet;

    #[test]
    fn a_program_lists_each_uniform_that_it_reads() {
        for program in all() {
            let reads = program.code.iter().filter(|word| reads_uniform(**word));
            let reads = reads.count();
            assert_eq!(reads, program.reads.len(), "{}", program.name());
            if program.units.is_empty() {
                continue;
            }
            // The first unit of some has its record in the start list.
            let of_first = |word: &&Start| matches!(word, Start::Record(_));
            let repeated = program.start.iter().filter(of_first).count();
            let others = program.start.len() - repeated
                + program.record.len()
                + program.scalars.len()
                + program.tail.len();
            // Rows that routines read stand in the code once.
            let is_listed = (others..=others + program.rows.len()).contains(&reads);
            assert!(is_listed, "{}: {reads}", program.name());
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

    /// A slice runs producers or consumers. With theirs stand their ends, which are no part of a
    /// loop.
    #[test]
    fn loops_of_producers_and_of_consumers_fit_an_instruction_cache() {
        let mut pipelines = 0;
        for program in one_pass_programs() {
            if !matches!(pass_of(&program), Pass::Pipeline(_)) {
                continue;
            }
            pipelines += 1;
            let label = |wanted: &str| program.label(wanted).expect("a label of pipelines");
            let loops = [
                label("ended") - label("produce"),
                program.code.len() - label("round"),
            ];
            // A line of 8 instructions in which a loop begins is another's as well.
            let fit = loops.iter().all(|&words| words <= 512 - 8);
            assert!(fit, "{}: {loops:?}", program.name());
        }
        assert_eq!(pipelines, 4);
    }

    /// A slice runs producers or consumers of the double-buffered pipeline. The loop over
    /// transforms of either is no more lines than it holds.
    #[test]
    fn loops_of_the_double_buffered_pipeline_fit_an_instruction_cache() {
        let all = one_pass_programs();
        let program = all
            .iter()
            .find(|program| matches!(pass_of(program), Pass::DoubleBuffered(_)));
        let program = program.expect("there is one");
        let label = |wanted: &str| program.label(wanted).expect("a label");
        let producer = label("unit")..label("finish");
        let round = label("transform")..label("ended");
        let rest = label("again")..program.code.len();
        for (role, code) in [
            ("producers", producer.collect::<Vec<_>>()),
            ("consumers", round.chain(rest).collect()),
        ] {
            let lines: HashSet<_> = code.iter().map(|at| at / 8).collect();
            assert!(lines.len() <= 64, "{role}: {} lines", lines.len());
        }
    }

    /// Code that QPUs of a slice run again for each unit has no more lines than its instruction
    /// cache holds.
    #[test]
    fn loops_of_short_lengths_fit_an_instruction_cache() {
        let mut shared = 0;
        for program in one_pass_programs() {
            let Pass::Short(short) = pass_of(&program) else {
                continue;
            };
            let label = |wanted: &str| program.label(wanted);
            let [unit, more] = ["unit", "more"].map(|name| label(name).expect("a label of all"));
            // Who conducts has code of its own in between.
            let end = label("conduct").unwrap_or(more);
            let unit = (unit..end).chain(more..program.code.len());
            let lines: HashSet<_> = unit.map(|at| at / 8).collect();
            assert!(
                lines.len() <= 64,
                "{}: {} lines",
                program.name(),
                lines.len()
            );
            shared += u32::from(short.is_shared());
        }
        assert_eq!(shared, 2);
    }
}

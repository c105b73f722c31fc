//! Searched schedules, as data.
//!
//! `schedules.txt` has a line for each piece of a program that a search ran for: the program's
//! name, the phase that the piece is of, the [`hash`] of its operations, then what
//! [`ScheduleTuning`] holds: percent of program order, and moves. A move acts on the numbers of
//! operations, so a line is worthless once a codelet is edited: it is then ignored, and [`stale`]
//! reports it. A piece without a line gets a few simple mixtures when the program is built.
//!
//! The searches are `cargo run --release -p qpu-fft --example` `search_schedules` (units),
//! `search_one_pass`, and `search_clocks`, which runs the programs; each prints lines.

use qpu::generate::schedule::{Operation, ScheduleTuning};
use std::collections::HashSet;
use std::fmt::Debug;

const SCHEDULES: &str = include_str!("schedules.txt");

/// A piece of a program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    /// The name of its listing.
    pub program: String,
    /// The part of the program.
    pub phase: &'static str,
    /// The [`hash`] of its operations.
    pub hash: u64,
}

impl Key {
    /// The key of operations.
    #[must_use]
    pub fn new<U: Copy + PartialEq>(
        program: String,
        phase: &'static str,
        operations: &[Operation<U>],
    ) -> Self {
        Self {
            program,
            phase,
            hash: hash(operations),
        }
    }

    /// The tuning of the piece; the default where no search ran for these operations.
    ///
    /// # Panics
    /// When `schedules.txt` is no such list.
    #[must_use]
    pub fn tuning(&self) -> ScheduleTuning {
        let mut all = SCHEDULES.lines().map(fields);
        let own = all.find(|[program, phase, hash, ..]| self.is(program, phase, hash));
        own.map_or_else(ScheduleTuning::default, |[.., order, moves]| {
            let number = |text: &str| text.parse().expect("a number of schedules.txt");
            ScheduleTuning {
                order: Some(order.parse().expect("percents")),
                moves: moves.split_whitespace().map(number).collect(),
            }
        })
    }

    fn is(&self, program: &str, phase: &str, hash: &str) -> bool {
        program == self.program
            && phase == self.phase
            && u64::from_str_radix(hash, 16) == Ok(self.hash)
    }

    /// The line of `schedules.txt` for a tuning.
    #[must_use]
    pub fn line(&self, tuning: &ScheduleTuning) -> String {
        let order = tuning.order.unwrap_or(0);
        let moves: String = tuning.moves.iter().map(|it| format!(" {it}")).collect();
        format!(
            "{} {} {:016x} {order}{moves}",
            self.program, self.phase, self.hash
        )
    }
}

/// Program, phase, hash, order and moves of a line.
fn fields(line: &str) -> [&str; 5] {
    let mut fields = line.splitn(5, ' ');
    [(); 5].map(|()| fields.next().unwrap_or_default())
}

/// Lines of `schedules.txt` that belong to none of these pieces: edited since, or gone.
#[must_use]
pub fn stale(pieces: &[Key]) -> Vec<String> {
    let there: HashSet<_> = pieces
        .iter()
        .map(|key| (key.program.as_str(), key.phase, key.hash))
        .collect();
    let is_stale = |[program, phase, hash, ..]: &[&str; 5]| {
        u64::from_str_radix(hash, 16).map_or(true, |hash| !there.contains(&(program, *phase, hash)))
    };
    let lines = SCHEDULES.lines().map(fields).filter(is_stale);
    lines
        .map(|[program, phase, ..]| format!("{program}, phase {phase}"))
        .collect()
}

/// A number for operations, the same wherever the scheduler would do the same: uniforms count by
/// their order, not by their names. FNV-1a.
fn hash<U: Copy + PartialEq>(operations: &[Operation<U>]) -> u64 {
    let mut uniforms: Vec<U> = Vec::new();
    let mut hash = 0xcbf2_9ce4_8422_2325;
    let mut add = |value: &dyn Debug| {
        for byte in format!("{value:?};").bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    for it in operations {
        let number = |word| {
            let known = uniforms.iter().position(|&known| known == word);
            known.unwrap_or_else(|| {
                uniforms.push(word);
                uniforms.len() - 1
            })
        };
        let it = it.map_uniforms(number);
        add(&(it.unit, it.sources, it.destinations, it.cond));
        add(&(it.sets_flags, it.rotation, it.unpack, it.is_barrier));
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::catalogue::programs::stale_schedules;
    use qpu::generate::schedule::{Place, Source};

    /// `cargo xtask lint` runs this test.
    #[test]
    fn every_searched_schedule_is_of_operations_that_there_are() {
        assert_eq!(
            stale_schedules(),
            [""; 0],
            "search anew, or remove the line"
        );
    }

    #[test]
    fn names_of_uniforms_do_not_count_and_their_identity_does() {
        let copies = |words: [u8; 2]| {
            hash(&words.map(|word| Operation::copy(Source::Uniform(word), Place::Accumulator(0))))
        };
        assert_eq!(copies([1, 2]), copies([3, 1]));
        assert_ne!(copies([1, 2]), copies([1, 1]));
    }
}

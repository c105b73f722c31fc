//! The use of clocks: issues and waits of every instruction, on every QPU.

use crate::chip::QPUS;
use crate::observe::{Issue, Observer, Stall};
use std::collections::{BTreeMap, HashMap};

/// The work of one QPU on one instruction.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Spent {
    /// The number of executions.
    pub issues: u64,
    /// Clocks for which it waited, by cause ([`crate::Wait::cause`]).
    pub stalled: BTreeMap<&'static str, u64>,
}

impl Spent {
    /// Clocks for which it waited, whatever for.
    #[must_use]
    pub fn stalled_clocks(&self) -> u64 {
        self.stalled.values().sum()
    }

    /// Adds the figures of another profile.
    pub fn add(&mut self, other: &Self) {
        self.issues += other.issues;
        for (cause, clocks) in &other.stalled {
            *self.stalled.entry(cause).or_default() += clocks;
        }
    }
}

/// An instruction and what all QPUs did with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProfileLine {
    /// Its bus address, as the first QPU reached it.
    pub pc: u32,
    /// The instruction; `None` when it was fetched in vain.
    pub word: Option<u64>,
    /// By QPU.
    pub spent: [Spent; QPUS],
}

impl ProfileLine {
    fn new(pc: u32, word: Option<u64>) -> Self {
        Self {
            pc,
            word,
            spent: Default::default(),
        }
    }

    /// Over all QPUs.
    #[must_use]
    pub fn total(&self) -> Spent {
        let mut total = Spent::default();
        for spent in &self.spent {
            total.add(spent);
        }
        total
    }
}

/// An [`Observer`] that counts issues and waits of every instruction.
///
/// Memory grows with the number of instructions in the programs, not with the length of the run.
#[derive(Clone, Default, Debug)]
pub struct Profile {
    lines: Vec<ProfileLine>,
    places: HashMap<(u32, u64), usize>,
    /// The place at which each QPU waits for an instruction whose word is not known yet, and the
    /// length of its waits.
    waiting: [(u32, BTreeMap<&'static str, u64>); QPUS],
    /// The line that each QPU was at last; it stays there or goes on to the next, mostly.
    last: [usize; QPUS],
}

impl Profile {
    /// Nothing counted yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// All instructions that were executed or waited for, by address. Where code was replaced
    /// between launches an address has several lines.
    #[must_use]
    pub fn lines(&self) -> Vec<ProfileLine> {
        let mut lines = self.lines.clone();
        let unknown = lines.len();
        for (qpu, (pc, stalled)) in self.waiting.iter().enumerate() {
            if stalled.is_empty() {
                continue;
            }
            let same = lines[unknown..].iter().position(|line| line.pc == *pc);
            let place = same.map_or(lines.len(), |place| unknown + place);
            if place == lines.len() {
                lines.push(ProfileLine::new(*pc, None));
            }
            lines[place].spent[qpu].stalled.clone_from(stalled);
        }
        lines.sort_by_key(|line| (line.pc, line.word));
        lines
    }

    /// The work of each QPU in all.
    #[must_use]
    pub fn by_qpu(&self) -> [Spent; QPUS] {
        let mut totals: [Spent; QPUS] = Default::default();
        for line in self.lines() {
            for (total, spent) in totals.iter_mut().zip(&line.spent) {
                total.add(spent);
            }
        }
        totals
    }

    fn place(&mut self, qpu: usize, pc: u32, word: u64) -> usize {
        let is_it = |line: &ProfileLine| line.pc == pc && line.word == Some(word);
        let last = self.last[qpu];
        for near in [last + 1, last] {
            if self.lines.get(near).is_some_and(is_it) {
                return near;
            }
        }
        let lines = &mut self.lines;
        *self.places.entry((pc, word)).or_insert_with(|| {
            lines.push(ProfileLine::new(pc, Some(word)));
            lines.len() - 1
        })
    }

    /// The clocks that a QPU has spent on an instruction whose word is known now, the wait for the
    /// word included.
    fn spent(&mut self, qpu: usize, pc: u32, word: u64) -> &mut Spent {
        let place = self.place(qpu, pc, word);
        self.last[qpu] = place;
        let spent = &mut self.lines[place].spent[qpu];
        let (waited_at, stalled) = &mut self.waiting[qpu];
        if !stalled.is_empty() && *waited_at == pc {
            let stalled = std::mem::take(stalled);
            spent.add(&Spent { issues: 0, stalled });
        }
        spent
    }
}

impl Observer for Profile {
    fn issued(&mut self, issue: Issue, _: crate::QpuView<'_>) {
        let qpu = usize::from(issue.qpu);
        self.spent(qpu, issue.pc, issue.word).issues += 1;
    }

    fn stalled(&mut self, stall: Stall) {
        let qpu = usize::from(stall.qpu);
        let stalled = match stall.word {
            Some(word) => &mut self.spent(qpu, stall.pc, word).stalled,
            None => {
                let (pc, stalled) = &mut self.waiting[qpu];
                *pc = stall.pc;
                stalled
            }
        };
        *stalled.entry(stall.wait.cause()).or_default() += stall.clocks;
    }
}

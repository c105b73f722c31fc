//! Ways through a program, delay slots and branch targets included.

use std::collections::HashSet;

use super::facts::Facts;
use crate::isa::{BranchCond, Cond, DELAY_SLOTS, INSTRUCTION_BYTES};

/// Where a decided change of flow goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    To(usize),
    /// To an address that the walk does not know.
    Unknown,
    /// Nowhere: the program ends.
    End,
}

/// A decided change of flow, and how many more instructions come before it.
type Pending = (u32, Goal);

/// A program, to be walked from any of its instructions.
pub(super) struct Walk<'a> {
    facts: &'a [Option<Facts>],
    /// Where links point to.
    returns: Vec<usize>,
    /// Where branches go to, as far as it is known.
    targets: HashSet<usize>,
}

impl<'a> Walk<'a> {
    pub fn new(facts: &'a [Option<Facts>]) -> Self {
        let mut walk = Self {
            facts,
            returns: returns(facts),
            targets: HashSet::new(),
        };
        let goals = (0..facts.len())
            .flat_map(|index| walk.decide(index))
            .flatten();
        walk.targets = goals
            .filter_map(|(_, goal)| match goal {
                Goal::To(target) => Some(target),
                Goal::Unknown | Goal::End => None,
            })
            .collect();
        walk
    }

    /// Calls `visit` with every sequence of up to `depth` instructions that can follow `start`.
    ///
    /// `visit` gets indices; an index of `facts.len()`, always the last, is where a way runs off the end.
    pub fn following(&self, start: usize, depth: usize, visit: &mut impl FnMut(&[usize])) {
        // Branches and program ends whose delay slots `start` stands in, each taken or not.
        let mut entries: Vec<Vec<Pending>> = vec![Vec::new()];
        for back in 1..=DELAY_SLOTS as usize {
            let Some(index) = start.checked_sub(back) else {
                break;
            };
            let decided = self.decide(index);
            entries =
                entries
                    .iter()
                    .flat_map(|entry| decided.iter().map(|decision| (entry.clone(), decision)))
                    .map(|(mut entry, decision)| {
                        // What is decided by then is over: a program end three back means a jump to `start`.
                        entry.extend(decision.and_then(|(slots, goal)| {
                            Some((slots.checked_sub(back as u32)?, goal))
                        }));
                        entry
                    })
                    .collect();
        }
        if self.targets.contains(&start) {
            entries.push(Vec::new());
        }
        for entry in entries {
            self.step(start, &entry, depth, &mut Vec::new(), visit);
        }
    }

    /// The changes of flow that the instruction can decide; `None` is none.
    fn decide(&self, index: usize) -> Vec<Option<Pending>> {
        let Some(Some(facts)) = self.facts.get(index) else {
            return vec![None];
        };
        if facts.signal().ends_program() {
            return vec![Some((2, Goal::End))];
        }
        let Some(branch) = facts.branch() else {
            return vec![None];
        };
        let target = branch.target(index as u32 * INSTRUCTION_BYTES, 0);
        let goals = if branch.rel && !branch.reg {
            vec![Goal::To((target / INSTRUCTION_BYTES) as usize)]
        } else if branch.reg && !branch.rel && branch.immediate == 0 && !self.returns.is_empty() {
            self.returns.iter().map(|place| Goal::To(*place)).collect()
        } else {
            vec![Goal::Unknown]
        };
        let mut decisions: Vec<_> = goals
            .into_iter()
            .map(|goal| Some((DELAY_SLOTS, goal)))
            .collect();
        if branch.cond_br != BranchCond::Always {
            decisions.push(None);
        }
        decisions
    }

    fn step(
        &self,
        at: usize,
        pending: &[Pending],
        depth: usize,
        path: &mut Vec<usize>,
        visit: &mut impl FnMut(&[usize]),
    ) {
        if path.len() == depth {
            visit(path);
            return;
        }
        for decision in self.decide(at) {
            let mut pending = pending.to_vec();
            pending.extend(decision);
            let due = pending
                .iter()
                .position(|(slots, _)| *slots == 0)
                .map(|due| pending.remove(due).1);
            pending
                .iter_mut()
                .for_each(|(slots, _)| *slots = slots.saturating_sub(1));
            let next = match due {
                None => at + 1,
                Some(Goal::To(target)) => target,
                Some(Goal::Unknown | Goal::End) => {
                    visit(path);
                    continue;
                }
            };
            path.push(next.min(self.facts.len()));
            if next < self.facts.len() {
                self.step(next, &pending, depth, path, visit);
            } else {
                visit(path);
            }
            path.pop();
        }
    }
}

/// The instructions after the delay slots of branches that write a link.
fn returns(facts: &[Option<Facts>]) -> Vec<usize> {
    let links = |facts: &Facts| {
        facts.branch().is_some() && facts.writes.iter().any(|write| write.cond == Cond::Always)
    };
    let after = DELAY_SLOTS as usize + 1;
    let calls = facts
        .iter()
        .enumerate()
        .filter(|(_, facts)| facts.as_ref().is_some_and(links));
    calls
        .map(|(index, _)| index + after)
        .filter(|place| *place < facts.len())
        .collect()
}

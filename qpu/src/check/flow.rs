//! Every way through a program, with what the QPU owes and holds on it.
//!
//! A state is where the walk is, which changes of flow are decided and wait for their delay slots,
//! what the two instructions before were, where known links point, what is known of flags and
//! constants, and the accounts of FIFOs, DMA and mutex. All states that can follow the start are
//! visited, each once, so that a rule broken on one way only is found, and loops end when nothing
//! new comes of them. A branch to a register goes where the link in it points; if that is not
//! known, wherever a link to this register points, with the accounts forgotten.
//!
//! When an address is computed in another way, the walk cannot follow. Then whatever was not
//! reached is taken to be reached somehow, with nothing known.

use std::collections::{HashSet, VecDeque};

use super::accounts::{Accounts, Report};
use super::conditions::Conditions;
use super::facts::{Facts, Program};
use super::values::{Asked, Values};
use super::{Finding, Rule, Way};
use crate::isa::{Branch, BranchCond, DELAY_SLOTS, File, INSTRUCTION_BYTES};

/// States that are visited in all. Small programs have a few for each instruction.
const MOST_STATES: usize = 1 << 20;
/// States of one instruction from which on accounts are forgotten, and then all that is known.
const MANY_STATES: u32 = 256;
/// Conditional branches that a way names.
const MOST_WAYS: usize = 4;
/// No instruction.
const NONE: u32 = u32::MAX;

/// The goal of a decided change of flow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Goal {
    To(u32),
    /// To one of several places, for all that is known.
    Perhaps(u32),
    /// To an address that the walk does not know.
    Unknown,
    /// Nowhere: the program ends.
    End,
}

/// A change of flow that is decided.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Pending {
    /// Instructions that still come before it, beyond the next.
    slots: u8,
    goal: Goal,
    /// The branch.
    from: u32,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    /// The instruction that comes next.
    at: u32,
    /// The last one and the one before it.
    before: [u32; 2],
    pending: [Option<Pending>; 2],
    values: Values,
    conditions: Conditions,
    accounts: Accounts,
}

/// The step by which a state was reached.
struct Step {
    /// The step before.
    from: u32,
    /// A conditional branch that was decided by the instruction before, and how.
    decided: Option<(u32, bool)>,
    /// The branch that jumped here.
    jumped: Option<u32>,
}

/// All that the walk found.
pub(super) struct Flow {
    /// Instructions that can execute.
    reached: Vec<bool>,
    /// Rules that are broken on some way.
    pub findings: Vec<Finding>,
    /// The instructions that ways go to from each.
    pub after: Vec<Vec<u32>>,
    /// Entries other than the first instruction, with nothing known.
    pub entries: Vec<usize>,
    /// True if there are no other ways than these.
    pub is_followed: bool,
}

impl Flow {
    /// The instructions that can execute, with their indices.
    pub fn reached<'a>(&'a self, facts: &'a Program) -> impl Iterator<Item = (usize, &'a Facts)> {
        let all = facts.iter().zip(&self.reached).enumerate();
        all.filter(|(_, (_, reached))| **reached)
            .filter_map(|(index, (at, _))| Some((index, at.as_ref().ok()?)))
    }
}

/// Walks all ways from instruction `start` on, and from `entries` that those have not reached. Data
/// is never taken to be reached somehow.
pub(super) fn walk(
    facts: &Program,
    start: u32,
    is_data: impl Fn(usize) -> bool,
    entries: &[usize],
) -> Flow {
    let mut walk = Walk {
        facts,
        links: links(facts),
        asked: Asked::by(facts),
        visits: vec![0; facts.len()],
        ..Walk::default()
    };
    let mut begun = Vec::new();
    walk.enter(start, Accounts::START);
    for entry in entries {
        let is_new = walk.visits.get(*entry) == Some(&0);
        if is_new && !is_data(*entry) {
            walk.enter(*entry as u32, Accounts::UNKNOWN);
            begun.push(*entry);
        }
    }
    if walk.is_computed {
        walk.is_guess = true;
        for (index, at) in facts.iter().enumerate() {
            if walk.visits[index] == 0 && at.is_ok() && !is_data(index) {
                walk.enter(index as u32, Accounts::UNKNOWN);
            }
        }
    }
    if walk.is_full {
        let reason = format!("the walk stopped after {MOST_STATES} states");
        walk.report(Rule::NotFollowed, 0, reason, Vec::new());
    }
    let mut after = vec![Vec::new(); facts.len()];
    for (from, to) in walk.passed {
        after[from as usize].push(to);
    }
    Flow {
        reached: walk.visits.iter().map(|visits| *visits > 0).collect(),
        is_followed: !walk.is_computed && !walk.is_full,
        findings: walk.findings,
        after,
        entries: begun,
    }
}

/// True if a branch at `index` may go back, on a condition.
fn ends_loop(branch: &Branch, index: u32) -> bool {
    let target = branch.target(index * INSTRUCTION_BYTES, 0) / INSTRUCTION_BYTES;
    branch.cond_br != BranchCond::Always && branch.rel && !branch.reg && target <= index
}

/// The targets of the links to each register of file A.
fn links(facts: &Program) -> Vec<Vec<u32>> {
    let mut links = vec![Vec::new(); 32];
    let mut calls = 0;
    for (index, at) in facts.iter().enumerate() {
        let Some(at) = at.as_ref().ok().filter(|at| at.branch().is_some()) else {
            continue;
        };
        let after = index as u32 + DELAY_SLOTS + 1;
        let registers = at.registers_written().filter(|(file, _)| *file == File::A);
        for (_, number) in registers.filter(|_| (after as usize) < facts.len()) {
            // A program with more subroutine calls than this is none.
            if calls < 1024 {
                links[usize::from(number)].push(after);
                calls += 1;
            }
        }
    }
    links
}

#[derive(Default)]
struct Walk<'a> {
    facts: &'a Program,
    links: Vec<Vec<u32>>,
    asked: Asked,
    seen: HashSet<State>,
    queue: VecDeque<(State, u32)>,
    steps: Vec<Step>,
    /// States of each instruction.
    visits: Vec<u32>,
    /// True if a branch goes to an unknown address.
    is_computed: bool,
    /// True if instructions are visited that no known way reaches.
    is_guess: bool,
    is_full: bool,
    found: HashSet<(Rule, u32, Option<String>)>,
    findings: Vec<Finding>,
    /// From which instruction to which a way goes, for [`Flow::after`].
    passed: HashSet<(u32, u32)>,
}

impl Walk<'_> {
    /// Starts at an instruction with nothing before it, and goes every way from there.
    fn enter(&mut self, at: u32, accounts: Accounts) {
        if at as usize >= self.facts.len() {
            return;
        }
        let state = State {
            at,
            before: [NONE; 2],
            pending: [None; 2],
            values: Values::default(),
            conditions: Conditions::default(),
            accounts,
        };
        let step = Step {
            from: NONE,
            decided: None,
            jumped: None,
        };
        self.push(state, step);
        while let Some((state, step)) = self.queue.pop_front() {
            self.visit(state, step);
        }
    }

    fn push(&mut self, mut state: State, step: Step) {
        if state.before[0] != NONE {
            self.passed.insert((state.before[0], state.at));
        }
        let visits = self.visits[state.at as usize];
        if visits >= MANY_STATES {
            state.accounts = Accounts::UNKNOWN;
        }
        if visits >= 2 * MANY_STATES {
            (state.values, state.conditions) = Default::default();
        }
        if self.seen.contains(&state) {
            return;
        }
        if self.steps.len() >= MOST_STATES {
            self.is_full = true;
            return;
        }
        self.visits[state.at as usize] += 1;
        self.seen.insert(state.clone());
        self.queue.push_back((state, self.steps.len() as u32));
        self.steps.push(step);
    }

    fn visit(&mut self, mut state: State, step: u32) {
        let facts = self.facts;
        let index = state.at;
        let at = match &facts[index as usize] {
            Ok(at) => at,
            Err(_) if self.is_guess => return,
            Err(error) => {
                let reason = format!("{error}, and a way through the program leads to it");
                let way = self.way(step);
                return self.report(Rule::Undecodable, index, reason, way);
            }
        };
        self.look_back(&state, at, step);
        self.account(index, step, |report| {
            state.accounts.count(at, &state.values, report);
        });
        if at.branch().is_some_and(|branch| ends_loop(branch, index)) {
            state.accounts.go_round();
        }

        for decision in self.decide(&state, at) {
            let mut next = state.clone();
            next.conditions = decision.conditions;
            let is_taken = decision.pending.is_some() && at.branch().is_some();
            let link = is_taken.then_some(index + DELAY_SLOTS + 1);
            next.values.step(at, link, &self.asked);
            let decided = decision.is_choice.then_some((index, is_taken));
            self.advance(next, decision.pending, decided, step);
        }
    }

    /// Goes on after the instruction at `state.at`, which decided `pending`.
    fn advance(
        &mut self,
        mut state: State,
        pending: Option<Pending>,
        decided: Option<(u32, bool)>,
        step: u32,
    ) {
        let index = state.at;
        let mut due = None;
        for slot in &mut state.pending {
            match slot {
                Some(waiting) if waiting.slots == 0 => due = slot.take(),
                Some(waiting) => waiting.slots -= 1,
                None => (),
            }
        }
        if let Some(mut new) = pending {
            new.slots -= 1;
            match state.pending.iter_mut().find(|slot| slot.is_none()) {
                Some(free) => *free = Some(new),
                // Branches too close: reported, and what happens is unknown.
                None => return,
            }
        }
        state
            .pending
            .sort_by_key(|slot| slot.map_or(u8::MAX, |pending| pending.slots));
        state.before = [index, state.before[0]];
        let jumped = due.map(|due| due.from);
        state.at = match due.map(|due| due.goal) {
            None => index + 1,
            Some(Goal::To(target)) => target,
            Some(Goal::Perhaps(target)) => {
                state.accounts = Accounts::UNKNOWN;
                target
            }
            Some(Goal::Unknown) => return self.is_computed = true,
            Some(Goal::End) => {
                return self.account(index, step, |report| state.accounts.close(report));
            }
        };
        if (state.at as usize) < self.facts.len() {
            let step = Step {
                from: step,
                decided,
                jumped,
            };
            return self.push(state, step);
        }
        // What jumps off the program is reported with the branch.
        if jumped.is_none() && !self.is_guess {
            let way = self.way(step);
            let reason = "the QPU goes on past the last instruction".to_string();
            self.report(Rule::NoProgramEnd, index, reason, way);
        }
    }

    /// Rules about the instruction and the two before it.
    fn look_back(&mut self, state: &State, at: &Facts, step: u32) {
        let facts = self.facts;
        let mut broken = Vec::new();
        for (distance, before) in (1..).zip(state.before) {
            let Some(Ok(earlier)) = facts.get(before as usize) else {
                break;
            };
            super::sequence::check(earlier, at, distance, &mut |rule, reason| {
                broken.push((rule, distance, reason));
            });
        }
        for (rule, distance, reason) in broken {
            let way = self.jumps(step, distance);
            self.report(rule, state.at, reason, way);
        }
    }

    /// The changes of flow that the instruction can decide.
    fn decide(&mut self, state: &State, at: &Facts) -> Vec<Decision> {
        let index = state.at;
        let conditions = if at.instruction.write_back().sf && at.branch().is_none() {
            let sign = state.values.flag_sign(at);
            sign.map_or_else(Conditions::default, Conditions::of)
        } else {
            state.conditions
        };
        let nothing = Decision {
            pending: None,
            conditions,
            is_choice: false,
        };
        if at.signal().ends_program() {
            let pending = Some(Pending {
                slots: 2,
                goal: Goal::End,
                from: index,
            });
            return vec![Decision { pending, ..nothing }];
        }
        let Some(branch) = at.branch() else {
            return vec![nothing];
        };
        let known = state.conditions.is_taken(branch.cond_br);
        let mut decisions = Vec::new();
        if known != Some(false) {
            let goals = self.goals(state, branch);
            let conditions = if branch.sets_flags() {
                Conditions::default()
            } else {
                state.conditions.with(branch.cond_br, true)
            };
            decisions.extend(goals.into_iter().map(|goal| Decision {
                pending: Some(Pending {
                    slots: DELAY_SLOTS as u8,
                    goal,
                    from: index,
                }),
                conditions,
                is_choice: known.is_none(),
            }));
        }
        if known != Some(true) {
            decisions.push(Decision {
                conditions: state.conditions.with(branch.cond_br, false),
                is_choice: known.is_none(),
                ..nothing
            });
        }
        decisions
    }

    /// The goals of a taken branch.
    fn goals(&self, state: &State, branch: &Branch) -> Vec<Goal> {
        let to_byte = |byte: u32| byte / INSTRUCTION_BYTES;
        if !branch.reg {
            let target = to_byte(branch.target(state.at * INSTRUCTION_BYTES, 0));
            let goal = if branch.rel {
                Goal::To(target)
            } else {
                Goal::Unknown
            };
            return vec![goal];
        }
        if branch.rel || !branch.immediate.is_multiple_of(INSTRUCTION_BYTES) {
            return vec![Goal::Unknown];
        }
        let offset =
            |place: u32| to_byte((place * INSTRUCTION_BYTES).wrapping_add(branch.immediate));
        if let Some(place) = state.values.address_in_file_a(branch.raddr_a) {
            return vec![Goal::To(offset(place))];
        }
        match self.links[usize::from(branch.raddr_a & 31)][..] {
            [] => vec![Goal::Unknown],
            [only] => vec![Goal::To(offset(only))],
            ref several => several
                .iter()
                .map(|place| Goal::Perhaps(offset(*place)))
                .collect(),
        }
    }

    /// Reports the rules of accounts that an instruction breaks.
    fn account(&mut self, index: u32, step: u32, count: impl FnOnce(Report)) {
        let mut broken = Vec::new();
        count(&mut |rule, reason| broken.push((rule, reason.to_string())));
        for (rule, reason) in broken {
            // Loops give one finding, not one for every count.
            if self.found.insert((rule, index, None)) {
                let way = self.way(step);
                self.report(rule, index, reason, way);
            }
        }
    }

    fn report(&mut self, rule: Rule, index: u32, reason: String, way: Vec<Way>) {
        if self.found.insert((rule, index, Some(reason.clone()))) {
            self.findings.push(Finding {
                rule,
                pc: index * INSTRUCTION_BYTES,
                reason,
                way,
            });
        }
    }

    /// The last conditional branches on the way to a step, first to last.
    fn way(&self, step: u32) -> Vec<Way> {
        let decided = self.steps_back(step).filter_map(|step| step.decided);
        in_order(decided.take(MOST_WAYS))
    }

    /// The branches that jumped in the last `distance` steps.
    fn jumps(&self, step: u32, distance: usize) -> Vec<Way> {
        let jumped = self.steps_back(step).take(distance);
        in_order(jumped.filter_map(|step| Some((step.jumped?, true))))
    }

    fn steps_back(&self, step: u32) -> impl Iterator<Item = &Step> {
        std::iter::successors(self.steps.get(step as usize), |step| {
            self.steps.get(step.from as usize)
        })
    }
}

/// Branches, the last one first, and whether they are taken, as a way.
fn in_order(branches: impl Iterator<Item = (u32, bool)>) -> Vec<Way> {
    let way = branches.map(|(index, taken)| Way {
        pc: index * INSTRUCTION_BYTES,
        taken,
    });
    let mut way: Vec<Way> = way.collect();
    way.reverse();
    way
}

/// One outcome of an instruction.
struct Decision {
    pending: Option<Pending>,
    conditions: Conditions,
    /// True if there is another outcome.
    is_choice: bool,
}

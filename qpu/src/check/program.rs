//! Rules about the first and last instructions, and where branches go.

use super::Rule;
use super::end;
use super::facts::Facts;
use crate::isa::{INSTRUCTION_BYTES, Waddr};

/// Only instructions that are `reached` count; the first is at `start`.
pub(super) fn check(
    facts: &[Option<Facts>],
    start: usize,
    reached: &[bool],
    report: &mut impl FnMut(Rule, usize, String),
) {
    let known = || {
        let all = facts.iter().zip(reached).enumerate();
        all.filter(|(_, (_, reached))| **reached)
            .filter_map(|(index, (facts, _))| Some((index, facts.as_ref()?)))
    };
    for (index, _) in known()
        .filter(|(index, _)| (start..start + 2).contains(index))
        .filter(|(_, facts)| facts.writes_any(Waddr::is_tmu))
    {
        let reason = "a TMU is written in the first two instructions of the program".to_string();
        report(Rule::TmuAtStart, index, reason);
    }
    for (index, at) in known() {
        if at.signal().ends_program() {
            end::check(at, 0, &mut |rule, reason| report(rule, index, reason));
        }
        check_target(facts.len(), index, at, report);
    }
    if facts.is_empty() {
        let reason = "the program has no instructions".to_string();
        report(Rule::NoProgramEnd, 0, reason);
    }
}

fn check_target(
    len: usize,
    index: usize,
    at: &Facts,
    report: &mut impl FnMut(Rule, usize, String),
) {
    let Some(branch) = at.branch().filter(|branch| branch.rel && !branch.reg) else {
        return;
    };
    let target = branch.target(index as u32 * INSTRUCTION_BYTES, 0);
    let inside = ((target / INSTRUCTION_BYTES) as usize) < len;
    if !inside || !target.is_multiple_of(INSTRUCTION_BYTES) {
        let reason =
            format!("the branch goes to {target:#x}, which is no instruction of the program");
        report(Rule::BranchTarget, index, reason);
    }
}

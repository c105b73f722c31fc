//! Rules about the first and last instructions, and where branches go.

use super::Rule;
use super::facts::{Facts, Program};
use super::flow::Flow;
use super::sequence::check_end;
use crate::isa::{INSTRUCTION_BYTES, Waddr};

/// Only instructions that some way reaches count; the first is at `start`.
pub(super) fn check(
    facts: &Program,
    start: usize,
    flow: &Flow,
    report: &mut impl FnMut(Rule, usize, String),
) {
    for (index, at) in flow.reached(facts) {
        if (start..start + 2).contains(&index) && at.writes_any(Waddr::is_tmu) {
            let reason = "a TMU is written in the first two instructions of the program";
            report(Rule::TmuAtStart, index, reason.to_string());
        }
        if at.signal().ends_program() {
            check_end(at, 0, &mut |rule, reason| report(rule, index, reason));
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

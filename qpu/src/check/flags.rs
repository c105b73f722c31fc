//! The instructions that ask for the flags that another sets.

use super::facts::{Facts, Program};
use super::flow::Flow;
use crate::isa::{BranchCond, Cond, MulOp, Slot};

/// True if an instruction may ask for the flags that the one at `index` sets, before others are set
/// in all lanes or the program ends. Where it is not known where the program goes, it may.
pub(super) fn are_asked(facts: &Program, flow: &Flow, index: usize) -> bool {
    let mut seen = vec![false; facts.len()];
    let mut left = flow.after[index].clone();
    while let Some(index) = left.pop() {
        let Some(Ok(at)) = facts.get(index as usize) else {
            return true;
        };
        let is_computed = at.branch().is_some_and(|branch| branch.reg || !branch.rel);
        if asks(at) || is_computed {
            return true;
        }
        if !std::mem::replace(&mut seen[index as usize], true) && !sets_all(at) {
            left.extend(&flow.after[index as usize]);
        }
    }
    false
}

/// The condition under which flags are set, if they are.
fn setting(at: &Facts) -> Option<Cond> {
    let write_back = at.instruction.write_back();
    if !write_back.sf || at.branch().is_some() {
        return None;
    }
    Some(match at.alu() {
        Some(alu) => write_back.cond(alu.flag_slot()),
        None => write_back.cond(Slot::Add),
    })
}

/// True if the effect of an instruction depends on flags.
pub(super) fn asks(at: &Facts) -> bool {
    let branches = at
        .branch()
        .is_some_and(|branch| branch.cond_br != BranchCond::Always);
    branches
        || at.writes.iter().any(|write| write.cond.asks_flags())
        || setting(at).is_some_and(Cond::asks_flags)
}

/// True if flags are set in all lanes.
fn sets_all(at: &Facts) -> bool {
    let is_idle = at
        .alu()
        .is_some_and(|alu| alu.flag_slot() == Slot::Mul && alu.op_mul == MulOp::Nop);
    setting(at) == Some(Cond::Always) && !is_idle
}

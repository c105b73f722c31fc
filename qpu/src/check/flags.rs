//! The instructions that ask for the flags that another sets.

use super::facts::Facts;
use crate::isa::{BranchCond, Cond, DELAY_SLOTS, INSTRUCTION_BYTES, Slot};

/// True if an instruction may ask for the flags that the one at `index` sets, before others are set
/// in all lanes or the program ends. Where it is not known where the program goes, it may.
pub(super) fn are_asked(facts: &[Option<Facts>], index: usize) -> bool {
    let mut at = index + 1;
    // The place to go to, and the instructions before it; and those before the end.
    let mut jump: Option<(usize, u32)> = None;
    let mut end: Option<u32> = None;
    for _ in 0..facts.len() {
        let Some(facts_at) = facts.get(at) else {
            // Past the last instruction nothing asks.
            return false;
        };
        let Some(now) = facts_at else {
            return true;
        };
        if asks(now) {
            return true;
        }
        if sets_all(now) {
            return false;
        }
        if let Some(branch) = now.branch() {
            let target = branch.target(at as u32 * INSTRUCTION_BYTES, 0) / INSTRUCTION_BYTES;
            if !branch.rel || branch.reg || jump.is_some() || end.is_some() {
                return true;
            }
            jump = Some((target as usize, DELAY_SLOTS + 1));
        }
        if now.signal().ends_program() {
            end = Some(3);
        }
        at += 1;
        if let Some((target, left)) = &mut jump {
            *left -= 1;
            if *left == 0 {
                at = *target;
                jump = None;
            }
        }
        if let Some(left) = &mut end {
            *left -= 1;
            if *left == 0 {
                return false;
            }
        }
    }
    // A loop without an end that never asks.
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
        .is_some_and(|alu| alu.flag_slot() == Slot::Mul && alu.op_mul == crate::isa::MulOp::Nop);
    setting(at) == Some(Cond::Always) && !is_idle
}

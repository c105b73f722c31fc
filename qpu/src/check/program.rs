//! Rules about the first and last instructions, and where branches go.

use super::Rule;
use super::facts::Facts;
use crate::isa::{INSTRUCTION_BYTES, Raddr, Waddr, raddr, waddr};

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
            check_end(facts, index, report);
        }
        check_target(facts.len(), index, at, report);
    }
    if facts.is_empty() {
        let reason = "the program has no instructions".to_string();
        report(Rule::NoProgramEnd, 0, reason);
    }
}

/// The instruction that ends the program, and the two after it.
fn check_end(facts: &[Option<Facts>], end: usize, report: &mut impl FnMut(Rule, usize, String)) {
    for (slot, index) in (end..end + 3).enumerate() {
        let Some(Some(at)) = facts.get(index) else {
            continue;
        };
        let mut report = |rule, found: bool, what: &str| {
            if found {
                let place = [
                    "the thrend instruction",
                    "the instruction after thrend",
                    "the last instruction",
                ][slot];
                report(rule, index, format!("{place} {what}"));
            }
        };
        let stream = at.reads_any(|raddr| matches!(raddr, raddr::UNIFORM | raddr::VARYING));
        report(Rule::EndUniform, stream, "reads a uniform or varying");
        let vpm = at.reads_any(Raddr::is_vpm) || at.writes_any(Waddr::is_vpm);
        report(Rule::EndVpm, vpm, "uses VPM or DMA");
        let is_14 = |register: Option<u8>| register == Some(14);
        let register_14 = at.reads_any(|raddr| is_14(raddr.register()))
            || at.writes_any(|waddr| is_14(waddr.register()));
        report(
            Rule::EndRegister14,
            register_14,
            "uses register 14 of a file",
        );
        let writes_file = slot == 0 && at.registers_written().next().is_some();
        report(
            Rule::EndRegisterWrite,
            writes_file,
            "writes a register of file A or B",
        );
        let tlb_z = slot == 2 && at.writes_any(|waddr| waddr == waddr::TLB_Z);
        report(Rule::EndTlbZ, tlb_z, "writes tile buffer Z");
        let flow = at.branch().is_some() || (slot > 0 && at.signal().ends_program());
        report(
            Rule::EndBranch,
            flow,
            "is a branch or ends the program again",
        );
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

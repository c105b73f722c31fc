//! Rules about the last three instructions of a program.
//!
//! They are the one with thrend and the two that execute after it, wherever those stand: a thrend
//! in a delay slot is followed by what the branch goes to.

use super::Rule;
use super::facts::Facts;
use crate::isa::{Raddr, Waddr, raddr, waddr};

/// Calls `report` with what an instruction must not do that executes `slot` (0, 1 or 2)
/// instructions after thrend.
pub(super) fn check(at: &Facts, slot: usize, report: &mut dyn FnMut(Rule, String)) {
    let place = [
        "the thrend instruction",
        "the instruction after thrend",
        "the last instruction",
    ][slot];
    let mut report = |rule, found: bool, what: &str| {
        if found {
            report(rule, format!("{place} {what}"));
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
    let tlb_z = slot == 2 && at.writes_to(waddr::TLB_Z);
    report(Rule::EndTlbZ, tlb_z, "writes tile buffer Z");
    let flow = at.branch().is_some() || (slot > 0 && at.signal().ends_program());
    report(
        Rule::EndBranch,
        flow,
        "is a branch or ends the program again",
    );
}

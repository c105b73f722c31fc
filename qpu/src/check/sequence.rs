//! Rules about an instruction and what follows it within two slots, and about the last three.

use super::Rule;
use super::facts::{Facts, Write, when};
use crate::isa::{Cond, File, Mux, Raddr, Rotation, Slot, Waddr, raddr, waddr};
use crate::names::write_name;

/// A reason why two instructions, the earlier one first, must not be so near.
type Clash = fn(&Facts, &Facts) -> Option<String>;

/// Rules, the instructions after another that they are about, and when they are broken.
const DISTANCES: &[(Rule, usize, Clash)] = &[
    (Rule::RegisterFile, 1, register_file),
    (Rule::SfuResultTooEarly, 2, sfu_result_too_early),
    (Rule::SfuResultOverwritten, 2, sfu_result_overwritten),
    (Rule::TmuNoswap, 2, tmu_noswap),
    (Rule::UniformsAddress, 2, uniforms_address),
    (Rule::RotationSource, 1, rotation_source),
    (Rule::RotationAmount, 1, rotation_amount),
    (Rule::BranchSpacing, 2, branch_spacing),
];

/// Calls `report` with what `later`, which comes `distance` (1 or 2) instructions after `earlier`,
/// must not do.
pub(super) fn check(
    earlier: &Facts,
    later: &Facts,
    distance: usize,
    report: &mut dyn FnMut(Rule, String),
) {
    for (rule, _, clash) in DISTANCES.iter().filter(|(_, slots, _)| distance <= *slots) {
        if let Some(reason) = clash(earlier, later) {
            report(*rule, reason);
        }
    }
    if earlier.signal().ends_program() {
        check_end(later, distance, report);
    }
}

/// Calls `report` with what an instruction must not do that executes `slot` (0, 1 or 2)
/// instructions after thrend, wherever it stands: a thrend in a delay slot is followed by what the
/// branch goes to.
pub(super) fn check_end(at: &Facts, slot: usize, report: &mut dyn FnMut(Rule, String)) {
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

fn register_file(earlier: &Facts, later: &Facts) -> Option<String> {
    let written = earlier.writes.iter().find(|write| {
        let number = write.waddr.register();
        later.reads.iter().any(|read| {
            let same = read.used && read.file == write.file && number == read.raddr.register();
            same && number.is_some() && !are_apart(earlier, write, later, read.file)
        })
    })?;
    Some(format!(
        "{} was written in the instruction before and cannot be read yet",
        written.name()
    ))
}

/// True if all uses of what is read through a port are in other lanes than a write: under a
/// condition that excludes its own, with the same flags and without rotation; or where one lane of
/// a vector of scalars is written and another is taken, as far as the text shows.
fn are_apart(earlier: &Facts, write: &Write, later: &Facts, file: File) -> bool {
    let Some(alu) = later.alu() else {
        return false;
    };
    let is_partial = write.cond.asks_flags();
    let mux = Mux::of(file);
    let in_others = |slot| !alu.uses_in(slot, mux) || alu.write.cond(slot).excludes(write.cond);
    let in_others = Slot::BOTH.into_iter().all(in_others);
    let sf = earlier.instruction.write_back().sf;
    let is_scalar = !alu.uses_in(Slot::Add, mux) && later.rotates_to_first_lanes();
    is_partial && (!sf && in_others && alu.rotation().is_none() || is_scalar)
}

fn sfu_result_too_early(earlier: &Facts, later: &Facts) -> Option<String> {
    let clash = earlier.writes_any(Waddr::is_sfu) && later.uses(Mux::R4);
    when(clash, "r4 is read while an SFU result is on its way to it")
}

fn sfu_result_overwritten(earlier: &Facts, later: &Facts) -> Option<String> {
    if !earlier.writes_any(Waddr::is_sfu) {
        return None;
    }
    let what = if later.signal().loads_r4() {
        "is loaded by a signal"
    } else if later.writes_any(Waddr::is_sfu) {
        "is asked for again"
    } else {
        return None;
    };
    Some(format!("r4 {what} while an SFU result is on its way to it"))
}

fn tmu_noswap(earlier: &Facts, later: &Facts) -> Option<String> {
    let clash = earlier.writes_to(waddr::TMU_NOSWAP) && later.writes_any(Waddr::is_tmu);
    when(clash, "a TMU is written before tmu_noswap has taken effect")
}

fn uniforms_address(earlier: &Facts, later: &Facts) -> Option<String> {
    // A texture request takes its setup from the uniforms as well.
    let reads = later.reads_from(raddr::UNIFORM) || later.writes_any(is_texture_coordinate);
    let clash = earlier.writes_to(waddr::UNIFORMS_ADDRESS) && reads;
    let reason = "a uniform is read before the new uniforms address has taken effect";
    when(clash, reason)
}

/// t, r and b of either TMU, which make a request a texture request.
pub(super) fn is_texture_coordinate(address: Waddr) -> bool {
    address.is_tmu() && !matches!(address, waddr::TMU0_S | waddr::TMU1_S)
}

fn rotation_source(earlier: &Facts, later: &Facts) -> Option<String> {
    let alu = later.alu()?;
    alu.rotation()?;
    if alu.op_mul.operands() == 0 || later.stays_in_quads() {
        return None;
    }
    let operands = alu.operands(Slot::Mul);
    let written = earlier.writes.iter().find(|write| {
        let is_counted = write.cond == Cond::Always || !later.rotates_to_first_lanes();
        let number = write.waddr.accumulator().filter(|_| is_counted);
        number.is_some_and(|n| n < 4 && operands.iter().any(|mux| mux.bits() == n))
    })?;
    let name = write_name(File::A, written.waddr);
    Some(format!(
        "{name} was written in the instruction before and is rotated"
    ))
}

fn rotation_amount(earlier: &Facts, later: &Facts) -> Option<String> {
    let alu = later.alu()?;
    let by_r5 = alu.rotation() == Some(Rotation::ByR5) && alu.op_mul.operands() > 0;
    let reason = "r5 was written in the instruction before and is the amount of a rotation";
    when(by_r5 && earlier.writes_to(waddr::ACC5), reason)
}

fn branch_spacing(earlier: &Facts, later: &Facts) -> Option<String> {
    let clash = earlier.branch().is_some() && later.branch().is_some();
    let reason = "the branch comes less than three instructions after another";
    when(clash, reason)
}

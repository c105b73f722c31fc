//! Rules about an instruction and what follows it within two slots.

use super::Rule;
use super::end;
use super::facts::{Facts, Write};
use super::lanes::{rotates_to_first_lanes, stays_in_quads};
use crate::disasm::write_name;
use crate::isa::{Cond, File, Mux, Rotation, Waddr, raddr, waddr};

/// A rule about the instruction that must not come within `slots` after another.
struct Distance {
    rule: Rule,
    slots: usize,
    /// The reason, given the earlier and the later instruction, if they clash.
    clash: fn(&Facts, &Facts) -> Option<String>,
}

const DISTANCES: &[Distance] = &[
    Distance {
        rule: Rule::RegisterFile,
        slots: 1,
        clash: register_file,
    },
    Distance {
        rule: Rule::SfuResultTooEarly,
        slots: 2,
        clash: sfu_result_too_early,
    },
    Distance {
        rule: Rule::SfuResultOverwritten,
        slots: 2,
        clash: sfu_result_overwritten,
    },
    Distance {
        rule: Rule::TmuNoswap,
        slots: 2,
        clash: tmu_noswap,
    },
    Distance {
        rule: Rule::UniformsAddress,
        slots: 2,
        clash: uniforms_address,
    },
    Distance {
        rule: Rule::RotationSource,
        slots: 1,
        clash: rotation_source,
    },
    Distance {
        rule: Rule::RotationAmount,
        slots: 1,
        clash: rotation_amount,
    },
    Distance {
        rule: Rule::BranchSpacing,
        slots: 2,
        clash: branch_spacing,
    },
];

/// Calls `report` with what `later`, which comes `distance` (1 or 2) instructions after `earlier`,
/// must not do.
pub(super) fn check(
    earlier: &Facts,
    later: &Facts,
    distance: usize,
    report: &mut dyn FnMut(Rule, String),
) {
    for rule in DISTANCES.iter().filter(|rule| distance <= rule.slots) {
        if let Some(reason) = (rule.clash)(earlier, later) {
            report(rule.rule, reason);
        }
    }
    if earlier.signal().ends_program() {
        end::check(later, distance, report);
    }
}

fn register_file(earlier: &Facts, later: &Facts) -> Option<String> {
    let written = earlier.writes.iter().find(|write| {
        let number = write.waddr.register();
        later.reads.iter().any(|read| {
            let same = read.used && read.file == write.file && number == read.raddr.register();
            same && number.is_some() && !are_apart(earlier, write, later, read.file)
        })
    })?;
    let name = write_name(written.file, written.waddr);
    Some(format!(
        "{name} was written in the instruction before and cannot be read yet"
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
    let add = !alu.add_uses(mux) || alu.write.cond_add.excludes(write.cond);
    let mul = !alu.mul_uses(mux) || alu.write.cond_mul.excludes(write.cond);
    let sf = earlier.instruction.write_back().sf;
    let is_scalar = !alu.add_uses(mux) && rotates_to_first_lanes(later);
    is_partial && (!sf && add && mul && alu.rotation().is_none() || is_scalar)
}

fn sfu_result_too_early(earlier: &Facts, later: &Facts) -> Option<String> {
    let clash = earlier.writes_any(Waddr::is_sfu) && later.uses(Mux::R4);
    clash.then(|| "r4 is read while an SFU result is on its way to it".to_string())
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
    let clash =
        earlier.writes_any(|waddr| waddr == waddr::TMU_NOSWAP) && later.writes_any(Waddr::is_tmu);
    clash.then(|| "a TMU is written before tmu_noswap has taken effect".to_string())
}

fn uniforms_address(earlier: &Facts, later: &Facts) -> Option<String> {
    // A texture request takes its setup from the uniforms as well.
    let texture = |waddr: Waddr| is_texture_coordinate(waddr);
    let reads = later.reads_any(|raddr| raddr == raddr::UNIFORM) || later.writes_any(texture);
    let clash = earlier.writes_any(|waddr| waddr == waddr::UNIFORMS_ADDRESS) && reads;
    clash.then(|| "a uniform is read before the new uniforms address has taken effect".to_string())
}

/// t, r and b of either TMU, which make a request a texture request.
pub(super) fn is_texture_coordinate(address: Waddr) -> bool {
    address.is_tmu() && !matches!(address, waddr::TMU0_S | waddr::TMU1_S)
}

fn rotation_source(earlier: &Facts, later: &Facts) -> Option<String> {
    let alu = later.alu()?;
    alu.rotation()?;
    if alu.op_mul.operands() == 0 || stays_in_quads(later) {
        return None;
    }
    let written = earlier.writes.iter().find(|write| {
        let is_counted = write.cond == Cond::Always || !rotates_to_first_lanes(later);
        let number = write.waddr.accumulator().filter(|_| is_counted);
        number.is_some_and(|n| n < 4 && [alu.mul_a, alu.mul_b].iter().any(|mux| mux.bits() == n))
    })?;
    let name = write_name(File::A, written.waddr);
    Some(format!(
        "{name} was written in the instruction before and is rotated"
    ))
}

fn rotation_amount(earlier: &Facts, later: &Facts) -> Option<String> {
    let alu = later.alu()?;
    let by_r5 = alu.rotation() == Some(Rotation::ByR5) && alu.op_mul.operands() > 0;
    let clash = by_r5 && earlier.writes_any(|waddr| waddr == waddr::ACC5);
    clash.then(|| {
        "r5 was written in the instruction before and is the amount of a rotation".to_string()
    })
}

fn branch_spacing(earlier: &Facts, later: &Facts) -> Option<String> {
    let clash = earlier.branch().is_some() && later.branch().is_some();
    clash.then(|| "the branch comes less than three instructions after another".to_string())
}

//! Rules about an instruction and what follows it within two slots.

use super::Rule;
use super::facts::Facts;
use super::paths::Walk;
use crate::disasm::{read_name, write_name};
use crate::isa::{File, Mux, Raddr, Rotation, Waddr, raddr, waddr};

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
        rule: Rule::SfuResult,
        slots: 2,
        clash: sfu_result,
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

pub(super) fn check(facts: &[Option<Facts>], report: &mut impl FnMut(Rule, usize, String)) {
    let walk = Walk::new(facts);
    for (start, earlier) in facts.iter().enumerate() {
        let Some(earlier) = earlier else { continue };
        walk.following(start, 2, &mut |path| {
            for (distance, index) in path.iter().enumerate() {
                let Some(Some(later)) = facts.get(*index) else {
                    continue;
                };
                for rule in DISTANCES.iter().filter(|rule| distance < rule.slots) {
                    if let Some(reason) = (rule.clash)(earlier, later) {
                        report(rule.rule, *index, reason);
                    }
                }
            }
        });
    }
}

fn register_file(earlier: &Facts, later: &Facts) -> Option<String> {
    let (file, number) = earlier.registers_written().find(|(file, number)| {
        let written = |raddr: Raddr| raddr.register() == Some(*number);
        later
            .reads
            .iter()
            .any(|read| read.used && read.file == *file && written(read.raddr))
    })?;
    let name = Raddr::from_bits(number)
        .map(|raddr| read_name(file, raddr))
        .unwrap_or_default();
    Some(format!(
        "{name} was written in the instruction before and cannot be read yet"
    ))
}

fn sfu_result(earlier: &Facts, later: &Facts) -> Option<String> {
    if !earlier.writes_any(Waddr::is_sfu) {
        return None;
    }
    let use_of_r4 = if later.uses(Mux::R4) {
        "is read"
    } else if later.signal().loads_r4() {
        "is loaded by a signal"
    } else if later.writes_any(Waddr::is_sfu) {
        "is asked for again"
    } else {
        return None;
    };
    Some(format!(
        "r4 {use_of_r4} while an SFU result is on its way to it"
    ))
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
    if alu.op_mul.operands() == 0 {
        return None;
    }
    let written = earlier.writes.iter().find(|write| {
        let number = write.waddr.accumulator();
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

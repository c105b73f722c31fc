//! Rules about one instruction by itself.

use super::Rule;
use super::facts::{Facts, Write, is_peripheral, when};
use super::flags;
use super::lanes::stays_in_quads;
use super::packing;
use super::sequence::is_texture_coordinate;
use crate::disasm::{read_name, write_name};
use crate::isa::{
    AddOp, Alu, Cond, File, Instruction, MulOp, MulPack, Mux, Signal, Slot, Waddr, raddr, waddr,
};

/// The reason, if the instruction breaks the rule.
type Single = fn(&Facts) -> Option<String>;

const SINGLES: &[(Rule, Single)] = &[
    (Rule::TmuNoswap, tmu_noswap),
    (Rule::OnePeripheral, one_peripheral),
    (Rule::TmuUniform, tmu_uniform),
    (Rule::BothSetups, both_setups),
    (Rule::VpmReadAndSetup, vpm_read_and_setup),
    (Rule::VpmWriteAndSetup, vpm_write_and_setup),
    (Rule::TmuLoadAndVpm, tmu_load_and_vpm),
    (Rule::TmuLoadBesideVpm, tmu_load_beside_vpm),
    (Rule::SemaphoreWrite, semaphore_write),
    (Rule::SameDestination, same_destination),
    (Rule::SameRead, same_read),
    (Rule::ConditionalPeripheral, conditional_peripheral),
    (Rule::HostIntZero, host_int_zero),
    (Rule::NeverPeripheral, never_peripheral),
    (Rule::RotationInQuad, rotation_in_quad),
    (Rule::PackReserved, packing::pack_reserved),
    (Rule::PackUndocumented, packing::pack_undocumented),
    (Rule::PackToPeripheral, packing::pack_to_peripheral),
    (Rule::PackWithoutFileA, packing::pack_without_file_a),
    (Rule::UnpackIo, packing::unpack_io),
    (Rule::UnpackMixed, packing::unpack_mixed),
    (Rule::PackKind, packing::pack_kind),
    (Rule::UnpackKind, packing::unpack_kind),
    (Rule::FlagsOfNever, flags_of_never),
    (Rule::IdleMulWrite, idle_mul_write),
    (Rule::NoRead, no_read),
    (Rule::UnmappedRead, unmapped_read),
    (Rule::BusyRead, busy_read),
    (Rule::FragmentOnly, fragment_only),
    (Rule::LinkIo, link_io),
];

/// Only instructions that are `reached` count.
pub(super) fn check(
    facts: &[Option<Facts>],
    reached: &[bool],
    report: &mut impl FnMut(Rule, usize, String),
) {
    let flags_count = facts.iter().flatten().any(flags::asks);
    for (index, at) in facts.iter().enumerate() {
        let Some(at) = at.as_ref().filter(|_| reached[index]) else {
            continue;
        };
        for (rule, single) in SINGLES {
            if let Some(reason) = single(at) {
                report(*rule, index, reason);
            }
        }
        if let Some(reason) = flags_of_no_read(facts, index) {
            report(Rule::NoRead, index, reason);
        }
        if let Some(reason) = branch_odd_register(at).filter(|_| flags_count) {
            report(Rule::BranchOddRegister, index, reason);
        }
    }
}

fn tmu_noswap(at: &Facts) -> Option<String> {
    let both = at.writes_any(|waddr| waddr == waddr::TMU_NOSWAP) && at.writes_any(Waddr::is_tmu);
    when(
        both,
        "a TMU is written in the instruction that writes tmu_noswap",
    )
}

fn one_peripheral(at: &Facts) -> Option<String> {
    let mut accesses = Vec::new();
    for write in at.writes.iter() {
        // The setup of stencils is no access of the tile buffer: Mesa's driver does not count it,
        // and shaders of rpi-vk-driver load textures beside it.
        let is_tile = write.waddr.is_tlb() && write.waddr != waddr::TLB_STENCIL_SETUP;
        if write.waddr.is_tmu() || is_tile || write.waddr.is_sfu() {
            accesses.push(format!(
                "a write to {}",
                write_name(write.file, write.waddr)
            ));
        }
    }
    // A colour that is loaded and one that is written are one access of the tile buffer: shaders
    // that blend each sample write one and load the next.
    let blends = matches!(
        at.signal(),
        Signal::LoadColour | Signal::LoadColourProgramEnd
    ) && at
        .writes_any(|waddr| matches!(waddr, waddr::TLB_COLOUR_MS | waddr::TLB_COLOUR_ALL));
    if at.signal().loads_r4() && !blends {
        accesses.push(format!("signal {}", at.signal().name()));
    }
    if at.reads_any(|raddr| raddr == raddr::MUTEX_ACQUIRE) {
        accesses.push("a mutex read".to_string());
    }
    if matches!(at.instruction, Instruction::Semaphore(_)) {
        accesses.push("a semaphore".to_string());
    }
    (accesses.len() > 1).then(|| format!("one instruction has {}", accesses.join(" and ")))
}

fn tmu_uniform(at: &Facts) -> Option<String> {
    let both =
        at.writes_any(is_texture_coordinate) && at.reads_any(|raddr| raddr == raddr::UNIFORM);
    when(
        both,
        "the texture request takes a uniform and so does an operand",
    )
}

fn writes_setup(at: &Facts, file: File) -> bool {
    at.writes
        .iter()
        .any(|write| write.waddr == waddr::VPMVCD_SETUP && write.file == file)
}

fn writes_a_setup(at: &Facts) -> bool {
    writes_setup(at, File::A) || writes_setup(at, File::B)
}

fn both_setups(at: &Facts) -> Option<String> {
    let both = writes_setup(at, File::A) && writes_setup(at, File::B);
    when(both, "rd_setup and wr_setup are written in one instruction")
}

fn vpm_read_and_setup(at: &Facts) -> Option<String> {
    let both = at.reads_any(|raddr| raddr == raddr::VPM_READ) && writes_a_setup(at);
    when(
        both,
        "the VPM is read in the instruction that writes a setup",
    )
}

fn vpm_write_and_setup(at: &Facts) -> Option<String> {
    let both = at.writes_any(|waddr| waddr == waddr::VPM_WRITE) && writes_a_setup(at);
    when(
        both,
        "the VPM is written in the instruction that writes a setup",
    )
}

fn loads_from_tmu(at: &Facts) -> bool {
    matches!(at.signal(), Signal::LoadTmu0 | Signal::LoadTmu1)
}

fn tmu_load_and_vpm(at: &Facts) -> Option<String> {
    let reads = at.reads_any(|raddr| raddr == raddr::VPM_READ);
    when(
        loads_from_tmu(at) && reads,
        "a TMU result is loaded in an instruction that reads the VPM",
    )
}

fn tmu_load_beside_vpm(at: &Facts) -> Option<String> {
    let reads = at.reads_any(|raddr| raddr.is_vpm() && raddr != raddr::VPM_READ);
    when(
        loads_from_tmu(at) && (reads || at.writes_any(Waddr::is_vpm)),
        "a TMU result is loaded in an instruction that uses VPM or DMA",
    )
}

fn semaphore_write(at: &Facts) -> Option<String> {
    let write = at.writes.iter().find(|Write { waddr, .. }| {
        waddr.is_tmu() || waddr.is_sfu() || waddr.is_tlb() || waddr.is_vpm()
    })?;
    let name = write_name(write.file, write.waddr);
    matches!(at.instruction, Instruction::Semaphore(_))
        .then(|| format!("a semaphore instruction writes {name}"))
}

/// Addresses that name one register in both files.
fn is_shared(address: Waddr) -> bool {
    let per_file = matches!(
        address,
        waddr::ACC5
            | waddr::UNIFORMS_ADDRESS
            | waddr::QUAD_XY
            | waddr::MS_REV_FLAGS
            | waddr::VPMVCD_SETUP
            | waddr::VPM_ADDR
    );
    address.register().is_none() && !per_file
}

fn same_destination(at: &Facts) -> Option<String> {
    let [one, two] = at.writes.both()?;
    // r5 is written by r5quad and r5all; of two writes to it one is lost.
    let same = one.waddr == two.waddr && (is_shared(one.waddr) || one.waddr == waddr::ACC5);
    let accumulator = one.waddr.accumulator().is_some();
    let same_value = at
        .alu()
        .is_none_or(|alu| one.waddr != waddr::ACC5 && copies_one_value(alu));
    if !same || (accumulator && (one.cond.excludes(two.cond) || same_value)) {
        return None;
    }
    Some(format!(
        "both results go to {}",
        write_name(one.file, one.waddr)
    ))
}

/// True if both ALUs move one operand as it is: py-videocore ends its programs with
/// `or r0, r0, r0; v8min r0, r0, r0`.
fn copies_one_value(alu: &Alu) -> bool {
    let add = alu.op_add == AddOp::Or && alu.add_a == alu.add_b;
    let mul = matches!(alu.op_mul, MulOp::V8min | MulOp::V8max) && alu.mul_a == alu.mul_b;
    let as_it_is = alu.rotation().is_none() && alu.write.pack_mul() == Some(MulPack::None);
    add && mul && as_it_is && alu.add_a == alu.mul_a
}

fn same_read(at: &Facts) -> Option<String> {
    let [one, two] = at.reads.both()?;
    let counts = matches!(
        one.raddr,
        raddr::UNIFORM | raddr::VARYING | raddr::VPM_READ | raddr::MUTEX_ACQUIRE
    );
    (counts && one.raddr == two.raddr).then(|| {
        format!(
            "{} is read through both ports",
            read_name(one.file, one.raddr)
        )
    })
}

fn conditional_peripheral(at: &Facts) -> Option<String> {
    // Lanes of an SFU function do not depend on each other: the others get nothing that is
    // wanted. Fragment shaders leave pixels out by the condition of a colour (Mesa's driver, Kenta
    // Ishii's shaders).
    let honours = |waddr: Waddr| {
        matches!(
            waddr,
            waddr::HOST_INT | waddr::QUAD_XY | waddr::MS_REV_FLAGS
        ) || waddr.is_sfu()
            || waddr.is_tlb()
    };
    let mut writes = at.writes.iter().filter(|write| is_peripheral(write.waddr));
    let write = writes.find(|write| write.cond.asks_flags() && !honours(write.waddr))?;
    let name = write_name(write.file, write.waddr);
    Some(format!(
        "the write to {name} is conditional, and happens whatever the condition says"
    ))
}

fn never_peripheral(at: &Facts) -> Option<String> {
    let mut writes = at.writes.iter().filter(|write| is_peripheral(write.waddr));
    let write = writes.find(|write| write.cond == Cond::Never)?;
    let name = write_name(write.file, write.waddr);
    Some(format!("the write to {name} has condition never"))
}

/// Covers constants only. The value that `mov host_int, nop` writes is left to [`super::written`],
/// which knows all ways.
fn host_int_zero(at: &Facts) -> Option<String> {
    let write = at
        .writes
        .iter()
        .find(|write| write.waddr == waddr::HOST_INT)?;
    let zero = match &at.instruction {
        Instruction::LoadImmediate(load) => load.immediate == 0,
        Instruction::Alu(alu) => {
            let (a, b) = match write.slot {
                Slot::Add => (alu.add_a, alu.add_b),
                Slot::Mul => (alu.mul_a, alu.mul_b),
            };
            let is_copy = match write.slot {
                Slot::Add => alu.op_add == AddOp::Or,
                Slot::Mul => alu.op_mul == MulOp::V8min,
            };
            let constant = alu.small_immediate().map(|immediate| immediate.value());
            is_copy && a == Mux::B && b == Mux::B && constant == Some(0)
        }
        _ => false,
    };
    when(
        zero,
        "host_int is written with 0, which raises no interrupt",
    )
}

pub(super) fn is_host_int(address: Waddr) -> bool {
    address == waddr::HOST_INT
}

fn rotation_in_quad(at: &Facts) -> Option<String> {
    let alu = at.alu()?;
    alu.rotation()?;
    let rotates = |mux: Mux| mux.bits() < 4;
    let constant = |mux: Mux| mux == Mux::B;
    let operands = [alu.mul_a, alu.mul_b];
    let inside =
        !operands.iter().any(|mux| rotates(*mux)) && !operands.iter().all(|mux| constant(*mux));
    when(
        inside && alu.op_mul != MulOp::Nop && !stays_in_quads(at),
        "the rotation has no operand in r0..r3, and moves values inside their quad only",
    )
}

fn flags_of_never(at: &Facts) -> Option<String> {
    let write_back = at.instruction.write_back();
    let add_is_idle = at.alu().is_some_and(|alu| alu.op_add == AddOp::Nop);
    let never = write_back.sf && write_back.cond_add == Cond::Never && !add_is_idle;
    when(
        never,
        "flags are set from an add result whose condition is never",
    )
}

fn idle_mul_write(at: &Facts) -> Option<String> {
    let alu = at.alu()?;
    let write = at.writes.iter().find(|write| write.slot == Slot::Mul)?;
    let name = write_name(write.file, write.waddr);
    (alu.op_mul == MulOp::Nop).then(|| format!("the mul ALU is idle, and {name} is written"))
}

/// Ports that read nothing, and of which an operand takes what is left.
pub(super) fn unread_ports(at: &Facts) -> impl Iterator<Item = (File, &Alu, Mux)> {
    let reads = at
        .reads
        .iter()
        .filter(|read| read.used && read.raddr == raddr::NOP);
    reads.filter_map(|read| Some((read.file, at.alu()?, Mux::of(read.file))))
}

pub(super) fn letter(file: File) -> char {
    match file {
        File::A => 'A',
        File::B => 'B',
    }
}

fn no_read(at: &Facts) -> Option<String> {
    // What host_int gets has a rule of its own.
    let mut unread = unread_ports(at);
    let (file, ..) = unread.find(|(_, alu, mux)| alu.keeps_result(*mux, |to| !is_host_int(to)))?;
    Some(format!(
        "an operand comes from file {}'s port, which reads nothing",
        letter(file)
    ))
}

/// The counterpart of `no_read` where only flags come of it, which is a mistake where an
/// instruction asks for them: programs wait with `or.setf -, vw_wait, nop`, as the first examples
/// for this machine did.
fn flags_of_no_read(facts: &[Option<Facts>], index: usize) -> Option<String> {
    let at = facts[index].as_ref()?;
    let (file, ..) = unread_ports(at).find(|(_, alu, mux)| alu.keeps_flags(*mux))?;
    let is_told = no_read(at).is_some();
    (!is_told && flags::are_asked(facts, index)).then(|| {
        let file = letter(file);
        format!("flags are set from file {file}'s port, which reads nothing, and are asked later")
    })
}

fn unmapped_read(at: &Facts) -> Option<String> {
    let unmapped = |bits| matches!(bits, 33 | 34 | 36 | 37 | 40 | 43..=47 | 52..=63);
    let read = at.reads.iter().find(|read| unmapped(read.raddr.bits()))?;
    Some(format!("address {} cannot be read", read.raddr.bits()))
}

fn busy_read(at: &Facts) -> Option<String> {
    let read = at.reads.iter().find(|read| read.raddr == raddr::VPM_BUSY)?;
    Some(format!(
        "{} cannot be relied on",
        read_name(read.file, read.raddr)
    ))
}

pub(super) fn fragment_only(at: &Facts) -> Option<String> {
    let signal = at.signal();
    let allowed = matches!(
        signal,
        Signal::None
            | Signal::Breakpoint
            | Signal::ProgramEnd
            | Signal::LoadTmu0
            | Signal::LoadTmu1
    );
    if !allowed {
        return Some(format!("signal {} is for fragment shaders", signal.name()));
    }
    if let Some(write) = at.writes.iter().find(|write| write.waddr.is_tlb()) {
        return Some(format!(
            "{} is for fragment shaders",
            write_name(write.file, write.waddr)
        ));
    }
    when(
        at.reads_any(|raddr| raddr == raddr::VARYING),
        "varyings are for fragment shaders",
    )
}

/// Flags that nothing in the program asks for may be set.
fn branch_odd_register(at: &Facts) -> Option<String> {
    let branch = at.branch().filter(|branch| branch.sets_flags())?;
    Some(format!(
        "the branch has register number {}, so it sets flags when taken",
        branch.raddr_a
    ))
}

fn link_io(at: &Facts) -> Option<String> {
    at.branch()?;
    let write = at.writes.iter().find(|write| is_peripheral(write.waddr))?;
    Some(format!(
        "the link goes to {}",
        write_name(write.file, write.waddr)
    ))
}

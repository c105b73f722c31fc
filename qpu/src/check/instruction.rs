//! Rules about one instruction by itself.

use super::Rule;
use super::facts::{Facts, Program, Write, is_peripheral, when};
use super::flags;
use super::flow::Flow;
use super::packing;
use super::sequence::is_texture_coordinate;
use crate::isa::{
    AddOp, Alu, Cond, File, Instruction, MulOp, MulPack, Mux, Raddr, Signal, Slot, SmallImmediate,
    Waddr, raddr, waddr,
};

/// True if an instruction breaks a rule.
type IsBroken = fn(&Facts) -> bool;

/// The reason, if an instruction breaks a rule.
type Reason = fn(&Facts) -> Option<String>;

/// Rules with one reason, and when an instruction breaks them.
const PLAIN: &[(Rule, IsBroken, &str)] = &[
    (
        Rule::TmuNoswap,
        |at| at.writes_to(waddr::TMU_NOSWAP) && at.writes_any(Waddr::is_tmu),
        "a TMU is written in the instruction that writes tmu_noswap",
    ),
    (
        Rule::TmuUniform,
        |at| at.writes_any(is_texture_coordinate) && at.reads_from(raddr::UNIFORM),
        "the texture request takes a uniform and so does an operand",
    ),
    (
        Rule::BothSetups,
        |at| writes_setup(at, File::A) && writes_setup(at, File::B),
        "rd_setup and wr_setup are written in one instruction",
    ),
    (
        Rule::VpmReadAndSetup,
        |at| at.reads_from(raddr::VPM_READ) && at.writes_to(waddr::VPMVCD_SETUP),
        "the VPM is read in the instruction that writes a setup",
    ),
    (
        Rule::VpmWriteAndSetup,
        |at| at.writes_to(waddr::VPM_WRITE) && at.writes_to(waddr::VPMVCD_SETUP),
        "the VPM is written in the instruction that writes a setup",
    ),
    (
        Rule::TmuLoadAndVpm,
        |at| loads_from_tmu(at) && at.reads_from(raddr::VPM_READ),
        "a TMU result is loaded in an instruction that reads the VPM",
    ),
    (
        Rule::TmuLoadBesideVpm,
        |at| loads_from_tmu(at) && uses_vpm_or_dma(at),
        "a TMU result is loaded in an instruction that uses VPM or DMA",
    ),
    (
        Rule::HostIntZero,
        writes_zero_to_host_int,
        "host_int is written with 0, which raises no interrupt",
    ),
    (
        Rule::RotationInQuad,
        |at| at.alu().is_some_and(rotates_in_quads) && !at.stays_in_quads(),
        "the rotation has no operand in r0..r3, and moves values inside their quad only",
    ),
    (
        Rule::PackWithoutFileA,
        packing::pack_without_file_a,
        "a result is packed for file A, and none goes to a register of file A",
    ),
    (
        Rule::UnpackMixed,
        |at| at.alu().is_some_and(packing::unpack_mixed),
        "one ALU takes the unpacked value as float, the other as integer",
    ),
    (
        Rule::UnpackKind,
        |at| at.alu().is_some_and(packing::unpack_kind),
        "an unpacked r4 is a float, and an integer operation takes it",
    ),
    (
        Rule::FlagsOfNever,
        sets_flags_never,
        "flags are set from an add result whose condition is never",
    ),
];

/// Rules whose reason names something.
const NAMED: &[(Rule, Reason)] = &[
    (Rule::OnePeripheral, one_peripheral),
    (Rule::SemaphoreWrite, semaphore_write),
    (Rule::SameDestination, same_destination),
    (Rule::SameRead, same_read),
    (Rule::ConditionalPeripheral, conditional_peripheral),
    (Rule::NeverPeripheral, never_peripheral),
    (Rule::PackReserved, packing::pack_reserved),
    (Rule::PackUndocumented, packing::pack_undocumented),
    (Rule::PackToPeripheral, packing::pack_to_peripheral),
    (Rule::UnpackIo, packing::unpack_io),
    (Rule::PackKind, packing::pack_kind),
    (Rule::IdleMulWrite, idle_mul_write),
    (Rule::NoRead, no_read),
    (Rule::UnmappedRead, unmapped_read),
    (Rule::BusyRead, busy_read),
    (Rule::FragmentOnly, fragment_only),
    (Rule::LinkIo, link_io),
];

/// Only instructions that some way reaches count.
pub(super) fn check(facts: &Program, flow: &Flow, report: &mut impl FnMut(Rule, usize, String)) {
    let flags_count = facts.iter().flatten().any(flags::asks);
    for (index, at) in flow.reached(facts) {
        for (rule, _, reason) in PLAIN.iter().filter(|(_, is_broken, _)| is_broken(at)) {
            report(*rule, index, reason.to_string());
        }
        for (rule, reason) in NAMED {
            if let Some(reason) = reason(at) {
                report(*rule, index, reason);
            }
        }
        if let Some(reason) = flags_of_no_read(at, || flags::are_asked(facts, flow, index)) {
            report(Rule::NoRead, index, reason);
        }
        if let Some(reason) = branch_odd_register(at).filter(|_| flags_count) {
            report(Rule::BranchOddRegister, index, reason);
        }
    }
}

fn one_peripheral(at: &Facts) -> Option<String> {
    let mut accesses = Vec::new();
    for write in at.writes.iter() {
        // The setup of stencils is no access of the tile buffer: Mesa's driver does not count it,
        // and shaders of rpi-vk-driver load textures beside it.
        let is_tile = write.waddr.is_tlb() && write.waddr != waddr::TLB_STENCIL_SETUP;
        if write.waddr.is_tmu() || is_tile || write.waddr.is_sfu() {
            accesses.push(format!("a write to {}", write.name()));
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
    if at.reads_from(raddr::MUTEX_ACQUIRE) {
        accesses.push("a mutex read".to_string());
    }
    if matches!(at.instruction, Instruction::Semaphore(_)) {
        accesses.push("a semaphore".to_string());
    }
    (accesses.len() > 1).then(|| format!("one instruction has {}", accesses.join(" and ")))
}

fn writes_setup(at: &Facts, file: File) -> bool {
    let is_setup = |write: &Write| write.waddr == waddr::VPMVCD_SETUP && write.file == file;
    at.writes.iter().any(is_setup)
}

fn loads_from_tmu(at: &Facts) -> bool {
    matches!(at.signal(), Signal::LoadTmu0 | Signal::LoadTmu1)
}

/// A vector that is read is left to [`Rule::TmuLoadAndVpm`].
fn uses_vpm_or_dma(at: &Facts) -> bool {
    let reads = |raddr: Raddr| raddr.is_vpm() && raddr != raddr::VPM_READ;
    at.reads_any(reads) || at.writes_any(Waddr::is_vpm)
}

fn semaphore_write(at: &Facts) -> Option<String> {
    let write = at.writes.iter().find(|Write { waddr, .. }| {
        waddr.is_tmu() || waddr.is_sfu() || waddr.is_tlb() || waddr.is_vpm()
    })?;
    matches!(at.instruction, Instruction::Semaphore(_))
        .then(|| format!("a semaphore instruction writes {}", write.name()))
}

fn same_destination(at: &Facts) -> Option<String> {
    let [one, two] = at.writes.both()?;
    // r5 is written by r5quad and r5all; of two writes to it one is lost.
    let same = one.waddr == two.waddr && (!one.waddr.differs_by_file() || one.waddr == waddr::ACC5);
    let accumulator = one.waddr.accumulator().is_some();
    let same_value = at
        .alu()
        .is_none_or(|alu| one.waddr != waddr::ACC5 && copies_one_value(alu));
    if !same || (accumulator && (one.cond.excludes(two.cond) || same_value)) {
        return None;
    }
    Some(format!("both results go to {}", one.name()))
}

/// True if both ALUs move one operand as it is: py-videocore ends its programs with
/// `or r0, r0, r0; v8min r0, r0, r0`.
fn copies_one_value(alu: &Alu) -> bool {
    let [add, mul] = Slot::BOTH.map(|slot| alu.copied(slot));
    let as_it_is = alu.rotation().is_none() && alu.write.pack_mul() == Some(MulPack::None);
    add.is_some() && add == mul && as_it_is
}

fn same_read(at: &Facts) -> Option<String> {
    let [one, two] = at.reads.both()?;
    (one.raddr.is_taken() && one.raddr == two.raddr)
        .then(|| format!("{} is read through both ports", one.name()))
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
    Some(format!(
        "the write to {} is conditional, and happens whatever the condition says",
        write.name()
    ))
}

fn never_peripheral(at: &Facts) -> Option<String> {
    let mut writes = at.writes.iter().filter(|write| is_peripheral(write.waddr));
    let write = writes.find(|write| write.cond == Cond::Never)?;
    Some(format!("the write to {} has condition never", write.name()))
}

/// Covers constants only. The value that `mov host_int, nop` writes is left to [`super::written`],
/// which knows all ways.
fn writes_zero_to_host_int(at: &Facts) -> bool {
    let mut writes = at.writes.iter();
    let Some(write) = writes.find(|write| is_host_int(write.waddr)) else {
        return false;
    };
    match &at.instruction {
        Instruction::LoadImmediate(load) => load.immediate == 0,
        Instruction::Alu(alu) => {
            let constant = alu.small_immediate().map(SmallImmediate::value);
            alu.copied(write.slot) == Some(Mux::B) && constant == Some(0)
        }
        _ => false,
    }
}

pub(super) fn is_host_int(address: Waddr) -> bool {
    address == waddr::HOST_INT
}

fn rotates_in_quads(alu: &Alu) -> bool {
    let operands = alu.operands(Slot::Mul);
    let inside = operands.iter().all(|mux| mux.bits() >= 4);
    let is_value = operands.iter().any(|mux| *mux != Mux::B);
    alu.rotation().is_some() && inside && is_value && alu.op_mul != MulOp::Nop
}

fn sets_flags_never(at: &Facts) -> bool {
    let write_back = at.instruction.write_back();
    let add_is_idle = at.alu().is_some_and(|alu| alu.op_add == AddOp::Nop);
    write_back.sf && write_back.cond_add == Cond::Never && !add_is_idle
}

fn idle_mul_write(at: &Facts) -> Option<String> {
    let alu = at.alu()?;
    let write = at.writes.iter().find(|write| write.slot == Slot::Mul)?;
    (alu.op_mul == MulOp::Nop)
        .then(|| format!("the mul ALU is idle, and {} is written", write.name()))
}

/// Ports that read nothing, and of which an operand takes what is left.
pub(super) fn unread_ports(at: &Facts) -> impl Iterator<Item = (File, &Alu, Mux)> {
    let reads = at
        .reads
        .iter()
        .filter(|read| read.used && read.raddr == raddr::NOP);
    reads.filter_map(|read| Some((read.file, at.alu()?, Mux::of(read.file))))
}

fn no_read(at: &Facts) -> Option<String> {
    // What host_int gets has a rule of its own.
    let mut unread = unread_ports(at);
    let (file, ..) = unread.find(|(_, alu, mux)| alu.keeps_result(*mux, |to| !is_host_int(to)))?;
    Some(format!(
        "an operand comes from file {file:?}'s port, which reads nothing"
    ))
}

/// The counterpart of `no_read` where only flags come of it, which is a mistake where an
/// instruction asks for them: programs wait with `or.setf -, vw_wait, nop`, as the first examples
/// for this machine did.
fn flags_of_no_read(at: &Facts, are_asked: impl Fn() -> bool) -> Option<String> {
    let (file, ..) = unread_ports(at).find(|(_, alu, mux)| alu.keeps_flags(*mux))?;
    (no_read(at).is_none() && are_asked()).then(|| {
        format!("flags are set from file {file:?}'s port, which reads nothing, and are asked later")
    })
}

fn unmapped_read(at: &Facts) -> Option<String> {
    let unmapped = |bits| matches!(bits, 33 | 34 | 36 | 37 | 40 | 43..=47 | 52..=63);
    let read = at.reads.iter().find(|read| unmapped(read.raddr.bits()))?;
    Some(format!("address {} cannot be read", read.raddr.bits()))
}

fn busy_read(at: &Facts) -> Option<String> {
    let read = at.reads.iter().find(|read| read.raddr == raddr::VPM_BUSY)?;
    Some(format!("{} cannot be relied on", read.name()))
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
        return Some(format!("{} is for fragment shaders", write.name()));
    }
    when(
        at.reads_from(raddr::VARYING),
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
    Some(format!("the link goes to {}", write.name()))
}

//! Reads of what no way through the program has written.
//!
//! Registers, accumulators and flags hold whatever the program before left, and so does a port that
//! nothing was read through, of which `mov host_int, nop` takes what the last read left. What some
//! way writes counts as written here, in any lane and under any condition: the simulator reports
//! which way is taken and which lanes are wanted. Nothing is said where the walk does not know all
//! ways, of pieces that run off their end, and of fragment shaders, whose registers the 3D pipeline
//! fills.

use super::Rule;
use super::facts::{Facts, Program, Write, in_file};
use super::flow::Flow;
use super::instruction::{fragment_only, is_host_int, unread_ports};
use crate::isa::{
    AddOp, Alu, BranchCond, Cond, File, MulOp, Mux, Pack, Rotation, Slot, SmallImmediate, Unpack,
    raddr, waddr,
};

/// Registers of both files, accumulators, flags and what reads leave in both ports, a bit each.
type Places = u128;

const ACCUMULATORS: u32 = super::facts::ACCUMULATORS as u32;
const FLAGS: u32 = ACCUMULATORS + 6;
const PORTS: u32 = FLAGS + 1;
const ALL: u32 = PORTS + 2;

/// Calls `report` with the first read of each place that nothing writes before it.
pub(super) fn check(facts: &Program, flow: &Flow, report: &mut impl FnMut(Rule, usize, String)) {
    let mut reached = flow.reached(facts);
    if !flow.is_followed || reached.any(|(_, at)| fragment_only(at).is_some()) {
        return;
    }
    let before = written_before(facts, flow);
    let mut reported: Places = 0;
    for (index, at) in flow.reached(facts) {
        let missing = read_by(at) & !before[index] & !reported;
        reported |= missing;
        for place in (0..ALL).filter(|place| missing >> place & 1 != 0) {
            let rule = if place < PORTS {
                Rule::UndefinedRead
            } else {
                Rule::HostIntZero
            };
            report(rule, index, reason(place, before[index]));
        }
    }
}

fn reason(place: u32, written: Places) -> String {
    let nothing = "nothing before it writes it";
    if place >= PORTS {
        let file = if place == PORTS { 'A' } else { 'B' };
        return format!(
            "host_int is written with what the last read through file {file}'s port left, and nothing before reads through it"
        );
    }
    if place == FLAGS {
        return "flags are asked for, and nothing before sets them".to_string();
    }
    if place >= ACCUMULATORS {
        return format!("r{} is read, and {nothing}", place - ACCUMULATORS);
    }
    let name = |place: u32| format!("r{}{}", if place < 32 { 'a' } else { 'b' }, place % 32);
    // The usual mistake is the other file.
    let other = match written >> (place ^ 32) & 1 {
        0 => String::new(),
        _ => format!(", but {} is written", name(place ^ 32)),
    };
    format!("{} is read, and {nothing}{other}", name(place))
}

/// Places that may be written before each instruction, on the way to it.
fn written_before(facts: &Program, flow: &Flow) -> Vec<Places> {
    let mut before = vec![0; facts.len()];
    // What starts elsewhere may find everything.
    let mut changed = flow.entries.clone();
    for entry in &flow.entries {
        before[*entry] = Places::MAX;
    }
    changed.extend(flow.reached(facts).map(|(index, _)| index));
    while let Some(index) = changed.pop() {
        let written = facts[index].as_ref().map_or(0, written_by);
        for next in flow.after[index].iter().map(|next| *next as usize) {
            let now = before[next] | before[index] | written;
            if now != before[next] {
                before[next] = now;
                changed.push(next);
            }
        }
    }
    before
}

fn written_by(at: &Facts) -> Places {
    let mut places = 0;
    let is_copied_to_itself = |write: &Write| at.alu().is_some_and(|alu| stays(at, alu, write));
    for write in at.writes.iter().filter(|write| !is_copied_to_itself(write)) {
        if let Some(number) = write.waddr.register() {
            places |= 1 << in_file(write.file, number);
        }
        if let Some(number) = write.waddr.accumulator() {
            places |= 1 << (ACCUMULATORS + u32::from(number));
        }
        if write.waddr.is_sfu() {
            places |= 1 << (ACCUMULATORS + 4);
        }
    }
    if at.signal().loads_r4() {
        places |= 1 << (ACCUMULATORS + 4);
    }
    let sets_flags = match at.branch() {
        Some(branch) => branch.sets_flags(),
        None => at.instruction.write_back().sf,
    };
    places | Places::from(sets_flags) << FLAGS | reads_through_ports(at)
}

/// The ports that keep something of this instruction: every read but those of no address and of
/// branches does so, and a small immediate (vc4asm's addendum, VC4C).
fn reads_through_ports(at: &Facts) -> Places {
    let Some(alu) = at.alu() else { return 0 };
    let through_b = alu.read_b() != raddr::NOP || alu.small_immediate().is_some();
    Places::from(alu.raddr_a != raddr::NOP) << PORTS | Places::from(through_b) << (PORTS + 1)
}

fn read_by(at: &Facts) -> Places {
    let mut places = 0;
    if let Some(branch) = at.branch() {
        if branch.reg {
            places |= 1 << in_file(File::A, branch.raddr_a & 31);
        }
        return places | Places::from(branch.cond_br != BranchCond::Always) << FLAGS;
    }
    let asks = at.writes.iter().any(|write| write.cond.asks_flags());
    places |= Places::from(asks) << FLAGS;
    let Some(alu) = at.alu() else {
        return places;
    };
    let wanted = |mux: Mux| Slot::BOTH.iter().any(|slot| takes(at, alu, *slot, mux));
    for read in at.reads.iter().filter(|read| read.used) {
        if let Some(number) = read.raddr.register()
            && wanted(Mux::of(read.file))
        {
            places |= 1 << in_file(read.file, number);
        }
    }
    for mux in Mux::ALL.iter().filter(|mux| mux.bits() < 6) {
        if wanted(*mux) {
            places |= 1 << (ACCUMULATORS + u32::from(mux.bits()));
        }
    }
    // Of what ports keep only host interrupts are asked here: anything else has a rule of its own
    // (`nop-read`).
    for (port, alu, mux) in unread_ports(at) {
        let raises = alu.keeps_result(mux, is_host_int);
        places |= Places::from(raises) << (PORTS + u32::from(port == File::B));
    }
    let by_r5 = alu.rotation() == Some(Rotation::ByR5) && alu.op_mul.operands() > 0;
    places | Places::from(by_r5) << (ACCUMULATORS + 5)
}

/// True if something comes of what an operation takes through a mux: a result that depends on it
/// and goes somewhere else, or flags.
fn takes(at: &Facts, alu: &Alu, slot: Slot, mux: Mux) -> bool {
    let sets_flags = alu.write.sf && alu.flag_slot() == slot;
    let mut results = at.writes.iter().filter(|write| {
        let is_lost = write.cond == Cond::Never || write.waddr == waddr::MUTEX_RELEASE;
        write.slot == slot && !is_lost
    });
    alu.uses_in(slot, mux)
        && !is_constant(alu, slot)
        && (sets_flags || results.any(|write| !stays(at, alu, write)))
}

/// True if an operation gives the same whatever its operands are: what is taken from itself, and
/// products with 0.
fn is_constant(alu: &Alu, slot: Slot) -> bool {
    use MulOp::{Fmul, Mul24, V8min, V8muld};
    let by_anything = match slot {
        Slot::Add => alu.op_add == AddOp::And,
        Slot::Mul => matches!(alu.op_mul, Fmul | Mul24 | V8muld | V8min),
    };
    let is_zero =
        alu.small_immediate().is_some() && alu.small_immediate() == SmallImmediate::from_int(0);
    alu.cancels(slot) || by_anything && is_zero && alu.operands(slot).contains(&Mux::B)
}

/// True if a result is a copy that goes to where it comes from, as in `mov r0, r0`.
fn stays(at: &Facts, alu: &Alu, write: &Write) -> bool {
    let is_rotated = write.slot == Slot::Mul && alu.rotation().is_some();
    let Some(from) = alu.copied(write.slot).filter(|_| !is_rotated) else {
        return false;
    };
    let is_same = match from {
        Mux::A | Mux::B => {
            let port = if from == Mux::A { File::A } else { File::B };
            let read = at.reads.iter().find(|read| read.file == port);
            let number = read.and_then(|read| read.raddr.register());
            port == write.file && number.is_some() && number == write.waddr.register()
        }
        _ => write.waddr.accumulator() == Some(from.bits()),
    };
    is_same && alu.unpack == Unpack::None && alu.write.pack == Pack::None
}

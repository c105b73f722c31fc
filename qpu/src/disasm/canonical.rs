//! The word that the assembler makes of an instruction's text.
//!
//! Text does not say what an idle ALU's fields hold, which port an I/O register that has two is
//! read through, or what lies in fields without meaning. The assembler puts fixed values there;
//! these are them, and they are those of Broadcom's assembler (GPU_FFT's words). A word that
//! differs from its canonical form needs its bits written beside its text.
//!
//! Where the assembler may refuse the text (an unpacked uniform, say), the canonical form is a
//! harmless other word, so that the bits are written too.

use super::alu::{is_shown_unused, rotates};
use crate::isa::{
    AddOp, Alu, Branch, Cond, File, Instruction, LoadImmediate, LoadImmediateKind, MulOp, MulPack,
    Mux, Pack, Raddr, RaddrB, Semaphore, Signal, Slot, SmallImmediate, Unpack, WriteBack, decode,
    raddr, waddr,
};

/// The word that the assembler makes of the text of `word`; `None` when the word is no instruction.
#[must_use]
pub fn canonical(word: u64) -> Option<u64> {
    decode(word)
        .ok()
        .map(|instruction| of_instruction(&instruction).encode())
}

/// [`canonical`] of a decoded instruction.
pub(super) fn of_instruction(instruction: &Instruction) -> Instruction {
    match instruction {
        Instruction::Alu(alu) => Instruction::Alu(of_alu(*alu)),
        Instruction::LoadImmediate(load) => Instruction::LoadImmediate(of_load(load)),
        Instruction::Semaphore(semaphore) => Instruction::Semaphore(of_semaphore(semaphore)),
        Instruction::Branch(branch) => Instruction::Branch(of_branch(branch)),
    }
}

fn of_alu(mut alu: Alu) -> Alu {
    if alu.op_add == AddOp::Nop {
        (alu.add_a, alu.add_b) = (Mux::R0, Mux::R0);
    } else if alu.op_add.operands() == 1 {
        alu.add_b = alu.add_a;
    }
    if alu.op_mul == MulOp::Nop {
        (alu.mul_a, alu.mul_b) = (Mux::R0, Mux::R0);
    }
    set_reads(&mut alu);
    let packs_mul = packs_mul(&alu);
    set_writes(&mut alu);
    set_packing(&mut alu, packs_mul);
    alu
}

/// Ports and immediate: 39 where nothing is read, file A for what both ports can read.
fn set_reads(alu: &mut Alu) {
    if let RaddrB::SmallImmediate(immediate) = alu.raddr_b {
        let is_read = alu.uses(Mux::B);
        let rotation = immediate.rotation().is_some() && alu.op_mul != MulOp::Nop;
        alu.raddr_b = if rotation && rotates(alu) {
            alu.raddr_b
        } else if is_read {
            // As a number only, each has one code.
            let number = SmallImmediate::from_word(immediate.value());
            RaddrB::SmallImmediate(number.unwrap_or(immediate))
        } else {
            RaddrB::Register {
                raddr: raddr::NOP,
                signal: Signal::None,
            }
        };
    }
    let signal = alu.signal();
    let is_needed =
        |mux, address: Raddr| address != raddr::NOP && (alu.uses(mux) || is_shown_unused(address));
    let a = is_needed(Mux::A, alu.raddr_a).then_some(alu.raddr_a);
    let b = is_needed(Mux::B, alu.read_b()).then_some(alu.read_b());
    let is_immediate = alu.small_immediate().is_some();
    let (a, b) = match (a, b) {
        (Some(a), Some(b)) if a == b && a.is_taken() => {
            swap_muxes(alu, |mux| if mux == Mux::B { Mux::A } else { mux });
            (Some(a), None)
        }
        (None, Some(b)) if b.is_taken() && !alu.uses(Mux::A) => {
            swap_muxes(alu, |mux| if mux == Mux::B { Mux::A } else { mux });
            (Some(b), None)
        }
        (Some(a), Some(b)) if a.is_taken() && b.is_taken() && comes_first(alu) == Mux::B => {
            swap_muxes(alu, |mux| match mux {
                Mux::A => Mux::B,
                Mux::B => Mux::A,
                other => other,
            });
            (Some(b), Some(a))
        }
        unchanged => unchanged,
    };
    alu.raddr_a = a.unwrap_or(raddr::NOP);
    if !is_immediate {
        alu.raddr_b = RaddrB::Register {
            raddr: b.unwrap_or(raddr::NOP),
            signal,
        };
    }
}

/// The port whose value the text names first; one that no operand uses comes last.
fn comes_first(alu: &Alu) -> Mux {
    let add = [alu.add_a, alu.add_b];
    let mul = [alu.mul_a, alu.mul_b];
    let add = &add[..usize::from(alu.op_add.operands())];
    let mul = &mul[..usize::from(alu.op_mul.operands())];
    let mut operands = add.iter().chain(mul);
    operands
        .find(|mux| matches!(mux, Mux::A | Mux::B))
        .copied()
        .unwrap_or(Mux::A)
}

fn swap_muxes(alu: &mut Alu, change: impl Fn(Mux) -> Mux) {
    if alu.op_add != AddOp::Nop {
        (alu.add_a, alu.add_b) = (change(alu.add_a), change(alu.add_b));
    }
    if alu.op_mul != MulOp::Nop {
        (alu.mul_a, alu.mul_b) = (change(alu.mul_a), change(alu.mul_b));
    }
}

/// Destinations, conditions and write swap of both ALUs.
fn set_writes(alu: &mut Alu) {
    let write = &mut alu.write;
    if alu.op_add == AddOp::Nop {
        (write.waddr_add, write.cond_add) = (waddr::NOP, Cond::Never);
    }
    if alu.op_mul == MulOp::Nop && write.cond_mul == Cond::Never {
        write.waddr_mul = waddr::NOP;
    }
    let is_busy = [alu.op_add != AddOp::Nop, alu.op_mul != MulOp::Nop];
    write.sf &= is_busy[0] || is_busy[1];
    let flags = if is_busy[0] { Slot::Add } else { Slot::Mul };
    let sf = write.sf;
    for slot in Slot::BOTH {
        set_condition(write, slot, sf && slot == flags);
    }
    set_write_swap(write);
}

/// A result that goes nowhere and sets no flags has condition never.
fn set_condition(write: &mut WriteBack, slot: Slot, sets_flags: bool) {
    if write.waddr(slot) == waddr::NOP && !sets_flags {
        match slot {
            Slot::Add => write.cond_add = Cond::Never,
            Slot::Mul => write.cond_mul = Cond::Never,
        }
    }
}

/// Without need of it there is none.
fn set_write_swap(write: &mut WriteBack) {
    write.ws &= write.waddr_add.differs_by_file() || write.waddr_mul.differs_by_file();
}

/// True if a result goes to a register of file A, which is what pack modes (pm = 0) are for.
fn writes_file_a(write: &WriteBack) -> bool {
    Slot::BOTH
        .into_iter()
        .any(|slot| write.file(slot) == File::A && write.waddr(slot).register().is_some())
}

/// True if the mul result is packed to colour, and goes where that works.
fn packs_mul(alu: &Alu) -> bool {
    let address = alu.write.waddr_mul;
    let works = address.register().is_some() || address.accumulator().is_some();
    alu.op_mul != MulOp::Nop
        && works
        && alu.write.pm
        && !matches!(alu.write.pack_mul(), None | Some(MulPack::None))
}

fn set_packing(alu: &mut Alu, packs_mul: bool) {
    let unpacks = if alu.write.pm {
        alu.uses(Mux::R4)
    } else {
        alu.uses(Mux::A) && alu.raddr_a.register().is_some()
    };
    if !unpacks {
        alu.unpack = Unpack::None;
    }
    let packs = if alu.write.pm {
        packs_mul
    } else {
        writes_file_a(&alu.write)
    };
    if !packs {
        alu.write.pack = Pack::None;
    }
    alu.write.pm &= alu.unpack != Unpack::None || alu.write.pack != Pack::None;
}

/// Results of a load immediate, a semaphore or a link: both are the same value.
fn of_shared(write: &WriteBack) -> WriteBack {
    let mut write = *write;
    let sets_flags = write.sf;
    set_condition(&mut write, Slot::Add, sets_flags);
    set_condition(&mut write, Slot::Mul, false);
    set_write_swap(&mut write);
    if write.pm || !writes_file_a(&write) {
        (write.pm, write.pack) = (false, Pack::None);
    }
    write
}

fn of_load(load: &LoadImmediate) -> LoadImmediate {
    let kind = match load.kind {
        // Values that both kinds hold, 0 and 1, are written as signed ones.
        LoadImmediateKind::PerElementUnsigned if load.immediate >> 16 == 0 => {
            LoadImmediateKind::PerElementSigned
        }
        kind => kind,
    };
    LoadImmediate {
        kind,
        write: of_shared(&load.write),
        immediate: load.immediate,
    }
}

/// The text gives one destination, and of the low word what counts.
fn of_semaphore(semaphore: &Semaphore) -> Semaphore {
    let mut write = semaphore.write;
    write.waddr_mul = waddr::NOP;
    Semaphore {
        write: of_shared(&write),
        immediate: semaphore.immediate & 0x1f,
    }
}

fn of_branch(branch: &Branch) -> Branch {
    let mut write = branch.link_write();
    set_write_swap(&mut write);
    Branch {
        ignored: 0,
        ws: write.ws,
        raddr_a: if branch.reg { branch.raddr_a } else { 0 },
        ..*branch
    }
}

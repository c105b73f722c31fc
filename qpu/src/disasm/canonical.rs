//! The word that the assembler makes of an instruction's text.
//!
//! Text does not say what an idle ALU's fields hold, which port an I/O register that has two is
//! read through, or what lies in fields without meaning. The assembler puts fixed values there,
//! those of Broadcom's assembler (GPU_FFT's words). So an ALU instruction is taken apart into
//! operations, and these are fitted into an instruction by the code that the assembler uses
//! ([`crate::fit`]). A word that differs from its canonical form needs its bits beside its text.
//!
//! Where the assembler may refuse the text (an unpacked uniform, say), the canonical form is a
//! harmless other word, so that the bits are written too.

use super::alu::{is_shown_unused, rotates};
use crate::fit::{Dst, Op, OpCode, Request, Src};
use crate::isa::{
    Alu, Branch, Cond, File, Instruction, LoadImmediate, LoadImmediateKind, MulPack, Mux, Pack,
    Raddr, RaddrB, Semaphore, Slot, Waddr, WriteBack, decode, waddr,
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
        Instruction::Alu(alu) => Instruction::Alu(of_alu(alu)),
        Instruction::LoadImmediate(load) => Instruction::LoadImmediate(of_load(load)),
        Instruction::Semaphore(semaphore) => Instruction::Semaphore(of_semaphore(semaphore)),
        Instruction::Branch(branch) => Instruction::Branch(of_branch(branch)),
    }
}

/// The instruction that operations, reads and signal fit into, as the assembler has them.
fn of_alu(alu: &Alu) -> Alu {
    let operations = Slot::BOTH
        .into_iter()
        .filter_map(|slot| operation(alu, slot));
    let operations: Vec<Op> = operations.collect();
    let ports = [(Mux::A, alu.raddr_a), (Mux::B, alu.read_b())];
    let unused = ports
        .into_iter()
        .filter(|(mux, address)| is_shown_unused(*address) && !alu.uses(*mux));
    let reads: Vec<Src> = unused.map(|(mux, _)| source(alu, mux)).collect();
    let request = Request {
        operations: &operations,
        reads: &reads,
        signal: alu.signal(),
        rotates_in_quads: false,
    };
    request.fit().unwrap_or(Alu::NOP)
}

/// The operation of an ALU; `None` where that is idle and writes nothing.
fn operation(alu: &Alu, slot: Slot) -> Option<Op> {
    let (waddr, cond) = (alu.write.waddr(slot), alu.write.cond(slot));
    let (code, operands) = match slot {
        Slot::Add => (OpCode::Add(alu.op_add), alu.op_add.operands()),
        Slot::Mul => (OpCode::Mul(alu.op_mul), alu.op_mul.operands()),
    };
    let writes_left_overs = slot == Slot::Mul && waddr != waddr::NOP && cond != Cond::Never;
    if operands == 0 && !writes_left_overs {
        return None;
    }
    let [a, b] = match (operands, alu.operands(slot)) {
        (0, _) => [Mux::R0; 2],
        (1, [a, _]) => [a; 2],
        (_, both) => both,
    };
    let setf = alu.write.sf && alu.flag_slot() == slot && operands > 0;
    let is_of_mul = slot == Slot::Mul && operands > 0;
    Some(Op {
        code,
        dst: destination(&alu.write, slot),
        a: source(alu, a),
        b: source(alu, b),
        cond: match waddr {
            waddr::NOP if !setf => Cond::Never,
            _ => cond,
        },
        setf,
        rotate: alu.rotation().filter(|_| is_of_mul && rotates(alu)),
        pack_mul: match alu.write.pack_mul() {
            Some(pack) if is_of_mul && packs_colour(waddr) => pack,
            _ => MulPack::None,
        },
    })
}

/// True if the mul result can be packed to colour on its way there.
fn packs_colour(address: Waddr) -> bool {
    address.register().is_some() || address.accumulator().is_some()
}

fn destination(write: &WriteBack, slot: Slot) -> Dst {
    let (file, waddr) = (write.file(slot), write.waddr(slot));
    let dst = Dst::at(waddr, Some(file).filter(|_| waddr.differs_by_file()));
    match file == File::A && waddr.register().is_some() {
        true => dst.pack(write.pack_a()),
        false => dst,
    }
}

/// The operand that comes through a mux, widened if it can be.
fn source(alu: &Alu, mux: Mux) -> Src {
    let port = |file, address: Raddr| Src::at(address, Some(file).filter(|_| !address.is_taken()));
    match (mux, alu.raddr_b) {
        (Mux::A, _) if alu.raddr_a.register().is_some() && !alu.write.pm => {
            port(File::A, alu.raddr_a).unpack(alu.unpack)
        }
        (Mux::A, _) => port(File::A, alu.raddr_a),
        (Mux::B, RaddrB::Register { raddr, .. }) => port(File::B, raddr),
        (Mux::B, RaddrB::SmallImmediate(immediate)) => Src::constant(immediate.value()),
        (Mux::R4, _) if alu.write.pm => Src::accumulator(4).unpack(alu.unpack),
        _ => Src::accumulator(mux.bits()),
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

/// Results of a load immediate, a semaphore or a link: both are the same value.
fn of_shared(write: &WriteBack) -> WriteBack {
    let mut write = *write;
    // A result that goes nowhere and sets no flags, which come from the add side, is never written.
    if write.waddr_add == waddr::NOP && !write.sf {
        write.cond_add = Cond::Never;
    }
    if write.waddr_mul == waddr::NOP {
        write.cond_mul = Cond::Never;
    }
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

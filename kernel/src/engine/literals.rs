//! Addresses that code of a host names as literals: all must lie in the block of the host.
//!
//! This finds mistakes before they run, and no more: a program can compute any address. The memory
//! of the firmware is therefore compared after each job ([`crate::instrument::Board::checksum`]).
//!
//! Simulated, not yet run on hardware.

use ::qpu::isa::{
    AddOp, Alu, Branch, Cond, File, Instruction, LoadImmediate, MulOp, Mux, Slot, Waddr, decode,
    waddr,
};
use ::qpu::job::Buffer;

/// Instructions of a program that are looked at.
pub const MOST: u32 = 4096;

/// Bits of a bus address below its alias.
const PHYSICAL: u32 = 0x3fff_ffff;

/// An address outside of the block, and the instruction that names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stray {
    /// The instruction, counted from the program's first.
    pub instruction: u32,
    /// The address.
    pub address: u32,
}

/// A walk through one program, from its first instruction to the last that it can reach without a
/// computed branch.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    block: Buffer,
    /// Bus address of the first instruction.
    code: u32,
    /// Number of the next.
    next: u32,
    /// The place where code goes on behind a program end: the furthest target of a branch.
    furthest: u32,
    /// Instructions behind the last program end are two.
    end: Option<u32>,
}

impl Walk {
    /// A walk through the program at `code`, which lies in the block.
    #[must_use]
    pub const fn new(block: Buffer, code: u32) -> Self {
        Self {
            block,
            code,
            next: 0,
            furthest: 0,
            end: None,
        }
    }

    /// Reports if the program goes on.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        self.next < MOST && self.end.is_none_or(|end| self.next < end)
    }

    /// Looks at the next instruction.
    ///
    /// # Errors
    /// The address outside of the block that it names.
    pub fn take(&mut self, word: u64) -> Result<(), Stray> {
        let number = self.next;
        self.next += 1;
        // What is no instruction V3D's driver need not understand.
        let Ok(instruction) = decode(word) else {
            return Ok(());
        };
        let stray = match instruction {
            Instruction::Branch(branch) => self.branch(&branch, number),
            Instruction::LoadImmediate(load) => self.load(&load),
            Instruction::Alu(alu) => self.small_immediate(&alu),
            Instruction::Semaphore(_) => None,
        };
        if instruction.signal().ends_program() && self.furthest <= self.next + 2 {
            self.end = Some(self.next + 2);
        }
        stray.map_or(Ok(()), |address| {
            Err(Stray {
                instruction: number,
                address,
            })
        })
    }

    fn branch(&mut self, branch: &Branch, number: u32) -> Option<u32> {
        if branch.reg {
            return None;
        }
        let target = branch.target(self.code.wrapping_add(8 * number), 0);
        let ahead = target.wrapping_sub(self.code) / 8;
        if self.is_inside(target) {
            // Behind the block's begin and before the program: ahead is large, and no reason to go
            // on.
            if ahead < MOST {
                self.furthest = self.furthest.max(ahead + 1);
                self.end = None;
            }
            return None;
        }
        Some(target)
    }

    fn load(&self, load: &LoadImmediate) -> Option<u32> {
        let slots = [Slot::Add, Slot::Mul].into_iter();
        let mut slots = slots.filter(|&slot| load.write.cond(slot) != Cond::Never);
        let is_address =
            slots.any(|slot| takes_address(load.write.waddr(slot), load.write.file(slot)));
        let stray = |lane| Some(load.value(lane)).filter(|&address| !self.is_inside(address));
        is_address.then(|| (0..16).find_map(stray)).flatten()
    }

    /// A small immediate that an ALU hands on as it is.
    fn small_immediate(&self, alu: &Alu) -> Option<u32> {
        let value = alu.small_immediate()?.value();
        let is_literal = |slot| match slot {
            Slot::Add => {
                let copies = [AddOp::Or, AddOp::And, AddOp::Min, AddOp::Max];
                copies.contains(&alu.op_add) && [alu.add_a, alu.add_b] == [Mux::B; 2]
            }
            Slot::Mul => {
                let copies = [MulOp::V8min, MulOp::V8max];
                copies.contains(&alu.op_mul) && [alu.mul_a, alu.mul_b] == [Mux::B; 2]
            }
        };
        let mut slots = [Slot::Add, Slot::Mul].into_iter();
        let names = slots.any(|slot| {
            let write = &alu.write;
            write.cond(slot) != Cond::Never
                && takes_address(write.waddr(slot), write.file(slot))
                && is_literal(slot)
        });
        (names && !self.is_inside(value)).then_some(value)
    }

    fn is_inside(&self, address: u32) -> bool {
        let offset = (address & PHYSICAL).wrapping_sub(self.block.addr.0 & PHYSICAL);
        offset < self.block.bytes
    }
}

/// Reports if a register takes the address of memory that is then read or written.
fn takes_address(register: Waddr, file: File) -> bool {
    match register {
        // Through B it is relative.
        waddr::UNIFORMS_ADDRESS => file == File::A,
        waddr::VPM_ADDR | waddr::TMU0_S | waddr::TMU1_S => true,
        _ => false,
    }
}

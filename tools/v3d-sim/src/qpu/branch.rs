//! Branches, their delay slots, and the end of a program.
//!
//! A branch in the third delay slot of another is allowed, so two can be on their way (vc4asm). The
//! link is written only if the branch is taken, and the register is element 15 (vc4asm, Broadcom's
//! shaders; the guide says element 0).

use super::hazards::after;
use super::{Qpu, Step};
use crate::decoded::Code;
use crate::rule::Rule;
use crate::shared::Shared;
use qpu::isa::{Branch, DELAY_SLOTS, INSTRUCTION_BYTES};

/// A branch that has been taken, until its delay slots are done.
struct Pending {
    /// Instructions until the jump, the one that executes now included.
    left: u32,
    target: u32,
}

/// The point at which execution goes on.
#[derive(Default)]
pub struct Flow {
    branches: Vec<Pending>,
    /// Instructions until the program ends, the one that executes now included.
    ending: Option<u32>,
}

impl Flow {
    /// The program-end signal: two more instructions.
    pub fn end_program(&mut self) {
        self.ending.get_or_insert(3);
    }

    /// The number of instructions that follow each other from here on, whatever is taken.
    #[inline]
    pub fn straight(&self) -> u32 {
        let left = self.branches.iter().map(|branch| branch.left);
        left.min().unwrap_or(u32::MAX)
    }

    /// True if the program-end signal has been given.
    pub fn is_ending(&self) -> bool {
        self.ending.is_some()
    }
}

impl Qpu {
    pub(super) fn execute_branch(&mut self, branch: &Branch, code: &Code, shared: &mut Shared) {
        let since = self.hazards.index - self.hazards.branch;
        if since < i64::from(DELAY_SLOTS) {
            self.warn_after(Rule::BranchTooClose, self.back(since), shared, after);
        }
        self.hazards.branch = self.hazards.index;
        // The operand is read whether the branch is taken or not; like any register not right after
        // a write.
        let register = if branch.reg {
            self.read_branch_register(branch.raddr_a & 31, shared)
        } else {
            0
        };
        if !self.is_taken(branch.cond_br, shared) {
            return;
        }
        let target = branch.target(self.pc, register);
        if !target.is_multiple_of(INSTRUCTION_BYTES) {
            self.warn(Rule::BranchAlignment, shared, || format!("{target:#010x}"));
        }
        self.flow.branches.push(Pending {
            left: DELAY_SLOTS + 1,
            target: target & !(INSTRUCTION_BYTES - 1),
        });
        let link = Branch::link(self.pc);
        self.write_link(code, link, shared);
        if branch.sets_flags() {
            self.set_flags(&[link; 16], 0, u16::MAX, false);
            self.hazards.flags_of_link = true;
        }
    }

    /// On to the next instruction, or to the end of the program.
    #[inline]
    pub(super) fn advance(&mut self, shared: &mut Shared) -> Step {
        if let Some(left) = &mut self.flow.ending {
            *left -= 1;
            if *left == 0 {
                self.hazards.index += 1;
                self.end_program(shared);
                return Step::Ended;
            }
        }
        self.go_on();
        Step::Executed
    }

    /// Goes on to the next instruction. True if a branch may lead there.
    #[inline]
    pub(super) fn go_on(&mut self) -> bool {
        let place = self.hazards.index as usize % self.trail.len();
        self.trail[place] = (self.pc, self.word.unwrap_or_default());
        self.hazards.index += 1;
        self.pc = self.pc.wrapping_add(INSTRUCTION_BYTES);
        let branched = !self.flow.branches.is_empty();
        if branched {
            self.follow_branches(1);
        }
        branched
    }

    /// On behind so many instructions that follow each other and have been executed.
    #[inline]
    pub(super) fn go_on_by(&mut self, count: u32) {
        self.hazards.index += i64::from(count);
        self.pc = self.pc.wrapping_add(count * INSTRUCTION_BYTES);
        self.follow_branches(count);
    }

    /// Comes nearer to the jumps that are on their way, by so many instructions.
    #[inline]
    pub(super) fn follow_branches(&mut self, count: u32) {
        if !self.flow.branches.is_empty() {
            self.take_branches(count);
        }
    }

    fn take_branches(&mut self, count: u32) {
        for branch in &mut self.flow.branches {
            branch.left -= count;
            if branch.left == 0 {
                self.pc = branch.target;
            }
        }
        self.flow.branches.retain(|branch| branch.left > 0);
    }
}

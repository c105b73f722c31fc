//! Properties that an instruction is given after it was added: conditions, flags, signals,
//! links.
//!
//! Each kind of instruction has a type of its own, so that what its format cannot carry has no
//! method.

use super::line::{Content, Line, Outputs};
use crate::fit::{Dst, Op, Reg};
use crate::isa::{Cond, MulPack, Rotation, Signal};

/// The ALU instruction that was added last. Modifiers change its last operation.
pub struct LineMut<'a> {
    pub(super) line: &'a mut Line,
}

impl LineMut<'_> {
    fn operations(&mut self) -> (&mut Vec<Op>, &mut Signal) {
        match &mut self.line.content {
            Content::Alu { operations, signal } => (operations, signal),
            _ => unreachable!("a LineMut is made for an ALU instruction"),
        }
    }

    fn change(mut self, change: impl FnOnce(&mut Op)) -> Self {
        if let Some(op) = self.operations().0.last_mut() {
            change(op);
        }
        self
    }

    /// Adds an operation to the same instruction, on the ALU that is left.
    pub fn op(mut self, op: Op) -> Self {
        self.operations().0.push(op);
        self
    }

    /// The result sets the flags.
    pub fn setf(self) -> Self {
        self.change(|op| op.setf = true)
    }

    /// The result moves up by `lanes` lanes, modulo 16; 0 leaves it where it is.
    pub fn rotate(self, lanes: i32) -> Self {
        let lanes = lanes.rem_euclid(16) as u8;
        self.change(|op| op.rotate = (lanes != 0).then_some(Rotation::By(lanes)))
    }

    /// The result moves up by the low four bits of element 0 of r5.
    pub fn rotate_r5(self) -> Self {
        self.change(|op| op.rotate = Some(Rotation::ByR5))
    }

    /// The result, as a float 0..=1, becomes 8-bit colour.
    pub fn pack_mul(self, pack: MulPack) -> Self {
        self.change(|op| op.pack_mul = pack)
    }

    /// The instruction carries a signal.
    pub fn signal(mut self, signal: Signal) -> Self {
        *self.operations().1 = signal;
        self
    }

    /// Pops a result of TMU 0 into r4.
    pub fn ldtmu0(self) -> Self {
        self.signal(Signal::LoadTmu0)
    }

    /// Pops a result of TMU 1 into r4.
    pub fn ldtmu1(self) -> Self {
        self.signal(Signal::LoadTmu1)
    }

    /// The program ends after two more instructions.
    pub fn thrend(self) -> Self {
        self.signal(Signal::ProgramEnd)
    }
}

/// The load immediate or semaphore instruction that was added last.
pub struct LoadLine<'a> {
    pub(super) line: &'a mut Line,
}

impl LoadLine<'_> {
    fn outputs(&mut self) -> &mut Outputs {
        match &mut self.line.content {
            Content::Load { to, .. } | Content::Semaphore { to, .. } => to,
            _ => unreachable!("a LoadLine is made for a load or a semaphore"),
        }
    }

    /// The value goes to this register too; for a semaphore, its low word does.
    pub fn also(mut self, dst: impl Into<Dst>) -> Self {
        self.outputs().destinations.push(dst.into());
        self
    }

    /// The value sets the flags.
    pub fn setf(mut self) -> Self {
        self.outputs().setf = true;
        self
    }
}

macro_rules! conditions {
    ($($(#[$doc:meta])* $name:ident = $cond:ident;)+) => {
        impl LineMut<'_> {
            /// The last operation's result is written where the condition holds.
            pub fn cond(self, cond: Cond) -> Self {
                self.change(|op| op.cond = cond)
            }
            $($(#[$doc])* pub fn $name(self) -> Self { self.cond(Cond::$cond) })+
        }

        impl LoadLine<'_> {
            /// The value is written where the condition holds.
            pub fn cond(mut self, cond: Cond) -> Self {
                self.outputs().cond = cond;
                self
            }
            $($(#[$doc])* pub fn $name(self) -> Self { self.cond(Cond::$cond) })+
        }
    };
}

conditions! {
    /// Written where Z is set.
    ifz = ZS;
    /// Written where Z is clear.
    ifnz = ZC;
    /// Written where N is set.
    ifn = NS;
    /// Written where N is clear.
    ifnn = NC;
    /// Written where C is set.
    ifc = CS;
    /// Written where C is clear.
    ifnc = CC;
}

/// The branch that was added last.
pub struct BranchLine<'a> {
    pub(super) line: &'a mut Line,
}

impl BranchLine<'_> {
    /// The address of the instruction after the delay slots goes to this register, if the branch is
    /// taken.
    pub fn link(self, dst: impl Into<Dst>) -> Self {
        if let Content::Branch { links, .. } = &mut self.line.content {
            links.push(dst.into());
        }
        self
    }

    /// Element 15 of a register of file A is added to the target; it must be an even register.
    pub fn plus(self, added: Reg) -> Self {
        if let Content::Branch { register, .. } = &mut self.line.content {
            *register = Some(added.into());
        }
        self
    }
}

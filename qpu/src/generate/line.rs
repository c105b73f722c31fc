//! An instruction as the builder keeps it, and its encoding.

use std::panic::Location;

use crate::fit::{Dst, Misfit, Op, Origin, Src, fit, write_swap};
use crate::isa::{
    Branch, Cond, File, INSTRUCTION_BYTES, Instruction, LoadImmediate, LoadImmediateKind, Pack,
    Semaphore, Signal, WriteBack, waddr,
};

/// A place in the program that branches can name, before or after it is known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Label(pub(super) usize);

/// One instruction and the place in the generator's source that asked for it.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub content: Content,
    pub at: &'static Location<'static>,
}

#[derive(Clone, Debug)]
pub(super) enum Content {
    Alu {
        operations: Vec<Op>,
        signal: Signal,
    },
    Load {
        kind: LoadImmediateKind,
        immediate: u32,
        to: Outputs,
    },
    Semaphore {
        immediate: u32,
        to: Outputs,
    },
    Branch {
        branch: Branch,
        target: Option<Label>,
        register: Option<Src>,
        links: Vec<Dst>,
    },
    Fixed(Instruction),
}

/// The destinations of a constant.
#[derive(Clone, Debug)]
pub(super) struct Outputs {
    pub destinations: Vec<Dst>,
    pub cond: Cond,
    pub setf: bool,
}

/// Why an instruction has no encoding.
pub(super) struct Trouble {
    pub rule: &'static str,
    pub reason: String,
    pub fix: &'static str,
}

impl From<Misfit> for Trouble {
    fn from(misfit: Misfit) -> Self {
        Self {
            rule: misfit.rule(),
            reason: misfit.to_string(),
            fix: misfit.fix(),
        }
    }
}

impl Outputs {
    pub fn to(destinations: Vec<Dst>) -> Self {
        Self {
            destinations,
            cond: Cond::Always,
            setf: false,
        }
    }

    fn write_back(&self) -> Result<WriteBack, Trouble> {
        let mut write = destinations(&self.destinations)?;
        if !self.destinations.is_empty() {
            write.cond_add = self.cond;
        }
        if self.destinations.len() > 1 {
            write.cond_mul = self.cond;
        }
        write.sf = self.setf;
        Ok(write)
    }
}

/// Up to two destinations of the same value: addresses, write swap, pack.
fn destinations(all: &[Dst]) -> Result<WriteBack, Trouble> {
    if all.len() > 2 {
        let count = all.len();
        return Err(Trouble {
            rule: "write-ports",
            reason: format!("{count} destinations, and an instruction has two results"),
            fix: "copy the value with mov afterwards",
        });
    }
    let both = [0, 1].map(|number| all.get(number).copied());
    let [waddr_add, waddr_mul] = both.map(|dst| dst.map_or(waddr::NOP, |dst| dst.waddr));
    let mut write = WriteBack {
        ws: write_swap(both)?,
        waddr_add,
        waddr_mul,
        ..WriteBack::NOTHING
    };
    for dst in all.iter().filter(|dst| dst.pack != Pack::None) {
        if dst.file != Some(File::A) || dst.waddr.register().is_none() {
            return Err(Misfit::CannotPack.into());
        }
        write.pack = dst.pack;
    }
    Ok(write)
}

impl Content {
    /// Encodes the instruction at `index`; `target` gives a label's index, or its name if it has
    /// none.
    pub fn encode(
        &self,
        index: usize,
        target: impl Fn(Label) -> Result<usize, String>,
    ) -> Result<Instruction, Trouble> {
        match self {
            Self::Alu { operations, signal } => {
                let operations: Vec<Op> = operations.iter().copied().map(idle_is_never).collect();
                Ok(Instruction::Alu(fit(&operations, *signal)?))
            }
            Self::Load {
                kind,
                immediate,
                to,
            } => Ok(Instruction::LoadImmediate(LoadImmediate {
                kind: *kind,
                write: to.write_back()?,
                immediate: *immediate,
            })),
            Self::Semaphore { immediate, to } => Ok(Instruction::Semaphore(Semaphore {
                write: to.write_back()?,
                immediate: *immediate,
            })),
            Self::Branch {
                branch,
                target: label,
                register,
                links,
            } => {
                let mut branch = *branch;
                if let Some(label) = label {
                    let place = target(*label).map_err(|name| Trouble {
                        rule: "label-not-bound",
                        reason: format!("label {name} is nowhere in the program"),
                        fix: "bind it to the instruction that it names",
                    })?;
                    let after = index as u32 * INSTRUCTION_BYTES;
                    branch.immediate =
                        (place as u32 * INSTRUCTION_BYTES).wrapping_sub(Branch::link(after));
                }
                if let Some(source) = register {
                    branch.reg = true;
                    branch.raddr_a = branch_register(*source)?;
                }
                let write = destinations(links)?;
                (branch.ws, branch.waddr_add, branch.waddr_mul) =
                    (write.ws, write.waddr_add, write.waddr_mul);
                Ok(Instruction::Branch(branch))
            }
            Self::Fixed(instruction) => Ok(*instruction),
        }
    }
}

/// Sets the condition of an operation that goes nowhere and sets no flags to never: the words that
/// assembly text gives.
fn idle_is_never(op: Op) -> Op {
    let idle = op.dst.waddr == waddr::NOP && !op.setf && op.cond == Cond::Always;
    let cond = if idle { Cond::Never } else { op.cond };
    Op { cond, ..op }
}

fn branch_register(source: Src) -> Result<u8, Trouble> {
    let number = match source.from {
        Origin::Port(Some(File::A), raddr) => raddr.register(),
        _ => None,
    };
    number.ok_or(Trouble {
        rule: "branch-register",
        reason: "only a register of file A can be added to a branch target".to_string(),
        fix: "copy the address to a register of file A two instructions before",
    })
}

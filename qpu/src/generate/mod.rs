//! Writing QPU programs in Rust: operands, dual issue, labels, checks.
//!
//! One method call is one operation; a second call on what it returns fills the other ALU of the
//! same instruction. Ports, write swap and small immediates are chosen; hazards are not repaired
//! but refused, because where a `nop` or a useful instruction goes is the author's business.
//!
//! ```
//! use qpu::generate::*;
//! use qpu::isa::BranchCond;
//!
//! let mut b = Builder::new();
//! b.mov(ra(0), UNIF); // how often
//! b.mov(R1, 0);
//! let again = b.here("again");
//! b.sub(ra(0), ra(0), 1).setf();
//! b.brr(BranchCond::AnyZC, again);
//! b.fadd(R1, R1, 1.0).fmul(R0, R1, R1); // one instruction
//! b.nop();
//! b.nop();
//! b.end();
//! let words = b.finish().unwrap();
//! assert_eq!(words.len(), 10);
//! ```

pub mod schedule;

mod builder;
mod error;
mod line;
mod modifiers;
mod operations;
#[cfg(test)]
mod tests;

use crate::isa::{self, Instruction, raddr};

pub use crate::fit::*;
pub use builder::{Builder, Program, Word};
pub use error::{BuildError, Problem};
pub use line::Label;
pub use modifiers::{BranchLine, LineMut, LoadLine};

/// True if a word takes a uniform, through either port.
#[must_use]
pub fn reads_uniform(word: u64) -> bool {
    matches!(isa::decode(word), Ok(Instruction::Alu(alu))
        if alu.raddr_a == raddr::UNIFORM || alu.read_b() == raddr::UNIFORM)
}

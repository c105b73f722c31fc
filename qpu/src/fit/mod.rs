//! Fits operations into instructions: ALUs, ports, small immediates, write swap.
//!
//! The text assembler and the builder both end here, so that the same program is the same words
//! whichever way it was written. [`fit`] is all most callers need; [`Request`] says more.

mod misfit;
mod op;
mod operand;
mod ports;

pub use misfit::Misfit;
pub use op::{Op, OpCode};
pub use operand::*;
pub(crate) use ports::write_swap;
pub use ports::{Request, fit};

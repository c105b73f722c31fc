//! Plans on a model of the passes: layouts are proven apart from code.
//!
//! [`runner`] is a [`Runner`](qpu::job::Runner) that does in Rust what programs must do with their
//! lists, in f64 or with the QPU's arithmetic. So a plan of passes through memory can be tested at
//! any length without programs.

mod arithmetic;
mod catalogue;
mod dft;
mod planes;
mod plans;
mod runner;
mod unit;

//! The C interface of the V3D simulator: one call that runs programs over a caller's memory.
//!
//! `include/v3d_sim.h` is the documentation, and the contract: the layout of its structures is
//! tested against these, and every argument that can be checked is. Whatever a program does, the
//! call returns; a panic of the simulator is caught at this boundary.
//!
//! This is the one crate of the simulator with `unsafe`: pointers come in `interface`, memory is
//! reached in `memory`.
#![deny(unsafe_op_in_unsafe_fn)]

mod interface;
mod memory;
mod run;

pub use interface::{Options, Program, READ_ONLY, Region, RunResult, status, v3d_sim_run};

//! The command `qpuscope`.
#![forbid(unsafe_code)]

pub mod cli;
pub mod command;

//! A report of a board: what it is, what it measured, and what the cycle model makes of that.
//!
//! [`mod@file`] is the format, [`mod@gather`] makes one of a board at a line, [`model`] runs the
//! same microbenchmarks on the simulator, and [`mod@decide`] finds the constants that explain what
//! differs.

pub mod decide;
pub mod file;
pub mod gather;
pub mod model;

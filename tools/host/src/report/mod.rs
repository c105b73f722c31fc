//! A report of a board: what it is and what it measured. [`mod@file`] is the format, and
//! [`mod@gather`] makes one of a board at a line.

pub mod file;
pub mod gather;

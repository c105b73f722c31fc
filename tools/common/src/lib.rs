//! What the command lines share: how they fail, write files, show progress, and read and write
//! numbers and text.
#![forbid(unsafe_code)]

pub mod command_line;
pub mod constants;
pub mod failure;
pub mod files;
pub mod progress;
pub mod quantity;
pub mod say;
pub mod stop;
pub mod text;

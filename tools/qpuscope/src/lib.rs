//! The host's side of qpuscope, as a library: what the command line tool is made of.
#![forbid(unsafe_code)]

pub mod cli;
pub mod client;
pub mod code;
pub mod command;
mod constants;
pub mod debugger;
pub mod defect;
pub mod failure;
mod files;
pub mod guest;
pub mod input;
pub mod job_file;
pub mod lines;
pub mod link;
pub mod log;
pub mod npy;
pub mod output;
pub mod part;
pub mod picture;
pub mod plane;
mod progress;
pub mod quantity;
pub mod remote;
pub mod report;
pub mod say;
pub mod spectrum;
pub mod stop;
pub mod stream;
pub mod text;
pub mod traces;
pub mod transform;
pub mod utc;
pub mod watch;

//! What programs for the QPUs are made, run and looked at with: job files, a debugger, profiles,
//! planes, and the QPUs of a board at a line.
#![forbid(unsafe_code)]

pub mod code;
pub mod debugger;
pub mod guest;
pub mod hello_fft;
pub mod job_file;
pub mod known_rule;
pub mod plane;
pub mod remote;
pub mod transform;
pub mod watch;

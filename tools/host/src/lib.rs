//! The host's side of an instrument: a line and the firmware at its other end, the spectra that
//! come, recordings to send, files and pictures to write.
#![forbid(unsafe_code)]

pub mod client;
pub mod defect;
pub mod example;
pub mod format;
pub mod input;
pub mod lines;
pub mod link;
pub mod log;
pub mod npy;
pub mod output;
pub mod part;
pub mod picture;
pub mod port;
pub mod report;
pub mod spectrum;
pub mod stream;
pub mod traces;
pub mod utc;

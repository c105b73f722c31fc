//! One file for each command of the tool, and the options that several have.

pub mod card;
mod clipped;
pub mod fft;
pub mod info;
pub mod list;
pub mod moved;
pub mod picture_options;
pub mod port_options;
pub mod probe;
pub mod read;
pub mod report;
pub mod sim;
#[cfg(feature = "web")]
pub mod web;
#[cfg(not(feature = "web"))]
#[path = "no_web.rs"]
pub mod web;

//! From the bytes of a line to spectra, answers, text and losses.
//!
//! The receiver never gives up on a stream: what does not decode is counted and skipped. A spectrum
//! whose descriptor has not come yet waits for nothing and is counted too; descriptors come once a
//! second.

mod collector;
mod event;
mod following;
mod receiver;
mod records;
mod spectrum;
mod step_powers;
#[cfg(test)]
mod tests;

pub use collector::{Collector, Lost};
pub use event::{Answer, Event, Info, Measured, Probed};
pub use receiver::{Health, Receiver};

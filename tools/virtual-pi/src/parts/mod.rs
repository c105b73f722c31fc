//! Parts that can be wired to the pins, and what they play.

pub mod feed;
pub mod i2s;
pub mod parallel;
mod sample;
pub mod signal;
mod wav;

pub use feed::Feed;
pub use i2s::{I2sPart, I2sPins, I2sRole, MicrophoneSide, Wiring};
pub use parallel::{ParallelPart, ParallelWiring};
pub use signal::{Bursts, Signal, Tone};
pub use wav::{SignalError, Wav};

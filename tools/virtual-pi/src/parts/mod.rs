//! Parts that can be wired to the pins, and what they play.

pub mod feed;
pub mod i2s;
pub mod parallel;
pub mod signal;
mod wav;

pub use feed::Feed;
pub use i2s::{I2sPart, I2sPins, I2sRole, MicrophoneSide, Wiring};
pub use parallel::{ParallelPart, ParallelWiring};
pub use signal::{Bursts, Signal, Tone};
pub use wav::{SignalError, Wav};

/// A sample of 24 bits in the upper bits of an `i32`, from a number of -1 .. 1; what is beyond is
/// clipped.
fn quantise(value: f64) -> i32 {
    let full = f64::from(1 << 23);
    ((value * full).round().clamp(-full, full - 1.0) as i32) << 8
}

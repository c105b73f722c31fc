//! Numbers for people: how they are written, and how they are read.

mod read;

pub use read::{fraction, hertz, number, range, seconds, whole, within};
pub use view::quantity::{decimals, digits, frequency, frequency_by, period, prefix, ticks};

//! The result of a look at the live input.

use crate::field::payload;

/// The samples of a slot of I2S, full scale being 1.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Slot {
    /// The lowest.
    pub lowest: f32,
    /// The highest.
    pub highest: f32,
    /// Their mean.
    pub mean: f32,
    /// The root of the mean square of what differs from the mean.
    pub rms: f32,
}

payload!(Slot {
    lowest,
    highest,
    mean,
    rms
});

/// The findings about the pins.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Probed<'a> {
    /// Sentences that say what is wrong; 0: all is well.
    pub troubles: u8,
    /// Frames that were looked at; 0: none came, and what follows up to the text says nothing.
    pub frames: u32,
    /// Frames a second, as they were measured.
    pub rate_hz: f64,
    /// The true rate is not further away than this.
    pub within_hz: f64,
    /// The rate that is set; 0: none.
    pub expected_hz: f64,
    /// The left slot.
    pub left: Slot,
    /// The right slot.
    pub right: Slot,
    /// Sentences, each ended by LF, those about what is wrong first.
    pub text: &'a str,
}

payload!(Probed<'a> { troubles, frames, rate_hz, within_hz, expected_hz, left, right, text });

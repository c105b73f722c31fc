//! The input of a first pass, or of one that converts ([`super::convert::layout`]): samples, the
//! transforms that they belong to, and the factors on them.
//!
//! A sample x becomes (x - middle) / full scale, as everywhere in qpuscope: i16 x / 32768, i32 x /
//! 2^31, i8 x / 128, u8 (x - 127.5) / 127.5, as RTL-SDR receivers mean it, and so the upper bytes
//! of 16 bits, whose lower ones are masked. The division is in the
//! factor that a program multiplies with, and so is the window:
//!
//! | factors | one for | in memory |
//! |---|---|---|
//! | common | all real, all imaginary parts | 2 vectors of 16 equal words |
//! | of points | each point | by unit, vector and lane |
//! | of components | each component of each point | by unit, vector, component and lane |
//!
//! Those of components are for real samples, of which two are a point. All are f32, rounded once
//! from f64. A pass that only converts has one common vector, and its factors by vector and lane.
//!
//! Of frames of two i32, which I2S brings, one number or both can be taken ([`Channels`]): where
//! the components of a point are is in addresses and lists only.

pub use signal::{Channels, SampleFormat as Format};

use super::program::Samples;
use super::truncation::{LOSS_OF_A_PRODUCT, gain};

/// The bits of a word that count in two samples of upper bytes.
pub const HIGH_BYTES: u32 = 0xff00_ff00;
/// 0x80 in each byte. An upper byte b becomes 256 (b - 127.5), signed, in 16 bits.
const MIDDLE_OF_HIGH_BYTES: u32 = 0x8080_8080;

/// The factors that samples have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Factors {
    /// One for all: what full scale needs. f32 is not multiplied at all.
    #[default]
    Common,
    /// One for each point: a window on I/Q samples.
    OfPoints,
    /// One for each component: a window on real samples.
    OfComponents,
}

impl Factors {
    /// The number of factors of a point.
    #[must_use]
    pub const fn components(self) -> u32 {
        match self {
            Self::OfComponents => 2,
            Self::Common | Self::OfPoints => 1,
        }
    }
}

/// The way in which a pass reads the caller's input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// The format of the numbers.
    pub format: Format,
    /// The numbers that are taken.
    pub channels: Channels,
    /// The factors that they have.
    pub factors: Factors,
    /// Bytes from the start of a transform's input to the next one's: a multiple of 4.
    pub hop: u32,
}

impl Reading {
    /// Complex f32, transform after transform of 2^`log2_points` points.
    #[must_use]
    pub const fn points(log2_points: u32) -> Self {
        Self {
            format: Format::F32,
            channels: Channels::All,
            factors: Factors::Common,
            hop: 8 << log2_points,
        }
    }

    /// The kind of samples that programs have for it.
    #[must_use]
    pub const fn samples(&self) -> Samples {
        match (self.format, self.factors) {
            (Format::F32, Factors::Common) => Samples::Points,
            (Format::F32, _) => Samples::Windowed,
            (Format::I16, _) => Samples::I16,
            (Format::I32, _) => Samples::I32,
            (Format::U8High, _) => Samples::HighBytes,
            (Format::U8 | Format::I8, _) => Samples::Bytes,
        }
    }

    /// Bytes from a point to the next.
    #[must_use]
    pub const fn point_bytes(&self) -> u32 {
        2 * self.channels.step() * self.format.bytes()
    }

    /// Bytes from the start of a point's memory to a component.
    #[must_use]
    pub const fn component(&self, component: u32) -> u32 {
        self.channels.place(component) * self.format.bytes()
    }

    /// The word that samples are exclusive-ored with: four bytes, so that they are unsigned; two
    /// upper bytes, so that they are signed, and as many lower ones of 0, so that they are in the
    /// middle of theirs.
    #[must_use]
    pub const fn flip(&self) -> u32 {
        match self.format {
            Format::I8 => 0x8080_8080,
            Format::U8High => MIDDLE_OF_HIGH_BYTES,
            Format::F32 | Format::I16 | Format::I32 | Format::U8 => 0,
        }
    }

    /// The unsigned byte of a sample that is 0.
    #[must_use]
    pub const fn middle(&self) -> f32 {
        match self.format {
            Format::U8 => 127.5,
            Format::I8 => 128.0,
            Format::F32 | Format::I16 | Format::I32 | Format::U8High => 0.0,
        }
    }

    /// The factor on a sample that has `window`, as f32: over full scale, and for what its product
    /// loses.
    #[must_use]
    pub fn factor(&self, window: f64) -> u32 {
        let factor = window / self.format.full_scale();
        let (mantissa, _) = libm::frexp(factor);
        // A product with a power of two is exact.
        let is_exact = libm::fabs(mantissa) == 0.5;
        let lost = if is_exact { 0.0 } else { LOSS_OF_A_PRODUCT };
        ((factor * gain(lost)) as f32).to_bits()
    }
}

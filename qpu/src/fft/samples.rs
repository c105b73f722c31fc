//! What a first pass, or one that converts ([`super::convert`]), reads: samples, the transforms that they belong to,
//! and the factors on them.
//!
//! A sample x becomes (x - middle) / full scale, as everywhere in qpuscope: i16 x / 32768, i8 x / 128, u8
//! (x - 127.5) / 127.5, as RTL-SDR receivers mean it. The division is in the factor that a program
//! multiplies with, and so is the window:
//!
//! | factors | one for | in memory |
//! |---|---|---|
//! | common | all real, all imaginary parts | 2 vectors of 16 equal words |
//! | of points | each point | by unit, vector and lane |
//! | of components | each component of each point | by unit, vector, component and lane |
//!
//! Those of components are for real samples, of which two are a point. All are f32, rounded once from f64. A pass
//! that only converts has one common vector, and its factors by vector and lane.

use super::geometry::{Geometry, LANES, UNIT_POINTS};
use super::program::Samples;
use super::split::Role;
use super::tables::gain;

/// What the caller's numbers are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Format {
    /// 32-bit floating point, taken as it is.
    #[default]
    F32,
    /// Two's complement of 16 bits, little-endian; 32768 is full scale.
    I16,
    /// Offset binary of 8 bits; 127.5 is zero, and 127.5 from there full scale.
    U8,
    /// Two's complement of 8 bits; 128 is full scale.
    I8,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 4] = [Self::F32, Self::I16, Self::U8, Self::I8];

    /// Bytes of a number.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::F32 => 4,
            Self::I16 => 2,
            Self::U8 | Self::I8 => 1,
        }
    }

    /// The number that becomes 1.0, counted from the middle.
    #[must_use]
    pub const fn full_scale(self) -> f64 {
        match self {
            Self::F32 => 1.0,
            Self::I16 => 32768.0,
            Self::U8 => 127.5,
            Self::I8 => 128.0,
        }
    }

    /// What the bits of four bytes are exclusive-ored with, so that they are unsigned.
    #[must_use]
    pub const fn flip(self) -> u32 {
        match self {
            Self::I8 => 0x8080_8080,
            Self::F32 | Self::I16 | Self::U8 => 0,
        }
    }

    /// What an unsigned byte is when the sample is 0.
    #[must_use]
    pub const fn middle(self) -> f32 {
        match self {
            Self::U8 => 127.5,
            Self::I8 => 128.0,
            Self::F32 | Self::I16 => 0.0,
        }
    }
}

impl core::fmt::Display for Format {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::I16 => "i16",
            Self::U8 => "u8",
            Self::I8 => "i8",
        })
    }
}

/// Which factors samples have.
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
    /// How many a point has.
    #[must_use]
    pub const fn components(self) -> u32 {
        match self {
            Self::OfComponents => 2,
            Self::Common | Self::OfPoints => 1,
        }
    }
}

/// How a pass reads the caller's input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// What the numbers are.
    pub format: Format,
    /// Which factors they have.
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
            factors: Factors::Common,
            hop: 8 << log2_points,
        }
    }

    /// What programs call it.
    #[must_use]
    pub const fn samples(&self) -> Samples {
        match (self.format, self.factors) {
            (Format::F32, Factors::Common) => Samples::Points,
            (Format::F32, _) => Samples::Windowed,
            (Format::I16, _) => Samples::I16,
            (Format::U8 | Format::I8, _) => Samples::Bytes,
        }
    }

    /// Bytes of a point.
    #[must_use]
    pub const fn point_bytes(&self) -> u32 {
        2 * self.format.bytes()
    }

    /// The factor on a sample that has `window`, as f32: over full scale, and for what its product loses.
    #[must_use]
    pub fn factor(&self, window: f64) -> u32 {
        let factor = window / self.format.full_scale();
        let (mantissa, _) = libm::frexp(factor);
        // A product with a power of two is exact.
        let is_exact = libm::fabs(mantissa) == 0.5;
        let lost = if is_exact {
            0.0
        } else {
            Geometry::LOSS_OF_A_PRODUCT
        };
        ((factor * gain(lost)) as f32).to_bits()
    }
}

/// Bytes of the factors of one component of a vector.
const VECTOR: u32 = 4 * LANES;

impl Geometry {
    /// Bytes of one unit's factors.
    const fn factors_of_a_unit(&self) -> u32 {
        match (self.reading().samples(), self.reading().factors) {
            (Samples::Points, _) => 0,
            (_, Factors::Common) => 2 * VECTOR,
            (_, Factors::OfPoints) => LANES * VECTOR,
            (_, Factors::OfComponents) => 2 * LANES * VECTOR,
        }
    }

    /// Units of one transform that have factors of their own.
    pub(super) const fn factored_units(&self) -> u32 {
        match (self.role(), self.reading().factors) {
            (Role::First, Factors::OfPoints | Factors::OfComponents) => self.units(1),
            _ => 1,
        }
    }

    /// Bytes of the factors; none but in a first or only pass.
    #[must_use]
    pub const fn factors_bytes(&self) -> u32 {
        match self.role() {
            Role::Only | Role::First => self.factored_units() * self.factors_of_a_unit(),
            Role::Middle | Role::Last => 0,
        }
    }

    /// Byte offset of what unit `index` of a batch reads of the factors.
    #[must_use]
    pub const fn factors_of_unit(&self, index: u32) -> u32 {
        index % self.factored_units() * self.factors_of_a_unit()
    }

    /// Byte offset of the factors of a component of a vector, beside that of the unit and of the lane, which is
    /// 4 · lane.
    #[must_use]
    pub const fn factor(&self, vector: u32, component: u32) -> u32 {
        match self.reading().factors {
            Factors::Common => VECTOR * component,
            Factors::OfPoints => VECTOR * vector,
            Factors::OfComponents => VECTOR * (2 * vector + component),
        }
    }

    /// Gives the factors in order, 16 at a time: `window` of each point, or of each sample of
    /// real ones, over full scale. Common factors ask for number 0, and negate the second vector for the inverse.
    ///
    /// # Errors
    /// The first error of `put`, which gets the index of the first word and the words.
    pub fn fill_factors<E>(
        &self,
        mut window: impl FnMut(u32) -> f64,
        is_inverse: bool,
        mut put: impl FnMut(u32, &[u32; LANES as usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.factors_bytes() == 0 {
            return Ok(());
        }
        let reading = *self.reading();
        let word = |factor| reading.factor(factor);
        if reading.factors == Factors::Common {
            let factor = window(0);
            let sign = if is_inverse { -1.0 } else { 1.0 };
            put(0, &[word(factor); LANES as usize])?;
            return put(LANES, &[word(sign * factor); LANES as usize]);
        }
        let components = reading.factors.components();
        for index in 0..self.factored_units() {
            for vector in 0..UNIT_POINTS / LANES {
                for component in 0..components {
                    let words = core::array::from_fn(|lane| {
                        let point = self.point_of(index, vector, lane as u32);
                        word(window(components * point + component))
                    });
                    let offset = self.factors_of_unit(index) + self.factor(vector, component);
                    put(offset / 4, &words)?;
                }
            }
        }
        Ok(())
    }

    /// Which point of its transform a first or only pass reads.
    #[must_use]
    pub const fn point_of(&self, index: u32, vector: u32, lane: u32) -> u32 {
        let row = vector * self.row_lanes() + self.row_of_lane(lane);
        match self.role() {
            // Lanes hold transforms.
            Role::Only => row,
            _ => row * self.columns() + self.unit(index).column + self.column_of_lane(lane),
        }
    }
}

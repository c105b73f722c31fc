//! Factors on samples: where they lie, and what they are.

use crate::fft::kernels::program::Samples;
use crate::fft::kernels::samples::Factors;
use crate::fft::kernels::sizes::UNIT_POINTS;
use crate::fft::kernels::unit::Geometry;
use crate::fft::split::Role;
use crate::machine::{LANES, VECTOR_BYTES};

impl Geometry {
    /// Bytes of one unit's factors.
    const fn factors_of_a_unit(&self) -> u32 {
        match (self.reading().samples(), self.reading().factors) {
            (Samples::Points, _) => 0,
            (_, Factors::Common) => 2 * VECTOR_BYTES,
            (_, Factors::OfPoints) => LANES * VECTOR_BYTES,
            (_, Factors::OfComponents) => 2 * LANES * VECTOR_BYTES,
        }
    }

    /// Units of one transform that have factors of their own.
    pub(in crate::fft) const fn factored_units(&self) -> u32 {
        match (self.role(), self.reading().factors) {
            (Role::First, Factors::OfPoints | Factors::OfComponents) => self.units(1),
            _ => 1,
        }
    }

    /// Bytes of the factors; none but in a first or single pass.
    #[must_use]
    pub const fn factors_bytes(&self) -> u32 {
        match self.role() {
            Role::Single | Role::First => self.factored_units() * self.factors_of_a_unit(),
            Role::Middle | Role::Last => 0,
        }
    }

    /// Byte offset of what unit `index` of a batch reads of the factors.
    #[must_use]
    pub const fn factors_of_unit(&self, index: u32) -> u32 {
        index % self.factored_units() * self.factors_of_a_unit()
    }

    /// Byte offset of the factors of a component of a vector, beside that of the unit and of the
    /// lane, which is 4 · lane.
    #[must_use]
    pub const fn factor(&self, vector: u32, component: u32) -> u32 {
        match self.reading().factors {
            Factors::Common => VECTOR_BYTES * component,
            Factors::OfPoints => VECTOR_BYTES * vector,
            Factors::OfComponents => VECTOR_BYTES * (2 * vector + component),
        }
    }

    /// Gives the factors in order, 16 at a time: `window` of each point, or of each sample of
    /// real ones, over full scale. Common factors ask for number 0, and negate the second vector
    /// for the inverse.
    pub fn fill_factors(
        &self,
        window: &mut dyn FnMut(u32) -> f64,
        is_inverse: bool,
        put: &mut dyn FnMut(u32, &[u32]),
    ) {
        if self.factors_bytes() == 0 {
            return;
        }
        let reading = *self.reading();
        let word = |factor| reading.factor(factor);
        if reading.factors == Factors::Common {
            let factor = window(0);
            let sign = if is_inverse { -1.0 } else { 1.0 };
            put(0, &[word(factor); LANES as usize]);
            put(LANES, &[word(sign * factor); LANES as usize]);
            return;
        }
        let components = reading.factors.components();
        for index in 0..self.factored_units() {
            for vector in 0..UNIT_POINTS / LANES {
                for component in 0..components {
                    let words = core::array::from_fn::<_, { LANES as usize }, _>(|lane| {
                        let point = self.point_of(index, vector, lane as u32);
                        word(window(components * point + component))
                    });
                    let offset = self.factors_of_unit(index) + self.factor(vector, component);
                    put(offset / 4, &words);
                }
            }
        }
    }

    /// The point of its transform that a first or single pass reads.
    #[must_use]
    pub const fn point_of(&self, index: u32, vector: u32, lane: u32) -> u32 {
        let row = vector * self.row_lanes() + self.row_of_lane(lane);
        match self.role() {
            // Lanes hold transforms.
            Role::Single => row,
            _ => row * self.columns() + self.unit(index).column + self.column_of_lane(lane),
        }
    }
}

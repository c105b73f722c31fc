//! The work of each unit, and its factors on samples: where they lie, and of which points they are.

use crate::kernels::program::Samples;
use crate::kernels::samples::Factors;
use crate::kernels::sizes::{OCTET, UNIT_POINTS};
use crate::kernels::unit::Geometry;
use crate::split::Role;
use qpu::machine::{LANES, VECTOR_BYTES};

/// The work of a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Unit {
    /// Its transform in the batch; the first of several.
    pub transform: u32,
    /// Its column; the first of several.
    pub column: u32,
    /// Its first bin K.
    pub bin: u32,
    /// Its part of the outputs.
    pub part: u32,
    /// Number of the QPU that has it, among those that share its tile.
    pub sharer: u32,
}

impl Geometry {
    /// Units for `batch` transforms.
    pub(crate) fn units(&self, batch: u32) -> u32 {
        match self.role {
            Role::Single => batch.div_ceil(self.transforms_per_unit()),
            _ => batch << (self.log2_points - 8),
        }
    }

    /// The work of unit number `index` of the batch. Parts that share rows have neighbouring
    /// numbers, so that they can run at the same time on QPUs that share a TMU.
    pub(crate) fn unit(&self, index: u32) -> Unit {
        match self.role {
            Role::Single => Unit {
                transform: index * self.transforms_per_unit(),
                ..Unit::default()
            },
            Role::First => {
                let units = self.points() / UNIT_POINTS;
                Unit {
                    transform: index / units,
                    column: index % units / self.sharers() * self.lane_columns(),
                    sharer: index % self.sharers(),
                    ..Unit::default()
                }
            }
            Role::Middle | Role::Last => {
                let units = self.points() / UNIT_POINTS;
                let parts = self.parts();
                let bins = OCTET * self.octets();
                let octets = self.before() / bins;
                let rest = index % units / self.sharers();
                Unit {
                    transform: index / units,
                    column: rest / parts / octets,
                    bin: bins * (rest / parts % octets),
                    part: rest % parts,
                    sharer: index % self.sharers(),
                }
            }
        }
    }

    /// The number of the unit of transform 0 that computes this, of those that share it the first;
    /// the reverse of [`Geometry::unit`].
    pub(super) fn unit_index(&self, column: u32, bin: u32, part: u32) -> u32 {
        let first = match self.role {
            Role::Single => 0,
            Role::First => column / self.lane_columns(),
            Role::Middle | Role::Last => {
                let bins = OCTET * self.octets();
                (column * (self.before() / bins) + bin / bins) * self.parts() + part
            }
        };
        first * self.sharers()
    }

    /// Bytes of one unit's factors.
    pub(crate) fn factors_of_a_unit(&self) -> u32 {
        match (self.reading.samples(), self.reading.factors) {
            (Samples::Points, _) => 0,
            (_, Factors::Common) => 2 * VECTOR_BYTES,
            (_, Factors::OfPoints) => LANES * VECTOR_BYTES,
            (_, Factors::OfComponents) => 2 * LANES * VECTOR_BYTES,
        }
    }

    /// Units of one transform that have factors of their own.
    pub(crate) fn factored_units(&self) -> u32 {
        match (self.role(), self.reading.factors) {
            (Role::First, Factors::OfPoints | Factors::OfComponents) => self.units(1),
            _ => 1,
        }
    }

    /// Byte offset of what unit `index` of a batch reads of the factors.
    pub(crate) fn factors_of_unit(&self, index: u32) -> u32 {
        index % self.factored_units() * self.factors_of_a_unit()
    }

    /// Byte offset of the factors of a component of a vector, beside that of the unit and of the
    /// lane, which is 4 · lane.
    pub(crate) fn factor(&self, vector: u32, component: u32) -> u32 {
        match self.reading.factors {
            Factors::Common => VECTOR_BYTES * component,
            Factors::OfPoints => VECTOR_BYTES * vector,
            Factors::OfComponents => VECTOR_BYTES * (2 * vector + component),
        }
    }

    /// The point of its transform that a first or single pass reads.
    pub(crate) fn point_of(&self, index: u32, vector: u32, lane: u32) -> u32 {
        let row = vector * self.row_lanes() + self.row_of_lane(lane);
        match self.role() {
            // Lanes hold transforms.
            Role::Single => row,
            _ => row * self.columns() + self.unit(index).column + self.column_of_lane(lane),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::unit::geometry::tests::passes;

    #[test]
    fn units_are_numbered_without_gaps() {
        for pass in passes(8..=16).filter(|pass| pass.role() != Role::Single) {
            let units = pass.units(1);
            for index in 0..units {
                let unit = pass.unit(index);
                assert_eq!(unit.transform, 0);
                let first = pass.unit_index(unit.column, unit.bin, unit.part);
                assert_eq!(first + unit.sharer, index);
                let next = pass.unit(index + 3 * units);
                assert_eq!(
                    next,
                    Unit {
                        transform: 3,
                        ..unit
                    }
                );
            }
        }
    }
}

//! The work of each unit, and the order in which units are done.

use crate::fft::kernels::sizes::{CELL_BYTES, OCTET, UNIT_POINTS};
use crate::fft::kernels::unit::Geometry;
use crate::fft::kernels::unit::twiddle_tables::Table;
use crate::fft::split::Role;

/// The work of a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
    #[must_use]
    pub const fn units(&self, batch: u32) -> u32 {
        match self.role {
            Role::Single => batch.div_ceil(self.transforms_per_unit()),
            _ => batch << (self.log2_points - 8),
        }
    }

    /// The work of unit number `index` of the batch. Parts that share rows have neighbouring
    /// numbers, so that they can run at the same time on QPUs that share a TMU.
    #[must_use]
    pub const fn unit(&self, index: u32) -> Unit {
        match self.role {
            Role::Single => Unit {
                transform: index * self.transforms_per_unit(),
                column: 0,
                bin: 0,
                part: 0,
                sharer: 0,
            },
            Role::First => {
                let units = self.points() / UNIT_POINTS;
                Unit {
                    transform: index / units,
                    column: index % units / self.sharers() * self.lane_columns(),
                    bin: 0,
                    part: 0,
                    sharer: index % self.sharers(),
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

    /// The unit that is done as number `number` of those of `batch` transforms.
    ///
    /// Where each unit of a transform has its own part of a large table or of a window, the same
    /// unit of all transforms follow each other, so that the part is read from memory once. Units
    /// that share lines of the input stay together.
    #[must_use]
    pub const fn unit_in_order(&self, number: u32, batch: u32) -> u32 {
        if !self.is_by_unit() {
            return number;
        }
        let lines = CELL_BYTES.div_ceil(self.lane_columns() * self.reading.point_bytes());
        let together = lines * self.sharers();
        let together = if together < self.units(1) {
            together
        } else {
            self.units(1)
        };
        let (low, rest) = (number % together, number / together);
        let (transform, group) = (rest % batch, rest / batch);
        transform * self.units(1) + group * together + low
    }

    /// True if each unit of a transform has its own part of a table or of a window.
    const fn is_by_unit(&self) -> bool {
        let is_by_unit = match self.table() {
            Table::ByUnit => true,
            Table::ByTile => self.columns_of_a_twiddle() == 1,
            _ => false,
        };
        is_by_unit || self.factored_units() > 1
    }

    /// The number of the unit of transform 0 that computes this, of those that share it the first;
    /// the reverse of [`Geometry::unit`].
    pub(super) const fn unit_index(&self, column: u32, bin: u32, part: u32) -> u32 {
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fft::kernels::unit::geometry::tests::passes;

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

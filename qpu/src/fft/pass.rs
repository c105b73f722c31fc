//! Passes of every kind behind one type: what a plan asks of a pass.
//!
//! A plan is a list of passes ([`super::steps`]). It knows nothing of what a pass computes: it takes the
//! program for the pass's [`Task`] from the catalogue, and asks the pass for the value of each word that the
//! program's lists name. So a new kind of pass is a type with these methods and a variant here, and a program.

use super::geometry::{Geometry, LANES};
use super::program::{Kind, Lanes, Record, Row, Scalar, Start, Task};
use super::tables::Table;
use super::values::{Lists, Own, Places};

/// A pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pass {
    /// A pass of complex transforms whose points follow each other in memory.
    Points(Geometry),
}

impl Pass {
    /// Which program it takes.
    #[must_use]
    pub const fn task(&self) -> Task {
        match self {
            Self::Points(geometry) => Task::Points(Kind {
                role: geometry.role(),
                radix: geometry.radix() as u16,
            }),
        }
    }

    /// Units for `batch` transforms.
    #[must_use]
    pub const fn units(&self, batch: u32) -> u32 {
        match self {
            Self::Points(geometry) => geometry.units(batch),
        }
    }

    /// The unit that is done as number `number` of those of `batch` transforms.
    #[must_use]
    pub const fn unit_in_order(&self, number: u32, batch: u32) -> u32 {
        match self {
            Self::Points(geometry) => geometry.unit_in_order(number, batch),
        }
    }

    /// Transforms of a batch that a unit works on: a last unit that has fewer gets lane vectors of its own.
    #[must_use]
    pub const fn transforms_per_unit(&self) -> u32 {
        match self {
            Self::Points(geometry) => geometry.transforms_per_unit(),
        }
    }

    /// How many row lists there are.
    #[must_use]
    pub const fn row_lists(&self) -> u32 {
        match self {
            Self::Points(geometry) => geometry.parts(),
        }
    }

    /// How many scalar lists there are.
    #[must_use]
    pub const fn scalar_lists(&self) -> u32 {
        match self {
            Self::Points(geometry) => geometry.scalar_lists(),
        }
    }

    /// Bytes of vectors that the row list names by address.
    #[must_use]
    pub const fn turn_vectors(&self) -> u32 {
        match self {
            Self::Points(geometry) => geometry.turn_vectors(),
        }
    }

    /// Bytes of the table of twiddles, a multiple of a cache line.
    #[must_use]
    pub fn table_bytes(&self) -> u32 {
        match self {
            Self::Points(geometry) => geometry.table_bytes(),
        }
    }

    /// Whether what this pass loses by truncation, and what passes without a table lose that follow it,
    /// is made up for by the factor on its table.
    #[must_use]
    pub const fn has_gain(&self) -> bool {
        match self {
            Self::Points(geometry) => !matches!(geometry.table(), Table::None),
        }
    }

    /// What truncation is expected to take from its outputs, in units of 2^-24.
    #[must_use]
    pub fn loss(&self) -> f64 {
        match self {
            Self::Points(geometry) => geometry.loss(),
        }
    }

    /// Gives the words of the table in order, times `gain`.
    ///
    /// # Errors
    /// The first error of `put`, which gets the index of the first word and the words.
    pub fn fill_table<E>(
        &self,
        gain: f64,
        put: impl FnMut(u32, &[u32]) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Self::Points(geometry) => geometry.fill_table(gain, put),
        }
    }

    /// A word of the start list.
    #[must_use]
    pub fn start_word(&self, own: &Own, word: Start) -> u32 {
        match self {
            Self::Points(geometry) => geometry.start_word(own, word),
        }
    }

    /// A word of the record of unit `index` of `batch` transforms, done in the VPM's half `area`.
    #[must_use]
    pub fn record_word(
        &self,
        places: &Places,
        lists: &Lists,
        unit: (u32, u32),
        area: u32,
        word: Record,
    ) -> u32 {
        match self {
            Self::Points(geometry) => geometry.record_word(places, lists, unit, area, word),
        }
    }

    /// A word of row list `list`.
    #[must_use]
    pub fn row_word(&self, places: &Places, list: u32, word: Row) -> u32 {
        match self {
            Self::Points(geometry) => geometry.row_word(places, list, word),
        }
    }

    /// A word of scalar list `list`.
    #[must_use]
    pub fn scalar_word(&self, list: u32, word: Scalar) -> u32 {
        match self {
            Self::Points(geometry) => geometry.scalar_word(list, word),
        }
    }

    /// Vector `index` of those that the row list names by address.
    #[must_use]
    pub fn turn_vector(&self, index: u32) -> [u32; LANES as usize] {
        match self {
            Self::Points(geometry) => geometry.turn_vector(index / 2, index % 2),
        }
    }

    /// A lane vector, for units of `transforms` transforms.
    #[must_use]
    pub fn lane_vector(
        &self,
        lanes: Lanes,
        transforms: u32,
        scale: [f32; 2],
    ) -> [u32; LANES as usize] {
        match self {
            Self::Points(geometry) => geometry.lane_vector(lanes, transforms, scale),
        }
    }
}

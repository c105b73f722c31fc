//! Passes of every kind behind one type: what a plan asks of a pass.
//!
//! A plan is a list of passes ([`super::steps`]). It knows nothing of what a pass computes: it takes the
//! program for the pass's [`Task`] from the catalogue, and asks the pass for the value of each word that the
//! program's lists name. So a new kind of pass is a type with these methods and a variant here, and a program.

use super::bins::Bins;
use super::bins::power::PowerPass;
use super::bins::product::ProductPass;
use super::bins::real::{RealPass, spectrum_bytes};
use super::convert::ConvertPass;
use super::coop::{Cooperation, Entry};
use super::geometry::{Geometry, LANES, POINT_BYTES};
use super::program::{Lanes, Record, Row, Scalar, Start, Task};
use super::samples::Reading;
use super::split::Role;
use super::tables::Table;
use super::values::{Lists, Own, Places};
use crate::job::QPUS;

/// QPUs of a slice.
pub(super) const QPUS_OF_A_SLICE: u32 = 4;

/// A pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pass {
    /// A pass of complex transforms whose points follow each other in memory.
    Points(Geometry),
    /// Half a transform to a real spectrum, or back.
    Real(RealPass),
    /// Spectra of signals and kernels to their products.
    Product(ProductPass),
    /// Spectra to powers.
    Power(PowerPass),
    /// Complex transforms that pass through the VPM on their way.
    Shared(Cooperation),
    /// Samples to complex points.
    Convert(ConvertPass),
}

impl Pass {
    /// Where program `index` of `programs` for `batch` transforms starts.
    #[must_use]
    pub fn entry(&self, batch: u32, programs: u32, index: u32) -> Entry {
        match self {
            Self::Shared(cooperation) => cooperation.entry(batch, programs, index),
            Self::Points(_)
            | Self::Real(_)
            | Self::Product(_)
            | Self::Power(_)
            | Self::Convert(_) => Entry::Beginning,
        }
    }

    /// QPUs before those that work, which are left out: the slice that the pass beside it runs on, whose instruction cache
    /// keeps that pass's code.
    #[must_use]
    pub const fn idle(&self, qpus: u8) -> u32 {
        if qpus < QPUS {
            return 0;
        }
        match self {
            Self::Real(pass) => pass.idle(),
            Self::Convert(pass) if pass.leaves_a_slice => QPUS_OF_A_SLICE,
            Self::Points(_)
            | Self::Product(_)
            | Self::Power(_)
            | Self::Shared(_)
            | Self::Convert(_) => 0,
        }
    }

    /// Programs that may work at the same time.
    #[must_use]
    pub const fn most_programs(&self) -> u32 {
        match self {
            Self::Real(pass) => pass.most_programs(),
            Self::Convert(_) => ConvertPass::MOST_PROGRAMS,
            Self::Points(_) | Self::Product(_) | Self::Power(_) | Self::Shared(_) => QPUS as u32,
        }
    }

    /// Which program it takes.
    #[must_use]
    pub const fn task(&self) -> Task {
        match self {
            Self::Points(geometry) => Task::Points(geometry.kind()),
            Self::Real(pass) => Task::Bins(pass.bins()),
            Self::Product(_) => Task::Bins(Bins::Product),
            Self::Power(pass) => Task::Bins(pass.bins()),
            Self::Shared(cooperation) => cooperation.task(),
            Self::Convert(pass) => Task::Convert(pass.samples()),
        }
    }

    /// Units for `batch` transforms.
    #[must_use]
    pub const fn units(&self, batch: u32) -> u32 {
        match self {
            Self::Points(geometry) => geometry.units(batch),
            Self::Real(pass) => pass.units(batch),
            Self::Product(pass) => pass.units(batch),
            Self::Power(pass) => pass.units(batch),
            Self::Shared(cooperation) => cooperation.units(batch),
            Self::Convert(pass) => pass.units(batch),
        }
    }

    /// Programs that must run at the same time: they wait for each other.
    #[must_use]
    pub const fn least_programs(&self) -> u32 {
        match self {
            Self::Points(geometry) => geometry.sharers(),
            Self::Real(_) | Self::Product(_) | Self::Power(_) | Self::Convert(_) => 1,
            Self::Shared(cooperation) => cooperation.least_programs(),
        }
    }

    /// Whether it is better done in several launches: of a middle pass whose tiles several units read.
    ///
    /// Programs of a slice do the units of a tile at the same time, and those of the three slices store in turn, as they
    /// have begun: so the L2C has most rows of a tile for all but the first that looks them up. Programs wait
    /// for each other at the locks of the VPM only, and whoever is late once has another place in that turn from
    /// then on. When slices are mixed, most rows come from the SDRAM again for each unit: at 2^21 points the pass takes up
    /// to 4.4 clocks a point then, and 2.9 before (simulated). A launch puts all in order.
    #[must_use]
    pub fn drifts(&self) -> bool {
        match self {
            Self::Points(geometry) => {
                geometry.role() == Role::Middle && geometry.parts() > 1 && geometry.sharers() == 1
            }
            _ => false,
        }
    }

    /// Programs that share tiles: all or none of them run.
    #[must_use]
    pub const fn programs_together(&self) -> u32 {
        match self {
            Self::Points(geometry) => geometry.sharers(),
            _ => 1,
        }
    }

    /// The unit that is done as number `number` of those of `batch` transforms.
    #[must_use]
    pub const fn unit_in_order(&self, number: u32, batch: u32) -> u32 {
        match self {
            Self::Points(geometry) => geometry.unit_in_order(number, batch),
            Self::Real(_)
            | Self::Product(_)
            | Self::Power(_)
            | Self::Shared(_)
            | Self::Convert(_) => number,
        }
    }

    /// Transforms of a batch that a unit works on: a last unit that has fewer gets lane vectors of its own.
    #[must_use]
    pub const fn transforms_per_unit(&self) -> u32 {
        match self {
            Self::Points(geometry) => geometry.transforms_per_unit(),
            Self::Real(_)
            | Self::Product(_)
            | Self::Power(_)
            | Self::Shared(_)
            | Self::Convert(_) => 1,
        }
    }

    /// Bytes of points and bins that it looks up, and of those that it stores, for `batch` transforms; without
    /// tables and lists. What several parts read counts as often.
    #[must_use]
    pub const fn traffic(&self, batch: u32) -> [u64; 2] {
        let (batch, point) = (batch as u64, POINT_BYTES as u64);
        match self {
            Self::Points(geometry) => {
                let points = batch * geometry.points() as u64;
                let read = geometry.reading().point_bytes() as u64 * geometry.parts() as u64;
                [points * read, points * point]
            }
            Self::Shared(cooperation) => [batch * point * cooperation.points() as u64; 2],
            Self::Real(pass) => {
                let points = batch * (point << pass.log2_half);
                let bins = batch * spectrum_bytes(pass.log2_half);
                if pass.to_bins {
                    [points, bins]
                } else {
                    [bins, points]
                }
            }
            Self::Product(pass) => [2 * pass.bytes(batch as u32), pass.bytes(batch as u32)],
            Self::Convert(pass) => pass.traffic(batch),
            Self::Power(pass) => {
                let powers = &pass.powers;
                let spectra = batch * powers.segments as u64;
                let written = batch * powers.output_bytes() as u64;
                [spectra * (point << powers.log2_complex()), written]
            }
        }
    }

    /// How many row lists there are.
    #[must_use]
    pub const fn row_lists(&self) -> u32 {
        match self {
            Self::Points(geometry) => geometry.row_lists(),
            Self::Real(_) | Self::Product(_) | Self::Power(_) => 1,
            Self::Shared(_) | Self::Convert(_) => 0,
        }
    }

    /// How many scalar lists there are.
    #[must_use]
    pub const fn scalar_lists(&self) -> u32 {
        match self {
            Self::Points(geometry) => geometry.scalar_lists(),
            Self::Real(_)
            | Self::Product(_)
            | Self::Power(_)
            | Self::Shared(_)
            | Self::Convert(_) => 0,
        }
    }

    /// Bytes of vectors that the row list names by address.
    #[must_use]
    pub const fn turn_vectors(&self) -> u32 {
        match self {
            Self::Points(geometry) => geometry.turn_vectors(),
            Self::Power(pass) => pass.vector_bytes(),
            Self::Real(_) | Self::Product(_) | Self::Shared(_) | Self::Convert(_) => 0,
        }
    }

    /// Bytes of the table of twiddles, a multiple of a cache line.
    #[must_use]
    pub fn table_bytes(&self) -> u32 {
        match self {
            Self::Points(geometry) => geometry.table_bytes(),
            Self::Real(pass) => pass.table_bytes(),
            Self::Product(_) | Self::Convert(_) => 0,
            Self::Power(pass) => pass.table_bytes(),
            Self::Shared(cooperation) => 4 * cooperation.twiddle_words(),
        }
    }

    /// Whether what this pass loses by truncation, and what passes without a table lose that follow it,
    /// is made up for by the factor on its table.
    #[must_use]
    pub const fn has_gain(&self) -> bool {
        match self {
            Self::Points(geometry) => !matches!(geometry.table(), Table::None),
            // Their tables turn one of two terms.
            Self::Real(_) | Self::Product(_) | Self::Power(_) => false,
            Self::Convert(_) => false,
            Self::Shared(_) => true,
        }
    }

    /// What truncation is expected to take from its outputs, in units of 2^-24.
    #[must_use]
    pub fn loss(&self) -> f64 {
        match self {
            Self::Points(geometry) => geometry.loss(),
            Self::Real(pass) => pass.loss(),
            Self::Product(pass) => pass.loss(),
            // Made up for by their factors.
            Self::Power(_) | Self::Convert(_) => 0.0,
            Self::Shared(cooperation) => cooperation.loss(),
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
            Self::Real(pass) => pass.fill_table(put),
            Self::Product(_) | Self::Convert(_) => Ok(()),
            Self::Power(pass) => pass.fill_table(put),
            Self::Shared(cooperation) => cooperation.fill_table(gain, put),
        }
    }

    /// The same pass, where it reads the caller's input and that is something else than complex points.
    #[must_use]
    pub fn reads(self, reading: Reading) -> Self {
        match self {
            Self::Points(geometry) => Self::Points(geometry.reads(reading)),
            // Those through the VPM read points, behind a pass that converts ([`super::steps::Steps::reading`]).
            Self::Real(_)
            | Self::Product(_)
            | Self::Power(_)
            | Self::Shared(_)
            | Self::Convert(_) => self,
        }
    }

    /// Bytes of the factors on samples, or on bin 0.
    #[must_use]
    pub const fn factors_bytes(&self) -> u32 {
        match self {
            Self::Points(geometry) => geometry.factors_bytes(),
            Self::Convert(pass) => pass.factors_bytes(),
            Self::Power(pass) => pass.multiples_bytes(),
            Self::Real(_) | Self::Product(_) | Self::Shared(_) => 0,
        }
    }

    /// Gives the factors on samples in order ([`Geometry::fill_factors`]); those on bin 0 are 0 until they are learnt
    /// ([`Plan::learn_window`](super::Plan::learn_window)).
    ///
    /// # Errors
    /// The first error of `put`, which gets the index of the first word and the words.
    pub fn fill_factors<E>(
        &self,
        window: impl FnMut(u32) -> f64,
        is_inverse: bool,
        put: impl FnMut(u32, &[u32; LANES as usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Self::Points(geometry) => geometry.fill_factors(window, is_inverse, put),
            Self::Convert(pass) => pass.fill_factors(window, put),
            Self::Power(pass) => pass.clear_multiples(put),
            Self::Real(_) | Self::Product(_) | Self::Shared(_) => Ok(()),
        }
    }

    /// A word of the start list.
    #[must_use]
    pub fn start_word(&self, places: &Places, own: &Own, word: Start) -> u32 {
        match self {
            Self::Points(geometry) => geometry.start_word(places, own, word),
            Self::Real(pass) => pass.start_word(places, own, word),
            Self::Product(pass) => pass.start_word(own, word),
            Self::Power(pass) => pass.start_word(own, word),
            Self::Convert(pass) => pass.start_word(places, own, word),
            Self::Shared(cooperation) => match word {
                Start::Shared(word) => cooperation.start_word(places, own, word),
                _ => 0,
            },
        }
    }

    /// A word of the record of unit `index` of `batch` transforms, done by program number `program`: in one half of the
    /// VPM or the other, in turn.
    #[must_use]
    pub fn record_word(
        &self,
        places: &Places,
        lists: &Lists,
        unit: (u32, u32),
        program: u32,
        word: Record,
    ) -> u32 {
        let area = program % 2;
        match self {
            Self::Points(geometry) => geometry.record_word(places, lists, unit, area, word),
            Self::Real(pass) => pass.record_word(places, unit, program, word),
            Self::Product(pass) => pass.record_word(places, unit, area, word),
            Self::Power(pass) => pass.record_word(places, unit, area, word),
            Self::Convert(pass) => pass.record_word(places, unit, program, word),
            Self::Shared(_) => 0,
        }
    }

    /// A word of row list `list`.
    #[must_use]
    pub fn row_word(&self, places: &Places, list: u32, word: Row) -> u32 {
        match self {
            Self::Points(geometry) => geometry.row_word(places, list, word),
            Self::Real(pass) => pass.row_word(word),
            Self::Product(pass) => pass.row_word(word),
            Self::Power(pass) => pass.row_word(word),
            Self::Shared(_) | Self::Convert(_) => 0,
        }
    }

    /// A word of scalar list `list`.
    #[must_use]
    pub fn scalar_word(&self, list: u32, word: Scalar) -> u32 {
        match self {
            Self::Points(geometry) => geometry.scalar_word(list, word),
            Self::Real(_)
            | Self::Product(_)
            | Self::Power(_)
            | Self::Shared(_)
            | Self::Convert(_) => 0,
        }
    }

    /// Vector `index` of those that the row list names by address.
    #[must_use]
    pub fn turn_vector(&self, index: u32) -> [u32; LANES as usize] {
        match self {
            Self::Points(geometry) => geometry.turn_vector(index),
            Self::Power(pass) => pass.vector(index),
            Self::Real(_) | Self::Product(_) | Self::Shared(_) | Self::Convert(_) => {
                [0; LANES as usize]
            }
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
            Self::Real(pass) => pass.lane_vector(lanes, scale),
            Self::Product(pass) => pass.lane_vector(lanes, scale),
            Self::Power(pass) => pass.lane_vector(lanes),
            Self::Shared(_) | Self::Convert(_) => [0; LANES as usize],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_qpus_share_is_moved_once() {
        let traffic = |log2_points| {
            let cooperation = Cooperation::new(log2_points).expect("a sharing");
            Pass::Shared(cooperation).traffic(3)
        };
        assert_eq!(traffic(12), [3 * 32 * 1024; 2]);
        assert_eq!(traffic(11), [3 * 16 * 1024; 2]);
    }
}

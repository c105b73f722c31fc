//! The pass that multiplies spectra of signals with those of kernels, bin by bin.
//!
//! Spectra of signals lie one after the other, those of the kernels behind them. A unit is 256 bins: of one
//! spectrum, or, where complex spectra are shorter and follow each other without gaps, of several.

use super::real::{AREA_ROWS, MARGIN, ROW_BYTES, spectrum_bytes};
use super::{Bins, Record, Row, Stream};
use crate::fft::geometry::{LANES, POINT_BYTES, UNIT_POINTS};
use crate::fft::layout::{Layout, Vector};
use crate::fft::program::{self, Lanes, Task};
use crate::fft::values::{Lists, Own, Places};
use crate::vpm::{Store, store_stride};

/// Bytes that the bins of a unit take.
const UNIT_BYTES: u32 = UNIT_POINTS * POINT_BYTES;

/// The pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProductPass {
    /// Points of the transforms, N, as a power of two: products are divided by N.
    pub log2_points: u32,
    /// Whether spectra are those of real points, bins 0 to N/2.
    pub is_real: bool,
    /// How many signals there are.
    pub signals: u32,
    /// Whether all signals have the same kernel, and not each its own.
    pub is_shared: bool,
}

impl ProductPass {
    /// Bins of a spectrum.
    const fn bins(&self) -> u32 {
        if self.is_real {
            (1 << (self.log2_points - 1)) + 1
        } else {
            1 << self.log2_points
        }
    }

    /// Bytes from a spectrum to the next.
    #[must_use]
    pub const fn pitch(&self) -> u64 {
        if self.is_real {
            spectrum_bytes(self.log2_points - 1)
        } else {
            (POINT_BYTES as u64) << self.log2_points
        }
    }

    /// Bytes of `spectra` spectra, and of what is read behind them.
    #[must_use]
    pub const fn bytes(&self, spectra: u32) -> u64 {
        (spectra as u64) * self.pitch() + MARGIN as u64
    }

    /// Spectra of a unit.
    const fn spectra_of_a_unit(&self) -> u32 {
        if self.is_real || self.bins() > UNIT_POINTS {
            1
        } else {
            UNIT_POINTS / self.bins()
        }
    }
}

impl Layout for ProductPass {
    fn task(&self) -> Task {
        Task::Bins(Bins::Product)
    }

    fn units(&self, batch: u32) -> u32 {
        batch.div_ceil(self.spectra_of_a_unit()) * self.bins().div_ceil(UNIT_POINTS)
    }

    fn traffic(&self, batch: u32) -> [u64; 2] {
        [2 * self.bytes(batch), self.bytes(batch)]
    }

    fn row_lists(&self) -> u32 {
        1
    }

    /// Half of what it takes, for the
    /// tables of both factors make up for it.
    fn loss(&self) -> f64 {
        0.5
    }

    /// Both factors have lost as much.
    fn loss_behind(&self, lost: f64) -> f64 {
        2.0 * (lost + self.loss())
    }

    fn start_word(&self, _places: &Places, own: &Own, word: program::Start) -> u32 {
        own.start_word(word).unwrap_or(store_stride(0))
    }

    fn record_word(
        &self,
        places: &Places,
        _lists: &Lists,
        (index, batch): (u32, u32),
        program: u32,
        word: program::Record,
    ) -> u32 {
        let units = self.bins().div_ceil(UNIT_POINTS);
        let together = self.spectra_of_a_unit();
        let (spectrum, unit) = (index / units * together, index % units);
        let pitch = self.pitch() as u32;
        let first = spectrum * pitch + unit * UNIT_BYTES;
        match word {
            program::Record::Rows => places.rows,
            program::Record::Bins(Record::Address { stream, .. }) => match stream {
                Stream::Kernels => {
                    let kernels = places.from + self.signals * pitch;
                    let own = if self.is_shared { 0 } else { spectrum };
                    kernels + own * pitch + unit * UNIT_BYTES
                }
                Stream::Points | Stream::Mirrored | Stream::Turns | Stream::Multiples => {
                    places.from + first
                }
            },
            program::Record::Store { .. } => places.to + first,
            program::Record::StoreSetup { .. } => {
                let bins = if together > 1 {
                    together.min(batch - spectrum) * self.bins()
                } else {
                    UNIT_POINTS.min(self.bins() - unit * UNIT_POINTS)
                };
                let rows = bins.div_ceil(ROW_BYTES / POINT_BYTES);
                let store = Store::rows(rows as u8, (AREA_ROWS * (program % 2)) as u8);
                store.setup().unwrap_or(0)
            }
            _ => 0,
        }
    }

    fn row_word(&self, _places: &Places, _list: u32, word: program::Row) -> u32 {
        let program::Row::Bins(Row::Group {
            stream,
            group,
            component,
            ..
        }) = word
        else {
            return 0;
        };
        let mut offset = LANES * POINT_BYTES * u32::from(group);
        if stream == Stream::Kernels && self.is_shared && self.spectra_of_a_unit() > 1 {
            offset %= self.pitch() as u32;
        }
        offset + POINT_BYTES / 2 * u32::from(component)
    }

    fn lane_vector(&self, lanes: Lanes, _transforms: u32, scale: [f32; 2]) -> Vector {
        let factor = libm::ldexp(1.0, -(self.log2_points as i32)) as f32;
        core::array::from_fn(|lane| match lanes {
            Lanes::Input => POINT_BYTES * (8 * (lane as u32 % 2) + lane as u32 / 2),
            Lanes::Scale => (factor * scale[lane % 2]).to_bits(),
            _ => 0,
        })
    }
}

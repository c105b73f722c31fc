//! The pass that multiplies spectra of signals with those of kernels, bin by bin.
//!
//! Spectra of signals lie one after the other, those of the kernels behind them. A unit is 256
//! bins: of one spectrum, or, where complex spectra are shorter and follow each other without gaps,
//! of several.

use super::real_split::{AREA_ROWS, MARGIN, spectrum_bytes};
use super::{Bins, Record, Row, Stream};
use crate::kernels::context::{Buffers, UnitContext};
use crate::kernels::layout::{Layout, Vector, not_in_its_lists};
use crate::kernels::program::{Lanes, Task};
use crate::kernels::sizes::{POINT_BYTES, UNIT_POINTS};
use crate::kernels::uniform::{Pack, UniformId};
use qpu::machine::{LANES, VECTOR_BYTES};
use qpu::vpm::Store;

/// Bytes that the bins of a unit take.
const UNIT_BYTES: u32 = UNIT_POINTS * POINT_BYTES;

/// The pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProductPass {
    /// Points of the transforms, N, as a power of two: products are divided by N.
    pub log2_points: u32,
    /// True if spectra are those of real points, bins 0 to N/2.
    pub is_real: bool,
    /// Number of signals.
    pub signals: u32,
    /// True if all signals have the same kernel, and not each its own.
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
    pub const fn pitch(&self) -> u64 {
        if self.is_real {
            spectrum_bytes(self.log2_points - 1)
        } else {
            (POINT_BYTES as u64) << self.log2_points
        }
    }

    /// Bytes of `spectra` spectra, and of what is read behind them.
    pub const fn bytes(&self, spectra: u32) -> u64 {
        (spectra as u64) * self.pitch() + MARGIN as u64
    }

    /// The first spectrum of unit `index`, and which of the units of a spectrum it is.
    const fn place(&self, index: u32) -> (u32, u32) {
        let units = self.bins().div_ceil(UNIT_POINTS);
        (index / units * self.spectra_of_a_unit(), index % units)
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

    /// Half of what it takes, for the tables of both factors make up for it.
    fn loss(&self) -> f64 {
        0.5
    }

    /// Both factors have lost as much.
    fn loss_behind(&self, lost: f64) -> f64 {
        2.0 * (lost + self.loss())
    }

    fn factor(&self, scale: f32) -> f32 {
        libm::ldexp(1.0, -(self.log2_points as i32)) as f32 * scale
    }

    fn store(&self, buffers: &Buffers, unit: &UnitContext, _index: u8) -> u32 {
        let (spectrum, unit) = self.place(unit.index);
        buffers.to + spectrum * self.pitch() as u32 + unit * UNIT_BYTES
    }

    fn store_rows(&self, unit: &UnitContext, _index: u8) -> Store {
        let (spectrum, number) = self.place(unit.index);
        let together = self.spectra_of_a_unit();
        let bins = if together > 1 {
            together.min(unit.batch - spectrum) * self.bins()
        } else {
            UNIT_POINTS.min(self.bins() - number * UNIT_POINTS)
        };
        let rows = bins.div_ceil(VECTOR_BYTES / POINT_BYTES);
        Store::rows(rows as u8, (AREA_ROWS * unit.area()) as u8)
    }

    fn record(&self, buffers: &Buffers, unit: &UnitContext, id: UniformId) -> u32 {
        let (spectrum, unit) = self.place(unit.index);
        let pitch = self.pitch() as u32;
        let first = match Record::of(id) {
            Record::Address {
                stream: Stream::Kernels,
                ..
            } => {
                let own = if self.is_shared { 0 } else { spectrum };
                (self.signals + own) * pitch
            }
            Record::Address { .. } => spectrum * pitch,
            _ => not_in_its_lists(),
        };
        buffers.from + first + unit * UNIT_BYTES
    }

    fn row(&self, _buffers: &Buffers, _list: u32, id: UniformId) -> u32 {
        let Row::Group {
            stream,
            group,
            component,
            ..
        } = Row::of(id)
        else {
            not_in_its_lists();
        };
        let mut offset = LANES * POINT_BYTES * u32::from(group);
        if stream == Stream::Kernels && self.is_shared && self.spectra_of_a_unit() > 1 {
            offset %= self.pitch() as u32;
        }
        offset + POINT_BYTES / 2 * u32::from(component)
    }

    fn lane_vector(&self, lanes: Lanes, _transforms: u32, scale: [f32; 2]) -> Vector {
        core::array::from_fn(|lane| match lanes {
            Lanes::Input => POINT_BYTES * (8 * (lane as u32 % 2) + lane as u32 / 2),
            Lanes::Scale => self.factor(scale[lane % 2]).to_bits(),
            _ => 0,
        })
    }
}

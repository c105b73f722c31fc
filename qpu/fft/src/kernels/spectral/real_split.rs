//! The pass between half a transform and a real spectrum, and back: where everything lies.

use super::runs::{Runs, of_spectrum, stored};
use super::{Bins, Record, Row};
use crate::kernels::context::{Buffers, UnitContext};
use crate::kernels::layout::{Layout, Vector};
use crate::kernels::program::{Lanes, Task};
use crate::kernels::sizes::POINT_BYTES;
use crate::kernels::uniform::{Pack, UniformId};
use qpu::machine::{LANES, VECTOR_BYTES};
use qpu::vpm::Store;

/// Rows of an area of the VPM.
pub const AREA_ROWS: u32 = 2 * LANES;
/// Bytes behind a spectrum that lanes without a bin read.
pub const MARGIN: u32 = 2048;
/// The loss of the two sums that every output is the result of.
const LOSS_OF_SUMS: f64 = 0.5;

/// Bytes from a real spectrum of a batch to the next: bins 0 to M, and what is left of a line of
/// the caches.
#[must_use]
pub const fn spectrum_bytes(log2_half: u32) -> u64 {
    ((POINT_BYTES as u64) << log2_half) + VECTOR_BYTES as u64
}

/// The pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RealPass {
    /// M = N/2, as a power of two; 4 or more.
    pub log2_half: u32,
    /// From the half transform to the real spectrum, or back.
    pub to_bins: bool,
    /// Groups of a run of a short unit; 0 where bins are not few.
    pub(super) groups: u8,
    /// True if it may leave slices alone.
    pub(super) leaves_slices: bool,
}

impl RealPass {
    /// The pass for `batch` spectra.
    #[must_use]
    pub const fn new(log2_half: u32, to_bins: bool, batch: u32) -> Self {
        Self {
            log2_half,
            to_bins,
            groups: Self::short_groups(log2_half, batch),
            // Tried on the simulator: 2^8 bins back are faster without.
            leaves_slices: batch <= 4 && (to_bins || log2_half > 8),
        }
    }

    /// The program that it takes.
    #[must_use]
    pub const fn bins(&self) -> Bins {
        match self.groups {
            0 => Bins::Split,
            groups => Bins::ShortSplit { groups },
        }
    }

    pub(super) const fn is_short(&self) -> bool {
        self.groups > 0
    }

    /// The runs of a spectrum.
    pub(super) const fn runs(&self) -> Runs {
        Runs {
            half: 1 << self.log2_half,
            run_bins: self.bins().run_bins(),
            // Short units have it beside their first bins.
            has_last: self.to_bins && !self.is_short(),
        }
    }

    /// Bytes from one half transform or real spectrum to the next.
    const fn pitch(&self, is_real_spectrum: bool) -> u32 {
        if is_real_spectrum {
            spectrum_bytes(self.log2_half) as u32
        } else {
            POINT_BYTES << self.log2_half
        }
    }
}

impl Layout for RealPass {
    fn task(&self) -> Task {
        Task::Bins(self.bins())
    }

    fn units(&self, batch: u32) -> u32 {
        batch * self.runs().units()
    }

    fn traffic(&self, batch: u32) -> [u64; 2] {
        [!self.to_bins, self.to_bins]
            .map(|is_real| u64::from(batch) * u64::from(self.pitch(is_real)))
    }

    fn most_programs(&self) -> u32 {
        self.programs_with_rows()
    }

    fn idle(&self) -> u32 {
        self.left_out()
    }

    fn row_lists(&self) -> u32 {
        1
    }

    fn table_bytes(&self) -> u32 {
        self.runs().table_bytes()
    }

    fn loss(&self) -> f64 {
        LOSS_OF_SUMS
    }

    fn fill_table(&self, _gain: f64, put: &mut dyn FnMut(u32, &[u32])) {
        let sign = if self.to_bins { 1.0 } else { -1.0 };
        self.runs().fill_table(sign, put);
    }

    fn factor(&self, scale: f32) -> f32 {
        if self.to_bins { 0.5 * scale } else { scale }
    }

    fn own_row(&self, program: u32) -> u8 {
        self.first_row(program)
    }

    fn store(&self, buffers: &Buffers, unit: &UnitContext, index: u8) -> u32 {
        let (transform, number) = of_spectrum(unit);
        let first = if self.is_short() {
            self.short_store(number, index).0
        } else {
            stored(&self.runs().unit(number), index).1.first
        };
        buffers.to + transform * self.pitch(self.to_bins) + POINT_BYTES * first
    }

    fn store_rows(&self, unit: &UnitContext, index: u8) -> Store {
        let (_, number) = of_spectrum(unit);
        if self.is_short() {
            let (_, [row, rows]) = self.short_store(number, index);
            return Store::rows(rows, self.first_row(unit.program) + row);
        }
        let (run, bins) = stored(&self.runs().unit(number), index);
        let row = AREA_ROWS * unit.area() + LANES * u32::from(run);
        let bins_of_row = VECTOR_BYTES / POINT_BYTES;
        Store {
            row_elements: 2 * bins.bins.min(bins_of_row) as u8,
            ..Store::rows(bins.bins.div_ceil(bins_of_row) as u8, row as u8)
        }
    }

    fn record(&self, buffers: &Buffers, unit: &UnitContext, id: UniformId) -> u32 {
        let (transform, number) = of_spectrum(unit);
        let from = buffers.from + transform * self.pitch(!self.to_bins);
        let runs = self.runs();
        let address = |word| runs.address(number, [from, buffers.table], self.to_bins, word);
        match Record::of(id) {
            Record::Component {
                run,
                stream,
                group,
                component,
            } => {
                let row = Row::group(run, stream, group, component);
                address(Record::Address { run, stream }).wrapping_add(runs.offset(row))
            }
            word => address(word),
        }
    }

    fn row(&self, _buffers: &Buffers, _list: u32, id: UniformId) -> u32 {
        self.runs().offset(Row::of(id))
    }

    fn lane_vector(&self, lanes: Lanes, _transforms: u32, scale: [f32; 2]) -> Vector {
        core::array::from_fn(|lane| {
            let bin = 8 * (lane as u32 % 2) + lane as u32 / 2;
            match lanes {
                Lanes::Input => POINT_BYTES * bin,
                Lanes::Mirrored => (POINT_BYTES * bin).wrapping_neg(),
                Lanes::Scale => self.factor(scale[lane % 2]).to_bits(),
                Lanes::Twiddle | Lanes::Root => 0,
            }
        })
    }
}

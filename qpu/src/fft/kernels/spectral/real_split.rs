//! The pass between half a transform and a real spectrum, and back: where everything lies.

use super::runs::{Run, Runs, stored};
use super::{Bins, Record, Row, Stream};
use crate::fft::kernels::context::{Buffers, UnitContext};
use crate::fft::kernels::layout::{Layout, Vector, not_in_its_lists};
use crate::fft::kernels::program::{Lanes, Task};
use crate::fft::kernels::sizes::POINT_BYTES;
use crate::fft::kernels::truncation::{LOSS_OF_A_TWIDDLE, gain};
use crate::fft::kernels::twiddle::Roots;
use crate::fft::kernels::uniform::{Pack, UniformId};
use crate::machine::{LANES, VECTOR_BYTES};
use crate::vpm::Store;

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

    const fn half(&self) -> u32 {
        1 << self.log2_half
    }

    /// The runs of a spectrum.
    pub(super) const fn runs(&self) -> Runs {
        Runs {
            half: self.half(),
            run_bins: self.bins().run_bins(),
            // Short units have it beside their first bins.
            has_last: self.to_bins && !self.is_short(),
        }
    }

    /// The spectrum that a unit belongs to, and its number among the units of that spectrum. The
    /// units of all spectra that read the same part of the table follow each other.
    pub(super) const fn unit(&self, index: u32, batch: u32) -> (u32, u32) {
        (index % batch, index / batch)
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
        let points = u64::from(batch) * (u64::from(POINT_BYTES) << self.log2_half);
        let bins = u64::from(batch) * spectrum_bytes(self.log2_half);
        if self.to_bins {
            [points, bins]
        } else {
            [bins, points]
        }
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
        (self.runs().roots() * POINT_BYTES).next_multiple_of(LANES * POINT_BYTES)
    }

    fn loss(&self) -> f64 {
        LOSS_OF_SUMS
    }

    fn fill_table(&self, _gain: f64, put: &mut dyn FnMut(u32, &[u32])) {
        let sign = if self.to_bins { 1.0 } else { -1.0 };
        fill_roots(self.log2_half, self.table_bytes() / POINT_BYTES, sign, put);
    }

    fn factor(&self, scale: f32) -> f32 {
        if self.to_bins { 0.5 * scale } else { scale }
    }

    fn own_row(&self, program: u32) -> u8 {
        self.first_row(program)
    }

    fn store(&self, buffers: &Buffers, unit: &UnitContext, index: u8) -> u32 {
        let (transform, number) = self.unit(unit.index, unit.batch);
        let first = if self.is_short() {
            self.short_store(number, index).0
        } else {
            stored(&self.runs().unit(number), index).1.first
        };
        buffers.to + transform * self.pitch(self.to_bins) + POINT_BYTES * first
    }

    fn store_rows(&self, unit: &UnitContext, index: u8) -> Store {
        let (_, number) = self.unit(unit.index, unit.batch);
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
        let (transform, number) = self.unit(unit.index, unit.batch);
        let runs = self.runs().unit(number);
        let from = buffers.from + transform * self.pitch(!self.to_bins);
        let address =
            |word| split_address(&runs, self.half(), from, buffers.table, self.to_bins, word);
        match Record::of(id) {
            Record::Component {
                run,
                stream,
                group,
                component,
            } => {
                let row = Row::group(run, stream, group, component);
                let offset = group_offset(&self.runs(), row);
                address(Record::Address { run, stream }).wrapping_add(offset)
            }
            word => address(word),
        }
    }

    fn row(&self, _buffers: &Buffers, _list: u32, id: UniformId) -> u32 {
        group_offset(&self.runs(), Row::of(id))
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

/// The word `word` in the record of a unit of a split, `from` being the address of its half
/// transform or real spectrum.
#[must_use]
pub fn split_address(
    runs: &[Run; 2],
    half: u32,
    from: u32,
    table: u32,
    wraps: bool,
    word: Record,
) -> u32 {
    let first = |run: u8| runs[usize::from(run)].first;
    match word {
        Record::Address { run, stream } => match stream {
            Stream::Points => from + POINT_BYTES * first(run),
            Stream::Mirrored => from + POINT_BYTES * (half - first(run)),
            Stream::Roots if run == 0 => table + POINT_BYTES * first(run),
            Stream::Roots => table + POINT_BYTES * (half - first(run)),
            Stream::Kernels | Stream::Multiples => not_in_its_lists(),
        },
        Record::Wrap { run } => {
            let is_last = match run {
                0 => first(0) == 0,
                _ => first(1) == half,
            };
            if wraps && is_last {
                (POINT_BYTES * half).wrapping_neg()
            } else {
                0
            }
        }
        Record::Zero => from,
        Record::Component { .. } | Record::Vectors | Record::Old { .. } => not_in_its_lists(),
    }
}

/// The word about a group in the row list of a unit of a split.
#[must_use]
pub fn group_offset(runs: &Runs, word: Row) -> u32 {
    let Row::Group {
        run,
        stream,
        group,
        component,
    } = word
    else {
        not_in_its_lists();
    };
    let offset = LANES * POINT_BYTES * u32::from(runs.group(run, group));
    let descends = match stream {
        Stream::Points | Stream::Kernels | Stream::Multiples => false,
        Stream::Mirrored => true,
        Stream::Roots => run == 1,
    };
    let offset = if descends {
        offset.wrapping_neg()
    } else {
        offset
    };
    offset.wrapping_add(POINT_BYTES / 2 * u32::from(component))
}

/// Gives cosines, times `sign`, and sines of 2πk/N for `entries` bins k, N twice the half of
/// 2^`log2_half`, a vector of entries at a time.
pub fn fill_roots(log2_half: u32, entries: u32, sign: f64, put: &mut dyn FnMut(u32, &[u32])) {
    let gain = gain(LOSS_OF_A_TWIDDLE);
    let mut roots = Roots::new(0, 1, 2 << log2_half);
    for first in (0..entries).step_by(LANES as usize) {
        let mut words = [0; 2 * LANES as usize];
        for (pair, (cos, sin)) in words.chunks_exact_mut(2).zip(&mut roots) {
            pair.copy_from_slice(&[sign * cos, sin].map(|x| ((x * gain) as f32).to_bits()));
        }
        put(2 * first, &words);
    }
}

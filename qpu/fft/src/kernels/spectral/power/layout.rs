//! The lists of the programs of the pass: what each word of them is.

use super::{Detector, Hold, PowerPass, Removed};
use crate::kernels::context::{Buffers, ProgramContext, UnitContext};
use crate::kernels::layout::{Layout, Vector, not_in_its_lists};
use crate::kernels::program::{Lanes, Task};
use crate::kernels::sizes::POINT_BYTES;
use crate::kernels::spectral::real_split::AREA_ROWS;
use crate::kernels::spectral::runs::of_spectrum;
use crate::kernels::spectral::{Record, Row, Start, Stream};
use crate::kernels::truncation::{LOSS_OF_A_PRODUCT, gain};
use crate::kernels::uniform::{Pack, UniformId};
use qpu::machine::{LANES, VECTOR_BYTES};
use qpu::vpm::Store;

/// The loss of a sum of two positive numbers, on average.
const LOSS_OF_A_POSITIVE_SUM: f64 = 0.5;

/// Number of sets of vectors ([`Record::Vectors`]) that a unit chooses from: whether it has bin 0
/// (1) and bin M (2).
///
/// A set is the multiples of bin 0 to remove from the first group and, of complex bins, from the
/// last; of real spectra then the factors of the first groups of both runs, bins 0 and M having
/// half of that of others.
const SETS: u32 = 4;
/// Vectors of a set.
const OF_A_SET: u32 = 3;

impl PowerPass {
    /// The set that a unit takes.
    fn set(&self, number: u32) -> u32 {
        if self.powers.is_real {
            let [up, down] = self.runs().unit(self.real_unit(number));
            let has_zero = up.bins > 0 && up.first == 0;
            u32::from(has_zero) + 2 * u32::from(down.bins > 0 && down.first == self.points())
        } else {
            match self.complex_units()[0] + number as i32 {
                0 => 1,
                -1 => 2,
                _ => 0,
            }
        }
    }

    /// Factor that makes powers of sums: the scale, divided by K for a mean, and made greater by
    /// what truncation is expected to take. Real bins are twice what they should be.
    fn power_factor(&self) -> f32 {
        // A square and the last product; the sum of both squares; sums over spectra, in which what
        // is lost of the j-th counts j / K.
        let mut lost = 2.0 * LOSS_OF_A_PRODUCT + LOSS_OF_A_POSITIVE_SUM;
        let mut count = 1.0;
        if self.powers.detector.first() == Detector::Mean {
            count = f64::from(self.powers.segments);
            lost += LOSS_OF_A_PRODUCT * (count - 1.0) / 2.0;
        }
        let real = if self.powers.is_real { 4.0 } else { 1.0 };
        let [scale, new] =
            [self.powers.scale, self.new].map(|bits| f64::from(f32::from_bits(bits)));
        (scale * new / (count * real) * gain(lost)) as f32
    }

    /// Factor of the greatest power that makes it one of so many equal ones, which are a sum: what
    /// truncation takes of a sum is not lost, and a product more is.
    fn greatest_factor(&self) -> f32 {
        let count = f64::from(self.powers.segments);
        let lost_of_sum = LOSS_OF_A_PRODUCT * (count - 1.0) / 2.0;
        (count * gain(LOSS_OF_A_PRODUCT) / gain(lost_of_sum)) as f32
    }

    /// Address of a row of powers of result `which`.
    const fn row_address(&self, buffers: &Buffers, which: u32, row: u32) -> u32 {
        buffers.to
            + which * self.powers.output_bytes()
            + VECTOR_BYTES * (row - self.powers.rows()[0])
    }
}

impl Layout for PowerPass {
    fn task(&self) -> Task {
        Task::Bins(self.bins())
    }

    fn units(&self, batch: u32) -> u32 {
        batch * self.units_of_one()
    }

    fn traffic(&self, batch: u32) -> [u64; 2] {
        let read = u64::from(self.powers.segments) * u64::from(self.pitch());
        [read, self.powers.output_bytes().into()].map(|bytes| u64::from(batch) * bytes)
    }

    fn table_bytes(&self) -> u32 {
        if self.powers.is_real {
            self.runs().table_bytes()
        } else {
            0
        }
    }

    fn fill_table(&self, _gain: f64, put: &mut dyn FnMut(u32, &[u32])) {
        if self.powers.is_real {
            self.runs().fill_table(1.0, put);
        }
    }

    fn factors_bytes(&self) -> u32 {
        self.multiples_bytes()
    }

    /// Multiples that remove nothing.
    fn fill_factors(
        &self,
        _window: &mut dyn FnMut(u32) -> f64,
        _is_inverse: bool,
        put: &mut dyn FnMut(u32, &[u32]),
    ) {
        for row in 0..self.multiples_bytes() / VECTOR_BYTES {
            put(LANES * row, &[0; LANES as usize]);
        }
    }

    fn row_lists(&self) -> u32 {
        1
    }

    /// Bytes of the sets of vectors.
    fn vector_bytes(&self) -> u32 {
        SETS * OF_A_SET * VECTOR_BYTES
    }

    fn vector(&self, index: u32) -> Vector {
        let (set, vector) = (index / OF_A_SET, index % OF_A_SET);
        let (has_zero, has_last) = (set & 1 != 0, set & 2 != 0);
        let scale = self.power_factor();
        core::array::from_fn(|lane| {
            let removed = |bin: usize| match &self.powers.removed {
                Removed::Near(near) => f32::from_bits(near[bin]),
                Removed::Everywhere => 0.0,
            };
            let value = match (self.powers.is_real, vector) {
                // The program has twice the bins of a real spectrum.
                (true, 0) if has_zero => 2.0 * removed(lane),
                (false, 0) if has_zero => removed(lane),
                (false, 1) if has_last && lane > 0 => removed(LANES as usize - lane),
                (true, 1) if has_zero && lane == 0 => scale / 2.0,
                (true, 2) if has_last && lane == 0 => scale / 2.0,
                (true, 1 | 2) => scale,
                _ => 0.0,
            };
            value.to_bits()
        })
    }

    fn start(&self, _buffers: &Buffers, _program: &ProgramContext, id: UniformId) -> u32 {
        match Start::of(id) {
            Start::Pitch => self.pitch(),
            Start::Spectra => self.powers.segments,
        }
    }

    fn store(&self, buffers: &Buffers, unit: &UnitContext, index: u8) -> u32 {
        let bins = self.bins();
        let (which, number) = of_spectrum(unit);
        let (_, stored) = self.stored_run(number, index % bins.runs());
        let level = u32::from(index >= bins.runs()) * self.powers.power_bytes();
        self.row_address(buffers, which, stored.row) + level
    }

    fn store_rows(&self, unit: &UnitContext, index: u8) -> Store {
        let bins = self.bins();
        let groups = u32::from(bins.groups());
        let (_, number) = of_spectrum(unit);
        let (run, stored) = self.stored_run(number, index % bins.runs());
        let is_level = u32::from(index >= bins.runs());
        let rows_of_powers = groups * u32::from(bins.runs());
        let row = AREA_ROWS * unit.area()
            + is_level * rows_of_powers
            + groups * u32::from(run)
            + stored.group;
        Store {
            row_elements: stored.words as u8,
            ..Store::rows(stored.count as u8, row as u8)
        }
    }

    fn record(&self, buffers: &Buffers, unit: &UnitContext, id: UniformId) -> u32 {
        let (which, number) = of_spectrum(unit);
        let from = buffers.from + which * self.powers.segments * self.pitch();
        let bins = self.bins();
        match Record::of(id) {
            Record::Vectors => buffers.vectors + self.set(number) * OF_A_SET * VECTOR_BYTES,
            Record::Old { group } => {
                let run = group / bins.groups();
                let group = u32::from(group % bins.groups());
                // Groups that are not stored read what one that is reads.
                let (_, stored) = self.stored_run(number, run);
                let row = group
                    .saturating_sub(stored.group)
                    .min(stored.count.max(1) - 1);
                self.row_address(buffers, which, stored.row + row)
            }
            Record::Address {
                run,
                stream: Stream::Multiples,
            } => buffers.factors.wrapping_add(self.multiples_of(number, run)),
            word if self.powers.is_real => {
                let number = self.real_unit(number);
                self.runs()
                    .address(number, [from, buffers.table], true, word)
            }
            Record::Address {
                stream: Stream::Points,
                ..
            } => from.wrapping_add_signed(POINT_BYTES as i32 * self.complex_bin(number)),
            Record::Zero => from,
            _ => not_in_its_lists(),
        }
    }

    fn row(&self, _buffers: &Buffers, _list: u32, id: UniformId) -> u32 {
        let word = Row::of(id);
        let takes_least = self.powers.detector == Detector::Min || self.hold == Hold::Min;
        let sign: f32 = if takes_least { -1.0 } else { 1.0 };
        match word {
            Row::Group {
                run,
                stream: Stream::Multiples,
                group,
                ..
            } => VECTOR_BYTES * self.group_of_multiples(run, group),
            Row::Group {
                group, component, ..
            } if !self.powers.is_real => {
                LANES * POINT_BYTES * u32::from(group) + POINT_BYTES / 2 * u32::from(component)
            }
            Row::Group { .. } => self.runs().offset(word),
            Row::Detector => u32::from(self.powers.detector != Detector::Mean),
            Row::Hold => u32::from(self.hold != Hold::Add),
            Row::Sign | Row::Back => sign.to_bits(),
            Row::Keep => (sign * f32::from_bits(self.old)).to_bits(),
            Row::Initial if self.powers.detector == Detector::Min => f32::NEG_INFINITY.to_bits(),
            Row::Initial => 0,
            Row::Scale => self.power_factor().to_bits(),
            Row::Greatest => self.greatest_factor().to_bits(),
        }
    }

    fn lane_vector(&self, lanes: Lanes, _transforms: u32, _scale: [f32; 2]) -> Vector {
        core::array::from_fn(|lane| match lanes {
            Lanes::Input => POINT_BYTES * lane as u32,
            Lanes::Mirrored => (POINT_BYTES * lane as u32).wrapping_neg(),
            Lanes::Scale | Lanes::Twiddle | Lanes::Root => 0,
        })
    }
}

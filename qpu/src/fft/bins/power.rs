//! The pass from transforms to powers: where everything lies, and what powers are multiplied by.
//!
//! K spectra become one row of powers: their mean, or the greatest or least of each bin. Powers are stored in rows
//! of sixteen bins, in order of frequency: bins 0 to N/2 of real input, the last of them alone in the
//! last row; bins -N/2 to N/2 - 1 of complex input. Any rows that follow each other may be left out.
//!
//! What is in memory can be kept: it is multiplied by a weight and added, or the greater or lesser of both stays.
//!
//! # Removing a constant
//!
//! A constant x adds x W\[k\] to the windowed spectrum X\[k\], W the window's own transform. X\[0\] / W\[0\] is the
//! mean of the samples weighted by the window, so X\[k\] - X\[0\] · W\[k\] / W\[0\] is the spectrum of what is
//! left when that mean is subtracted from each sample: exactly 0 for a constant, and for any window that is a sum of
//! cosines W\[k\] is 0 but for a few bins next to 0. No pass over the samples is needed.

use super::real::{AREA_ROWS, fill_turns, group_offset, split_address};
use super::runs::{Run, Runs};
use super::{Bins, Record, Row, Start, Stream};
use crate::fft::geometry::{Geometry, LANES, POINT_BYTES};
use crate::fft::program::{self, Lanes};
use crate::fft::tables::gain;
use crate::fft::values::{Own, Places};
use crate::vpm::{Store, store_stride};

/// Bytes of a row of powers.
pub const ROW_BYTES: u32 = 4 * LANES;
/// Bytes of a vector.
const VECTOR_BYTES: u32 = 4 * LANES;

/// What the sum of two positive numbers loses on average, in units of 2^-24.
const LOSS_OF_A_SUM: f64 = 0.5;

/// 10 log10 of a power is the SFU's log2 of it times the first, plus the second.
///
/// The SFU's log2 has 16 bits behind the point and is between 1.6e-4 too low and 0.2e-4 too high, in octaves of power; the second
/// number puts the middle of that right and leaves an error of 0.0003 dB (v3d-sim's SFU, which reproduces
/// words recorded on the chip).
pub const DECIBELS: [f32; 2] = [3.010_3, 0.000_2];

/// What becomes of several spectra.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Detector {
    /// The mean power of each bin.
    #[default]
    Mean,
    /// The greatest.
    Max,
    /// The least.
    Min,
}

/// What becomes of the powers that are in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Hold {
    /// They are multiplied by a weight and added: 0 replaces them.
    #[default]
    Add,
    /// The greater stays.
    Max,
    /// The lesser stays.
    Min,
}

/// Sets of vectors ([`Record::Vectors`]) that a unit chooses from: whether it has bin 0 (1) and bin M (2).
///
/// A set is the multiples of bin 0 to remove from the first group and, of complex bins, from the last; of real
/// spectra then the factors of the first groups of both runs, bins 0 and M having half of that of others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Vectors;

impl Vectors {
    /// How many sets.
    const SETS: u32 = 4;
    /// Vectors of a set.
    const OF_A_SET: u32 = 3;
}

/// Which powers are made of the samples of a request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Powers {
    /// Whether samples are real: then a spectrum has bins 0 to N/2, else -N/2 to N/2 - 1.
    pub is_real: bool,
    /// Samples of a segment, N, as a power of two.
    pub log2_points: u32,
    /// K: segments whose spectra become one row of powers.
    pub segments: u32,
    /// What becomes of K spectra.
    pub detector: Detector,
    /// Whether decibels are stored behind the powers.
    pub decibels: bool,
    /// The first bin that is wanted and the one behind the last; all where there is none. Rows of sixteen bins
    /// are stored ([`Powers::stored_bins`]).
    pub bins: Option<[i32; 2]>,
    /// What |X|² is multiplied by, as the bits of an f32; of real samples for all bins but 0 and N/2, which
    /// have half of it.
    pub scale: u32,
    /// W\[k\] / W\[0\] for k = 0.., as the bits of f32: all 0 when a constant is to stay.
    pub removed: [u32; LANES as usize],
}

impl Powers {
    /// |X|² of each segment of 2^`log2_points` samples, its mean over `segments`; nothing removed.
    #[must_use]
    pub const fn new(is_real: bool, log2_points: u32, segments: u32) -> Self {
        Self {
            is_real,
            log2_points,
            segments,
            detector: Detector::Mean,
            decibels: false,
            bins: None,
            scale: 1f32.to_bits(),
            removed: [0; LANES as usize],
        }
    }

    /// Points of the complex transforms, as a power of two.
    #[must_use]
    pub const fn log2_complex(&self) -> u32 {
        if self.is_real {
            self.log2_points.saturating_sub(1)
        } else {
            self.log2_points
        }
    }

    /// Numbers of the first bin of a whole spectrum and of the one behind the last.
    #[must_use]
    pub const fn all_bins(&self) -> [i32; 2] {
        let half = 1 << (self.log2_points - 1);
        if self.is_real {
            [0, half + 1]
        } else {
            [-half, half]
        }
    }

    /// Whether there are bins, and all are of the spectrum.
    #[must_use]
    pub const fn has_bins(&self) -> bool {
        let [least, most] = self.all_bins();
        match self.bins {
            Some([first, end]) => least <= first && first < end && end <= most,
            None => true,
        }
    }

    /// The first row that is stored, and how many.
    const fn rows(&self) -> [u32; 2] {
        let [least, most] = self.all_bins();
        let [first, end] = match self.bins {
            Some(bins) => bins,
            None => [least, most],
        };
        let lanes = LANES as i32;
        let first = (first - least) / lanes;
        let end = (end - least + lanes - 1) / lanes;
        [first as u32, (end - first) as u32]
    }

    /// Numbers of the first bin that is stored and of the one behind the last: what is wanted, and what
    /// fills rows of sixteen.
    #[must_use]
    pub const fn stored_bins(&self) -> [i32; 2] {
        let [least, most] = self.all_bins();
        let [first, rows] = self.rows();
        let lanes = LANES as i32;
        let end = least + (first + rows) as i32 * lanes;
        [
            least + first as i32 * lanes,
            if end < most { end } else { most },
        ]
    }

    /// Bytes of a row of powers: those of its bins and what is left of a line of the caches.
    #[must_use]
    pub const fn power_bytes(&self) -> u32 {
        self.rows()[1] * ROW_BYTES
    }

    /// Bytes of a row of powers and of the decibels behind it, which begin at [`Powers::power_bytes`].
    #[must_use]
    pub const fn output_bytes(&self) -> u32 {
        self.power_bytes() * (1 + self.decibels as u32)
    }

    /// What is removed with a constant, for a window of a(0) - a(1) cos x + a(2) cos 2x ..: from bins as many as
    /// it has terms, up to 16.
    #[must_use]
    pub fn removed_by_terms(terms: &[f64]) -> [u32; LANES as usize] {
        core::array::from_fn(|k| {
            let term = terms.get(k).copied().unwrap_or_default();
            let ratio = match (k, terms.first()) {
                (0, _) => 1.0,
                (_, Some(&mean)) => term / (2.0 * mean),
                (_, None) => 0.0,
            };
            let sign = if k.is_multiple_of(2) { 1.0 } else { -1.0 };
            ((sign * ratio) as f32).to_bits()
        })
    }
}

/// The pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PowerPass {
    /// What it makes.
    pub powers: Powers,
    /// What becomes of powers in memory.
    pub hold: Hold,
    /// Weight of those, as the bits of an f32.
    pub old: u32,
    /// Weight of the new ones, as the bits of an f32.
    pub new: u32,
}

/// Rows that a unit stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Stored {
    /// The first in order of frequency.
    row: u32,
    count: u32,
    /// Of those of the unit, the first.
    group: u32,
    /// Words of each.
    words: u32,
}

impl PowerPass {
    /// A pass that replaces what is in memory.
    #[must_use]
    pub const fn new(powers: Powers) -> Self {
        Self {
            powers,
            hold: Hold::Add,
            old: 0f32.to_bits(),
            new: 1f32.to_bits(),
        }
    }

    /// Whether the greatest is not wanted in one place and the least in another.
    #[must_use]
    pub const fn is_possible(&self) -> bool {
        !matches!(
            (self.powers.detector, self.hold),
            (Detector::Max, Hold::Min) | (Detector::Min, Hold::Max)
        )
    }

    /// Points of the complex transforms that are read.
    const fn points(&self) -> u32 {
        1 << self.powers.log2_complex()
    }

    /// Bytes from one of them to the next.
    const fn pitch(&self) -> u32 {
        POINT_BYTES << self.powers.log2_complex()
    }

    const fn first_row(&self) -> u32 {
        self.powers.rows()[0]
    }

    /// Which program it takes.
    #[must_use]
    pub const fn bins(&self) -> Bins {
        let decibels = self.powers.decibels;
        if self.powers.is_real {
            Bins::SplitPower { decibels }
        } else {
            Bins::Power { decibels }
        }
    }

    const fn runs(&self) -> Runs {
        Runs {
            half: self.points(),
            run_bins: self.bins().run_bins(),
            has_last: true,
        }
    }

    const fn end_row(&self) -> u32 {
        let [first, rows] = self.powers.rows();
        first + rows
    }

    /// The unit that bins from -N/2 on belong to, counted from that of bin 0: numbers of complex units.
    const fn complex_units(&self) -> [i32; 2] {
        let bins = self.bins().run_bins() as i32;
        let half = self.points() as i32 / 2;
        let first = self.first_row() as i32 * LANES as i32 - half;
        let end = self.end_row() as i32 * LANES as i32 - half;
        [first.div_euclid(bins), (end - 1).div_euclid(bins) + 1]
    }

    /// Units of a real spectrum whose first runs are wanted, those whose second runs are, and the last.
    const fn real_units(&self) -> [[u32; 2]; 3] {
        let runs = self.runs();
        if runs.is_single() {
            return [[0, 1], [1, 1], [1, 1]];
        }
        let groups = self.bins().groups() as u32;
        let all = runs.half / LANES;
        let units = all / (2 * groups);
        let (first, end) = (self.first_row(), self.end_row());
        let has_last = end > all;
        let end = if has_last { all } else { end };
        let up = [min(first / groups, units), min(end.div_ceil(groups), units)];
        let down = [
            min((all - end) / groups, units),
            min((all - min(first, all)).div_ceil(groups), units),
        ];
        let last = [units, units + has_last as u32];
        let none = [units, units];
        if up[0] >= up[1] {
            [down, none, last]
        } else if down[0] >= down[1] {
            [up, none, last]
        } else if up[0] <= down[1] && down[0] <= up[1] {
            [[min(up[0], down[0]), max(up[1], down[1])], none, last]
        } else {
            [up, down, last]
        }
    }

    /// Units of a row of powers.
    const fn units_of_one(&self) -> u32 {
        if self.powers.is_real {
            let ranges = self.real_units();
            let mut units = 0;
            let mut index = 0;
            while index < ranges.len() {
                units += ranges[index][1].saturating_sub(ranges[index][0]);
                index += 1;
            }
            units
        } else {
            let [first, end] = self.complex_units();
            (end - first) as u32
        }
    }

    /// Units for powers of `batch` times K spectra.
    #[must_use]
    pub const fn units(&self, batch: u32) -> u32 {
        batch * self.units_of_one()
    }

    /// Number of the spectrum among those that become powers, and of the unit.
    const fn unit(&self, index: u32, batch: u32) -> (u32, u32) {
        (index % batch, index / batch)
    }

    /// The real unit that is number `number` of those wanted.
    fn real_unit(&self, number: u32) -> u32 {
        let mut left = number;
        for [first, end] in self.real_units() {
            let count = end.saturating_sub(first);
            if left < count {
                return first + left;
            }
            left -= count;
        }
        0
    }

    /// The rows of bins that are wanted, of a run that begins with row `row` and has `groups`.
    fn wanted(&self, row: i64, groups: u32) -> Stored {
        let first = row.max(self.first_row().into());
        let end = (row + i64::from(groups)).min(self.end_row().into());
        Stored {
            row: first as u32,
            count: (end - first).max(0) as u32,
            group: (first - row) as u32,
            words: LANES,
        }
    }

    /// What a unit stores of each run.
    fn stored(&self, number: u32) -> [Stored; 2] {
        if !self.powers.is_real {
            let unit = i64::from(self.complex_units()[0]) + i64::from(number);
            let groups: u32 = self.bins().groups().into();
            let zero = i64::from(self.points() / 2 / LANES);
            let stored = self.wanted(unit * i64::from(groups) + zero, groups);
            return [stored; 2];
        }
        self.runs().unit(self.real_unit(number)).map(|run| {
            let Run { first, bins } = run;
            let groups = bins.div_ceil(LANES);
            let stored = self.wanted((first / LANES).into(), groups);
            Stored {
                words: bins.min(LANES),
                ..stored
            }
        })
    }

    /// What is stored for run `run`, and of which run it is: one without wanted rows stores the other's.
    fn stored_run(&self, number: u32, run: u8) -> (u8, Stored) {
        let stored = self.stored(number);
        let own = stored[usize::from(run)];
        if own.count > 0 || !self.powers.is_real {
            (run, own)
        } else {
            (1 - run, stored[usize::from(1 - run)])
        }
    }

    /// Bytes of the table of turns.
    #[must_use]
    pub const fn table_bytes(&self) -> u32 {
        if self.powers.is_real {
            (self.runs().turns() * POINT_BYTES).next_multiple_of(LANES * POINT_BYTES)
        } else {
            0
        }
    }

    /// Gives the words of the table, a vector of entries at a time.
    ///
    /// # Errors
    /// The first error of `put`.
    pub fn fill_table<E>(&self, put: impl FnMut(u32, &[u32]) -> Result<(), E>) -> Result<(), E> {
        let entries = self.table_bytes() / POINT_BYTES;
        fill_turns(self.powers.log2_complex(), entries, 1.0, put)
    }

    /// Bytes of the sets of vectors.
    #[must_use]
    pub const fn vector_bytes(&self) -> u32 {
        Vectors::SETS * Vectors::OF_A_SET * VECTOR_BYTES
    }

    /// Vector `index` of the sets.
    #[must_use]
    pub fn vector(&self, index: u32) -> [u32; LANES as usize] {
        let (set, vector) = (index / Vectors::OF_A_SET, index % Vectors::OF_A_SET);
        let (has_zero, has_last) = (set & 1 != 0, set & 2 != 0);
        let scale = self.factor();
        core::array::from_fn(|lane| {
            let removed = |bin: usize| f32::from_bits(self.powers.removed[bin]);
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

    /// Which set a unit takes.
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

    /// What sums are multiplied by: the scale, divided by K for a mean, and made greater by what truncation is
    /// expected to take. Real bins are twice what they should be.
    fn factor(&self) -> f32 {
        // A square and the last product; the sum of both squares; sums over spectra, in which what is lost of
        // the j-th counts j / K.
        let mut lost = 2.0 * Geometry::LOSS_OF_A_PRODUCT + LOSS_OF_A_SUM;
        let mut count = 1.0;
        if self.powers.detector == Detector::Mean {
            count = f64::from(self.powers.segments);
            lost += Geometry::LOSS_OF_A_PRODUCT * (count - 1.0) / 2.0;
        }
        let real = if self.powers.is_real { 4.0 } else { 1.0 };
        let [scale, new] =
            [self.powers.scale, self.new].map(|bits| f64::from(f32::from_bits(bits)));
        (scale * new / (count * real) * gain(lost)) as f32
    }

    /// A word of the start list.
    #[must_use]
    pub fn start_word(&self, own: &Own, word: program::Start) -> u32 {
        match word {
            program::Start::Bins(Start::Pitch) => self.pitch(),
            program::Start::Bins(Start::Spectra) => self.powers.segments,
            word => own.start_word(word).unwrap_or(store_stride(0)),
        }
    }

    /// A word of the record of unit `index` of `batch` rows of powers, done in the VPM's half `area`.
    #[must_use]
    pub fn record_word(
        &self,
        places: &Places,
        (index, batch): (u32, u32),
        area: u32,
        word: program::Record,
    ) -> u32 {
        let (which, number) = self.unit(index, batch);
        let from = places.from + which * self.powers.segments * self.pitch();
        let to = places.to + which * self.powers.output_bytes();
        let bins = self.bins();
        let groups = u32::from(bins.groups());
        let address = |row: u32| to + ROW_BYTES * (row - self.first_row());
        match word {
            program::Record::Rows => places.rows,
            program::Record::Bins(Record::Vectors) => {
                places.turns + self.set(number) * Vectors::OF_A_SET * VECTOR_BYTES
            }
            program::Record::Bins(Record::Old { group }) => {
                let run = group / bins.groups();
                let group = u32::from(group % bins.groups());
                // Groups that are not stored read what one that is reads.
                let (_, stored) = self.stored_run(number, run);
                let row = group
                    .saturating_sub(stored.group)
                    .min(stored.count.max(1) - 1);
                address(stored.row + row)
            }
            program::Record::Bins(word) if self.powers.is_real => {
                let runs = self.runs().unit(self.real_unit(number));
                split_address(&runs, self.points(), from, places.table, true, word)
            }
            program::Record::Bins(Record::Address {
                stream: Stream::Points,
                ..
            }) => {
                let unit = self.complex_units()[0] + number as i32;
                let bin = unit * bins.run_bins() as i32;
                let bin = if bin < 0 {
                    bin + self.points() as i32
                } else {
                    bin
                };
                from.wrapping_add_signed(POINT_BYTES as i32 * bin)
            }
            program::Record::Bins(Record::Zero) => from,
            program::Record::Store { index } => {
                let (_, stored) = self.stored_run(number, index % bins.runs());
                let is_level = index >= bins.runs();
                address(stored.row) + u32::from(is_level) * self.powers.power_bytes()
            }
            program::Record::StoreSetup { index } => {
                let (run, stored) = self.stored_run(number, index % bins.runs());
                let is_level = u32::from(index >= bins.runs());
                let rows_of_powers = groups * u32::from(bins.runs());
                let row = AREA_ROWS * area
                    + is_level * rows_of_powers
                    + groups * u32::from(run)
                    + stored.group;
                let store = Store {
                    row_elements: stored.words as u8,
                    ..Store::rows(stored.count as u8, row as u8)
                };
                store.setup().unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// A word of the row list.
    #[must_use]
    pub fn row_word(&self, word: program::Row) -> u32 {
        let program::Row::Bins(word) = word else {
            return 0;
        };
        let takes_least = self.powers.detector == Detector::Min || self.hold == Hold::Min;
        let sign: f32 = if takes_least { -1.0 } else { 1.0 };
        match word {
            Row::Group {
                group, component, ..
            } if !self.powers.is_real => {
                LANES * POINT_BYTES * u32::from(group) + POINT_BYTES / 2 * u32::from(component)
            }
            Row::Group { .. } => group_offset(&self.runs(), word),
            Row::Detector => u32::from(self.powers.detector != Detector::Mean),
            Row::Hold => u32::from(self.hold != Hold::Add),
            Row::Sign | Row::Back => sign.to_bits(),
            Row::Keep => (sign * f32::from_bits(self.old)).to_bits(),
            Row::Initial if self.powers.detector == Detector::Min => f32::NEG_INFINITY.to_bits(),
            Row::Initial => 0,
            Row::Scale => self.factor().to_bits(),
        }
    }

    /// A lane vector.
    #[must_use]
    pub fn lane_vector(&self, lanes: Lanes) -> [u32; LANES as usize] {
        core::array::from_fn(|lane| match lanes {
            Lanes::Input => POINT_BYTES * lane as u32,
            Lanes::Mirrored => (POINT_BYTES * lane as u32).wrapping_neg(),
            Lanes::Scale | Lanes::Twiddle | Lanes::Turn => 0,
        })
    }
}

const fn min(a: u32, b: u32) -> u32 {
    if a < b { a } else { b }
}

const fn max(a: u32, b: u32) -> u32 {
    if a > b { a } else { b }
}

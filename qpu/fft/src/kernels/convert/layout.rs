//! Samples to points, in a pass of its own: for transforms through the VPM, whose programs read
//! points.
//!
//! A unit has 64 points in four vectors. Lane 2 i + r of a vector has point 8 r + i, so that both
//! rows of 64 bytes that are stored of it have eight points in order. Each vector has an address of
//! its own: transforms of 16 points and such that overlap are no special case. The last unit of a
//! batch may have fewer vectors; what it looks up in their place is its first, and not stored.
//!
//! Factors ([`crate::kernels::samples`]) lie as vectors are looked up: word 16 v + lane is
//! that of vector v of a transform; of components, two vectors for each.

use crate::kernels::context::{Buffers, UnitContext};
use crate::kernels::layout::{Layout, QPUS_OF_A_SLICE, Vector};
use crate::kernels::program::{Samples, Task};
use crate::kernels::samples::{Factors, HIGH_BYTES, Reading};
use crate::kernels::sizes::POINT_BYTES;
use crate::kernels::uniform::{Pack, UniformId, uniforms};
use qpu::machine::{LANES, VPM_ROWS};
use qpu::vpm::Store;

/// Vectors of a unit.
pub const VECTORS: u32 = 4;
/// Bytes of the factors on one component of a vector.
const FACTORS: u32 = 4 * LANES;
/// Rows of the VPM that a program has.
const PROGRAM_ROWS: u32 = 2 * VECTORS;

/// Most transforms, and points of all of them, that are faster behind this pass, as measured on the
/// simulator.
const MOST_TRANSFORMS: u32 = 16;
const MOST_POINTS: u32 = 4096;

uniforms! {
/// A word of a record.
pub enum Record {
    /// Address to which the lane's offset is added to look up a component of a vector of samples,
    /// or the word that has both.
    Sample {
        /// Number of the vector in its unit.
        vector: u8,
        /// 0: real part or both, 1: imaginary part.
        component: u8,
    },
    /// Address to which 4 · lane is added to look up their factors.
    SampleFactor {
        /// Number of the vector in its unit.
        vector: u8,
        /// 0: of real parts, 1: of imaginary parts.
        component: u8,
    },
}

/// A word that is the same for all units.
pub enum Row {
    /// The number that bytes are exclusive-ored with, four at a time: 0x80808080 for signed ones
    /// and for upper bytes of 16 bits, else 0.
    Flip,
    /// The number that is subtracted from an unsigned byte, as f32.
    Middle,
    /// The bits of a word that count in two upper bytes of 16 bits.
    Mask,
    /// Log2 of the bytes from a point to the next, in programs that have a base.
    PointShift,
    /// Address of the input, in programs that have a base. Addresses of samples are relative to it.
    Base,
}
}

/// The pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConvertPass {
    /// Points of a transform, as a power of two; 4 or more.
    pub log2_points: u32,
    /// The samples that are read.
    pub reading: Reading,
    /// True if it leaves a slice alone ([`Layout::idle`]).
    pub leaves_a_slice: bool,
}

impl ConvertPass {
    /// Programs that have rows of the VPM of their own.
    pub const MOST_PROGRAMS: u32 = VPM_ROWS as u32 / PROGRAM_ROWS;

    /// The pass for `batch` transforms, which go on as real ones or not.
    pub(crate) const fn new(log2_points: u32, batch: u32, is_real: bool, reading: Reading) -> Self {
        // True where the code, with that of the passes behind it, does not fit an instruction
        // cache: on the simulator a tenth faster.
        let leaves_a_slice = batch == 1 && (log2_points == 9 || log2_points == 7 && is_real);
        Self {
            log2_points,
            reading,
            leaves_a_slice,
        }
    }

    /// True if `batch` transforms of 2^`log2_points` points are done faster through the VPM, with
    /// this pass before them, than in passes of which the first reads samples.
    pub(crate) const fn is_faster(log2_points: u32, batch: u32) -> bool {
        batch <= MOST_TRANSFORMS && batch <= MOST_POINTS >> log2_points
    }

    /// The program that it takes. f32 are multiplied by their factor even where that is 1.
    pub(crate) const fn samples(&self) -> Samples {
        match self.reading.samples() {
            Samples::Points | Samples::Windowed => Samples::Windowed,
            samples => samples,
        }
    }

    /// Vectors of a transform.
    const fn vectors(&self) -> u32 {
        (1 << self.log2_points) / LANES
    }

    /// The first vector of a unit, and how many it has.
    fn vectors_of(&self, unit: &UnitContext) -> [u32; 2] {
        let first = VECTORS * unit.index;
        [first, VECTORS.min(unit.batch * self.vectors() - first)]
    }
}

impl Layout for ConvertPass {
    fn task(&self) -> Task {
        Task::Convert(self.samples())
    }

    fn units(&self, batch: u32) -> u32 {
        (batch * self.vectors()).div_ceil(VECTORS)
    }

    fn traffic(&self, batch: u32) -> [u64; 2] {
        let points = u64::from(batch) << self.log2_points;
        [
            points * u64::from(self.reading.point_bytes()),
            points * u64::from(POINT_BYTES),
        ]
    }

    fn most_programs(&self) -> u32 {
        Self::MOST_PROGRAMS
    }

    fn idle(&self) -> u32 {
        if self.leaves_a_slice {
            QPUS_OF_A_SLICE
        } else {
            0
        }
    }

    fn factors_bytes(&self) -> u32 {
        match self.reading.factors {
            Factors::Common => FACTORS,
            factors => self.vectors() * factors.components() * FACTORS,
        }
    }

    /// They have no sign: the pass that reads the points negates imaginary parts.
    fn fill_factors(
        &self,
        window: &mut dyn FnMut(u32) -> f64,
        _is_inverse: bool,
        put: &mut dyn FnMut(u32, &[u32]),
    ) {
        if self.reading.factors == Factors::Common {
            put(0, &[self.reading.factor(window(0)); LANES as usize]);
            return;
        }
        let components = self.reading.factors.components();
        for vector in 0..self.vectors() {
            for component in 0..components {
                let words: Vector = core::array::from_fn(|lane| {
                    let point = LANES * vector + point_of(lane as u32);
                    self.reading.factor(window(components * point + component))
                });
                put(LANES * (components * vector + component), &words);
            }
        }
    }

    fn own_row(&self, program: u32) -> u8 {
        first_row(program)
    }

    fn store(&self, buffers: &Buffers, unit: &UnitContext, _index: u8) -> u32 {
        buffers.to + VECTORS * unit.index * LANES * POINT_BYTES
    }

    fn store_rows(&self, unit: &UnitContext, _index: u8) -> Store {
        let [_, count] = self.vectors_of(unit);
        Store::rows(2 * count as u8, first_row(unit.program))
    }

    fn record(&self, buffers: &Buffers, unit: &UnitContext, id: UniformId) -> u32 {
        let [first, count] = self.vectors_of(unit);
        // Which vector of which transform.
        let place = |vector: u8| {
            let own = u32::from(vector);
            let number = first + if own < count { own } else { 0 };
            (number / self.vectors(), number % self.vectors())
        };
        match Record::of(id) {
            Record::Sample { vector, component } => {
                let (transform, vector) = place(vector);
                let point = LANES * vector * self.reading.point_bytes();
                let component = self.reading.component(component.into());
                let from = if self.samples().has_base() {
                    0
                } else {
                    buffers.from
                };
                from + transform * self.reading.hop + point + component
            }
            Record::SampleFactor { vector, component } => {
                let (_, vector) = place(vector);
                let number = match self.reading.factors {
                    Factors::Common => 0,
                    Factors::OfPoints => vector,
                    Factors::OfComponents => 2 * vector + u32::from(component),
                };
                buffers.factors + FACTORS * number
            }
        }
    }

    fn has_base(&self) -> bool {
        self.samples().has_base()
    }

    fn row(&self, buffers: &Buffers, _list: u32, id: UniformId) -> u32 {
        match Row::of(id) {
            Row::Flip => self.reading.flip(),
            Row::Middle => self.reading.middle().to_bits(),
            Row::Mask => HIGH_BYTES,
            Row::Base => buffers.from,
            Row::PointShift => self.reading.point_bytes().trailing_zeros(),
        }
    }
}

/// The point of its vector that a lane has.
const fn point_of(lane: u32) -> u32 {
    8 * (lane % 2) + lane / 2
}

/// The first row of a program.
const fn first_row(program: u32) -> u8 {
    (PROGRAM_ROWS * (program % ConvertPass::MOST_PROGRAMS)) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::samples::{Channels, Format};

    fn pass(log2_points: u32, format: Format, factors: Factors, hop: u32) -> ConvertPass {
        let reading = Reading {
            format,
            channels: Channels::All,
            factors,
            hop,
        };
        ConvertPass::new(log2_points, 1, false, reading)
    }

    /// Every row that is stored holds the points that belong there.
    #[test]
    fn points_go_where_transforms_read_them() {
        const FROM: u32 = 0x1000;
        for (log2_points, batch) in [(4, 1), (4, 7), (5, 3), (6, 2), (7, 5), (9, 1)] {
            let hop = 40;
            let pass = pass(log2_points, Format::I16, Factors::Common, hop);
            let buffers = Buffers {
                from: FROM,
                ..Buffers::default()
            };
            let points = 1u32 << log2_points;
            let mut lines = vec![None; (batch * points / 8) as usize];
            for unit in 0..pass.units(batch) {
                let program = unit % ConvertPass::MOST_PROGRAMS;
                let context = UnitContext {
                    index: unit,
                    batch,
                    program,
                    ..UnitContext::default()
                };
                let stored = pass.store_rows(&context, 0);
                assert_eq!(stored.y, first_row(program));
                let line = pass.store(&buffers, &context, 0) / 64;
                for row in 0..u32::from(stored.rows) {
                    let (vector, component) = ((row / 2) as u8, 0);
                    let word = Record::Sample { vector, component };
                    let address = pass.record(&buffers, &context, word.id());
                    // Lane 2 i + r has point 8 r + i, and becomes words 2 i and 2 i + 1 of row r.
                    let of_row = address + 4 * point_of(row % 2);
                    let before = lines[(line + row) as usize].replace(of_row);
                    assert_eq!(before, None);
                }
            }
            for (line, address) in (0..).zip(lines) {
                let (transform, point) = (8 * line / points, 8 * line % points);
                assert_eq!(address, Some(FROM + transform * hop + 4 * point), "{line}");
            }
        }
    }

    /// Each point finds its own factor, whatever the unit that it is in.
    #[test]
    fn factors_are_those_of_the_points() {
        let window = |number: u32| f64::from(number + 1);
        for factors in [Factors::Common, Factors::OfPoints, Factors::OfComponents] {
            let pass = pass(5, Format::F32, factors, 256);
            let mut table = vec![0; pass.factors_bytes() as usize / 4];
            pass.fill_factors(&mut { window }, false, &mut |first, words| {
                table[first as usize..][..16].copy_from_slice(words);
            });
            let batch = 3;
            for number in 0..batch * 2 {
                let (unit, vector) = (number / VECTORS, (number % VECTORS) as u8);
                for (lane, component) in (0..LANES).flat_map(|lane| [(lane, 0), (lane, 1)]) {
                    let word = Record::SampleFactor { vector, component };
                    let context = UnitContext {
                        index: unit,
                        batch,
                        ..UnitContext::default()
                    };
                    let at = pass.record(&Buffers::default(), &context, word.id());
                    let point = 16 * (number % 2) + point_of(lane);
                    let wanted = match factors {
                        Factors::Common => window(0),
                        Factors::OfPoints => window(point),
                        Factors::OfComponents => window(2 * point + u32::from(component)),
                    };
                    let got = f32::from_bits(table[(at / 4 + lane) as usize]);
                    assert!((f64::from(got) / wanted - 1.0).abs() < 2e-7, "{factors:?}");
                }
            }
        }
    }

    #[test]
    fn programs_have_rows_of_their_own() {
        let rows = (3..3 + ConvertPass::MOST_PROGRAMS).map(first_row);
        let mut rows: Vec<_> = rows.collect();
        rows.sort_unstable();
        assert_eq!(rows, [0, 8, 16, 24, 32, 40, 48, 56]);
    }
}

//! A batch of transforms of 2^8 points in one pass over memory, each on one QPU: columns first,
//! then rows.
//!
//! N = 16 · 16. Input index n = 16 n1 + n2, output index k = k1 + 16 k2, and
//! X\[k\] = Σ_n2 W_16^(n2 k2) · W_N^(n2 k1) · Σ_n1 W_16^(n1 k1) x\[n\].
//!
//! A program transforms 16 columns n2, one in a lane, with their rows in registers, and writes
//! output k1 into column 2 (k1 mod 8) + k1 / 8 of 16 rows of the VPM, imaginary parts 16 rows
//! below. It reads these 32 rows, now with k1 in the lanes, and transforms again. Two neighbouring
//! lanes, of k1 and k1 + 8, make two numbers of interleaved rows of eight points.
//!
//! A program does every P-th transform of the batch, P programs running side by side. Rows and
//! columns are exchanged through one half of the VPM, and output goes through the other; each has a
//! lock.
//!
//! A program reads the head of its list once and the rest once for each transform, adding to
//! addresses how far on that transform lies.

use crate::kernels::context::{Buffers, ProgramContext};
use crate::kernels::layout::OnePass;
use crate::kernels::one_pass::cosine;
use crate::kernels::one_pass::uniforms::one_pass_uniforms;
use crate::kernels::sizes::{CODELET_POINTS, POINT_BYTES};
use crate::kernels::twiddle;
use crate::kernels::uniform::{Pack, UniformId};
use crate::kernels::unit::twiddle_tables::part_of;
use qpu::machine::LANES;
use qpu::vpm::{Block, Store, store_stride};

/// First row of the half of the VPM that output goes through.
const OUTPUT_ROW: u8 = 32;
/// Words of the twiddles: of each output, a vector of cosines and a vector of sines.
const TABLE_WORDS: u32 = CODELET_POINTS * 2 * LANES;

one_pass_uniforms! {
/// A word of the list of a program; the order is the program's own.
pub enum Word {}
}

/// 2^8 points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Batch;

impl Batch {
    /// The length as a power of two.
    pub const LOG2_POINTS: u32 = 8;
    /// Points.
    const POINTS: u32 = 1 << Self::LOG2_POINTS;

    /// Uniforms that are read once only, the first of them.
    pub const HEAD: u32 = 2;

    /// Bytes from one row of the input to the next.
    pub const ROW_BYTES: u32 = POINT_BYTES * CODELET_POINTS;

    /// Output number `position` in the order in which a program multiplies outputs by twiddle
    /// factors and writes them: k and k + 4 follow each other, as the VPM takes them with one
    /// setup, and column 2 (k mod 8) + k / 8 is the next for 0, 8, 1, 9, ..
    #[must_use]
    pub const fn output(position: u32) -> u32 {
        let (pair, second) = (position / 2, position % 2);
        8 * (pair % 2) + pair / 2 + 4 * second
    }
}

impl OnePass for Batch {
    fn log2_points(&self) -> u32 {
        Self::LOG2_POINTS
    }

    fn radices(&self) -> [u32; 2] {
        [CODELET_POINTS; 2]
    }

    fn programs(&self, batch: u32) -> u32 {
        batch
    }

    fn least_programs(&self) -> u32 {
        1
    }

    fn twiddle_words(&self) -> u32 {
        TABLE_WORDS
    }

    fn twiddle_word(&self, index: u32, gain: f64) -> u32 {
        let (vector, lane) = (index / LANES, index % LANES);
        let output = Self::output(vector / 2);
        part_of(twiddle::root(lane * output, Self::POINTS), vector % 2, gain)
    }

    /// Half of those in each codelet are exact, and half of the lanes' own.
    fn twiddles_of_an_output(&self) -> f64 {
        2.0
    }

    fn uniform(&self, buffers: &Buffers, program: &ProgramContext, id: UniformId) -> u32 {
        let index = program.program;
        let bytes = POINT_BYTES * Self::POINTS;
        let setup = |word: Result<u32, _>| word.expect("rows are in range");
        let first = index * bytes;
        match Word::of(id) {
            Word::Transforms => (program.batch - index).div_ceil(program.programs),
            Word::Opens => u32::from(index == 0),
            Word::Peers if index == 0 => program.programs - 1,
            Word::Peers => u32::MAX,
            Word::List => program.start + 4 * Self::HEAD,
            Word::Step => program.programs * bytes,
            Word::Conjugate => program.output_conjugate().to_bits(),
            Word::Cosine { sixteenths } => cosine(sixteenths).to_bits(),
            Word::FactorRe => program.scale[0].to_bits(),
            Word::FactorIm => (program.scale[0] * program.conjugate).to_bits(),
            Word::Input => buffers.from + first,
            Word::Twiddles => buffers.table,
            Word::WriteSetup => setup(Block::column(0, 0).stride(8).write_setup()),
            Word::Drain => setup(Block::column(0, 0).read_setup(1)),
            Word::ReadSetup { component } => setup(Block::row(16 * component).read_setup(16)),
            Word::OutputSetup { .. } => setup(Block::row(OUTPUT_ROW).write_setup()),
            Word::StoreStride => store_stride(0),
            Word::StoreSetup { index: store } => {
                setup(Store::rows(16, OUTPUT_ROW + 16 * store).setup())
            }
            Word::Store { index: store } => buffers.to + first + bytes / 2 * u32::from(store),
        }
    }
}

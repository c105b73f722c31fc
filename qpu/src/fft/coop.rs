//! One pass over memory for 2^8 and 2^9 points: QPUs that share a transform through the VPM.
//!
//! N = 16 · N2. Input index n = N2 n1 + n2, output index k = k1 + 16 k2, and
//! X\[k\] = Σ_n2 W_N2^(n2 k2) · W_N^(n2 k1) · Σ_n1 W_16^(n1 k1) x\[n\].
//!
//! A program transforms 16 columns n2 with their rows in registers, and writes output k1 into a column
//! of 16 rows of the VPM, imaginary parts 16 rows below. It reads rows, now with k1 in the lanes, and
//! transforms again. Two neighbouring lanes make two numbers of interleaved rows of eight points:
//!
//! | | 2^8, one program | 2^9, programs j = 0 and 1 |
//! |---|---|---|
//! | columns | n2 = lane | n2 = 2 lane + j |
//! | output k1 to rows | from 0 on | from 32 (k1 / 8) on |
//! | to column | 2 (k1 mod 8) + k1 / 8 | 2 (k1 mod 8) + j |
//! | rows read | 0..32 | 32 j .. 32 j + 32: k1 = 8 j + lane / 2, n2 = 2 row + lane mod 2 |
//! | neighbours | k1 and k1 + 8 | even and odd points of one transform of 32 |
//! | output rows | k2, k1 below 8 or from 8 on | k2 = k' or k' + 16 |
//!
//! With two programs there is a barrier between writing and reading; a program's output goes through
//! the rows that only it has read. Nothing here knows the order in which a program reads its uniforms
//! ([`Word`]).

use super::{Direction, twiddle};
use crate::vpm::{Block, Store, store_stride};

/// What a cooperative program reads as its next uniform; the order is the program's own.
///
/// `component` is 0 for real and 1 for imaginary parts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Word {
    /// 1.0, or -1.0 for the inverse: what the imaginary parts of the output are multiplied by.
    Conjugate,
    /// cos (π/16 `sixteenths`).
    Cosine {
        /// 1 to 7.
        sixteenths: u8,
    },
    /// Factor of the real parts of the input.
    FactorRe,
    /// Factor of the imaginary parts of the input.
    FactorIm,
    /// 0 for the program that leads barriers, 1 for all others.
    Follows,
    /// Address of what the first lane reads of input row `row`.
    Row {
        /// Row of the input.
        row: u8,
        /// Part.
        component: u8,
    },
    /// Address of the first lane's twiddle of output `output` of the first codelet.
    Twiddle {
        /// Output.
        output: u8,
        /// 0 for the cosine, 1 for the sine.
        component: u8,
    },
    /// Setup of the four VPM writes of outputs `output` and `output` + 4: real parts, imaginary parts.
    WriteSetup {
        /// The first of the two.
        output: u8,
    },
    /// Setup that reads one column of the program's own.
    Drain,
    /// Setup of the sixteen VPM reads of a part.
    ReadSetup {
        /// Part.
        component: u8,
    },
    /// Setup of the eight VPM writes of outputs `group`, + 4, + 8 and + 12: the first rows of all, then
    /// the second rows.
    OutputSetup {
        /// Group.
        group: u8,
    },
    /// Setup word with the stride of the stores.
    StoreStride,
    /// Setup of a store of eight rows.
    StoreSetup {
        /// 0 to 3.
        index: u8,
    },
    /// Address of that store.
    Store {
        /// 0 to 3.
        index: u8,
    },
}

/// A cooperative program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Program {
    /// Points of the transform, as a power of two.
    pub log2_points: u8,
    /// How many QPUs run it at the same time: all of them or it waits for ever.
    pub programs: u8,
    /// Instructions.
    pub code: &'static [u64],
    /// Uniforms in the order in which it reads them.
    pub uniforms: &'static [Word],
}

/// Where the parts of a transform lie, as V3D sees them, and which transform it is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Transform {
    /// Interleaved complex input, at a multiple of 256: lanes' offsets are added byte by byte.
    pub input: u32,
    /// Words of [`Cooperation::twiddle_word`], at a multiple of 256 for the same reason.
    pub twiddles: u32,
    /// Interleaved complex output, at a multiple of 64; may be the input.
    pub output: u32,
    /// Which transform.
    pub direction: Direction,
    /// Factor of the output: 1, 1/N, 1/sqrt(N).
    pub scale: f32,
}

/// Bytes of an interleaved complex point.
const POINT: u32 = 8;
/// Points of the codelet, and lanes.
const CODELET: u32 = 16;
/// Bytes of a row of twiddles.
const TWIDDLE_ROW: u32 = CODELET * POINT;

/// A length that QPUs share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cooperation {
    log2_points: u32,
}

impl Cooperation {
    /// The sharing of 2^`log2_points` points; `None` when there is none.
    #[must_use]
    pub const fn new(log2_points: u32) -> Option<Self> {
        match log2_points {
            8 | 9 => Some(Self { log2_points }),
            _ => None,
        }
    }

    /// Length of the transform.
    #[must_use]
    pub const fn points(&self) -> u32 {
        1 << self.log2_points
    }

    /// QPUs that share it.
    #[must_use]
    pub const fn programs(&self) -> u32 {
        self.points() / (CODELET * CODELET)
    }

    /// Words of the twiddle table.
    #[must_use]
    pub const fn twiddle_words(&self) -> u32 {
        2 * self.points()
    }

    /// Bits by which a lane number is shifted to be the offset of its input and twiddles: columns
    /// that follow each other in a program are this far apart.
    #[must_use]
    pub const fn lane_shift(&self) -> u32 {
        3 + self.programs().ilog2()
    }

    /// Byte offset, in the table and without the lane's, of the twiddles of an output of a program.
    const fn twiddle_row(&self, program: u32, output: u32) -> u32 {
        let programs = self.programs();
        let rows = (CODELET * program + output) / programs;
        programs * TWIDDLE_ROW * rows + POINT * (output % programs)
    }

    /// Word `index` of the twiddle table: cosines and sines, those of as many outputs of a program as
    /// there are programs together for each lane.
    #[must_use]
    pub fn twiddle_word(&self, index: u32) -> u32 {
        let programs = self.programs();
        let entry = index / 2;
        let (rows, within) = (entry / (CODELET * programs), entry % (CODELET * programs));
        let (lane, output) = (within / programs, rows * programs + within % programs);
        let (program, output) = (output / CODELET, output % CODELET);
        let n2 = programs * lane + program;
        let (cos, sin) = twiddle::turn(n2 * output % self.points(), self.points());
        let value = if index.is_multiple_of(2) { cos } else { sin };
        ((value * twiddle::gain(self.log2_points)) as f32).to_bits()
    }

    /// The value of a uniform of program `index`.
    ///
    /// # Panics
    /// Never, for words of the programs of this length.
    #[must_use]
    pub fn uniform(&self, transform: &Transform, index: u32, word: Word) -> u32 {
        let inverse = transform.direction == Direction::Inverse;
        let sign = if inverse { -1.0 } else { 1.0 };
        let programs = self.programs();
        let is_alone = programs == 1;
        let setup = |word: Result<u32, _>| word.expect("groups and programs are in range");
        let own_rows = 32 * index as u8;
        // Column of an output, and its first row.
        let column = |output: u8| match is_alone {
            true => Block::column(0, 2 * (output % 8) + output / 8),
            false => Block::column(32 * (output / 8), 2 * (output % 8) + index as u8),
        };
        match word {
            Word::Conjugate => f32::to_bits(sign),
            Word::Cosine { sixteenths } => {
                (twiddle::turn(u32::from(sixteenths), 2 * CODELET).0 as f32).to_bits()
            }
            Word::FactorRe => transform.scale.to_bits(),
            Word::FactorIm => (transform.scale * sign).to_bits(),
            Word::Follows => u32::from(index != 0),
            Word::Row { row, component } => {
                transform.input
                    + POINT * (u32::from(row) * CODELET * programs + index)
                    + 4 * u32::from(component)
            }
            Word::Twiddle { output, component } => {
                transform.twiddles
                    + self.twiddle_row(index, u32::from(output))
                    + 4 * u32::from(component)
            }
            Word::WriteSetup { output } => setup(column(output).stride(8).write_setup()),
            Word::Drain => setup(column(0).read_setup(1)),
            Word::ReadSetup { component } => {
                setup(Block::row(own_rows + 16 * component).read_setup(16))
            }
            // Alone: k' = group + 4 h is row k' / 2 of the sixteen of its parity.
            Word::OutputSetup { group } => setup(match is_alone {
                true => Block::row(16 * (group % 2) + group / 2)
                    .stride(2)
                    .write_setup(),
                false => Block::row(own_rows + 8 * group).write_setup(),
            }),
            Word::StoreStride => store_stride((2 * programs * TWIDDLE_ROW - 64) as u16),
            Word::StoreSetup { index } => setup(Store::rows(8, own_rows + 8 * index).setup()),
            Word::Store { index: store } => {
                transform.output + 64 * (programs * u32::from(store) + index)
            }
        }
    }
}

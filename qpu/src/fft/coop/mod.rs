//! One pass over memory for 2^8 to 2^11 points: transforms that pass through the VPM on their way.
//!
//! This is 2^8 and 2^9; producers and consumers of longer ones are in [`super::pipeline`].
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
//! the rows that only it has read. All programs of a transform work on the transforms of a batch one
//! after the other, with another barrier between them.
//!
//! A program that is alone with its transform does every P-th transform of the batch, P programs
//! running side by side. Rows and columns are exchanged through one half of the VPM, and output goes through the other;
//! each has a lock.
//!
//! Nothing here knows the order in which a program reads its uniforms ([`Word`]). It reads the head of its
//! list once and the rest once for each transform, adding to addresses how far on that transform lies.

mod stores;
mod words;

use super::geometry::Geometry;
use super::pipeline::{self, Pipeline};
use super::program::Task;
use super::relay::Relay;
use super::short::Short;
use super::split::Split;
use super::twiddle;
use super::values::{Own, Places};
use crate::vpm::{Block, Store, store_stride};
use stores::rows_before;
pub use stores::{Outputs, STORES};
pub use words::{PartWord, Transform, Units, Word, cosine};

/// Bytes of an interleaved complex point.
const POINT: u32 = 8;
/// Points of the codelet, and lanes.
const CODELET: u32 = 16;
/// Words of a vector.
const VECTOR: u32 = CODELET;
/// Words of a program's twiddles: of each output, a vector of cosines and a vector of sines.
const PROGRAM_WORDS: u32 = CODELET * 2 * VECTOR;

/// A length that QPUs share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cooperation {
    log2_points: u32,
    way: Way,
}

/// How transforms pass through the VPM.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// Each of the QPUs that share one has sixteen columns of it, then as many bins: what this file is about.
    Columns,
    /// Producers and consumers.
    Pipeline(Pipeline),
    /// Producers and consumers, which hold half of the points before it is their turn.
    Relay(Relay),
    /// Several at a time on a QPU, or one on two.
    Short(Short),
}

impl Cooperation {
    /// The sharing of 2^`log2_points` points; `None` when there is none.
    #[must_use]
    pub const fn new(log2_points: u32) -> Option<Self> {
        let way = match (log2_points, Pipeline::new(log2_points)) {
            (_, Some(pipeline)) => Way::Pipeline(pipeline),
            (Relay::LOG2_POINTS, None) => Way::Relay(Relay),
            (8 | 9, None) => Way::Columns,
            _ => return None,
        };
        Some(Self { log2_points, way })
    }

    /// That of several transforms of 2^`log2_points` points at a time, or of one on two QPUs; `None` when there is none.
    #[must_use]
    pub fn of_several(log2_points: u32) -> Option<Self> {
        let short = Short::new(log2_points).map(Way::Short);
        let way = short.or_else(|| Pipeline::of_groups(log2_points).map(Way::Pipeline))?;
        Some(Self { log2_points, way })
    }

    /// The length as a power of two.
    #[must_use]
    pub const fn log2_points(&self) -> u32 {
        self.log2_points
    }

    /// Length of the transform.
    #[must_use]
    pub const fn points(&self) -> u32 {
        1 << self.log2_points
    }

    /// The sharing that takes a split, if that is one pass that there is a program for.
    #[must_use]
    pub fn of(split: &Split) -> Option<Self> {
        let log2_points = split.log2_points();
        match (split.passes(), split.is_shared(0)) {
            (1, true) => Self::of_several(log2_points),
            (1, false) => Self::new(log2_points),
            _ => None,
        }
    }

    /// Points of the transforms that it is made of, first one first.
    #[must_use]
    pub const fn transforms(&self) -> [u32; 2] {
        let second = match self.way {
            Way::Short(short) => short.columns(),
            Way::Columns => self.points() / CODELET,
            Way::Pipeline(_) | Way::Relay(_) => pipeline::SECOND,
        };
        [self.points() / second, second]
    }

    /// Points that a QPU has in registers.
    #[must_use]
    pub const fn points_of_a_unit(&self) -> u32 {
        match self.way {
            Way::Short(_) => Short::UNIT_POINTS,
            Way::Columns | Way::Pipeline(_) | Way::Relay(_) => CODELET * CODELET,
        }
    }

    /// How it passes through the VPM.
    #[must_use]
    pub const fn way(&self) -> Way {
        self.way
    }

    /// Programs that must run at the same time.
    #[must_use]
    pub const fn least_programs(&self) -> u32 {
        match self.way {
            Way::Pipeline(pipeline) => pipeline.least_programs(),
            Way::Relay(_) => Relay::PROGRAMS,
            Way::Columns | Way::Short(_) => self.sharers(),
        }
    }

    /// QPUs that share it; of a pipeline those that have its points first.
    #[must_use]
    pub const fn sharers(&self) -> u32 {
        match self.way {
            Way::Short(short) => short.sharers(),
            Way::Relay(_) => Relay::PRODUCERS,
            Way::Columns | Way::Pipeline(_) => self.points() / (CODELET * CODELET),
        }
    }

    /// Its program.
    #[must_use]
    pub const fn task(&self) -> Task {
        let log2_points = self.log2_points as u8;
        match self.way {
            Way::Short(_) => Task::Several { log2_points },
            Way::Pipeline(pipeline) if pipeline.groups() > 1 => Task::Several { log2_points },
            Way::Columns | Way::Pipeline(_) | Way::Relay(_) => Task::Shared { log2_points },
        }
    }

    /// Programs that can work on a batch at the same time.
    #[must_use]
    pub const fn units(&self, batch: u32) -> u32 {
        match (self.way, self.sharers()) {
            (Way::Short(short), _) => short.programs(batch),
            (Way::Pipeline(pipeline), _) => pipeline.programs(),
            (Way::Relay(_), _) => Relay::PROGRAMS,
            (Way::Columns, 1) => batch,
            (Way::Columns, sharers) => sharers,
        }
    }

    /// Whether program `index` of `programs` for `batch` transforms only keeps its QPU from getting another. It starts
    /// where the code ends.
    #[must_use]
    pub fn is_idle(&self, batch: u32, programs: u32, index: u32) -> bool {
        match self.way {
            Way::Short(short) => short.worker(batch, programs, index).is_none(),
            Way::Columns | Way::Pipeline(_) | Way::Relay(_) => false,
        }
    }

    /// Uniforms that are read once only, the first of them.
    #[must_use]
    pub const fn head(&self) -> u32 {
        match self.sharers() {
            1 => 2,
            _ => 1,
        }
    }

    /// Words of the twiddle table.
    #[must_use]
    pub const fn twiddle_words(&self) -> u32 {
        match self.way {
            Way::Short(short) => short.twiddle_words(),
            Way::Pipeline(pipeline) => pipeline.twiddle_words(),
            Way::Relay(_) => Relay::TWIDDLE_WORDS,
            Way::Columns => 2 * self.points(),
        }
    }

    /// Bits by which a lane number is shifted to be the offset of its input: columns that follow each
    /// other in a program are this far apart.
    #[must_use]
    pub const fn lane_shift(&self) -> u32 {
        3 + self.sharers().ilog2()
    }

    /// Bytes from one row of the input to the next.
    #[must_use]
    pub const fn row_bytes(&self) -> u32 {
        POINT * CODELET * self.sharers()
    }

    /// Output number `position` in the order in which a program turns and writes them: k and k + 4
    /// follow each other, as the VPM takes them with one setup.
    #[must_use]
    pub const fn output(&self, position: u32) -> u32 {
        let (pair, second) = (position / 2, position % 2);
        match self.sharers() {
            // Column 2 (k mod 8) + k / 8 is the next for 0, 8, 1, 9, ..
            1 => 8 * (pair % 2) + pair / 2 + 4 * second,
            _ => 8 * (pair / 4) + pair % 4 + 4 * second,
        }
    }

    /// What truncation is expected to take from the outputs, in units of 2^-24: as [`Geometry::loss`], for both
    /// codelets.
    #[must_use]
    pub fn loss(&self) -> f64 {
        // Half of the turns in a codelet are exact, and half of the lanes' own.
        let turns = match self.way {
            Way::Short(short) => short.turns(),
            Way::Pipeline(pipeline) => pipeline.turns(),
            Way::Relay(_) => Relay::TURNS,
            Way::Columns if self.sharers() == 1 => 2.0,
            Way::Columns => 2.5,
        };
        Geometry::LOSS_OF_A_SUM * f64::from(self.log2_points) + Geometry::LOSS_OF_A_TURN * turns
    }

    /// Word `index` of the twiddle table, times `gain`.
    fn twiddle_word(&self, index: u32, gain: f64) -> u32 {
        let (program, within) = (index / PROGRAM_WORDS, index % PROGRAM_WORDS);
        let (vector, lane) = (within / VECTOR, within % VECTOR);
        let output = self.output(vector / 2);
        let n2 = self.sharers() * lane + program;
        let (cos, sin) = twiddle::turn(n2 * output % self.points(), self.points());
        let value = if vector.is_multiple_of(2) { cos } else { sin };
        ((value * gain) as f32).to_bits()
    }

    /// Gives the words of the twiddle table in order, a vector at a time, times `gain`.
    ///
    /// # Errors
    /// The first error of `put`, which gets the index of the first word and the words.
    pub fn fill_table<E>(
        &self,
        gain: f64,
        mut put: impl FnMut(u32, &[u32]) -> Result<(), E>,
    ) -> Result<(), E> {
        for first in (0..self.twiddle_words()).step_by(VECTOR as usize) {
            let lane = |lane: usize| {
                let index = first + lane as u32;
                match self.way {
                    Way::Short(short) => short.twiddle_word(index, gain),
                    Way::Pipeline(pipeline) => pipeline.twiddle_word(index, gain),
                    Way::Relay(relay) => relay.twiddle_word(index, gain),
                    Way::Columns => self.twiddle_word(index, gain),
                }
            };
            put(
                first,
                &core::array::from_fn::<_, { VECTOR as usize }, _>(lane),
            )?;
        }
        Ok(())
    }

    /// A word of the start list of a plan's program.
    #[must_use]
    pub fn start_word(&self, places: &Places, own: &Own, word: Word) -> u32 {
        let transform = Transform {
            input: places.from,
            twiddles: places.table,
            output: places.to,
            batch: own.batch,
            programs: own.programs,
            conjugate: own.conjugate,
            factors: own.scale,
        };
        let (index, list) = (own.program, own.start);
        match self.way {
            Way::Short(short) => short.uniform(&transform, index, word),
            Way::Pipeline(pipeline) => pipeline.uniform(&transform, index, list, word),
            Way::Relay(relay) => relay.uniform(&transform, index, list, word),
            Way::Columns => self.uniform(&transform, index, list, word),
        }
    }

    /// The value of a uniform of program `index`, whose list is at `list`.
    ///
    /// # Panics
    /// Never, for words of the programs of this length.
    #[must_use]
    pub fn uniform(&self, transform: &Transform, index: u32, list: u32, word: Word) -> u32 {
        let is_alone = self.sharers() == 1;
        let bytes = POINT * self.points();
        let setup = |word: Result<u32, _>| word.expect("groups and programs are in range");
        let (first, share) = if is_alone {
            (index * bytes, 0)
        } else {
            (0, index)
        };
        // Rows that only this program reads, and those of its output.
        let own_rows = 32 * share as u8;
        let output_rows = if is_alone { 32 } else { own_rows };
        match word {
            Word::Transforms if is_alone => (transform.batch - index).div_ceil(transform.programs),
            Word::Transforms => transform.batch,
            Word::Opens => u32::from(index == 0),
            Word::Peers if index == 0 => transform.programs - 1,
            Word::Peers => u32::MAX,
            Word::Follows => u32::from(index != 0),
            Word::List => list + 4 * self.head(),
            Word::Step if is_alone => transform.programs * bytes,
            Word::Step => bytes,
            Word::Conjugate => transform.output_conjugate().to_bits(),
            Word::Cosine { sixteenths } => cosine(sixteenths).to_bits(),
            Word::FactorRe => transform.factors[0].to_bits(),
            Word::FactorIm => (transform.factors[0] * transform.conjugate).to_bits(),
            Word::Input => transform.input + first + POINT * share,
            Word::Twiddles => transform.twiddles + 4 * PROGRAM_WORDS * share,
            Word::WriteSetup { half } => {
                let column = match is_alone {
                    true => Block::column(0, 0),
                    false => Block::column(32 * half, share as u8),
                };
                setup(column.stride(8).write_setup())
            }
            Word::Drain => setup(Block::column(own_rows, 0).read_setup(1)),
            Word::ReadSetup { component } => {
                setup(Block::row(own_rows + 16 * component).read_setup(16))
            }
            Word::OutputSetup { group } => {
                setup(Block::row(output_rows + rows_before(group)).write_setup())
            }
            Word::StoreStride { .. } if is_alone => store_stride(0),
            Word::StoreStride { index: store } => {
                let step = u32::from(STORES[usize::from(store)].step);
                store_stride((step * CODELET * POINT - 64) as u16)
            }
            Word::StoreSetup { index: store } if is_alone => {
                setup(Store::rows(16, output_rows + 16 * store).setup())
            }
            Word::StoreSetup { index: store } => {
                let rows = STORES[usize::from(store)].rows();
                setup(Store::rows(rows, output_rows + rows_before(store)).setup())
            }
            Word::Store { index: store } if is_alone => {
                transform.output + first + bytes / 2 * u32::from(store)
            }
            Word::Store { index: store } => {
                let first = u32::from(STORES[usize::from(store)].first);
                transform.output + CODELET * POINT * first + 64 * share
            }
            // Of pipelines and short lengths only.
            Word::Last
            | Word::NextUnit
            | Word::Component
            | Word::NextRow
            | Word::ColumnSetup { .. }
            | Word::Bytes(_)
            | Word::OfConsumers(_)
            | Word::Part { .. }
            | Word::Role
            | Word::ConsumerList
            | Word::Rounds
            | Word::Turn
            | Word::RoundList
            | Word::RoundStep
            | Word::RoundSteps
            | Word::Gate { .. }
            | Word::PassOn { .. } => 0,
        }
    }
}

//! One pass over memory for 2^4 to 2^12 points: transforms that pass through the VPM on their way.
//!
//! This is a batch of 2^8, a transform on each QPU. Up to 2^9 points several at a time, or one on several QPUs, are in
//! [`super::short`], producers and consumers of longer ones in [`super::pipeline`] and [`super::relay`].
//!
//! N = 16 · 16. Input index n = 16 n1 + n2, output index k = k1 + 16 k2, and
//! X\[k\] = Σ_n2 W_16^(n2 k2) · W_N^(n2 k1) · Σ_n1 W_16^(n1 k1) x\[n\].
//!
//! A program transforms 16 columns n2, one in a lane, with their rows in registers, and writes output k1 into column
//! 2 (k1 mod 8) + k1 / 8 of 16 rows of the VPM, imaginary parts 16 rows below. It reads these 32 rows, now with k1 in the
//! lanes, and transforms again. Two neighbouring lanes, of k1 and k1 + 8, make two numbers of interleaved rows of eight
//! points.
//!
//! A program does every P-th transform of the batch, P programs running side by side. Rows and columns are exchanged
//! through one half of the VPM, and output goes through the other; each has a lock.
//!
//! Nothing here knows the order in which a program reads its uniforms ([`Word`]). It reads the head of its
//! list once and the rest once for each transform, adding to addresses how far on that transform lies.

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
pub use words::{PartWord, Transform, Units, Word, cosine};

/// Bytes of an interleaved complex point.
const POINT: u32 = 8;
/// Points of the codelet, and lanes.
const CODELET: u32 = 16;
/// Words of a vector.
const VECTOR: u32 = CODELET;
/// First row of the half of the VPM that output goes through.
const OUTPUT_ROW: u8 = 32;
/// Words of the twiddles: of each output, a vector of cosines and a vector of sines.
const TABLE_WORDS: u32 = CODELET * 2 * VECTOR;

/// A length that QPUs share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cooperation {
    log2_points: u32,
    way: Way,
}

/// How transforms pass through the VPM.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// A QPU has all columns of one, then all bins: what this file is about.
    Columns,
    /// Producers and consumers.
    Pipeline(Pipeline),
    /// Producers and consumers, which hold half of the points before it is their turn.
    Relay(Relay),
    /// Several at a time on a QPU, or one on several.
    Short(Short),
}

/// Where a program starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entry {
    /// At its first instruction.
    Beginning,
    /// Behind the first end, at what another role does.
    BehindTheEnd,
    /// Nowhere: its QPU is left out, and has the place only for others to be apart.
    Nowhere,
}

impl Cooperation {
    /// The sharing of 2^`log2_points` points; `None` when there is none.
    #[must_use]
    pub const fn new(log2_points: u32) -> Option<Self> {
        let way = match (log2_points, Pipeline::new(log2_points)) {
            (_, Some(pipeline)) => Way::Pipeline(pipeline),
            (Relay::LOG2_POINTS, None) => Way::Relay(Relay),
            (8, None) => Way::Columns,
            (9, None) => match Short::new(9) {
                Some(short) => Way::Short(short),
                None => return None,
            },
            _ => return None,
        };
        Some(Self { log2_points, way })
    }

    /// That of several transforms of 2^`log2_points` points at a time, or of one of 2^8 on two QPUs; `None` when there is
    /// none.
    #[must_use]
    pub fn of_several(log2_points: u32) -> Option<Self> {
        let groups = Pipeline::of_groups(log2_points).map(Way::Pipeline);
        let way = groups.or_else(|| Short::new(log2_points).map(Way::Short))?;
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
            Way::Columns => CODELET,
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
            Way::Short(short) => short.least_programs(),
            Way::Columns => 1,
        }
    }

    /// Its program.
    #[must_use]
    pub const fn task(&self) -> Task {
        let log2_points = self.log2_points as u8;
        match self.way {
            Way::Short(_) if log2_points < 9 => Task::Several { log2_points },
            Way::Pipeline(pipeline) if pipeline.groups() > 1 => Task::Several { log2_points },
            Way::Columns | Way::Short(_) | Way::Pipeline(_) | Way::Relay(_) => {
                Task::Shared { log2_points }
            }
        }
    }

    /// Programs that can work on a batch at the same time.
    #[must_use]
    pub const fn units(&self, batch: u32) -> u32 {
        match self.way {
            Way::Short(short) => short.programs(batch),
            Way::Pipeline(pipeline) => pipeline.programs(),
            Way::Relay(_) => Relay::PROGRAMS,
            Way::Columns => batch,
        }
    }

    /// Where program `index` of `programs` for `batch` transforms starts.
    #[must_use]
    pub fn entry(&self, batch: u32, programs: u32, index: u32) -> Entry {
        match self.way {
            Way::Short(short) if short.conducts(index) => Entry::BehindTheEnd,
            Way::Short(short) if short.worker(batch, programs, index).is_none() => Entry::Nowhere,
            Way::Pipeline(pipeline) if pipeline.is_idle(batch, programs, index) => Entry::Nowhere,
            Way::Short(_) | Way::Columns | Way::Pipeline(_) | Way::Relay(_) => Entry::Beginning,
        }
    }

    /// Uniforms that are read once only, the first of them.
    pub const HEAD: u32 = 2;

    /// Words of the twiddle table.
    #[must_use]
    pub const fn twiddle_words(&self) -> u32 {
        match self.way {
            Way::Short(short) => short.twiddle_words(),
            Way::Pipeline(pipeline) => pipeline.twiddle_words(),
            Way::Relay(_) => Relay::TWIDDLE_WORDS,
            Way::Columns => TABLE_WORDS,
        }
    }

    /// Bytes from one row of the input to the next.
    pub const ROW_BYTES: u32 = POINT * CODELET;

    /// Output number `position` in the order in which a program turns and writes them: k and k + 4
    /// follow each other, as the VPM takes them with one setup, and column 2 (k mod 8) + k / 8 is the next for
    /// 0, 8, 1, 9, ..
    #[must_use]
    pub const fn output(position: u32) -> u32 {
        let (pair, second) = (position / 2, position % 2);
        8 * (pair % 2) + pair / 2 + 4 * second
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
            Way::Columns => 2.0,
        };
        Geometry::LOSS_OF_A_SUM * f64::from(self.log2_points) + Geometry::LOSS_OF_A_TURN * turns
    }

    /// Word `index` of the twiddle table, times `gain`.
    fn twiddle_word(&self, index: u32, gain: f64) -> u32 {
        let (vector, lane) = (index / VECTOR, index % VECTOR);
        let output = Self::output(vector / 2);
        let (cos, sin) = twiddle::turn(lane * output, self.points());
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
        let bytes = POINT * self.points();
        let setup = |word: Result<u32, _>| word.expect("rows are in range");
        let first = index * bytes;
        match word {
            Word::Transforms => (transform.batch - index).div_ceil(transform.programs),
            Word::Opens => u32::from(index == 0),
            Word::Peers if index == 0 => transform.programs - 1,
            Word::Peers => u32::MAX,
            Word::List => list + 4 * Self::HEAD,
            Word::Step => transform.programs * bytes,
            Word::Conjugate => transform.output_conjugate().to_bits(),
            Word::Cosine { sixteenths } => cosine(sixteenths).to_bits(),
            Word::FactorRe => transform.factors[0].to_bits(),
            Word::FactorIm => (transform.factors[0] * transform.conjugate).to_bits(),
            Word::Input => transform.input + first,
            Word::Twiddles => transform.twiddles,
            Word::WriteSetup => setup(Block::column(0, 0).stride(8).write_setup()),
            Word::Drain => setup(Block::column(0, 0).read_setup(1)),
            Word::ReadSetup { component } => setup(Block::row(16 * component).read_setup(16)),
            Word::OutputSetup { .. } => setup(Block::row(OUTPUT_ROW).write_setup()),
            Word::StoreStride => store_stride(0),
            Word::StoreSetup { index: store } => {
                setup(Store::rows(16, OUTPUT_ROW + 16 * store).setup())
            }
            Word::Store { index: store } => transform.output + first + bytes / 2 * u32::from(store),
            // Of pipelines and short lengths only.
            Word::Last
            | Word::NextUnit
            | Word::Component
            | Word::NextRow
            | Word::ColumnSetup { .. }
            | Word::Bytes(_)
            | Word::Parity
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

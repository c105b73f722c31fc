//! 2^12 points in one pass over memory: producers hand their rows to consumers through the VPM, a
//! quarter of them ahead of time.
//!
//! N = 128 · 32. Input index n = 32 (8 m + x) + n2, output index k = k1 + 128 k2 with k1 = k_lo +
//! 16 k_x. A **unit** u is columns n2 = 2 u and 2 u + 1: points m are in registers, lane = 2 x + n2
//! mod 2. Outputs k_lo of the transform of 16 points are multiplied by W_N^(k_lo (32 x + n2)); of
//! each half of them the three bits of k_lo change places with x, and the transform over x is done
//! in registers. Its outputs, multiplied by W_N^(16 k_x n2), are what consumers want: lane = 2 (k1
//! mod 8) + n2 mod 2.
//!
//! Round r is 8 k1 from 16 k_x + 8 h on, half h = r / 8 and k_x by [`DoubleBuffered::K_X`]: two
//! vectors, real and imaginary parts, of each unit. Consumer r mod 4 transforms 32 points n2 = 2
//! u + lane mod 2 of it and stores whole rows of memory through rows 32..64 of the VPM, as those
//! of pipelines do ([`crate::kernels::pipeline::layout`]).
//!
//! Eight **producers** have two units each, and registers for one and a half; four **consumers**
//! have registers for what they transform and for half as much again. So a producer p first does
//! unit 8 + p, the **early** one, whose outputs of the transform of 16 points below 8 are its first
//! half. Consumers take the early vectors of rounds 0 .. 8, two rounds each, while they have
//! nothing else to do; producers keep outputs of the second half. Then producers do unit p, the
//! **late** one, and hand its vectors on as rounds come. When three of the four pairs of the first
//! half are written, what is kept comes in place of outputs of the first half, and is transformed
//! as they were; the fourth pair waits where outputs of the second half were, and these are kept.
//! So what is transformed late is out of the way of the first round. In the second half late and
//! early vectors are handed on together.
//!
//! Vectors are handed on in pairs, one producer after the other
//! ([`crate::kernels::pipeline::layout`] says why), through rows 0..32 of the VPM: of both the
//! real parts of all eight units, then the imaginary ones. A pair is two rounds of the first half:
//! consumer 0 or 2 reads those of the even round, and consumer 1 or 3 those of the odd one. Of the
//! second half it is late and early vectors of one round, in the last pair early ones first. Before
//! the first round, when nothing is stored, odd pairs go through rows 32..64, so that producers
//! write one pair while another is read.
//!
//! | semaphore | counts |
//! |---|---|
//! | 0, 1, 2, 5 | gates: the right to write pair 0 .. 3 |
//! | 3, 4 | locks of rows 32..48 and 48..64 |
//! | 6, 7, 13, 14 | producers whose vectors of pair 0 .. 3 are in the VPM |
//! | 8, 9, 12 | that pair 0, pair 1 or 3, or pair 2 may be read, then that one of its two consumers has read it |
//! | 10 | consumers other than 0 that have stored all of their transform before, or their last |
//! | 11 | that the third pair of early vectors has been read |
//! | 15 | units whose rows producers have in registers |
//!
//! When a pair has been read, consumer 1 or 3, or of the second half its only reader, closes its
//! gate and opens another ([`Handover`]): of early vectors that of the next pair but one, else that
//! of the next. A producer that comes to a gate again has passed all others, so that it finds it
//! closed or opened anew. The first gate of late vectors is opened when both the third and the
//! fourth pair of early ones have been read: so nothing is stored through rows 32..64 before. A
//! count says what is meant only while no other program waits for it: consumer 1 may be in the next
//! transform, and wait for its first pair, while consumer 2 reads the third, which therefore has a
//! count of its own; for that of the second and fourth only consumer 3 waits, which reads the
//! fourth itself. Of count 15 each consumer takes its share of early units when it has vectors of
//! them, so that it finds late ones when it waits for its share of these. One may be there before
//! the others, and then looks lines up too early, and no more.
//!
//! Consumer 0 makes locks and the first gate, and takes back what it made when all others have
//! ended. It opens the second gate of each transform when all have stored the one before: then rows
//! 32..64 are free, and no program wants them before the first round.
//!
//! Lookups find caches as others left them, which the order of things allows for in several places.
//! QPUs of a slice find in the TMU's cache what another of them has looked up, if it was a moment
//! ago: so producers ask for the same lines at about the same time. Consumers bring roots into the
//! L2C before producers want them, and their own code, when semaphore 15 says that memory is done
//! with rows.
//!
//! Each loop over transforms fits the instruction cache of a slice, which so holds it for the next
//! launch as well, unless other programs run between. For that, what can be data is: a producer
//! reads rows of two columns of the first transform and then of the other two by the same code,
//! whose list says what is looked up next; a consumer makes rows of even and of odd outputs by the
//! same.

pub use super::handover::Handover;
use super::handover::{LANE_ROWS, PAIRS};
use crate::kernels::context::{Buffers, ProgramContext};
use crate::kernels::layout::OnePass;
use crate::kernels::one_pass::cosine;
use crate::kernels::pipeline::layout::{CONSUMERS, SECOND};
use crate::kernels::pipeline::uniforms::{PartWord, Units, Word};
use crate::kernels::sizes::{CODELET_POINTS, POINT_BYTES};
use crate::kernels::twiddle;
use crate::kernels::uniform::{Pack, UniformId};
use qpu::machine::{LANES, VECTOR_BYTES};
use qpu::vpm::{Block, Store, store_stride};

/// Columns of a unit.
const COLUMNS: u32 = CODELET_POINTS / LANE_ROWS;
/// Points of the first transform.
const FIRST: u32 = CODELET_POINTS * LANE_ROWS;
/// Bytes of the lines that a lookup brings.
const LOOKUP: u32 = 16 * VECTOR_BYTES;
/// Bytes from one k2 to the next.
const ROW_OF_K2: u32 = POINT_BYTES * FIRST;

/// 2^12 points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DoubleBuffered;

impl DoubleBuffered {
    /// The length as a power of two.
    pub const LOG2_POINTS: u32 = 12;
    /// Points.
    const POINTS: u32 = 1 << Self::LOG2_POINTS;
    /// Programs that load.
    pub const PRODUCERS: u32 = 8;
    /// All programs; QPUs of a slice get programs that follow each other, and run either producers
    /// or consumers.
    pub const PROGRAMS: u32 = Self::PRODUCERS + CONSUMERS;
    /// Units of a producer: early and late.
    pub const UNITS: u32 = SECOND / COLUMNS / Self::PRODUCERS;
    /// Rounds of a consumer.
    pub const ROUNDS: u32 = 2 * LANE_ROWS / CONSUMERS;
    /// The rounds of these whose early vectors a consumer takes before the first.
    pub const EARLY_ROUNDS: u32 = Self::ROUNDS / 2;
    /// Rows of the input of a unit.
    pub const ROWS: u32 = CODELET_POINTS;
    /// Bytes from the real part of a point to its imaginary part.
    pub const COMPONENT: u32 = POINT_BYTES / 2;
    /// Bytes from one row of the input to the next that a producer has in registers.
    pub const ROW_BYTES: u32 = POINT_BYTES * SECOND * LANE_ROWS;
    /// Rows of the input in the order in which producers ask for them: the transform begins with
    /// rows n and n + 8, and those that are on their way in one TMU must not all have the same
    /// place in its cache.
    pub const ORDER: [u8; CODELET_POINTS as usize] =
        [0, 8, 1, 9, 4, 12, 5, 13, 2, 10, 3, 11, 6, 14, 7, 15];
    /// Rows from one to the next in each four: these in turn. Other steps stand in lists.
    pub const STEPS: [i32; 2] = [8, -7];
    /// Bytes from the roots of a k_x to those of the next.
    pub const ROOT_STEP: u32 = 4 * COLUMNS;
    /// Outputs of a half of the codelet in the order in which they are multiplied: those that
    /// change places first follow each other.
    pub const OUTPUTS: [u32; LANE_ROWS as usize] = [0, 4, 1, 5, 2, 6, 3, 7];
    /// Outputs of the transform over x in the order in which they are made.
    pub const K_X: [u32; LANE_ROWS as usize] = [0, 4, 2, 6, 1, 5, 3, 7];

    /// Vectors of a unit's table: W_N^(16 k_x n2), which are two numbers for each k_x, then the
    /// roots of each output; of all these cosines, then sines.
    const VECTORS: u32 = 2 * (1 + CODELET_POINTS);
    /// Bytes from a vector of a unit's table to its next: those of all producers' units lie between
    /// them, so that what is looked up together has different places in the L2C.
    pub const VECTOR_STEP: u32 = VECTOR_BYTES * Self::PRODUCERS;
    /// Words that all programs read.
    pub const HEAD: u32 = 3;
    /// Words of a producer that it reads once.
    pub const PRODUCER_HEAD: u32 = 5;
    /// Words of a consumer that it reads once.
    pub const CONSUMER_HEAD: u32 = 5;
    /// Words before those of a producer's units.
    const PRODUCER: u32 = Self::HEAD + Self::PRODUCER_HEAD;
    /// Words before those of consumers: as many as the generator puts there, which asserts it.
    pub const CONSUMER: u32 = 92;

    /// The k_x of a round, as its position in [`DoubleBuffered::K_X`]: a pair is two rounds of the
    /// first half, or a round's vectors of both units.
    const fn position(round: u32) -> u32 {
        if round < LANE_ROWS {
            round / 2 + PAIRS * (round % 2)
        } else {
            round - LANE_ROWS
        }
    }

    /// Bytes from a unit's table to the roots of outputs of a half.
    const fn roots_of_half(half: u8) -> u32 {
        2 * Self::VECTOR_STEP * (1 + LANE_ROWS * half as u32)
    }

    /// A word of a producer's unit number `number`.
    fn unit_word(buffers: &Buffers, producer: u32, (number, word): (u32, PartWord)) -> u32 {
        let is_late = number + 1 == Self::UNITS;
        // Consumers have more parts than there are units.
        let before = (Self::UNITS - 1).saturating_sub(number);
        let unit = producer + Self::PRODUCERS * before;
        let table =
            buffers.table + Self::VECTOR_STEP * Self::VECTORS * before + VECTOR_BYTES * producer;
        let rows = |pair: u8| {
            let first = if is_late { 0 } else { 32 * (pair % 2) };
            Block::row(first + producer as u8)
        };
        match word {
            PartWord::Input => buffers.from + POINT_BYTES * COLUMNS * unit,
            PartWord::RowStep { number } => {
                let [row, next] = [0, 1].map(|behind| {
                    let number = usize::from(number) + behind;
                    u32::from(Self::ORDER[number % Self::ORDER.len()])
                });
                Self::ROW_BYTES.wrapping_mul(next.wrapping_sub(row))
            }
            PartWord::Component => Self::COMPONENT,
            PartWord::Roots => table,
            PartWord::Twiddles { half } => table + Self::roots_of_half(half),
            // Real and imaginary parts of a round, then of the other.
            PartWord::WriteSetup { pair } => rows(pair).stride(8).write_setup().unwrap_or_default(),
            PartWord::Drain { pair } => rows(pair).read_setup(1).unwrap_or_default(),
            // Only programs of the other role read it.
            _ => 0,
        }
    }

    /// A word of a consumer's round number `number`; the conjugate is that of the output.
    fn round_word(
        buffers: &Buffers,
        conjugate: f32,
        consumer: u32,
        (number, word): (u32, PartWord),
    ) -> u32 {
        let round = consumer + CONSUMERS * number;
        let half = round / LANE_ROWS;
        match word {
            PartWord::Store { half: parity } => {
                let position = Self::position(round) as usize % Self::K_X.len();
                let octet = 2 * Self::K_X[position] + half;
                buffers.to + VECTOR_BYTES * octet + ROW_OF_K2 * u32::from(parity)
            }
            PartWord::RootsAhead { half, number } => {
                let lookup = 2 * consumer + u32::from(number);
                buffers.table + Self::roots_of_half(half) + LOOKUP * lookup
            }
            PartWord::CodeAhead => LOOKUP * consumer,
            PartWord::Factor { output, is_sine } => {
                let factor = if is_sine {
                    cosine(output.abs_diff(8)) * conjugate
                } else {
                    cosine(output.min(16 - output))
                };
                factor.to_bits()
            }
            PartWord::Await(units) => Handover::before(consumer, number, units).bytes(),
            PartWord::ReadSetup(units) => {
                let is_odd = consumer % 2;
                let first = match units {
                    // Of the last pair early ones come first.
                    _ if number >= Self::EARLY_ROUNDS => {
                        let is_second = (units == Units::Early) != (consumer + 1 == CONSUMERS);
                        CODELET_POINTS * u32::from(is_second)
                    }
                    Units::Early => 32 * (consumer / 2) + CODELET_POINTS * is_odd,
                    Units::Late => CODELET_POINTS * is_odd,
                };
                Block::row(first as u8).read_setup(16).unwrap_or_default()
            }
            PartWord::PassOn(units) => Handover::behind(consumer, number, units).bytes(),
            PartWord::IsLast => u32::from(number + 1 == Self::EARLY_ROUNDS),
            // Only programs of the other role read it.
            _ => 0,
        }
    }
}

impl OnePass for DoubleBuffered {
    fn log2_points(&self) -> u32 {
        Self::LOG2_POINTS
    }

    fn radices(&self) -> [u32; 2] {
        [FIRST, SECOND]
    }

    fn programs(&self, _batch: u32) -> u32 {
        Self::PROGRAMS
    }

    fn least_programs(&self) -> u32 {
        Self::PROGRAMS
    }

    fn twiddle_words(&self) -> u32 {
        Self::UNITS * Self::PRODUCERS * Self::VECTORS * LANES
    }

    /// Each output is multiplied by `gain` once.
    fn twiddle_word(&self, index: u32, gain: f64) -> u32 {
        let (vector, lane) = (index / LANES, index % LANES);
        let (vector, unit) = (vector / Self::PRODUCERS, vector % Self::PRODUCERS);
        let unit = unit + Self::PRODUCERS * (vector / Self::VECTORS);
        let vector = vector % Self::VECTORS;
        let (x, n2) = (lane / COLUMNS, COLUMNS * unit + lane % COLUMNS);
        let (angle, gain) = match vector / 2 {
            // In place of x: the next k_x, as the first is not multiplied.
            0 => (
                CODELET_POINTS * Self::K_X[(x + 1) as usize % Self::K_X.len()] * n2,
                1.0,
            ),
            position => {
                let (half, number) = ((position - 1) / LANE_ROWS, (position - 1) % LANE_ROWS);
                let output = LANE_ROWS * half + Self::OUTPUTS[number as usize];
                (output * (SECOND * x + n2), gain)
            }
        };
        let (cos, sin) = twiddle::root(angle % Self::POINTS, Self::POINTS);
        let value = if vector.is_multiple_of(2) { cos } else { sin };
        ((value * gain) as f32).to_bits()
    }

    /// Half of the twiddle factors in a codelet are exact, half of the lanes' own as well, and
    /// three quarters of those in the transform over x.
    fn twiddles_of_an_output(&self) -> f64 {
        3.5 - 0.125 + 0.25
    }

    fn uniform(&self, buffers: &Buffers, program: &ProgramContext, id: UniformId) -> u32 {
        let setup = |word: Result<u32, _>| word.unwrap_or(0);
        let (index, list) = (program.program, program.start);
        // QPUs of a slice get programs that follow each other, and run either producers or
        // consumers.
        let consumer = index.checked_sub(Self::PRODUCERS);
        match Word::of(id) {
            Word::OfConsumers(bytes) if consumer.is_some() => bytes,
            Word::OfConsumers(_) => 0,
            Word::ConsumerList => list + 4 * Self::CONSUMER,
            Word::Transforms => program.batch,
            Word::FactorRe => program.scale[0].to_bits(),
            Word::FactorIm => (program.scale[0] * program.conjugate).to_bits(),
            Word::Cosine { sixteenths } => cosine(sixteenths).to_bits(),
            Word::Step => POINT_BYTES * Self::POINTS,
            Word::List if consumer.is_none() => list + 4 * Self::PRODUCER,
            Word::List => list + 4 * (Self::CONSUMER + Self::CONSUMER_HEAD),
            Word::Bytes(bytes) => bytes,
            Word::Opens => u32::from(consumer == Some(0)),
            Word::Peers if consumer == Some(0) => CONSUMERS - 1,
            Word::Peers => u32::MAX,
            Word::Conjugate => program.output_conjugate().to_bits(),
            // k2 = group, + 4, + 8 and so on: every second row of a half.
            Word::OutputSetup { group } => {
                let first = 32 + 16 * (group % 2) + group / 2;
                setup(Block::row(first).stride(2).write_setup())
            }
            // Every second k2.
            Word::StoreStride => store_stride((2 * ROW_OF_K2 - VECTOR_BYTES) as u16),
            Word::StoreSetup { index: half } => setup(Store::rows(16, 32 + 16 * half).setup()),
            Word::Part { part, word } => {
                let (part, conjugate) = ((part.into(), word), program.output_conjugate());
                match consumer {
                    None => Self::unit_word(buffers, index, part),
                    Some(consumer) => Self::round_word(buffers, conjugate, consumer, part),
                }
            }
            // Only programs of the other role read it.
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_of_all_consumers_are_all_halves_and_k_x() {
        let mut stores: Vec<_> = (0..CONSUMERS * DoubleBuffered::ROUNDS)
            .map(|n| {
                let word = PartWord::Store { half: 0 };
                DoubleBuffered::round_word(
                    &Buffers::default(),
                    1.0,
                    n % CONSUMERS,
                    (n / CONSUMERS, word),
                )
            })
            .collect();
        stores.sort_unstable();
        let lines: Vec<_> = (0..16).map(|line| VECTOR_BYTES * line).collect();
        assert_eq!(stores, lines);
    }

    #[test]
    fn each_unit_is_done_once() {
        let units = (0..DoubleBuffered::PRODUCERS).flat_map(|producer| {
            let units = 0..DoubleBuffered::UNITS;
            units.map(move |n| {
                DoubleBuffered::unit_word(&Buffers::default(), producer, (n, PartWord::Input))
            })
        });
        let mut units: Vec<_> = units.collect();
        units.sort_unstable();
        let wanted: Vec<_> = (0..SECOND * POINT_BYTES).step_by(16).collect();
        assert_eq!(units, wanted);
    }
}

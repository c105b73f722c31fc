//! 2^12 points: producers hand their rows to consumers through the VPM, in one launch; half of them by way of scratch memory.
//!
//! N = 128 · 32. Input index n = 32 (8 m + x) + n2, output index k = k1 + 128 k2 with k1 = k_lo + 16 k_x. A **unit** u
//! is columns n2 = 2 u and 2 u + 1: points m are in registers, lane = 2 x + n2 mod 2. Outputs k_lo of the transform of
//! 16 points are turned by W_N^(k_lo (32 x + n2)); of each half of them the three bits of k_lo change places with x, and
//! the transform over x is done in registers. Its outputs, turned by W_N^(16 k_x n2), are what consumers want: lane =
//! 2 (k1 mod 8) + n2 mod 2.
//!
//! Registers do not hold all points: eight **producers** keep a unit each while **consumers** transform on. So producer p first
//! does unit 8 + p, which is **parked** in scratch memory, and then unit p, which is **held**. A half of the points goes to
//! memory twice, while the engine of the stores would have nothing to do.
//!
//! Producers write vectors for two **rounds** at a time, one producer after the other ([`super::pipeline`] says why). Round
//! r is half h = r / 8 and position p = r mod 8 of a k_x ([`Relay::K_X`]), 8 k1 from 16 k_x + 8 h on. Its 16 rows of the
//! VPM have the real parts of all eight units, then the imaginary ones. Rounds 2 D and 2 D + 1 of parked units leave in
//! one store, by consumer 0 from rows 0..32 of the VPM (D even) or by consumer 1 from rows 32..64, so that two are on their
//! way. Those of held units are in rows 0..32, and consumers take them in turn: a consumer looks up the sixteen vectors of
//! parked units, reads those of held units, transforms 32 points n2 = 2 u + lane mod 2, and stores whole rows of memory through
//! rows 32..64, as those of pipelines do.
//!
//! Scratch memory of a transform has round r from byte 1024 r on. Lookups must not see what was there before: each
//! transform of a batch has scratch memory of its own.
//!
//! | semaphore | counts |
//! |---|---|
//! | 0, 1, 2, 5 | gates: the right to write rounds 2 D and 2 D + 1, D mod 4 = 0 .. 3 |
//! | 3, 4 | locks of rows 32..48 and 48..64 |
//! | 6, 7 | producers whose vectors of these are in the VPM, D even or odd |
//! | 8 .. 11 | the turn of consumer 0 .. 3 to read |
//! | 12 | that what consumer 1 parks is parked |
//! | 13 | consumers that have ended |
//! | 14 | that pairs of rounds of this transform are written |
//!
//! Who opens a gate has closed the one before it in the same rows: of what is parked D - 2, of what is held D - 1. A producer
//! that comes to a gate again has passed all others, so that it finds it closed or opened anew. Consumer 0 makes locks,
//! the first turn and the first gate, and takes back what it made when all others have ended. Consumer 1 opens the
//! second gate when it has both locks, and keeps them until all is parked. It takes them when the first pair of the
//! transform is written: then all rounds of the one before are read, and parking waits for nobody who still has to store.

use super::coop::{PartWord, Transform, Word};
use super::pipeline::{CONSUMERS, Role, SECOND};
use super::twiddle;
use crate::vpm::{Block, Store, store_stride};

/// Points of the codelet, and lanes.
const CODELET: u32 = 16;
/// Rows of columns in the lanes: X.
const LANE_ROWS: u32 = 8;
/// Columns of a unit.
const COLUMNS: u32 = CODELET / LANE_ROWS;
/// Points of the first transform.
const FIRST: u32 = CODELET * LANE_ROWS;
/// Bytes of an interleaved complex point.
const POINT: u32 = 8;
/// Words of a vector, and its bytes.
const VECTOR: u32 = CODELET;
const VECTOR_BYTES: u32 = 4 * VECTOR;
/// Bytes from one k2 to the next.
const ROW_OF_K2: u32 = POINT * FIRST;
/// Bytes of code of a way to what a consumer waits for with its turn, or tells others.
const WAY_BYTES: u32 = 8 * 4;

/// 2^12 points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Relay;

impl Relay {
    /// The length as a power of two.
    pub const LOG2_POINTS: u32 = 12;
    /// Points.
    const POINTS: u32 = 1 << Self::LOG2_POINTS;
    /// Programs that load.
    pub const PRODUCERS: u32 = 8;
    /// All programs; QPUs of a slice get programs that follow each other, and run either producers or consumers.
    pub const PROGRAMS: u32 = Self::PRODUCERS + CONSUMERS;
    /// Units of a producer: one is parked, one is held.
    pub const UNITS: u32 = SECOND / COLUMNS / Self::PRODUCERS;
    /// Rounds of a consumer.
    pub const ROUNDS: u32 = 2 * LANE_ROWS / CONSUMERS;
    /// Bytes of scratch memory of a transform: half as many as it has itself.
    pub const BYTES: u32 = POINT * Self::POINTS / 2;
    /// Bytes from one row of the input to the next that a producer has in registers.
    pub const ROW_BYTES: u32 = POINT * SECOND * LANE_ROWS;
    /// Bytes from the turns of a k_x to those of the next.
    pub const TURN_STEP: u32 = 4 * COLUMNS;
    /// Bytes of scratch memory of a round.
    const ROUND_BYTES: u32 = 2 * Self::PRODUCERS * VECTOR_BYTES;
    /// Stores of a consumer that parks.
    pub const COPIES: u32 = Self::BYTES / (2 * Self::ROUND_BYTES) / 2;
    /// Index of the words of such a store.
    pub const COPY: u8 = 2;
    /// Outputs of a half of the codelet in the order in which they are turned: those that change places first follow each
    /// other.
    pub const OUTPUTS: [u32; LANE_ROWS as usize] = [0, 4, 1, 5, 2, 6, 3, 7];
    /// Outputs of the transform over x in the order in which they are made.
    pub const K_X: [u32; LANE_ROWS as usize] = [0, 4, 2, 6, 1, 5, 3, 7];

    /// Turns on the path of an output: of those in a codelet half are exact, of the lanes' own as well, and of those
    /// in the transform over x three quarters.
    pub(super) const TURNS: f64 = 3.5 - 0.125 + 0.25;

    /// Vectors of a unit's table: W_N^(16 k_x n2), which are two numbers for each k_x, then the turns of each output; of
    /// all these cosines, then sines.
    const VECTORS: u32 = 2 * (1 + CODELET);
    /// Words of the twiddle table.
    pub const TWIDDLE_WORDS: u32 = Self::UNITS * Self::PRODUCERS * Self::VECTORS * VECTOR;

    /// Words that all programs read.
    pub const HEAD: u32 = 3;
    /// Words of a producer that it reads once.
    pub const PRODUCER_HEAD: u32 = 5;
    /// Words of a unit before its halves.
    pub const UNIT: u32 = 3;
    /// Words of a half.
    pub const HALF: u32 = 1 + LANE_ROWS;
    /// Words of a consumer that it reads once.
    pub const CONSUMER_HEAD: u32 = 9;
    /// Words of a consumer that come before what it parks.
    pub const BEFORE_COPIES: u32 = 2;
    /// Words of a store of what is parked.
    pub const COPY_WORDS: u32 = 3;
    /// Words of a round.
    pub const ROUND: u32 = 15;

    /// Words before those of a producer's units.
    const PRODUCER: u32 = Self::HEAD + Self::PRODUCER_HEAD;
    /// Words before those of consumers.
    pub const CONSUMER: u32 = Self::PRODUCER + Self::UNITS * (Self::UNIT + 2 * Self::HALF) + 2;

    /// Bytes of code from what the first consumer waits for its turn with to what this one does.
    const fn turn(consumer: u32) -> u32 {
        WAY_BYTES * consumer
    }

    /// Bytes of code from what consumer 0 waits for producers with to what this one does: consumer 2 waits at the other
    /// semaphore, and those of odd rounds, whose rows were written together with the even one's, wait no more.
    const fn written(consumer: u32) -> u32 {
        let way = if consumer % 2 == 1 { 2 } else { consumer / 2 };
        8 * (Self::PRODUCERS + 1) * way
    }

    /// Bytes of code from what consumer 0 does when it has read to what is done by this one, for its round `round`:
    /// those of odd rounds change gates, which are four.
    const fn pass_on(consumer: u32, round: u32) -> u32 {
        let pair = consumer / 2;
        WAY_BYTES
            * match consumer % 2 {
                0 => pair,
                _ => 2 + (2 * round + pair) % 4,
            }
    }

    /// Word `index` of the twiddle table. Each output is multiplied by `gain` once.
    pub(super) fn twiddle_word(&self, index: u32, gain: f64) -> u32 {
        let (vector, lane) = (index / VECTOR, index % VECTOR);
        let (unit, vector) = (vector / Self::VECTORS, vector % Self::VECTORS);
        let (x, n2) = (lane / COLUMNS, COLUMNS * unit + lane % COLUMNS);
        let (angle, gain) = match vector / 2 {
            // In place of x: the next k_x, as the first is not turned.
            0 => (
                CODELET * Self::K_X[(x + 1) as usize % Self::K_X.len()] * n2,
                1.0,
            ),
            position => {
                let (half, number) = ((position - 1) / LANE_ROWS, (position - 1) % LANE_ROWS);
                let output = LANE_ROWS * half + Self::OUTPUTS[number as usize];
                (output * (SECOND * x + n2), gain)
            }
        };
        let (cos, sin) = twiddle::turn(angle % Self::POINTS, Self::POINTS);
        let value = if vector.is_multiple_of(2) { cos } else { sin };
        ((value * gain) as f32).to_bits()
    }

    /// What program `index` does; QPUs of a slice get programs that follow each other, and run either producers or
    /// consumers.
    #[must_use]
    pub const fn role(index: u32) -> Role {
        if index < Self::PRODUCERS {
            Role::Producer(index)
        } else {
            Role::Consumer(index - Self::PRODUCERS)
        }
    }

    /// The value of a uniform of program `index`, whose list is at `list`.
    #[must_use]
    pub fn uniform(&self, transform: &Transform, index: u32, list: u32, word: Word) -> u32 {
        let setup = |word: Result<u32, _>| word.unwrap_or(0);
        let role = Self::role(index);
        let consumer = match role {
            Role::Consumer(number) => number,
            _ => 0,
        };
        match word {
            Word::Role => u32::from(index >= Self::PRODUCERS),
            Word::ConsumerList => list + 4 * Self::CONSUMER,
            Word::Transforms => transform.batch,
            Word::FactorRe => transform.factors[0].to_bits(),
            Word::FactorIm => (transform.factors[0] * transform.conjugate).to_bits(),
            Word::Cosine { sixteenths } => {
                (twiddle::turn(u32::from(sixteenths), 2 * CODELET).0 as f32).to_bits()
            }
            Word::Step => POINT * Self::POINTS,
            Word::List if matches!(role, Role::Producer(_)) => list + 4 * Self::PRODUCER,
            Word::List => list + 4 * (Self::CONSUMER + Self::CONSUMER_HEAD),
            Word::RoundList => {
                let before = Self::CONSUMER + Self::CONSUMER_HEAD + Self::BEFORE_COPIES;
                list + 4 * (before + Self::COPIES * Self::COPY_WORDS)
            }
            Word::Opens => u32::from(role == Role::Consumer(0)),
            // What it parks: even pairs of rounds, odd ones, or nothing.
            Word::Follows if consumer < 2 => consumer,
            Word::Follows => u32::MAX,
            Word::Peers if role == Role::Consumer(0) => CONSUMERS - 1,
            Word::Peers => u32::MAX,
            Word::Conjugate => {
                (1f32.copysign(transform.factors[0] * transform.factors[1])).to_bits()
            }
            Word::ReadSetup { .. } => {
                let first = CODELET * (consumer % 2);
                setup(Block::row(first as u8).read_setup(16))
            }
            // k2 = group, + 4, + 8 and so on: every second row of a half.
            Word::OutputSetup { group } => {
                let first = 32 + 16 * (group % 2) + group / 2;
                setup(Block::row(first).stride(2).write_setup())
            }
            Word::StoreStride { index: Self::COPY } => store_stride(0),
            // Every second k2.
            Word::StoreStride { .. } => store_stride((2 * ROW_OF_K2 - VECTOR_BYTES) as u16),
            Word::StoreSetup { index: Self::COPY } => {
                let first = 2 * CODELET * (consumer % 2);
                setup(Store::rows(32, first as u8).setup())
            }
            Word::StoreSetup { index: half } => setup(Store::rows(16, 32 + 16 * half).setup()),
            Word::Part { part, word } => match role {
                Role::Producer(producer) => {
                    Self::unit_word(transform, producer, (part.into(), word))
                }
                Role::Consumer(consumer) => {
                    Self::round_word(transform, consumer, (part.into(), word))
                }
                Role::Idle => 0,
            },
            _ => 0,
        }
    }

    /// A word of a producer's unit number `number`.
    fn unit_word(transform: &Transform, producer: u32, (number, word): (u32, PartWord)) -> u32 {
        let is_last = number + 1 == Self::UNITS;
        // What is held comes last. Consumers have more parts than there are units.
        let before = (Self::UNITS - 1).saturating_sub(number);
        let unit = producer + Self::PRODUCERS * before;
        let table = transform.twiddles + 4 * VECTOR * Self::VECTORS * unit;
        let rows = |pair: u8| {
            let first = if is_last { 0 } else { 32 * (pair % 2) };
            Block::row(first + producer as u8)
        };
        match word {
            PartWord::Input => transform.input + POINT * COLUMNS * unit,
            PartWord::Turns => table,
            PartWord::Twiddles => table + 2 * VECTOR_BYTES,
            PartWord::Then { half: 0 } => 1,
            PartWord::Then { .. } if is_last => u32::MAX,
            // Real and imaginary parts of a round, then of the other.
            PartWord::WriteSetup { pair } => rows(pair).stride(8).write_setup().unwrap_or_default(),
            PartWord::Drain { pair } => rows(pair).read_setup(1).unwrap_or_default(),
            _ => 0,
        }
    }

    /// A word of a consumer's round number `number`, or of its store number `number` of what is parked.
    const fn round_word(
        transform: &Transform,
        consumer: u32,
        (number, word): (u32, PartWord),
    ) -> u32 {
        let round = consumer + CONSUMERS * number;
        let (half, position) = (round / LANE_ROWS, round % LANE_ROWS);
        match word {
            PartWord::Input => transform.through + Self::ROUND_BYTES * round,
            PartWord::Store { half: parity } => {
                let octet = 2 * Self::K_X[position as usize] + half;
                transform.output + VECTOR_BYTES * octet + ROW_OF_K2 * parity as u32
            }
            PartWord::Copy => transform.through + 2 * Self::ROUND_BYTES * (2 * number + consumer),
            PartWord::Turn => Self::turn(consumer),
            PartWord::Written => Self::written(consumer),
            PartWord::PassOn => Self::pass_on(consumer, number),
            PartWord::Last => (number + 1 == Self::ROUNDS) as u32,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRANSFORM: Transform = Transform {
        input: 0,
        through: 0,
        twiddles: 0,
        output: 0,
        batch: 1,
        programs: Relay::PROGRAMS,
        conjugate: 1.0,
        factors: [1.0; 2],
    };

    #[test]
    fn rounds_of_all_consumers_are_all_halves_and_k_x() {
        let all = |word: PartWord| {
            let mut words: Vec<_> = (0..CONSUMERS * Relay::ROUNDS)
                .map(|n| Relay::round_word(&TRANSFORM, n % CONSUMERS, (n / CONSUMERS, word)))
                .collect();
            words.sort_unstable();
            words
        };
        let lines = |bytes: u32| (0..16).map(|line| bytes * line).collect::<Vec<_>>();
        assert_eq!(all(PartWord::Input), lines(Relay::ROUND_BYTES));
        assert_eq!(all(PartWord::Store { half: 0 }), lines(VECTOR_BYTES));
    }

    #[test]
    fn what_is_parked_fills_scratch_memory() {
        let stores = (0..2).flat_map(|consumer| {
            let copies = 0..Relay::COPIES;
            copies.map(move |n| Relay::round_word(&TRANSFORM, consumer, (n, PartWord::Copy)))
        });
        let mut stores: Vec<_> = stores.collect();
        stores.sort_unstable();
        let bytes = 32 * VECTOR_BYTES;
        let wanted: Vec<_> = (0..Relay::BYTES).step_by(bytes as usize).collect();
        assert_eq!(stores, wanted);
    }

    #[test]
    fn each_unit_is_done_once() {
        let units = (0..Relay::PRODUCERS).flat_map(|producer| {
            let units = 0..Relay::UNITS;
            units.map(move |n| Relay::unit_word(&TRANSFORM, producer, (n, PartWord::Input)))
        });
        let mut units: Vec<_> = units.collect();
        units.sort_unstable();
        let wanted: Vec<_> = (0..SECOND * POINT).step_by(16).collect();
        assert_eq!(units, wanted);
    }
}

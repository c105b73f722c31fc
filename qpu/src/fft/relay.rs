//! 2^12 points: producers hand rows to consumers through scratch memory, in one launch.
//!
//! N = 128 · 32. Input index n = 32 (8 m + x) + n2, output index k = k1 + 128 k2 with k1 = k_lo + 16 k_x. More points
//! than registers hold: so what producers and consumers of shorter transforms ([`super::pipeline`]) hand over in the
//! VPM goes to memory and back, and nobody waits for others in between.
//!
//! A **unit** u is columns n2 = 2 u and 2 u + 1; **producer** p does units p and p + 8. Points m are in registers,
//! lane = 2 x + n2 mod 2. Outputs k_lo of the transform of 16 points are turned by W_N^(k_lo (32 x + n2)); of each
//! half of them the three bits of k_lo change places with x, and the transform over x is done in registers. Its
//! outputs, turned by W_N^(16 k_x n2), are what consumers want: lane = 2 (k1 mod 8) + n2 mod 2. The sixteen vectors of
//! a half h leave in one store.
//!
//! A **consumer** takes rounds: a round is half h and one k_x, 8 k1 from 16 k_x + 8 h on. It looks up a real and an
//! imaginary vector of each unit, transforms 32 points n2 = 2 u + lane mod 2, and stores whole rows of memory, as
//! those of pipelines do. Rounds of half 0 begin when all units' halves 0 are stored, while halves 1 are still on
//! their way: so stores, which are what it all waits for, follow each other without a gap.
//!
//! | bytes of scratch memory | |
//! |---|---|
//! | 2048 u | unit |
//! | 1024 | imaginary parts |
//! | 128 | position of k_x ([`Relay::K_X`]) |
//! | 64 h | half |
//!
//! Lookups must not see what was there before: each transform of a batch has scratch memory of its own.
//!
//! | semaphore | counts |
//! |---|---|
//! | 0, 1 | locks of rows 0..16 and 16..32 of the VPM, through which producers store |
//! | 2, 5 | units whose half 0, 1 is stored |
//! | 3, 4 | locks of rows 32..48 and 48..64, for output |
//! | 6 .. 9 | the turn of consumer 0 .. 3 to look up |
//! | 10 .. 12 | the barrier of producers between transforms of a batch |
//! | 13 | consumers that have ended |
//!
//! Consumers look up one after the other, so that the first can begin to store early. Consumer 0 makes the locks and
//! the first turn, counts units at the beginning of a half, and takes back what it made when all others have ended.
//! The barrier keeps units of the next transform from being counted for this one.

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
/// Bytes of code of the way to what a producer's lock, or a consumer, waits for.
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
    /// Units of a producer.
    pub const UNITS: u32 = SECOND / COLUMNS / Self::PRODUCERS;
    /// Rounds of a consumer.
    pub const ROUNDS: u32 = 2 * LANE_ROWS / CONSUMERS;
    /// Bytes of scratch memory of a transform: as many as it has itself.
    pub const BYTES: u32 = POINT * Self::POINTS;
    /// Bytes from one row of the input to the next that a producer has in registers.
    pub const ROW_BYTES: u32 = POINT * SECOND * LANE_ROWS;
    /// Bytes from the turns of a k_x to those of the next.
    pub const TURN_STEP: u32 = 4 * COLUMNS;
    /// Bytes from a vector that a round looks up to the next.
    pub const ROUND_STEP: u32 = Self::BYTES / (2 * CODELET);
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
    pub const HEAD: u32 = 2;
    /// Words of a producer that it reads once.
    pub const PRODUCER_HEAD: u32 = 8;
    /// Words of a unit: what leads to its halves, of each half, and what leads to the next unit.
    pub const UNIT: u32 = 3 + 2 * 3 + 4;
    /// Words of a consumer that it reads once.
    pub const CONSUMER_HEAD: u32 = 11;
    /// Words of a round.
    pub const ROUND: u32 = 14;

    /// Words before those of consumers.
    const PRODUCER_WORDS: u32 = Self::HEAD + Self::PRODUCER_HEAD + Self::UNITS * Self::UNIT;

    /// Ways of consumers: their turns, then halves for consumer 0, which are longer.
    const fn way(consumer: u32, round: u32) -> u32 {
        let per_half = Self::ROUNDS / 2;
        match (round % per_half, consumer) {
            (0, 0) => WAY_BYTES * CONSUMERS + Self::COUNT_BYTES * (round / per_half),
            _ => WAY_BYTES * consumer,
        }
    }

    /// Bytes of code in which consumer 0 counts all units of a half.
    const COUNT_BYTES: u32 = 8 * (1 + Self::UNITS + 5 + 4);

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

    /// What program `index` does.
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
        let consumer_list = list + 4 * Self::PRODUCER_WORDS;
        let role = Self::role(index);
        // Rows of the VPM that a producer writes.
        let own_row = (CODELET * (index % 2)) as u8;
        match word {
            Word::Role => u32::from(index >= Self::PRODUCERS),
            Word::ConsumerList => consumer_list,
            Word::Transforms => transform.batch,
            Word::FactorRe => transform.factors[0].to_bits(),
            Word::FactorIm => (transform.factors[0] * transform.conjugate).to_bits(),
            Word::Cosine { sixteenths } => {
                (twiddle::turn(u32::from(sixteenths), 2 * CODELET).0 as f32).to_bits()
            }
            Word::Turn => match role {
                Role::Consumer(consumer) => WAY_BYTES * consumer,
                _ => WAY_BYTES * (index % 2),
            },
            Word::WriteSetup { .. } => setup(Block::row(own_row).write_setup()),
            Word::Opens => u32::from(role == Role::Consumer(0)),
            Word::Follows => u32::from(role != Role::Producer(0)),
            Word::Peers if role == Role::Consumer(0) => CONSUMERS - 1,
            Word::Peers => u32::MAX,
            Word::Rounds => transform.batch * Self::ROUNDS,
            Word::Conjugate => {
                (1f32.copysign(transform.factors[0] * transform.factors[1])).to_bits()
            }
            // k2 = group, + 4, + 8 and so on: every second row of a half.
            Word::OutputSetup { group } => {
                let first = 32 + 16 * (group % 2) + group / 2;
                setup(Block::row(first).stride(2).write_setup())
            }
            // Every second k2; of producers both halves in turn.
            Word::StoreStride { .. } => store_stride(match role {
                Role::Consumer(_) => (2 * ROW_OF_K2 - VECTOR_BYTES) as u16,
                _ => VECTOR_BYTES as u16,
            }),
            Word::StoreSetup { index: half } => setup(match role {
                Role::Consumer(_) => Store::rows(16, 32 + 16 * half).setup(),
                _ => Store::rows(16, own_row).setup(),
            }),
            Word::Part { part, word } => match role {
                Role::Producer(producer) => {
                    let list = list + 4 * (Self::HEAD + Self::PRODUCER_HEAD);
                    Self::unit_word(transform, producer, list, (part.into(), word))
                }
                Role::Consumer(consumer) => {
                    let list = consumer_list + 4 * Self::CONSUMER_HEAD;
                    Self::round_word(transform, consumer, list, (part.into(), word))
                }
                Role::Idle => 0,
            },
            _ => 0,
        }
    }

    /// A word of a producer's unit number `number`. The lists of units begin at `list`.
    const fn unit_word(
        transform: &Transform,
        producer: u32,
        list: u32,
        (number, word): (u32, PartWord),
    ) -> u32 {
        let unit = producer + Self::PRODUCERS * number;
        let is_last = number + 1 == Self::UNITS;
        let table = transform.twiddles + 4 * VECTOR * Self::VECTORS * unit;
        match word {
            PartWord::Input => transform.input + POINT * COLUMNS * unit,
            PartWord::Turns => table,
            PartWord::Twiddles => table + 2 * VECTOR_BYTES,
            PartWord::Store { half } => {
                transform.through + 2 * Self::ROUND_STEP * unit + VECTOR_BYTES * half as u32
            }
            PartWord::Step => is_last as u32 * Self::BYTES,
            PartWord::List => list + 4 * Self::UNIT * ((number + 1) % Self::UNITS),
            PartWord::Last => is_last as u32,
            PartWord::Await => 0,
        }
    }

    /// A word of a consumer's round number `number`. The lists of rounds begin at `list`.
    const fn round_word(
        transform: &Transform,
        consumer: u32,
        list: u32,
        (number, word): (u32, PartWord),
    ) -> u32 {
        let per_half = Self::ROUNDS / 2;
        let (half, position) = (
            number / per_half,
            consumer + CONSUMERS * (number % per_half),
        );
        match word {
            PartWord::Input => {
                transform.through + 2 * VECTOR_BYTES * position + VECTOR_BYTES * half
            }
            PartWord::Store { half: parity } => {
                let octet = 2 * Self::K_X[position as usize] + half;
                transform.output + VECTOR_BYTES * octet + ROW_OF_K2 * parity as u32
            }
            PartWord::Await => Self::way(consumer, number),
            PartWord::Step => (number + 1 == Self::ROUNDS) as u32 * Self::BYTES,
            PartWord::List => list + 4 * Self::ROUND * ((number + 1) % Self::ROUNDS),
            PartWord::Turns | PartWord::Twiddles | PartWord::Last => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_of_all_consumers_are_all_halves_and_k_x() {
        let transform = Transform {
            input: 0,
            through: 0,
            twiddles: 0,
            output: 0,
            batch: 1,
            programs: Relay::PROGRAMS,
            conjugate: 1.0,
            factors: [1.0; 2],
        };
        let all = |word: PartWord| {
            let mut words: Vec<_> = (0..CONSUMERS * Relay::ROUNDS)
                .map(|n| Relay::round_word(&transform, n % CONSUMERS, 0, (n / CONSUMERS, word)))
                .collect();
            words.sort_unstable();
            words
        };
        let lines: Vec<_> = (0..16).map(|line| VECTOR_BYTES * line).collect();
        assert_eq!(all(PartWord::Input), lines);
        assert_eq!(all(PartWord::Store { half: 0 }), lines);
    }

    #[test]
    fn units_fill_scratch_memory() {
        assert_eq!(
            Relay::UNITS * Relay::PRODUCERS * 2 * Relay::ROUND_STEP,
            Relay::BYTES
        );
        assert_eq!(Relay::ROUND_STEP, 2 * VECTOR_BYTES * LANE_ROWS);
        assert_eq!(Relay::UNITS, 2);
    }
}

//! 2^10 and 2^11 points in one pass over memory: producers hand rows to consumers through the VPM.
//!
//! N = 16 X · 32, X = 2 or 4. Input index n = 32 (X m + x) + n2, output index k = k1 + 16 X k2 with
//! k1 = k_lo + 16 k_x.
//!
//! A **producer** p transforms 16/X columns n2 from 16 p/X on: points m in registers, lane = 16 x/X + (n2 mod
//! 16/X). Outputs k_lo of the transform of 16 points are turned by W_N^(k_lo (32 x + n2)); then lanes change
//! places with registers: x with bits of k_lo, so that the transform over x, too, is done in registers, and,
//! turned by W_N^(16 k_x n2), all bits of n2 but the lowest with the other bits of k_lo below 8. So vectors
//! have lane = 2 (k1 mod 8) + n2 mod 2, which is how a **consumer** wants them: it transforms 32 points
//! n2 = 2 row + lane mod 2 for 8 k1 as the programs of 2^9 do ([`super::coop`]), and stores whole rows of memory.
//!
//! Vectors go in rounds. In a round all producers write vectors for the same 8 k1, real and imaginary parts in
//! turn, into rows 0..32 of the VPM; n2 / 2 of a vector is its place there. Consumers take
//! the rounds in turn. A round's k1 begin at 8 d, d = 2 k_x + k_lo / 8: of 2^10 points d = 0, 2, 1, 3,
//! of 2^11 d = 0, 2, 4, 6, 1, 3, 5, 7. While a consumer computes, others take the next rounds, and producers
//! begin with the next transform of the batch. Output goes through rows 32..64, in halves of 16, which have a lock each.
//!
//! | semaphore | counts |
//! |---|---|
//! | 0 | producers whose vectors are in the VPM |
//! | 1, 2 | gates: the right to write the next round; in turn |
//! | 3, 4 | locks of the halves of output |
//! | 5 .. 8 | the turn of consumer 0 .. 3 |
//! | 9 | consumers that have ended |
//!
//! Producers write one after the other: a row of a store comes to the port of the VPM behind all writes that are on
//! their way. Who has passed a gate hands the right on at that gate, and cannot come to it again before all have
//! passed the other one, since the round in between takes vectors of all. When all have written, the right is
//! back at the gate: the consumer takes it, reads, and opens the other gate. Consumer 0 makes locks, the first turn
//! and opens the first gate, and takes them back when all others have ended.

use super::coop::{Transform, Word};
use super::twiddle;
use crate::vpm::{Block, Store, store_stride};

/// Programs that take rounds in turn.
pub const CONSUMERS: u32 = 4;
/// Points of the codelet, and lanes.
const CODELET: u32 = 16;
/// Points of the second transform.
pub const SECOND: u32 = 32;
/// Bytes of an interleaved complex point.
const POINT: u32 = 8;
/// Words of a vector.
const VECTOR: u32 = CODELET;
/// Bytes of a row of memory: the outputs of a round for one k2.
const ROW: u32 = 64;

/// What a program does, with its number among those that do the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Input to the VPM.
    Producer(u32),
    /// The VPM to output.
    Consumer(u32),
    /// Nothing.
    Idle,
}

/// A length that is transformed so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pipeline {
    log2_points: u32,
}

impl Pipeline {
    /// Of 2^`log2_points` points; `None` when there is none.
    #[must_use]
    pub const fn new(log2_points: u32) -> Option<Self> {
        match log2_points {
            10 | 11 => Some(Self { log2_points }),
            _ => None,
        }
    }

    /// Length of the transform.
    #[must_use]
    pub const fn points(&self) -> u32 {
        1 << self.log2_points
    }

    /// Points of the first transform over those of the codelet: X.
    #[must_use]
    pub const fn lane_rows(&self) -> u32 {
        self.points() / (CODELET * SECOND)
    }

    /// Producers of a transform.
    #[must_use]
    pub const fn producers(&self) -> u32 {
        2 * self.lane_rows()
    }

    /// Rounds of a transform.
    #[must_use]
    pub const fn rounds(&self) -> u32 {
        2 * self.lane_rows()
    }

    /// Programs without which it cannot run.
    #[must_use]
    pub const fn least_programs(&self) -> u32 {
        self.producers() + CONSUMERS
    }

    /// Programs that it is fastest with.
    #[must_use]
    pub const fn programs(&self) -> u32 {
        12
    }

    /// What program `index` of `programs` does. QPUs of a slice share two TMUs, and get programs that follow
    /// each other: so producers are kept apart where there are QPUs enough.
    #[must_use]
    pub const fn role(&self, index: u32, programs: u32) -> Role {
        let producers = self.producers();
        let first = if programs == self.programs() {
            programs - CONSUMERS
        } else {
            producers
        };
        if index >= first + CONSUMERS {
            return Role::Idle;
        }
        if index >= first {
            return Role::Consumer(index - first);
        }
        // Of each slice's four, as many as there must be.
        let of_slice = producers * 4 / first;
        match index % 4 {
            number if number < of_slice => Role::Producer(index / 4 * of_slice + number),
            _ => Role::Idle,
        }
    }

    /// Columns n2 of a producer.
    #[must_use]
    pub const fn columns(&self) -> u32 {
        CODELET / self.lane_rows()
    }

    /// Bytes from one row of the input to the next that a producer has in registers.
    #[must_use]
    pub const fn row_bytes(&self) -> u32 {
        POINT * SECOND * self.lane_rows()
    }

    /// Output number `position` of the codelet in the order in which producers turn them: those of a half whose lanes
    /// change places with x follow each other.
    #[must_use]
    pub const fn output(&self, position: u32) -> u32 {
        let (half, within) = (position / 8, position % 8);
        let (group, number) = (within / self.lane_rows(), within % self.lane_rows());
        8 * half + group + 8 / self.lane_rows() * number
    }

    /// Turns on the path of an output: of those in a codelet half are exact, of the lanes' own as well.
    pub(super) fn turns(&self) -> f64 {
        3.5 - 1.0 / f64::from(self.lane_rows())
    }

    /// Vectors of a producer's table: W_N^(16 k_x n2) for k_x from 1 on, then the turns of each output;
    /// of each cosines, then sines.
    const fn vectors(&self) -> u32 {
        2 * (self.lane_rows() - 1 + CODELET)
    }

    /// Words of the twiddle table.
    #[must_use]
    pub const fn twiddle_words(&self) -> u32 {
        self.producers() * self.vectors() * VECTOR
    }

    /// Word `index` of the twiddle table. Each output is multiplied by `gain` once.
    pub(super) fn twiddle_word(&self, index: u32, gain: f64) -> u32 {
        let (vector, lane) = (index / VECTOR, index % VECTOR);
        let (producer, vector) = (vector / self.vectors(), vector % self.vectors());
        let columns = self.columns();
        let n2 = columns * producer + lane % columns;
        let first = self.lane_rows() - 1;
        let (angle, gain) = match vector / 2 {
            number if number < first => (CODELET * (number + 1) * n2, 1.0),
            number => {
                let row = lane / columns;
                (self.output(number - first) * (SECOND * row + n2), gain)
            }
        };
        let (cos, sin) = twiddle::turn(angle % self.points(), self.points());
        let value = if vector.is_multiple_of(2) { cos } else { sin };
        ((value * gain) as f32).to_bits()
    }

    /// The first k1 of round `round`, over 8.
    #[must_use]
    pub const fn octet(&self, round: u32) -> u32 {
        let rows = self.lane_rows();
        2 * (round % rows) + round / rows
    }

    /// Words that all programs read.
    pub const HEAD: u32 = 2;
    /// Words of a producer that it reads once.
    pub const PRODUCER_HEAD: u32 = 1;
    /// Words of a consumer that it reads once.
    pub const CONSUMER_HEAD: u32 = 12;

    /// Words before those of consumers.
    #[must_use]
    pub const fn producer_words(&self) -> u32 {
        Self::HEAD + Self::PRODUCER_HEAD + 11
    }

    /// The value of a uniform of program `index`, whose list is at `list`.
    #[must_use]
    pub fn uniform(&self, transform: &Transform, index: u32, list: u32, word: Word) -> u32 {
        let bytes = POINT * self.points();
        let setup = |word: Result<u32, _>| word.unwrap_or(0);
        let role = self.role(index, transform.programs);
        let (producer, consumer) = match role {
            Role::Producer(number) => (number, 0),
            Role::Consumer(number) => (0, number),
            Role::Idle => (0, 0),
        };
        let rows = (SECOND / self.producers()) as u8;
        let own_row = rows * producer as u8;
        let consumer_list = list + 4 * self.producer_words();
        match word {
            Word::Role => match role {
                Role::Producer(_) => 0,
                Role::Consumer(_) => 1,
                Role::Idle => u32::MAX,
            },
            Word::ConsumerList => consumer_list,
            Word::Transforms => transform.batch,
            Word::List => list + 4 * (Self::HEAD + Self::PRODUCER_HEAD),
            Word::Step => bytes,
            Word::Input => transform.input + POINT * self.columns() * producer,
            Word::FactorRe => transform.factors[0].to_bits(),
            Word::FactorIm => (transform.factors[0] * transform.conjugate).to_bits(),
            Word::Twiddles => transform.twiddles + 4 * VECTOR * self.vectors() * producer,
            Word::WriteSetup { .. } => setup(Block::row(own_row).write_setup()),
            Word::Drain => setup(Block::row(own_row).read_setup(1)),
            Word::Cosine { sixteenths } => {
                (twiddle::turn(u32::from(sixteenths), 2 * CODELET).0 as f32).to_bits()
            }
            Word::Opens => u32::from(role == Role::Consumer(0)),
            Word::Peers if role == Role::Consumer(0) => CONSUMERS - 1,
            Word::Peers => u32::MAX,
            Word::Rounds => transform.batch * self.rounds() / CONSUMERS,
            Word::Turn => 8 * 4 * consumer,
            Word::RoundList => consumer_list + 4 * Self::CONSUMER_HEAD,
            Word::Conjugate => {
                (1f32.copysign(transform.factors[0] * transform.factors[1])).to_bits()
            }
            Word::ReadSetup { component: half } => setup(Block::row(16 * half).read_setup(16)),
            // k2 = group, + 4, + 8 and so on: every second row of a half.
            Word::OutputSetup { group } => {
                let first = 32 + 16 * (group % 2) + group / 2;
                setup(Block::row(first).stride(2).write_setup())
            }
            // Every second k2.
            Word::StoreStride { .. } => store_stride((2 * self.row_of_k2() - ROW) as u16),
            Word::StoreSetup { index: half } => setup(Store::rows(16, 32 + 16 * half).setup()),
            Word::Store { index: half } => {
                let octet = self.octet(consumer);
                transform.output + ROW * octet + self.row_of_k2() * u32::from(half)
            }
            Word::RoundStep => self.round_step(consumer),
            Word::RoundSteps => match self.rounds() / CONSUMERS {
                1 => 2 * bytes,
                _ => bytes,
            },
            Word::Follows => 0,
            Word::Last
            | Word::NextUnit
            | Word::Component
            | Word::NextRow
            | Word::ColumnSetup { .. }
            | Word::Part { .. } => 0,
        }
    }

    /// Bytes from one k2 to the next.
    const fn row_of_k2(&self) -> u32 {
        POINT * CODELET * self.lane_rows()
    }

    /// Bytes from the output of a consumer's first round to that of its second.
    const fn round_step(&self, consumer: u32) -> u32 {
        if self.rounds() == CONSUMERS {
            return POINT * self.points();
        }
        ROW * (self.octet(consumer + CONSUMERS) - self.octet(consumer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_is_there_once() {
        for log2_points in [10, 11] {
            let pipeline = Pipeline::new(log2_points).unwrap();
            for programs in pipeline.least_programs()..=pipeline.programs() {
                let count = |role| {
                    let roles = (0..programs).map(|index| pipeline.role(index, programs));
                    roles.filter(|&other| other == role).count()
                };
                for number in 0..pipeline.producers() {
                    assert_eq!(count(Role::Producer(number)), 1);
                }
                for number in 0..CONSUMERS {
                    assert_eq!(count(Role::Consumer(number)), 1);
                }
            }
        }
    }

    #[test]
    fn rounds_and_positions_are_all_different() {
        for log2_points in [10, 11] {
            let pipeline = Pipeline::new(log2_points).unwrap();
            let mut octets: Vec<_> = (0..pipeline.rounds()).map(|n| pipeline.octet(n)).collect();
            octets.sort_unstable();
            assert_eq!(octets, (0..pipeline.rounds()).collect::<Vec<_>>());
            let mut outputs: Vec<_> = (0..16).map(|n| pipeline.output(n)).collect();
            outputs.sort_unstable();
            assert_eq!(outputs, (0..16).collect::<Vec<_>>());
        }
    }
}

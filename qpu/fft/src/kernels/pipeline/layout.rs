//! 2^9 to 2^11 points in one pass over memory: producers hand rows to consumers through the VPM.
//!
//! N = 16 X · 32, X = 1, 2 or 4. Input index n = 32 (X m + x) + n2, output index k = k1 + 16 X k2
//! with k1 = k_lo + 16 k_x.
//!
//! A **producer** p transforms 16/X columns n2 from 16 p/X on: points m in registers, lane = 16
//! x/X + (n2 mod 16/X). Outputs k_lo of the transform of 16 points are multiplied by W_N^(k_lo (32
//! x + n2)); then lanes change places with registers: x with bits of k_lo, so that the transform
//! over x, too, is done in registers, and, multiplied by W_N^(16 k_x n2), all bits of n2 but the
//! lowest with the other bits of k_lo below 8. So vectors have lane = 2 (k1 mod 8) + n2 mod 2,
//! which is how a **consumer** wants them: it transforms 32 points n2 = 2 row + lane mod 2 for 8
//! k1 as the programs of 2^9 do ([`crate::kernels::short::layout`]), and stores whole rows of
//! memory.
//!
//! Vectors go in rounds. In a round all producers write vectors for the same 8 k1, real and
//! imaginary parts in turn, into rows 0..32 of the VPM; n2 / 2 of a vector is its place there.
//! Consumers take the rounds in turn. A round's k1 begin at 8 d, d = 2 k_x + k_lo / 8: of 2^10
//! points d = 0, 2, 1, 3, of 2^11 d = 0, 2, 4, 6, 1, 3, 5, 7. While a consumer computes, others
//! take the next rounds, and producers begin with their next transform of the batch. A transform of
//! 2^11 points takes eight producers. For several shorter ones there are **groups** with as many as
//! a transform takes, four of 2^9 and two of 2^10, which take the transforms in turn: one group
//! computes while others write. Output goes through rows 32..64, in halves of 16, which have a lock
//! each.
//!
//! | semaphore | counts |
//! |---|---|
//! | 0 | producers whose vectors are in the VPM |
//! | 1, 2 | gates: the right to write the next round; in turn. Of the first group, if there are several |
//! | 3, 4 | locks of the halves of output |
//! | 5 .. 8 | the slot of consumer 0 .. 3: the right to the next round |
//! | 9 | consumers that have ended |
//! | 10, 11 .. 14, 15 | gates of the other groups |
//!
//! Producers write one after the other: a row of a store comes to the port of the VPM behind all
//! writes that are on their way. Who has passed a gate hands the right on at that gate, and cannot
//! come to it again before all have passed the other one, since the round in between takes vectors
//! of all. When all have written, the right is back at the gate: the consumer takes it, reads, and
//! opens the gate of the next round. Consumer 0 makes locks, the first slot and opens the first
//! gate, and takes back what is there when all others have ended.
//!
//! The numbers of semaphores are in instructions: where there are several groups, a producer goes
//! through a table of gates, by a register that changes between its two with each round. What a
//! consumer does to pass a round on repeats after eight rounds, of which each consumer has two.

use super::uniforms::Word;
use crate::kernels::context::{Buffers, ProgramContext};
use crate::kernels::layout::{Entry, OnePass, not_in_its_lists};
use crate::kernels::one_pass::cosine;
use crate::kernels::sizes::{CODELET_POINTS, POINT_BYTES};
use crate::kernels::twiddle;
use crate::kernels::uniform::{Pack, UniformId};
use qpu::machine::LANES;
use qpu::vpm::{Block, Store, store_stride};

/// Programs that take rounds in turn.
pub const CONSUMERS: u32 = 4;
/// Points of the second transform.
pub const SECOND: u32 = 32;
/// Bytes of a row of memory: the outputs of a round for one k2.
const ROW: u32 = 64;

/// The role of a program, with its number among those that do the same.
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
    /// Groups of producers.
    groups: u32,
}

impl Pipeline {
    /// The pipeline of 2^`log2_points` points, with several groups of producers or with one; `None`
    /// when there is none.
    pub const fn new(log2_points: u32, has_groups: bool) -> Option<Self> {
        let groups = match (log2_points, has_groups) {
            (10 | 11, false) => 1,
            (9 | 10, true) => 1 << (11 - log2_points),
            _ => return None,
        };
        Some(Self {
            log2_points,
            groups,
        })
    }

    /// Length of the transform.
    pub const fn points(&self) -> u32 {
        1 << self.log2_points
    }

    /// Points of the first transform over those of the codelet: X.
    pub const fn lane_rows(&self) -> u32 {
        self.points() / (CODELET_POINTS * SECOND)
    }

    /// Producers of a transform.
    pub const fn producers(&self) -> u32 {
        2 * self.lane_rows()
    }

    /// Groups of producers.
    pub const fn groups(&self) -> u32 {
        self.groups
    }

    /// Rounds of a transform.
    pub const fn rounds(&self) -> u32 {
        2 * self.lane_rows()
    }

    /// Programs that it is fastest with.
    pub const PROGRAMS: u32 = 12;

    /// The role of program `index` of `programs`. QPUs of a slice share two TMUs, and get programs
    /// that follow each other: so producers are kept apart where there are QPUs enough.
    pub const fn role(&self, index: u32, programs: u32) -> Role {
        let producers = self.producers() * self.groups;
        let first = if programs == Self::PROGRAMS {
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

    /// The gate of round `round`, counted through all transforms: each group has two.
    pub const fn gate(&self, round: u32) -> u32 {
        round / self.rounds() % self.groups() * 2 + round % 2
    }

    /// The different ways in which rounds are passed on: the gate that closes, the gate that opens,
    /// and the consumer that has the slot then.
    pub fn ways_on(&self) -> impl Iterator<Item = [u32; 3]> + use<> {
        let pipeline = *self;
        let repeat = CONSUMERS * if self.groups == 1 { 1 } else { 2 };
        (0..repeat).map(move |round| {
            let next = round + 1;
            let [closes, opens] = [round, next].map(|round| pipeline.gate(round));
            [closes, opens, next % CONSUMERS]
        })
    }

    /// The state when so many transforms are over, by their number modulo that of groups: the
    /// consumer that has the slot, and the gate that is open.
    pub fn left(&self) -> impl Iterator<Item = [u32; 2]> + use<> {
        let pipeline = *self;
        let next = (0..self.groups()).map(move |transforms| transforms * pipeline.rounds());
        next.map(move |round| [round % CONSUMERS, pipeline.gate(round)])
    }

    /// Columns n2 of a producer.
    pub const fn columns(&self) -> u32 {
        CODELET_POINTS / self.lane_rows()
    }

    /// Bytes from one row of the input to the next that a producer has in registers.
    pub const fn row_bytes(&self) -> u32 {
        POINT_BYTES * SECOND * self.lane_rows()
    }

    /// Output number `position` of the codelet in the order in which producers multiply them: those
    /// of a half whose lanes change places with x follow each other.
    pub const fn output(&self, position: u32) -> u32 {
        let (half, within) = (position / 8, position % 8);
        let (group, number) = (within / self.lane_rows(), within % self.lane_rows());
        8 * half + group + 8 / self.lane_rows() * number
    }

    /// Vectors of a producer's table: W_N^(16 k_x n2) for k_x from 1 on, then the roots of each
    /// output; of each cosines, then sines.
    const fn vectors(&self) -> u32 {
        2 * (self.lane_rows() - 1 + CODELET_POINTS)
    }

    /// The first k1 of round `round`, over 8.
    pub const fn octet(&self, round: u32) -> u32 {
        let rows = self.lane_rows();
        2 * (round % rows) + round / rows
    }

    /// Words that all programs read.
    pub const HEAD: u32 = 2;

    /// Words of a producer that it reads once.
    pub const fn producer_head(&self) -> u32 {
        if self.groups > 1 { 3 } else { 1 }
    }

    /// Words of a consumer that it reads once.
    pub const fn consumer_head(&self) -> u32 {
        if self.groups > 1 { 14 } else { 12 }
    }

    /// Words before those of consumers.
    pub const fn producer_words(&self) -> u32 {
        Self::HEAD + self.producer_head() + 11
    }

    /// Instructions of a way in a table of ways.
    pub const WAY: u32 = 4;
    /// Instructions of a way on which a round is passed on.
    pub const WAY_ON: u32 = 5;

    /// Bytes from one k2 to the next.
    const fn row_of_k2(&self) -> u32 {
        POINT_BYTES * CODELET_POINTS * self.lane_rows()
    }

    /// Bytes from the output of a consumer's first round to that of its second.
    const fn round_step(&self, consumer: u32) -> u32 {
        if self.rounds() <= CONSUMERS {
            return CONSUMERS / self.rounds() * POINT_BYTES * self.points();
        }
        ROW * (self.octet(consumer + CONSUMERS) - self.octet(consumer))
    }
}

impl OnePass for Pipeline {
    fn log2_points(&self) -> u32 {
        self.log2_points
    }

    fn radices(&self) -> [u32; 2] {
        [self.points() / SECOND, SECOND]
    }

    fn is_of_several(&self) -> bool {
        self.groups > 1
    }

    fn programs(&self, _batch: u32) -> u32 {
        Self::PROGRAMS
    }

    fn least_programs(&self) -> u32 {
        self.producers() * self.groups + CONSUMERS
    }

    fn entry(&self, batch: u32, programs: u32, index: u32) -> Entry {
        match self.role(index, programs) {
            Role::Idle => Entry::Nowhere,
            Role::Producer(number) if number / self.producers() >= batch => Entry::Nowhere,
            Role::Producer(_) | Role::Consumer(_) => Entry::Beginning,
        }
    }

    fn twiddle_words(&self) -> u32 {
        self.producers() * self.vectors() * LANES
    }

    /// Each output is multiplied by `gain` once.
    fn twiddle_word(&self, index: u32, gain: f64) -> u32 {
        let (vector, lane) = (index / LANES, index % LANES);
        let (producer, vector) = (vector / self.vectors(), vector % self.vectors());
        let columns = self.columns();
        let n2 = columns * producer + lane % columns;
        let first = self.lane_rows() - 1;
        let (angle, gain) = match vector / 2 {
            number if number < first => (CODELET_POINTS * (number + 1) * n2, 1.0),
            number => {
                let row = lane / columns;
                (self.output(number - first) * (SECOND * row + n2), gain)
            }
        };
        let (cos, sin) = twiddle::root(angle % self.points(), self.points());
        let value = if vector.is_multiple_of(2) { cos } else { sin };
        ((value * gain) as f32).to_bits()
    }

    /// Half of the twiddle factors in a codelet are exact, half of the lanes' own as well.
    fn twiddles_of_an_output(&self) -> f64 {
        3.5 - 1.0 / f64::from(self.lane_rows())
    }

    fn uniform(&self, buffers: &Buffers, program: &ProgramContext, id: UniformId) -> u32 {
        let bytes = POINT_BYTES * self.points();
        let setup = |word: Result<u32, _>| word.unwrap_or(0);
        let groups = self.groups;
        let role = self.role(program.program, program.programs);
        let (producer, group, consumer) = match role {
            Role::Producer(number) => (number % self.producers(), number / self.producers(), 0),
            Role::Consumer(number) => (0, 0, number),
            Role::Idle => (0, 0, 0),
        };
        // Rounds of a consumer are as many apart as there are consumers.
        let (first, round) = (consumer / self.rounds(), consumer % self.rounds());
        let way_on = |round| 8 * Self::WAY_ON * round;
        let rows = (SECOND / self.producers()) as u8;
        let own_row = rows * producer as u8;
        let consumer_list = program.start + 4 * self.producer_words();
        match Word::of(id) {
            Word::Role => match role {
                Role::Producer(_) | Role::Idle => 0,
                Role::Consumer(_) => 1,
            },
            Word::ConsumerList => consumer_list,
            Word::Transforms => program.batch.saturating_sub(group).div_ceil(groups),
            Word::List => program.start + 4 * (Self::HEAD + self.producer_head()),
            Word::Step => groups * bytes,
            Word::Input => buffers.from + group * bytes + POINT_BYTES * self.columns() * producer,
            Word::Gate { both } => {
                let gates = [2 * group, 2 * group + 1];
                8 * Self::WAY * if both { gates[0] + gates[1] } else { gates[0] }
            }
            Word::FactorRe => program.scale[0].to_bits(),
            Word::FactorIm => (program.scale[0] * program.conjugate).to_bits(),
            Word::Twiddles => buffers.table + 4 * LANES * self.vectors() * producer,
            Word::WriteSetup => setup(Block::row(own_row).write_setup()),
            Word::Drain => setup(Block::row(own_row).read_setup(1)),
            Word::Cosine { sixteenths } => cosine(sixteenths).to_bits(),
            Word::Opens => u32::from(role == Role::Consumer(0)),
            Word::Peers if role == Role::Consumer(0) => 8 * Self::WAY * (program.batch % groups),
            Word::Peers => u32::MAX,
            Word::Rounds => {
                let rounds = program.batch * self.rounds();
                rounds.saturating_sub(consumer).div_ceil(CONSUMERS)
            }
            Word::Slot => 8 * Self::WAY * consumer,
            Word::PassOn { both } => {
                let other = consumer + CONSUMERS;
                way_on(consumer + if both { other } else { 0 })
            }
            Word::RoundList => consumer_list + 4 * self.consumer_head(),
            Word::Conjugate => program.output_conjugate().to_bits(),
            Word::ReadSetup { component: half } => setup(Block::row(16 * half).read_setup(16)),
            // k2 = group, + 4, + 8 and so on: every second row of a half.
            Word::OutputSetup { group } => {
                let first = 32 + 16 * (group % 2) + group / 2;
                setup(Block::row(first).stride(2).write_setup())
            }
            // Every second k2.
            Word::StoreStride => store_stride((2 * self.row_of_k2() - ROW) as u16),
            Word::StoreSetup { index: half } => setup(Store::rows(16, 32 + 16 * half).setup()),
            Word::Store { index: half } => {
                let from = buffers.to + first * bytes;
                from + ROW * self.octet(round) + self.row_of_k2() * u32::from(half)
            }
            Word::RoundStep => self.round_step(consumer),
            Word::RoundSteps => 2 * CONSUMERS * bytes / self.rounds(),
            Word::OfConsumers(_) | Word::Bytes(_) | Word::Part { .. } => not_in_its_lists(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = Pipeline> {
        let one = [10, 11].map(|log2_points| Pipeline::new(log2_points, false));
        let several = [9, 10].map(|log2_points| Pipeline::new(log2_points, true));
        one.into_iter().chain(several).map(Option::unwrap)
    }

    #[test]
    fn every_role_is_there_once() {
        for pipeline in all() {
            for programs in pipeline.least_programs()..=Pipeline::PROGRAMS {
                let count = |role| {
                    let roles = (0..programs).map(|index| pipeline.role(index, programs));
                    roles.filter(|&other| other == role).count()
                };
                for number in 0..pipeline.producers() * pipeline.groups() {
                    assert_eq!(count(Role::Producer(number)), 1);
                }
                for number in 0..CONSUMERS {
                    assert_eq!(count(Role::Consumer(number)), 1);
                }
            }
        }
    }

    #[test]
    fn gates_are_of_their_group_and_semaphores_are_enough() {
        for pipeline in all() {
            let (rounds, groups) = (pipeline.rounds(), pipeline.groups());
            for round in 0..64 {
                let group = round / rounds % groups;
                assert_eq!(pipeline.gate(round) / 2, group);
                assert_ne!(pipeline.gate(round), pipeline.gate(round + 1));
            }
            let ways: Vec<_> = pipeline.ways_on().collect();
            for round in 0..64 {
                // A consumer has two ways, or one.
                let way = if groups > 1 { round % 8 } else { round % 4 };
                let [closes, opens, slot] = ways[way as usize];
                let gates = [round, round + 1].map(|round| pipeline.gate(round));
                assert_eq!(([closes, opens], slot), (gates, (round + 1) % CONSUMERS));
            }
            let left: Vec<_> = pipeline.left().collect();
            for batch in 1..20 {
                let round = batch * rounds;
                let wanted = [round % CONSUMERS, pipeline.gate(round)];
                assert_eq!(left[(batch % groups) as usize], wanted);
            }
        }
    }

    #[test]
    fn rounds_and_positions_are_all_different() {
        for pipeline in all() {
            let mut octets: Vec<_> = (0..pipeline.rounds()).map(|n| pipeline.octet(n)).collect();
            octets.sort_unstable();
            assert_eq!(octets, (0..pipeline.rounds()).collect::<Vec<_>>());
            let mut outputs: Vec<_> = (0..16).map(|n| pipeline.output(n)).collect();
            outputs.sort_unstable();
            assert_eq!(outputs, (0..16).collect::<Vec<_>>());
        }
    }
}

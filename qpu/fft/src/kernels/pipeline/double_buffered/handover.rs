//! Conditions that consumers wait for, and the programs that they report to.

use super::DoubleBuffered;
use crate::kernels::pipeline::layout::CONSUMERS;
use crate::kernels::pipeline::uniforms::Units;

/// Rows of columns in the lanes: X.
pub const LANE_ROWS: u32 = 8;
/// Pairs of vectors of a half, each with a gate.
pub const PAIRS: u32 = 4;

/// A condition that a consumer waits for before it reads vectors, or an action when it has read
/// them: pieces of code that go back to where it came from. The number is that of a pair; for
/// [`Tell`](Self::Tell) and [`AwaitOther`](Self::AwaitOther), that of the first pair for which the
/// same is done; for [`Begin`](Self::Begin), that of a consumer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Handover {
    /// Reports to the other one of two consumers that a pair has been read.
    Tell(u8),
    /// Closes the gate of a pair and opens that of the next, when both consumers have read the
    /// pair, or one that reads it alone.
    Next(u8),
    /// The counterpart for early vectors: opens the gate of the next pair but one, as odd pairs are
    /// in other rows than even ones. The consumer that has read the fourth pair waits for the third
    /// to be read, and opens the first of late vectors.
    NextEarly(u8),
    /// Waits until it may read what the other one waits for.
    AwaitOther(u8),
    /// Waits for the vectors of all producers of a pair; then the other one may read as well, or
    /// the same one that reads alone has what it takes back in [`Next`](Self::Next).
    AwaitProducers(u8),
    /// Reports to consumer 0 that the transform before is stored; consumer 0 waits for that of all
    /// others, and opens the second gate. Goes on to what the consumer waits for first, which
    /// stands behind it.
    Begin(u8),
}

impl Handover {
    /// All, in the order in which they stand.
    pub const ALL: [Self; 22] = {
        use Handover::{AwaitOther, AwaitProducers, Begin, Next, NextEarly, Tell};
        [
            Tell(0),
            Tell(1),
            Tell(2),
            Next(0),
            Next(1),
            Next(2),
            Next(3),
            NextEarly(0),
            NextEarly(1),
            NextEarly(2),
            NextEarly(3),
            Begin(0),
            AwaitProducers(0),
            Begin(1),
            AwaitOther(0),
            Begin(2),
            AwaitProducers(1),
            Begin(3),
            AwaitOther(1),
            AwaitOther(2),
            AwaitProducers(2),
            AwaitProducers(3),
        ]
    };

    /// The condition that consumer `consumer` waits for before it reads vectors of its round
    /// `number`.
    pub(super) const fn before(consumer: u32, number: u32, units: Units) -> Self {
        if let (0, Units::Early) = (number, units) {
            return Self::Begin(consumer as u8);
        }
        let pair = pair(consumer, number);
        if number < DoubleBuffered::EARLY_ROUNDS && consumer % 2 == 1 {
            return Self::AwaitOther(Self::like(pair));
        }
        Self::AwaitProducers(pair)
    }

    /// The action of the consumer when it has read them.
    pub(super) const fn behind(consumer: u32, number: u32, units: Units) -> Self {
        let is_early = number < DoubleBuffered::EARLY_ROUNDS;
        let pair = pair(consumer, number);
        if is_early && consumer.is_multiple_of(2) {
            return Self::Tell(Self::like(pair));
        }
        match units {
            Units::Early if is_early => Self::NextEarly(pair),
            Units::Early | Units::Late => Self::Next(pair),
        }
    }

    /// The first pair that two consumers report to each other by the same count: odd pairs have
    /// one.
    const fn like(pair: u8) -> u8 {
        match pair {
            3 => 1,
            _ => pair,
        }
    }

    /// Instructions.
    pub const fn instructions(self) -> u32 {
        match self {
            Self::NextEarly(3) => 5,
            Self::AwaitProducers(_) => 2 + DoubleBuffered::PRODUCERS,
            Self::Begin(0) => CONSUMERS,
            Self::Begin(_) => 1,
            _ => 4,
        }
    }

    /// Bytes of code from the first of all.
    pub(super) fn bytes(self) -> u32 {
        let before = Self::ALL.iter().take_while(|&&way| way != self);
        before.map(|way| 8 * way.instructions()).sum()
    }
}

/// The pair of vectors of each unit that a consumer reads for a round: producers write four, and
/// again.
const fn pair(consumer: u32, number: u32) -> u8 {
    let round = consumer + CONSUMERS * number;
    let pair = if round < LANE_ROWS {
        round / 2
    } else {
        round % PAIRS
    };
    pair as u8
}

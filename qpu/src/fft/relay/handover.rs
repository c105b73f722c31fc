//! What consumers wait for, and whom they tell.

use super::{CONSUMERS, LANE_ROWS, PAIRS, Relay};
use crate::fft::coop::Units;

/// What a consumer waits for before it reads vectors, or does when it has read them: pieces of code that go back to
/// where it came from. The number of [`Tell`](Self::Tell) and [`AwaitOther`](Self::AwaitOther) is that of two
/// consumers, 0 and 1 or 2 and 3, else that of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Handover {
    /// Tells the other one of the first or second two consumers that a pair has been read.
    Tell(u8),
    /// The same of the first pair. Then all producers have had the rows of their early units: takes these from the count, so
    /// that who waits for rows of late units finds those.
    TellFirst,
    /// When both have read a pair, or one that reads it alone: closes its gate, and opens that of the next.
    Next(u8),
    /// The same of early vectors: opens that of the next but one, as odd pairs are in other rows than even ones. Who has
    /// read the fourth pair waits for the third to be read, and opens the first of late vectors.
    NextEarly(u8),
    /// Waits until it may read what the other one waits for.
    AwaitOther(u8),
    /// Waits for the vectors of all producers of a pair; then the other one may read as well.
    AwaitProducers(u8),
    /// The same of the third pair of the second half, which consumer 2 reads: consumer 1 is not told, as it may be in the next
    /// transform and wait for the first pair.
    AwaitAlone,
    /// Closes the gate of that pair, and opens that of the next.
    NextAlone,
}

impl Handover {
    /// All, in the order in which they stand.
    pub const ALL: [Self; 19] = {
        use Handover::{
            AwaitAlone, AwaitOther, AwaitProducers, Next, NextAlone, NextEarly, Tell, TellFirst,
        };
        [
            Tell(0),
            Tell(1),
            TellFirst,
            Next(0),
            Next(1),
            Next(2),
            Next(3),
            NextEarly(0),
            NextEarly(1),
            NextEarly(2),
            NextEarly(3),
            AwaitOther(0),
            AwaitOther(1),
            AwaitProducers(0),
            AwaitProducers(1),
            AwaitProducers(2),
            AwaitProducers(3),
            AwaitAlone,
            NextAlone,
        ]
    };

    /// What consumer `consumer` waits for before it reads vectors of its round `number`.
    pub(super) const fn before(consumer: u32, number: u32) -> Self {
        if number < Relay::EARLY_ROUNDS && consumer % 2 == 1 {
            return Self::AwaitOther((consumer / 2) as u8);
        }
        match consumer {
            2 if number >= Relay::EARLY_ROUNDS => Self::AwaitAlone,
            _ => Self::AwaitProducers(pair(consumer, number)),
        }
    }

    /// What it does when it has read them.
    pub(super) const fn behind(consumer: u32, number: u32, units: Units) -> Self {
        let is_early = number < Relay::EARLY_ROUNDS;
        if let (0, 0, Units::Early) = (consumer, number, units) {
            return Self::TellFirst;
        }
        if is_early && consumer.is_multiple_of(2) {
            return Self::Tell((consumer / 2) as u8);
        }
        let pair = pair(consumer, number);
        match units {
            Units::Early if is_early => Self::NextEarly(pair),
            _ if !is_early && consumer == 2 => Self::NextAlone,
            Units::Early | Units::Late => Self::Next(pair),
        }
    }

    /// Instructions.
    #[must_use]
    pub const fn instructions(self) -> u32 {
        match self {
            Self::NextEarly(3) => 5,
            Self::AwaitProducers(_) | Self::TellFirst => 2 + Relay::PRODUCERS,
            Self::AwaitAlone => 1 + Relay::PRODUCERS,
            _ => 4,
        }
    }

    /// Bytes of code from the first of all.
    pub(super) fn bytes(self) -> u32 {
        let before = Self::ALL.iter().take_while(|&&way| way != self);
        before.map(|way| 8 * way.instructions()).sum()
    }
}

/// The pair of vectors of each unit that a consumer reads for a round: producers write four, and again.
const fn pair(consumer: u32, number: u32) -> u8 {
    let round = consumer + CONSUMERS * number;
    let pair = if round < LANE_ROWS {
        round / 2
    } else {
        round % PAIRS
    };
    pair as u8
}

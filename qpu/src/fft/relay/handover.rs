//! What consumers wait for, and whom they tell.

use super::Relay;

/// Instructions that look up the code of a round.
const LOOK_AHEAD: u32 = 14;

/// What a consumer waits for before it reads vectors, or does when it has read them: pieces of code that go back to where it
/// came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Handover {
    /// Tells the other one of the first or second two consumers that it may read.
    TellSecond(u8),
    /// Closes the gate of a pair, and opens that of the next.
    Next(u8),
    /// The same of early vectors: opens that of the next but one, as odd pairs are in other rows than even ones. After the
    /// fourth pair it lets producers begin with their late units instead.
    NextEarly(u8),
    /// Waits until it may read.
    AwaitSecond(u8),
    /// Waits for the vectors of all producers of a pair. Of the first, meanwhile brings the code of a round into the L2C.
    AwaitProducers(u8),
}

impl Handover {
    /// All, in the order in which they stand.
    pub const ALL: [Self; 16] = {
        use Handover::{AwaitProducers, AwaitSecond, Next, NextEarly, TellSecond};
        [
            TellSecond(0),
            TellSecond(1),
            Next(0),
            Next(1),
            Next(2),
            Next(3),
            NextEarly(0),
            NextEarly(1),
            NextEarly(2),
            NextEarly(3),
            AwaitSecond(0),
            AwaitSecond(1),
            AwaitProducers(0),
            AwaitProducers(1),
            AwaitProducers(2),
            AwaitProducers(3),
        ]
    };

    /// Instructions.
    #[must_use]
    pub const fn instructions(self) -> u32 {
        match self {
            Self::NextEarly(3) => 4 + 2 * Relay::PRODUCERS,
            Self::AwaitProducers(0) => 1 + Relay::PRODUCERS + LOOK_AHEAD,
            Self::AwaitProducers(_) => 1 + Relay::PRODUCERS,
            _ => 4,
        }
    }

    /// Bytes of code from the first of all.
    pub(super) fn bytes(self) -> u32 {
        let before = Self::ALL.iter().take_while(|&&way| way != self);
        before.map(|way| 8 * way.instructions()).sum()
    }
}

//! Which semaphore is what ([`crate::fft::relay`]), and what waits for them.

use crate::fft::relay::Relay;
use crate::generate::fft::coop::roles::semaphore::{HALVES, ways};
use crate::generate::{Builder, Label};
use crate::isa::BranchCond;

/// The right to write two rounds, in turn.
pub const GATES: [u8; 4] = [0, 1, 2, 5];
/// Producers whose vectors of these are in the VPM.
pub const WRITTEN: [u8; 2] = [6, 7];
/// Turn of a consumer to read.
const TURNS: [u8; 4] = [8, 9, 10, 11];
/// What consumer 1 parks is parked.
pub const PARKED: u8 = 12;
/// Consumers that have ended.
pub const ENDED: u8 = 13;
/// Pairs of rounds of this transform are written: all rounds of the one before are read.
pub const BEGUN: u8 = 14;

/// What consumer 0 makes, and takes back.
pub const MADE: [u8; 4] = [HALVES[0], HALVES[1], TURNS[0], GATES[0]];

/// What consumers wait for at the beginning of a round ([`crate::fft::coop::PartWord::Turn`]).
pub fn await_turn(b: &mut Builder, back: Label) {
    ways(b, TURNS, back);
}

/// Then for producers ([`crate::fft::coop::PartWord::Written`]); those that wait for none go on behind it.
pub fn await_written(b: &mut Builder, back: Label) {
    for written in WRITTEN {
        for number in 0..Relay::PRODUCERS {
            if number + 3 == Relay::PRODUCERS {
                b.brr(BranchCond::Always, back);
            }
            b.sacq(written);
        }
    }
}

/// A consumer has read ([`crate::fft::coop::PartWord::PassOn`]): it is the next one's turn. When both rounds are read that
/// were written together, the next two can be; as in [`ways`] a way is 4 instructions.
pub fn pass_on(b: &mut Builder, back: Label) {
    let even = [0, 2].map(|consumer| (None, consumer));
    let odd = (0..GATES.len()).map(|pair| {
        let next = (pair + 1) % GATES.len();
        (
            Some([pair, next].map(|pair| GATES[pair])),
            1 + 2 * (pair % 2),
        )
    });
    for (gates, consumer) in even.into_iter().chain(odd) {
        b.brr(BranchCond::Always, back);
        if let Some([closes, opens]) = gates {
            b.sacq(closes);
            b.srel(opens);
        } else {
            b.nops(2);
        }
        b.srel(TURNS[(consumer + 1) % TURNS.len()]);
    }
}

//! Which semaphore is what ([`crate::fft::relay`]), and what waits for them.

use super::BACK;
use crate::fft::relay::{Handover, Relay};
use crate::generate::fft::ahead::{LOOKUP_BYTES, look_up_lines};
use crate::generate::fft::coop::roles::semaphore::HALVES;
use crate::generate::{Builder, ELEM_NUM, R0, R1, ra};
use crate::isa::BranchCond;

/// The right to write each pair of vectors.
pub const GATES: [u8; 4] = [0, 1, 2, 5];
/// Producers whose vectors of each pair are in the VPM.
pub const WRITTEN: [u8; 4] = [6, 7, 13, 14];
/// That the other of two consumers may read.
const SECOND: [u8; 2] = [8, 9];
/// Consumers that have stored.
pub const STORED: u8 = 10;
/// Producers that may begin with late units.
pub const TOGETHER: u8 = 11;
/// Consumers that have ended.
pub const ENDED: u8 = 12;
/// Producers that come to late units.
pub const ARRIVED: u8 = 15;

/// What consumer 0 makes, and takes back.
pub const MADE: [u8; 3] = [HALVES[0], HALVES[1], GATES[0]];

/// Bytes of code from where consumers have waited for late vectors to what they do with these.
pub const TO_ROUND: u32 = 8 * 19;
/// Lookups for the code from there to the end of a round. Who has waited for early vectors brings other code, to no use.
const LOOKUPS: u32 = 3;

/// What consumers wait for before they read, and do when they have read; then they go back to where [`BACK`] says.
///
/// # Panics
/// When a way is not as long as [`Handover`] has it: a bug, found when the programs are built.
pub fn ways(b: &mut Builder) {
    for way in Handover::ALL {
        let from = b.len();
        write(b, way);
        assert_eq!((b.len() - from) as u32, way.instructions(), "{way:?}");
    }
}

fn write(b: &mut Builder, way: Handover) {
    let gate = |number: u8| GATES[usize::from(number) % GATES.len()];
    match way {
        Handover::TellSecond(pair) => short(b, &[], Some(SECOND[usize::from(pair)])),
        Handover::AwaitSecond(pair) => short(b, &[SECOND[usize::from(pair)]], None),
        Handover::Next(pair) => short(b, &[gate(pair)], Some(gate(pair + 1))),
        Handover::NextEarly(3) => {
            for _ in 0..Relay::PRODUCERS {
                b.sacq(ARRIVED);
            }
            for _ in 0..Relay::PRODUCERS {
                b.srel(TOGETHER);
            }
            short(b, &[gate(3)], None);
        }
        Handover::NextEarly(pair) => short(b, &[gate(pair)], Some(gate(pair + 2))),
        Handover::AwaitProducers(pair) => {
            let written = WRITTEN[usize::from(pair)];
            b.sacq(written);
            if pair == 0 {
                look_ahead(b);
            }
            for number in 1..Relay::PRODUCERS {
                if number + 3 == Relay::PRODUCERS {
                    back(b);
                }
                b.sacq(written);
            }
        }
    }
}

fn back(b: &mut Builder) {
    b.bra(BranchCond::Always, ra(BACK));
}

/// A way of four instructions.
fn short(b: &mut Builder, takes: &[u8], gives: Option<u8>) {
    back(b);
    for &number in takes {
        b.sacq(number);
    }
    if let Some(number) = gives {
        b.srel(number);
    }
    b.nops(3 - takes.len() - usize::from(gives.is_some()));
}

/// Brings the code of a round into the L2C while its vectors are written: what consumers run does not fit the
/// instruction cache, so that the first round is fetched anew in each launch.
fn look_ahead(b: &mut Builder) {
    b.shl(R0, ELEM_NUM, 6);
    b.ldi(R1, TO_ROUND);
    b.add(R0, R0, ra(BACK));
    b.add(R0, R0, R1);
    b.ldi(R1, LOOKUP_BYTES);
    look_up_lines(b, R0, R1, LOOKUPS);
}

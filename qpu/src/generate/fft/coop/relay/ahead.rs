//! What is brought into the L2C before it is wanted, by lookups that are dropped.
//!
//! Turns come from SDRAM, which would be too busy for stores if eight producers asked for all of a half at once.

use super::lists::part;
use crate::fft::coop::PartWord;
use crate::generate::fft::coop::Assembly;
use crate::generate::{ELEM_NUM, R0, TMU0_S, TMU1_S, UNIF};

/// Consumers, when producers have the rows of late units: turns of their first half, and behind their first round those of the
/// second; `half` is which.
pub fn turns(all: &mut Assembly, half: u8) {
    all.b.shl(R0, ELEM_NUM, 6);
    for (number, tmu) in (0..).zip([TMU0_S, TMU1_S]) {
        all.b.add(tmu, R0, UNIF);
        all.uniforms
            .push(part(PartWord::TurnsAhead { half, number }));
    }
}

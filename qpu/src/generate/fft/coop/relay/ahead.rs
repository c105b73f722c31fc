//! What is brought into the L2C before it is wanted, by lookups that are dropped.
//!
//! Neither role's code fits the instruction cache of a slice, so that some of it is fetched anew in each launch; and turns
//! come from SDRAM, which would be too busy for stores if eight producers asked for all of a half at once.

use super::lists::part;
use super::{BACK, TO_ROUND};
use crate::fft::coop::PartWord;
use crate::generate::fft::ahead::drop_lookups;
use crate::generate::fft::coop::Assembly;
use crate::generate::{Builder, ELEM_NUM, R0, R1, TMU0_S, TMU1_S, UNIF, ra};

/// Instructions of a producer's unit after which [`drop_code`] stands: of those behind it the second that looks up in
/// the same TMU would be its fifth.
pub const CODE_DROPPED: usize = 13;

/// The beginning of [`code`], in the shadow of the branch to a role, so that consumers run it as well: lanes 0..8 are
/// to have lines 0..8, the others lines 16..24.
pub fn begin_code(b: &mut Builder) {
    b.and(R1, ELEM_NUM, 8);
}

/// Producers: brings the lines of their code that are fetched anew. It is 71 lines long for a cache of 16 sets of four; the
/// first that a launch comes to are those whose places others have got.
pub fn code(b: &mut Builder) {
    b.add(R1, R1, ELEM_NUM);
    b.shl(R1, R1, 6);
    b.add(TMU1_S, R1, ra(BACK));
}

/// Producers: the lookup before the unit dropped.
pub fn drop_code(b: &mut Builder) {
    b.nop().ldtmu1();
}

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

/// Consumers, when those turns are there: the code of a round.
pub fn round(all: &mut Assembly) {
    let b = &mut all.b;
    b.ldi(R1, TO_ROUND);
    b.add(R1, R1, ra(BACK));
    b.add(R1, R1, R0);
    drop_lookups(b, 2);
    b.add(TMU0_S, R1, UNIF);
    all.uniforms.push(part(PartWord::CodeAhead));
}

//! Lookups that bring data and code into the L2C before they are wanted, and are dropped.
//!
//! Roots come from SDRAM, which would be too busy for stores if eight producers asked for all of a
//! half at once. And code that another program has driven out of the instruction caches since the
//! last launch is there when a round wants it.

use super::lists::part;
use super::{BACK, TO_CODE};
use crate::fft::kernels::pipeline::roles::Assembly;
use crate::fft::kernels::pipeline::uniforms::PartWord;
use crate::generate::codelet::lookups::drop_lookups;
use crate::generate::{ELEM_NUM, R0, R1, TMU0_S, TMU1_S, UNIF, ra};

/// Consumers, when producers have the rows of late units: roots of their first half, and behind
/// their first round those of the second; `half` is which.
pub fn roots(all: &mut Assembly, half: u8) {
    all.b.shl(R0, ELEM_NUM, 6);
    for (number, tmu) in (0..).zip([TMU0_S, TMU1_S]) {
        all.b.add(tmu, R0, UNIF);
        all.uniforms
            .push(part(PartWord::RootsAhead { half, number }));
    }
}

/// Consumers, when those roots are there: their code.
pub fn round(all: &mut Assembly) {
    let b = &mut all.b;
    b.ldi(R1, TO_CODE);
    b.sub(R1, ra(BACK), R1);
    b.add(R1, R1, R0);
    drop_lookups(b, 2);
    b.add(TMU0_S, R1, UNIF);
    all.uniforms.push(part(PartWord::CodeAhead));
}

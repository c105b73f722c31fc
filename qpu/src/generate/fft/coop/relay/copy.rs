//! What consumers 0 and 1 do before their rounds: rows of the VPM to scratch memory.

use super::{Assembly, WAY, part, semaphore};
use crate::fft::coop::{PartWord, Word};
use crate::fft::relay::Relay;
use crate::generate::fft::ahead::{LOOKUP_BYTES, look_up_lines};
use crate::generate::fft::coop::roles::semaphore::HALVES;
use crate::generate::{
    Builder, ELEM_NUM, Label, NONE, R0, R1, R2, Reg, ST_ADDR, ST_WAIT, UNIF, UNIFORMS_ADDRESS,
    WR_SETUP, ra,
};
use crate::isa::BranchCond;

/// The label in [`look_ahead`].
pub const HERE: &str = "here";
/// Bytes of code from there to what a round does when its rows are read.
pub const ROUND_FROM_HERE: u32 = 928;
/// Lookups for the code from there to the end of a round: no more than that, since lines of what the QPUs write
/// must not be read before.
const ROUND_LOOKUPS: u32 = 3;

/// Writes it. Others go on at `rounds` at once, where their list of uniforms does. `offset` is how far on the transform
/// lies.
pub fn put(all: &mut Assembly, offset: Reg, rounds: Label) {
    let [park, odd, parked] = ["park", "park-odd", "parked"].map(|name| all.b.label(name));
    all.b.mov(NONE, UNIF).setf();
    all.b.mov(R1, UNIF);
    all.uniforms.extend([Word::Follows, Word::RoundList]);
    all.b.brr(BranchCond::AllNC, park);
    all.b.nops(3);
    all.b.brr(BranchCond::Always, rounds);
    all.b.mov(UNIFORMS_ADDRESS, R1);
    all.b.nops(2);
    all.b.bind(park);
    all.b.brr(BranchCond::AllZC, odd);
    all.b.shr(R0, offset, 1);
    all.b.mov(R2, Relay::COPIES as i32 / 2 - 1);
    all.b.nop();
    copies(&mut all.b, 0, "park-even");
    let words = [
        Word::StoreStride { index: Relay::COPY },
        Word::StoreSetup { index: Relay::COPY },
        part(PartWord::Copy),
    ];
    // Both loops have two of them.
    for _ in 0..2 * 2 {
        all.uniforms.extend(words);
    }
    all.b.srel(semaphore::GATES[0]);
    look_ahead(&mut all.b);
    all.b.brr(BranchCond::Always, parked);
    all.b.sacq(semaphore::PARKED);
    all.b.nops(2);
    all.b.bind(odd);
    // Rounds that are not read yet need the locks first: whoever has one of them stores what is before it.
    all.b.sacq(semaphore::BEGUN);
    for lock in HALVES {
        all.b.sacq(lock);
    }
    all.b.srel(semaphore::GATES[1]);
    copies(&mut all.b, 1, "park-next");
    for lock in HALVES {
        all.b.srel(lock);
    }
    all.b.srel(semaphore::PARKED);
    all.b.sacq(semaphore::BEGUN);
    all.b.bind(parked);
}

/// Stores of pairs of rounds that are even (0) or odd (1), two at a time. The gate that comes behind the last one is not
/// opened.
fn copies(b: &mut Builder, parity: usize, name: &str) {
    let gates = [parity, parity + 2].map(|gate| semaphore::GATES[gate]);
    let stored = b.label(if parity == 0 {
        "stored-even"
    } else {
        "stored-odd"
    });
    let again = b.here(name);
    for (number, gate) in gates.into_iter().enumerate() {
        for _ in 0..Relay::PRODUCERS {
            b.sacq(semaphore::WRITTEN[parity]);
        }
        if [parity, number] == [0, 0] {
            // In both rounds of the loop: the other consumer takes the second one, too.
            b.srel(semaphore::BEGUN);
        }
        b.mov(WR_SETUP, UNIF);
        b.mov(WR_SETUP, UNIF);
        b.add(ST_ADDR, R0, UNIF);
        b.mov(NONE, ST_WAIT);
        b.sacq(gate);
        if number == 0 {
            b.srel(gates[1]);
        }
    }
    b.sub(R2, R2, 1).setf();
    b.brr(BranchCond::AllNS, stored);
    b.nops(3);
    b.brr(BranchCond::Always, again);
    b.srel(gates[0]);
    b.nops(2);
    b.bind(stored);
}

/// Brings the code of rounds into the L2C while the last pairs are waited for: what consumers run does not fit the
/// instruction cache, so that the first round is fetched anew in each launch.
fn look_ahead(b: &mut Builder) {
    let here = b.label(HERE);
    b.brr(BranchCond::Always, here).link(ra(WAY));
    b.shl(R0, ELEM_NUM, 6 - 1);
    b.add(R0, R0, R0);
    b.ldi(R1, ROUND_FROM_HERE);
    b.bind(here);
    b.add(R0, R0, ra(WAY));
    b.add(R0, R0, R1);
    b.ldi(R1, LOOKUP_BYTES);
    look_up_lines(b, R0, R1, ROUND_LOOKUPS);
}

//! Programs of short lengths: several transforms at a time on one QPU, through rows of the VPM of its own.
//!
//! What they compute is told in [`crate::fft::short`]. A unit is one piece for the scheduler, so that the
//! parts of its two transforms overlap. The first lookups of a unit are on their way when it begins: they are sent
//! at the start of the program, or while the unit before is being stored. All uniforms are read once.

mod first;
mod second;

use super::first::ADDRESSES;
use super::{Assembly, Cooperative, Draughted, barrier, register};
use crate::fft::coop::{Cooperation, Word};
use crate::fft::short::Short;
use crate::generate::fft::draft::{Draft, Wish};
use crate::generate::schedule::{Destination, Place, Source};
use crate::generate::{Builder, NONE, ST_WAIT};
use crate::isa::{BranchCond, File};
use first::First;
use second::Second;

/// What is done once up to the first lookups, and behind them; a unit, or its first half; what leads to the next;
/// the second half of a unit whose transform two programs share.
const HEAD: usize = 0;
const CONSTANTS: usize = 1;
const UNIT: usize = 2;
const MORE: usize = 3;
const SECOND: usize = 4;

/// What the code between pieces uses.
struct Kept {
    /// Transforms of the batch behind the first of the unit.
    last: Place,
    /// Transforms from a unit to the next of this program.
    next_unit: Place,
    /// Of input and output.
    addresses: [Place; 2],
    /// Bytes from a unit to the next of this program.
    step: Place,
    /// Of two programs that share a transform: 0 in the one that leads barriers.
    follows: Option<Place>,
}

/// A register with a uniform in it.
fn load(draft: &mut Draft<Word>, word: Word, file: File) -> Place {
    let place = draft.take(Wish::File(file));
    draft.copy(Source::Uniform(word), Destination::Place(place));
    place
}

pub(super) fn draught(short: Short) -> Draughted {
    drawn(short).0
}

fn drawn(short: Short) -> (Draughted, Kept) {
    let is_shared = short.sharers() > 1;
    let mut draft = Draft::new(ADDRESSES);
    // Counted down, and compared with what is in file B.
    let last = load(&mut draft, Word::Last, File::A);
    let first = First::new(&mut draft, short);
    first.ask(&mut draft, last);
    let head = draft.cut();

    // An operand that takes no port.
    let cosine = Source::Uniform(Word::Cosine { sixteenths: 4 });
    draft.copy(cosine, Destination::Place(Place::R5));
    let second = Second::new(&mut draft, short);
    let twiddles = first.load_constants(&mut draft, second.numbers());
    let next_unit = load(&mut draft, Word::NextUnit, File::B);
    let step = load(&mut draft, Word::Step, File::B);
    let follows = is_shared.then(|| load(&mut draft, Word::Follows, File::A));
    let constants = draft.cut();

    if is_shared {
        first::tell_halves(&mut draft);
    }
    let points = first.load_rows(&mut draft, &twiddles);
    let outputs = first::transform(&mut draft, points);
    first.write_columns(&mut draft, &twiddles, outputs);
    let mut halves = Vec::new();
    if is_shared {
        halves.push(draft.cut());
    }
    second.tell_lanes(&mut draft);
    let rows = second.read(&mut draft);
    second.transform(&mut draft, rows);
    second.store(&mut draft, last);
    halves.push(draft.cut());

    first.ask(&mut draft, last);
    let mut halves = halves.into_iter();
    let unit = halves.next();
    let pieces = [head, constants].into_iter().chain(unit);
    let pieces = pieces.chain([draft.cut()]).chain(halves);
    let draughted = Draughted {
        pieces: pieces.collect(),
        count: last,
        offset: step,
        opens: last,
    };
    let kept = Kept {
        last,
        next_unit,
        addresses: [first.lanes, second.store],
        step,
        follows,
    };
    (draughted, kept)
}

pub(super) fn program(cooperation: Cooperation, short: Short) -> Cooperative {
    let (draughted, kept) = drawn(short);
    let [last, next_unit, step] = [kept.last, kept.next_unit, kept.step].map(register);
    let mut all = Assembly::new(cooperation, &draughted);
    all.piece(HEAD, None);
    all.piece(CONSTANTS, None);
    let unit = all.b.here("unit");
    let more = all.b.label("more");
    let followers = ["follower-0", "follower-1"].map(|name| all.b.label(name));
    let joined = ["joined-0", "joined-1"].map(|name| all.b.label(name));
    // The leader's part of a barrier.
    let meet = |b: &mut Builder, number: usize| {
        if let Some(follows) = kept.follows.map(register) {
            b.mov(NONE, follows).setf();
            barrier::part(b, followers[number]);
            b.nops(3);
            barrier::lead(b, short.sharers(), barrier::GATES[number], joined[number]);
        }
    };
    all.piece(UNIT, None);
    if kept.follows.is_some() {
        meet(&mut all.b, 0);
        all.piece(SECOND, None);
    }
    all.b.sub(last, last, next_unit).setf();
    all.b.brr(BranchCond::AllNC, more);
    for address in kept.addresses.map(register) {
        all.b.add(address, address, step);
    }
    all.b.nop();
    all.b.mov(NONE, ST_WAIT);
    all.b.end();
    all.b.bind(more);
    // Both have read their rows, and may write others.
    meet(&mut all.b, 1);
    let again = |b: &mut Builder| {
        b.brr(BranchCond::Always, unit);
    };
    all.piece(MORE, Some(&again));
    if kept.follows.is_some() {
        for number in 0..2 {
            all.b.bind(followers[number]);
            barrier::follow(&mut all.b, barrier::GATES[number], joined[number]);
        }
    }
    all.finish()
}

//! Programs of short lengths: several transforms at a time on one QPU, or one on several.
//!
//! What they compute is told in [`crate::fft::short`]. A unit is one piece for the scheduler, so
//! that the parts of its two transforms overlap. The first lookups of a unit are on their way when
//! it begins: they are sent at the start of the program, or while the unit before is being stored.
//! All uniforms are read once.

mod first;
mod second;

use super::first::ADDRESSES;
use super::{Assembly, Cooperative, Phase, Tried, barrier, named, register};
use crate::fft::pass::Pass;
use crate::fft::short::Short;
use crate::fft::short::Word;
use crate::generate::fft::draft::{Draft, Wish};
use crate::generate::schedule::{Destination, Place, Source};
use crate::generate::{Builder, NONE, Reg, ST_WAIT, UNIF};
use crate::isa::{BranchCond, File};
use first::First;
use second::Second;

/// Pieces: what is done once up to the first lookups, and behind them; a unit, or its first half;
/// what leads to the next; the second half of a unit whose transform several programs share.
const HEAD: Phase = "head";
const CONSTANTS: Phase = "constants";
const UNIT: Phase = "unit";
const MORE: Phase = "more";
const SECOND: Phase = "second";
/// Before that, of 32 rows: they are read and added, and turned for odd outputs.
const READ: Phase = "read";
const TWIDDLE: Phase = "twiddle";
/// In the order in which they are written.
const PHASES: [Phase; 7] = [HEAD, CONSTANTS, UNIT, MORE, SECOND, READ, TWIDDLE];

/// Registers that the code between pieces uses.
struct Kept {
    /// Transforms of the batch behind the first of the unit.
    last: Place,
    /// Transforms from a unit to the next of this program.
    next_unit: Place,
    /// Addresses of input and output.
    addresses: [Place; 2],
    /// Bytes from a unit to the next of this program.
    step: Place,
    /// A number that is negative in programs that multiply their rows by twiddle factors, where
    /// some do not.
    sign: Option<Place>,
}

type Draughted = super::Draughted<Word>;

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
    let is_shared = short.is_shared();
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
        draft.push(barrier::pass(0));
    }
    if is_shared {
        // Nothing is looked up before the unit's end.
        draft.give_back(ADDRESSES);
    }
    let mut parities = Vec::new();
    let rows = if second.sign().is_some() {
        let rows = second.read(&mut draft);
        parities.push(draft.cut());
        second.tell_lanes(&mut draft);
        second.turn(&mut draft, rows);
        parities.push(draft.cut());
        second.tell_lanes(&mut draft);
        rows
    } else {
        second.tell_lanes(&mut draft);
        second.read(&mut draft)
    };
    second.transform(&mut draft, rows);
    second.store(&mut draft, last);
    halves.push(draft.cut());

    first.ask(&mut draft, last);
    let mut halves = halves.into_iter();
    let unit = halves.next();
    let pieces = [head, constants].into_iter().chain(unit);
    let pieces = pieces.chain([draft.cut()]).chain(halves).chain(parities);
    let draughted = Draughted {
        pieces: named(&PHASES, pieces),
        count: last,
        offset: step,
        opens: last,
    };
    let kept = Kept {
        last,
        next_unit,
        addresses: [first.lanes, second.store],
        step,
        sign: second.sign(),
    };
    (draughted, kept)
}

pub(super) fn program(pass: Pass, short: Short, tried: Tried<'_>) -> Cooperative {
    let (draughted, kept) = drawn(short);
    let [last, next_unit, step] = [kept.last, kept.next_unit, kept.step].map(register);
    let mut all = Assembly::new(pass, &draughted, tried);
    all.piece(HEAD, None);
    all.piece(CONSTANTS, None);
    let before_last = all.uniforms.iter().position(|&word| word == Word::Last);
    let before_last = before_last.expect("read at the start");
    let unit = all.b.here("unit");
    let more = all.b.label("more");
    all.piece(UNIT, None);
    if let Some(sign) = kept.sign.map(register) {
        all.b.mov(NONE, sign).setf();
        let second = all.b.label("second");
        let skip = |b: &mut Builder| {
            b.brr(BranchCond::AllNC, second);
        };
        all.piece(READ, Some(&skip));
        all.piece(TWIDDLE, None);
        all.b.bind(second);
    }
    if short.is_shared() {
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
    if short.is_shared() {
        conduct(&mut all.b, short, before_last, last);
    }
    all.b.bind(more);
    let again = |b: &mut Builder| {
        b.brr(BranchCond::Always, unit);
    };
    all.piece(MORE, Some(&again));
    let mut program = all.finish();
    if short.is_shared() {
        program.reads.extend_from_within(..=before_last);
    }
    program
}

/// The conductor, which starts behind the end of the others: it reads its list as far as the number
/// of transforms.
fn conduct(b: &mut Builder, short: Short, before_last: usize, last: Reg) {
    for _ in 0..before_last {
        b.mov(NONE, UNIF);
    }
    b.mov(last, UNIF);
    let unit = b.here("conduct");
    barrier::conduct(b, short.sharers());
    b.sub(last, last, 1).setf();
    b.brr(BranchCond::AllNC, unit);
    b.nops(3);
    b.end();
}

//! Programs of short lengths: several transforms at a time on one QPU, or one on several.
//!
//! What they compute is told in [`crate::fft::kernels::short::layout`]. A unit is one piece for the
//! scheduler, so that the parts of its two transforms overlap. The first lookups of a unit are on
//! their way when it begins: they are sent at the start of the program, or while the unit before is
//! being stored. All uniforms are read once.

mod barrier;
mod first;
mod second;

use super::Short;
use super::layout::Word;
use crate::fft::kernels::generated::Generated;
use crate::fft::kernels::one_pass::lookups::ADDRESSES;
use crate::fft::kernels::one_pass::program::{Assembly, Phase, Tried, named};
use crate::generate::codelet::op_list::{OpList, Wish};
use crate::generate::codelet::register;
use crate::generate::schedule::{Place, Source};
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
/// Before that, of 32 rows: they are read and added, and multiplied for odd outputs.
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

type Pieces = crate::fft::kernels::one_pass::program::Pieces<Word>;

/// A register with a uniform in it.
fn load(ops: &mut OpList<Word>, word: Word, file: File) -> Place {
    ops.load(Source::Uniform(word), Wish::File(file))
}

pub fn build(short: Short) -> Pieces {
    build_kept(short).0
}

fn build_kept(short: Short) -> (Pieces, Kept) {
    let is_shared = short.is_shared();
    let mut ops = OpList::new(ADDRESSES);
    // Counted down, and compared with what is in file B.
    let last = load(&mut ops, Word::Last, File::A);
    let first = First::new(&mut ops, short);
    first.ask(&mut ops, last);
    let head = ops.cut();

    // An operand that takes no port.
    ops.copy(Source::Uniform(Word::Cosine { sixteenths: 4 }), Place::R5);
    let second = Second::new(&mut ops, short);
    let twiddles = first.load_constants(&mut ops, second.numbers());
    let next_unit = load(&mut ops, Word::NextUnit, File::B);
    let step = load(&mut ops, Word::Step, File::B);
    let constants = ops.cut();

    if is_shared {
        ops.set_lane_flags(8);
    }
    let points = first.load_rows(&mut ops, &twiddles);
    let outputs = first::transform(&mut ops, points);
    first.write_columns(&mut ops, &twiddles, outputs);
    let mut halves = Vec::new();
    if is_shared {
        halves.push(ops.cut());
        ops.push(barrier::pass(0));
    }
    if is_shared {
        // Nothing is looked up before the unit's end.
        ops.give_back(ADDRESSES);
    }
    let mut parities = Vec::new();
    let rows = if second.sign().is_some() {
        let rows = second.read(&mut ops);
        parities.push(ops.cut());
        ops.set_lane_flags(1);
        second.multiply(&mut ops, rows);
        parities.push(ops.cut());
        ops.set_lane_flags(1);
        rows
    } else {
        ops.set_lane_flags(1);
        second.read(&mut ops)
    };
    second.transform(&mut ops, rows);
    second.store(&mut ops, last);
    halves.push(ops.cut());

    first.ask(&mut ops, last);
    let mut halves = halves.into_iter();
    let unit = halves.next();
    let pieces = [head, constants].into_iter().chain(unit);
    let pieces = pieces.chain([ops.cut()]).chain(halves).chain(parities);
    let built = Pieces {
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
    (built, kept)
}

pub fn program(short: Short, tried: Tried<'_>) -> Generated {
    let (built, kept) = build_kept(short);
    let [last, next_unit, step] = [kept.last, kept.next_unit, kept.step].map(register);
    let mut all = Assembly::new(&short, &built, tried);
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

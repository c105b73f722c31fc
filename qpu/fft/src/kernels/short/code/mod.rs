//! Programs of short lengths: several transforms at a time on one QPU, or one on several.
//!
//! What they compute is told in [`crate::kernels::short::layout`]. A unit is one piece for the
//! scheduler, so that the parts of its two transforms overlap. The first lookups of a unit are on
//! their way when it begins: they are sent at the start of the program, or while the unit before is
//! being stored. All uniforms are read once.

mod first;
mod second;

use super::Short;
use super::layout::Word;
use crate::codelet::op_list::{OpList, Wish};
use crate::codelet::register;
use crate::kernels::generated::Generated;
use crate::kernels::one_pass::lookups::ADDRESSES;
use crate::kernels::one_pass::program::{Assembly, Tried};
use first::ShortFirst;
use qpu::generate::schedule::{self, Place, Source};
use qpu::generate::{Builder, NONE, Reg, ST_WAIT, UNIF};
use qpu::isa::{BranchCond, File, SemaphoreAction};
use second::Second;

/// Barriers of the QPUs that share a transform: all arrive, and another program lets all go on, the
/// conductor.
///
/// Each program counts ARRIVED up and then a gate down; the conductor counts ARRIVED down once for
/// each and then the gate up as often. A program that has gone on cannot meet that gate again
/// before the conductor has opened the other one: so none can take another's token. All semaphores
/// are 0 when all have passed.
///
/// One of those that share it could do this as well. It would have code that the others have not,
/// in the middle of theirs.
const ARRIVED: u8 = 0;
/// Gates of two barriers in turn: from writes of columns to reads, and from these to writes of
/// other rows.
const GATES: [u8; 2] = [1, 2];

type Operation = schedule::Operation<Word>;

/// Registers that the code between pieces uses beside those of [`Pieces`].
pub struct ShortRegisters {
    /// Transforms from a unit to the next of this program.
    next_unit: Place,
    /// Addresses of input and output.
    addresses: [Place; 2],
    /// A number that is negative in programs that multiply their rows by twiddle factors, where
    /// some do not.
    sign: Option<Place>,
}

type Pieces = crate::kernels::one_pass::program::Pieces<Word>;

/// A register with a uniform in it.
fn load(ops: &mut OpList<Word>, word: Word, file: File) -> Place {
    ops.load(Source::Uniform(word), Wish::File(file))
}

/// Says that this program has come to a barrier. What comes before must have read the VPM in the
/// end: only that says that its writes are in it.
fn arrive() -> Operation {
    Operation::semaphore(SemaphoreAction::Increment, ARRIVED)
}

/// Waits at barrier 0 or 1, at which it has arrived.
fn pass(number: usize) -> Operation {
    Operation::semaphore(SemaphoreAction::Decrement, GATES[number])
}

/// The pieces: what is done once up to the first lookups, and behind them; a unit, or its first
/// half; of 32 rows that these are read and added, and multiplied for odd outputs; the second half
/// of a unit whose transform several programs share; what leads to the next unit.
pub fn build(short: Short) -> (Pieces, ShortRegisters) {
    let is_shared = short.is_shared();
    let mut ops = OpList::new(ADDRESSES);
    // Counted down, and compared with what is in file B.
    let last = load(&mut ops, Word::Last, File::A);
    let first = ShortFirst::new(&mut ops, short);
    first.ask(&mut ops, last);
    let mut pieces = vec![("head", ops.cut())];

    // An operand that takes no port.
    ops.copy(Source::Uniform(Word::Cosine { sixteenths: 4 }), Place::R5);
    let second = Second::new(&mut ops, short);
    let twiddles = first.load_constants(&mut ops, second.numbers());
    let next_unit = load(&mut ops, Word::NextUnit, File::B);
    let step = load(&mut ops, Word::Step, File::B);
    pieces.push(("constants", ops.cut()));

    if is_shared {
        ops.set_lane_flags(8);
    }
    let points = first.load_rows(&mut ops, &twiddles);
    let outputs = first::transform(&mut ops, points);
    first.write_columns(&mut ops, &twiddles, outputs);
    if is_shared {
        pieces.push(("unit", ops.cut()));
        ops.push(pass(0));
        // Nothing is looked up before the unit's end.
        ops.give_back(ADDRESSES);
    }
    let rows = if second.sign().is_some() {
        let rows = second.read(&mut ops);
        pieces.push(("read", ops.cut()));
        ops.set_lane_flags(1);
        second.multiply(&mut ops, rows);
        pieces.push(("twiddle", ops.cut()));
        ops.set_lane_flags(1);
        rows
    } else {
        ops.set_lane_flags(1);
        second.read(&mut ops)
    };
    second.transform(&mut ops, rows);
    second.store(&mut ops, last);
    pieces.push((if is_shared { "second" } else { "unit" }, ops.cut()));

    first.ask(&mut ops, last);
    pieces.push(("more", ops.cut()));
    let built = Pieces {
        pieces,
        count: last,
        offset: step,
    };
    let kept = ShortRegisters {
        next_unit,
        addresses: [first.lanes, second.store],
        sign: second.sign(),
    };
    (built, kept)
}

pub fn program(short: Short, tried: Tried<'_>) -> Generated {
    let (built, kept) = build(short);
    let [last, next_unit, step] = [built.count, kept.next_unit, built.offset].map(register);
    let mut all = Assembly::new(&short, &built, tried);
    all.piece("head", None);
    all.piece("constants", None);
    let before_last = all.uniforms.iter().position(|&word| word == Word::Last);
    let before_last = before_last.expect("read at the start");
    let unit = all.b.here("unit");
    let more = all.b.label("more");
    all.piece("unit", None);
    if let Some(sign) = kept.sign.map(register) {
        all.b.mov(NONE, sign).setf();
        let second = all.b.label("second");
        let skip = |b: &mut Builder| {
            b.brr(BranchCond::AllNC, second);
        };
        all.piece("read", Some(&skip));
        all.piece("twiddle", None);
        all.b.bind(second);
    }
    if short.is_shared() {
        all.piece("second", None);
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
    all.piece("more", Some(&again));
    let mut program = all.finish();
    if short.is_shared() {
        program.reads.extend_from_within(..=before_last);
    }
    program
}

/// The conductor, which starts behind the end of the others: it reads its list as far as the number
/// of transforms. For each it waits for all at both barriers, and lets them go on.
fn conduct(b: &mut Builder, short: Short, before_last: usize, last: Reg) {
    for _ in 0..before_last {
        b.mov(NONE, UNIF);
    }
    b.mov(last, UNIF);
    let unit = b.here("conduct");
    for gate in GATES {
        for _ in 0..short.sharers() {
            b.sacq(ARRIVED);
        }
        for _ in 0..short.sharers() {
            b.srel(gate);
        }
    }
    b.sub(last, last, 1).setf();
    b.brr(BranchCond::AllNC, unit);
    b.nops(3);
    b.end();
}

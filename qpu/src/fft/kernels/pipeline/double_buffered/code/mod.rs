//! The program of producers and consumers that hand a transform on through the VPM.
//!
//! Put together as those of pipelines are ([`crate::fft::kernels::pipeline::roles`]). The lists of
//! uniforms of a producer's units, and of a consumer's rounds, follow each other: all that differs
//! between units, between halves of a unit's rows, and between parities of a round's outputs is
//! data.

mod consumer;
mod half;
mod lists;
mod lookups;
mod producer;
mod semaphore;
mod write;

use super::DoubleBuffered;
use crate::fft::kernels::generated::Generated;
use crate::fft::kernels::one_pass::program::{Phase, Tried, named};
use crate::fft::kernels::one_pass::rows::Factors;
use crate::fft::kernels::pipeline::layout::CONSUMERS;
use crate::fft::kernels::pipeline::roles::consumer::Consumer;
use crate::fft::kernels::pipeline::roles::semaphore::{HALVES, close, open};
use crate::fft::kernels::pipeline::roles::{Assembly, Operation, Pieces, begin_on};
use crate::fft::kernels::pipeline::uniforms::{PartWord, Units, Word};
use crate::fft::kernels::program::Start;
use crate::generate::codelet::lookups::LOOKUP_BYTES;
use crate::generate::codelet::op_list::OpList;
use crate::generate::codelet::register;
use crate::generate::schedule::Place;
use crate::generate::{
    Builder, Label, NONE, R0, R1, ST_WAIT, TMU_NOSWAP, UNIF, UNIFORMS_ADDRESS, ra,
};
use crate::isa::{BranchCond, File};
use crate::machine::LINE_INSTRUCTIONS;
use consumer::Early;
use lists::part;
use producer::Producer;

/// Pieces of producers: what is done once, the first rows asked for, rows and the first layers over
/// two columns, these set aside, the outputs of the transform of 16 points, a half of them, pairs
/// of its vectors, another half in its place, one to be kept, the last pair, and both units
/// together.
const ONCE: Phase = "once";
const BEGIN: Phase = "begin";
const COLUMNS: Phase = "columns";
const ASIDE: Phase = "aside";
const OUTPUTS: Phase = "outputs";
const HALF: Phase = "half";
const WRITE: Phase = "write";
const ROTATE: Phase = "rotate";
const KEEP: Phase = "keep";
const WRITE_LAST: Phase = "write-last";
const PAIR_UP: Phase = "pair-up";
const PAIR_UP_OTHERS: Phase = "pair-up-others";
/// Pieces of consumers: what is done once, early vectors into registers, these in place of those of
/// the next round, late vectors, even outputs of the transform, the rows of a parity's outputs, the
/// store of even ones, odd outputs, and their store.
const CONSTANTS: Phase = "constants";
const READ_EARLY: Phase = "read-early";
const NEXT: Phase = "next";
const READ_LATE: Phase = "read-late";
const EVEN_OUTPUTS: Phase = "even-outputs";
const ROWS: Phase = "rows";
const EVEN_STORE: Phase = "even-store";
const ODD_OUTPUTS: Phase = "odd-outputs";
const ODD_STORE: Phase = "odd-store";
/// All phases in the order in which they are written.
#[rustfmt::skip]
const PHASES: [Phase; 21] = [
    ONCE, BEGIN, COLUMNS, ASIDE, OUTPUTS, HALF, WRITE, ROTATE, KEEP, WRITE_LAST, PAIR_UP, PAIR_UP_OTHERS,
    CONSTANTS, READ_EARLY, NEXT, READ_LATE, EVEN_OUTPUTS, ROWS, EVEN_STORE, ODD_OUTPUTS, ODD_STORE,
];

/// Registers of file A with the way to what a consumer waits for, tells others or does next, and
/// with where it goes on behind it; even ones. They are free where no vectors are waited for.
const WAY: u8 = 14;
const BACK: u8 = 30;
/// Bytes of code from where consumers go on behind early vectors back to the first that they look
/// up.
const TO_CODE: u32 = 8 * 41;
/// The register of file A with where rows are wanted, an even one.
const ROWS_BACK: u8 = 4;
/// The counterpart for producers: the way to what follows a half, or its pairs.
const FOLLOWS: u8 = 14;

/// Registers between pieces.
struct Kept {
    /// Transforms that are left.
    count: Place,
    /// Bytes from the first transform to this one.
    offset: Place,
}

pub fn build() -> Pieces {
    build_kept().0
}

fn build_kept() -> (Pieces, Kept) {
    let mut pieces = produced();
    let (consumed, [count, offset]) = consumed();
    pieces.extend(consumed);
    let built = Pieces {
        pieces: named(&PHASES, pieces),
        count,
        offset,
        opens: count,
    };
    (built, Kept { count, offset })
}

/// An op list without accumulator `kept`, and what both roles keep: file B has fewer values of
/// theirs.
fn begin(
    kept: Place,
) -> (
    OpList<Word>,
    crate::generate::codelet::radix16::Constants,
    [Place; 2],
) {
    begin_on(OpList::saving_registers(kept), [File::A, File::B])
}

/// The pieces of producers.
fn produced() -> Vec<Vec<Operation>> {
    let (mut ops, constants, [_, offset]) = begin(producer::ADDRESSES);
    ops.reserve(Place::Register(File::A, FOLLOWS));
    let producer = Producer::new(&mut ops, offset);
    producer.load_constants(&mut ops);
    let mut pieces = vec![ops.cut()];
    let steps = producer.begin(&mut ops);
    pieces.push(ops.cut());
    let aside = Producer::aside(&mut ops);
    let columns = producer.columns(&mut ops, steps);
    pieces.push(ops.cut());
    Producer::set_aside(&mut ops, &columns, &aside);
    pieces.push(ops.cut());
    let unit = Producer::outputs(&mut ops, &constants, aside, columns);
    pieces.push(ops.cut());
    let vectors = producer.half(&mut ops, &constants, &unit);
    pieces.push(ops.cut());
    Producer::write(&mut ops, &vectors);
    pieces.push(ops.cut());
    producer.rotate(&mut ops, &vectors, &unit);
    pieces.push(ops.cut());
    producer.keep(&mut ops, &vectors, &unit);
    pieces.push(ops.cut());
    Producer::write_last(&mut ops, &unit);
    pieces.push(ops.cut());
    producer.pair_up(&mut ops, &vectors, &unit);
    pieces.push(ops.cut());
    producer.pair_up_others(&mut ops, &vectors, &unit);
    pieces.push(ops.cut());
    pieces
}

/// The pieces of consumers, and what they keep in common with producers.
fn consumed() -> (Vec<Vec<Operation>>, [Place; 2]) {
    let (mut ops, constants, kept) = begin(Place::R4);
    let ways = [WAY, BACK].map(|number| Place::Register(File::A, number));
    ways.iter().for_each(|&place| ops.reserve(place));
    ops.reserve(Place::Register(File::A, ROWS_BACK));
    let factors = Factors::load(&mut ops, &constants);
    let mut pieces = vec![ops.cut()];
    let early = Early::new(&mut ops);
    early.read(&mut ops);
    pieces.push(ops.cut());
    early.go_on(&mut ops);
    pieces.push(ops.cut());
    let late = Early::read_late(&mut ops);
    pieces.push(ops.cut());
    ways.iter().for_each(|&place| ops.give_back(place));
    let butterflies = early.butterflies(&mut ops, &late);
    let mut consumer = Consumer::new(&mut ops, &constants, &factors, kept[1]);
    consumer.ops.set_lane_flags(1);
    pieces.extend(consumer.pieces_of_a_routine(&butterflies));
    (pieces, kept)
}

pub fn program(tried: Tried<'_>) -> Generated {
    let (built, kept) = build_kept();
    let mut all = Assembly::new(&DoubleBuffered, &built, tried);
    let [producer, consumer] = ["producer", "consumer"].map(|name| all.b.label(name));
    // To one of the roles.
    all.b.mov(ra(FOLLOWS), UNIF);
    all.b.mov(register(kept.count), UNIF);
    // QPUs of a slice that look up the same lines are to find them in the same cache.
    all.b.mov(TMU_NOSWAP, 1);
    all.b.brr(BranchCond::Always, producer).plus(ra(FOLLOWS));
    all.b.mov(R0, UNIF);
    all.b.mov(register(kept.offset), 0);
    all.b.nop();
    all.b.bind(producer);
    all.uniforms
        .extend([Word::Bytes(0), Word::Transforms, Word::ConsumerList]);
    assert_eq!(all.uniforms.len() as u32, DoubleBuffered::HEAD);
    let from = all.uniforms.len();
    produce(&mut all, &kept);
    let to = all.uniforms.len();
    all.b.bind(consumer);
    all.b.mov(UNIFORMS_ADDRESS, R0);
    all.b.nops(2);
    consume(&mut all, &kept);
    let reads = all.uniforms.clone();
    let program = all.finish();
    let label = |wanted: &str| 8 * program.label(wanted).expect("a label") as u32;
    let bytes = |from: &str, to: &str| label(to).wrapping_sub(label(from));
    // The last line that consumers look up is the last of the code.
    let looked_up = label("told") - TO_CODE..label("told") - TO_CODE + CONSUMERS * LOOKUP_BYTES;
    let last = 8 * program.code.len() as u32 - 8;
    assert!(
        (looked_up.end - 64..looked_up.end).contains(&last),
        "{looked_up:?} {last}"
    );
    let mut list = reads[..from].to_vec();
    list[0] = Word::OfConsumers(bytes("producer", "consumer"));
    list.extend(lists::of_producers(&reads[from..to], bytes));
    assert_eq!(list.len() as u32, DoubleBuffered::CONSUMER);
    list.extend(lists::of_consumers(&reads[to..], bytes));
    Generated {
        start: list.into_iter().map(Start::from).collect(),
        ..program
    }
}

fn produce(all: &mut Assembly, kept: &Kept) {
    let [aside, write, rotate, keep, last, both, others, end] = [
        "aside", "write", "rotate", "keep", "last", "both", "others", "end",
    ]
    .map(|name| all.b.label(name));
    let [count, offset] = [kept.count, kept.offset].map(register);
    all.piece(ONCE, None);
    // The loop only just fits an instruction cache: it begins with a line.
    while !all.b.len().is_multiple_of(LINE_INSTRUCTIONS as usize) {
        all.b.nop();
    }
    let unit = all.b.here("unit");
    all.piece(BEGIN, None);
    let columns = all.b.here("columns");
    let then = |all: &mut Assembly, piece, from| {
        all.b.mov(ra(FOLLOWS), UNIF);
        all.uniforms.push(Word::Bytes(0));
        let branch = |b: &mut Builder| {
            b.brr(BranchCond::Always, from).plus(ra(FOLLOWS));
        };
        all.piece(piece, Some(&branch));
    };
    then(all, COLUMNS, aside);
    all.b.bind(aside);
    let to_columns = |b: &mut Builder| {
        b.brr(BranchCond::Always, columns);
    };
    all.piece(ASIDE, Some(&to_columns));
    all.b.here("outputs");
    all.piece(OUTPUTS, None);
    let half = all.b.here("half");
    then(all, HALF, write);
    all.b.bind(write);
    then(all, WRITE, rotate);
    all.b.bind(keep);
    all.piece(KEEP, None);
    all.b.bind(last);
    then(all, WRITE_LAST, unit);
    all.b.bind(rotate);
    let to_half = |b: &mut Builder| {
        b.brr(BranchCond::Always, half);
    };
    all.piece(ROTATE, Some(&to_half));
    let to_write = |b: &mut Builder| {
        b.brr(BranchCond::Always, write);
    };
    all.b.bind(both);
    all.piece(PAIR_UP, Some(&to_write));
    all.b.bind(others);
    all.piece(PAIR_UP_OTHERS, Some(&to_write));
    all.b.bind(end);
    all.b.sub(count, count, 1).setf();
    all.b.brr(BranchCond::AllZC, unit);
    all.b.mov(R1, UNIF);
    all.b.add(offset, offset, UNIF);
    all.uniforms.extend([Word::List, Word::Step]);
    // A unit reads its first uniform in its fifth instruction.
    all.b.mov(UNIFORMS_ADDRESS, R1);
    all.b.here("finish");
    all.b.end();
}

/// To what [`WAY`] says, counted from `base`, and back here; the next three instructions are done
/// on the way.
fn call(b: &mut Builder, base: Label) {
    b.brr(BranchCond::Always, base).plus(ra(WAY)).link(ra(BACK));
}

/// The way to what a part does first, or behind itself: it finds that in its register.
fn way(b: &mut Builder) {
    b.mov(ra(WAY), UNIF);
}

fn consume(all: &mut Assembly, kept: &Kept) {
    let [next, ways, rows, follower] =
        ["next", "ways", "rows", "follower"].map(|name| all.b.label(name));
    let [count, offset] = [kept.count, kept.offset].map(register);
    let to_way = |b: &mut Builder| call(b, ways);
    // Whatever is next: its place is counted from that of `next`.
    let go_on = |b: &mut Builder| {
        b.brr(BranchCond::Always, next).plus(ra(WAY));
    };
    all.uniforms.push(Word::Opens);
    open(&mut all.b, &semaphore::MADE);
    all.piece(CONSTANTS, None);
    let transform = all.b.here("transform");
    way(&mut all.b);
    all.b.nop();
    all.b.here("early");
    to_way(&mut all.b);
    way(&mut all.b);
    all.b.mov(NONE, UNIF).setf();
    all.b.nop();
    let [first, behind] = [PartWord::Await, PartWord::PassOn].map(|word| part(word(Units::Early)));
    all.uniforms.extend([first, behind, part(PartWord::IsLast)]);
    all.piece_with(READ_EARLY, &[(2, &to_way), (1, &way)]);
    all.uniforms.push(lists::OF_LIST);
    // Here [`BACK`] leads to. What is counted is counted in both cases.
    all.b.here("told");
    all.b.brr(BranchCond::AllZS, next);
    all.b.here("ahead");
    semaphore::count_loaded(&mut all.b);
    lookups::roots(all, 0);
    lookups::round(all);
    all.b.here("round");
    to_way(&mut all.b);
    way(&mut all.b);
    all.uniforms.push(part(PartWord::PassOn(Units::Late)));
    all.b.nops(2);
    all.b.here("late");
    all.piece(READ_LATE, Some(&to_way));
    all.b.here("points");
    let leave = |b: &mut Builder| {
        go_on(b);
        way(b);
    };
    let call_rows = |b: &mut Builder| {
        b.brr(BranchCond::Always, rows).link(ra(ROWS_BACK));
    };
    all.piece(EVEN_OUTPUTS, Some(&call_rows));
    all.piece(EVEN_STORE, None);
    all.piece(ODD_OUTPUTS, None);
    // Others may store through the first half of the VPM as soon as this one does not.
    call_rows(&mut all.b);
    all.b.mov(NONE, ST_WAIT);
    all.b.srel(HALVES[0]);
    all.b.nop();
    all.piece_with(ODD_STORE, &[(2, &way), (1, &leave)]);
    all.uniforms.extend([lists::OF_LIST; 2]);
    all.b.nop();
    all.b.here("done");
    // Lookups are dropped of which nothing was wanted but that lines came.
    all.b.add(offset, offset, UNIF).ldtmu0();
    all.b.mov(R1, UNIF).ldtmu1();
    all.b.mov(R0, UNIF).ldtmu0();
    all.uniforms.extend([Word::Step, Word::List, Word::Peers]);
    all.b.sub(count, count, 1).setf();
    all.b.brr(BranchCond::AllZC, transform);
    all.b.mov(UNIFORMS_ADDRESS, R1);
    all.b.nops(2);
    all.b.here("ended");
    let others = (semaphore::STORED, CONSUMERS as usize - 1);
    close(&mut all.b, follower, others, &semaphore::MADE, |_| {});
    all.b.here("again");
    lookups::roots(all, 1);
    all.b.bind(next);
    all.piece_with(NEXT, &[(2, &go_on), (1, &way)]);
    all.uniforms.push(lists::OF_LIST);
    all.b.bind(ways);
    semaphore::ways(&mut all.b);
    all.b.bind(rows);
    let back = |b: &mut Builder| {
        b.bra(BranchCond::Always, ra(ROWS_BACK));
    };
    all.piece(ROWS, Some(&back));
}

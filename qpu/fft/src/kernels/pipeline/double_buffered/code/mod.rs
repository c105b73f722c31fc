//! The program of producers and consumers that hand a transform on through the VPM.
//!
//! Put together as those of pipelines are ([`crate::kernels::pipeline::roles`]). The lists of
//! uniforms of a producer's units, and of a consumer's rounds, follow each other: all that differs
//! between units, between halves of a unit's rows, and between parities of a round's outputs is
//! data.

mod consumer;
mod half;
mod lists;
mod producer;
mod semaphore;

use super::DoubleBuffered;
use crate::codelet::lookups::{LOOKUP_BYTES, drop_lookups};
use crate::codelet::op_list::OpList;
use crate::codelet::register;
use crate::kernels::generated::Generated;
use crate::kernels::one_pass::lookups::ADDRESSES;
use crate::kernels::one_pass::program::{Piece, Tried};
use crate::kernels::one_pass::rows::Factors;
use crate::kernels::pipeline::layout::CONSUMERS;
use crate::kernels::pipeline::roles::consumer::Consumer;
use crate::kernels::pipeline::roles::{Assembly, HALVES, Pieces, begin, close, open};
use crate::kernels::pipeline::uniforms::{PartWord, Units, Word};
use crate::kernels::program::Start;
use consumer::Early;
use lists::part;
use producer::Producer;
use qpu::generate::schedule::Place;
use qpu::generate::{
    Builder, ELEM_NUM, Label, NONE, R0, R1, Reg, ST_WAIT, TMU_NOSWAP, TMU0_S, TMU1_S, UNIF,
    UNIFORMS_ADDRESS, ra,
};
use qpu::isa::{BranchCond, File};
use qpu::machine::LINE_INSTRUCTIONS;

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

pub fn build() -> Pieces {
    let mut pieces = produced();
    let (consumed, [count, offset]) = consumed();
    pieces.extend(consumed);
    Pieces {
        pieces,
        count,
        offset,
    }
}

/// What both roles keep: file B has fewer values of theirs.
const KEPT: [File; 2] = [File::A, File::B];

/// The pieces of producers: what is done once, the first rows asked for, rows and the first layers
/// over two columns, these set aside, the outputs of the transform of 16 points, a half of them,
/// pairs of its vectors, another half in its place, one to be kept, the last pair, and both units
/// together.
fn produced() -> Vec<Piece<Word>> {
    let ops = OpList::saving_registers(ADDRESSES);
    let (mut ops, constants, [_, offset]) = begin(ops, KEPT);
    ops.reserve(Place::Register(File::A, FOLLOWS));
    let producer = Producer::new(&mut ops, offset);
    producer.load_constants(&mut ops);
    let mut pieces = vec![("once", ops.cut())];
    let steps = producer.begin(&mut ops);
    pieces.push(("begin", ops.cut()));
    let aside = Producer::aside(&mut ops);
    let columns = producer.columns(&mut ops, steps);
    pieces.push(("columns", ops.cut()));
    Producer::set_aside(&mut ops, &columns, &aside);
    pieces.push(("aside", ops.cut()));
    let unit = Producer::outputs(&mut ops, &constants, aside, columns);
    pieces.push(("outputs", ops.cut()));
    let vectors = producer.half(&mut ops, &constants, &unit);
    pieces.push(("half", ops.cut()));
    Producer::write(&mut ops, &vectors);
    pieces.push(("write", ops.cut()));
    producer.rotate(&mut ops, &vectors, &unit);
    pieces.push(("rotate", ops.cut()));
    producer.keep(&mut ops, &vectors, &unit);
    pieces.push(("keep", ops.cut()));
    Producer::write_last(&mut ops, &unit);
    pieces.push(("write-last", ops.cut()));
    producer.pair_up(&mut ops, &vectors, &unit);
    pieces.push(("pair-up", ops.cut()));
    producer.pair_up_others(&mut ops, &vectors, &unit);
    pieces.push(("pair-up-others", ops.cut()));
    pieces
}

/// The pieces of consumers: what is done once, early vectors into registers, these in place of
/// those of the next round, late vectors, and [`Consumer::pieces_of_a_routine`]. And what they keep
/// in common with producers.
fn consumed() -> (Vec<Piece<Word>>, [Place; 2]) {
    let (mut ops, constants, kept) = begin(OpList::saving_registers(Place::R4), KEPT);
    let ways = [WAY, BACK].map(|number| Place::Register(File::A, number));
    ways.iter().for_each(|&place| ops.reserve(place));
    ops.reserve(Place::Register(File::A, ROWS_BACK));
    let factors = Factors::load(&mut ops, &constants);
    let mut pieces = vec![("constants", ops.cut())];
    let early = Early::new(&mut ops);
    early.read(&mut ops);
    pieces.push(("read-early", ops.cut()));
    early.go_on(&mut ops);
    pieces.push(("next", ops.cut()));
    let late = Early::read_late(&mut ops);
    pieces.push(("read-late", ops.cut()));
    ways.iter().for_each(|&place| ops.give_back(place));
    let butterflies = early.butterflies(&mut ops, &late);
    let mut consumer = Consumer::new(&mut ops, &constants, &factors, kept[1]);
    consumer.ops.set_lane_flags(1);
    pieces.extend(consumer.pieces_of_a_routine(&butterflies));
    (pieces, kept)
}

pub fn program(tried: Tried<'_>) -> Generated {
    let built = build();
    let kept = [built.count, built.offset].map(register);
    let mut all = Assembly::new(&DoubleBuffered, &built, tried);
    let [producer, consumer] = ["producer", "consumer"].map(|name| all.b.label(name));
    // To one of the roles.
    all.b.mov(ra(FOLLOWS), UNIF);
    all.b.mov(kept[0], UNIF);
    // QPUs of a slice that look up the same lines are to find them in the same cache.
    all.b.mov(TMU_NOSWAP, 1);
    all.b.brr(BranchCond::Always, producer).plus(ra(FOLLOWS));
    all.b.mov(R0, UNIF);
    all.b.mov(kept[1], 0);
    all.b.nop();
    all.b.bind(producer);
    all.uniforms
        .extend([Word::Bytes(0), Word::Transforms, Word::ConsumerList]);
    assert_eq!(all.uniforms.len() as u32, DoubleBuffered::HEAD);
    let mut list = all.uniforms.clone();
    let produce = produce(&mut all, kept);
    all.b.bind(consumer);
    all.b.mov(UNIFORMS_ADDRESS, R0);
    all.b.nops(2);
    let consume = consume(&mut all, kept);
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
    list[0] = Word::OfConsumers(bytes("producer", "consumer"));
    list.extend(lists::of_producers(produce, bytes));
    assert_eq!(list.len() as u32, DoubleBuffered::CONSUMER);
    list.extend(lists::of_consumers(consume, bytes));
    Generated {
        start: list.into_iter().map(Start::from).collect(),
        ..program
    }
}

/// The words that the code reads which `write` writes.
fn reads(all: &mut Assembly, write: impl FnOnce(&mut Assembly)) -> Vec<Word> {
    let from = all.uniforms.len();
    write(all);
    all.uniforms[from..].to_vec()
}

fn produce(all: &mut Assembly, [count, offset]: [Reg; 2]) -> lists::OfProducers {
    let [aside, write, rotate, keep] =
        ["aside", "write", "rotate", "keep"].map(|name| all.b.label(name));
    let [last, both, others, end] = ["last", "both", "others", "end"].map(|name| all.b.label(name));
    let once = reads(all, |all| all.piece("once", None));
    // The loop only just fits an instruction cache: it begins with a line.
    while !all.b.len().is_multiple_of(LINE_INSTRUCTIONS as usize) {
        all.b.nop();
    }
    let to = |label| {
        move |b: &mut Builder| {
            b.brr(BranchCond::Always, label);
        }
    };
    let unit = all.b.here("unit");
    let begin = reads(all, |all| all.piece("begin", None));
    let to_columns = to(all.b.here("columns"));
    // A piece, then what its list says, counted from a label.
    let then = |all: &mut Assembly, piece, from| {
        all.b.mov(ra(FOLLOWS), UNIF);
        all.uniforms.push(lists::OF_LIST);
        let branch = |b: &mut Builder| {
            b.brr(BranchCond::Always, from).plus(ra(FOLLOWS));
        };
        reads(all, |all| all.piece(piece, Some(&branch)))
    };
    let columns = then(all, "columns", aside);
    all.b.bind(aside);
    all.piece("aside", Some(&to_columns));
    all.b.here("outputs");
    all.piece("outputs", None);
    let to_half = to(all.b.here("half"));
    let half = then(all, "half", write);
    all.b.bind(write);
    let pairs = then(all, "write", rotate);
    all.b.bind(keep);
    all.piece("keep", None);
    all.b.bind(last);
    let last_pair = then(all, "write-last", unit);
    all.b.bind(rotate);
    let rotated = reads(all, |all| all.piece("rotate", Some(&to_half)));
    all.b.bind(both);
    all.piece("pair-up", Some(&to(write)));
    all.b.bind(others);
    all.piece("pair-up-others", Some(&to(write)));
    all.b.bind(end);
    all.b.sub(count, count, 1).setf();
    all.b.brr(BranchCond::AllZC, unit);
    all.b.mov(R1, UNIF);
    all.b.add(offset, offset, UNIF);
    all.uniforms.extend(lists::END_OF_PRODUCERS);
    // A unit reads its first uniform in its fifth instruction.
    all.b.mov(UNIFORMS_ADDRESS, R1);
    all.b.here("finish");
    all.b.end();
    [once, begin, columns, half, pairs, last_pair, rotated]
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

/// Lookups that bring roots of half `half` into the L2C before producers want them: of the first
/// when producers have the rows of late units, of the second behind their first round. SDRAM would
/// be too busy for stores if eight producers asked for all of a half at once.
fn look_up_roots(all: &mut Assembly, half: u8) {
    all.b.shl(R0, ELEM_NUM, 6);
    for (number, tmu) in (0..).zip([TMU0_S, TMU1_S]) {
        all.b.add(tmu, R0, UNIF);
        let word = PartWord::RootsAhead { half, number };
        all.uniforms.push(part(word));
    }
}

/// The counterpart for code of consumers, when roots are there: another program may have driven it
/// out of the instruction caches since the last launch.
fn look_up_code(all: &mut Assembly) {
    let b = &mut all.b;
    b.ldi(R1, TO_CODE);
    b.sub(R1, ra(BACK), R1);
    b.add(R1, R1, R0);
    drop_lookups(b, 2);
    b.add(TMU0_S, R1, UNIF);
    all.uniforms.push(part(PartWord::CodeAhead));
}

fn consume(all: &mut Assembly, [count, offset]: [Reg; 2]) -> lists::OfConsumers {
    let [next, ways, rows, follower] =
        ["next", "ways", "rows", "follower"].map(|name| all.b.label(name));
    let to_way = |b: &mut Builder| call(b, ways);
    // Whatever is next: its place is counted from that of `next`.
    let go_on = |b: &mut Builder| {
        b.brr(BranchCond::Always, next).plus(ra(WAY));
    };
    let once = reads(all, |all| {
        all.uniforms.push(Word::Opens);
        open(&mut all.b, &semaphore::MADE);
        all.piece("constants", None);
    });
    let transform = all.b.here("transform");
    way(&mut all.b);
    all.b.nop();
    all.b.here("early");
    to_way(&mut all.b);
    way(&mut all.b);
    all.b.mov(NONE, UNIF).setf();
    all.b.nop();
    all.uniforms.push(lists::FIRST);
    let early = reads(all, |all| {
        let passed_on = PartWord::PassOn(Units::Early);
        all.uniforms.extend([passed_on, PartWord::IsLast].map(part));
        all.piece_with("read-early", &[(2, &to_way), (1, &way)]);
    });
    all.uniforms.push(lists::OF_LIST);
    // Here [`BACK`] leads to. What is counted is counted in both cases.
    all.b.here("told");
    all.b.brr(BranchCond::AllZS, next);
    all.b.here("ahead");
    semaphore::count_loaded(&mut all.b);
    let ahead = reads(all, |all| {
        look_up_roots(all, 0);
        look_up_code(all);
    });
    all.b.here("round");
    to_way(&mut all.b);
    way(&mut all.b);
    all.uniforms.push(lists::PASS_ON);
    all.b.nops(2);
    all.b.here("late");
    let late = reads(all, |all| all.piece("read-late", Some(&to_way)));
    all.b.here("points");
    let leave = |b: &mut Builder| {
        go_on(b);
        way(b);
    };
    let call_rows = |b: &mut Builder| {
        b.brr(BranchCond::Always, rows).link(ra(ROWS_BACK));
    };
    all.piece("even-outputs", Some(&call_rows));
    let even_store = reads(all, |all| all.piece("even-store", None));
    all.piece("odd-outputs", None);
    // Others may store through the first half of the VPM as soon as this one does not.
    call_rows(&mut all.b);
    all.b.mov(NONE, ST_WAIT);
    all.b.srel(HALVES[0]);
    all.b.nop();
    let odd_store = reads(all, |all| {
        all.piece_with("odd-store", &[(2, &way), (1, &leave)])
    });
    all.uniforms.extend([lists::OF_LIST; 2]);
    all.b.nop();
    all.b.here("done");
    // Lookups are dropped of which nothing was wanted but that lines came.
    all.b.add(offset, offset, UNIF).ldtmu0();
    all.b.mov(R1, UNIF).ldtmu1();
    all.b.mov(R0, UNIF).ldtmu0();
    all.uniforms.extend(lists::END_OF_CONSUMERS);
    all.b.sub(count, count, 1).setf();
    all.b.brr(BranchCond::AllZC, transform);
    all.b.mov(UNIFORMS_ADDRESS, R1);
    all.b.nops(2);
    all.b.here("ended");
    let others = (semaphore::STORED, CONSUMERS as usize - 1);
    close(&mut all.b, follower, others, &semaphore::MADE, |_| {});
    all.b.here("again");
    let again = reads(all, |all| look_up_roots(all, 1));
    all.b.bind(next);
    all.piece_with("next", &[(2, &go_on), (1, &way)]);
    all.uniforms.push(lists::OF_LIST);
    all.b.bind(ways);
    semaphore::ways(&mut all.b);
    all.b.bind(rows);
    let back = |b: &mut Builder| {
        b.bra(BranchCond::Always, ra(ROWS_BACK));
    };
    let rows = reads(all, |all| all.piece("rows", Some(&back)));
    [once, early, ahead, late, even_store, odd_store, again, rows]
}

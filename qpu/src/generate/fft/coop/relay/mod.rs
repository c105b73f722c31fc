//! The program of producers and consumers that hand a transform on through the VPM.
//!
//! Put together as those of pipelines are ([`super::roles`]). The lists of uniforms of a producer's units, and of a
//! consumer's rounds, follow each other: all that differs between units is data.

mod ahead;
mod consumer;
mod half;
mod lists;
mod producer;
mod semaphore;
mod write;

use super::roles::begun_on;
use super::roles::consumer::{Consumer, go_through};
use super::roles::semaphore::{close, open};
use super::rows::Factors;
use super::{Assembly, Cooperative, Draughted, register};
use crate::fft::coop::{Cooperation, PartWord, Units, Word};
use crate::fft::pipeline::CONSUMERS;
use crate::fft::relay::Relay;
use crate::generate::fft::ahead::LOOKUP_BYTES;
use crate::generate::fft::draft::Draft;
use crate::generate::schedule::Place;
use crate::generate::{
    Builder, Label, NONE, R0, R1, TMU_NOSWAP, TMU1_S, UNIF, UNIFORMS_ADDRESS, ra,
};
use crate::isa::{BranchCond, File};
use consumer::Early;
use lists::part;
use producer::Producer;

/// Pieces of producers: what is done once, up to the outputs of the transform of 16 points, a half of them, pairs of its
/// vectors, another half in its place, one to be kept, the last pair, and both units together.
const ONCE: usize = 0;
const LOAD: usize = 1;
const HALF: usize = 2;
const WRITE: usize = 3;
const ROTATE: usize = 4;
const KEEP: usize = 5;
const WRITE_LAST: usize = 6;
const PAIR_UP: usize = 7;
const PAIR_UP_OTHERS: usize = 8;
/// Of consumers: what is done once, early vectors into registers, these in place of those of the next round, late vectors,
/// and from there to their stores.
const CONSTANTS: usize = 9;
const READ_EARLY: usize = 10;
const NEXT: usize = 11;
const READ_LATE: usize = 12;
const FROM_POINTS: usize = 13;

/// Registers of file A with the way to what a consumer waits for, tells others or does next, and with where it goes on
/// behind it; even ones. They are free where no vectors are waited for.
const WAY: u8 = 14;
const BACK: u8 = 30;
/// The same of producers: the way to what follows a half, or its pairs.
const FOLLOWS: u8 = 14;
/// Bytes of code from where consumers go on behind early vectors to a round.
const TO_ROUND: u32 = 8 * 12;

/// Registers between pieces.
struct Kept {
    /// Transforms that are left.
    count: Place,
    /// Bytes from the first transform to this one.
    offset: Place,
}

pub(super) fn draught() -> Draughted {
    drawn().0
}

fn drawn() -> (Draughted, Kept) {
    let mut pieces = produced();
    let (consumed, [count, offset]) = consumed();
    pieces.extend(consumed);
    let draughted = Draughted {
        pieces,
        count,
        offset,
        opens: count,
    };
    (draughted, Kept { count, offset })
}

/// A draft without accumulator `kept`, and what both roles keep: file B has fewer values of theirs.
fn begun(kept: Place) -> (Draft<Word>, super::Constants, [Place; 2]) {
    begun_on(Draft::frugal(kept), [File::A, File::B])
}

/// The pieces of producers.
fn produced() -> Vec<Vec<super::Operation>> {
    let (mut draft, constants, [_, offset]) = begun(producer::ADDRESSES);
    draft.reserve(Place::Register(File::A, FOLLOWS));
    let producer = Producer::new(&mut draft, offset);
    producer.load_constants(&mut draft);
    let mut pieces = vec![draft.cut()];
    producer.begin(&mut draft);
    let unit = producer.load(&mut draft, &constants);
    pieces.push(draft.cut());
    let vectors = producer.half(&mut draft, &constants, &unit);
    pieces.push(draft.cut());
    Producer::write(&mut draft, &vectors);
    pieces.push(draft.cut());
    producer.rotate(&mut draft, &vectors, &unit);
    pieces.push(draft.cut());
    producer.keep(&mut draft, &vectors, &unit);
    pieces.push(draft.cut());
    Producer::write_last(&mut draft, &unit);
    pieces.push(draft.cut());
    producer.pair_up(&mut draft, &vectors, &unit);
    pieces.push(draft.cut());
    producer.pair_up_others(&mut draft, &vectors, &unit);
    pieces.push(draft.cut());
    pieces
}

/// The pieces of consumers, and what they keep in common with producers.
fn consumed() -> (Vec<Vec<super::Operation>>, [Place; 2]) {
    let (mut draft, constants, kept) = begun(Place::R4);
    let ways = [WAY, BACK].map(|number| Place::Register(File::A, number));
    ways.iter().for_each(|&place| draft.reserve(place));
    let factors = Factors::load(&mut draft, &constants, 2);
    let mut pieces = vec![draft.cut()];
    let early = Early::new(&mut draft);
    early.read(&mut draft);
    pieces.push(draft.cut());
    early.go_on(&mut draft);
    pieces.push(draft.cut());
    let late = Early::read_late(&mut draft);
    pieces.push(draft.cut());
    ways.iter().for_each(|&place| draft.give_back(place));
    let butterflies = early.butterflies(&mut draft, &late);
    let mut consumer = Consumer::new(&mut draft, &constants, &factors, kept[1]);
    consumer.tell_lanes();
    pieces.extend(consumer.pieces(&butterflies));
    (pieces, kept)
}

pub(super) fn program(cooperation: Cooperation) -> Cooperative {
    let (draughted, kept) = drawn();
    let mut all = Assembly::new(cooperation, &draughted);
    let [producer, consumer] = ["producer", "consumer"].map(|name| all.b.label(name));
    // To one of the roles, and where the code lies.
    all.b.mov(ra(FOLLOWS), UNIF);
    all.b.mov(register(kept.count), UNIF);
    // QPUs of a slice that look up the same lines are to find them in the same cache.
    all.b.mov(TMU_NOSWAP, 1);
    all.b
        .brr(BranchCond::Always, producer)
        .plus(ra(FOLLOWS))
        .link(ra(BACK));
    all.b.mov(R0, UNIF);
    all.b.mov(register(kept.offset), 0);
    ahead::begin_code(&mut all.b);
    all.b.bind(producer);
    all.uniforms
        .extend([Word::Bytes(0), Word::Transforms, Word::ConsumerList]);
    assert_eq!(all.uniforms.len() as u32, Relay::HEAD);
    let from = all.uniforms.len();
    produce(&mut all, &kept);
    let to = all.uniforms.len();
    all.b.bind(consumer);
    all.b.mov(UNIFORMS_ADDRESS, R0);
    all.b.nops(2);
    consume(&mut all, &kept);
    let program = all.finish();
    let label = |wanted: &str| {
        let found = program.labels.iter().find(|(_, name)| name == wanted);
        found.map(|(at, _)| 8 * *at as u32).expect("a label")
    };
    let bytes = |from: &str, to: &str| label(to).wrapping_sub(label(from));
    assert_eq!(bytes("told", "round"), TO_ROUND);
    // The last line that consumers look up is code.
    let looked_up = CONSUMERS * LOOKUP_BYTES;
    assert!(label("round") + looked_up - 64 < 8 * program.code.len() as u32);
    let mut list = program.reads[..from].to_vec();
    list[0] = Word::OfConsumers(bytes("producer", "consumer"));
    list.extend(lists::of_producers(&program.reads[from..to], bytes));
    assert_eq!(list.len() as u32, Relay::CONSUMER);
    list.extend(lists::of_consumers(&program.reads[to..], bytes));
    Cooperative {
        uniforms: list,
        ..program
    }
}

fn produce(all: &mut Assembly, kept: &Kept) {
    let [write, rotate, keep, last, both, others, end] =
        ["write", "rotate", "keep", "last", "both", "others", "end"].map(|name| all.b.label(name));
    let [count, offset] = [kept.count, kept.offset].map(register);
    ahead::code(&mut all.b);
    all.piece(ONCE, None);
    let unit = all.b.here("unit");
    all.piece_around(LOAD, (ahead::CODE_DROPPED, ahead::drop_code), None);
    let half = all.b.here("half");
    let then = |all: &mut Assembly, piece, from| {
        all.b.mov(ra(FOLLOWS), UNIF);
        all.uniforms.push(Word::Bytes(0));
        let branch = |b: &mut Builder| {
            b.brr(BranchCond::Always, from).plus(ra(FOLLOWS));
        };
        all.piece(piece, Some(&branch));
    };
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
    all.b.mov(R1, UNIF);
    // A half once more: its code is what the next launch finds in the instruction cache.
    all.b.brr(BranchCond::AllZS, rotate);
    all.b.add(offset, offset, UNIF);
    all.uniforms.extend([Word::List, Word::Step]);
    all.b.nops(2);
    all.b.brr(BranchCond::Always, unit);
    all.b.mov(UNIFORMS_ADDRESS, R1);
    // A unit drops one lookup first ([`ahead::drop_code`]); any address will do.
    all.b.mov(TMU1_S, R1);
    all.b.nop();
    all.b.here("finish");
    all.b.end();
}

/// To what [`WAY`] says, counted from `base`, and back here; the next three instructions are done on the way.
fn call(b: &mut Builder, base: Label) {
    b.brr(BranchCond::Always, base).plus(ra(WAY)).link(ra(BACK));
}

/// The way to what a part does first, or behind itself: it finds that in its register.
fn way(b: &mut Builder) {
    b.mov(ra(WAY), UNIF);
}

fn consume(all: &mut Assembly, kept: &Kept) {
    let [next, ways, follower] = ["next", "ways", "follower"].map(|name| all.b.label(name));
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
    ahead::turns(all, 0);
    ahead::round(all);
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
    go_through(all, FROM_POINTS, &[(2, &way), (1, &leave)]);
    all.uniforms.extend([lists::OF_LIST; 2]);
    all.b.nop();
    all.b.here("done");
    // Lookups are dropped of which nothing was wanted but that lines came.
    all.b.add(offset, offset, UNIF).ldtmu0();
    all.b.mov(R1, UNIF).ldtmu1();
    all.b.mov(R0, UNIF);
    all.uniforms.extend([Word::Step, Word::List, Word::Peers]);
    all.b.sub(count, count, 1).setf();
    all.b.brr(BranchCond::AllZC, transform);
    all.b.mov(UNIFORMS_ADDRESS, R1);
    all.b.nop().ldtmu0();
    all.b.nop();
    all.b.here("ended");
    let others = (semaphore::STORED, CONSUMERS as usize - 1);
    close(&mut all.b, follower, others, &semaphore::MADE, |_| {});
    all.b.here("again");
    ahead::turns(all, 1);
    all.b.bind(next);
    all.piece_with(NEXT, &[(2, &go_on), (1, &way)]);
    all.uniforms.push(lists::OF_LIST);
    all.b.bind(ways);
    semaphore::ways(&mut all.b);
}

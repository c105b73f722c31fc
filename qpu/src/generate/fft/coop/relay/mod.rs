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
/// Of consumers: what is done once, early vectors of the next round into registers, those of the round behind it, these in
/// place of those, late vectors, and from there to their stores.
const CONSTANTS: usize = 9;
const READ_NEXT: usize = 10;
const READ_THEN: usize = 11;
const NEXT: usize = 12;
const READ_LATE: usize = 13;
const FROM_POINTS: usize = 14;

/// Registers of file A with the way to what a consumer waits for or tells others, and with where it goes on; even ones.
/// They are free where no vectors are waited for.
const WAY: u8 = 14;
const BACK: u8 = 30;
/// The same of producers: the way to what follows a half, or its pairs.
const FOLLOWS: u8 = 14;
/// Bytes of code from where consumers look ahead to a round.
const TO_ROUND: u32 = 8 * 36;

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
    early.read_next(&mut draft);
    pieces.push(draft.cut());
    early.read_then(&mut draft);
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
    assert_eq!(bytes("ahead", "points"), TO_ROUND);
    // The last line that consumers look up is code.
    let looked_up = CONSUMERS * LOOKUP_BYTES;
    assert!(label("points") + looked_up - 64 < 8 * program.code.len() as u32);
    let mut list = program.reads[..from].to_vec();
    list[0] = Word::OfConsumers(bytes("producer", "consumer"));
    list.extend(lists::of_producers(&program.reads[from..to], bytes));
    assert_eq!(list.len() as u32, Relay::CONSUMER);
    list.extend(lists::of_consumers(&program.reads[to..]));
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

/// To one of the ways; the next three instructions are done on the way.
fn go(b: &mut Builder, ways: Label) {
    b.brr(BranchCond::Always, ways).plus(ra(WAY)).link(ra(BACK));
}

/// What is waited for before vectors are read.
fn await_vectors(all: &mut Assembly, units: Units, ways: Label) {
    all.b.mov(ra(WAY), UNIF);
    all.b.nop();
    go(&mut all.b, ways);
    all.b.nops(3);
    all.uniforms.push(part(PartWord::Await(units)));
}

/// Reads vectors, and tells others.
fn read_and_pass(all: &mut Assembly, units: Units, piece: usize, ways: Label) {
    all.b.mov(ra(WAY), UNIF);
    all.uniforms.push(part(PartWord::PassOn(units)));
    let pass = |b: &mut Builder| go(b, ways);
    all.piece(piece, Some(&pass));
}

fn consume(all: &mut Assembly, kept: &Kept) {
    let [others, early, round, late, next, ways, follower] = [
        "others", "early", "round", "late", "next", "ways", "follower",
    ]
    .map(|name| all.b.label(name));
    let [count, offset] = [kept.count, kept.offset].map(register);
    all.uniforms.push(Word::Opens);
    open(&mut all.b, &semaphore::MADE);
    all.piece(CONSTANTS, None);
    let transform = all.b.here("transform");
    all.b.mov(NONE, UNIF).setf();
    all.uniforms.push(Word::Follows);
    all.b.brr(BranchCond::AllZC, others);
    all.b.nops(3);
    all.b.sacq(semaphore::STORED);
    all.b.brr(BranchCond::Always, early);
    all.b.sacq(semaphore::STORED);
    all.b.sacq(semaphore::STORED);
    all.b.srel(semaphore::GATES[1]);
    all.b.bind(others);
    all.b.srel(semaphore::STORED);
    all.b.bind(early);
    await_vectors(all, Units::Early, ways);
    all.b.mov(NONE, UNIF).setf();
    all.uniforms.push(part(PartWord::Next(Units::Early)));
    let to_late = |b: &mut Builder| {
        b.brr(BranchCond::AllZS, late);
    };
    all.piece(READ_NEXT, Some(&to_late));
    all.b.here("then");
    all.b.mov(ra(WAY), UNIF);
    all.uniforms.push(part(PartWord::PassOn(Units::Early)));
    all.b.nop();
    go(&mut all.b, ways);
    all.b.nops(3);
    await_vectors(all, Units::Early, ways);
    read_and_pass(all, Units::Early, READ_THEN, ways);
    all.b.here("ahead");
    ahead::turns_and_code(all);
    all.b.bind(round);
    await_vectors(all, Units::Late, ways);
    all.b.bind(late);
    read_and_pass(all, Units::Late, READ_LATE, ways);
    all.b.here("points");
    go_through(all, FROM_POINTS);
    all.b.mov(NONE, UNIF).setf();
    all.uniforms.push(part(PartWord::Next(Units::Late)));
    all.b.brr(BranchCond::AllNS, next);
    all.b.nops(3);
    all.b.brr(BranchCond::AllZC, early);
    all.b.nops(3);
    all.b.here("done");
    ahead::drop_turns(&mut all.b);
    all.b.add(offset, offset, UNIF);
    all.b.mov(R1, UNIF);
    all.b.mov(R0, UNIF);
    all.uniforms.extend([Word::Step, Word::List, Word::Peers]);
    all.b.sub(count, count, 1).setf();
    all.b.brr(BranchCond::AllZC, transform);
    all.b.mov(UNIFORMS_ADDRESS, R1);
    all.b.nops(2);
    let others = (semaphore::ENDED, CONSUMERS as usize - 1);
    close(&mut all.b, follower, others, &semaphore::MADE, |_| {});
    all.b.bind(next);
    ahead::turns_again(all);
    let back = |b: &mut Builder| {
        b.brr(BranchCond::Always, round);
    };
    all.piece(NEXT, Some(&back));
    all.b.bind(ways);
    semaphore::ways(&mut all.b);
}

//! The program of producers and consumers that hand transforms on through the VPM, and half of them through scratch memory.
//!
//! Put together as those of pipelines are ([`super::roles`]). The lists of uniforms of a producer's units, and of a
//! consumer's rounds, follow each other: all that differs between units is data.

mod consumer;
mod copy;
mod producer;
mod semaphore;

use super::roles::consumer::{Consumer, go_through};
use super::roles::semaphore::{close, open};
use super::roles::{begun, go_on};
use super::rows::Factors;
use super::{Assembly, Cooperative, Draughted, register};
use crate::fft::coop::{Cooperation, PartWord, Word};
use crate::fft::pipeline::CONSUMERS;
use crate::fft::relay::Relay;
use crate::generate::fft::draft::Wish;
use crate::generate::schedule::Place;
use crate::generate::{Builder, NONE, R0, R1, R3, TMU_NOSWAP, UNIF, UNIFORMS_ADDRESS, ra};
use crate::isa::{BranchCond, File};
use consumer::Points;
use producer::Producer;

/// Pieces of producers: what is done once, up to the outputs of the transform of 16 points, a half of them, its rounds, and
/// from the first half to the second.
const ONCE: usize = 0;
const LOAD: usize = 1;
const HALF: usize = 2;
const WRITE: usize = 3;
const GO_ON: usize = 4;
/// Of consumers: what is done once, the first lookups, rows of the VPM into registers, the other lookups, and from there to
/// their stores.
const CONSTANTS: usize = 5;
const ASK: usize = 6;
const READ: usize = 7;
const FETCH: usize = 8;
const FROM_POINTS: usize = 9;

/// Register of file A with the way to what a consumer waits for or tells others next; an even one.
const WAY: u8 = 18;

/// The label behind the rows of a round, where it was passed on.
const PASSED: &str = "passed";

/// Registers between pieces.
struct Kept {
    /// Transforms that are left.
    count: Place,
    /// Bytes from the first transform to this one.
    offset: Place,
    /// Bytes by which a consumer's lanes look further on.
    lanes: Place,
}

pub(super) fn draught() -> Draughted {
    drawn().0
}

fn drawn() -> (Draughted, Kept) {
    let mut pieces = produced();
    let (consumed, [count, offset], lanes) = consumed();
    pieces.extend(consumed);
    let draughted = Draughted {
        pieces,
        count,
        offset,
        opens: count,
    };
    let kept = Kept {
        count,
        offset,
        lanes,
    };
    (draughted, kept)
}

/// The pieces of producers.
fn produced() -> Vec<Vec<super::Operation>> {
    let (mut draft, constants, [_, offset]) = begun(producer::ADDRESSES);
    let producer = Producer::new(&mut draft, offset);
    producer.load_constants(&mut draft);
    let mut pieces = vec![draft.cut()];
    producer.begin(&mut draft);
    let outputs = producer.load(&mut draft, &constants);
    pieces.push(draft.cut());
    let vectors = producer.half(&mut draft, &constants, &outputs);
    pieces.push(draft.cut());
    producer.write(&mut draft, &vectors);
    pieces.push(draft.cut());
    producer.ask_ahead(&mut draft);
    go_on(&mut draft, &outputs);
    pieces.push(draft.cut());
    pieces
}

/// The pieces of consumers, what they keep in common with producers, and the register of lanes.
fn consumed() -> (Vec<Vec<super::Operation>>, [Place; 2], Place) {
    let (mut draft, constants, kept) = begun(consumer::ADDRESSES);
    draft.reserve(Place::Register(File::A, WAY));
    let lanes = draft.take(Wish::File(File::B));
    let points = Points::new(&mut draft);
    let factors = Factors::load(&mut draft, &constants, 2);
    consumer::lanes(&mut draft, lanes);
    let mut pieces = vec![draft.cut()];
    points.ask(&mut draft);
    pieces.push(draft.cut());
    let held = points.read(&mut draft);
    pieces.push(draft.cut());
    let mut consumer = Consumer::new(&mut draft, &constants, &factors, kept[1]);
    let butterflies = points.fetch(&mut consumer, held);
    pieces.push(consumer.draft.cut());
    pieces.extend(consumer.pieces(&butterflies));
    (pieces, kept, lanes)
}

pub(super) fn program(cooperation: Cooperation) -> Cooperative {
    let (draughted, kept) = drawn();
    let mut all = Assembly::new(cooperation, &draughted);
    let consumer = all.b.label("consumer");
    all.b.mov(register(kept.count), UNIF);
    // QPUs of a slice that look up the same lines are to find them in the same cache.
    all.b.mov(TMU_NOSWAP, 1);
    all.b.mov(NONE, UNIF).setf();
    all.b.brr(BranchCond::AllZC, consumer);
    all.b.mov(R0, UNIF);
    all.b.mov(register(kept.offset), 0);
    all.b.nop();
    all.uniforms
        .extend([Word::Transforms, Word::Role, Word::ConsumerList]);
    assert_eq!(all.uniforms.len() as u32, Relay::HEAD);
    let mut list = all.uniforms.clone();
    let from = all.uniforms.len();
    produce(&mut all, &kept);
    list.extend(producer_list(&all.uniforms[from..]));
    assert_eq!(list.len() as u32, Relay::CONSUMER);
    let from = all.uniforms.len();
    all.b.bind(consumer);
    all.b.mov(UNIFORMS_ADDRESS, R0);
    all.b.nops(2);
    let mark = consume(&mut all, &kept);
    list.extend(consumer_list(&all.uniforms[from..], mark - from));
    let program = all.finish();
    let label = |wanted: &str| {
        let found = program.labels.iter().find(|(_, name)| name == wanted);
        found.map(|(at, _)| 8 * *at as u32)
    };
    let between = label(PASSED).zip(label(copy::HERE));
    let bytes = between.map(|(to, from)| to - from);
    assert_eq!(bytes, Some(copy::ROUND_FROM_HERE));
    Cooperative {
        uniforms: list,
        ..program
    }
}

/// The word, of this part.
fn of_part(word: Word, part: u32, half: u8) -> Word {
    let part = part as u8;
    match word {
        Word::Part {
            word: PartWord::Then { .. },
            ..
        } => Word::Part {
            part,
            word: PartWord::Then { half },
        },
        Word::Part { word, .. } => Word::Part { part, word },
        Word::Store { index } => Word::Part {
            part,
            word: PartWord::Store { half: index },
        },
        word => word,
    }
}

/// The list of a producer that reads these words.
fn producer_list(reads: &[Word]) -> Vec<Word> {
    let (head, unit) = reads.split_at(Relay::PRODUCER_HEAD as usize);
    let (begin, half) = unit.split_at(Relay::UNIT as usize);
    let (half, end) = half.split_at(Relay::HALF as usize);
    let mut list = head.to_vec();
    for number in 0..Relay::UNITS {
        list.extend(begin.iter().map(|&word| of_part(word, number, 0)));
        for which in 0..2 {
            list.extend(half.iter().map(|&word| of_part(word, number, which)));
        }
    }
    list.extend(end);
    list
}

/// The list of a consumer that reads these words: those behind what is parked from `mark` on.
fn consumer_list(reads: &[Word], mark: usize) -> Vec<Word> {
    let (head, before) = reads[..mark].split_at(Relay::CONSUMER_HEAD as usize);
    let (before, copy) = before.split_at(Relay::BEFORE_COPIES as usize);
    let copy = &copy[..Relay::COPY_WORDS as usize];
    let (round, end) = reads[mark..].split_at(Relay::ROUND as usize);
    let mut list = [head, before].concat();
    for (words, times) in [(copy, Relay::COPIES), (round, Relay::ROUNDS)] {
        for number in 0..times {
            list.extend(words.iter().map(|&word| of_part(word, number, 0)));
        }
    }
    list.extend(end);
    list
}

/// A word of a part, put to its place by [`of_part`].
const fn part(word: PartWord) -> Word {
    Word::Part { part: 0, word }
}

fn produce(all: &mut Assembly, kept: &Kept) {
    let last = all.b.label("last");
    let [count, offset] = [kept.count, kept.offset].map(register);
    all.piece(ONCE, None);
    let unit = all.b.here("unit");
    all.piece(LOAD, None);
    let half = all.b.here("half");
    all.piece(HALF, None);
    all.b.mov(NONE, UNIF).setf();
    all.uniforms.push(part(PartWord::Then { half: 0 }));
    let end = |b: &mut Builder| {
        b.brr(BranchCond::AllNS, last);
    };
    all.piece(WRITE, Some(&end));
    all.b.brr(BranchCond::AllZS, unit);
    all.b.nops(3);
    let back = |b: &mut Builder| {
        b.brr(BranchCond::Always, half);
    };
    all.piece(GO_ON, Some(&back));
    all.b.bind(last);
    all.b.add(offset, offset, UNIF);
    all.b.mov(R1, UNIF);
    all.uniforms.extend([Word::Step, Word::List]);
    all.b.sub(count, count, 1).setf();
    all.b.brr(BranchCond::AllZC, unit);
    all.b.mov(UNIFORMS_ADDRESS, R1);
    all.b.nops(2);
    all.b.end();
}

/// Writes consumers; gives how many words are read before those of rounds.
fn consume(all: &mut Assembly, kept: &Kept) -> usize {
    let [rounds, await_turn, turned, read, pass_on, passed, follower] = [
        "rounds",
        "await-turn",
        "turned",
        "read",
        "pass-on",
        PASSED,
        "follower",
    ]
    .map(|name| all.b.label(name));
    let [count, offset, lanes] = [kept.count, kept.offset, kept.lanes].map(register);
    all.uniforms.push(Word::Opens);
    open(&mut all.b, &semaphore::MADE);
    all.piece(CONSTANTS, None);
    let transform = all.b.here("transform");
    copy::put(all, offset, rounds);
    let mark = all.uniforms.len();
    all.b.bind(rounds);
    all.b.mov(ra(WAY), UNIF);
    all.b.add(R0, lanes, UNIF);
    all.b.shr(R1, offset, 1);
    all.b.brr(BranchCond::Always, await_turn).plus(ra(WAY));
    all.b.add(R3, R0, R1);
    all.b.mov(ra(WAY), UNIF);
    all.b.nop();
    all.uniforms
        .extend([PartWord::Turn, PartWord::Input, PartWord::Written].map(part));
    all.b.bind(turned);
    let written = all.b.label("written");
    let await_written = |b: &mut Builder| {
        b.brr(BranchCond::Always, written).plus(ra(WAY));
    };
    all.piece(ASK, Some(&await_written));
    all.b.bind(written);
    semaphore::await_written(&mut all.b, read);
    all.b.bind(read);
    all.b.mov(ra(WAY), UNIF);
    all.uniforms.push(part(PartWord::PassOn));
    let pass = |b: &mut Builder| {
        b.brr(BranchCond::Always, pass_on).plus(ra(WAY));
    };
    all.piece(READ, Some(&pass));
    all.b.bind(passed);
    all.piece(FETCH, None);
    go_through(all, FROM_POINTS);
    all.b.mov(NONE, UNIF).setf();
    all.uniforms.push(part(PartWord::Last));
    all.b.brr(BranchCond::AllZS, rounds);
    all.b.nops(3);
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
    all.b.bind(await_turn);
    semaphore::await_turn(&mut all.b, turned);
    all.b.bind(pass_on);
    semaphore::pass_on(&mut all.b, passed);
    mark
}

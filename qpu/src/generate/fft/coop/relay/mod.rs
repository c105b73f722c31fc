//! The program of producers and consumers that hand transforms on through scratch memory.
//!
//! Put together as those of pipelines are ([`super::roles`]). The lists of uniforms of a producer's units, and of a
//! consumer's rounds, follow each other, each naming the next: all that differs between units is data.

mod consumer;
mod producer;
mod semaphore;

use super::roles::consumer::{Consumer, go_through};
use super::roles::semaphore::{close, open, ways, ways_on};
use super::roles::{begun, go_on};
use super::rows::Factors;
use super::{Assembly, Cooperative, Draughted, register};
use crate::fft::coop::{Cooperation, PartWord, Word};
use crate::fft::relay::Relay;
use crate::generate::fft::draft::Wish;
use crate::generate::schedule::{Destination, Place};
use crate::generate::{
    Builder, NONE, R0, R1, R2, R3, ST_WAIT, UNIF, UNIFORMS_ADDRESS, WR_SETUP, ra,
};
use crate::isa::{BranchCond, File, SemaphoreAction};
use consumer::Lookups;
use producer::Producer;

/// Pieces of producers: what is done once, up to the outputs of the transform of 16 points, a half of them, its store,
/// and from the first half to the second.
const ONCE: usize = 0;
const LOAD: usize = 1;
const HALF: usize = 2;
const PARK: usize = 3;
const GO_ON: usize = 4;
/// Of consumers: what is done once, lookups into registers, and from there to their stores.
const CONSTANTS: usize = 5;
const READ: usize = 6;
const FROM_POINTS: usize = 7;

/// Register of file A with the way to what a program waits for; an even one.
const WAY: u8 = 18;
/// The same with the way to what a consumer tells others.
const AFTER: u8 = 16;

/// Registers between pieces.
struct Kept {
    /// Transforms or rounds that are left.
    count: Place,
    /// Bytes from the first transform to this one.
    offset: Place,
    /// Halves of a unit that are left.
    halves: Place,
    /// Bytes by which a consumer's lanes look further on.
    lanes: Place,
}

pub(super) fn draught() -> Draughted {
    drawn().0
}

fn drawn() -> (Draughted, Kept) {
    let (mut pieces, halves) = produced();
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
        halves,
        lanes,
    };
    (draughted, kept)
}

/// The pieces of producers, and the register that counts halves.
fn produced() -> (Vec<Vec<super::Operation>>, Place) {
    let (mut draft, constants, [_, offset]) = begun(producer::ADDRESSES);
    draft.reserve(Place::Register(File::A, WAY));
    let halves = draft.take(Wish::File(File::A));
    let producer = Producer::new(&mut draft, offset);
    producer.load_constants(&mut draft);
    let mut pieces = vec![draft.cut()];
    producer.begin(&mut draft);
    let outputs = producer.load(&mut draft, &constants);
    pieces.push(draft.cut());
    let vectors = producer.half(&mut draft, &constants, &outputs);
    pieces.push(draft.cut());
    producer.park(&mut draft, &vectors);
    pieces.push(draft.cut());
    producer.ask_ahead(&mut draft);
    go_on(&mut draft, &outputs);
    pieces.push(draft.cut());
    (pieces, halves)
}

/// The pieces of consumers, what they keep in common with producers, and the register of lanes.
fn consumed() -> (Vec<Vec<super::Operation>>, [Place; 2], Place) {
    let (mut draft, constants, kept) = begun(consumer::ADDRESSES);
    draft.reserve(Place::Register(File::A, WAY));
    draft.reserve(Place::Register(File::A, AFTER));
    let [step, lanes] = [(); 2].map(|()| draft.take(Wish::File(File::B)));
    let lookups = Lookups { step };
    let factors = Factors::load(&mut draft, &constants, 2);
    let to = [Destination::Place(step), Destination::Nothing];
    draft.immediate(Relay::ROUND_STEP, to);
    consumer::lanes(&mut draft, lanes);
    let mut pieces = vec![draft.cut()];
    let mut consumer = Consumer::new(&mut draft, &constants, &factors, kept[1]);
    let butterflies = lookups.read(&mut consumer);
    pieces.push(consumer.draft.cut());
    pieces.extend(consumer.pieces(&butterflies));
    (pieces, kept, lanes)
}

pub(super) fn program(cooperation: Cooperation) -> Cooperative {
    let (draughted, kept) = drawn();
    let mut all = Assembly::new(cooperation, &draughted);
    let consumer = all.b.label("consumer");
    all.b.mov(NONE, UNIF).setf();
    all.b.brr(BranchCond::AllZC, consumer);
    all.b.mov(R0, UNIF);
    all.b.mov(register(kept.offset), 0);
    all.b.nop();
    all.uniforms.extend([Word::Role, Word::ConsumerList]);
    assert_eq!(all.uniforms.len() as u32, Relay::HEAD);
    let mut list = all.uniforms.clone();
    let from = all.uniforms.len();
    let mark = produce(&mut all, &kept);
    list.extend(producer_list(&all.uniforms[from..], mark - from));
    let from = all.uniforms.len();
    all.b.bind(consumer);
    all.b.mov(UNIFORMS_ADDRESS, R0);
    all.b.nops(2);
    consume(&mut all, &kept);
    list.extend(consumer_list(&all.uniforms[from..]));
    let program = all.finish();
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
            word: PartWord::Store { .. },
            ..
        } => Word::Part {
            part,
            word: PartWord::Store { half },
        },
        Word::Part { word, .. } => Word::Part { part, word },
        Word::Store { index } => Word::Part {
            part,
            word: PartWord::Store { half: index },
        },
        word => word,
    }
}

/// The list of a producer that reads these words, those of a half from `half` on.
fn producer_list(reads: &[Word], half: usize) -> Vec<Word> {
    let (head, unit) = reads.split_at(Relay::PRODUCER_HEAD as usize);
    let (begin, half) = unit.split_at(half - head.len());
    let (half, end) = half.split_at(3);
    let mut list = head.to_vec();
    for number in 0..Relay::UNITS {
        let first = list.len();
        list.extend(begin.iter().map(|&word| of_part(word, number, 0)));
        for which in 0..2 {
            list.extend(half.iter().map(|&word| of_part(word, number, which)));
        }
        list.extend(end.iter().map(|&word| of_part(word, number, 0)));
        assert_eq!((list.len() - first) as u32, Relay::UNIT);
    }
    list
}

/// The list of a consumer that reads these words.
fn consumer_list(reads: &[Word]) -> Vec<Word> {
    let (head, round) = reads.split_at(Relay::CONSUMER_HEAD as usize);
    assert_eq!(round.len() as u32, Relay::ROUND);
    let rounds = (0..Relay::ROUNDS).flat_map(|number| {
        let words = round.iter();
        words.map(move |&word| of_part(word, number, 0))
    });
    head.iter().copied().chain(rounds).collect()
}

/// A word of a part, put to its place by [`of_part`].
const fn part(word: PartWord) -> Word {
    Word::Part { part: 0, word }
}

/// Writes producers; gives how many words are read before those of a half.
fn produce(all: &mut Assembly, kept: &Kept) -> usize {
    let names = ["second", "take", "give-back", "last", "barrier"];
    let [second, take, give_back, last, barrier] = names.map(|name| all.b.label(name));
    let [count, halves, offset] = [kept.count, kept.halves, kept.offset].map(register);
    all.b.mov(count, UNIF);
    all.b.mov(WR_SETUP, UNIF);
    all.b.mov(ra(WAY), UNIF);
    all.uniforms
        .extend([Word::Transforms, Word::StoreStride { index: 0 }, Word::Turn]);
    all.b.mov(halves, 1);
    all.piece(ONCE, None);
    let unit = all.b.here("unit");
    all.piece(LOAD, None);
    let mark = all.uniforms.len();
    let half = all.b.here("half");
    let call = |b: &mut Builder| {
        b.brr(BranchCond::Always, take).plus(ra(WAY));
    };
    all.piece(HALF, Some(&call));
    all.b.bind(take);
    let locks = semaphore::LOCKS;
    ways_on(&mut all.b, SemaphoreAction::Decrement, locks, "taken");
    all.piece(PARK, None);
    all.b.brr(BranchCond::Always, give_back).plus(ra(WAY));
    all.b.mov(NONE, ST_WAIT);
    all.b.sub(halves, halves, 1).setf();
    all.b.nop();
    all.b.bind(give_back);
    ways_on(&mut all.b, SemaphoreAction::Increment, locks, "given-back");
    all.b.brr(BranchCond::AllNS, second);
    all.b.nops(3);
    all.b.srel(semaphore::STORED[0]);
    let back = |b: &mut Builder| {
        b.brr(BranchCond::Always, half);
    };
    all.piece(GO_ON, Some(&back));
    all.b.bind(second);
    all.b.srel(semaphore::STORED[1]);
    all.b.add(offset, offset, UNIF);
    all.b.mov(R1, UNIF);
    all.b.mov(NONE, UNIF).setf();
    all.uniforms
        .extend([PartWord::Step, PartWord::List, PartWord::Last].map(part));
    all.b.brr(BranchCond::AllZS, unit);
    all.b.mov(R2, UNIF);
    all.uniforms.push(Word::Follows);
    all.b.mov(UNIFORMS_ADDRESS, R1);
    all.b.mov(halves, 1);
    all.b.bind(last);
    all.b.sub(count, count, 1).setf();
    all.b.brr(BranchCond::AllZC, barrier);
    all.b.nops(3);
    all.b.end();

    all.b.bind(barrier);
    semaphore::barrier(&mut all.b, unit);
    mark
}

fn consume(all: &mut Assembly, kept: &Kept) {
    let [await_turn, turned, pass_on, passed, done] =
        ["await-turn", "turned", "pass-on", "passed", "done"].map(|name| all.b.label(name));
    let [count, offset] = [kept.count, kept.offset].map(register);
    all.uniforms.push(Word::Opens);
    open(&mut all.b, &semaphore::MADE);
    all.b.mov(count, UNIF);
    all.b.mov(ra(AFTER), UNIF);
    all.uniforms.extend([Word::Rounds, Word::Turn]);
    all.piece(CONSTANTS, None);
    let round = all.b.here("round");
    all.b.mov(ra(WAY), UNIF);
    all.b.add(R0, register(kept.lanes), UNIF);
    all.b.brr(BranchCond::Always, await_turn).plus(ra(WAY));
    all.b.add(R3, offset, R0);
    all.b.nops(2);
    all.uniforms
        .extend([PartWord::Await, PartWord::Input].map(part));
    all.b.bind(turned);
    let pass = |b: &mut Builder| {
        b.brr(BranchCond::Always, pass_on).plus(ra(AFTER));
    };
    all.piece(READ, Some(&pass));
    all.b.bind(passed);
    go_through(all, FROM_POINTS);
    all.count(BranchCond::AllZS, done);
    all.b.mov(R0, UNIF);
    all.uniforms.push(Word::Peers);
    all.b.add(offset, offset, UNIF);
    all.b.mov(R1, UNIF);
    all.uniforms
        .extend([PartWord::Step, PartWord::List].map(part));
    all.b.brr(BranchCond::Always, round);
    all.b.mov(UNIFORMS_ADDRESS, R1);
    all.b.nops(2);
    all.b.bind(done);
    let others = (semaphore::ENDED, semaphore::TURNS.len() - 1);
    let follower = all.b.label("follower");
    close(&mut all.b, follower, others, &semaphore::MADE, |_| {});
    all.b.bind(await_turn);
    semaphore::await_turn(&mut all.b, turned);
    all.b.bind(pass_on);
    let next = semaphore::TURNS.into_iter().cycle().skip(1);
    let next = next.take(semaphore::TURNS.len());
    ways(&mut all.b, SemaphoreAction::Increment, next, passed);
}

//! Programs of producers and consumers that hand transforms on through the VPM.
//!
//! One program does both: its first uniform says which ([`crate::fft::pipeline`]). What producers
//! do follows the beginning and what consumers do follows that, each without a gap: where there are
//! QPUs enough, a slice runs one of them, whose words its instruction cache then holds.

mod consumer;
mod producer;
mod semaphore;

use super::roles::consumer::{Consumer, FROM_POINTS, go_through};
use super::roles::semaphore::{open, ways};
use super::roles::{Assembly, Draughted, Operation, begun};
use super::rows::Factors;
use super::{Branch, Cooperative, Phase, Piece, Tried, named, register};
use crate::fft::pass::Pass;
use crate::fft::pipeline::Pipeline;
use crate::fft::words::Word;
use crate::generate::fft::dft16::butterflies;
use crate::generate::fft::draft::Wish;
use crate::generate::schedule::Place;
use crate::generate::{Builder, Label, NONE, R0, R1, R2, UNIF, UNIFORMS_ADDRESS, ra};
use crate::isa::{BranchCond, File};
use producer::{Producer, go_on};
use semaphore::{Gates, LINK, WAY};

/// Pieces of producers: up to the outputs of the transform of 16 points, a half of them up to the
/// first round, and from the first half to the second what comes behind its first round and what
/// behind its last.
const LOAD: Phase = "load";
const HALF: Phase = "half";
const ASK_AHEAD: Phase = "ask-ahead";
const GO_ON: Phase = "go-on";
const PRODUCED: [Phase; 4] = [LOAD, HALF, ASK_AHEAD, GO_ON];
/// Pieces of consumers: what is done once, rows of the VPM into registers, and from there to their
/// stores ([`FROM_POINTS`]).
const CONSTANTS: Phase = "constants";
const READ: Phase = "read";
/// The first round of a half of a producer's outputs; then what leads to the next round, and that
/// round.
const WRITES: [Phase; 7] = [
    "write-0",
    "to-write-1",
    "write-1",
    "to-write-2",
    "write-2",
    "to-write-3",
    "write-3",
];

/// Register of file A with the way to what this consumer waits for; an even one, as the register
/// with the way to what it tells others is.
const TURN: u8 = 18;

/// Registers between pieces.
struct Kept {
    /// Transforms or rounds that are left.
    count: Place,
    /// Bytes from the program's first output, or input, to this one.
    offset: Place,
    /// Bytes from each of a consumer's rounds to the next: in lane 0 for this one, the others above
    /// it.
    steps: Place,
    /// Halves of a producer's transform that are left.
    halves: Place,
    /// Setup of the read that waits for a producer's writes.
    drain: Place,
    /// For several groups: a producer's ways to its two gates together, and those on which a
    /// consumer passes its rounds on.
    both: Option<[Place; 2]>,
}

pub(super) fn draught(pipeline: Pipeline) -> Draughted {
    drawn(pipeline).0
}

fn drawn(pipeline: Pipeline) -> (Draughted, Kept) {
    let (mut pieces, [halves, drain], both_gates) = produced(pipeline);
    let (consumed, [count, offset], steps, both_on) = consumed(pipeline);
    let writes = pieces.split_off(PRODUCED.len());
    let mut pieces = named(&PRODUCED, pieces);
    pieces.extend(consumed);
    pieces.extend(named(&WRITES, writes));
    let opens = count;
    let draughted = Draughted {
        pieces,
        count,
        offset,
        opens,
    };
    let kept = Kept {
        count,
        offset,
        steps,
        halves,
        drain,
        both: both_gates.zip(both_on).map(<[_; 2]>::from),
    };
    (draughted, kept)
}

/// The pieces of producers; the registers that count halves, that say how writes are waited for,
/// and, if there are groups, what the ways to two gates are together.
fn produced(pipeline: Pipeline) -> (Vec<Vec<Operation>>, [Place; 2], Option<Place>) {
    let (mut draft, constants, [_, offset]) = begun(producer::ADDRESSES);
    let has_groups = pipeline.groups() > 1;
    let both = has_groups.then(|| {
        for number in [LINK, WAY] {
            draft.reserve(Place::Register(File::A, number));
        }
        draft.take(Wish::File(File::B))
    });
    let load_constants = draft.cut();
    let [addresses, halves, write, drain] = [(); 4].map(|()| draft.take(Wish::File(File::A)));
    let [row_step, vector_step] = [(); 2].map(|()| draft.take(Wish::File(File::B)));
    let turns: Vec<_> = (1..pipeline.lane_rows())
        .map(|k_x| [(); 2].map(|()| draft.take(Wish::File(producer::file_of_turn(k_x)))))
        .collect();
    let producer = Producer {
        pipeline,
        offset,
        addresses,
        row_step,
        vector_step,
        turns: &turns,
        setups: [write, drain],
    };
    producer.begin(&mut draft);
    for operation in load_constants {
        draft.push(operation);
    }
    let outputs = producer.load(&mut draft, &constants);
    let load = draft.cut();
    let mut rounds = producer.half(&mut draft, &outputs);
    let half = draft.cut();
    let mut writes = Vec::new();
    for (round, vectors) in rounds.iter_mut().enumerate() {
        if round > 0 {
            producer.round(&mut draft, round, vectors);
            writes.push(draft.cut());
        }
        if has_groups {
            producer.write(&mut draft, vectors);
        } else {
            producer.write_in_turn(&mut draft, round, vectors);
        }
        writes.push(draft.cut());
    }
    producer.ask_ahead(&mut draft);
    let ask_ahead = draft.cut();
    go_on(&mut draft, &outputs);
    let mut pieces = vec![load, half, ask_ahead, draft.cut()];
    pieces.extend(writes);
    (pieces, [halves, drain], both)
}

/// The pieces of consumers, what they keep in common with producers, and the registers of steps
/// and, if there are groups, of two ways together.
fn consumed(pipeline: Pipeline) -> (Vec<Piece<Word>>, [Place; 2], Place, Option<Place>) {
    let (mut draft, constants, kept) = begun(Place::R4);
    for number in [TURN, WAY] {
        draft.reserve(Place::Register(File::A, number));
    }
    let steps = draft.take(Wish::File(File::B));
    let both = (pipeline.groups() > 1).then(|| draft.take(Wish::File(File::B)));
    let factors = Factors::load(&mut draft, &constants);
    let mut pieces = vec![(CONSTANTS, draft.cut())];
    let mut consumer = Consumer::new(&mut draft, &constants, &factors, kept[1]);
    consumer::read(&mut consumer);
    pieces.push((READ, consumer.draft.cut()));
    let butterflies = butterflies(&mut consumer);
    pieces.extend(named(&FROM_POINTS, consumer.pieces(&butterflies)));
    (pieces, kept, steps, both)
}

pub(super) fn program(pass: Pass, pipeline: Pipeline, tried: Tried<'_>) -> Cooperative {
    let (draughted, kept) = drawn(pipeline);
    let mut all = Assembly::new(pass, &draughted, tried);
    let consumer = all.b.label("consumer");
    all.b.mov(NONE, UNIF).setf();
    all.b.brr(BranchCond::AllZC, consumer);
    all.b.mov(R0, UNIF);
    all.b.mov(register(kept.offset), 0);
    all.b.nop();
    all.uniforms.extend([Word::Role, Word::ConsumerList]);
    assert_eq!(all.uniforms.len() as u32, Pipeline::HEAD);
    produce(&mut all, pipeline, &kept);
    all.b.bind(consumer);
    all.b.mov(UNIFORMS_ADDRESS, R0);
    all.b.nops(3);
    consume(&mut all, pipeline, &kept);
    all.finish()
}

fn produce(all: &mut Assembly, pipeline: Pipeline, kept: &Kept) {
    let [last, ended] = ["last", "ended"].map(|name| all.b.label(name));
    let halves = register(kept.halves);
    let gates = kept.both.map(|[both, _]| {
        let registers = [kept.drain, both].map(register);
        Gates::new(&mut all.b, registers)
    });
    let call = |way: fn(Gates) -> Label| {
        gates.map(|gates| move |b: &mut Builder| Gates::call(b, way(gates)))
    };
    let [enter, leave] = [call(|gates| gates.enter), call(|gates| gates.leave)];
    let enter: Option<Branch> = enter.as_ref().map(|call| call as _);
    let leave: Option<Branch> = leave.as_ref().map(|call| call as _);
    all.b.mov(register(kept.count), UNIF);
    all.uniforms.push(Word::Transforms);
    if let Some(gates) = gates {
        all.b.mov(ra(WAY), UNIF);
        all.b.mov(gates.both, UNIF);
        let gate = |both| Word::Gate { both };
        all.uniforms.extend([false, true].map(gate));
    }
    let again = all.b.here("produce");
    all.b.mov(halves, 1);
    all.piece(LOAD, None);
    let half = all.b.here("half");
    let rounds = pipeline.lane_rows() as usize;
    let (&last_write, writes) = WRITES[..2 * rounds - 1].split_last().expect("rounds");
    all.piece(HALF, enter.filter(|_| rounds > 1));
    for (number, write) in (1..).zip(writes.chunks_exact(2)) {
        all.piece(write[0], leave);
        let is_last = number + 1 == rounds;
        all.piece(write[1], enter.filter(|_| !is_last));
    }
    // The next twiddles are asked for while the gate is closed. What follows is there twice, once
    // for what is on its way in the TMUs.
    all.b.sub(halves, halves, 1).setf();
    all.b.brr(BranchCond::AllNS, last);
    all.b.nops(3);
    all.piece(ASK_AHEAD, enter);
    all.piece(last_write, leave);
    let back = |b: &mut Builder| {
        b.brr(BranchCond::Always, half);
    };
    all.piece(GO_ON, Some(&back));
    all.b.bind(last);
    if let Some(enter) = enter {
        enter(&mut all.b);
        all.b.nops(3);
    }
    all.piece(last_write, leave);
    all.count(BranchCond::AllZS, ended);
    all.again(again, [Word::Step, Word::List]);
    if let Some(gates) = gates {
        gates.put(&mut all.b, pipeline);
    }
    all.b.bind(ended);
    all.b.end();
    assert_eq!(all.uniforms.len() as u32, pipeline.producer_words());
}

fn consume(all: &mut Assembly, pipeline: Pipeline, kept: &Kept) {
    let [await_turn, turned, pass_on, passed, done, follower] = [
        "await-turn",
        "turned",
        "pass-on",
        "passed",
        "done",
        "follower",
    ]
    .map(|name| all.b.label(name));
    let [count, offset, steps] = [kept.count, kept.offset, kept.steps].map(register);
    let both = kept.both.map(|[_, both]| register(both));
    all.uniforms.push(Word::Opens);
    open(&mut all.b, &semaphore::MADE);
    all.b.mov(ra(TURN), UNIF);
    all.uniforms.extend([Word::Turn, Word::Rounds]);
    if let Some(both) = both {
        all.b.mov(count, UNIF).setf();
        all.b.brr(BranchCond::AllZS, follower);
        all.b.mov(ra(WAY), UNIF);
        all.b.mov(both, UNIF);
        let way = |both| Word::PassOn { both };
        all.uniforms.extend([false, true].map(way));
    } else {
        all.b.mov(count, UNIF);
    }
    all.b.mov(steps, UNIF);
    all.uniforms.push(Word::RoundStep);
    all.piece(CONSTANTS, None);
    let head = pipeline.producer_words() + pipeline.consumer_head();
    assert_eq!(all.uniforms.len() as u32, head);
    let round = all.b.here("round");
    if both.is_some() {
        all.b.brr(BranchCond::Always, await_turn).plus(ra(TURN));
        all.b.nops(3);
    } else {
        all.b.shr(R0, ra(TURN), 2);
        let ways_on = Pipeline::WAY_ON as i32;
        all.b.mul24(R0, R0, ways_on);
        all.b.brr(BranchCond::Always, await_turn).plus(ra(TURN));
        all.b.mov(ra(WAY), R0);
        all.b.nops(2);
    }
    all.b.bind(turned);
    for _ in 0..pipeline.producers() {
        all.b.sacq(semaphore::WRITTEN);
    }
    let pass = |b: &mut Builder| {
        b.brr(BranchCond::Always, pass_on).plus(ra(WAY));
    };
    all.piece(READ, Some(&pass));
    all.b.bind(passed);
    go_through(all);
    all.count(BranchCond::AllZS, done);
    all.b.mov(R0, UNIF);
    all.uniforms.push(Word::Peers);
    all.b.mov(R2, steps);
    all.b.mov(R0, UNIF);
    all.b.mov(R1, UNIF);
    if let Some(both) = both {
        all.b.sub(ra(WAY), both, ra(WAY));
    }
    all.b.brr(BranchCond::Always, round);
    all.b.mov(UNIFORMS_ADDRESS, R1);
    all.b.add(offset, offset, R2);
    all.b.sub(steps, R0, R2);
    all.uniforms.extend([Word::RoundSteps, Word::RoundList]);
    all.b.bind(done);
    semaphore::close(&mut all.b, pipeline, follower);
    all.b.bind(await_turn);
    let turns = semaphore::TURNS;
    ways(&mut all.b, turns, turned);
    all.b.bind(pass_on);
    semaphore::pass_on(&mut all.b, pipeline, passed);
}

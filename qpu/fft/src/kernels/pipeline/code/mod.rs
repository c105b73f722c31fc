//! Programs of producers and consumers that hand transforms on through the VPM.
//!
//! One program does both: its first uniform says which ([`crate::kernels::pipeline::layout`]).
//! What producers do follows the beginning and what consumers do follows that, each without a gap:
//! where there are QPUs enough, a slice runs one of them, whose words its instruction cache then
//! holds.

mod gates;
mod producer;

use self::gates::{Gates, LINK, WAY};
use super::Pipeline;
use super::roles::consumer::Consumer;
use super::roles::{Assembly, HALVES, Pieces, begin, open};
use super::uniforms::Word;
use crate::codelet::op_list::{OpList, Wish};
use crate::codelet::radix16::butterfly_of;
use crate::codelet::register;
use crate::kernels::generated::Generated;
use crate::kernels::one_pass::lookups::ADDRESSES;
use crate::kernels::one_pass::program::{Branch, Phase, Piece, Tried};
use crate::kernels::one_pass::rows::Factors;
use producer::{Producer, go_on};
use qpu::generate::schedule::Place;
use qpu::generate::{Builder, Label, NONE, R0, R1, R2, Reg, ST_WAIT, UNIF, UNIFORMS_ADDRESS, ra};
use qpu::isa::{BranchCond, File};

/// The rounds of a half of a producer's outputs.
const WRITES: [Phase; 4] = ["write-0", "write-1", "write-2", "write-3"];
/// What leads from a round to the next.
const TO_WRITES: [Phase; 3] = ["to-write-1", "to-write-2", "to-write-3"];

/// Register of file A with the way to what this consumer waits for; an even one, as the register
/// with the way to what it tells others is.
const SLOT: u8 = 18;

/// Registers between pieces.
pub struct PipelineRegisters {
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

pub fn build(pipeline: Pipeline) -> (Pieces, PipelineRegisters) {
    let (mut pieces, [halves, drain], both_gates) = produced(pipeline);
    let (consumed, [count, offset], steps, both_on) = consumed(pipeline);
    pieces.extend(consumed);
    let built = Pieces {
        pieces,
        count,
        offset,
    };
    let kept = PipelineRegisters {
        steps,
        halves,
        drain,
        both: both_gates.zip(both_on).map(<[_; 2]>::from),
    };
    (built, kept)
}

/// The pieces of producers: up to the outputs of the transform of 16 points, a half of them up to
/// the first round, [`WRITES`] and [`TO_WRITES`], and from the first half to the second what comes
/// behind its first round and what behind its last. The registers that count halves and that say
/// how writes are waited for; and, if there are groups, what the ways to two gates are together.
fn produced(pipeline: Pipeline) -> (Vec<Piece<Word>>, [Place; 2], Option<Place>) {
    let (mut ops, constants, [_, offset]) = begin(OpList::new(ADDRESSES), [File::A; 2]);
    let has_groups = pipeline.groups() > 1;
    let both = has_groups.then(|| {
        for number in [LINK, WAY] {
            ops.reserve(Place::Register(File::A, number));
        }
        ops.take(Wish::File(File::B))
    });
    let load_constants = ops.cut();
    let [addresses, halves, write, drain] = [(); 4].map(|()| ops.take(Wish::File(File::A)));
    let [row_step, vector_step] = [(); 2].map(|()| ops.take(Wish::File(File::B)));
    let roots: Vec<_> = (1..pipeline.lane_rows())
        .map(|k_x| [(); 2].map(|()| ops.take(Wish::File(producer::file_of_root(k_x)))))
        .collect();
    let producer = Producer {
        pipeline,
        offset,
        addresses,
        row_step,
        vector_step,
        roots: &roots,
        setups: [write, drain],
    };
    producer.begin(&mut ops);
    for operation in load_constants {
        ops.push(operation);
    }
    let outputs = producer.load(&mut ops, &constants);
    let mut pieces = vec![("load", ops.cut())];
    let mut rounds = producer.half(&mut ops, &outputs);
    pieces.push(("half", ops.cut()));
    for (round, vectors) in rounds.iter_mut().enumerate() {
        if round > 0 {
            producer.round(&mut ops, round, vectors);
            pieces.push((TO_WRITES[round - 1], ops.cut()));
        }
        if has_groups {
            producer.write(&mut ops, vectors);
        } else {
            producer.write_in_order(&mut ops, round, vectors);
        }
        pieces.push((WRITES[round], ops.cut()));
    }
    producer.ask_ahead(&mut ops);
    pieces.push(("ask-ahead", ops.cut()));
    go_on(&mut ops, &outputs);
    pieces.push(("go-on", ops.cut()));
    (pieces, [halves, drain], both)
}

/// The pieces of consumers: what is done once, rows of the VPM into registers, and
/// [`Consumer::pieces`]. What they keep in common with producers, and the registers of steps and,
/// if there are groups, of two ways together.
fn consumed(pipeline: Pipeline) -> (Vec<Piece<Word>>, [Place; 2], Place, Option<Place>) {
    let (mut ops, constants, kept) = begin(OpList::new(Place::R4), [File::A; 2]);
    for number in [SLOT, WAY] {
        ops.reserve(Place::Register(File::A, number));
    }
    let steps = ops.take(Wish::File(File::B));
    let both = (pipeline.groups() > 1).then(|| ops.take(Wish::File(File::B)));
    let factors = Factors::load(&mut ops, &constants);
    let mut pieces = vec![("constants", ops.cut())];
    let mut consumer = Consumer::new(&mut ops, &constants, &factors, kept[1]);
    let points = consumer.read();
    pieces.push(("read", consumer.ops.cut()));
    let butterflies =
        std::array::from_fn(|n| butterfly_of(consumer.ops, n, [points[n], points[n + 8]]));
    pieces.extend(consumer.pieces(&butterflies));
    (pieces, kept, steps, both)
}

pub fn program(pipeline: Pipeline, tried: Tried<'_>) -> Generated {
    let (built, kept) = build(pipeline);
    let registers = [built.count, built.offset].map(register);
    let mut all = Assembly::new(&pipeline, &built, tried);
    let consumer = all.b.label("consumer");
    all.b.mov(NONE, UNIF).setf();
    all.b.brr(BranchCond::AllZC, consumer);
    all.b.mov(R0, UNIF);
    all.b.mov(registers[1], 0);
    all.b.nop();
    all.uniforms.extend([Word::Role, Word::ConsumerList]);
    assert_eq!(all.uniforms.len() as u32, Pipeline::HEAD);
    produce(&mut all, pipeline, registers[0], &kept);
    all.b.bind(consumer);
    all.b.mov(UNIFORMS_ADDRESS, R0);
    all.b.nops(3);
    consume(&mut all, pipeline, registers, &kept);
    all.finish()
}

fn produce(all: &mut Assembly, pipeline: Pipeline, count: Reg, kept: &PipelineRegisters) {
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
    all.b.mov(count, UNIF);
    all.uniforms.push(Word::Transforms);
    if let Some(gates) = gates {
        all.b.mov(ra(WAY), UNIF);
        all.b.mov(gates.both, UNIF);
        let gate = |both| Word::Gate { both };
        all.uniforms.extend([false, true].map(gate));
    }
    let again = all.b.here("produce");
    all.b.mov(halves, 1);
    all.piece("load", None);
    let half = all.b.here("half");
    let rounds = pipeline.lane_rows() as usize;
    let (&last_write, writes) = WRITES[..rounds].split_last().expect("rounds");
    all.piece("half", enter.filter(|_| rounds > 1));
    for (number, (write, next)) in (1..).zip(writes.iter().zip(TO_WRITES)) {
        all.piece(write, leave);
        all.piece(next, enter.filter(|_| number + 1 < rounds));
    }
    // The next twiddles are asked for while the gate is closed. What follows is there twice, once
    // for what is on its way in the TMUs.
    all.b.sub(halves, halves, 1).setf();
    all.b.brr(BranchCond::AllNS, last);
    all.b.nops(3);
    all.piece("ask-ahead", enter);
    all.piece(last_write, leave);
    let back = |b: &mut Builder| {
        b.brr(BranchCond::Always, half);
    };
    all.piece("go-on", Some(&back));
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

fn consume(
    all: &mut Assembly,
    pipeline: Pipeline,
    [count, offset]: [Reg; 2],
    kept: &PipelineRegisters,
) {
    let [await_slot, in_slot, pass_on] =
        ["await-slot", "in-slot", "pass-on"].map(|name| all.b.label(name));
    let [passed, done, follower] = ["passed", "done", "follower"].map(|name| all.b.label(name));
    let steps = register(kept.steps);
    let both = kept.both.map(|[_, both]| register(both));
    all.uniforms.push(Word::Opens);
    open(&mut all.b, &gates::MADE);
    all.b.mov(ra(SLOT), UNIF);
    all.uniforms.extend([Word::Slot, Word::Rounds]);
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
    all.piece("constants", None);
    let head = pipeline.producer_words() + pipeline.consumer_head();
    assert_eq!(all.uniforms.len() as u32, head);
    let round = all.b.here("round");
    if both.is_some() {
        all.b.brr(BranchCond::Always, await_slot).plus(ra(SLOT));
        all.b.nops(3);
    } else {
        all.b.shr(R0, ra(SLOT), 2);
        let ways_on = Pipeline::WAY_ON as i32;
        all.b.mul24(R0, R0, ways_on);
        all.b.brr(BranchCond::Always, await_slot).plus(ra(SLOT));
        all.b.mov(ra(WAY), R0);
        all.b.nops(2);
    }
    all.b.bind(in_slot);
    for _ in 0..pipeline.producers() {
        all.b.sacq(gates::WRITTEN);
    }
    let pass = |b: &mut Builder| {
        b.brr(BranchCond::Always, pass_on).plus(ra(WAY));
    };
    all.piece("read", Some(&pass));
    all.b.bind(passed);
    for phase in ["even-rows", "even-store", "odd-outputs"] {
        all.piece(phase, None);
    }
    // Others may store through the first half of the VPM as soon as this one does not.
    all.b.mov(NONE, ST_WAIT);
    all.b.srel(HALVES[0]);
    all.piece("odd-rows", None);
    all.piece("odd-store", None);
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
    gates::close(&mut all.b, pipeline, follower);
    all.b.bind(await_slot);
    gates::await_slots(&mut all.b, in_slot);
    all.b.bind(pass_on);
    gates::pass_on(&mut all.b, pipeline, passed);
}

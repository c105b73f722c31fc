//! Programs of producers and consumers that hand transforms on through the VPM.
//!
//! One program does both: its first uniform says which ([`crate::fft::pipeline`]). Both call the same transform of 16
//! points. Registers that a producer keeps are those that a consumer keeps.

mod consumer;
mod producer;
mod semaphore;

use super::routine::{self, Routine};
use super::rows::Factors;
use super::{Assembly, Cooperative, Draughted, register};
use crate::fft::coop::Word;
use crate::fft::pipeline::Pipeline;
use crate::generate::fft::dft16::Constants;
use crate::generate::fft::draft::{Draft, Wish};
use crate::generate::schedule::Place;
use crate::generate::{Builder, NONE, R0, R1, R2, UNIF, UNIFORMS_ADDRESS, ra};
use crate::isa::{BranchCond, File};
use producer::Producer;

/// Pieces: of producers up to the transform, a half of its outputs, and from the first half to the second what
/// comes behind its first round and what behind its last.
const LOAD: usize = 0;
const HALF: usize = 1;
const ASK_AHEAD: usize = 2;
const GO_ON: usize = 3;
/// Of consumers what is done once, up to the transform, and rows and stores of two halves in turn.
const CONSTANTS: usize = 4;
const READ: usize = 5;
const OUTPUT: [usize; 4] = [6, 7, 8, 9];
const TRANSFORM: usize = 10;
/// The first round of a half of a producer's outputs.
const WRITE: usize = 11;

/// Register of file A with the way to what this consumer waits for; an even one.
const TURN: u8 = 18;
/// The same with the way to what it tells others, up to the call of the transform.
const AFTER: u8 = routine::LINK;

/// Registers between pieces.
struct Kept {
    /// Transforms or rounds that are left.
    count: Place,
    /// Bytes from the program's first output, or input, to this one.
    offset: Place,
    /// Bytes to the output of the next round.
    step: Place,
    /// Halves of the transform that are left.
    halves: Place,
}

pub(super) fn draught(pipeline: Pipeline) -> Draughted {
    drawn(pipeline).0
}

fn drawn(pipeline: Pipeline) -> (Draughted, Kept) {
    // No accumulator is kept: exchanges want all.
    let mut draft = Draft::new(Place::R4);
    // The constants are the first registers.
    let constants = Constants::from_uniforms(
        &mut draft,
        [2, 6, 4].map(|sixteenths| Word::Cosine { sixteenths }),
    );
    let load_constants = draft.cut();
    for number in [routine::LINK, TURN] {
        draft.reserve(Place::Register(File::A, number));
    }
    let [count, offset] = [(); 2].map(|()| draft.take(Wish::File(File::A)));
    let step = draft.take(Wish::File(File::B));
    let factors = Factors::load(&mut draft, &constants, 2);
    let load_factors = draft.cut();
    let Factors::Halves {
        cosines,
        conjugated,
        ..
    } = factors
    else {
        unreachable!("of two sharers")
    };
    let [b0, b1, b2, b3, b4, b5, b6] = conjugated;
    let turns = [[b1, b2], [b3, b4], [b5, b6]];
    let producer = Producer {
        pipeline,
        offset,
        // Of consumers only.
        addresses: Place::Register(File::A, TURN),
        row_step: b0,
        vector_step: step,
        turns: &turns[..pipeline.lane_rows() as usize - 1],
        // Those of file A that are no constants of the transform.
        setups: [cosines[0], cosines[2]],
    };

    producer.begin(&mut draft);
    for &operation in &load_constants {
        draft.push(operation);
    }
    let points = routine::points(&mut draft);
    producer.load(&mut draft, points);
    let load = draft.cut();

    let transform = Routine::new(&mut draft, &constants, points);
    let mut after_transform = draft.clone();
    let vectors = producer.half(&mut draft, &transform);
    let half = draft.cut();
    let mut writes = Vec::new();
    for (round, vectors) in vectors.iter().enumerate() {
        producer.write(&mut draft, round, vectors);
        writes.push(draft.cut());
    }
    producer.ask_ahead(&mut draft);
    let ask_ahead = draft.cut();
    producer::go_on(&mut draft, &transform);
    let go_on = draft.cut();
    consumer::load(&mut draft, points);
    let read = draft.cut();
    let mut output = Vec::new();
    for half in 0..2 {
        let rows = consumer::rows(&mut after_transform, half, &transform, &factors);
        output.push(after_transform.cut());
        consumer::store(&mut after_transform, half, &rows, offset);
        output.push(after_transform.cut());
    }
    let constants = [load_constants, load_factors].concat();
    let mut pieces = vec![load, half, ask_ahead, go_on, constants, read];
    pieces.extend(output);
    pieces.push(transform.operations);
    pieces.extend(writes);
    let kept = Kept {
        count,
        offset,
        step,
        // One that is no constant of the transform.
        halves: cosines[4],
    };
    let opens = count;
    let draughted = Draughted {
        pieces,
        count,
        offset,
        opens,
    };
    (draughted, kept)
}

pub(super) fn program(log2_points: u32, pipeline: Pipeline) -> Cooperative {
    let producers = pipeline.producers();
    let (draughted, kept) = drawn(pipeline);
    let [count, offset, step, halves] =
        [kept.count, kept.offset, kept.step, kept.halves].map(register);
    let mut all = Assembly {
        log2_points,
        b: Builder::new(),
        uniforms: Vec::new(),
        draughted: &draughted,
    };
    let label = |all: &mut Assembly, name| all.b.label(name);
    let [consumer, idle, transform] =
        ["consumer", "idle", "dft16"].map(|name| label(&mut all, name));
    let [last, await_turn, turned, pass_on, passed, done, ended] = [
        "last",
        "await-turn",
        "turned",
        "pass-on",
        "passed",
        "done",
        "ended",
    ]
    .map(|name| label(&mut all, name));
    let call = |b: &mut Builder| {
        b.brr(BranchCond::Always, transform).link(ra(routine::LINK));
    };

    all.b.mov(NONE, UNIF).setf();
    all.b.brr(BranchCond::AllZC, consumer);
    all.b.mov(R0, UNIF);
    all.b.mov(offset, 0);
    all.b.nop();
    all.uniforms.extend([Word::Role, Word::ConsumerList]);
    assert_eq!(all.uniforms.len() as u32, Pipeline::HEAD);

    all.b.mov(count, UNIF);
    all.uniforms.push(Word::Transforms);
    // The first round may be written.
    all.b.srel(semaphore::GATES[0]);
    let again = all.b.here("produce");
    all.b.mov(halves, 1);
    all.piece(LOAD, Some(&call));
    let half = all.b.here("half");
    all.piece(HALF, None);
    all.piece(WRITE, None);
    let writes = (1..pipeline.lane_rows() as usize).map(|round| WRITE + round);
    let back = |b: &mut Builder| {
        b.brr(BranchCond::Always, half);
    };
    let last_half = |b: &mut Builder| {
        b.sub(halves, halves, 1).setf();
        b.brr(BranchCond::AllNS, last);
        b.nops(3);
    };
    // Twiddles are best asked for while a gate is closed. But then what follows is there twice, once for what is
    // on its way in the TMUs: too many words for four rounds.
    let asks_early = pipeline.lane_rows() == 2;
    if asks_early {
        last_half(&mut all.b);
        all.piece(ASK_AHEAD, None);
    }
    for write in writes.clone() {
        all.piece(write, None);
    }
    if !asks_early {
        last_half(&mut all.b);
        all.piece(ASK_AHEAD, None);
    }
    all.piece(GO_ON, Some(&back));
    all.b.bind(last);
    if asks_early {
        for write in writes {
            all.piece(write, None);
        }
    }
    all.count(BranchCond::AllZS, ended);
    all.again(again, |_| {});
    all.b.bind(ended);
    // The last round has been read.
    all.b.sacq(semaphore::GATES[0]);
    all.b.end();
    assert_eq!(all.uniforms.len() as u32, pipeline.producer_words());
    all.b.bind(transform);
    let back = |b: &mut Builder| {
        b.bra(BranchCond::Always, ra(routine::LINK));
    };
    all.piece(TRANSFORM, Some(&back));

    all.b.bind(consumer);
    all.b.brr(BranchCond::AllNS, idle);
    all.b.mov(UNIFORMS_ADDRESS, R0);
    all.b.nops(3);
    all.uniforms.push(Word::Opens);
    semaphore::open(&mut all.b);
    all.b.mov(ra(TURN), UNIF);
    all.b.mov(count, UNIF);
    all.b.mov(step, UNIF);
    all.uniforms
        .extend([Word::Turn, Word::Rounds, Word::RoundStep]);
    all.piece(CONSTANTS, None);
    let head = pipeline.producer_words() + Pipeline::CONSUMER_HEAD;
    assert_eq!(all.uniforms.len() as u32, head);
    let round = all.b.here("round");
    // The distances of both are 4 and 2 instructions more than there are producers.
    all.b.shr(R0, ra(TURN), 2);
    all.b.mul24(R0, R0, (producers + 2) as i32);
    all.b.brr(BranchCond::Always, await_turn).plus(ra(TURN));
    all.b.mov(ra(AFTER), R0);
    all.b.nops(2);
    all.b.bind(turned);
    for _ in 0..producers {
        all.b.sacq(semaphore::WRITTEN);
    }
    let pass = |b: &mut Builder| {
        b.brr(BranchCond::Always, pass_on).plus(ra(AFTER));
    };
    all.piece(READ, Some(&pass));
    all.b.bind(passed);
    call(&mut all.b);
    all.b.nops(3);
    for piece in OUTPUT {
        all.piece(piece, None);
    }
    all.count(BranchCond::AllZS, done);
    all.b.mov(R0, UNIF);
    all.uniforms.push(Word::Peers);
    all.b.mov(R2, step);
    all.b.mov(R0, UNIF);
    all.b.mov(R1, UNIF);
    all.b.brr(BranchCond::Always, round);
    all.b.mov(UNIFORMS_ADDRESS, R1);
    all.b.add(offset, offset, R2);
    all.b.sub(step, R0, R2);
    all.uniforms.extend([Word::RoundSteps, Word::RoundList]);
    all.b.bind(done);
    semaphore::close(&mut all.b);
    all.b.bind(idle);
    all.b.end();

    all.b.bind(await_turn);
    semaphore::await_turn(&mut all.b, turned);
    all.b.bind(pass_on);
    semaphore::pass_on(&mut all.b, producers, passed);
    let program = all
        .b
        .assemble()
        .unwrap_or_else(|error| panic!("pipeline of 2^{log2_points} points: {error}"));
    Cooperative {
        log2_points,
        programs: pipeline.least_programs(),
        code: program.words,
        uniforms: all.uniforms,
        labels: program.labels,
    }
}

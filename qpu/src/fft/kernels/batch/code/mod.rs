//! Programs that are alone with their transforms, of 2^8 points.
//!
//! A program is two halves ([`first`], [`second`]), and both call one transform of 16
//! points ([`routine`]), so that it fits the instruction cache of a slice. Either half of
//! the VPM has a lock ([`locks`]).

mod first;
mod locks;
mod routine;
mod second;

use super::Batch;
use super::layout::Word;
use crate::fft::kernels::generated::Generated;
use crate::fft::kernels::one_pass::lookups::ADDRESSES;
use crate::fft::kernels::one_pass::program::{ASKED, Assembly, Phase, Tried, named};
use crate::generate::codelet::op_list::{OpList, Wish};
use crate::generate::codelet::radix16::Constants;
use crate::generate::codelet::register;
use crate::generate::schedule::{Place, Source};
use crate::generate::{Builder, ra};
use crate::isa::{BranchCond, File};
use first::First;
use routine::Routine;

type Pieces = crate::fft::kernels::one_pass::program::Pieces<Word>;

/// Pieces that are scheduled apart: what is done once, up to the first call of the transform, up to
/// reads of the VPM, to the second call, to interleaved rows, the transform, and the output.
const HEAD: Phase = "head";
const LOAD: Phase = "load";
const FIRST: Phase = "first";
const READ: Phase = "read";
const SECOND: Phase = "second";
const TRANSFORM: Phase = "transform";
const OUTPUT: Phase = "output";
const PHASES: [Phase; 7] = [HEAD, LOAD, FIRST, READ, SECOND, TRANSFORM, OUTPUT];

pub fn build() -> Pieces {
    let mut ops = OpList::new(ADDRESSES);
    // The constants are the first registers.
    let constants = Constants::from_uniforms(
        &mut ops,
        [2, 6, 4].map(|sixteenths| Word::Cosine { sixteenths }),
    );
    let load_constants = ops.cut();
    ops.reserve(Place::Register(File::A, routine::LINK));

    // Counted down and compared beside small immediates, which are read through file B's port.
    let [count, offset, opens] = [(); 3].map(|()| ops.take(Wish::File(File::A)));
    for (word, place) in [(Word::Transforms, count), (Word::Opens, opens)] {
        ops.copy(Source::Uniform(word), place);
    }
    ops.copy(0, offset);
    let mut pieces = vec![ops.cut()];
    let first = First::new(&mut ops, offset);
    first.ask(&mut ops);
    for operation in load_constants {
        ops.push(operation);
    }
    // An operand that takes no port.
    let conjugate = Place::R5;
    ops.copy(Source::Uniform(Word::Conjugate), conjugate);
    let points = routine::points(&mut ops);
    first.load(&mut ops, points);
    pieces.push(ops.cut());

    let transform = Routine::new(&mut ops, &constants, points);
    let mut after_transform = ops.clone();
    first.finish(&mut ops, &transform);
    pieces.push(ops.cut());
    second::load(&mut ops, points);
    pieces.push(ops.cut());
    after_transform.give_back(ADDRESSES);
    second::interleave(&mut after_transform, &transform, conjugate);
    pieces.push(after_transform.cut());
    second::write(&mut after_transform, &transform, offset);
    let output = after_transform.cut();
    pieces.push(transform.operations);
    pieces.push(output);
    Pieces {
        pieces: named(&PHASES, pieces),
        count,
        offset,
        opens,
    }
}

pub fn program(tried: Tried<'_>) -> Generated {
    let built = build();
    let mut all = Assembly::new(&Batch, &built, tried);
    all.piece(HEAD, None);
    assert_eq!(all.uniforms.len() as u32, Batch::HEAD);
    let again = all.b.here("transform");
    let [done, transform] = ["done", "dft16"].map(|name| all.b.label(name));
    let call = |b: &mut Builder| {
        b.brr(BranchCond::Always, transform).link(ra(routine::LINK));
    };
    // The locks are made while the TMUs are waited for.
    let opens = register(built.opens);
    all.piece_around(LOAD, (ASKED, |b| locks::open(b, opens)), Some(&call));
    all.b.sacq(locks::EXCHANGE);
    all.piece(FIRST, None);
    all.piece(READ, None);
    call(&mut all.b);
    all.b.srel(locks::EXCHANGE);
    all.b.nops(2);
    all.piece(SECOND, None);
    all.b.sacq(locks::OUTPUT);
    all.piece(OUTPUT, None);
    all.b.srel(locks::OUTPUT);
    all.count(BranchCond::AllZS, done);
    locks::peers(&mut all.b);
    all.uniforms.push(Word::Peers);
    all.again(again, [Word::Step, Word::List]);
    all.b.bind(done);
    locks::close(&mut all.b);
    all.b.bind(transform);
    let back = |b: &mut Builder| {
        b.bra(BranchCond::Always, ra(routine::LINK));
    };
    all.piece(TRANSFORM, Some(&back));
    all.finish()
}

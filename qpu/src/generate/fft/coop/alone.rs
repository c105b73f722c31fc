//! Programs that are alone with their transforms, of 2^8 points.
//!
//! A program is two halves ([`super::first`], [`super::second`]), and both call one transform of 16
//! points ([`super::routine`]), so that it fits the instruction cache of a slice. Either half of
//! the VPM has a lock ([`super::locks`]).

use super::first::{self, First};
use super::routine::{self, Routine};
use super::{ASKED, Assembly, Cooperative, Phase, Tried, locks, named, register, second};
use crate::fft::columns::Columns;
use crate::fft::columns::Word;
use crate::fft::pass::Pass;
use crate::generate::fft::dft16::Constants;
use crate::generate::fft::draft::{Draft, Wish};
use crate::generate::schedule::{Destination, Place, Source};
use crate::generate::{Builder, ra};
use crate::isa::{BranchCond, File};

type Draughted = super::Draughted<Word>;

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

pub(super) fn draught() -> Draughted {
    let mut draft = Draft::new(first::ADDRESSES);
    // The constants are the first registers.
    let constants = Constants::from_uniforms(
        &mut draft,
        [2, 6, 4].map(|sixteenths| Word::Cosine { sixteenths }),
    );
    let load_constants = draft.cut();
    draft.reserve(Place::Register(File::A, routine::LINK));

    // Counted down and compared beside small immediates, which are read through file B's port.
    let [count, offset, opens] = [(); 3].map(|()| draft.take(Wish::File(File::A)));
    for (word, place) in [(Word::Transforms, count), (Word::Opens, opens)] {
        draft.copy(Source::Uniform(word), Destination::Place(place));
    }
    draft.copy(Source::Small(0), Destination::Place(offset));
    let mut pieces = vec![draft.cut()];
    let first = First::new(&mut draft, offset);
    first.ask(&mut draft);
    for operation in load_constants {
        draft.push(operation);
    }
    // An operand that takes no port.
    let conjugate = Place::R5;
    let word = Source::Uniform(Word::Conjugate);
    draft.copy(word, Destination::Place(conjugate));
    let points = routine::points(&mut draft);
    first.load(&mut draft, points);
    pieces.push(draft.cut());

    let transform = Routine::new(&mut draft, &constants, points);
    let mut after_transform = draft.clone();
    first.finish(&mut draft, &transform);
    pieces.push(draft.cut());
    second::load(&mut draft, points);
    pieces.push(draft.cut());
    after_transform.give_back(first::ADDRESSES);
    second::interleave(&mut after_transform, &transform, conjugate);
    pieces.push(after_transform.cut());
    second::write(&mut after_transform, &transform, offset);
    let output = after_transform.cut();
    pieces.push(transform.operations);
    pieces.push(output);
    Draughted {
        pieces: named(&PHASES, pieces),
        count,
        offset,
        opens,
    }
}

pub(super) fn program(pass: Pass, tried: Tried<'_>) -> Cooperative {
    let draughted = draught();
    let mut all = Assembly::new(pass, &draughted, tried);
    all.piece(HEAD, None);
    assert_eq!(all.uniforms.len() as u32, Columns::HEAD);
    let again = all.b.here("transform");
    let [done, transform] = ["done", "dft16"].map(|name| all.b.label(name));
    let call = |b: &mut Builder| {
        b.brr(BranchCond::Always, transform).link(ra(routine::LINK));
    };
    // The locks are made while the TMUs are waited for.
    let opens = register(draughted.opens);
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

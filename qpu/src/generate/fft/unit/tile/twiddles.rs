//! The routine for outputs of a tile: sum and difference of what came together, turned by their
//! twiddles.
//!
//! Each call finds what it turns by on its way and asks for more, as much as the TMUs hold. What is
//! asked for behind the last outputs is what the next unit begins with ([`ahead`]).

use super::super::Word;
use super::super::codelet::AHEAD;
use super::super::frame::{Frame, Source};
use super::exchange::KEPT;
use crate::fft::points::Row;
use crate::generate::fft::draft::{Complex, Draft, Wish};
use crate::generate::schedule::{Destination, Operation, Place};
use crate::isa::AddOp;

/// Outputs of a call, one for each TMU.
pub const AT_A_TIME: usize = 2;

/// Two lookups for each TMU: of outputs, both components of one at the same TMU.
pub type Words = [[Word; 2]; AT_A_TIME];

/// The twiddle factors of outputs of a tile: which lookups, and what is added to their addresses.
pub type Turns = (Place, fn(usize) -> Words);

/// The output that has the vector that all outputs of a transform are turned by.
pub const SHARED: u8 = 16;

/// The words that are looked up for output `k` of both halves: twiddles, or what of them depends on
/// the tile.
pub fn twiddles(k: usize) -> Words {
    [0, KEPT].map(|half| [0, 1].map(|component| of_twiddle((half + k) as u8, component)))
}

/// And what depends on the column within it.
pub fn turns_of_columns(k: usize) -> Words {
    [0, KEPT].map(|half| {
        let output = (half + k) as u8;
        [0, 1].map(|component| Word::row(Row::TurnOfColumn { output, component }))
    })
}

fn of_twiddle(output: u8, component: u8) -> Word {
    Word::row(Row::Twiddle { output, component })
}

/// The lookups that a unit finds on their way where it begins: the twiddle factor that all outputs
/// of its transform share, twice, and its first vectors. Real parts are TMU 0's and imaginary parts
/// TMU 1's.
pub fn ahead() -> [Words; 2] {
    let vectors = |component| [0, 8].map(|vector| Word::row(Row::Input { vector, component }));
    let shared = [0, 1].map(|component| [of_twiddle(SHARED, component); 2]);
    [shared, [0, 1].map(vectors)]
}

/// Asks for any words at all: addresses of rows have carries.
pub fn ask_for(lanes: Place, words: Words) -> impl Iterator<Item = [Operation<Word>; 2]> {
    (0..).zip(words).map(move |(tmu, words)| {
        words.map(|word| {
            let sources = [Source::Place(lanes), Source::Uniform(word)];
            Operation::add(AddOp::Add, sources, Destination::Tmu(tmu))
        })
    })
}

/// Outputs of each half for which the TMUs hold what they are turned by.
const fn outputs_asked_for(turns: &[Turns]) -> usize {
    AHEAD / 4 / turns.len()
}

/// The lookups that the call for output `k` asks for with twiddle factor number `turn`: those of an
/// output, or number so many of [`ahead`].
fn asked(turns: &[Turns], k: usize, turn: usize) -> Result<usize, usize> {
    let next = k + outputs_asked_for(turns);
    next.checked_sub(KEPT)
        .map_or(Ok(next), |behind| Err(behind + turn))
}

/// Makes ready what the call for output `k` adds to what it asks for: `lanes` are those of
/// [`ahead`].
pub fn prepare(draft: &mut Draft<Word>, turns: &[Turns], k: usize, lanes: [Place; 2]) {
    for (turn, &(place, _)) in turns.iter().enumerate() {
        if let Err(number) = asked(turns, k, turn) {
            draft.copy(Source::Place(lanes[number]), Destination::Place(place));
        }
    }
}

/// The routine: turns output `k` of both halves by what was asked for, and asks for more.
pub fn turn_both(frame: &mut Frame, both: [Complex; AT_A_TIME], turns: &[Turns], k: usize) {
    let draft = &mut frame.draft;
    let asks = turns.iter().enumerate().map(|(turn, &(lanes, words))| {
        let words = match asked(turns, k, turn) {
            Ok(next) => words(next),
            Err(number) => ahead()[number],
        };
        ask_for(lanes, words).collect::<Vec<_>>()
    });
    let asks: Vec<_> = asks.collect();
    for turn in 0..turns.len() {
        for (tmu, z) in (0..).zip(both) {
            let r4 = Source::Place(Place::R4);
            draft.push(Operation::fetch(tmu));
            let [re_cos, im_cos] = z.map(|part| draft.multiply(part, r4, Wish::Accumulator));
            draft.push(Operation::fetch(tmu));
            let [re_sin, im_sin] = z.map(|part| draft.multiply(part, r4, Wish::Accumulator));
            if let ([asks], 1) = (&asks[..], tmu) {
                // Not before all are fetched, which the scheduler cannot know.
                let asks = asks.iter().flatten();
                asks.for_each(|&ask| draft.push(ask.after_all()));
            }
            let [re, im] = z.map(|part| Wish::At(part.place));
            draft.add(re_cos, im_sin, re);
            draft.subtract(im_cos, re_sin, im);
            let products = [[re_cos, im_cos], [re_sin, im_sin]];
            products
                .into_iter()
                .for_each(|both| draft.give_back_complex(both));
            if turn > 0 {
                let asks = asks.iter().flat_map(|asks| asks[usize::from(tmu)]);
                asks.for_each(|ask| draft.push(ask));
            }
        }
    }
}

//! The last two layers of a transform and the one across lanes, once in the program and done four
//! times: a routine.
//!
//! A group are outputs k1, k1 + 4, k1 + 8 and k1 + 12: radix 4 over what the
//! [`columns`](super::columns) gave for k1, turned and transformed across lanes. All come where the
//! first did, and go where the last ones stay; the others are copied. What a group is turned by was
//! asked for in the one before.

use super::Word;
use super::codelet::AHEAD;
use super::codelet::{Codelet, Lookup};
use super::frame::Source;
use super::points::Points;
use crate::generate::fft::dft16::{Butterfly, Ends, outputs_of_column};
use crate::generate::fft::draft::{Complex, Draft, Wish, positive};
use crate::generate::schedule::{Destination, Place};
use core::array::from_fn;

/// Number of the routine: that of columns is the one before.
const GROUP: usize = 1;

/// The last step for an output that is multiplied by its twiddle factor, in accumulators: gives it
/// where it is wished.
type Finish<'a> = &'a mut dyn FnMut(&mut Points, Complex, [Wish; 2]) -> Complex;

/// The twiddle factors of group k1.
pub fn words(points: &Points, k1: usize) -> [Word; AHEAD] {
    from_fn(|number| points.across.turn_of(k1 + 4 * (number / 2), number % 2))
}

/// The outputs of a transform of which these are the columns; [`words`] of group 0 are on their
/// way.
pub fn groups(
    points: &mut Points,
    columns: &[[Complex; 4]; 4],
    finish: Finish<'_>,
) -> [[Place; 2]; 16] {
    let draft = points.draft();
    let results = from_fn(|_| [0, 1].map(|_| positive(draft.take(Wish::AnyFile))));
    let free = draft.clone();
    let [inputs, later @ ..] = columns;
    let mut stay = [results; 4];
    for (k1, stay) in stay.iter_mut().enumerate() {
        let frame = &mut points.codelet.frame;
        frame.piece(None);
        frame.draft.restore_free(&free);
        points.codelet.begin_asked();
        let mut group = Group {
            points,
            finish,
            results,
        };
        outputs_of_column(&mut group, 0, *inputs);
        // Behind the last one they are dropped.
        for (number, word) in words(points, (k1 + 1) % 4).into_iter().enumerate() {
            let lanes = points.across.turns();
            let tmu = (number / 2 % 2) as u8;
            points.codelet.ask(tmu, Lookup { lanes, word });
        }
        points.codelet.frame.call(GROUP);
        // There is room where the next group was.
        if let Some(next) = later.get(k1) {
            copy(points.draft(), next, inputs);
            copy(points.draft(), &results, next);
            *stay = *next;
        }
    }
    points.draft().restore_free(&free);
    points.codelet.begin_asked();
    points.codelet.drop_asked();
    from_fn(|k| stay[k % 4][k / 4].map(|part| part.place))
}

fn copy(draft: &mut Draft<Word>, from: &[Complex; 4], to: &[Complex; 4]) {
    for (from, to) in from.as_flattened().iter().zip(to.as_flattened()) {
        draft.copy(Source::Place(from.place), Destination::Place(to.place));
    }
}

/// A call of the routine: its outputs are 0, 4, 8 and 12, whichever they are.
struct Group<'a> {
    points: &'a mut Points,
    finish: Finish<'a>,
    results: [Complex; 4],
}

impl Ends for Group<'_> {
    type Uniform = Word;

    fn draft(&mut self) -> &mut Draft<Word> {
        self.points.draft()
    }

    fn butterfly(&mut self, _: usize) -> Butterfly {
        unreachable!("columns are there")
    }

    fn wish(&self, _component: usize) -> Wish {
        Wish::AnyFile
    }

    fn output(&mut self, k: usize, y: Complex) {
        let result = self.results[k / 4].map(|part| part.place);
        let factor = |codelet: &mut Codelet, _| {
            let fetched = codelet.fetch_asked().expect("asked for");
            Source::Place(fetched.place)
        };
        let codelet = &mut self.points.codelet;
        let z = codelet.turn_looked_up(y, factor, Wish::Accumulator);
        let z = (self.finish)(self.points, z, result.map(Wish::At));
        assert_eq!(z, result.map(positive), "outputs have their sign and place");
    }
}

//! The last two layers of a transform and the one across lanes, once in the program and done four
//! times: a routine.
//!
//! A group are outputs k1, k1 + 4, k1 + 8 and k1 + 12: radix 4 over what the
//! [`columns`](super::columns) gave for k1, multiplied and transformed across lanes. All come where
//! the first did, and go where the last ones stay; the others are copied. What a group is
//! multiplied by was asked for in the one before.

use super::codelet::{AHEAD, Codelet, Lookup};
use super::points::Points;
use crate::fft::kernels::unit_loop::{Source, Word};
use crate::generate::codelet::op_list::{Complex, OpList, Wish, positive};
use crate::generate::codelet::radix16::{Ends, outputs_of_column};
use crate::generate::schedule::Place;
use core::array::from_fn;

/// Number of the routine: that of columns is the one before.
const GROUP: usize = 1;

/// The twiddle factors of group k1.
pub fn words(points: &Points, k1: usize) -> [Word; AHEAD] {
    from_fn(|number| points.across.root_of(k1 + 4 * (number / 2), number % 2))
}

/// The outputs of a transform of which these are the columns; [`words`] of group 0 are on their
/// way. They are multiplied by `shared`.
pub fn groups(
    points: &mut Points,
    columns: &[[Complex; 4]; 4],
    shared: Option<[Place; 2]>,
) -> [[Place; 2]; 16] {
    let ops = points.ops();
    let results = from_fn(|_| [0, 1].map(|_| positive(ops.take(Wish::AnyFile))));
    let free = ops.clone();
    let [inputs, later @ ..] = columns;
    let mut stay = [results; 4];
    for (k1, stay) in stay.iter_mut().enumerate() {
        let program = &mut points.codelet.program;
        program.piece(None);
        program.ops.restore_free(&free);
        points.codelet.begin_asked();
        let mut group = Group {
            points,
            shared,
            results,
        };
        outputs_of_column(&mut group, 0, *inputs);
        // Behind the last one they are dropped.
        for (number, word) in words(points, (k1 + 1) % 4).into_iter().enumerate() {
            let lanes = points.across.roots();
            let tmu = (number / 2 % 2) as u8;
            points.codelet.ask(tmu, Lookup { lanes, word });
        }
        points.codelet.program.call(GROUP);
        // There is room where the next group was.
        if let Some(next) = later.get(k1) {
            copy(points.ops(), next, inputs);
            copy(points.ops(), &results, next);
            *stay = *next;
        }
    }
    points.ops().restore_free(&free);
    points.codelet.begin_asked();
    points.codelet.drop_asked();
    from_fn(|k| stay[k % 4][k / 4].map(|part| part.place))
}

fn copy(ops: &mut OpList<Word>, from: &[Complex; 4], to: &[Complex; 4]) {
    for (from, to) in from.as_flattened().iter().zip(to.as_flattened()) {
        ops.copy(from.place, to.place);
    }
}

/// A call of the routine: its outputs are 0, 4, 8 and 12, whichever they are.
struct Group<'a> {
    points: &'a mut Points,
    shared: Option<[Place; 2]>,
    results: [Complex; 4],
}

impl Ends for Group<'_> {
    type Uniform = Word;

    fn ops(&mut self) -> &mut OpList<Word> {
        self.points.ops()
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
        let z = codelet.multiply_looked_up(y, factor, Wish::Accumulator);
        let z = self.points.finished(z, self.shared, result.map(Wish::At));
        assert_eq!(z, result.map(positive), "outputs have their sign and place");
    }
}

//! Half of a unit: its outputs are turned, lanes and registers change places, and the transform
//! over x is done.

use super::lists::part;
use super::producer::{AHEAD, Producer, Unit, tmu};
use crate::fft::relay::Relay;
use crate::fft::words::{PartWord, Word};
use crate::generate::fft::coop::exchange::{Exchange, Stage, exchange_complex, tell_lanes};
use crate::generate::fft::coop::roles::HALF;
use crate::generate::fft::dft16::{Butterfly, Constants, butterfly_of, file_of};
use crate::generate::fft::draft::{Complex, Draft, Value, Wish};
use crate::generate::schedule::{Destination, Operation, Place, Source};
use crate::isa::{AddOp, File};

/// Turns of a half: of its outputs, then behind the transform over x of all but the first.
const TURNS: usize = 2 * HALF - 1;

impl Producer {
    /// Asks for turn `number` of a half, behind the transform over x.
    fn ask_turn_of_k_x(&self, draft: &mut Draft<Word>, at: Place, number: usize) {
        if number == HALF {
            // Of a k_x there is a turn for each column.
            let within = draft.take(Wish::Accumulator);
            let place = Destination::Place(within);
            draft.add_op(AddOp::And, [Source::Lane, Source::Small(1)], place);
            draft.add_op(AddOp::Shl, [Source::Place(within), Source::Small(2)], place);
            let first = Source::Uniform(part(PartWord::Turns));
            let sources = [Source::Place(within), first];
            draft.add_op(AddOp::Add, sources, Destination::Place(at));
            draft.give_back(within);
        }
        let [from, sines] = [at, self.vector_step].map(Source::Place);
        let tmu = Destination::Tmu(tmu(number));
        draft.copy(from, tmu);
        draft.add_op(AddOp::Add, [from, sines], tmu);
        let step = Source::Small(Relay::TURN_STEP as i32);
        draft.add_op(AddOp::Add, [from, step], Destination::Place(at));
    }

    /// A vector times turn `number` of the half, which is on its way: in its registers, `crossed`
    /// or not.
    fn turn(
        &self,
        draft: &mut Draft<Word>,
        (number, addresses): (usize, Place),
        [re, im]: Complex,
        is_crossed: bool,
    ) -> Complex {
        let factor = Source::Place(Place::R4);
        let at = |value: Value| Wish::At(value.place);
        draft.push(Operation::fetch(tmu(number)));
        let [re_cos, im_cos] = [re, im].map(|x| draft.multiply(x, factor, Wish::Accumulator));
        draft.push(Operation::fetch(tmu(number)));
        match number + AHEAD {
            next @ ..HALF => self.ask_turn(draft, addresses, next),
            next @ HALF..TURNS => self.ask_turn_of_k_x(draft, addresses, next),
            _ => (),
        }
        let turned = if is_crossed {
            let im_sin = draft.multiply(im, factor, at(im));
            let re_sin = draft.multiply(re, factor, at(re));
            let turned_re = draft.add(re_cos, im_sin, at(im));
            [turned_re, draft.subtract(im_cos, re_sin, at(re))]
        } else {
            let im_sin = draft.multiply(im, factor, Wish::Accumulator);
            let re_sin = draft.multiply(re, factor, at(im));
            let turned_re = draft.add(re_cos, im_sin, at(re));
            draft.give_back(im_sin.place);
            [turned_re, draft.subtract(im_cos, re_sin, at(im))]
        };
        draft.give_back_complex([re_cos, im_cos]);
        turned
    }

    /// Outputs below 8 turned and transformed over x, and turned again: the vectors of all k_x, as
    /// [`Relay::K_X`] has them.
    ///
    /// Accumulators are used in the order in which this is written: what does not wait for each
    /// other is written side by side.
    pub fn half(
        &self,
        draft: &mut Draft<Word>,
        constants: &Constants,
        unit: &Unit,
    ) -> [Complex; HALF] {
        let Unit { outputs, addresses } = unit;
        let mut x = [outputs[0]; HALF];
        // Bits 3, 2 and 1 of lanes with bits 2, 1 and 0 of outputs.
        tell_lanes(draft, Stage::Rows);
        let change = |draft: &mut Draft<Word>, x: &[Complex; HALF], pairs: &[[usize; 2]], stage| {
            for pair in pairs {
                let bit = (pair[0] ^ pair[1]).ilog2() as u8;
                let pair = pair.map(|number| x[number]);
                exchange_complex(draft, pair, Exchange::new(bit + 1, stage));
            }
        };
        for (number, output) in Relay::OUTPUTS.into_iter().enumerate() {
            let output = output as usize;
            // Points n and n + 4 are read together: their parts are to be in different files.
            let is_crossed = output < HALF / 2;
            x[output] = self.turn(draft, (number, *addresses), outputs[output], is_crossed);
            match output {
                4..6 => change(draft, &x, &[[output - 4, output]], Stage::Rows),
                6..8 => {
                    let n = output - 4;
                    let pairs = [[n, output], [n - 2, n], [n + 2, output]];
                    change(draft, &x, &pairs, Stage::Rows);
                }
                _ => {}
            }
        }
        tell_lanes(draft, Stage::Columns);
        let mut first = [None; HALF / 2];
        for n in [0, 2] {
            let pairs = [[n, n + 1], [n + 4, n + 5]];
            change(draft, &x, &pairs, Stage::Columns);
            for n in [n, n + 1] {
                first[n] = Some(butterfly_of(draft, n, [x[n], x[n + 4]]));
            }
        }
        let first = first.map(|both| both.expect("of all points"));
        let mut vectors = Vec::new();
        for odd in 0..2 {
            for output in over_rows(draft, constants, &first, odd) {
                let position = vectors.len();
                vectors.push(match position {
                    0 => output,
                    _ => {
                        let number = HALF - 1 + position;
                        self.turn(draft, (number, *addresses), output, true)
                    }
                });
            }
        }
        std::array::from_fn(|position| vectors[position])
    }

    /// The first turns of a second half asked for.
    pub(super) fn ask_turns(&self, draft: &mut Draft<Word>, unit: &Unit) {
        let at = draft.take(Wish::Accumulator);
        self.ask_first_turn(draft, at);
        for number in 1..AHEAD {
            self.ask_turn(draft, at, number);
        }
        draft.copy(Source::Place(at), Destination::Place(unit.addresses));
        draft.give_back(at);
    }
}

/// Even or odd outputs of the transform over x, of sums and differences of points n and n + 4,
/// which it gives back; in the order of [`Relay::K_X`].
fn over_rows(
    draft: &mut Draft<Word>,
    constants: &Constants,
    first: &[Butterfly; HALF / 2],
    odd: usize,
) -> [Complex; HALF / 2] {
    let from = 4 * odd;
    let points: [Complex; 4] = std::array::from_fn(|n| match odd {
        0 => first[n][0],
        // The odd outputs of 8 points are those of 4, turned by W8^n.
        _ => constants.turn(draft, first[n][1], 2 * n, file_of(from + n)),
    });
    let [[even, evens], [odd, odds]] =
        [0, 1].map(|n| butterfly_of(draft, from + n, [points[n], points[n + 2]]));
    let odds = constants.turn(draft, odds, 4, File::A);
    let [a, b] = butterfly_of(draft, from, [even, odd]);
    let [c, d] = butterfly_of(draft, from, [evens, odds]);
    let outputs = [a, b, c, d];
    assert!(outputs.iter().flatten().all(|part| !part.negative));
    outputs
}

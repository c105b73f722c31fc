//! Half of a unit: its outputs are multiplied, lanes and registers change places, and the transform
//! over x is done.

use super::lists::part;
use super::producer::{Producer, Unit};
use crate::fft::kernels::one_pass::lookups::{ROWS_AHEAD, tmu};
use crate::fft::kernels::pipeline::double_buffered::DoubleBuffered;
use crate::fft::kernels::pipeline::roles::{HALF, Stage, exchange, set_stage_flags};
use crate::fft::kernels::pipeline::uniforms::{PartWord, Word};
use crate::generate::codelet::op_list::{Complex, OpList, Value, Wish};
use crate::generate::codelet::radix16::{Butterfly, Constants, butterfly_of, file_of};
use crate::generate::schedule::{Operation, Place, Source};
use crate::isa::{AddOp, File};

/// Roots of a half: of its outputs, then behind the transform over x of all but the first.
const ROOTS: usize = 2 * HALF - 1;

impl Producer {
    /// Asks for root `number` of a half, behind the transform over x.
    fn ask_root_of_k_x(&self, ops: &mut OpList<Word>, at: Place, number: usize) {
        if number == HALF {
            // Of a k_x there is a root for each column.
            let within = ops.take(Wish::Accumulator);
            ops.add_op(AddOp::And, Source::Lane, 1, within);
            ops.add_op(AddOp::Shl, within, 2, within);
            let first = Source::Uniform(part(PartWord::Roots));
            ops.add_op(AddOp::Add, within, first, at);
            ops.give_back(within);
        }
        let step = Source::Small(DoubleBuffered::ROOT_STEP as i32);
        self.ask_root(ops, at, number, step);
    }

    /// A vector times root `number` of the half, which is on its way: in its registers, `crossed`
    /// or not.
    fn multiply(
        &self,
        ops: &mut OpList<Word>,
        (number, addresses): (usize, Place),
        [re, im]: Complex,
        is_crossed: bool,
    ) -> Complex {
        let factor = Source::Place(Place::R4);
        let at = |value: Value| Wish::At(value.place);
        ops.push(Operation::fetch(tmu(number)));
        let [re_cos, im_cos] = [re, im].map(|x| ops.multiply(x, factor, Wish::Accumulator));
        ops.push(Operation::fetch(tmu(number)));
        match number + ROWS_AHEAD {
            next @ ..HALF => self.ask_root(ops, addresses, next, self.root_step),
            next @ HALF..ROOTS => self.ask_root_of_k_x(ops, addresses, next),
            _ => (),
        }
        let multiplied = if is_crossed {
            let im_sin = ops.multiply(im, factor, at(im));
            let re_sin = ops.multiply(re, factor, at(re));
            let multiplied_re = ops.add(re_cos, im_sin, at(im));
            [multiplied_re, ops.subtract(im_cos, re_sin, at(re))]
        } else {
            let im_sin = ops.multiply(im, factor, Wish::Accumulator);
            let re_sin = ops.multiply(re, factor, at(im));
            let multiplied_re = ops.add(re_cos, im_sin, at(re));
            ops.give_back(im_sin.place);
            [multiplied_re, ops.subtract(im_cos, re_sin, at(im))]
        };
        ops.give_back_complex([re_cos, im_cos]);
        multiplied
    }

    /// Outputs below 8 multiplied and transformed over x, and multiplied again: the vectors of all
    /// k_x, as [`DoubleBuffered::K_X`] has them.
    ///
    /// Accumulators are used in the order in which this is written: what does not wait for each
    /// other is written side by side.
    pub fn half(
        &self,
        ops: &mut OpList<Word>,
        constants: &Constants,
        unit: &Unit,
    ) -> [Complex; HALF] {
        let Unit { outputs, addresses } = unit;
        let mut x = [outputs[0]; HALF];
        // Bits 3, 2 and 1 of lanes with bits 2, 1 and 0 of outputs.
        set_stage_flags(ops, Stage::Rows);
        let change = |ops: &mut OpList<Word>, x: &[Complex; HALF], pairs: &[[usize; 2]], stage| {
            for pair in pairs {
                let bit = (pair[0] ^ pair[1]).ilog2() as u8;
                let pair = pair.map(|number| x[number]);
                exchange(ops, pair, bit + 1, stage);
            }
        };
        for (number, output) in DoubleBuffered::OUTPUTS.into_iter().enumerate() {
            let output = output as usize;
            // Points n and n + 4 are read together: their parts are to be in different files.
            let is_crossed = output < HALF / 2;
            x[output] = self.multiply(ops, (number, *addresses), outputs[output], is_crossed);
            match output {
                4..6 => change(ops, &x, &[[output - 4, output]], Stage::Rows),
                6..8 => {
                    let n = output - 4;
                    let pairs = [[n, output], [n - 2, n], [n + 2, output]];
                    change(ops, &x, &pairs, Stage::Rows);
                }
                _ => {}
            }
        }
        set_stage_flags(ops, Stage::Columns);
        let mut first = Vec::new();
        for n in [0, 2] {
            let pairs = [[n, n + 1], [n + 4, n + 5]];
            change(ops, &x, &pairs, Stage::Columns);
            first.extend([n, n + 1].map(|n| butterfly_of(ops, n, [x[n], x[n + 4]])));
        }
        let mut vectors = Vec::new();
        for odd in 0..2 {
            for output in over_rows(ops, constants, &first, odd) {
                let root = (HALF - 1 + vectors.len(), *addresses);
                let is_multiplied = !vectors.is_empty();
                vectors.push(if is_multiplied {
                    self.multiply(ops, root, output, true)
                } else {
                    output
                });
            }
        }
        std::array::from_fn(|position| vectors[position])
    }

    /// The first roots of a second half asked for.
    pub(super) fn ask_roots(&self, ops: &mut OpList<Word>, unit: &Unit) {
        let at = ops.take(Wish::Accumulator);
        self.ask_first_root(ops, at);
        for number in 1..ROWS_AHEAD {
            self.ask_root(ops, at, number, self.root_step);
        }
        ops.copy(at, unit.addresses);
        ops.give_back(at);
    }
}

/// Even or odd outputs of the transform over x, of sums and differences of points n and n + 4,
/// which it gives back; in the order of [`DoubleBuffered::K_X`].
fn over_rows(
    ops: &mut OpList<Word>,
    constants: &Constants,
    first: &[Butterfly],
    odd: usize,
) -> [Complex; HALF / 2] {
    let from = 4 * odd;
    let points: [Complex; 4] = std::array::from_fn(|n| match odd {
        0 => first[n][0],
        // The odd outputs of 8 points are those of 4, multiplied by W8^n.
        _ => constants.multiply(ops, first[n][1], 2 * n, file_of(from + n)),
    });
    let [[even, evens], [odd, odds]] =
        [0, 1].map(|n| butterfly_of(ops, from + n, [points[n], points[n + 2]]));
    let odds = constants.multiply(ops, odds, 4, File::A);
    let [a, b] = butterfly_of(ops, from, [even, odd]);
    let [c, d] = butterfly_of(ops, from, [evens, odds]);
    let outputs = [a, b, c, d];
    assert!(outputs.iter().flatten().all(|part| !part.negative));
    outputs
}

//! Half of a unit: its outputs are multiplied, lanes and registers change places, and the transform
//! over x is done. Its vectors go to consumers, or to where they are kept.

use super::lists::part;
use super::producer::{Producer, Unit};
use super::semaphore;
use crate::codelet::op_list::{Complex, OpList, Value, Wish};
use crate::codelet::radix16::{Butterfly, Constants, butterfly_of, file_of};
use crate::kernels::one_pass::lookups::{ROWS_AHEAD, tmu};
use crate::kernels::pipeline::double_buffered::DoubleBuffered;
use crate::kernels::pipeline::roles::{HALF, Stage, exchange, set_stage_flags, write_in_order};
use crate::kernels::pipeline::uniforms::{PartWord, Word};
use qpu::generate::schedule::{Destination, Operation, Place, Source};
use qpu::isa::{AddOp, File};
use std::collections::HashSet;

/// Roots of a half: of its outputs, then behind the transform over x of all but the first.
const ROOTS: usize = 2 * HALF - 1;
/// Pairs that [`Producer::write`] writes.
const IN_A_ROW: usize = HALF / 2 - 1;
/// Positions of the last pair.
const LAST: [usize; 2] = [IN_A_ROW, HALF - 1];

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

    /// Vectors to consumers, all but the last pair: each and the one four positions behind it.
    pub fn write(ops: &mut OpList<Word>, vectors: &[Complex; HALF]) {
        for number in 0..IN_A_ROW {
            write_pair(ops, number, [number, number + HALF / 2].map(|n| vectors[n]));
        }
    }

    /// The last pair, from where [`Producer::rotate`] leaves it.
    pub fn write_last(ops: &mut OpList<Word>, unit: &Unit) {
        let last = LAST.map(|n| unit.outputs[HALF + n]);
        write_pair(ops, IN_A_ROW, last);
    }

    /// Outputs of the second half to where they are kept, and the last pair to where it is written.
    pub fn keep(&self, ops: &mut OpList<Word>, vectors: &[Complex; HALF], unit: &Unit) {
        let second = &unit.outputs[HALF..];
        let kept = second.iter().copied().zip(self.kept);
        let last = LAST.map(|n| (vectors[n], second[n]));
        move_at_once(ops, kept.chain(last));
    }

    /// Moves what is kept to the place of the first half, outputs of the second half to where it
    /// was kept, and vectors to where these were; and asks for the first twiddle factors of what is
    /// now in place of the first half.
    pub fn rotate(&self, ops: &mut OpList<Word>, vectors: &[Complex; HALF], unit: &Unit) {
        self.ask_roots(ops, unit);
        let (first, second) = unit.outputs.split_at(HALF);
        let rows = [
            (vectors.as_slice(), second),
            (&self.kept, first),
            (second, &self.kept),
        ];
        let moves = rows.into_iter().flat_map(|(from, to)| from.iter().zip(to));
        move_at_once(ops, moves.map(|(&from, &to)| (from, to)));
    }

    /// Moves vectors of the second half of both units, late ones in their registers and early ones
    /// where outputs were: the first four of each to where they are written. Others wait where
    /// nothing is kept any more.
    pub fn pair_up(&self, ops: &mut OpList<Word>, vectors: &[Complex; HALF], unit: &Unit) {
        let (early, kept) = (&unit.outputs[HALF..], &self.kept);
        let of_row = (0..IN_A_ROW).flat_map(|n| {
            let behind = n + HALF / 2;
            [(vectors[behind], kept[n]), (early[n], vectors[behind])]
        });
        let [of_pair, free] = LAST;
        let last = [(early[free], kept[free]), (vectors[of_pair], early[free])];
        move_at_once(ops, of_row.chain(last));
    }

    /// The others as well.
    pub fn pair_up_others(&self, ops: &mut OpList<Word>, vectors: &[Complex; HALF], unit: &Unit) {
        let (early, kept) = (&unit.outputs[HALF..], &self.kept);
        let of_row = (0..IN_A_ROW).flat_map(|n| {
            let behind = n + HALF / 2;
            [(kept[n], vectors[n]), (early[behind], vectors[behind])]
        });
        let [first, second] = LAST;
        let last = [
            (kept[second], early[first]),
            (vectors[second], early[second]),
        ];
        move_at_once(ops, of_row.chain(last));
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

fn write_pair(ops: &mut OpList<Word>, number: usize, both: [Complex; 2]) {
    let pair = number as u8;
    let semaphores = [semaphore::GATES[number], semaphore::WRITTEN[number]];
    let [setup, drain] = [PartWord::WriteSetup { pair }, PartWord::Drain { pair }]
        .map(|word| Source::Uniform(part(word)));
    write_in_order(ops, semaphores, drain, |ops| {
        ops.copy(setup, Destination::WriteSetup);
        for value in both.into_iter().flatten() {
            ops.copy(value.place, Destination::Vpm);
        }
    });
}

/// Copies values to where they are to be, all at once: what is overwritten is copied before.
///
/// # Panics
/// When a value is copied twice: a bug, found when the programs are built.
fn move_at_once(ops: &mut OpList<Word>, moves: impl IntoIterator<Item = (Complex, Complex)>) {
    let parts = moves
        .into_iter()
        .flat_map(|(from, to)| from.into_iter().zip(to));
    let mut moves: Vec<_> = parts.map(|(from, to)| (from.place, to.place)).collect();
    moves.retain(|(from, to)| from != to);
    let froms: HashSet<_> = moves.iter().map(|(from, _)| *from).collect();
    assert_eq!(froms.len(), moves.len(), "values are copied once");
    let mut spare = None;
    while !moves.is_empty() {
        let is_read = |place| moves.iter().any(|&(from, _)| from == place);
        if let Some(next) = moves.iter().position(|&(_, to)| !is_read(to)) {
            let (from, to) = moves.remove(next);
            ops.copy(from, to);
            if spare == Some(from) {
                ops.give_back(from);
                spare = None;
            }
        } else {
            // Only circles are left: one is opened.
            let opened = moves[0].1;
            let place = ops.load(opened, Wish::Accumulator);
            for (from, _) in &mut moves {
                if *from == opened {
                    *from = place;
                }
            }
            spare = Some(place);
        }
    }
}

//! Producers: input rows into registers; after the transform, lanes and registers change places,
//! and rows go to the VPM round by round.

use super::gates;
use crate::codelet::op_list::{Complex, OpList, Wish, negate};
use crate::codelet::radix16::{
    Butterfly, CodeletEnds, Constants, butterfly_of, dft16, file_of, sum_and_difference,
};
use crate::kernels::one_pass::lookups::{ADDRESSES, ROWS_AHEAD, take_point, tmu};
use crate::kernels::pipeline::Pipeline;
use crate::kernels::pipeline::roles::{
    FACTOR_RE, HALF, Stage, ask_point, exchange, first_addresses, set_stage_flags, write_in_order,
};
use crate::kernels::pipeline::uniforms::Word;
use qpu::generate::schedule::{Destination, Operation, Place, Source};
use qpu::isa::{AddOp, File};
use qpu::machine::VECTOR_BYTES;

/// Registers that hold their values from one transform to the next.
pub struct Producer<'a> {
    pub pipeline: Pipeline,
    /// Offset of the transform in the batch.
    pub offset: Place,
    /// Addresses of what lanes look up next, when rows have come in: before that they are in
    /// [`ADDRESSES`].
    pub addresses: Place,
    /// From a row to the next.
    pub row_step: Place,
    /// From a vector of twiddles to the next.
    pub vector_step: Place,
    /// Cosines and sines of W_N^(16 k_x n2), k_x from 1 on, in the files that [`file_of_root`]
    /// says.
    pub roots: &'a [[Place; 2]],
    /// Setup of writes, the factor of imaginary parts of the input before; and of the read that
    /// waits for them.
    pub setups: [Place; 2],
}

/// The file of the root of outputs k_x, which are in the other one.
pub const fn file_of_root(k_x: u32) -> File {
    if k_x == 2 { File::A } else { File::B }
}

impl Producer<'_> {
    fn pairs_before_outputs(&self) -> usize {
        16 + self.roots.len()
    }

    /// Asks for lookup pair `pair` at the addresses in `at`: rows, roots after the transform over
    /// x, roots of outputs.
    fn ask(&self, ops: &mut OpList<Word>, at: Place, pair: usize) {
        if pair < 16 {
            ask_point(ops, pair);
            ops.add_op(AddOp::Add, at, self.row_step, at);
            return;
        }
        if pair == 16 {
            ops.add_op(AddOp::Shl, Source::Lane, 2, at);
            ops.add_op(AddOp::Add, at, Source::Uniform(Word::Twiddles), at);
        }
        for _ in 0..2 {
            ops.copy(at, Destination::Tmu(tmu(pair)));
            ops.add_op(AddOp::Add, at, self.vector_step, at);
        }
    }

    /// Asks for the first rows.
    pub fn begin(&self, ops: &mut OpList<Word>) {
        let pipeline = &self.pipeline;
        first_addresses(ops, pipeline.columns(), Word::Input, self.offset);
        ops.immediate(pipeline.row_bytes(), self.row_step);
        ops.immediate(VECTOR_BYTES, self.vector_step);
        for pair in 0..ROWS_AHEAD {
            self.ask(ops, ADDRESSES, pair);
        }
    }

    /// Rows of the input into registers and through the transform of 16 points, which begins while
    /// rows are on their way; and the first twiddles asked for. Gives the outputs.
    pub fn load(&self, ops: &mut OpList<Word>, constants: &Constants) -> [Complex; 16] {
        let factors = [FACTOR_RE, self.setups[0]];
        ops.copy(Source::Uniform(Word::FactorRe), factors[0]);
        ops.copy(Source::Uniform(Word::FactorIm), factors[1]);
        let mut rows = ProducerRows {
            producer: self,
            ops,
            factors,
            points: Vec::new(),
            outputs: [None; 16],
        };
        dft16(&mut rows, constants, ProducerRows::butterfly);
        let outputs = rows.outputs.map(|output| output.expect("transformed"));
        ops.copy(ADDRESSES, self.addresses);
        ops.give_back(ADDRESSES);
        ops.copy(Source::Uniform(Word::WriteSetup), self.setups[0]);
        ops.copy(Source::Uniform(Word::Drain), self.setups[1]);
        outputs
    }

    /// An output times its twiddle, of which first cosines, then sines are on their way. Gives the
    /// output back.
    fn multiply(&self, ops: &mut OpList<Word>, position: usize, z: Complex, file: File) -> Complex {
        let pair = self.pairs_before_outputs() + position;
        let factor = Source::Place(Place::R4);
        let [re, im] = z;
        ops.push(Operation::fetch(tmu(pair)));
        let re_cos = ops.multiply(re, factor, Wish::Accumulator);
        let im_cos = ops.multiply(im, factor, Wish::Accumulator);
        ops.push(Operation::fetch(tmu(pair)));
        if position % HALF + ROWS_AHEAD < HALF {
            self.ask(ops, self.addresses, pair + ROWS_AHEAD);
        }
        let im_sin = ops.multiply(im, factor, Wish::Accumulator);
        let multiplied_re = ops.add(re_cos, im_sin, Wish::File(file));
        ops.give_back_complex([re_cos, im_sin]);
        let re_sin = ops.multiply(re, factor, Wish::Accumulator);
        let multiplied_im = ops.subtract(im_cos, re_sin, Wish::File(file));
        ops.give_back_complex([im_cos, re_sin]);
        ops.give_back_complex(z);
        [multiplied_re, multiplied_im]
    }

    /// The transform over x of vectors in the files of [`file_of`], which it gives back:
    /// outputs k_x, from 1 on where roots can be read beside them.
    fn over_rows(&self, ops: &mut OpList<Word>, x: &[Complex]) -> Vec<Complex> {
        let files = [File::A, File::B].map(Wish::File);
        match *x {
            [x0] => vec![x0],
            [x0, x1] => sum_and_difference(ops, [x0, x1], [Wish::AnyFile, files[0]]).into(),
            [x0, x1, x2, x3] => {
                let [even, evens] = butterfly_of(ops, 0, [x0, x2]);
                let [odd, [re, im]] = butterfly_of(ops, 1, [x1, x3]);
                let [y0, y2] = sum_and_difference(ops, [even, odd], [Wish::AnyFile, files[1]]);
                // -i times the difference of odd ones.
                let odds = [im, negate(re)];
                let [y1, y3] = sum_and_difference(ops, [evens, odds], [files[0]; 2]);
                vec![y0, y1, y2, y3]
            }
            _ => unreachable!("one, two or four rows in the lanes"),
        }
    }

    /// Outputs below 8 multiplied and transformed over x: for each k_x the vectors of all groups.
    /// Those of the first round are ready to be written.
    pub fn half(&self, ops: &mut OpList<Word>, outputs: &[Complex; 16]) -> Vec<Vec<Complex>> {
        let rows = self.pipeline.lane_rows() as usize;
        let mut groups: Vec<Vec<Complex>> = Vec::new();
        for group in 0..HALF / rows {
            let multiplied = (0..rows).map(|number| {
                let position = rows * group + number;
                let output = self.pipeline.output(position as u32);
                let z = outputs[output as usize];
                // Alone, a vector has to be in no file, and in each there is room for half of them.
                let file = file_of(if rows == 1 { group } else { number });
                self.multiply(ops, position, z, file)
            });
            groups.push(multiplied.collect());
        }
        // Bit 3 of lanes with bit 2 of outputs, and of four rows bit 2 with bit 1.
        if rows > 1 {
            set_stage_flags(ops, Stage::Rows);
        }
        for group in &groups {
            for bit in (0..rows.trailing_zeros()).rev() {
                let lane_bit = 4 - rows.trailing_zeros() + bit;
                for first in (0..rows).filter(|number| number >> bit & 1 == 0) {
                    let pair = [first, first | 1 << bit].map(|number| group[number]);
                    exchange(ops, pair, lane_bit as u8, Stage::Rows);
                }
            }
        }
        let outputs: Vec<_> = groups
            .iter()
            .map(|group| self.over_rows(ops, group))
            .collect();
        let mut rounds: Vec<Vec<_>> = (0..rows)
            .map(|k_x| outputs.iter().map(|output| output[k_x]).collect())
            .collect();
        self.round(ops, 0, &mut rounds[0]);
        rounds
    }

    /// Vectors of a round, multiplied, and columns changed with the bits of outputs that are left,
    /// up to bit 1 of lanes.
    pub fn round(&self, ops: &mut OpList<Word>, k_x: usize, vectors: &mut [Complex]) {
        if k_x > 0 {
            let [cos, sin] = self.roots[k_x - 1].map(|place| [Source::Place(place); 2]);
            for z in &mut *vectors {
                *z = ops.multiply_complex(*z, cos, sin, [Wish::AnyFile; 2]);
            }
        }
        let columns = vectors.len();
        // The uppermost bit of eight vectors is told with those of rows, of which there is one
        // then.
        let stages = (0..columns.trailing_zeros()).rev().map(|bit| match bit {
            2 => (bit, Stage::Rows),
            _ => (bit, Stage::Columns),
        });
        let mut signal = None;
        for (bit, stage) in stages {
            if signal.replace(stage) != Some(stage) {
                set_stage_flags(ops, stage);
            }
            for first in (0..columns).filter(|number| number >> bit & 1 == 0) {
                let pair = [first, first | 1 << bit].map(|number| vectors[number]);
                exchange(ops, pair, bit as u8 + 1, stage);
            }
        }
    }

    /// The vectors of a round to the VPM.
    pub fn write(&self, ops: &mut OpList<Word>, vectors: &[Complex]) {
        ops.copy(self.setups[0], Destination::WriteSetup);
        for z in vectors {
            for value in z {
                ops.copy(value.place, Destination::Vpm);
                ops.give_back(value.place);
            }
        }
    }

    /// Writes the vectors of a round when it may be written; then the next producer may write, and
    /// the consumer is signalled.
    pub fn write_in_order(&self, ops: &mut OpList<Word>, round: usize, vectors: &[Complex]) {
        let semaphores = [gates::GATES[round % 2], gates::WRITTEN];
        let drain = Source::Place(self.setups[1]);
        write_in_order(ops, semaphores, drain, |ops| self.write(ops, vectors));
    }

    /// The first twiddles of the second half asked for.
    pub fn ask_ahead(&self, ops: &mut OpList<Word>) {
        let at = ops.load(self.addresses, Wish::Accumulator);
        for position in HALF..HALF + ROWS_AHEAD {
            self.ask(ops, at, self.pairs_before_outputs() + position);
        }
        ops.copy(at, self.addresses);
        ops.give_back(at);
    }
}

/// The transform of 16 points, and the rows that have come in.
struct ProducerRows<'a> {
    producer: &'a Producer<'a>,
    ops: &'a mut OpList<Word>,
    factors: [Place; 2],
    points: Vec<Complex>,
    outputs: [Option<Complex>; 16],
}

impl ProducerRows<'_> {
    fn next(&mut self) {
        let number = self.points.len();
        let point = take_point(self.ops, number, number, self.factors);
        self.producer.ask(self.ops, ADDRESSES, number + ROWS_AHEAD);
        self.points.push(point);
    }

    fn butterfly(&mut self, n: usize) -> Butterfly {
        while self.points.len() <= n + 8 {
            self.next();
        }
        let points = [n, n + 8].map(|n| self.points[n]);
        butterfly_of(self.ops, n, points)
    }

    fn roots(&mut self) {
        for (pair, root) in (16..).zip(self.producer.roots) {
            for &place in root {
                self.ops.push(Operation::fetch(tmu(pair)));
                self.ops.copy(Place::R4, place);
            }
            self.producer.ask(self.ops, ADDRESSES, pair + ROWS_AHEAD);
        }
    }
}

impl CodeletEnds for ProducerRows<'_> {
    type Uniform = Word;

    fn ops(&mut self) -> &mut OpList<Word> {
        self.ops
    }

    fn output(&mut self, k: usize, y: Complex) {
        if k == 0 {
            self.roots();
        }
        self.outputs[k] = Some(y);
    }
}

/// Outputs from [`HALF`] on to the registers of those below.
pub fn go_on(ops: &mut OpList<Word>, outputs: &[Complex; 16]) {
    let (below, above) = outputs.split_at(HALF);
    for (to, from) in below.iter().flatten().zip(above.iter().flatten()) {
        ops.copy(from.place, to.place);
    }
}

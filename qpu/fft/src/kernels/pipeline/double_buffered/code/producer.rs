//! Producers: input rows into registers, and through the transform of 16 points. What follows is in
//! [`super::half`].
//!
//! While the late unit is transformed, half of the early one is in registers. So what does not
//! change between producers is read as uniforms, and values have registers no longer than they are
//! needed.

use super::lists::part;
use super::semaphore::LOADED;
use crate::codelet::op_list::{Complex, OpList, Wish, positive};
use crate::codelet::radix16::{
    Butterfly, Constants, Outputs, butterfly_of, file_of, outputs_of_column, radix4_of,
};
use crate::kernels::one_pass::lookups::{ADDRESSES, ROWS_AHEAD, take_point, tmu};
use crate::kernels::pipeline::double_buffered::DoubleBuffered;
use crate::kernels::pipeline::roles::{FACTOR_RE, HALF, ask_point, first_addresses};
use crate::kernels::pipeline::uniforms::{PartWord, Word};
use qpu::generate::schedule::{Destination, Operation, Place, Source};
use qpu::isa::{AddOp, Cond, File, SemaphoreAction};

/// Rows of the input.
const ROWS: usize = 16;
/// Rows of two columns, which are transformed at a time.
const ROWS_OF_COLUMNS: usize = ROWS / 2;
/// Registers that hold their values from one unit to the next, or through one.
pub struct Producer {
    /// Offset of the transform in the batch.
    offset: Place,
    /// Factor of the imaginary parts of the input.
    factor_im: Place,
    /// From a vector of cosines to that of sines, and to the next cosines.
    pub(super) vector_step: Place,
    pub(super) root_step: Place,
    /// Values that are kept of the other unit's second half: its outputs, then vectors that wait
    /// for their pair.
    pub(super) kept: [Complex; HALF],
}

/// Outputs of radix 4 over rows n2, n2 + 4, n2 + 8 and n2 + 12.
pub type Column = [Complex; 4];

/// The registers with the bytes between rows.
pub type Steps = [Place; 2];

/// A unit between its halves.
pub struct Unit {
    /// Outputs of the transform of 16 points.
    pub(super) outputs: [Complex; 16],
    /// Addresses of roots: of outputs, then of those behind the transform over x.
    pub(super) addresses: Place,
}

impl Producer {
    /// Takes its registers.
    pub fn new(ops: &mut OpList<Word>, offset: Place) -> Self {
        let [vector_step, root_step, factor_im] = [(); 3].map(|()| ops.take(Wish::File(File::B)));
        // Beside what a unit takes file A has two more than file B.
        let kept = std::array::from_fn(|n| {
            let second = if n + 1 < HALF { File::B } else { File::A };
            [File::A, second].map(|file| positive(ops.take(Wish::File(file))))
        });
        Self {
            offset,
            factor_im,
            vector_step,
            root_step,
            kept,
        }
    }

    /// Writes the loads that are done once.
    pub fn load_constants(&self, ops: &mut OpList<Word>) {
        ops.copy(Source::Uniform(Word::FactorRe), FACTOR_RE);
        ops.copy(Source::Uniform(Word::FactorIm), self.factor_im);
        ops.immediate(DoubleBuffered::VECTOR_STEP, self.vector_step);
        ops.immediate(2 * DoubleBuffered::VECTOR_STEP, self.root_step);
    }

    /// Asks for the first rows. Gives the steps between rows of a column, and to the first row of
    /// the next: accumulators, which need no read port, and uniforms are scarce while rows are
    /// asked for.
    pub fn begin(&self, ops: &mut OpList<Word>) -> Steps {
        // Lane 2 x + column.
        first_addresses(ops, 2, part(PartWord::Input), self.offset);
        let steps = DoubleBuffered::STEPS.map(|rows| {
            let step = ops.take(Wish::Accumulator);
            let bytes = (DoubleBuffered::ROW_BYTES as i32 * rows) as u32;
            ops.immediate(bytes, step);
            step
        });
        for number in 0..ROWS_AHEAD {
            ask_row(ops, steps, number);
        }
        step(ops, ROWS_AHEAD - 1);
        steps
    }

    /// Asks for root `number` of a half at the addresses in `at`, which go on by `step`.
    pub(super) fn ask_root(
        &self,
        ops: &mut OpList<Word>,
        at: Place,
        number: usize,
        step: impl Into<Source<Word>>,
    ) {
        let tmu = Destination::Tmu(tmu(number));
        ops.copy(at, tmu);
        ops.add_op(AddOp::Add, at, self.vector_step, tmu);
        ops.add_op(AddOp::Add, at, step, at);
    }

    /// Eight rows into registers, and radix 4 over both of their columns, in registers that are not
    /// those of `aside`.
    pub fn columns(&self, ops: &mut OpList<Word>, steps: Steps) -> [Column; 2] {
        let mut rows = ColumnRows {
            producer: self,
            steps,
            component: ops.take(Wish::Accumulator),
            ops,
            came: 0,
            points: [None; ROWS],
        };
        let columns = [0, 1].map(|n2| {
            let butterflies = [n2, n2 + 4].map(|n| rows.butterfly(n));
            let wishes = [0, 1, 2, 3].map(|k1| Wish::File(file_of(4 * n2 + k1)));
            radix4_of(rows.ops, butterflies, wishes)
        });
        // Accumulators are given out again in this order, with which a half was found to be
        // shortest.
        for place in [steps[1], rows.component, steps[0]] {
            rows.ops.give_back(place);
        }
        columns
    }

    /// Registers for columns that are set aside: each value in the file in which
    /// [`Producer::columns`] does not leave it.
    pub fn aside(ops: &mut OpList<Word>) -> [Column; 2] {
        [0, 1].map(|n2| {
            [0, 1, 2, 3].map(|k1| {
                let wish = Wish::File(file_of(4 * n2 + k1).other());
                [(); 2].map(|()| positive(ops.take(wish)))
            })
        })
    }

    /// Sets columns aside.
    pub fn set_aside(ops: &mut OpList<Word>, columns: &[Column; 2], aside: &[Column; 2]) {
        let values = columns.as_flattened().as_flattened().iter();
        for (from, to) in values.zip(aside.as_flattened().as_flattened()) {
            assert!(!from.negative, "what is kept has its sign");
            ops.copy(from.place, to.place);
        }
    }

    /// The outputs of the transform of 16 points, of its first two columns and of the others.
    pub fn outputs(
        ops: &mut OpList<Word>,
        constants: &Constants,
        [first, second]: [Column; 2],
        [third, fourth]: [Column; 2],
    ) -> Unit {
        ops.push(Operation::semaphore(SemaphoreAction::Increment, LOADED));
        let columns = [first, second, third, fourth];
        let mut outputs = Outputs::new(ops);
        let by_k1: [_; 4] = std::array::from_fn(|k1| columns.map(|column| column[k1]));
        for (k1, points) in by_k1.into_iter().enumerate() {
            let multiplied = std::array::from_fn(|n2| {
                // Where it is: partners, n2 and n2 + 2, are in different files.
                let file = file_of(4 * (n2 % 2) + k1);
                let file = if n2 < 2 { file.other() } else { file };
                constants.multiply(outputs.ops, points[n2], n2 * k1, file)
            });
            outputs_of_column(&mut outputs, k1, multiplied);
        }
        let outputs = outputs.all();
        let addresses = ops.load(ADDRESSES, Wish::File(File::A));
        ops.give_back(ADDRESSES);
        Unit { outputs, addresses }
    }

    /// The addresses of roots of a second half, and the first of them asked for; of a first half
    /// [`ColumnRows`] asks.
    pub(super) fn ask_first_root(&self, ops: &mut OpList<Word>, at: Place) {
        ops.add_op(AddOp::Shl, Source::Lane, 2, at);
        let first = Source::Uniform(part(PartWord::Twiddles { half: 1 }));
        ops.add_op(AddOp::Add, at, first, at);
        self.ask_root(ops, at, 0, self.root_step);
    }
}

/// Asks for the row that is number `number` in order, and goes on to the next of the same four.
fn ask_row(ops: &mut OpList<Word>, steps: Steps, number: usize) {
    ask_point(ops, number);
    // Within four rows these two alternate; the step behind them is another ([`step`]).
    if number % 4 < 3 {
        ops.add_op(AddOp::Add, ADDRESSES, steps[number % 2], ADDRESSES);
    }
}

/// From the last row of four, or from what else was looked up, to the next.
fn step(ops: &mut OpList<Word>, number: usize) {
    let number = number as u8;
    let step = Source::Uniform(part(PartWord::RowStep { number }));
    ops.add_op(AddOp::Add, ADDRESSES, step, ADDRESSES);
}

/// Rows that have come in.
struct ColumnRows<'a> {
    producer: &'a Producer,
    steps: Steps,
    ops: &'a mut OpList<Word>,
    /// From the first to the second of what is looked up together, for lookups that are roots the
    /// second time.
    component: Place,
    came: usize,
    points: [Option<Complex>; ROWS],
}

impl ColumnRows<'_> {
    /// Takes a row, and asks for another.
    fn next(&mut self) {
        let number = self.came;
        let row = usize::from(DoubleBuffered::ORDER[number]);
        let factors = [FACTOR_RE, self.producer.factor_im];
        let point = take_point(self.ops, number, row, factors);
        match number + ROWS_AHEAD {
            next @ ..ROWS_OF_COLUMNS => {
                ask_row(self.ops, self.steps, next);
                if next + 1 == ROWS_OF_COLUMNS {
                    self.go_to_roots();
                    step(self.ops, next);
                }
            }
            next => self.ask_row_or_root(next),
        }
        self.points[row] = Some(point);
        self.came += 1;
    }

    /// The second time, roots of outputs follow: their lanes, to which the next step adds where
    /// they begin.
    fn go_to_roots(&mut self) {
        let ops = &mut *self.ops;
        ops.copy(Source::Uniform(part(PartWord::Component)), self.component);
        ops.set_flags(AddOp::And, self.component, DoubleBuffered::COMPONENT as i32);
        let lanes = Operation::add(AddOp::Shl, Source::Lane, 2, ADDRESSES);
        ops.push(lanes.when(Cond::ZS));
    }

    /// Asks for row `number`, or for a root.
    fn ask_row_or_root(&mut self, number: usize) {
        let tmu = Destination::Tmu(tmu(number));
        self.ops.copy(ADDRESSES, tmu);
        self.ops.add_op(AddOp::Add, ADDRESSES, self.component, tmu);
        step(self.ops, number);
    }

    /// Sum and difference of points n and n + 8.
    fn butterfly(&mut self, n: usize) -> Butterfly {
        let both = [n, n + 8];
        while both.iter().any(|&n| self.points[n].is_none()) {
            self.next();
        }
        let points = both.map(|n| self.points[n].take().expect("has come"));
        butterfly_of(self.ops, n, points)
    }
}

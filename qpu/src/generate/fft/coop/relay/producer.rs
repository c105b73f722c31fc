//! Producers: input rows into registers, and through the transform of 16 points. What follows is in
//! [`super::half`] and [`super::write`].
//!
//! While the late unit is transformed, half of the early one is in registers. So what does not
//! change between producers is read as uniforms, and values have registers no longer than they are
//! needed.

use super::lists::part;
use super::semaphore::LOADED;
use crate::fft::relay::Relay;
use crate::fft::words::{PartWord, Word};
use crate::generate::fft::coop::roles::HALF;
use crate::generate::fft::dft16::{
    Butterfly, Constants, Ends, butterfly_of, file_of, outputs_of_column, radix4_of,
};
use crate::generate::fft::draft::{Complex, Draft, Wish, positive};
use crate::generate::schedule::{Destination, Operation, Place, Source};
use crate::isa::{AddOp, Cond, File, MulOp, SemaphoreAction};

/// Rows of the input.
const ROWS: usize = 16;
/// Rows of two columns, which are transformed at a time.
const ROWS_OF_COLUMNS: usize = ROWS / 2;
/// Pairs of lookups that are on their way: what the TMUs hold.
pub(super) const AHEAD: usize = 4;
/// Addresses of what lanes look up next, while there are rows to come: an accumulator needs no read
/// port.
pub const ADDRESSES: Place = Place::Accumulator(3);
/// The factor of real parts of the input, which needs none either.
const FACTOR_RE: Place = Place::R5;

/// The TMU of a pair of lookups.
pub(super) const fn tmu(pair: usize) -> u8 {
    (pair % 2) as u8
}

/// Registers that hold their values from one unit to the next, or through one.
pub struct Producer {
    /// Offset of the transform in the batch.
    offset: Place,
    /// Factor of the imaginary parts of the input.
    factor_im: Place,
    /// From a vector of cosines to that of sines, and to the next cosines.
    pub(super) vector_step: Place,
    turn_step: Place,
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
    /// Addresses of turns: of outputs, then of those behind the transform over x.
    pub(super) addresses: Place,
}

impl Producer {
    /// Takes its registers.
    pub fn new(draft: &mut Draft<Word>, offset: Place) -> Self {
        let [vector_step, turn_step, factor_im] = [(); 3].map(|()| draft.take(Wish::File(File::B)));
        // Beside what a unit takes file A has two more than file B.
        let kept = std::array::from_fn(|n| {
            let second = if n + 1 < HALF { File::B } else { File::A };
            [File::A, second].map(|file| positive(draft.take(Wish::File(file))))
        });
        Self {
            offset,
            factor_im,
            vector_step,
            turn_step,
            kept,
        }
    }

    /// Writes the loads that are done once.
    pub fn load_constants(&self, draft: &mut Draft<Word>) {
        let factors = [
            (Word::FactorRe, FACTOR_RE),
            (Word::FactorIm, self.factor_im),
        ];
        for (word, place) in factors {
            draft.copy(Source::Uniform(word), Destination::Place(place));
        }
        let steps = [(1, self.vector_step), (2, self.turn_step)];
        for (bytes, place) in steps.map(|(n, place)| (n * Relay::VECTOR_STEP, place)) {
            draft.immediate(bytes, [Destination::Place(place), Destination::Nothing]);
        }
    }

    /// Asks for the first rows. Gives the steps between rows of a column, and to the first row of
    /// the next: accumulators, which need no read port, and uniforms are scarce while rows are
    /// asked for.
    pub fn begin(&self, draft: &mut Draft<Word>) -> Steps {
        // Lane 2 x + column: columns follow each other in memory, rows are 256 bytes apart.
        let place = Destination::Place;
        let [within, row] = [(); 2].map(|()| draft.take(Wish::Accumulator));
        draft.add_op(AddOp::And, [Source::Lane, Source::Small(1)], place(within));
        let sources = [Source::Lane, Source::Place(within)];
        draft.add_op(AddOp::Xor, sources, place(row));
        for (value, shift) in [(within, 3), (row, 7)] {
            let sources = [Source::Place(value), Source::Small(shift)];
            draft.add_op(AddOp::Shl, sources, place(value));
        }
        let input = Source::Uniform(part(PartWord::Input));
        draft.add_op(AddOp::Add, [Source::Place(within), input], place(within));
        let sources = [row, self.offset].map(Source::Place);
        draft.add_op(AddOp::Add, sources, place(row));
        let sources = [within, row].map(Source::Place);
        draft.add_op(AddOp::Add, sources, place(ADDRESSES));
        draft.give_back(within);
        draft.give_back(row);
        let steps = Relay::STEPS.map(|rows| {
            let step = draft.take(Wish::Accumulator);
            let bytes = (Relay::ROW_BYTES as i32 * rows) as u32;
            draft.immediate(bytes, [Destination::Place(step), Destination::Nothing]);
            step
        });
        for number in 0..AHEAD {
            ask_row(draft, steps, number);
        }
        step(draft, AHEAD - 1);
        steps
    }

    /// Asks for turn `number` of a half at the addresses in `at`.
    pub(super) fn ask_turn(&self, draft: &mut Draft<Word>, at: Place, number: usize) {
        let tmu = Destination::Tmu(tmu(number));
        let [cosines, sines, next] = [at, self.vector_step, self.turn_step].map(Source::Place);
        draft.copy(cosines, tmu);
        draft.add_op(AddOp::Add, [cosines, sines], tmu);
        draft.add_op(AddOp::Add, [cosines, next], Destination::Place(at));
    }

    /// Eight rows into registers, and radix 4 over both of their columns, in registers that are not
    /// those of `aside`.
    pub fn columns(&self, draft: &mut Draft<Word>, steps: Steps) -> [Column; 2] {
        let mut rows = Rows {
            producer: self,
            steps,
            component: draft.take(Wish::Accumulator),
            draft,
            came: 0,
            points: [None; ROWS],
        };
        let columns = [0, 1].map(|n2| {
            let butterflies = [n2, n2 + 4].map(|n| rows.butterfly(n));
            let wishes = [0, 1, 2, 3].map(|k1| Wish::File(file_of(4 * n2 + k1)));
            radix4_of(rows.draft, butterflies, wishes)
        });
        // Accumulators are given out again in this order, with which a half was found to be
        // shortest.
        for place in [steps[1], rows.component, steps[0]] {
            rows.draft.give_back(place);
        }
        columns
    }

    /// Registers for columns that are set aside: each value in the file in which
    /// [`Producer::columns`] does not leave it.
    pub fn aside(draft: &mut Draft<Word>) -> [Column; 2] {
        [0, 1].map(|n2| {
            [0, 1, 2, 3].map(|k1| {
                let wish = Wish::File(file_of(4 * n2 + k1).other());
                [(); 2].map(|()| positive(draft.take(wish)))
            })
        })
    }

    /// Sets columns aside.
    pub fn set_aside(draft: &mut Draft<Word>, columns: &[Column; 2], aside: &[Column; 2]) {
        let values = columns.as_flattened().as_flattened().iter();
        for (from, to) in values.zip(aside.as_flattened().as_flattened()) {
            assert!(!from.negative, "what is kept has its sign");
            draft.copy(Source::Place(from.place), Destination::Place(to.place));
        }
    }

    /// The outputs of the transform of 16 points, of its first two columns and of the others.
    pub fn outputs(
        draft: &mut Draft<Word>,
        constants: &Constants,
        [first, second]: [Column; 2],
        [third, fourth]: [Column; 2],
    ) -> Unit {
        draft.push(Operation::semaphore(SemaphoreAction::Increment, LOADED));
        let columns = [first, second, third, fourth];
        let mut outputs = Outputs {
            draft,
            outputs: [None; 16],
        };
        let by_k1: [_; 4] = std::array::from_fn(|k1| columns.map(|column| column[k1]));
        for (k1, points) in by_k1.into_iter().enumerate() {
            let mut n2 = 0;
            let turned = points.map(|point| {
                // Where it is: partners, n2 and n2 + 2, are in different files.
                let file = file_of(4 * (n2 % 2) + k1);
                let file = if n2 < 2 { file.other() } else { file };
                let turned = constants.turn(outputs.draft, point, n2 * k1, file);
                n2 += 1;
                turned
            });
            outputs_of_column(&mut outputs, k1, turned);
        }
        let outputs = outputs.outputs.map(|output| output.expect("transformed"));
        let addresses = draft.take(Wish::File(File::A));
        draft.copy(Source::Place(ADDRESSES), Destination::Place(addresses));
        draft.give_back(ADDRESSES);
        Unit { outputs, addresses }
    }

    /// The addresses of turns of a second half, and the first of them asked for; of a first half
    /// [`Rows`] asks.
    pub(super) fn ask_first_turn(&self, draft: &mut Draft<Word>, at: Place) {
        let sources = [Source::Lane, Source::Small(2)];
        draft.add_op(AddOp::Shl, sources, Destination::Place(at));
        let first = Source::Uniform(part(PartWord::Twiddles { half: 1 }));
        let sources = [Source::Place(at), first];
        draft.add_op(AddOp::Add, sources, Destination::Place(at));
        self.ask_turn(draft, at, 0);
    }
}

/// Asks for the row that is number `number` in order, and goes on to the next of the same four.
fn ask_row(draft: &mut Draft<Word>, steps: Steps, number: usize) {
    let addresses = Source::Place(ADDRESSES);
    let tmu = Destination::Tmu(tmu(number));
    draft.copy(addresses, tmu);
    // Points lie at multiples of 8: no carry crosses a byte, so either ALU can add.
    let sources = [addresses, Source::Small(Relay::COMPONENT as i32)];
    draft.push(Operation::either(AddOp::Add, MulOp::V8adds, sources, tmu));
    // Within four rows these two alternate; the step behind them is another ([`step`]).
    match number % 4 {
        3 => {}
        place => go_on(draft, Source::Place(steps[place % 2])),
    }
}

/// From the last row of four, or from what else was looked up, to the next.
fn step(draft: &mut Draft<Word>, number: usize) {
    let number = number as u8;
    go_on(draft, Source::Uniform(part(PartWord::RowStep { number })));
}

fn go_on(draft: &mut Draft<Word>, step: Source<Word>) {
    let sources = [Source::Place(ADDRESSES), step];
    draft.add_op(AddOp::Add, sources, Destination::Place(ADDRESSES));
}

/// Rows that have come in.
struct Rows<'a> {
    producer: &'a Producer,
    steps: Steps,
    draft: &'a mut Draft<Word>,
    /// From the first to the second of what is looked up together, for lookups that are turns the
    /// second time.
    component: Place,
    came: usize,
    points: [Option<Complex>; ROWS],
}

impl Rows<'_> {
    /// Takes a row, and asks for another.
    fn next(&mut self) {
        let number = self.came;
        let row = usize::from(Relay::ORDER[number]);
        let point = [0; 2].map(|_| positive(self.draft.take(Wish::File(file_of(row)))));
        let factors = [FACTOR_RE, self.producer.factor_im];
        for (value, factor) in point.iter().zip(factors) {
            self.draft.push(Operation::fetch(tmu(number)));
            let sources = [Place::R4, factor].map(Source::Place);
            let into = Destination::Place(value.place);
            self.draft.push(Operation::mul(MulOp::Fmul, sources, into));
        }
        match number + AHEAD {
            next @ ..ROWS_OF_COLUMNS => {
                ask_row(self.draft, self.steps, next);
                if next + 1 == ROWS_OF_COLUMNS {
                    self.turn_to_turns();
                    step(self.draft, next);
                }
            }
            next => self.ask_row_or_turn(next),
        }
        self.points[row] = Some(point);
        self.came += 1;
    }

    /// The second time, turns of outputs follow: their lanes, to which the next step adds where
    /// they begin.
    fn turn_to_turns(&mut self) {
        let component = Source::Place(self.component);
        self.draft.copy(
            Source::Uniform(part(PartWord::Component)),
            Destination::Place(self.component),
        );
        let sources = [component, Source::Small(Relay::COMPONENT as i32)];
        self.draft
            .add_op_setting_flags(AddOp::And, sources, Destination::Nothing);
        let sources = [Source::Lane, Source::Small(2)];
        let lanes = Operation::add(AddOp::Shl, sources, Destination::Place(ADDRESSES));
        self.draft.push(lanes.when(Cond::ZS));
    }

    /// Asks for row `number`, or for a turn.
    fn ask_row_or_turn(&mut self, number: usize) {
        let tmu = Destination::Tmu(tmu(number));
        let [addresses, component] = [ADDRESSES, self.component].map(Source::Place);
        self.draft.copy(addresses, tmu);
        self.draft.add_op(AddOp::Add, [addresses, component], tmu);
        step(self.draft, number);
    }

    /// Sum and difference of points n and n + 8.
    fn butterfly(&mut self, n: usize) -> Butterfly {
        let both = [n, n + 8];
        while both.iter().any(|&n| self.points[n].is_none()) {
            self.next();
        }
        let points = both.map(|n| self.points[n].take().expect("has come"));
        butterfly_of(self.draft, n, points)
    }
}

/// Outputs of the transform of 16 points.
struct Outputs<'a> {
    draft: &'a mut Draft<Word>,
    outputs: [Option<Complex>; 16],
}

impl Ends for Outputs<'_> {
    type Uniform = Word;

    fn draft(&mut self) -> &mut Draft<Word> {
        self.draft
    }

    fn butterfly(&mut self, _n: usize) -> Butterfly {
        unreachable!("columns have been transformed")
    }

    fn output(&mut self, k: usize, y: Complex) {
        self.outputs[k] = Some(y);
    }
}

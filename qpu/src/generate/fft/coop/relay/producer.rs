//! Producers: input rows into registers, and through the transform of 16 points. What follows is in
//! [`super::half`] and [`super::write`].
//!
//! While the late unit is transformed, half of the early one is in registers. So what does not change between producers
//! is read as uniforms, and values have registers no longer than they are needed.

use super::lists::part;
use super::semaphore::LOADED;
use crate::fft::coop::{PartWord, Word};
use crate::fft::relay::Relay;
use crate::generate::fft::coop::roles::HALF;
use crate::generate::fft::dft16::{Butterfly, Constants, Ends, butterfly_of, dft16, file_of};
use crate::generate::fft::draft::{Complex, Draft, Wish, positive};
use crate::generate::schedule::{Destination, Operation, Place, Source};
use crate::isa::{AddOp, File, MulOp, SemaphoreAction};

/// Rows of the input.
const ROWS: usize = 16;
/// Pairs of lookups that are on their way: what the TMUs hold.
pub(super) const AHEAD: usize = 4;
/// Addresses of what lanes look up next, while there are rows to come: an accumulator needs no read port.
pub const ADDRESSES: Place = Place::Accumulator(3);
/// The factor of real parts of the input, which needs none either.
const FACTOR_RE: Place = Place::R5;

/// The TMU of a pair of lookups.
pub(super) const fn tmu(pair: usize) -> u8 {
    (pair % 2) as u8
}

/// Registers that hold their values from one unit to the next, or through one.
pub struct Producer {
    /// How far on the transform lies in the batch.
    offset: Place,
    /// Factor of the imaginary parts of the input.
    factor_im: Place,
    /// From a vector of cosines to that of sines, and to the next cosines.
    pub(super) vector_step: Place,
    turn_step: Place,
    /// What is kept of the other unit's second half: its outputs, then vectors that wait for their pair.
    pub(super) kept: [Complex; HALF],
}

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

    /// What is done once.
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

    /// Asks for the first rows.
    pub fn begin(&self, draft: &mut Draft<Word>) {
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
        for pair in 0..AHEAD {
            self.ask_row(draft, pair);
        }
    }

    /// Asks for the row that is number `number` in order.
    fn ask_row(&self, draft: &mut Draft<Word>, number: usize) {
        let addresses = Source::Place(ADDRESSES);
        let tmu = Destination::Tmu(tmu(number));
        draft.copy(addresses, tmu);
        // Points lie at multiples of 8: no carry crosses a byte, so either ALU can add.
        let sources = [addresses, Source::Small(4)];
        draft.push(Operation::either(AddOp::Add, MulOp::V8adds, sources, tmu));
        if number + 1 < ROWS {
            let number = number as u8;
            let step = Source::Uniform(part(PartWord::RowStep { number }));
            draft.add_op(AddOp::Add, [addresses, step], Destination::Place(ADDRESSES));
        }
    }

    /// Asks for turn `number` of a half at the addresses in `at`.
    pub(super) fn ask_turn(&self, draft: &mut Draft<Word>, at: Place, number: usize) {
        let tmu = Destination::Tmu(tmu(number));
        let [cosines, sines, next] = [at, self.vector_step, self.turn_step].map(Source::Place);
        draft.copy(cosines, tmu);
        draft.add_op(AddOp::Add, [cosines, sines], tmu);
        draft.add_op(AddOp::Add, [cosines, next], Destination::Place(at));
    }

    /// Rows of the input into registers and through the transform of 16 points, which begins while rows are on their
    /// way; and the first turns asked for.
    pub fn load(&self, draft: &mut Draft<Word>, constants: &Constants) -> Unit {
        let mut rows = Rows {
            producer: self,
            draft,
            came: 0,
            points: [None; ROWS],
            outputs: [None; 16],
        };
        dft16(&mut rows, constants);
        let outputs = rows.outputs.map(|output| output.expect("transformed"));
        let addresses = draft.take(Wish::File(File::A));
        draft.copy(Source::Place(ADDRESSES), Destination::Place(addresses));
        draft.give_back(ADDRESSES);
        draft.push(Operation::semaphore(SemaphoreAction::Increment, LOADED));
        Unit { outputs, addresses }
    }

    /// The addresses of turns of a half, and the first of them asked for.
    pub(super) fn ask_first_turn(&self, draft: &mut Draft<Word>, at: Place, half: u8) {
        let sources = [Source::Lane, Source::Small(2)];
        draft.add_op(AddOp::Shl, sources, Destination::Place(at));
        let first = Source::Uniform(part(PartWord::Twiddles { half }));
        let sources = [Source::Place(at), first];
        draft.add_op(AddOp::Add, sources, Destination::Place(at));
        self.ask_turn(draft, at, 0);
    }
}

/// The transform of 16 points, and the rows that have come in.
struct Rows<'a> {
    producer: &'a Producer,
    draft: &'a mut Draft<Word>,
    came: usize,
    points: [Option<Complex>; ROWS],
    outputs: [Option<Complex>; 16],
}

impl Rows<'_> {
    /// Takes a row, and asks for another, or for turns.
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
            next @ ..ROWS => self.producer.ask_row(self.draft, next),
            ROWS => self.producer.ask_first_turn(self.draft, ADDRESSES, 0),
            next => self.producer.ask_turn(self.draft, ADDRESSES, next - ROWS),
        }
        self.points[row] = Some(point);
        self.came += 1;
    }
}

impl Ends for Rows<'_> {
    type Uniform = Word;

    fn draft(&mut self) -> &mut Draft<Word> {
        self.draft
    }

    fn butterfly(&mut self, n: usize) -> Butterfly {
        let both = [n, n + 8];
        while both.iter().any(|&n| self.points[n].is_none()) {
            self.next();
        }
        let points = both.map(|n| self.points[n].take().expect("has come"));
        butterfly_of(self.draft, n, points)
    }

    fn output(&mut self, k: usize, y: Complex) {
        self.outputs[k] = Some(y);
    }
}

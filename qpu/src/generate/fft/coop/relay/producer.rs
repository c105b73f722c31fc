//! Producers: input rows into registers; after the transform, lanes and registers change places, and the
//! vectors of a half go to consumers.

use super::semaphore;
use crate::fft::coop::{PartWord, Word};
use crate::fft::relay::Relay;
use crate::generate::fft::coop::exchange::{Exchange, Stage, exchange_complex, tell_lanes};
use crate::generate::fft::coop::roles::{HALF, turn_looked_up};
use crate::generate::fft::dft16::{Butterfly, Constants, Ends, butterfly_of, dft16, file_of};
use crate::generate::fft::draft::{Complex, Draft, Wish, positive};
use crate::generate::schedule::{Destination, Operation, Place, Source};
use crate::isa::{AddOp, File, MulOp, SemaphoreAction};

/// Turns of a half: of its outputs, then behind the transform over x of all but the first.
const TURNS: usize = 2 * HALF - 1;
/// Rows of the input.
const ROWS: usize = 16;
/// Pairs of lookups that are on their way: what the TMUs hold.
const AHEAD: usize = 4;
/// Bytes of a vector.
const VECTOR: u32 = 64;

/// Addresses of what lanes look up next, while there are rows to come: an accumulator needs no read port.
pub const ADDRESSES: Place = Place::Accumulator(3);
/// The factor of real parts of the input, which needs none either.
const FACTOR_RE: Place = Place::R5;

/// Rows in the order in which they are asked for: the transform begins with rows n and n + 8, and those that are on their
/// way in one TMU must not all have the same place in its cache.
const ORDER: [usize; ROWS] = [0, 8, 1, 9, 4, 12, 5, 13, 2, 10, 3, 11, 6, 14, 7, 15];
/// How many rows further on the next one of that order can be.
const STEPS: [i32; 4] = [-11, -7, -5, 8];

/// The TMU of a pair of lookups.
const fn tmu(pair: usize) -> u8 {
    (pair % 2) as u8
}

/// A word of a unit.
const fn of_unit(word: PartWord) -> Word {
    Word::Part { part: 0, word }
}

/// Registers that hold their values from one unit to the next, or through one.
pub struct Producer {
    /// How far on the transform lies in the batch.
    offset: Place,
    /// Factor of the imaginary parts of the input.
    factor_im: Place,
    /// Bytes of each of [`STEPS`].
    row_steps: [Place; STEPS.len()],
    /// From a vector of twiddles to the next.
    vector_step: Place,
    /// Addresses of the turns of outputs, when rows have come in: before that they are in [`ADDRESSES`].
    addresses: Place,
    /// Addresses of the first turn behind the transform over x, and of the next.
    turns: [Place; 2],
}

impl Producer {
    /// Takes its registers.
    pub fn new(draft: &mut Draft<Word>, offset: Place) -> Self {
        let [vector_step, factor_im] = [(); 2].map(|()| draft.take(Wish::File(File::B)));
        let row_steps = STEPS.map(|_| draft.take(Wish::File(File::B)));
        let [addresses, first, next] = [(); 3].map(|()| draft.take(Wish::File(File::A)));
        Self {
            offset,
            factor_im,
            row_steps,
            vector_step,
            addresses,
            turns: [first, next],
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
        let none = Destination::Nothing;
        let bytes = |rows: i32| (Relay::ROW_BYTES as i32 * rows) as u32;
        let steps = STEPS.map(bytes).into_iter().zip(self.row_steps);
        for (bytes, place) in steps.chain([(VECTOR, self.vector_step)]) {
            draft.immediate(bytes, [Destination::Place(place), none]);
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
        let input = Source::Uniform(of_unit(PartWord::Input));
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
        let Some(&next) = ORDER.get(number + 1) else {
            return;
        };
        let rows = next as i32 - ORDER[number] as i32;
        let step = STEPS.iter().position(|&step| step == rows);
        let step = self.row_steps[step.expect("one of the steps")];
        let sources = [addresses, Source::Place(step)];
        draft.add_op(AddOp::Add, sources, Destination::Place(ADDRESSES));
    }

    /// Asks for turn `number` of a half at the addresses in `at`.
    fn ask_turn(&self, draft: &mut Draft<Word>, at: Place, number: usize) {
        for _ in 0..2 {
            draft.copy(Source::Place(at), Destination::Tmu(tmu(number)));
            let sources = [at, self.vector_step].map(Source::Place);
            draft.add_op(AddOp::Add, sources, Destination::Place(at));
        }
    }

    /// Rows of the input into registers and through the transform of 16 points, which begins while rows are on their
    /// way; and the first turns asked for. Gives the outputs.
    pub fn load(&self, draft: &mut Draft<Word>, constants: &Constants) -> [Complex; 16] {
        let mut rows = Rows {
            producer: self,
            draft,
            came: 0,
            points: [None; ROWS],
            outputs: [None; 16],
        };
        dft16(&mut rows, constants);
        let outputs = rows.outputs.map(|output| output.expect("transformed"));
        draft.copy(Source::Place(ADDRESSES), Destination::Place(self.addresses));
        draft.give_back(ADDRESSES);
        outputs
    }

    /// The addresses of turns, and the first of them asked for.
    fn ask_first_turn(&self, draft: &mut Draft<Word>) {
        let at = Destination::Place(ADDRESSES);
        let addresses = Source::Place(ADDRESSES);
        let two = Source::Small(2);
        // Of a k_x there is a turn for each column.
        draft.add_op(AddOp::And, [Source::Lane, Source::Small(1)], at);
        draft.add_op(AddOp::Shl, [addresses, two], at);
        let sources = [addresses, Source::Uniform(of_unit(PartWord::Turns))];
        draft.add_op(AddOp::Add, sources, Destination::Place(self.turns[0]));
        draft.add_op(AddOp::Shl, [Source::Lane, two], at);
        let sources = [addresses, Source::Uniform(of_unit(PartWord::Twiddles))];
        draft.add_op(AddOp::Add, sources, at);
        self.ask_turn(draft, ADDRESSES, 0);
    }

    /// Asks for turn `number` of a half, behind the transform over x.
    fn ask_turn_of_k_x(&self, draft: &mut Draft<Word>, number: usize) {
        let [first, at] = self.turns;
        if number == HALF {
            draft.copy(Source::Place(first), Destination::Place(at));
        }
        let [from, sines] = [at, self.vector_step].map(Source::Place);
        let tmu = Destination::Tmu(tmu(number));
        draft.copy(from, tmu);
        draft.add_op(AddOp::Add, [from, sines], tmu);
        let step = Source::Small(Relay::TURN_STEP as i32);
        draft.add_op(AddOp::Add, [from, step], Destination::Place(at));
    }

    /// A vector times turn `number` of the half, which is on its way.
    fn turn(&self, draft: &mut Draft<Word>, number: usize, z: Complex, file: File) -> Complex {
        turn_looked_up(draft, tmu(number), z, file, |draft| match number + AHEAD {
            next @ ..HALF => self.ask_turn(draft, self.addresses, next),
            next @ HALF..TURNS => self.ask_turn_of_k_x(draft, next),
            _ => (),
        })
    }

    /// Outputs below 8 turned and transformed over x, and turned again: the vectors of all k_x, as
    /// [`Relay::K_X`] has them.
    pub fn half(
        &self,
        draft: &mut Draft<Word>,
        constants: &Constants,
        outputs: &[Complex; 16],
    ) -> [Complex; HALF] {
        let mut x = [outputs[0]; HALF];
        for (number, output) in Relay::OUTPUTS.into_iter().enumerate() {
            let output = output as usize;
            x[output] = self.turn(draft, number, outputs[output], file_of(output));
        }
        // Bits 3, 2 and 1 of lanes with bits 2, 1 and 0 of outputs.
        tell_lanes(draft, Stage::Rows);
        for (bit, stage) in [(2, Stage::Rows), (1, Stage::Rows), (0, Stage::Columns)] {
            if bit == 0 {
                tell_lanes(draft, stage);
            }
            for first in (0..HALF).filter(|number| number >> bit & 1 == 0) {
                let pair = [first, first | 1 << bit].map(|number| x[number]);
                exchange_complex(draft, pair, Exchange::new(bit + 1, stage));
            }
        }
        let outputs = over_rows(draft, constants, x);
        std::array::from_fn(|position| match position {
            0 => outputs[0],
            _ => {
                let file = [File::A, File::B][position % 2];
                self.turn(draft, HALF - 1 + position, outputs[position], file)
            }
        })
    }

    /// The vectors of a half to the VPM, two rounds at a time when they may be written; then the next producer may
    /// write, and consumers are told.
    pub fn write(&self, draft: &mut Draft<Word>, vectors: &[Complex; HALF]) {
        for (pair, rounds) in (0..).zip(vectors.chunks_exact(2)) {
            let gate = semaphore::GATES[usize::from(pair)];
            draft.push(Operation::semaphore(SemaphoreAction::Decrement, gate));
            let setup = Source::Uniform(of_unit(PartWord::WriteSetup { pair }));
            draft.copy(setup, Destination::WriteSetup);
            for value in rounds.iter().flatten() {
                draft.copy(Source::Place(value.place), Destination::Vpm);
                draft.give_back(value.place);
            }
            draft.push(Operation::semaphore(SemaphoreAction::Increment, gate));
            // Reading any vector waits until the writes are in the VPM (HW-2497).
            let drain = Source::Uniform(of_unit(PartWord::Drain { pair }));
            draft.copy(drain, Destination::ReadSetup);
            draft.copy(Source::Vpm, Destination::Nothing);
            let written = semaphore::WRITTEN[usize::from(pair % 2)];
            draft.push(Operation::semaphore(SemaphoreAction::Increment, written));
        }
    }

    /// The first turns of the second half asked for.
    pub fn ask_ahead(&self, draft: &mut Draft<Word>) {
        let at = draft.take(Wish::Accumulator);
        draft.copy(Source::Place(self.addresses), Destination::Place(at));
        for number in 0..AHEAD {
            self.ask_turn(draft, at, number);
        }
        draft.copy(Source::Place(at), Destination::Place(self.addresses));
        draft.give_back(at);
    }
}

/// The transform over x of vectors in the files of [`file_of`], which it gives back; in the order of [`Relay::K_X`].
fn over_rows(
    draft: &mut Draft<Word>,
    constants: &Constants,
    x: [Complex; HALF],
) -> [Complex; HALF] {
    let first: [Butterfly; 4] = std::array::from_fn(|n| butterfly_of(draft, n, [x[n], x[n + 4]]));
    let mut outputs = Vec::new();
    for odd in 0..2 {
        let from = 4 * odd;
        let points: [Complex; 4] = std::array::from_fn(|n| match odd {
            0 => first[n][0],
            // The odd outputs of 8 points are those of 4, turned by W8^n.
            _ => constants.turn(draft, first[n][1], 2 * n, file_of(from + n)),
        });
        let [[even, evens], [odd, odds]] =
            [0, 1].map(|n| butterfly_of(draft, from + n, [points[n], points[n + 2]]));
        let odds = constants.turn(draft, odds, 4, File::A);
        outputs.extend(butterfly_of(draft, from, [even, odd]));
        outputs.extend(butterfly_of(draft, from, [evens, odds]));
    }
    assert!(outputs.iter().flatten().all(|part| !part.negative));
    std::array::from_fn(|position| outputs[position])
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
        let row = ORDER[number];
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
            ROWS => self.producer.ask_first_turn(self.draft),
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

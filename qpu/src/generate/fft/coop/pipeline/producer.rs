//! Producers: input rows into registers; after the transform, lanes and registers change places,
//! and rows go to the VPM round by round.

use super::semaphore;
use crate::fft::pipeline::Pipeline;
use crate::fft::words::Word;
use crate::generate::fft::coop::exchange::{Exchange, Stage, exchange_complex, tell_lanes};
use crate::generate::fft::coop::first::{ROWS_AHEAD, VECTOR, tmu};
use crate::generate::fft::coop::roles::{HALF, turn_looked_up, write_in_turn};
use crate::generate::fft::dft16::{Butterfly, Constants, Ends, butterfly_of, dft16, file_of};
use crate::generate::fft::draft::{Complex, Draft, Wish, negate, positive};
use crate::generate::schedule::{Destination, Operation, Place, Source};
use crate::isa::{AddOp, File, MulOp};

/// Addresses of what lanes look up next, while there are rows to come: an accumulator needs no read
/// port.
pub const ADDRESSES: Place = Place::Accumulator(3);
/// The factor of real parts of the input, which needs none either.
const FACTOR_RE: Place = Place::R5;

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
    /// Cosines and sines of W_N^(16 k_x n2), k_x from 1 on, in the files that [`file_of_turn`]
    /// says.
    pub turns: &'a [[Place; 2]],
    /// Setup of writes, the factor of imaginary parts of the input before; and of the read that
    /// waits for them.
    pub setups: [Place; 2],
}

/// Sum and difference of two vectors, which it gives back.
fn both(draft: &mut Draft<Word>, [x, y]: [Complex; 2], wishes: [Wish; 2]) -> [Complex; 2] {
    let sum = [0, 1].map(|c| draft.add(x[c], y[c], wishes[0]));
    let difference = [0, 1].map(|c| draft.subtract(x[c], y[c], wishes[1]));
    draft.give_back_complex(x);
    draft.give_back_complex(y);
    [sum, difference]
}

/// The file of the turn of outputs k_x, which are in the other one.
pub const fn file_of_turn(k_x: u32) -> File {
    if k_x == 2 { File::A } else { File::B }
}

/// The file of vector `number` of those that a transform over x adds.
const fn file_of_row(number: usize) -> File {
    if number.count_ones().is_multiple_of(2) {
        File::A
    } else {
        File::B
    }
}

impl Producer<'_> {
    fn pairs_before_outputs(&self) -> usize {
        16 + self.turns.len()
    }

    /// Asks for lookup pair `pair` at the addresses in `at`: rows, turns after the transform over
    /// x, turns of outputs.
    fn ask(&self, draft: &mut Draft<Word>, at: Place, pair: usize) {
        let addresses = Source::Place(at);
        let tmu = Destination::Tmu(tmu(pair));
        let to = Destination::Place(at);
        if pair < 16 {
            draft.copy(addresses, tmu);
            // Points lie at multiples of 8: no carry crosses a byte, so either ALU can add.
            let sources = [addresses, Source::Small(4)];
            draft.push(Operation::either(AddOp::Add, MulOp::V8adds, sources, tmu));
            draft.add_op(AddOp::Add, [addresses, Source::Place(self.row_step)], to);
            return;
        }
        if pair == 16 {
            draft.add_op(AddOp::Shl, [Source::Lane, Source::Small(2)], to);
            let table = Source::Uniform(Word::Twiddles);
            draft.add_op(AddOp::Add, [addresses, table], to);
        }
        for _ in 0..2 {
            draft.copy(addresses, tmu);
            let step = Source::Place(self.vector_step);
            draft.add_op(AddOp::Add, [addresses, step], to);
        }
    }

    /// Asks for the first rows.
    pub fn begin(&self, draft: &mut Draft<Word>) {
        let pipeline = &self.pipeline;
        // Columns, which follow each other in memory, and rows, 256 bytes apart.
        let columns = pipeline.columns();
        let [within, row] = [(); 2].map(|()| draft.take(Wish::Accumulator));
        let place = Destination::Place;
        let mask = Source::Small(columns as i32 - 1);
        draft.add_op(AddOp::And, [Source::Lane, mask], place(within));
        let sources = [Source::Lane, Source::Place(within)];
        draft.add_op(AddOp::Xor, sources, place(row));
        let sources = [Source::Place(within), Source::Small(3)];
        draft.add_op(AddOp::Shl, sources, place(within));
        let shift = 8 - columns.trailing_zeros();
        let sources = [Source::Place(row), Source::Small(shift as i32)];
        draft.add_op(AddOp::Shl, sources, place(row));
        let sources = [Source::Place(within), Source::Uniform(Word::Input)];
        draft.add_op(AddOp::Add, sources, place(within));
        let sources = [row, self.offset].map(Source::Place);
        draft.add_op(AddOp::Add, sources, place(row));
        let sources = [within, row].map(Source::Place);
        draft.add_op(AddOp::Add, sources, place(ADDRESSES));
        draft.give_back(within);
        draft.give_back(row);
        let none = Destination::Nothing;
        draft.immediate(pipeline.row_bytes(), [place(self.row_step), none]);
        draft.immediate(VECTOR, [place(self.vector_step), none]);
        for pair in 0..ROWS_AHEAD {
            self.ask(draft, ADDRESSES, pair);
        }
    }

    /// Rows of the input into registers and through the transform of 16 points, which begins while
    /// rows are on their way; and the first twiddles asked for. Gives the outputs.
    pub fn load(&self, draft: &mut Draft<Word>, constants: &Constants) -> [Complex; 16] {
        let factors = [FACTOR_RE, self.setups[0]];
        for (word, place) in [Word::FactorRe, Word::FactorIm].into_iter().zip(factors) {
            draft.copy(Source::Uniform(word), Destination::Place(place));
        }
        let mut rows = Rows {
            producer: self,
            draft,
            factors,
            points: Vec::new(),
            outputs: [None; 16],
        };
        dft16(&mut rows, constants);
        let outputs = rows.outputs.map(|output| output.expect("transformed"));
        draft.copy(Source::Place(ADDRESSES), Destination::Place(self.addresses));
        draft.give_back(ADDRESSES);
        let words = [Word::WriteSetup, Word::Drain];
        for (word, place) in words.into_iter().zip(self.setups) {
            draft.copy(Source::Uniform(word), Destination::Place(place));
        }
        outputs
    }

    /// An output times its twiddle, which is on its way.
    fn turn(&self, draft: &mut Draft<Word>, position: usize, z: Complex, file: File) -> Complex {
        let pair = self.pairs_before_outputs() + position;
        turn_looked_up(draft, tmu(pair), z, file, |draft| {
            if position % HALF + ROWS_AHEAD < HALF {
                self.ask(draft, self.addresses, pair + ROWS_AHEAD);
            }
        })
    }

    /// The transform over x of vectors in the files of [`file_of_row`], which it gives back:
    /// outputs k_x, from 1 on where turns can be read beside them.
    fn over_rows(&self, draft: &mut Draft<Word>, x: &[Complex]) -> Vec<Complex> {
        let files = [File::A, File::B].map(Wish::File);
        match *x {
            [x0] => vec![x0],
            [x0, x1] => both(draft, [x0, x1], [Wish::AnyFile, files[0]]).into(),
            [x0, x1, x2, x3] => {
                let [even, evens] = both(draft, [x0, x2], files);
                let [odd, [re, im]] = both(draft, [x1, x3], [files[1], files[0]]);
                let [y0, y2] = both(draft, [even, odd], [Wish::AnyFile, files[1]]);
                // -i times the difference of odd ones.
                let odds = [im, negate(re)];
                let [y1, y3] = both(draft, [evens, odds], [files[0]; 2]);
                vec![y0, y1, y2, y3]
            }
            _ => unreachable!("one, two or four rows in the lanes"),
        }
    }

    /// Outputs below 8 turned and transformed over x: for each k_x the vectors of all groups. Those
    /// of the first round are ready to be written.
    pub fn half(&self, draft: &mut Draft<Word>, outputs: &[Complex; 16]) -> Vec<Vec<Complex>> {
        let rows = self.pipeline.lane_rows() as usize;
        let mut groups: Vec<Vec<Complex>> = Vec::new();
        for group in 0..HALF / rows {
            let turned = (0..rows).map(|number| {
                let position = rows * group + number;
                let output = self.pipeline.output(position as u32);
                let z = outputs[output as usize];
                // Alone, a vector has to be in no file, and in each there is room for half of them.
                let file = file_of_row(if rows == 1 { group } else { number });
                self.turn(draft, position, z, file)
            });
            groups.push(turned.collect());
        }
        // Bit 3 of lanes with bit 2 of outputs, and of four rows bit 2 with bit 1.
        if rows > 1 {
            tell_lanes(draft, Stage::Rows);
        }
        for group in &groups {
            for bit in (0..rows.trailing_zeros()).rev() {
                let lane_bit = 4 - rows.trailing_zeros() + bit;
                let exchanged = Exchange::new(lane_bit as u8, Stage::Rows);
                for first in (0..rows).filter(|number| number >> bit & 1 == 0) {
                    let pair = [first, first | 1 << bit].map(|number| group[number]);
                    exchange_complex(draft, pair, exchanged);
                }
            }
        }
        let outputs: Vec<_> = groups
            .iter()
            .map(|group| self.over_rows(draft, group))
            .collect();
        let mut rounds: Vec<Vec<_>> = (0..rows)
            .map(|k_x| outputs.iter().map(|output| output[k_x]).collect())
            .collect();
        self.round(draft, 0, &mut rounds[0]);
        rounds
    }

    /// Vectors of a round, turned, and columns changed with the bits of outputs that are left, up
    /// to bit 1 of lanes.
    pub fn round(&self, draft: &mut Draft<Word>, k_x: usize, vectors: &mut [Complex]) {
        if k_x > 0 {
            let [cos, sin] = self.turns[k_x - 1].map(|place| [Source::Place(place); 2]);
            for z in &mut *vectors {
                *z = draft.turn(*z, cos, sin, Wish::AnyFile);
            }
        }
        let columns = vectors.len();
        // The uppermost bit of eight vectors is told with those of rows, of which there is one
        // then.
        let stages = (0..columns.trailing_zeros()).rev().map(|bit| match bit {
            2 => (bit, Stage::Rows),
            _ => (bit, Stage::Columns),
        });
        let mut told = None;
        for (bit, stage) in stages {
            if told.replace(stage) != Some(stage) {
                tell_lanes(draft, stage);
            }
            let exchanged = Exchange::new(bit as u8 + 1, stage);
            for first in (0..columns).filter(|number| number >> bit & 1 == 0) {
                let pair = [first, first | 1 << bit].map(|number| vectors[number]);
                exchange_complex(draft, pair, exchanged);
            }
        }
    }

    /// The vectors of a round to the VPM.
    pub fn write(&self, draft: &mut Draft<Word>, vectors: &[Complex]) {
        draft.copy(Source::Place(self.setups[0]), Destination::WriteSetup);
        for z in vectors {
            for value in z {
                draft.copy(Source::Place(value.place), Destination::Vpm);
                draft.give_back(value.place);
            }
        }
    }

    /// Writes the vectors of a round when it may be written; then the next producer may write, and
    /// the consumer is signalled.
    pub fn write_in_turn(&self, draft: &mut Draft<Word>, round: usize, vectors: &[Complex]) {
        let semaphores = [semaphore::GATES[round % 2], semaphore::WRITTEN];
        let drain = Source::Place(self.setups[1]);
        write_in_turn(draft, semaphores, drain, |draft| self.write(draft, vectors));
    }

    /// The first twiddles of the second half asked for.
    pub fn ask_ahead(&self, draft: &mut Draft<Word>) {
        let at = draft.take(Wish::Accumulator);
        draft.copy(Source::Place(self.addresses), Destination::Place(at));
        for position in HALF..HALF + ROWS_AHEAD {
            self.ask(draft, at, self.pairs_before_outputs() + position);
        }
        draft.copy(Source::Place(at), Destination::Place(self.addresses));
        draft.give_back(at);
    }
}

/// The transform of 16 points, and the rows that have come in.
struct Rows<'a> {
    producer: &'a Producer<'a>,
    draft: &'a mut Draft<Word>,
    factors: [Place; 2],
    points: Vec<Complex>,
    outputs: [Option<Complex>; 16],
}

impl Rows<'_> {
    /// Takes the next pair of lookups, and asks for another.
    fn take(&mut self, pair: usize, mut to: impl FnMut(&mut Draft<Word>, usize)) {
        for component in 0..2 {
            self.draft.push(Operation::fetch(tmu(pair)));
            to(self.draft, component);
        }
        self.producer.ask(self.draft, ADDRESSES, pair + ROWS_AHEAD);
    }

    fn next(&mut self) {
        let number = self.points.len();
        let point = [0; 2].map(|_| positive(self.draft.take(Wish::File(file_of(number)))));
        let factors = self.factors;
        self.take(number, |draft, component| {
            let sources = [Place::R4, factors[component]].map(Source::Place);
            let into = Destination::Place(point[component].place);
            draft.push(Operation::mul(MulOp::Fmul, sources, into));
        });
        self.points.push(point);
    }

    fn turns(&mut self) {
        for (number, turn) in self.producer.turns.iter().enumerate() {
            self.take(16 + number, |draft, component| {
                let into = Destination::Place(turn[component]);
                draft.copy(Source::Place(Place::R4), into);
            });
        }
    }
}

impl Ends for Rows<'_> {
    type Uniform = Word;

    fn draft(&mut self) -> &mut Draft<Word> {
        self.draft
    }

    fn butterfly(&mut self, n: usize) -> Butterfly {
        while self.points.len() <= n + 8 {
            self.next();
        }
        let points = [n, n + 8].map(|n| self.points[n]);
        butterfly_of(self.draft, n, points)
    }

    fn output(&mut self, k: usize, y: Complex) {
        if k == 0 {
            self.turns();
        }
        self.outputs[k] = Some(y);
    }
}

/// Outputs from [`HALF`] on to the registers of those below.
pub fn go_on(draft: &mut Draft<Word>, outputs: &[Complex; 16]) {
    let (below, above) = outputs.split_at(HALF);
    for (to, from) in below.iter().flatten().zip(above.iter().flatten()) {
        draft.copy(Source::Place(from.place), Destination::Place(to.place));
    }
}

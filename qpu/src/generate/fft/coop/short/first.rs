//! The first half: rows into registers, eight points in every lane transformed, turned, and written
//! as columns.

use super::super::barrier;
use super::super::first::{ADDRESSES, ROWS_AHEAD, VECTOR, request, tmu};
use super::load;
use crate::fft::layout::OnePass;
use crate::fft::short::Short;
use crate::fft::short::Word;
use crate::generate::fft::dft16::file_of;
use crate::generate::fft::draft::{Complex, Draft, Value, Wish, negate, positive};
use crate::generate::schedule::{Destination, Operation, Place, Source};
use crate::isa::{AddOp, Cond, File, MulOp};

/// Vectors of twiddles that are on their way while the transform runs: what the TMUs hold.
const TWIDDLES_AHEAD: usize = 8;
/// Outputs whose imaginary parts are written behind the real parts of all of them.
const GROUP: usize = 4;

/// Upper lanes have no Z ([`tell_halves`]).
const UPPER: Cond = Cond::ZC;

/// Registers that lookups need.
pub struct First {
    short: Short,
    /// Addresses of the columns of the unit's first transform.
    pub lanes: Place,
    /// The transform of a lane, where a unit has several.
    transform: Option<Place>,
    /// From the component of a row that is read first to the other.
    component: Place,
    /// From there to the next row.
    row: Place,
}

/// Registers that it needs beside them.
pub struct Constants {
    factor: Place,
    /// Addresses of the first vector of twiddles.
    lanes: Place,
    /// From a vector to the next.
    vector: Place,
    /// Setups of the columns of real and of imaginary parts.
    columns: [Place; 2],
    /// Number of vectors.
    vectors: usize,
    /// For several programs that share a transform.
    sharing: Option<Sharing>,
}

/// Registers that the transform over halves of the lanes needs.
#[derive(Clone, Copy)]
struct Sharing {
    /// 1 in the lower lanes, -1 in the upper.
    signs: Place,
    /// cos π/8 and sin π/8.
    numbers: [Place; 2],
    /// Setup that reads a row of the program's own.
    drain: Place,
}

/// The TMU of a vector of twiddles.
fn tmu_of(vector: usize) -> u8 {
    tmu(vector / 2)
}

impl First {
    /// Loads what the first lookups need.
    pub fn new(draft: &mut Draft<Word>, short: Short) -> Self {
        let lanes = draft.take(Wish::File(File::A));
        let to = Destination::Place(ADDRESSES);
        let lane = match short.run() {
            16 => Source::Lane,
            run => {
                let mask = Source::Small(run as i32 - 1);
                draft.add_op(AddOp::And, [Source::Lane, mask], to);
                Source::Place(ADDRESSES)
            }
        };
        draft.add_op(AddOp::Shl, [lane, Source::Small(3)], to);
        let sources = [Source::Place(ADDRESSES), Source::Uniform(Word::Input)];
        draft.add_op(AddOp::Add, sources, Destination::Place(lanes));
        if short.is_shared() {
            // The upper half of the lanes has the next row.
            let row = draft.take(Wish::Accumulator);
            let to = Destination::Place(row);
            let sources = [Source::Lane, Source::Small(8)];
            draft.add_op(AddOp::And, sources, to);
            let shift = Source::Small(short.columns().ilog2() as i32);
            draft.add_op(AddOp::Shl, [Source::Place(row), shift], to);
            let sources = [lanes, row].map(Source::Place);
            draft.add_op(AddOp::Add, sources, Destination::Place(lanes));
            draft.give_back(row);
        }
        let transform = (short.transforms() > 1).then(|| {
            let place = draft.take(Wish::File(File::B));
            let shift = Source::Small(short.columns().ilog2() as i32);
            draft.add_op(AddOp::Shr, [Source::Lane, shift], Destination::Place(place));
            place
        });
        Self {
            short,
            lanes,
            transform,
            component: load(draft, Word::Component, File::B),
            row: load(draft, Word::NextRow, File::B),
        }
    }

    /// Asks for the first rows of a unit; `last` holds how many transforms follow its first. Lanes
    /// of others read the last one.
    pub fn ask(&self, draft: &mut Draft<Word>, last: Place) {
        let to = Destination::Place(ADDRESSES);
        let addresses = Source::Place(ADDRESSES);
        match self.transform {
            None => draft.copy(Source::Place(self.lanes), to),
            Some(transform) => {
                draft.add_op(AddOp::Min, [last, transform].map(Source::Place), to);
                let shift = Source::Small(3 + self.short.log2_points() as i32);
                draft.add_op(AddOp::Shl, [addresses, shift], to);
                draft.add_op(AddOp::Add, [addresses, Source::Place(self.lanes)], to);
            }
        }
        for row in 0..ROWS_AHEAD {
            self.ask_row(draft, row);
        }
    }

    fn ask_row(&self, draft: &mut Draft<Word>, row: usize) {
        for step in [self.component, self.row] {
            request(draft, row, Source::Place(step));
        }
    }

    /// Loads the rest.
    pub fn load_constants(
        &self,
        draft: &mut Draft<Word>,
        numbers: Option<[Place; 2]>,
    ) -> Constants {
        let factor = load(draft, Word::FactorRe, File::B);
        let lanes = draft.take(Wish::File(File::A));
        let to = Destination::Place(lanes);
        let offsets = draft.take(Wish::Accumulator);
        let sources = [Source::Lane, Source::Small(2)];
        draft.add_op(AddOp::Shl, sources, Destination::Place(offsets));
        let sources = [Source::Place(offsets), Source::Uniform(Word::Twiddles)];
        draft.add_op(AddOp::Add, sources, to);
        draft.give_back(offsets);
        let vector = draft.take(Wish::File(File::B));
        draft.immediate(VECTOR, [Destination::Place(vector), Destination::Nothing]);
        let columns = [0, 1].map(|component| load(draft, Word::ColumnSetup { component }, File::A));
        let sharing = self.short.is_shared().then(|| {
            let signs = draft.take(Wish::File(File::A));
            draft.immediate(
                1f32.to_bits(),
                [Destination::Place(signs), Destination::Nothing],
            );
            tell_halves(draft);
            let sources = [Source::Small(0), Source::Place(signs)];
            let negated = Operation::add(AddOp::Fsub, sources, Destination::Place(signs));
            draft.push(negated.when(UPPER));
            Sharing {
                signs,
                numbers: numbers.expect("loaded for 16 rows"),
                drain: load(draft, Word::Drain, File::A),
            }
        });
        Constants {
            factor,
            lanes,
            vector,
            columns,
            vectors: self.short.twiddle_vectors() as usize,
            sharing,
        }
    }

    /// Rows into registers, and the first twiddles asked for.
    pub fn load_rows(&self, draft: &mut Draft<Word>, constants: &Constants) -> [Complex; 8] {
        std::array::from_fn(|row| {
            let point = [(); 2].map(|()| {
                let place = draft.take(Wish::File(file_of(row)));
                draft.push(Operation::fetch(tmu(row)));
                let sources = [Place::R4, constants.factor].map(Source::Place);
                let to = Destination::Place(place);
                draft.push(Operation::mul(MulOp::Fmul, sources, to));
                positive(place)
            });
            match row + ROWS_AHEAD {
                next @ 0..8 => self.ask_row(draft, next),
                next => {
                    if next == 8 {
                        let to = Destination::Place(ADDRESSES);
                        draft.copy(Source::Place(constants.lanes), to);
                    }
                    constants.ask_twiddles(draft, 2 * (next - 8));
                }
            }
            point
        })
    }

    /// Outputs times their twiddles to the VPM.
    pub fn write_columns(
        &self,
        draft: &mut Draft<Word>,
        constants: &Constants,
        outputs: [Complex; 8],
    ) {
        // The rows are those of the unit before until it is stored. Waits no sooner than there is
        // an output, which is in file A: what is waited for is read through file B's port.
        let first = outputs[Short::OUTPUTS[0] as usize][0];
        let sources = [Source::StoreWait, Source::Place(first.place)];
        draft.add_op(AddOp::Or, sources, Destination::Nothing);
        // One after the other begins to write, and lets the next when half of its real parts are:
        // stores follow each other anyway, and the first is not to wait until all have had their
        // share of the port. Ten shorter transforms are two or three units, which gain less than
        // the mutex costs.
        let takes_turns = matches!(self.short.columns(), 8 | 16) && !self.short.is_shared();
        if takes_turns {
            let sources = [Source::MutexAcquire, Source::Place(first.place)];
            draft.add_op(AddOp::Or, sources, Destination::Nothing);
        }
        let mut imaginary: Vec<Place> = Vec::new();
        for (position, output) in Short::OUTPUTS.into_iter().enumerate() {
            let setup = |draft: &mut Draft<Word>, component: usize| {
                let setup = Source::Place(constants.columns[component]);
                if position < GROUP {
                    draft.copy(setup, Destination::WriteSetup);
                } else {
                    let sources = [setup, Source::Small(2)];
                    draft.add_op(AddOp::Add, sources, Destination::WriteSetup);
                }
            };
            if position % GROUP == 0 {
                setup(draft, 0);
            }
            let mut z = outputs[output as usize];
            if let Some(sharing) = &constants.sharing {
                z = sharing.across(draft, output, z);
            }
            let im = constants.turn_to_vpm(draft, position, z);
            imaginary.push(im);
            if takes_turns && position + 1 == GROUP {
                draft.copy(Source::Small(0), Destination::MutexRelease);
            }
            if imaginary.len() == GROUP {
                setup(draft, 1);
                for place in imaginary.drain(..) {
                    draft.copy(Source::Place(place), Destination::Vpm);
                    draft.give_back(place);
                }
            }
        }
        if let Some(sharing) = &constants.sharing {
            // Reading any vector waits until the writes are in the VPM (HW-2497).
            draft.copy(Source::Place(sharing.drain), Destination::ReadSetup);
            draft.copy(Source::Vpm, Destination::Nothing);
            draft.push(barrier::arrive());
        }
    }
}

impl Constants {
    /// Asks for two vectors, as far as there are.
    fn ask_twiddles(&self, draft: &mut Draft<Word>, first: usize) {
        for vector in first..(first + 2).min(self.vectors) {
            // Pairs of vectors take turns as pairs of components do.
            request(draft, vector / 2, Source::Place(self.vector));
        }
    }

    /// The output at a position, turned: its real part goes to the VPM, its imaginary part into the
    /// register that is given.
    fn turn_to_vpm(&self, draft: &mut Draft<Word>, position: usize, z: Complex) -> Place {
        let factor = Source::Place(Place::R4);
        let [re, im] = z;
        // Without the sines of output 0 all others come one earlier.
        let has_all = self.vectors == 2 * Short::OUTPUTS.len();
        let cosine = 2 * position - usize::from(!has_all && position > 0);
        self.fetch(draft, cosine);
        if position == 0 && !has_all {
            let to = draft.take(Wish::AnyFile);
            for (part, to) in [(re, Destination::Vpm), (im, Destination::Place(to))] {
                let sources = [Source::Place(part.place), factor];
                draft.push(Operation::mul(MulOp::Fmul, sources, to));
            }
            draft.give_back_complex(z);
            return to;
        }
        let re_cos = draft.multiply(re, factor, Wish::Accumulator);
        let im_cos = draft.multiply(im, factor, Wish::AnyFile);
        self.fetch(draft, cosine + 1);
        let im_sin = draft.multiply(im, factor, Wish::Accumulator);
        draft.add_into(re_cos, im_sin, Destination::Vpm);
        draft.give_back_complex([re_cos, im_sin]);
        let re_sin = draft.multiply(re, factor, Wish::Accumulator);
        draft.give_back_complex(z);
        let turned = draft.subtract(im_cos, re_sin, Wish::AnyFile);
        assert!(!turned.negative, "it is written as it is");
        draft.give_back_complex([im_cos, re_sin]);
        turned.place
    }

    /// Fetches a vector, and asks for those that take the place of it and the one before.
    fn fetch(&self, draft: &mut Draft<Word>, vector: usize) {
        draft.push(Operation::fetch(tmu_of(vector)));
        if vector % 2 == 1 {
            self.ask_twiddles(draft, vector - 1 + TWIDDLES_AHEAD);
        }
    }
}

impl Sharing {
    /// The transform over halves of the lanes of an output: what the upper ones hold turned by
    /// W_16^output, then sums below and differences above, with a minus where
    /// [`Short::is_negative`].
    fn across(&self, draft: &mut Draft<Word>, output: u32, z: Complex) -> Complex {
        // What changes lanes has to be in an accumulator.
        let [re, im] = z.map(|part| {
            let copy = draft.take(Wish::Accumulator);
            draft.copy(Source::Place(part.place), Destination::Place(copy));
            positive(copy)
        });
        draft.give_back_complex(z);
        let into_upper = |draft: &mut Draft<Word>, op, sources: [Place; 2], into: Value| {
            let to = Destination::Place(into.place);
            draft.push(Operation::add(op, sources.map(Source::Place), to).when(UPPER));
        };
        let [cos1, sin1] = self.numbers;
        match output {
            0 => {}
            4 => {
                let kept = draft.take(Wish::File(File::A));
                draft.copy(Source::Place(re.place), Destination::Place(kept));
                into_upper(draft, AddOp::Or, [im.place; 2], re);
                let sources = [Source::Small(0), Source::Place(kept)];
                let negated = Operation::add(AddOp::Fsub, sources, Destination::Place(im.place));
                draft.push(negated.when(UPPER));
                draft.give_back(kept);
            }
            _ => {
                let [cos, sin] = match output {
                    2 | 6 => [Place::R5; 2],
                    3 | 5 => [sin1, cos1],
                    _ => [cos1, sin1],
                };
                let mut product = |part, factor, file| {
                    let factor = Source::Place(factor);
                    draft.multiply(part, factor, Wish::File(file)).place
                };
                let re_cos = product(re, cos, File::A);
                let im_sin = product(im, sin, File::B);
                let im_cos = product(im, cos, File::A);
                let re_sin = product(re, sin, File::B);
                // Cosines of outputs above 4 are negative: all of it is made with a minus.
                if Short::is_negative(output) {
                    into_upper(draft, AddOp::Fadd, [re_cos, im_sin], re);
                    into_upper(draft, AddOp::Fsub, [im_cos, re_sin], im);
                } else {
                    into_upper(draft, AddOp::Fsub, [re_cos, im_sin], re);
                    into_upper(draft, AddOp::Fadd, [im_cos, re_sin], im);
                }
                for place in [re_cos, im_sin, im_cos, re_sin] {
                    draft.give_back(place);
                }
            }
        }
        let files = [File::A, File::B];
        let mut files = files.into_iter();
        [re, im].map(|part| {
            let wish = Wish::File(files.next().expect("one for each part"));
            let moved = positive(draft.take(Wish::AnyFile));
            let sources = [part.place, self.signs].map(Source::Place);
            let product = Operation::mul(MulOp::Fmul, sources, Destination::Place(moved.place));
            draft.push(product.rotated(8));
            let moved_signed = if Short::is_negative(output) {
                moved
            } else {
                negate(moved)
            };
            let sum = draft.add(part, moved_signed, wish);
            draft.give_back(moved.place);
            draft.give_back(part.place);
            sum
        })
    }
}

/// Lower lanes have Z.
pub fn tell_halves(draft: &mut Draft<Word>) {
    let sources = [Source::Lane, Source::Small(8)];
    draft.add_op_setting_flags(AddOp::And, sources, Destination::Nothing);
}

/// Transforms eight points in every lane; r5 holds cos π/4. Gives the points back.
pub fn transform(draft: &mut Draft<Word>, points: [Complex; 8]) -> [Complex; 8] {
    let both = |draft: &mut Draft<Word>, x: Complex, y: Complex, wish: Wish| -> Complex {
        [0, 1].map(|part| draft.add(x[part], y[part], wish))
    };
    let minus = |z: Complex| z.map(negate);
    // -i z.
    let back = |[re, im]: Complex| -> Complex { [im, negate(re)] };
    let [sums, differences] = {
        let mut halves = [[None; 4]; 2];
        for n in 0..4 {
            let [x, y] = [points[n], points[n + 4]];
            let file = file_of(n);
            halves[0][n] = Some(both(draft, x, y, Wish::File(file)));
            halves[1][n] = Some(both(draft, x, minus(y), Wish::File(file.other())));
            draft.give_back_complex(x);
            draft.give_back_complex(y);
        }
        halves.map(|half| half.map(|z| z.expect("written above")))
    };
    let files = [File::A, File::B].map(Wish::File);
    let sum = |draft: &mut Draft<Word>, x: Complex, y: Complex| -> Complex {
        [0, 1].map(|part| draft.add(x[part], y[part], files[part]))
    };
    let four = |draft: &mut Draft<Word>, even: [Complex; 2], odd: [Complex; 2]| {
        // Sums and differences of two and two; the second difference is turned back here.
        let [t, u] = [even, odd];
        let turned = back(u[1]);
        let y = [
            sum(draft, t[0], u[0]),
            sum(draft, t[1], turned),
            sum(draft, t[0], minus(u[0])),
            sum(draft, t[1], minus(turned)),
        ];
        for z in t.into_iter().chain(u) {
            draft.give_back_complex(z);
        }
        y
    };
    let pair = |draft: &mut Draft<Word>, x: Complex, y: Complex, files: [File; 2]| {
        let pair = [
            both(draft, x, y, Wish::File(files[0])),
            both(draft, x, minus(y), Wish::File(files[1])),
        ];
        draft.give_back_complex(x);
        draft.give_back_complex(y);
        pair
    };
    let [s0, s1, s2, s3] = sums;
    let even = pair(draft, s0, s2, [File::A, File::B]);
    let odd = pair(draft, s1, s3, [File::B, File::A]);
    let [y0, y2, y4, y6] = four(draft, even, odd);

    let [d0, d1, d2, d3] = differences;
    let even = pair(draft, d0, back(d2), [File::A, File::A]);
    // c (f - i e) and c (e - i f) of sum f and difference e: sum and difference of d1 and d3 turned
    // by an eighth and by three.
    let [f, e] = pair(draft, d1, d3, [File::B, File::A]);
    let cosine = Source::Place(Place::R5);
    let mut scaled = |z: Complex| -> Complex {
        z.map(|part| {
            let file = match part.place {
                Place::Register(file, _) => file,
                _ => unreachable!("in a register"),
            };
            let product = draft.multiply(part, cosine, Wish::File(file));
            draft.give_back(part.place);
            product
        })
    };
    let [f, e] = [scaled(f), scaled(e)];
    let odd = [
        both(draft, e, back(f), Wish::File(File::B)),
        both(draft, f, back(e), Wish::File(File::B)),
    ];
    draft.give_back_complex(e);
    draft.give_back_complex(f);
    let [y1, y3, y5, y7] = four(draft, even, odd);
    [y0, y1, y2, y3, y4, y5, y6, y7]
}

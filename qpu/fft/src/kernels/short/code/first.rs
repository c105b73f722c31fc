//! The first half: rows into registers, eight points in every lane transformed, multiplied, and
//! written as columns.

use super::{arrive, load};
use crate::codelet::op_list::{Complex, OpList, Value, Wish, negate, positive};
use crate::codelet::radix16::{butterfly_of, sum_and_difference};
use crate::kernels::layout::OnePass;
use crate::kernels::one_pass::lookups::{ADDRESSES, ROWS_AHEAD, request, take_point, tmu};
use crate::kernels::short::Short;
use crate::kernels::short::layout::Word;
use qpu::generate::schedule::{Destination, Operation, Place, Source};
use qpu::isa::{AddOp, Cond, File, MulOp};
use qpu::machine::VECTOR_BYTES;

/// Vectors of twiddles that are on their way while the transform runs: what the TMUs hold.
const TWIDDLES_AHEAD: usize = 8;
/// Outputs whose imaginary parts are written behind the real parts of all of them.
const GROUP: usize = 4;

/// Upper lanes have no Z (flags of lane bit 8).
const UPPER: Cond = Cond::ZC;

/// Registers that lookups need.
pub struct ShortFirst {
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
pub struct ShortConstants {
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
    sharing: Option<SharedTransforms>,
}

/// Registers that the transform over halves of the lanes needs.
#[derive(Clone, Copy)]
struct SharedTransforms {
    /// 1 in the lower lanes, -1 in the upper.
    signs: Place,
    /// cos π/8 and sin π/8.
    numbers: [Place; 2],
    /// Setup that reads a row of the program's own.
    drain: Place,
}

impl ShortFirst {
    /// Loads what the first lookups need.
    pub fn new(ops: &mut OpList<Word>, short: Short) -> Self {
        let lanes = ops.take(Wish::File(File::A));
        let lane = match short.run() {
            16 => Source::Lane,
            run => {
                ops.add_op(AddOp::And, Source::Lane, run as i32 - 1, ADDRESSES);
                Source::Place(ADDRESSES)
            }
        };
        ops.add_op(AddOp::Shl, lane, 3, ADDRESSES);
        ops.add_op(AddOp::Add, ADDRESSES, Source::Uniform(Word::Input), lanes);
        let log2_columns = short.columns().ilog2() as i32;
        if short.is_shared() {
            // The upper half of the lanes has the next row.
            let row = ops.take(Wish::Accumulator);
            ops.add_op(AddOp::And, Source::Lane, 8, row);
            ops.add_op(AddOp::Shl, row, log2_columns, row);
            ops.add_op(AddOp::Add, lanes, row, lanes);
            ops.give_back(row);
        }
        let transform = (short.transforms() > 1).then(|| {
            let place = ops.take(Wish::File(File::B));
            ops.add_op(AddOp::Shr, Source::Lane, log2_columns, place);
            place
        });
        Self {
            short,
            lanes,
            transform,
            component: load(ops, Word::Component, File::B),
            row: load(ops, Word::NextRow, File::B),
        }
    }

    /// Asks for the first rows of a unit; `last` holds how many transforms follow its first. Lanes
    /// of others read the last one.
    pub fn ask(&self, ops: &mut OpList<Word>, last: Place) {
        match self.transform {
            None => ops.copy(self.lanes, ADDRESSES),
            Some(transform) => {
                ops.add_op(AddOp::Min, last, transform, ADDRESSES);
                let shift = 3 + self.short.log2_points() as i32;
                ops.add_op(AddOp::Shl, ADDRESSES, shift, ADDRESSES);
                ops.add_op(AddOp::Add, ADDRESSES, self.lanes, ADDRESSES);
            }
        }
        for row in 0..ROWS_AHEAD {
            self.ask_row(ops, row);
        }
    }

    fn ask_row(&self, ops: &mut OpList<Word>, row: usize) {
        for step in [self.component, self.row] {
            request(ops, row, Source::Place(step));
        }
    }

    /// Loads the rest.
    pub fn load_constants(
        &self,
        ops: &mut OpList<Word>,
        numbers: Option<[Place; 2]>,
    ) -> ShortConstants {
        let factor = load(ops, Word::FactorRe, File::B);
        let lanes = ops.take(Wish::File(File::A));
        let offsets = ops.take(Wish::Accumulator);
        ops.add_op(AddOp::Shl, Source::Lane, 2, offsets);
        ops.add_op(AddOp::Add, offsets, Source::Uniform(Word::Twiddles), lanes);
        ops.give_back(offsets);
        let vector = ops.take(Wish::File(File::B));
        ops.immediate(VECTOR_BYTES, vector);
        let columns = [0, 1].map(|component| load(ops, Word::ColumnSetup { component }, File::A));
        let sharing = self.short.is_shared().then(|| {
            let signs = ops.take(Wish::File(File::A));
            ops.immediate(1f32.to_bits(), signs);
            ops.set_lane_flags(8);
            let negated = Operation::add(AddOp::Fsub, 0, signs, signs);
            ops.push(negated.when(UPPER));
            SharedTransforms {
                signs,
                numbers: numbers.expect("loaded for 16 rows"),
                drain: load(ops, Word::Drain, File::A),
            }
        });
        ShortConstants {
            factor,
            lanes,
            vector,
            columns,
            vectors: self.short.twiddle_vectors() as usize,
            sharing,
        }
    }

    /// Rows into registers, and the first twiddles asked for.
    pub fn load_rows(&self, ops: &mut OpList<Word>, constants: &ShortConstants) -> [Complex; 8] {
        std::array::from_fn(|row| {
            let point = take_point(ops, row, row, [constants.factor; 2]);
            match row + ROWS_AHEAD {
                next @ 0..8 => self.ask_row(ops, next),
                next => {
                    if next == 8 {
                        ops.copy(constants.lanes, ADDRESSES);
                    }
                    constants.ask_twiddles(ops, 2 * (next - 8));
                }
            }
            point
        })
    }

    /// Outputs times their twiddles to the VPM.
    pub fn write_columns(
        &self,
        ops: &mut OpList<Word>,
        constants: &ShortConstants,
        outputs: [Complex; 8],
    ) {
        // The rows are those of the unit before until it is stored. Waits no sooner than there is
        // an output, which is in file A: what is waited for is read through file B's port.
        let first = outputs[Short::OUTPUTS[0] as usize][0].place;
        let nothing = Destination::Nothing;
        ops.add_op(AddOp::Or, Source::StoreWait, first, nothing);
        // One after the other begins to write, and lets the next when half of its real parts are:
        // stores follow each other anyway, and the first is not to wait until all have had their
        // share of the port. Ten shorter transforms are two or three units, which gain less than
        // the mutex costs.
        let takes_mutex = matches!(self.short.columns(), 8 | 16) && !self.short.is_shared();
        if takes_mutex {
            ops.add_op(AddOp::Or, Source::MutexAcquire, first, nothing);
        }
        let mut imaginary: Vec<Place> = Vec::new();
        for (position, output) in Short::OUTPUTS.into_iter().enumerate() {
            let setup = |ops: &mut OpList<Word>, component: usize| {
                let setup = Source::Place(constants.columns[component]);
                if position < GROUP {
                    ops.copy(setup, Destination::WriteSetup);
                } else {
                    ops.add_op(AddOp::Add, setup, 2, Destination::WriteSetup);
                }
            };
            if position % GROUP == 0 {
                setup(ops, 0);
            }
            let mut z = outputs[output as usize];
            if let Some(sharing) = &constants.sharing {
                z = sharing.across(ops, output, z);
            }
            let im = constants.multiply_to_vpm(ops, position, z);
            imaginary.push(im);
            if takes_mutex && position + 1 == GROUP {
                ops.copy(0, Destination::MutexRelease);
            }
            if imaginary.len() == GROUP {
                setup(ops, 1);
                for place in imaginary.drain(..) {
                    ops.copy(place, Destination::Vpm);
                    ops.give_back(place);
                }
            }
        }
        if let Some(sharing) = &constants.sharing {
            // Reading any vector waits until the writes are in the VPM (HW-2497).
            ops.copy(sharing.drain, Destination::ReadSetup);
            ops.copy(Source::Vpm, Destination::Nothing);
            ops.push(arrive());
        }
    }
}

impl ShortConstants {
    /// Asks for two vectors, as far as there are.
    fn ask_twiddles(&self, ops: &mut OpList<Word>, first: usize) {
        for vector in first..(first + 2).min(self.vectors) {
            // Pairs of vectors alternate as pairs of components do.
            request(ops, vector / 2, Source::Place(self.vector));
        }
    }

    /// The output at a position, multiplied: its real part goes to the VPM, its imaginary part into
    /// the register that is given.
    fn multiply_to_vpm(&self, ops: &mut OpList<Word>, position: usize, z: Complex) -> Place {
        let factor = Source::Place(Place::R4);
        let [re, im] = z;
        // Without the sines of output 0 all others come one earlier.
        let has_all = self.vectors == 2 * Short::OUTPUTS.len();
        let cosine = 2 * position - usize::from(!has_all && position > 0);
        self.fetch(ops, cosine);
        if position == 0 && !has_all {
            let to = ops.take(Wish::AnyFile);
            for (part, to) in [(re, Destination::Vpm), (im, Destination::Place(to))] {
                ops.push(Operation::mul(MulOp::Fmul, part.place, factor, to));
            }
            ops.give_back_complex(z);
            return to;
        }
        let re_cos = ops.multiply(re, factor, Wish::Accumulator);
        let im_cos = ops.multiply(im, factor, Wish::AnyFile);
        self.fetch(ops, cosine + 1);
        let im_sin = ops.multiply(im, factor, Wish::Accumulator);
        ops.add_into(re_cos, im_sin, Destination::Vpm);
        ops.give_back_complex([re_cos, im_sin]);
        let re_sin = ops.multiply(re, factor, Wish::Accumulator);
        ops.give_back_complex(z);
        let multiplied = ops.subtract(im_cos, re_sin, Wish::AnyFile);
        assert!(!multiplied.negative, "it is written as it is");
        ops.give_back_complex([im_cos, re_sin]);
        multiplied.place
    }

    /// Fetches a vector, and asks for those that take the place of it and the one before.
    fn fetch(&self, ops: &mut OpList<Word>, vector: usize) {
        ops.push(Operation::fetch(tmu(vector / 2)));
        if vector % 2 == 1 {
            self.ask_twiddles(ops, vector - 1 + TWIDDLES_AHEAD);
        }
    }
}

impl SharedTransforms {
    /// The transform over halves of the lanes of an output: what the upper ones hold multiplied by
    /// W_16^output, then sums below and differences above, with a minus where
    /// [`Short::is_negative`].
    fn across(&self, ops: &mut OpList<Word>, output: u32, z: Complex) -> Complex {
        // What changes lanes has to be in an accumulator.
        let [re, im] = z.map(|part| positive(ops.load(part.place, Wish::Accumulator)));
        ops.give_back_complex(z);
        let into_upper = |ops: &mut OpList<Word>, op, [first, second]: [Place; 2], into: Value| {
            ops.push(Operation::add(op, first, second, into.place).when(UPPER));
        };
        let [cos1, sin1] = self.numbers;
        match output {
            0 => {}
            4 => {
                let kept = ops.load(re.place, Wish::File(File::A));
                into_upper(ops, AddOp::Or, [im.place; 2], re);
                let negated = Operation::add(AddOp::Fsub, 0, kept, im.place);
                ops.push(negated.when(UPPER));
                ops.give_back(kept);
            }
            _ => {
                let [cos, sin] = match output {
                    2 | 6 => [Place::R5; 2],
                    3 | 5 => [sin1, cos1],
                    _ => [cos1, sin1],
                };
                let mut product = |part, factor, file| {
                    let factor = Source::Place(factor);
                    ops.multiply(part, factor, Wish::File(file)).place
                };
                let re_cos = product(re, cos, File::A);
                let im_sin = product(im, sin, File::B);
                let im_cos = product(im, cos, File::A);
                let re_sin = product(re, sin, File::B);
                // Cosines of outputs above 4 are negative: all of it is made with a minus.
                if Short::is_negative(output) {
                    into_upper(ops, AddOp::Fadd, [re_cos, im_sin], re);
                    into_upper(ops, AddOp::Fsub, [im_cos, re_sin], im);
                } else {
                    into_upper(ops, AddOp::Fsub, [re_cos, im_sin], re);
                    into_upper(ops, AddOp::Fadd, [im_cos, re_sin], im);
                }
                for place in [re_cos, im_sin, im_cos, re_sin] {
                    ops.give_back(place);
                }
            }
        }
        [(re, File::A), (im, File::B)].map(|(part, file)| {
            let moved = ops.take(Wish::AnyFile);
            let product = Operation::mul(MulOp::Fmul, part.place, self.signs, moved);
            ops.push(product.rotated(8));
            let moved = Value {
                place: moved,
                negative: !Short::is_negative(output),
            };
            let sum = ops.add(part, moved, Wish::File(file));
            ops.give_back(moved.place);
            ops.give_back(part.place);
            sum
        })
    }
}

/// Transforms eight points in every lane; r5 holds cos π/4. Gives the points back.
pub fn transform(ops: &mut OpList<Word>, points: [Complex; 8]) -> [Complex; 8] {
    let both = |ops: &mut OpList<Word>, x: Complex, y: Complex, wish: Wish| -> Complex {
        [0, 1].map(|part| ops.add(x[part], y[part], wish))
    };
    let minus = |z: Complex| z.map(negate);
    // -i z.
    let back = |[re, im]: Complex| -> Complex { [im, negate(re)] };
    let halves = [0, 1, 2, 3].map(|n| butterfly_of(ops, n, [points[n], points[n + 4]]));
    let files = [File::A, File::B].map(Wish::File);
    let sum = |ops: &mut OpList<Word>, x: Complex, y: Complex| -> Complex {
        [0, 1].map(|part| ops.add(x[part], y[part], files[part]))
    };
    let four = |ops: &mut OpList<Word>, even: [Complex; 2], odd: [Complex; 2]| {
        // Sums and differences of two and two; the second difference is multiplied by i here.
        let [t, u] = [even, odd];
        let multiplied = back(u[1]);
        let y = [
            sum(ops, t[0], u[0]),
            sum(ops, t[1], multiplied),
            sum(ops, t[0], minus(u[0])),
            sum(ops, t[1], minus(multiplied)),
        ];
        for z in t.into_iter().chain(u) {
            ops.give_back_complex(z);
        }
        y
    };
    let [s0, s1, s2, s3] = halves.map(|[sum, _]| sum);
    let even = butterfly_of(ops, 0, [s0, s2]);
    let odd = butterfly_of(ops, 1, [s1, s3]);
    let [y0, y2, y4, y6] = four(ops, even, odd);

    let [d0, d1, d2, d3] = halves.map(|[_, difference]| difference);
    let even = sum_and_difference(ops, [d0, back(d2)], [Wish::File(File::A); 2]);
    // c (f - i e) and c (e - i f) of sum f and difference e: sum and difference of d1 and d3
    // multiplied by an eighth and by three.
    let [f, e] = butterfly_of(ops, 1, [d1, d3]);
    let cosine = Source::Place(Place::R5);
    let mut scaled = |z: Complex| -> Complex {
        z.map(|part| {
            let file = match part.place {
                Place::Register(file, _) => file,
                _ => unreachable!("in a register"),
            };
            let product = ops.multiply(part, cosine, Wish::File(file));
            ops.give_back(part.place);
            product
        })
    };
    let [f, e] = [scaled(f), scaled(e)];
    let odd = [
        both(ops, e, back(f), Wish::File(File::B)),
        both(ops, f, back(e), Wish::File(File::B)),
    ];
    ops.give_back_complex(e);
    ops.give_back_complex(f);
    let [y1, y3, y5, y7] = four(ops, even, odd);
    [y0, y1, y2, y3, y4, y5, y6, y7]
}

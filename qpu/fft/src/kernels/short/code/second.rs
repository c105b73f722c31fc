//! The second half: rows of interleaved numbers, transformed below each other and stored.
//!
//! Real parts are in even lanes. A number is multiplied with the product of its neighbour: its
//! parts change lanes while they are multiplied by a vector whose signs alternate.

use super::{arrive, load, pass};
use crate::codelet::op_list::{OpList, Value, Wish, negate, positive};
use crate::codelet::radix16::file_of;
use crate::kernels::short::Short;
use crate::kernels::short::layout::Word;
use qpu::generate::schedule::{Destination, Operation, Place, Source};
use qpu::isa::{AddOp, Cond, File, MulOp};

/// Even lanes have Z, odd lanes do not.
const EVEN: Cond = Cond::ZS;
const ODD: Cond = Cond::ZC;

/// Its registers.
pub struct Second {
    short: Short,
    /// The factor of exchanged parts that gives -i z; for the inverse, i z.
    back: Place,
    /// That factor times cos and sin of an eighth of a half turn, and the numbers themselves; for
    /// 16 rows only.
    eighths: Option<[Eighth; 2]>,
    /// The first times cos π/4; of 8 rows only.
    quarter: Option<Place>,
    /// For 32 rows only.
    parity: Option<Parity>,
    read_setups: ReadSetups,
    output_setup: Place,
    store_setup: Place,
    /// Address of the unit's output.
    pub store: Place,
}

/// A cosine, and the vector for the sine of the same value.
#[derive(Clone, Copy)]
struct Eighth {
    number: Place,
    vector: Place,
}

/// Setups of the rows that are read: all at once, those that either program has written, or those
/// of the first and third.
type ReadSetups = [Option<Place>; 2];

/// The sign with which rows n and n + 16 are added, and the twiddle factors by which odd outputs of
/// a transform of 32 rows multiply the sums.
struct Parity {
    /// 1, or -1 for odd outputs.
    sign: Place,
    /// By odd multiples of an eighth of a quarter turn.
    odd: [Eighth; 4],
}

impl Second {
    /// Loads them; r5 holds cos π/4.
    pub fn new(ops: &mut OpList<Word>, short: Short) -> Self {
        ops.set_lane_flags(1);
        let back = load(ops, Word::Conjugate, File::A);
        ops.push(Operation::add(AddOp::Fsub, 0, back, back).when(EVEN));
        let times = |ops: &mut OpList<Word>, factor: Place| {
            let place = ops.take(Wish::File(File::A));
            ops.push(Operation::mul(MulOp::Fmul, back, factor, place));
            place
        };
        let eighths = (short.columns() >= 16).then(|| {
            [2, 6].map(|sixteenths| {
                let number = load(ops, Word::Cosine { sixteenths }, File::B);
                let vector = times(ops, number);
                Eighth { number, vector }
            })
        });
        let quarter = (short.columns() == 8).then(|| times(ops, Place::R5));
        ops.copy(Source::Uniform(Word::StoreStride), Destination::WriteSetup);
        let mut kept = |word, file| load(ops, word, file);
        Self {
            short,
            back,
            eighths,
            quarter,
            read_setups: [0, 1].map(|number| {
                // The others are 16 rows behind these.
                let component = number * short.sharers().div_ceil(2) as u8;
                let is_there = u32::from(component) < short.sharers();
                is_there.then(|| kept(Word::ReadSetup { component }, File::A))
            }),
            output_setup: kept(Word::OutputSetup { group: 0 }, File::A),
            store_setup: kept(Word::StoreSetup { index: 0 }, File::A),
            store: kept(Word::Store { index: 0 }, File::A),
            parity: (short.columns() == 32).then(|| Parity::load(ops, back)),
        }
    }

    /// cos π/8 and sin π/8, where they are loaded.
    pub fn numbers(&self) -> Option<[Place; 2]> {
        self.eighths
            .map(|eighths| eighths.map(|eighth| eighth.number))
    }

    /// Rows of the VPM into registers: row n in the file that its butterfly wants.
    pub fn read(&self, ops: &mut OpList<Word>) -> [Value; 16] {
        let rows = match &self.parity {
            Some(parity) => parity.read(ops, self.read_setups),
            None => self.read_plain(ops),
        };
        if self.short.is_shared() {
            // Others may be written when all that share the transform have read theirs.
            ops.push(arrive());
        }
        rows
    }

    fn read_plain(&self, ops: &mut OpList<Word>) -> [Value; 16] {
        let columns = self.short.columns() as usize;
        let rows_each = 16 / self.short.sharers() as usize;
        std::array::from_fn(|row| {
            if row % rows_each == 0
                && let Some(setup) = self.read_setups[row / rows_each]
            {
                ops.copy(setup, Destination::ReadSetup);
            }
            let place = ops.take(Wish::File(file_of(row % columns)));
            ops.copy(Source::Vpm, place);
            positive(place)
        })
    }

    /// Transforms the rows, and writes the outputs to the VPM in order.
    pub fn transform(&self, ops: &mut OpList<Word>, rows: [Value; 16]) {
        ops.copy(self.output_setup, Destination::WriteSetup);
        match self.short.columns() {
            2 => rows.chunks_exact(2).for_each(|rows| self.two(ops, rows)),
            4 => rows.chunks_exact(4).for_each(|rows| self.four(ops, rows)),
            8 => rows.chunks_exact(8).for_each(|rows| self.eight(ops, rows)),
            _ => self.sixteen(ops, &rows),
        }
    }

    /// Multiplies differences of rows n and n + 16 by W32^n, each where it is; `rows` are those of
    /// [`Second::read`]. Sums are not multiplied.
    ///
    /// # Panics
    /// Where [`Second::sign`] gives none.
    pub fn multiply(&self, ops: &mut OpList<Word>, rows: [Value; 16]) {
        let parity = self.parity.as_ref().expect("loaded for 32 rows");
        let even = self.eighths.expect("loaded for 32 rows");
        for (row, value) in rows.into_iter().enumerate().skip(1) {
            let copy = positive(ops.load(value.place, Wish::Accumulator));
            let is_behind = row > 8;
            let signed = |plain: Value| if is_behind { negate(plain) } else { plain };
            let wish = Wish::At(value.place);
            match row.min(16 - row) {
                8 => {
                    exchanged(ops, copy, self.back, wish);
                }
                4 => {
                    let back = exchanged(ops, copy, self.back, Wish::AnyFile);
                    let both = ops.add(back, signed(copy), Wish::Accumulator);
                    ops.multiply(both, Source::Place(Place::R5), wish);
                    ops.give_back_complex([back, both]);
                }
                sixteenths => {
                    let eighth = match sixteenths {
                        2 => Eighth {
                            vector: even[1].vector,
                            ..even[0]
                        },
                        6 => Eighth {
                            vector: even[0].vector,
                            ..even[1]
                        },
                        odd => parity.odd[odd / 2],
                    };
                    let back = exchanged(ops, copy, eighth.vector, Wish::File(File::A));
                    let number = Source::Place(eighth.number);
                    let plain = ops.multiply(copy, number, Wish::File(File::B));
                    ops.add(back, signed(plain), wish);
                    ops.give_back_complex([back, plain]);
                }
            }
            ops.give_back(copy.place);
        }
    }

    /// A number that is positive where even outputs are wanted, negative for odd ones; for 32 rows
    /// only.
    pub fn sign(&self) -> Option<Place> {
        self.parity.as_ref().map(|parity| parity.sign)
    }

    /// Sum and difference of two and of two rows, the latter multiplied back: what four outputs are
    /// sums and differences of, the first and third in `file`. Gives the rows back.
    fn halves(&self, ops: &mut OpList<Word>, x: [Value; 4], file: File) -> Halves {
        let wish = Wish::File(file);
        let other = Wish::File(file.other());
        let sum = ops.add(x[0], x[2], wish);
        let difference = ops.subtract(x[0], x[2], other);
        let odd_sum = ops.add(x[1], x[3], other);
        let odd = ops.subtract(x[1], x[3], Wish::Accumulator);
        for row in x {
            ops.give_back(row.place);
        }
        let multiplied = exchanged(ops, odd, self.back, wish);
        ops.give_back(odd.place);
        [[sum, odd_sum], [difference, multiplied]]
    }

    /// Two outputs of two rows.
    fn two(&self, ops: &mut OpList<Word>, rows: &[Value]) {
        write(ops, rows[0], rows[1]);
        write(ops, rows[0], negate(rows[1]));
        for row in rows {
            ops.give_back(row.place);
        }
    }

    fn four(&self, ops: &mut OpList<Word>, rows: &[Value]) {
        let halves = self.halves(ops, [rows[0], rows[1], rows[2], rows[3]], File::A);
        write_in_order(ops, &[halves]);
    }

    fn eight(&self, ops: &mut OpList<Word>, rows: &[Value]) {
        let both = |ops: &mut OpList<Word>, n: usize, wish: Wish| {
            let [x, y] = [rows[n], rows[n + 4]];
            let sum = ops.add(x, y, Wish::File(file_of(n)));
            let difference = ops.subtract(x, y, wish);
            ops.give_back_complex([x, y]);
            [sum, difference]
        };
        let [a, b] = [File::A, File::B].map(Wish::File);
        let [s0, d0] = both(ops, 0, b);
        let [s2, d2] = both(ops, 2, Wish::Accumulator);
        let multiplied = exchanged(ops, d2, self.back, a);
        ops.give_back(d2.place);
        let plain = [ops.add(d0, multiplied, a), ops.subtract(d0, multiplied, a)];
        ops.give_back_complex([d0, multiplied]);
        let [s1, d1] = both(ops, 1, a);
        let [s3, d3] = both(ops, 3, b);
        // d1 multiplied by an eighth and d3 by three: with e and f for their difference and sum,
        // the sum of both is c (e - i f), and their difference multiplied back c (-i f - e).
        let f = ops.add(d1, d3, Wish::Accumulator);
        let e = ops.subtract(d1, d3, Wish::Accumulator);
        ops.give_back_complex([d1, d3]);
        let quarter = self.quarter.expect("loaded for 8 rows");
        let multiplied = exchanged(ops, f, quarter, a);
        let scaled = ops.multiply(e, Source::Place(Place::R5), b);
        ops.give_back_complex([f, e]);
        let odd = [
            ops.add(scaled, multiplied, b),
            ops.subtract(multiplied, scaled, b),
        ];
        ops.give_back_complex([multiplied, scaled]);
        let [even, even_odd] = self.halves(ops, [s0, s1, s2, s3], File::A);
        let odds = [0, 1].map(|n| [plain[n], odd[n]]);
        write_in_order(ops, &[[even, even_odd], odds]);
    }

    fn sixteen(&self, ops: &mut OpList<Word>, rows: &[Value; 16]) {
        let mut columns = [[None; 4]; 4];
        for n2 in 0..4 {
            let x = [0, 4, 8, 12].map(|n1| rows[n1 + n2]);
            let halves = self.halves(ops, x, file_of(n2));
            for (k1, column) in columns.iter_mut().enumerate() {
                let [x, y] = halves[k1 % 2];
                let y = if k1 < 2 { y } else { negate(y) };
                let wish = Wish::File(file_of(4 * n2 + k1));
                column[n2] = Some(match n2 * k1 {
                    0 => ops.add(x, y, wish),
                    angle => {
                        let z = ops.add(x, y, Wish::Accumulator);
                        self.multiplied(ops, z, angle, wish)
                    }
                });
            }
            give_back(ops, &halves);
        }
        if self.short.is_shared() {
            // Rows that others read are written from here on.
            ops.push(pass(1).after_all());
        }
        let halves: [_; 4] = std::array::from_fn(|k1| {
            let x = columns[k1].map(|z| z.expect("written above"));
            self.halves(ops, x, file_of(k1))
        });
        write_in_order(ops, &halves);
    }

    /// z W16^`angle`; z is in an accumulator, and given back.
    fn multiplied(&self, ops: &mut OpList<Word>, z: Value, angle: usize, wish: Wish) -> Value {
        let eighths = self.eighths.expect("loaded for 16 rows");
        let result = match angle {
            4 => exchanged(ops, z, self.back, wish),
            2 | 6 => {
                let back = exchanged(ops, z, self.back, Wish::AnyFile);
                let z = if angle == 2 { z } else { negate(z) };
                let sum = ops.add(back, z, Wish::Accumulator);
                let product = ops.multiply(sum, Source::Place(Place::R5), wish);
                ops.give_back_complex([back, sum]);
                product
            }
            1 | 3 | 9 => {
                let [cosine, sine] = if angle == 3 { [1, 0] } else { [0, 1] };
                let back = exchanged(ops, z, eighths[sine].vector, Wish::AnyFile);
                let plain = Source::Place(eighths[cosine].number);
                let plain = ops.multiply(z, plain, Wish::Accumulator);
                let sum = ops.add(plain, back, wish);
                ops.give_back_complex([plain, back]);
                // W16^9 = -W16^1.
                if angle == 9 { negate(sum) } else { sum }
            }
            _ => unreachable!("no product of two numbers below 4"),
        };
        ops.give_back(z.place);
        result
    }

    /// Stores the rows of the unit's transforms; `last` transforms follow its first.
    pub fn store(&self, ops: &mut OpList<Word>, last: Place) {
        let setup = Source::Place(self.store_setup);
        if self.short.transforms() == 1 {
            ops.copy(setup, Destination::WriteSetup);
        } else {
            // Rows of a store are counted from bit 23 on.
            let more = ops.take(Wish::Accumulator);
            let most = self.short.transforms() as i32 - 1;
            ops.add_op(AddOp::Min, last, most, more);
            // The shift is taken modulo 32.
            let shift = 23 + self.short.columns().ilog2() as i32 - 32;
            ops.add_op(AddOp::Shl, more, shift, more);
            ops.add_op(AddOp::Add, more, setup, Destination::WriteSetup);
            ops.give_back(more);
        }
        ops.copy(self.store, Destination::StoreAddress);
    }
}

impl Parity {
    /// Loads what it needs; `back` is what exchanged parts are multiplied by for -i z.
    fn load(ops: &mut OpList<Word>, back: Place) -> Self {
        let sign = load(ops, Word::Parity, File::B);
        let cosines =
            [1, 3, 5, 7].map(|sixteenths| load(ops, Word::Cosine { sixteenths }, File::B));
        let odd = std::array::from_fn(|index| {
            let vector = ops.take(Wish::File(File::A));
            let [number, sine] = [index, 3 - index].map(|index| cosines[index]);
            ops.push(Operation::mul(MulOp::Fmul, back, sine, vector));
            Eighth { number, vector }
        });
        Self { sign, odd }
    }

    /// Sums of rows n and n + 16, or differences.
    fn read(&self, ops: &mut OpList<Word>, setups: ReadSetups) -> [Value; 16] {
        let [below, above] = setups.map(|setup| setup.expect("loaded for 32 rows"));
        let sums = [0, 8].map(|first| {
            let read = |ops: &mut OpList<Word>, setup| {
                let step = Source::Small(-2 * first as i32);
                ops.add_op(AddOp::Sub, setup, step, Destination::ReadSetup);
            };
            read(ops, above);
            let rows: [_; 8] = std::array::from_fn(|row| {
                let place = ops.take(Wish::File(file_of(first + row)));
                ops.push(Operation::mul(MulOp::Fmul, Source::Vpm, self.sign, place));
                place
            });
            read(ops, below);
            rows.map(|place| {
                ops.add_op(AddOp::Fadd, Source::Vpm, place, place);
                positive(place)
            })
        });
        std::array::from_fn(|row| sums[row / 8][row % 8])
    }
}

/// z in an accumulator, its parts exchanged and multiplied by a vector.
fn exchanged(ops: &mut OpList<Word>, z: Value, vector: Place, wish: Wish) -> Value {
    let place = ops.take(wish);
    let product = Operation::mul(MulOp::Fmul, z.place, vector, place);
    ops.push(product.rotated(15));
    ops.push(product.rotated(1).when(ODD));
    Value { place, ..z }
}

/// Sums and differences of two values each.
type Halves = [[Value; 2]; 2];

/// The sum of two values is the next row of the VPM.
fn write(ops: &mut OpList<Word>, x: Value, y: Value) {
    ops.add_into(x, y, Destination::Vpm);
}

/// Writes four outputs for each: sums of the first of all, of the second, and the differences.
/// Gives them back.
fn write_in_order(ops: &mut OpList<Word>, halves: &[Halves]) {
    for output in 0..4 {
        for halves in halves {
            let [x, y] = halves[output % 2];
            write(ops, x, if output < 2 { y } else { negate(y) });
        }
    }
    for halves in halves {
        give_back(ops, halves);
    }
}

fn give_back(ops: &mut OpList<Word>, halves: &Halves) {
    for value in halves.iter().flatten() {
        ops.give_back(value.place);
    }
}

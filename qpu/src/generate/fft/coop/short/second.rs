//! The second half: rows of interleaved numbers, transformed below each other and stored.
//!
//! Real parts are in even lanes. A number is turned with the product of its neighbour: its parts
//! change lanes while they are multiplied by a vector whose signs alternate.

use super::load;
use crate::fft::short::Short;
use crate::fft::short::Word;
use crate::generate::fft::coop::barrier;
use crate::generate::fft::dft16::file_of;
use crate::generate::fft::draft::{Draft, Value, Wish, negate, positive};
use crate::generate::schedule::{Destination, Operation, Place, Source};
use crate::isa::{AddOp, Cond, File, MulOp};

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
    pub fn new(draft: &mut Draft<Word>, short: Short) -> Self {
        tell_lanes(draft);
        let back = load_back(draft, Word::Conjugate);
        let times = |draft: &mut Draft<Word>, factor: Place| {
            let place = draft.take(Wish::File(File::A));
            let sources = [back, factor].map(Source::Place);
            let to = Destination::Place(place);
            draft.push(Operation::mul(MulOp::Fmul, sources, to));
            place
        };
        let eighths = (short.columns() >= 16).then(|| {
            [2, 6].map(|sixteenths| {
                let number = load(draft, Word::Cosine { sixteenths }, File::B);
                let vector = times(draft, number);
                Eighth { number, vector }
            })
        });
        let quarter = (short.columns() == 8).then(|| times(draft, Place::R5));
        draft.copy(Source::Uniform(Word::StoreStride), Destination::WriteSetup);
        let mut kept = |word, file| load(draft, word, file);
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
            parity: (short.columns() == 32).then(|| Parity::load(draft, back)),
        }
    }

    /// cos π/8 and sin π/8, where they are loaded.
    pub fn numbers(&self) -> Option<[Place; 2]> {
        self.eighths
            .map(|eighths| eighths.map(|eighth| eighth.number))
    }

    /// Sets the flags by which lanes are told, up to the outputs.
    pub fn tell_lanes(&self, draft: &mut Draft<Word>) {
        tell_lanes(draft);
    }

    /// Rows of the VPM into registers: row n in the file that its butterfly wants.
    pub fn read(&self, draft: &mut Draft<Word>) -> [Value; 16] {
        let rows = match &self.parity {
            Some(parity) => parity.read(draft, self.read_setups),
            None => self.read_plain(draft),
        };
        if self.short.is_shared() {
            // Others may be written when all that share the transform have read theirs.
            draft.push(barrier::arrive());
        }
        rows
    }

    fn read_plain(&self, draft: &mut Draft<Word>) -> [Value; 16] {
        let columns = self.short.columns() as usize;
        let rows_each = 16 / self.short.sharers() as usize;
        std::array::from_fn(|row| {
            if row % rows_each == 0
                && let Some(setup) = self.read_setups[row / rows_each]
            {
                draft.copy(Source::Place(setup), Destination::ReadSetup);
            }
            let place = draft.take(Wish::File(file_of(row % columns)));
            draft.copy(Source::Vpm, Destination::Place(place));
            positive(place)
        })
    }

    /// Transforms the rows, and writes the outputs to the VPM in order.
    pub fn transform(&self, draft: &mut Draft<Word>, rows: [Value; 16]) {
        draft.copy(Source::Place(self.output_setup), Destination::WriteSetup);
        match self.short.columns() {
            2 => rows.chunks_exact(2).for_each(|rows| self.two(draft, rows)),
            4 => rows.chunks_exact(4).for_each(|rows| self.four(draft, rows)),
            8 => rows
                .chunks_exact(8)
                .for_each(|rows| self.eight(draft, rows)),
            _ => self.sixteen(draft, &rows),
        }
    }

    /// Turns differences of rows n and n + 16 by W32^n, each where it is; `rows` are those of
    /// [`Second::read`]. Sums are not turned.
    ///
    /// # Panics
    /// Where [`Second::sign`] gives none.
    pub fn turn(&self, draft: &mut Draft<Word>, rows: [Value; 16]) {
        let parity = self.parity.as_ref().expect("loaded for 32 rows");
        let even = self.eighths.expect("loaded for 32 rows");
        for (row, value) in rows.into_iter().enumerate().skip(1) {
            let copy = positive(draft.take(Wish::Accumulator));
            draft.copy(Source::Place(value.place), Destination::Place(copy.place));
            let is_behind = row > 8;
            let signed = |plain: Value| if is_behind { negate(plain) } else { plain };
            let wish = Wish::At(value.place);
            match row.min(16 - row) {
                8 => {
                    exchanged(draft, copy, self.back, wish);
                }
                4 => {
                    let back = exchanged(draft, copy, self.back, Wish::AnyFile);
                    let both = draft.add(back, signed(copy), Wish::Accumulator);
                    draft.multiply(both, Source::Place(Place::R5), wish);
                    draft.give_back_complex([back, both]);
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
                    let back = exchanged(draft, copy, eighth.vector, Wish::File(File::A));
                    let number = Source::Place(eighth.number);
                    let plain = draft.multiply(copy, number, Wish::File(File::B));
                    draft.add(back, signed(plain), wish);
                    draft.give_back_complex([back, plain]);
                }
            }
            draft.give_back(copy.place);
        }
    }

    /// A number that is positive where even outputs are wanted, negative for odd ones; for 32 rows
    /// only.
    pub fn sign(&self) -> Option<Place> {
        self.parity.as_ref().map(|parity| parity.sign)
    }

    /// Sum and difference of two and of two rows, the latter turned back: what four outputs are
    /// sums and differences of, the first and third in `file`. Gives the rows back.
    fn halves(&self, draft: &mut Draft<Word>, x: [Value; 4], file: File) -> Halves {
        let wish = Wish::File(file);
        let other = Wish::File(file.other());
        let sum = draft.add(x[0], x[2], wish);
        let difference = draft.subtract(x[0], x[2], other);
        let odd_sum = draft.add(x[1], x[3], other);
        let odd = draft.subtract(x[1], x[3], Wish::Accumulator);
        for row in x {
            draft.give_back(row.place);
        }
        let turned = exchanged(draft, odd, self.back, wish);
        draft.give_back(odd.place);
        [[sum, odd_sum], [difference, turned]]
    }

    /// Two outputs of two rows.
    fn two(&self, draft: &mut Draft<Word>, rows: &[Value]) {
        write(draft, rows[0], rows[1]);
        write(draft, rows[0], negate(rows[1]));
        for row in rows {
            draft.give_back(row.place);
        }
    }

    fn four(&self, draft: &mut Draft<Word>, rows: &[Value]) {
        let halves = self.halves(draft, [rows[0], rows[1], rows[2], rows[3]], File::A);
        write_in_order(draft, &[halves]);
    }

    fn eight(&self, draft: &mut Draft<Word>, rows: &[Value]) {
        let both = |draft: &mut Draft<Word>, n: usize, wish: Wish| {
            let [x, y] = [rows[n], rows[n + 4]];
            let pair = [
                draft.add(x, y, Wish::File(file_of(n))),
                draft.subtract(x, y, wish),
            ];
            draft.give_back(x.place);
            draft.give_back(y.place);
            pair
        };
        let [a, b] = [File::A, File::B].map(Wish::File);
        let [s0, d0] = both(draft, 0, b);
        let [s2, d2] = both(draft, 2, Wish::Accumulator);
        let turned = exchanged(draft, d2, self.back, a);
        draft.give_back(d2.place);
        let plain = [draft.add(d0, turned, a), draft.subtract(d0, turned, a)];
        draft.give_back(d0.place);
        draft.give_back(turned.place);
        let [s1, d1] = both(draft, 1, a);
        let [s3, d3] = both(draft, 3, b);
        // d1 turned by an eighth and d3 by three: with e and f for their difference and sum, the
        // sum of both is c (e - i f), and their difference turned back c (-i f - e).
        let f = draft.add(d1, d3, Wish::Accumulator);
        let e = draft.subtract(d1, d3, Wish::Accumulator);
        draft.give_back(d1.place);
        draft.give_back(d3.place);
        let quarter = self.quarter.expect("loaded for 8 rows");
        let turned = exchanged(draft, f, quarter, a);
        let scaled = draft.multiply(e, Source::Place(Place::R5), b);
        draft.give_back(f.place);
        draft.give_back(e.place);
        let odd = [
            draft.add(scaled, turned, b),
            draft.subtract(turned, scaled, b),
        ];
        draft.give_back(turned.place);
        draft.give_back(scaled.place);
        let [even, even_odd] = self.halves(draft, [s0, s1, s2, s3], File::A);
        let odds = [0, 1].map(|n| [plain[n], odd[n]]);
        write_in_order(draft, &[[even, even_odd], odds]);
    }

    fn sixteen(&self, draft: &mut Draft<Word>, rows: &[Value; 16]) {
        let mut columns = [[None; 4]; 4];
        for n2 in 0..4 {
            let x = [0, 4, 8, 12].map(|n1| rows[n1 + n2]);
            let halves = self.halves(draft, x, file_of(n2));
            for (k1, column) in columns.iter_mut().enumerate() {
                let [x, y] = halves[k1 % 2];
                let y = if k1 < 2 { y } else { negate(y) };
                let wish = Wish::File(file_of(4 * n2 + k1));
                column[n2] = Some(match n2 * k1 {
                    0 => draft.add(x, y, wish),
                    angle => {
                        let z = draft.add(x, y, Wish::Accumulator);
                        self.turned(draft, z, angle, wish)
                    }
                });
            }
            give_back(draft, &halves);
        }
        if self.short.is_shared() {
            // Rows that others read are written from here on.
            draft.push(barrier::pass(1).after_all());
        }
        let halves: [_; 4] = std::array::from_fn(|k1| {
            let x = columns[k1].map(|z| z.expect("written above"));
            self.halves(draft, x, file_of(k1))
        });
        write_in_order(draft, &halves);
    }

    /// z W16^`angle`; z is in an accumulator, and given back.
    fn turned(&self, draft: &mut Draft<Word>, z: Value, angle: usize, wish: Wish) -> Value {
        let eighths = self.eighths.expect("loaded for 16 rows");
        let result = match angle {
            4 => exchanged(draft, z, self.back, wish),
            2 | 6 => {
                let back = exchanged(draft, z, self.back, Wish::AnyFile);
                let z = if angle == 2 { z } else { negate(z) };
                let sum = draft.add(back, z, Wish::Accumulator);
                let product = draft.multiply(sum, Source::Place(Place::R5), wish);
                draft.give_back(back.place);
                draft.give_back(sum.place);
                product
            }
            1 | 3 | 9 => {
                let [cosine, sine] = if angle == 3 { [1, 0] } else { [0, 1] };
                let back = exchanged(draft, z, eighths[sine].vector, Wish::AnyFile);
                let plain = Source::Place(eighths[cosine].number);
                let plain = draft.multiply(z, plain, Wish::Accumulator);
                let sum = draft.add(plain, back, wish);
                draft.give_back(plain.place);
                draft.give_back(back.place);
                // W16^9 = -W16^1.
                if angle == 9 { negate(sum) } else { sum }
            }
            _ => unreachable!("no product of two numbers below 4"),
        };
        draft.give_back(z.place);
        result
    }

    /// Stores the rows of the unit's transforms; `last` transforms follow its first.
    pub fn store(&self, draft: &mut Draft<Word>, last: Place) {
        let setup = Source::Place(self.store_setup);
        if self.short.transforms() == 1 {
            draft.copy(setup, Destination::WriteSetup);
        } else {
            // Rows of a store are counted from bit 23 on.
            let more = draft.take(Wish::Accumulator);
            let to = Destination::Place(more);
            let most = Source::Small(self.short.transforms() as i32 - 1);
            draft.add_op(AddOp::Min, [Source::Place(last), most], to);
            // The shift is taken modulo 32.
            let shift = Source::Small(23 + self.short.columns().ilog2() as i32 - 32);
            draft.add_op(AddOp::Shl, [Source::Place(more), shift], to);
            let sources = [Source::Place(more), setup];
            draft.add_op(AddOp::Add, sources, Destination::WriteSetup);
            draft.give_back(more);
        }
        draft.copy(Source::Place(self.store), Destination::StoreAddress);
    }
}

impl Parity {
    /// Loads what it needs; `back` is what exchanged parts are multiplied by for -i z.
    fn load(draft: &mut Draft<Word>, back: Place) -> Self {
        let sign = load(draft, Word::Parity, File::B);
        let cosines =
            [1, 3, 5, 7].map(|sixteenths| load(draft, Word::Cosine { sixteenths }, File::B));
        let odd = std::array::from_fn(|index| {
            let vector = draft.take(Wish::File(File::A));
            let sources = [back, cosines[3 - index]].map(Source::Place);
            let to = Destination::Place(vector);
            draft.push(Operation::mul(MulOp::Fmul, sources, to));
            Eighth {
                number: cosines[index],
                vector,
            }
        });
        Self { sign, odd }
    }

    /// Sums of rows n and n + 16, or differences.
    fn read(&self, draft: &mut Draft<Word>, setups: ReadSetups) -> [Value; 16] {
        let [below, above] = setups.map(|setup| setup.expect("loaded for 32 rows"));
        let sums = [0, 8].map(|first| {
            let read = |draft: &mut Draft<Word>, setup| {
                let step = Source::Small(-2 * first as i32);
                let sources = [Source::Place(setup), step];
                draft.add_op(AddOp::Sub, sources, Destination::ReadSetup);
            };
            read(draft, above);
            let rows: [_; 8] = std::array::from_fn(|row| {
                let place = draft.take(Wish::File(file_of(first + row)));
                let sources = [Source::Vpm, Source::Place(self.sign)];
                let to = Destination::Place(place);
                draft.push(Operation::mul(MulOp::Fmul, sources, to));
                place
            });
            read(draft, below);
            rows.map(|place| {
                let sources = [Source::Vpm, Source::Place(place)];
                draft.add_op(AddOp::Fadd, sources, Destination::Place(place));
                positive(place)
            })
        });
        std::array::from_fn(|row| sums[row / 8][row % 8])
    }
}

/// A register with a uniform, negative in even lanes.
fn load_back(draft: &mut Draft<Word>, word: Word) -> Place {
    let back = load(draft, word, File::A);
    let sources = [Source::Small(0), Source::Place(back)];
    let negated = Operation::add(AddOp::Fsub, sources, Destination::Place(back));
    draft.push(negated.when(EVEN));
    back
}

/// z in an accumulator, its parts exchanged and multiplied by a vector.
fn exchanged(draft: &mut Draft<Word>, z: Value, vector: Place, wish: Wish) -> Value {
    let place = draft.take(wish);
    let sources = [z.place, vector].map(Source::Place);
    let product = Operation::mul(MulOp::Fmul, sources, Destination::Place(place));
    draft.push(product.rotated(15));
    draft.push(product.rotated(1).when(ODD));
    Value { place, ..z }
}

/// Sums and differences of two values each.
type Halves = [[Value; 2]; 2];

fn tell_lanes(draft: &mut Draft<Word>) {
    let sources = [Source::Lane, Source::Small(1)];
    draft.add_op_setting_flags(AddOp::And, sources, Destination::Nothing);
}

/// The sum of two values is the next row of the VPM.
fn write(draft: &mut Draft<Word>, x: Value, y: Value) {
    draft.add_into(x, y, Destination::Vpm);
}

/// Writes four outputs for each: sums of the first of all, of the second, and the differences.
/// Gives them back.
fn write_in_order(draft: &mut Draft<Word>, halves: &[Halves]) {
    for output in 0..4 {
        for halves in halves {
            let [x, y] = halves[output % 2];
            write(draft, x, if output < 2 { y } else { negate(y) });
        }
    }
    for halves in halves {
        give_back(draft, halves);
    }
}

fn give_back(draft: &mut Draft<Word>, halves: &Halves) {
    for value in halves.iter().flatten() {
        draft.give_back(value.place);
    }
}

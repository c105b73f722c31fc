//! What first and only passes share: the caller's rows, and the transform across groups of lanes.
//!
//! A vector holds the points of R/16 rows: row R/16 m + r in the lanes of group g, r = g with its bits
//! reversed. Output k_lo of row r is turned by W_R^(r k_lo), and comes out negative where r has an odd
//! number of bits. Then groups that differ in one bit of g, the lowest first, become sum and difference:
//! x + s (x of the other group), s = -1 where the bit is clear and +1 where it is set. Between two
//! steps of 64 points the last group is turned by a quarter, of 128 points groups by eighths. Output k_hi = g.

use super::Word;
use super::codelet::{Codelet, Lookup};
use super::columns::{self, AHEAD, Column};
use super::frame::{Frame, Source};
use super::samples::Conversion;
use crate::fft::Role;
use crate::fft::program::{Kind, Lanes, Record, Row, Samples, Start};
use crate::generate::fft::dft16::{Butterfly, file_of};
use crate::generate::fft::draft::{Complex, Draft, Value, Wish, positive};
use crate::generate::schedule::{Destination, Operation, Place};
use crate::isa::{AddOp, Cond, File, MulOp};

/// What is loaded at the start.
pub struct Loaded {
    /// What r5 is for the transform across lanes, where it is something else before.
    sign: Option<Place>,
    radix: u16,
    sharers: u8,
    role: Role,
    input: Place,
    ends: Input,
    /// Of only passes from 64 points, and where there are factors: 4 · lane.
    words: Option<Place>,
    /// Of 64 points: what flags are set from, and -1.0 in lanes 0..8, 1.0 in the others.
    steps: Option<[Place; 2]>,
    /// Of 128 points: factors before the second and the third step.
    eighths: Option<[[Place; 2]; 2]>,
}

/// What is done with points as they are looked up.
#[derive(Clone, Copy)]
enum Input {
    /// Imaginary parts are multiplied by this: 1.0 or -1.0.
    Conjugated(Place),
    /// Imaginary parts are multiplied by the first; of odd vectors real parts by the second and imaginary
    /// parts by the third: (-1)^(a m) shifts the outputs by half where a = 1 ([`crate::fft::tile`]).
    Alternated([Place; 3]),
    /// They are samples.
    Converted(Conversion),
}

/// The input side of a codelet.
pub struct Points {
    pub codelet: Codelet,
    /// What r5 becomes when all points are there.
    sign: Option<Place>,
    radix: u16,
    role: Role,
    /// Addresses of the unit's lanes.
    input: Place,
    ends: Input,
    /// Where turns are looked up: 4 · lane, or in first passes addresses of twiddles of the unit's lanes.
    turns: Option<Place>,
    /// Of 64 points: -1.0 in lanes 0..8, 1.0 in the others.
    halves: Option<Place>,
    /// Factors before the second and the third step of eight groups.
    eighths: Option<[[Place; 2]; 2]>,
    /// Whether all points are there.
    has_ended: bool,
}

/// r5: -1.0 in lanes 0..8, +1.0 in lanes 8..16.
pub fn halves_sign(draft: &mut Draft<Word>) {
    sign_of_bit(draft, 3, Destination::Place(Place::R5));
}

/// 4 · lane.
fn word_offsets(draft: &mut Draft<Word>) -> Place {
    let offsets = draft.take(Wish::AnyFile);
    let sources = [Source::Lane, Source::Small(2)];
    draft.add_op(AddOp::Shl, sources, Destination::Place(offsets));
    offsets
}

/// -1.0 in lanes where a bit of the lane's number is clear, +1.0 where it is set.
fn sign_of_bit(draft: &mut Draft<Word>, bit: i32, result: Destination) {
    let sign = draft.take(Wish::Accumulator);
    let to = Destination::Place(sign);
    // (lane / 2^bit mod 2) · 2 - 1.
    let steps = [
        (AddOp::Shr, Source::Lane, Source::Small(bit)),
        (AddOp::And, Source::Place(sign), Source::Small(1)),
        (AddOp::Shl, Source::Place(sign), Source::Small(1)),
        (AddOp::Sub, Source::Place(sign), Source::Small(1)),
        (AddOp::Itof, Source::Place(sign), Source::Place(sign)),
    ];
    for (op, a, b) in steps {
        draft.add_op(op, [a, b], to);
    }
    draft.copy(Source::Place(sign), result);
    draft.give_back(sign);
}

/// What, moved up by one bit, sets flags by quad: N where the quad is even, C in the upper two, Z in the last.
fn quad_flags(draft: &mut Draft<Word>) -> Place {
    let [high, low] = [0, 1].map(|_| draft.take(Wish::Accumulator));
    let place = draft.take(Wish::File(File::A));
    let [h, l] = [high, low].map(Source::Place);
    let [to_h, to_l] = [high, low].map(Destination::Place);
    // Quad with its lowest bit exchanged: 1 0 3 2 in the uppermost bits, and a bit below in the one that is 0.
    draft.add_op(AddOp::Shr, [Source::Lane, Source::Small(2)], to_h);
    draft.add_op(AddOp::Xor, [h, Source::Small(1)], to_h);
    draft.add_op(AddOp::Clz, [h, h], to_l);
    draft.add_op(AddOp::Shr, [l, Source::Small(5)], to_l);
    draft.add_op(AddOp::Shl, [h, Source::Small(15)], to_h);
    draft.add_op(AddOp::Shl, [h, Source::Small(15)], to_h);
    draft.add_op(AddOp::Or, [h, l], Destination::Place(place));
    draft.give_back(high);
    draft.give_back(low);
    place
}

/// Factors by group of two lanes: W_4 in groups 3 and 7, and W_8^(g - 4) in groups 4 to 7.
fn group_factors(draft: &mut Draft<Word>) -> [[Place; 2]; 2] {
    let half = core::f32::consts::FRAC_1_SQRT_2;
    let group = draft.take(Wish::Accumulator);
    let sources = [Source::Lane, Source::Small(1)];
    draft.add_op(AddOp::Shr, sources, Destination::Place(group));
    let turns: [&[(i32, f32, f32)]; 2] = [
        &[(3, 0.0, 1.0), (7, 0.0, 1.0)],
        &[(5, half, half), (6, 0.0, 1.0), (7, -half, half)],
    ];
    let factors = turns.map(|turns| {
        let places = [1.0f32, 0.0].map(|value| {
            let place = draft.take(Wish::File(File::B));
            let to = [Destination::Place(place), Destination::Nothing];
            draft.immediate(value.to_bits(), to);
            place
        });
        for &(g, cos, sin) in turns {
            let sources = [Source::Place(group), Source::Small(g)];
            draft.add_op_setting_flags(AddOp::Sub, sources, Destination::Nothing);
            for (place, value) in places.into_iter().zip([cos, sin]) {
                let to = [Destination::Place(place), Destination::Nothing];
                draft.push(Operation::immediate(value.to_bits(), to).when(Cond::ZS));
            }
        }
        places
    });
    draft.give_back(group);
    factors
}

/// Which layers of a program are routines: the loop would not fit the instruction cache of a slice otherwise.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Routines {
    /// None.
    None,
    /// The first two ([`super::columns`]).
    Columns,
    /// All ([`super::groups`], too).
    ColumnsAndGroups,
}

impl Routines {
    /// Of first and only passes that share no tiles.
    pub fn of(kind: Kind) -> Self {
        match (kind.role, kind.radix, kind.samples) {
            (_, 128, _) | (Role::First, 64, Samples::Bytes) => Self::ColumnsAndGroups,
            (Role::Only, 64, Samples::Points) => Self::None,
            (_, 64, _) | (Role::First, 32, Samples::Bytes) => Self::Columns,
            _ => Self::None,
        }
    }
}

impl Points {
    /// The codelet's draft.
    pub fn draft(&mut self) -> &mut Draft<Word> {
        &mut self.codelet.frame.draft
    }

    /// Writes what belongs to the start.
    pub fn start(frame: &mut Frame, kind: Kind) -> Loaded {
        let input = frame.lanes(Lanes::Input);
        let is_turned = kind.radix >= 64 && kind.role == Role::Only;
        let has_factors = kind.samples != Samples::Points;
        let words = (is_turned || has_factors).then(|| word_offsets(&mut frame.draft));
        let ends = match Conversion::start(frame, kind, words) {
            Some(conversion) => Input::Converted(conversion),
            None if kind.sharers > 1 => {
                let shift = Start::Sharer {
                    bit: (kind.sharers / 2).ilog2() as u8,
                };
                let [conjugate, sign] = [Start::Conjugate, shift].map(|word| frame.number(word));
                let both = frame.number_times(conjugate, shift);
                Input::Alternated([conjugate, sign, both])
            }
            None => Input::Conjugated(frame.number(Start::Conjugate)),
        };
        let draft = &mut frame.draft;
        let (mut steps, mut eighths) = (None, None);
        match kind.own_radix() {
            16 => {}
            32 => halves_sign(draft),
            64 => {
                let halves = draft.take(Wish::File(File::A));
                sign_of_bit(draft, 3, Destination::Place(halves));
                sign_of_bit(draft, 2, Destination::Place(Place::R5));
                steps = Some([quad_flags(draft), halves]);
            }
            128 => eighths = Some(group_factors(draft)),
            radix => panic!("no transform across lanes for {radix} points"),
        }
        let is_shared =
            |ends| matches!(ends, Input::Converted(conversion) if conversion.takes_r5());
        let sign = (is_shared(ends) && matches!(kind.radix, 32 | 64)).then(|| {
            let sign = draft.take(Wish::AnyFile);
            draft.copy(Source::Place(Place::R5), Destination::Place(sign));
            sign
        });
        Loaded {
            sign,
            radix: kind.own_radix(),
            sharers: kind.sharers,
            role: kind.role,
            input,
            ends,
            words,
            steps,
            eighths,
        }
    }

    /// Looks a row of the caller's points up, into r4.
    fn row(&mut self, vector: u8, component: u8) -> Value {
        let word = Word::Row(Row::Input { vector, component });
        self.codelet.fetch(self.input, word)
    }

    /// Sum and difference of points n and n + 8.
    pub fn butterfly(&mut self, n: usize) -> Butterfly {
        let wish = [n, n + 8].map(|n| Wish::File(file_of(n)));
        let factors = match self.ends {
            Input::Conjugated(conjugate) => [None, Some(conjugate)],
            Input::Alternated([conjugate, _, _]) if n.is_multiple_of(2) => [None, Some(conjugate)],
            Input::Alternated([_, sign, both]) => [Some(sign), Some(both)],
            Input::Converted(conversion) => return self.converted(conversion, n, wish),
        };
        let factors = factors.map(|factor| factor.map(Source::Place));
        let x = [0, 1].map(|component| {
            let fetched = self.row(n as u8, component);
            let draft = &mut self.codelet.frame.draft;
            if let Some(factor) = factors[usize::from(component)] {
                return draft.multiply(fetched, factor, Wish::AnyFile);
            }
            let place = draft.take(Wish::AnyFile);
            draft.copy(Source::Place(fetched.place), Destination::Place(place));
            positive(place)
        });
        self.codelet.vectors += 1;
        let both = [0, 1].map(|component| {
            let mut y = self.row(n as u8 + 8, component);
            let draft = &mut self.codelet.frame.draft;
            if let Some(factor) = factors[usize::from(component)] {
                y = draft.multiply(y, factor, Wish::Accumulator);
            }
            let x = x[usize::from(component)];
            let sum = draft.add(x, y, wish[0]);
            let difference = draft.subtract(x, y, wish[1]);
            draft.give_back(y.place);
            [sum, difference]
        });
        self.codelet.vectors += 1;
        self.codelet.frame.draft.give_back_complex(x);
        [0, 1].map(|which| both.map(|pair| pair[which]))
    }

    /// [`Points::butterfly`] of samples.
    fn converted(&mut self, conversion: Conversion, n: usize, wish: [Wish; 2]) -> Butterfly {
        let mut point = |n: usize, wish| {
            let mut lookups = conversion.lookups(self.input, n as u8).into_iter();
            let mut fetch = |points: &mut Self| {
                let lookup = lookups.next().expect("as many as are fetched");
                points.codelet.fetch_by_either(lookup)
            };
            let point = conversion.point(self, n as u8, wish, &mut fetch);
            self.codelet.vectors += 1;
            point
        };
        let x = point(n, Wish::AnyFile);
        let y = point(n + 8, Wish::Accumulator);
        let draft = &mut self.codelet.frame.draft;
        let both = [0, 1].map(|part| {
            [
                draft.add(x[part], y[part], wish[0]),
                draft.subtract(x[part], y[part], wish[1]),
            ]
        });
        draft.give_back_complex(x);
        draft.give_back_complex(y);
        [0, 1].map(|which| both.map(|pair| pair[which]))
    }

    /// Where [`Points::across`] takes outputs from.
    pub fn wish(&self) -> Wish {
        match self.radix {
            // To be moved across lanes.
            32 => Wish::Accumulator,
            _ => Wish::AnyFile,
        }
    }

    /// See [`columns::columns`]; what follows looks these words up first.
    pub fn columns(&mut self, behind: [Word; AHEAD]) -> [[Complex; 4]; 4] {
        self.codelet.frame.without_constants();
        let lanes = self.turns();
        let behind = behind.map(|word| Lookup { lanes, word });
        columns::columns(self, Some(behind))
    }

    /// All points are there. Of samples and in tiles, gives back the addresses at which they were looked up.
    pub fn end_input(&mut self) {
        if core::mem::replace(&mut self.has_ended, true) {
            return;
        }
        let draft = &mut self.codelet.frame.draft;
        if let Input::Alternated(_) = self.ends {
            draft.give_back(self.input);
        }
        if let Input::Converted(conversion) = self.ends {
            draft.give_back(self.input);
            draft.give_back(conversion.factors());
        }
        if let Some(sign) = self.sign {
            draft.copy(Source::Place(sign), Destination::Place(Place::R5));
        }
    }

    /// The transform across groups of lanes.
    pub fn across(&mut self, output: u8, z: Complex) -> Complex {
        match self.radix {
            16 => z,
            32 => self.across_2(output, z),
            _ => {
                let z = self.turned(output, z);
                // In first passes it is multiplied by twiddles in file B.
                let wish = match self.role {
                    Role::First => Wish::File(File::A),
                    _ => Wish::AnyFile,
                };
                self.across_turned_to(z, [wish; 2])
            }
        }
    }

    /// The same of outputs in accumulators which are turned already, for twiddles in file B: of 32 rows and more.
    pub fn across_turned(&mut self, z: Complex) -> Complex {
        self.across_turned_to(z, [Wish::File(File::A); 2])
    }

    /// The same, each part where it is wished.
    pub fn across_turned_to(&mut self, z: Complex, wishes: [Wish; 2]) -> Complex {
        match self.radix {
            32 => [0, 1].map(|part| self.codelet.add_moved(z[part], 8, wishes[part])),
            64 => self.across_4(z, wishes),
            _ => self.across_8(z, wishes),
        }
    }

    fn across_2(&mut self, output: u8, z: Complex) -> Complex {
        if output == 0 {
            return z.map(|part| self.codelet.half_sums(part, Wish::AnyFile));
        }
        let turn = |component| Word::Row(Row::Turn { output, component });
        self.codelet.turn_some(z, Cond::ZC, turn(0), turn(1));
        z.map(|part| self.codelet.add_moved(part, 8, Wish::AnyFile))
    }

    /// Where turns are looked up.
    pub fn turns(&self) -> Place {
        self.turns
            .expect("loaded where outputs are turned by what is looked up")
    }

    /// The word at which what output k is turned by is looked up before it goes across lanes: from 64 points on, in
    /// first passes with a part of the twiddles.
    pub fn turn_of(&self, k: usize, component: usize) -> Word {
        let (output, component) = (k as u8, component as u8);
        Word::Row(match self.role {
            Role::First => Row::Before { output, component },
            _ => Row::TurnVector { output, component },
        })
    }

    /// z turned by that. Gives back z.
    fn turned(&mut self, output: u8, z: Complex) -> Complex {
        let lanes = self.turns();
        let words = [0, 1].map(|component| self.turn_of(output.into(), component));
        let factor = |codelet: &mut Codelet, component| {
            let word = words[usize::from(component)];
            Source::Place(codelet.fetch_by_either(Lookup { lanes, word }).place)
        };
        let codelet = &mut self.codelet;
        if output > 0 {
            return codelet.turn_looked_up(z, factor, Wish::Accumulator);
        }
        let sign = factor(codelet, 0);
        codelet.drop_component();
        codelet.vectors += 1;
        let draft = &mut codelet.frame.draft;
        let signed = z.map(|part| draft.multiply(part, sign, Wish::Accumulator));
        draft.give_back_complex(z);
        signed
    }

    /// z turned by what is on its way. Gives back z.
    pub fn turned_by_asked(&mut self, z: Complex) -> Complex {
        let factor = |codelet: &mut Codelet, _| {
            let fetched = codelet.fetch_asked().expect("asked for");
            Source::Place(fetched.place)
        };
        self.codelet.turn_looked_up(z, factor, Wish::Accumulator)
    }

    /// Three steps; flags are set anew for each.
    fn across_8(&mut self, mut z: Complex, wishes: [Wish; 2]) -> Complex {
        let eighths = self.eighths.expect("loaded for 128 points");
        for (step, lanes) in [2, 4, 8].into_iter().enumerate() {
            let draft = &mut self.codelet.frame.draft;
            if step > 0 {
                let [cos, sin] = eighths[step - 1].map(|place| [Source::Place(place); 2]);
                z = draft.turn(z, cos, sin, Wish::Accumulator);
            }
            let sources = [Source::Lane, Source::Small(lanes)];
            draft.add_op_setting_flags(AddOp::And, sources, Destination::Nothing);
            z = [0, 1].map(|component| {
                let part = z[component];
                let moved = draft.take(Wish::Accumulator);
                let copy = [Source::Place(part.place); 2];
                let copy = Operation::mul(MulOp::V8min, copy, Destination::Place(moved));
                draft.push(copy.rotated(16 - lanes as u8));
                if lanes < 8 {
                    draft.push(copy.rotated(lanes as u8).when(Cond::ZC));
                }
                // Factors are in file B.
                let wish = if lanes < 8 {
                    Wish::File(File::A)
                } else {
                    wishes[component]
                };
                let to = draft.take(wish);
                let sources = [part.place, moved].map(Source::Place);
                let result = Destination::Place(to);
                draft.push(Operation::add(AddOp::Fsub, sources, result).when(Cond::ZS));
                draft.push(Operation::add(AddOp::Fadd, sources, result).when(Cond::ZC));
                draft.give_back(moved);
                draft.give_back(part.place);
                positive(to)
            });
        }
        z
    }

    /// Two steps.
    fn across_4(&mut self, z: Complex, wishes: [Wish; 2]) -> Complex {
        let halves = self.halves.expect("loaded for 64 points");
        let codelet = &mut self.codelet;
        let draft = &mut codelet.frame.draft;
        // Groups of even and odd g: the other one is 4 lanes up or down.
        let y = z.map(|part| {
            let moved = positive(draft.take(Wish::Accumulator));
            let sources = [part.place, Place::R5].map(Source::Place);
            let product = Operation::mul(MulOp::Fmul, sources, Destination::Place(moved.place));
            draft.push(product.rotated(12));
            draft.push(product.rotated(4).when(Cond::NC));
            let sum = draft.add(part, moved, Wish::Accumulator);
            draft.give_back(moved.place);
            draft.give_back(part.place);
            sum
        });
        // -i in the last group.
        let [re, im] = y.map(|part| Source::Place(part.place));
        let [to_re, to_im] = y.map(|part| Destination::Place(part.place));
        let kept = draft.take(Wish::File(File::A));
        draft.copy(re, Destination::Place(kept));
        draft.push(Operation::copy(im, to_re).when(Cond::ZS));
        let sources = [Source::Small(0), Source::Place(kept)];
        draft.push(Operation::add(AddOp::Fsub, sources, to_im).when(Cond::ZS));
        draft.give_back(kept);
        // Lower and upper half.
        [0, 1].map(|component| {
            let part = y[component];
            let moved = positive(draft.take(Wish::Accumulator));
            let sources = [part.place, halves].map(Source::Place);
            let product = Operation::mul(MulOp::Fmul, sources, Destination::Place(moved.place));
            draft.push(product.rotated(8));
            let sum = draft.add(part, moved, wishes[component]);
            draft.give_back(moved.place);
            draft.give_back(part.place);
            sum
        })
    }
}

impl Column for Points {
    fn codelet(&mut self) -> &mut Codelet {
        &mut self.codelet
    }

    fn lookups(&self, m: u8) -> Vec<Lookup> {
        if let Input::Converted(conversion) = self.ends {
            return conversion.lookups(self.input, m);
        }
        let lookup = |component| Lookup {
            lanes: self.input,
            word: Word::Row(Row::Input {
                vector: m,
                component,
            }),
        };
        [0, 1].map(lookup).to_vec()
    }

    fn in_a_row(&self) -> usize {
        match self.ends {
            Input::Converted(conversion) => conversion.in_a_row(),
            Input::Conjugated(_) | Input::Alternated(_) => 2,
        }
    }

    fn point(&mut self, m: u8, wish: Wish, fetch: &mut impl FnMut(&mut Self) -> Value) -> Complex {
        let conjugate = match self.ends {
            Input::Converted(conversion) => return conversion.point(self, m, wish, fetch),
            Input::Conjugated(conjugate) => conjugate,
            Input::Alternated(_) => unreachable!("columns of tiles are not alike"),
        };
        let re = fetch(self);
        let draft = self.draft();
        let place = draft.take(wish);
        draft.copy(Source::Place(re.place), Destination::Place(place));
        let im = fetch(self);
        let draft = self.draft();
        let im = draft.multiply(im, Source::Place(conjugate), wish);
        [positive(place), im]
    }

    fn end_input(&mut self) {
        self.end_input();
    }
}

impl Loaded {
    /// Reads what the record says of the input; what follows reads the row list. `twiddle` has addresses of
    /// twiddles of the unit's lanes, in first passes.
    pub fn begin_unit(self, mut frame: Frame, twiddle: Option<Place>) -> Points {
        let input = frame.base(Record::Input, self.input);
        let ends = match self.ends {
            Input::Converted(conversion) => Input::Converted(conversion.begin_unit(&mut frame)),
            conjugated => conjugated,
        };
        frame.rows();
        let sources = match self.steps {
            Some([flags, _]) => Some((AddOp::Shl, [Source::Place(flags), Source::Small(1)])),
            None if self.radix == 32 && self.sharers == 1 => {
                Some((AddOp::And, [Source::Lane, Source::Small(8)]))
            }
            _ => None,
        };
        if let Some((op, sources)) = sources {
            frame
                .draft
                .add_op_setting_flags(op, sources, Destination::Nothing);
        }
        if let Input::Converted(conversion) = ends
            && conversion.takes_r5()
        {
            let middle = Source::Uniform(Word::Row(Row::Middle));
            frame.draft.copy(middle, Destination::Place(Place::R5));
        }
        Points {
            codelet: Codelet::new(frame),
            sign: self.sign,
            radix: self.radix,
            input,
            ends,
            turns: twiddle.or(self.words),
            halves: self.steps.map(|[_, halves]| halves),
            role: self.role,
            eighths: self.eighths,
            has_ended: false,
        }
    }
}

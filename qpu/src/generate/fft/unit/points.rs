//! The caller's points, as first and only passes read them: taken as they are, or converted.
//!
//! They come one after the other, two for each butterfly of the first layer, or in columns that are
//! alike.

use super::Word;
use super::across::Across;
use super::codelet::AHEAD;
use super::codelet::{Codelet, Lookup};
use super::columns::{self, Column};
use super::frame::{Frame, Source};
use super::samples::Conversion;
use crate::fft::Role;
use crate::fft::points::{Record, Row};
use crate::fft::program::{Kind, Lanes, Samples, Start};
use crate::generate::fft::dft16::{Butterfly, file_of};
use crate::generate::fft::draft::{Complex, Draft, Value, Wish, positive};
use crate::generate::schedule::{Destination, Operation, Place};
use crate::isa::{AddOp, MulOp};

/// Values that are loaded at the start.
pub struct Loaded {
    /// The value of r5 for the transform across lanes, where r5 is something else before.
    sign: Option<Place>,
    input: Place,
    ends: Input,
    across: Across,
    /// See [`Loaded::looks_ahead`].
    ahead: Option<Place>,
}

/// The treatment of points as they are looked up.
#[derive(Clone, Copy)]
enum Input {
    /// Imaginary parts are multiplied by this: 1.0 or -1.0.
    Conjugated(Place),
    /// Multiplied as conjugated ones by the first, and for odd vectors both parts by -1 where a =
    /// 1: (-1)^(a m) shifts the outputs by half ([`crate::fft::tile`]). The others are the factors
    /// of both parts of a column's points.
    Alternated(Place, [Place; 2]),
    /// They are samples.
    Converted(Conversion),
}

/// The input side of a codelet.
pub struct Points {
    pub codelet: Codelet,
    /// The transform that comes behind those in the lanes.
    pub across: Across,
    /// The value that r5 gets when all points are there.
    sign: Option<Place>,
    /// Addresses of the unit's lanes.
    input: Place,
    ends: Input,
    /// True if all points are there.
    has_ended: bool,
}

/// 4 · lane.
fn word_offsets(draft: &mut Draft<Word>) -> Place {
    let offsets = draft.take(Wish::AnyFile);
    let sources = [Source::Lane, Source::Small(2)];
    draft.add_op(AddOp::Shl, sources, Destination::Place(offsets));
    offsets
}

/// The layers of a program that are routines: the loop would not fit the instruction cache of a
/// slice otherwise.
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
    /// The routines of first and only passes that share no tiles.
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

    /// Addresses of the unit's lanes.
    pub const fn input(&self) -> Place {
        self.input
    }

    /// Writes what belongs to the start.
    pub fn start(frame: &mut Frame, kind: Kind) -> Loaded {
        let input = frame.lanes(Lanes::Input);
        let is_turned = kind.radix >= 64 && kind.role == Role::Only;
        let words = is_turned.then(|| word_offsets(&mut frame.draft));
        let ends = match Conversion::start(frame, kind) {
            Some(conversion) => Input::Converted(conversion),
            None if kind.sharers > 1 => {
                let conjugate = frame.number(Start::Conjugate);
                let factors = [(); 2].map(|()| frame.draft.take(Wish::AnyFile));
                Input::Alternated(conjugate, factors)
            }
            None => Input::Conjugated(frame.number(Start::Conjugate)),
        };
        let draft = &mut frame.draft;
        let across = Across::start(draft, kind, words);
        let is_shared =
            |ends| matches!(ends, Input::Converted(conversion) if conversion.takes_r5());
        let sign = (is_shared(ends) && matches!(kind.radix, 32 | 64)).then(|| {
            let sign = draft.take(Wish::AnyFile);
            draft.copy(Source::Place(Place::R5), Destination::Place(sign));
            sign
        });
        Loaded {
            sign,
            input,
            ends,
            across,
            ahead: None,
        }
    }

    /// Looks a row of the caller's points up, into r4.
    fn row(&mut self, vector: u8, component: u8) -> Value {
        let word = Word::row(Row::Input { vector, component });
        self.codelet.fetch(self.input, word)
    }

    /// Sum and difference of points n and n + 8.
    pub fn butterfly(&mut self, n: usize) -> Butterfly {
        let wish = [n, n + 8].map(|n| Wish::File(file_of(n)));
        let conjugate = match self.ends {
            Input::Conjugated(conjugate) => Source::Place(conjugate),
            Input::Alternated(..) => unreachable!("points of tiles come in columns"),
            Input::Converted(conversion) => return self.converted(conversion, n, wish),
        };
        let x = [0, 1].map(|component| {
            let fetched = self.row(n as u8, component);
            let draft = &mut self.codelet.frame.draft;
            if component == 1 {
                return draft.multiply(fetched, conjugate, Wish::AnyFile);
            }
            let place = draft.take(Wish::AnyFile);
            draft.copy(Source::Place(fetched.place), Destination::Place(place));
            positive(place)
        });
        self.codelet.vectors += 1;
        let both = [0, 1].map(|component| {
            let mut y = self.row(n as u8 + 8, component);
            let draft = &mut self.codelet.frame.draft;
            if component == 1 {
                y = draft.multiply(y, conjugate, Wish::Accumulator);
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
            let point = conversion.point(self, wish, &mut fetch);
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

    /// See [`columns::columns`]; what follows looks these words up first.
    pub fn columns(&mut self, behind: [Word; AHEAD]) -> [[Complex; 4]; 4] {
        self.codelet.frame.without_constants();
        let lanes = self.across.turns();
        let behind = behind.map(|word| Lookup { lanes, word });
        columns::columns(self, Some(behind))
    }

    /// All points are there. Of samples and in tiles, gives back the addresses at which they were
    /// looked up.
    pub fn end_input(&mut self) {
        if core::mem::replace(&mut self.has_ended, true) {
            return;
        }
        let draft = &mut self.codelet.frame.draft;
        if let Input::Alternated(_, factors) = self.ends {
            draft.give_back(self.input);
            factors.iter().for_each(|&factor| draft.give_back(factor));
        }
        if let Input::Converted(conversion) = self.ends {
            draft.give_back(self.input);
            draft.give_back(conversion.factors());
        }
        if let Some(sign) = self.sign {
            draft.copy(Source::Place(sign), Destination::Place(Place::R5));
        }
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
            word: Word::row(Row::Input {
                vector: m,
                component,
            }),
        };
        [0, 1].map(lookup).to_vec()
    }

    fn in_a_row(&self) -> usize {
        match self.ends {
            Input::Converted(conversion) => conversion.in_a_row(),
            Input::Conjugated(_) => 2,
            // Both components at the same time: they are in the same lines.
            Input::Alternated(..) => 1,
        }
    }

    fn begin_column(&mut self, n2: u8) {
        let Input::Alternated(conjugate, [re, im]) = self.ends else {
            return;
        };
        let draft = self.draft();
        let sign = draft.take(Wish::Accumulator);
        let word = Row::Part {
            vector: n2,
            component: 0,
        };
        draft.copy(Source::Uniform(Word::row(word)), Destination::Place(sign));
        draft.copy(Source::Place(sign), Destination::Place(re));
        let sources = [conjugate, sign].map(Source::Place);
        let to = Destination::Place(im);
        draft.push(Operation::mul(MulOp::Fmul, sources, to));
        draft.give_back(sign);
    }

    fn point(&mut self, _: u8, wish: Wish, fetch: &mut impl FnMut(&mut Self) -> Value) -> Complex {
        let conjugate = match self.ends {
            Input::Converted(conversion) => return conversion.point(self, wish, fetch),
            Input::Conjugated(conjugate) => conjugate,
            Input::Alternated(_, factors) => {
                return factors.map(|factor| {
                    let part = fetch(self);
                    self.draft().multiply(part, Source::Place(factor), wish)
                });
            }
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
    /// Lane offsets of rows.
    pub const fn lanes(&self) -> Place {
        self.input
    }

    /// Units find where their rows are in `ahead`, and leave there where those of the next one are.
    pub fn looks_ahead(&mut self, ahead: Place) {
        self.ahead = Some(ahead);
    }

    /// Reads what the record says of the input; what follows reads the row list. `twiddle` has
    /// addresses of twiddles of the unit's lanes, in first passes.
    pub fn begin_unit(self, mut frame: Frame, twiddle: Option<Place>) -> Points {
        let input = match self.ahead {
            Some(ahead) => frame.base_ahead(self.input, ahead),
            None => frame.base(Record::Input, self.input),
        };
        let ends = match self.ends {
            Input::Converted(conversion) => Input::Converted(conversion.begin_unit(&mut frame)),
            conjugated => conjugated,
        };
        frame.rows();
        let across = self.across.begin_unit(&mut frame.draft, twiddle);
        if let Input::Converted(conversion) = ends
            && conversion.takes_r5()
        {
            let middle = Source::Uniform(Word::row(Row::Middle));
            frame.draft.copy(middle, Destination::Place(Place::R5));
        }
        Points {
            codelet: Codelet::new(frame),
            across,
            sign: self.sign,
            input,
            ends,
            has_ended: false,
        }
    }
}

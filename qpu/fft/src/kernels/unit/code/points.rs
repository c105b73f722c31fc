//! The caller's points, as first and single passes read them: taken as they are, or converted.
//!
//! They come one after the other, two for each butterfly of the first layer, or in columns that are
//! alike.

use super::across::Across;
use super::codelet::{AHEAD, Codelet, Lookup, sums, wishes_of_butterfly};
use super::routines::{self, Column};
use super::samples::{Conversion, OpListOwner};
use crate::Role;
use crate::codelet::op_list::{Complex, OpList, Value, Wish, positive};
use crate::codelet::radix16::Butterfly;
use crate::kernels::program::{Kind, Lanes, Samples, Start};
use crate::kernels::unit::uniforms::{Record, Row};
use crate::kernels::unit_loop::{Source, UnitProgram, Word, lane_offsets};
use qpu::generate::schedule::{Operation, Place};
use qpu::isa::MulOp;

/// The treatment of points as they are looked up.
#[derive(Clone, Copy)]
enum Input {
    /// Imaginary parts are multiplied by this: 1.0 or -1.0.
    Conjugated(Place),
    /// Multiplied as conjugated ones by the first, and for odd vectors both parts by -1 where a =
    /// 1: (-1)^(a m) shifts the outputs by half ([`crate::kernels::tile::layout`]). The others
    /// are the factors of both parts of a column's points.
    Alternated(Place, [Place; 2]),
    /// They are samples.
    Converted(Conversion),
}

/// The input side of a codelet.
pub struct Points {
    pub codelet: Codelet,
    /// The transform that comes behind those in the lanes.
    pub across: Across,
    /// The value that r5 gets when all points are there, for the transform across lanes.
    sign: Option<Place>,
    /// Lane offsets of rows; in a unit, addresses of its lanes.
    pub input: Place,
    ends: Input,
    /// True if all points are there.
    has_ended: bool,
}

impl OpListOwner for Points {
    fn ops(&mut self) -> &mut OpList<Word> {
        Self::ops(self)
    }
}

impl Points {
    /// The codelet's op list.
    pub fn ops(&mut self) -> &mut OpList<Word> {
        &mut self.codelet.program.ops
    }

    /// Writes what belongs to the start of the program.
    pub fn start(mut program: UnitProgram, kind: Kind) -> Self {
        let input = program.lanes(Lanes::Input);
        let is_multiplied = kind.radix >= 64 && kind.role == Role::Single;
        let words = is_multiplied.then(|| lane_offsets(&mut program.ops, 2, Wish::AnyFile));
        let ends = match Conversion::start(&mut program, kind) {
            Some(conversion) => Input::Converted(conversion),
            None if kind.sharers > 1 => {
                let conjugate = program.number(Start::Conjugate);
                let factors = [(); 2].map(|()| program.ops.take(Wish::AnyFile));
                Input::Alternated(conjugate, factors)
            }
            None => Input::Conjugated(program.number(Start::Conjugate)),
        };
        let ops = &mut program.ops;
        let across = Across::start(ops, kind, words);
        let sign = (kind.samples == Samples::Bytes && matches!(kind.radix, 32 | 64))
            .then(|| ops.load(Place::R5, Wish::AnyFile));
        Self {
            codelet: Codelet::new(program),
            across,
            sign,
            input,
            ends,
            has_ended: false,
        }
    }

    /// Reads what the record says of the input; what follows reads the row list. `twiddle` has
    /// addresses of twiddles of the unit's lanes, in first passes. The address of rows may be in
    /// `ahead`, where that of the next unit then is.
    pub fn begin_unit(&mut self, twiddle: Option<Place>, ahead: Option<Place>) {
        let program = &mut self.codelet.program;
        self.input = match ahead {
            Some(ahead) => program.base_ahead(self.input, ahead),
            None => program.base(Record::Input, self.input),
        };
        if let Input::Converted(conversion) = &mut self.ends {
            conversion.factors = program.base(Record::Factors, conversion.factors);
        }
        program.rows();
        self.across.begin_unit(&mut program.ops, twiddle);
        if matches!(self.ends, Input::Converted(conversion) if conversion.takes_r5()) {
            let middle = Source::Uniform(Word::row(Row::Middle));
            program.ops.copy(middle, Place::R5);
        }
    }

    /// Sum and difference of points n and n + 8.
    pub fn butterfly(&mut self, n: usize) -> Butterfly {
        let conversion = match self.ends {
            Input::Conjugated(conjugate) => {
                return self.codelet.butterfly(self.input, n, Some(conjugate));
            }
            Input::Alternated(..) => unreachable!("points of tiles come in columns"),
            Input::Converted(conversion) => conversion,
        };
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
        sums(self.ops(), [x, y], wishes_of_butterfly(n))
    }

    /// See [`routines::columns`]; what follows looks these words up first.
    pub fn columns(&mut self, behind: [Word; AHEAD]) -> [[Complex; 4]; 4] {
        self.codelet.program.without_constants();
        let lanes = self.across.roots();
        let behind = behind.map(|word| Lookup { lanes, word });
        routines::columns(self, Some(behind))
    }

    /// All points are there. Of samples and in tiles, gives back the addresses at which they were
    /// looked up.
    pub fn end_input(&mut self) {
        if core::mem::replace(&mut self.has_ended, true) {
            return;
        }
        let ops = &mut self.codelet.program.ops;
        if let Input::Alternated(_, factors) = self.ends {
            ops.give_back(self.input);
            factors.iter().for_each(|&factor| ops.give_back(factor));
        }
        if let Input::Converted(conversion) = self.ends {
            ops.give_back(self.input);
            ops.give_back(conversion.factors);
        }
        if let Some(sign) = self.sign {
            ops.copy(sign, Place::R5);
        }
    }
}

impl Column for Points {
    fn codelet(&mut self) -> &mut Codelet {
        &mut self.codelet
    }

    fn lookups(&self, vector: u8) -> Vec<Lookup> {
        if let Input::Converted(conversion) = self.ends {
            return conversion.lookups(self.input, vector);
        }
        let lookup = |component| Lookup::row(self.input, Row::Input { vector, component });
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

    fn begin_column(&mut self, vector: u8) {
        let Input::Alternated(conjugate, [re, im]) = self.ends else {
            return;
        };
        let component = 0;
        let sign = Source::Uniform(Word::row(Row::Part { vector, component }));
        let ops = self.ops();
        let sign = ops.load(sign, Wish::Accumulator);
        ops.copy(sign, re);
        ops.push(Operation::mul(MulOp::Fmul, conjugate, sign, im));
        ops.give_back(sign);
    }

    fn point(&mut self, _: u8, wish: Wish, fetch: &mut impl FnMut(&mut Self) -> Value) -> Complex {
        let conjugate = match self.ends {
            Input::Converted(conversion) => return conversion.point(self, wish, fetch),
            Input::Conjugated(conjugate) => conjugate,
            Input::Alternated(_, factors) => {
                return factors.map(|factor| {
                    let part = fetch(self);
                    self.ops().multiply(part, Source::Place(factor), wish)
                });
            }
        };
        let re = fetch(self);
        let ops = self.ops();
        let place = ops.load(re.place, wish);
        let im = fetch(self);
        let ops = self.ops();
        let im = ops.multiply(im, Source::Place(conjugate), wish);
        [positive(place), im]
    }

    fn end_input(&mut self) {
        self.end_input();
    }
}

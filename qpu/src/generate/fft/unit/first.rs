//! First passes: rows of the caller's points to cells, with the twiddles of what follows.
//!
//! A vector holds the points of R/16 rows. After the 16-point transforms, output k_lo of row r is turned
//! by W_R^(r k_lo), and the R/16 groups of lanes are transformed. Lanes of rows r with an odd number of
//! bits come out negative from the turn: then x + s · (x moved by half the lanes), s = -1 below and +1
//! above, is the sum below and the difference above.

use super::Word;
use super::codelet::Codelet;
use super::frame::{Frame, Shape, Source, Written};
use crate::fft::program::{Kind, Lanes, Record, Row, Start};
use crate::generate::fft::dft16::{Butterfly, Ends, dft16, file_of};
use crate::generate::fft::draft::{Complex, Draft, Value, Wish, positive};
use crate::generate::schedule::{Destination, Place};
use crate::isa::{AddOp, Cond};
use crate::vpm::{Block, Store};

/// The program of a first pass.
pub fn program(kind: Kind) -> Written {
    let shape = Shape {
        write: Block::column(0, 0),
        stores: vec![Store::rows(32, 0)],
    };
    let mut frame = Frame::new(kind, &shape);
    let input = frame.lanes(Lanes::Input);
    let twiddle = frame.lanes(Lanes::Twiddle);
    let conjugate = frame.number(Start::Conjugate);
    if kind.radix > 16 {
        halves_sign(&mut frame.draft);
    }
    frame.begin_unit();
    let input = frame.base(Record::Input, input);
    let twiddle = frame.base(Record::Twiddle, twiddle);
    frame.rows();
    if kind.radix > 16 {
        let sources = [Source::Lane, Source::Small(8)];
        frame
            .draft
            .add_op_setting_flags(AddOp::And, sources, Destination::Nothing);
    }
    let constants = frame.constants;
    let mut first = First {
        codelet: Codelet { frame, vectors: 0 },
        radix: kind.radix,
        input,
        twiddle,
        conjugate,
        outputs: [None; 16],
    };
    dft16(&mut first, &constants);
    let outputs = first.outputs.map(|output| output.expect("transformed"));
    // Columns: real parts of k_lo = 0..8, imaginary parts, and the same of 8..16 in the rows below.
    let columns: Vec<Place> = outputs
        .chunks(8)
        .flat_map(|octet| [0, 1].map(|component| octet.iter().map(move |z| z[component])))
        .flatten()
        .collect();
    first.codelet.frame.written(columns, None)
}

/// r5: -1.0 in lanes 0..8, +1 in lanes 8..16.
pub fn halves_sign(draft: &mut Draft<Word>) {
    let sign = draft.take(Wish::Accumulator);
    let to = Destination::Place(sign);
    // lane / 8 · 2 - 1.
    let steps = [
        (AddOp::Shr, Source::Lane, Source::Small(3)),
        (AddOp::Shl, Source::Place(sign), Source::Small(1)),
        (AddOp::Sub, Source::Place(sign), Source::Small(1)),
        (AddOp::Itof, Source::Place(sign), Source::Place(sign)),
    ];
    for (op, a, b) in steps {
        draft.add_op(op, [a, b], to);
    }
    let r5 = Destination::Place(Place::R5);
    draft.copy(Source::Place(sign), r5);
    draft.give_back(sign);
}

struct First {
    codelet: Codelet,
    radix: u16,
    /// Addresses of the unit's lanes.
    input: Place,
    twiddle: Place,
    /// 1.0 or -1.0.
    conjugate: Place,
    outputs: [Option<[Place; 2]>; 16],
}

impl First {
    fn point(&mut self, vector: u8, component: u8) -> Value {
        let word = Word::Row(Row::Input { vector, component });
        self.codelet.fetch(self.input, word)
    }

    /// Output k_lo times its twiddles.
    fn twiddled(&mut self, output: u8, z: Complex) -> [Place; 2] {
        let [re, im] = z;
        let factor = |first: &mut Self, component| {
            let word = Word::Row(Row::Twiddle { output, component });
            Source::Place(first.codelet.fetch(first.twiddle, word).place)
        };
        let cos = factor(self, 0);
        let [re_cos, im_cos] =
            [re, im].map(|x| self.codelet.frame.draft.multiply(x, cos, Wish::Accumulator));
        let sin = factor(self, 1);
        self.codelet.vectors += 1;
        let draft = &mut self.codelet.frame.draft;
        let im_sin = draft.multiply(im, sin, Wish::Accumulator);
        let turned_re = draft.add(re_cos, im_sin, Wish::AnyFile);
        draft.give_back_complex([re_cos, im_sin]);
        let re_sin = draft.multiply(re, sin, Wish::Accumulator);
        let turned_im = draft.subtract(im_cos, re_sin, Wish::AnyFile);
        draft.give_back_complex([im_cos, re_sin]);
        draft.give_back_complex(z);
        [turned_re.place, turned_im.place]
    }

    /// The transform across lanes.
    fn across(&mut self, output: u8, z: Complex) -> Complex {
        if output == 0 {
            return z.map(|part| self.codelet.half_sums(part, Wish::AnyFile));
        }
        let turn = |component| Word::Row(Row::Turn { output, component });
        self.codelet.turn_some(z, Cond::ZC, turn(0), turn(1));
        z.map(|part| self.codelet.add_moved(part, 8, Wish::AnyFile))
    }
}

impl Ends for First {
    type Uniform = Word;

    fn draft(&mut self) -> &mut Draft<Word> {
        &mut self.codelet.frame.draft
    }

    fn butterfly(&mut self, n: usize) -> Butterfly {
        let wish = [n, n + 8].map(|n| Wish::File(file_of(n)));
        let conjugate = Source::Place(self.conjugate);
        let x = [0, 1].map(|component| {
            let fetched = self.point(n as u8, component);
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
            let mut y = self.point(n as u8 + 8, component);
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

    fn wish(&self) -> Wish {
        match self.radix {
            16 => Wish::AnyFile,
            // To be moved across lanes.
            _ => Wish::Accumulator,
        }
    }

    fn output(&mut self, k: usize, y: Complex) {
        let z = match self.radix {
            16 => y,
            _ => self.across(k as u8, y),
        };
        self.outputs[k] = Some(self.twiddled(k as u8, z));
    }
}

//! First passes of 128 points: each of S QPUs transforms 128 / S rows of 2 S columns, then all come together.
//!
//! Outputs are turned so that those of others are as good as one's own before they are exchanged; what is left
//! then are sums and differences, and the twiddles.

use super::super::Word;
use super::super::codelet::Codelet;
use super::super::frame::{Frame, Shape, Source, Stores, Written};
use super::super::points::Points;
use super::exchange::{KEPT, exchange};
use crate::fft::program::{Kind, Lanes, Record, Row, Task};
use crate::generate::fft::dft16::{Butterfly, Ends, dft16};
use crate::generate::fft::draft::{Complex, Draft, Wish};
use crate::generate::schedule::{Destination, Place};
use crate::isa::{AddOp, File};
use crate::vpm::{Block, Store};

/// The program of a first pass.
pub fn program(kind: Kind) -> Written {
    let shape = Shape {
        write: Block::column(0, 0),
        stores: Stores::Fixed(vec![Store::rows(16, 0)]),
    };
    let mut frame = Frame::of_tiles(Task::Points(kind), &shape);
    let turn = frame.lanes(Lanes::Turn);
    let points = Points::start(&mut frame, kind);
    frame.begin_unit();
    let twiddle = frame.word(Record::Twiddle);
    let points = points.begin_unit(frame, Some(turn));
    let constants = points.codelet.frame.constants;
    let mut first = First {
        points,
        twiddle,
        shared: None,
        outputs: [None; 16],
    };
    dft16(&mut first, &constants);
    let First {
        points,
        shared,
        outputs,
        ..
    } = first;
    let mut codelet = points.codelet;
    let outputs = outputs.map(|output| output.expect("transformed"));
    for place in shared.into_iter().flatten() {
        codelet.frame.draft.give_back(place);
    }
    let met = exchange(&mut codelet.frame, &outputs);
    // Of columns: 8 · (lane mod 2 S).
    let draft = &mut codelet.frame.draft;
    let offsets = draft.take(Wish::Accumulator);
    let to = Destination::Place(offsets);
    let last = 2 * i32::from(kind.sharers) - 1;
    draft.add_op(AddOp::And, [Source::Lane, Source::Small(last)], to);
    draft.add_op(AddOp::Shl, [Source::Place(offsets), Source::Small(3)], to);
    let sources = [offsets, twiddle].map(Source::Place);
    draft.add_op(AddOp::Add, sources, Destination::Place(twiddle));
    draft.give_back(offsets);
    let mut columns = [[[None; 2]; KEPT]; 2];
    for (k, met) in met.into_iter().enumerate() {
        let sums = met.sums(&mut codelet.frame.draft, [Wish::AnyFile; 2]);
        for (half, z) in sums.into_iter().enumerate() {
            let output = (k + KEPT * half) as u8;
            let factor = |codelet: &mut Codelet, component| {
                Source::Place(codelet.fetch_aligned(twiddle, row(output, component)).place)
            };
            let z = codelet.turn_looked_up(z, factor, Wish::AnyFile);
            columns[half][k] = z.map(|part| Some(part.place));
        }
    }
    // Of each half real parts, then imaginary parts.
    let columns = columns
        .iter()
        .flat_map(|half| [0, 1].map(|component| half.iter().filter_map(move |z| z[component])))
        .flatten()
        .collect();
    codelet.frame.written(columns, None)
}

fn row(output: u8, component: u8) -> Word {
    Word::Row(Row::Twiddle { output, component })
}

struct First {
    points: Points,
    /// Address of the unit's twiddles.
    twiddle: Place,
    /// What all outputs are turned by, once it is looked up.
    shared: Option<[Place; 2]>,
    outputs: [Option<Complex>; 16],
}

impl First {
    /// Looks up what all outputs are turned by.
    fn look_up_shared(&mut self) -> [Place; 2] {
        let codelet = &mut self.points.codelet;
        let vector = codelet.frame.draft.take(Wish::Accumulator);
        let to = Destination::Place(vector);
        let draft = &mut codelet.frame.draft;
        draft.add_op(AddOp::Shl, [Source::Lane, Source::Small(3)], to);
        let sources = [self.twiddle, vector].map(Source::Place);
        draft.add_op(AddOp::Add, sources, to);
        let both = [0, 1].map(|component| {
            let fetched = codelet.fetch_aligned(vector, row(16, component));
            let draft = &mut codelet.frame.draft;
            let place = draft.take(Wish::File(File::B));
            draft.copy(Source::Place(fetched.place), Destination::Place(place));
            place
        });
        codelet.vectors += 1;
        codelet.frame.draft.give_back(vector);
        both
    }
}

impl Ends for First {
    type Uniform = Word;

    fn draft(&mut self) -> &mut Draft<Word> {
        &mut self.points.codelet.frame.draft
    }

    fn butterfly(&mut self, n: usize) -> Butterfly {
        self.points.butterfly(n)
    }

    fn wish(&self) -> Wish {
        self.points.wish()
    }

    fn output(&mut self, k: usize, y: Complex) {
        if k == 0 {
            self.points.end_input();
        }
        let shared = match self.shared {
            Some(shared) => shared,
            None => self.look_up_shared(),
        };
        self.shared = Some(shared);
        let z = self.points.across(k as u8, y);
        let [cos, sin] = shared.map(|place| [Source::Place(place); 2]);
        let draft = &mut self.points.codelet.frame.draft;
        self.outputs[k] = Some(draft.turn(z, cos, sin, Wish::AnyFile));
    }
}

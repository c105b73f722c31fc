//! First passes: rows of the caller's points to cells, with the twiddles of what follows.
//!
//! From 64 points the twiddles are in two parts. The one that depends on the output of the 16-point transform is
//! looked up together with the turn before the lanes' transform, the other is a vector that all outputs share.

use super::Word;
use super::codelet::Codelet;
use super::frame::{Frame, Shape, Source, Stores, Written};
use super::points::Points;
use crate::fft::program::{Kind, Lanes, Record, Row, Samples, Task};
use crate::generate::fft::dft16::{Butterfly, Ends, dft16};
use crate::generate::fft::draft::{Complex, Draft, Wish};
use crate::generate::schedule::{Destination, Place};
use crate::isa::File;
use crate::vpm::{Block, Store};

/// The program of a first pass.
pub fn program(kind: Kind) -> Written {
    let shape = Shape {
        write: Block::column(0, 0),
        stores: Stores::Fixed(vec![Store::rows(32, 0)]),
    };
    let mut frame = Frame::new(Task::Points(kind), &shape);
    let twiddle = frame.lanes(Lanes::Twiddle);
    let points = Points::start(&mut frame, kind);
    frame.begin_unit();
    let twiddle = frame.base(Record::Twiddle, twiddle);
    let mut points = points.begin_unit(frame, Some(twiddle));
    let constants = points.codelet.frame.constants;
    let is_early = kind.radix > 32 && kind.samples == Samples::Points;
    let shared = is_early.then(|| shared_twiddles(&mut points.codelet, twiddle));
    let mut first = First {
        kind,
        points,
        twiddle,
        shared,
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
    first.points.codelet.frame.written(columns, None)
}

/// The twiddles that all outputs share.
fn shared_twiddles(codelet: &mut Codelet, twiddle: Place) -> [Place; 2] {
    let both = [0, 1].map(|component| {
        let word = Word::Row(Row::Twiddle {
            output: 0,
            component,
        });
        let fetched = codelet.fetch(twiddle, word);
        let draft = &mut codelet.frame.draft;
        let place = draft.take(Wish::File(File::B));
        draft.copy(Source::Place(fetched.place), Destination::Place(place));
        place
    });
    codelet.vectors += 1;
    both
}

struct First {
    kind: Kind,
    points: Points,
    /// The twiddles that all outputs share, from 64 points on.
    shared: Option<[Place; 2]>,
    /// Addresses of the unit's lanes.
    twiddle: Place,
    outputs: [Option<[Place; 2]>; 16],
}

impl First {
    /// Output k_lo times its twiddles.
    fn twiddled(&mut self, output: u8, z: Complex) -> [Place; 2] {
        if let Some(shared) = self.shared {
            let [cos, sin] = shared.map(|place| [Source::Place(place); 2]);
            let draft = &mut self.points.codelet.frame.draft;
            return draft
                .turn(z, cos, sin, Wish::AnyFile)
                .map(|part| part.place);
        }
        let twiddle = self.twiddle;
        let factor = |codelet: &mut Codelet, component| {
            let word = Word::Row(Row::Twiddle { output, component });
            Source::Place(codelet.fetch_aligned(twiddle, word).place)
        };
        let codelet = &mut self.points.codelet;
        codelet
            .turn_looked_up(z, factor, Wish::AnyFile)
            .map(|part| part.place)
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

    fn wish(&self, _component: usize) -> Wish {
        self.points.wish()
    }

    fn output(&mut self, k: usize, y: Complex) {
        if k == 0 {
            self.points.end_input();
            // Before, samples need the registers.
            if self.kind.radix > 32 && self.shared.is_none() {
                let codelet = &mut self.points.codelet;
                self.shared = Some(shared_twiddles(codelet, self.twiddle));
            }
        }
        let z = self.points.across(k as u8, y);
        self.outputs[k] = Some(self.twiddled(k as u8, z));
    }
}

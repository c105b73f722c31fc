//! First passes: rows of the caller's points to cells, with the twiddles of what follows.

use super::Word;
use super::codelet::Codelet;
use super::frame::{Frame, Shape, Source, Stores, Written};
use super::points::Points;
use crate::fft::program::{Kind, Lanes, Record, Row, Task};
use crate::generate::fft::dft16::{Butterfly, Ends, dft16};
use crate::generate::fft::draft::{Complex, Draft, Wish};
use crate::generate::schedule::Place;
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
    let points = points.begin_unit(frame);
    let constants = points.codelet.frame.constants;
    let mut first = First {
        points,
        twiddle,
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

struct First {
    points: Points,
    /// Addresses of the unit's lanes.
    twiddle: Place,
    outputs: [Option<[Place; 2]>; 16],
}

impl First {
    /// Output k_lo times its twiddles.
    fn twiddled(&mut self, output: u8, z: Complex) -> [Place; 2] {
        let twiddle = self.twiddle;
        let factor = |codelet: &mut Codelet, component| {
            let word = Word::Row(Row::Twiddle { output, component });
            Source::Place(codelet.fetch(twiddle, word).place)
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

    fn wish(&self) -> Wish {
        self.points.wish()
    }

    fn output(&mut self, k: usize, y: Complex) {
        let z = self.points.across(k as u8, y);
        self.outputs[k] = Some(self.twiddled(k as u8, z));
    }
}

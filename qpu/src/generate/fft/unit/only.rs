//! Only passes of up to 128 points: several transforms of a batch from the caller's points to his points.

use super::Word;
use super::across::Across;
use super::columns::AHEAD;
use super::frame::{Frame, Shape, Stores, Written};
use super::groups;
use super::points::{Points, Routines};
use crate::fft::program::{Kind, Start, Task};
use crate::generate::fft::dft16::{Butterfly, Ends, dft16, dft16_of_columns};
use crate::generate::fft::draft::{Complex, Draft, Wish};
use crate::generate::schedule::Place;
use crate::vpm::Block;

/// The program of an only pass.
pub fn program(kind: Kind) -> Written {
    let shape = Shape {
        write: Block::column(0, 0),
        stores: Stores::Listed(kind.radix as u8 / 8),
    };
    let mut frame = Frame::new(Task::Points(kind), &shape);
    let scale = [0, 1].map(|component| frame.number(Start::Scale { component }));
    let points = Points::start(&mut frame, kind);
    frame.begin_unit();
    let points = points.begin_unit(frame, None);
    let constants = points.codelet.frame.constants;
    let mut only = Only {
        points,
        outputs: [None; 16],
    };
    match Routines::of(kind) {
        Routines::None => dft16(&mut only, &constants),
        Routines::Columns => {
            let turns = first_turns(&only.points.across);
            let columns = only.points.columns(turns);
            dft16_of_columns(&mut only, columns);
        }
        Routines::ColumnsAndGroups => {
            let points = &mut only.points;
            let columns = points.columns(groups::words(points, 0));
            let finish = &mut |points: &mut Points, z, wishes| {
                points.across.of_turned(&mut points.codelet, z, wishes)
            };
            only.outputs = groups::groups(points, &columns, finish).map(Some);
        }
    }
    let outputs = only.outputs.map(|output| output.expect("transformed"));
    // Columns: real and imaginary parts in turn, k_lo = 8..16 in the rows below.
    let columns = outputs.into_iter().flatten().collect();
    only.points.codelet.frame.written(columns, Some(scale))
}

/// What outputs are turned by, in their order. Of output 0 there are cosines only.
fn first_turns(across: &Across) -> [Word; AHEAD] {
    core::array::from_fn(|number| {
        let output = 4 * (number / 2);
        across.turn_of(output, (number % 2).min(output))
    })
}

struct Only {
    points: Points,
    outputs: [Option<[Place; 2]>; 16],
}

impl Ends for Only {
    type Uniform = Word;

    fn draft(&mut self) -> &mut Draft<Word> {
        &mut self.points.codelet.frame.draft
    }

    fn butterfly(&mut self, n: usize) -> Butterfly {
        self.points.butterfly(n)
    }

    fn wish(&self, _component: usize) -> Wish {
        self.points.across.wish()
    }

    fn output(&mut self, k: usize, y: Complex) {
        if k == 0 {
            self.points.end_input();
        }
        let Points {
            across, codelet, ..
        } = &mut self.points;
        let z = across.output(codelet, k as u8, y);
        self.outputs[k] = Some(z.map(|part| part.place));
    }
}

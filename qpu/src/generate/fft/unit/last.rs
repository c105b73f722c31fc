//! Last passes: cells to the caller's points, in natural order.
//!
//! Even lanes hold row 2m, odd lanes row 2m + 1 of eight bins. After the 16-point transforms and
//! the turn of the odd lanes by W_R^k, the real parts of both rows come together in the even lanes
//! and the imaginary parts in the odd ones: their sum and their difference are two rows of
//! interleaved points.

use super::Word;
use super::cells::Cells;
use super::frame::{Frame, Shape, Source, Stores, Written};
use crate::fft::points::{Record, Row};
use crate::fft::program::{Kind, Lanes, Task};
use crate::generate::fft::dft16::{Butterfly, Ends, dft16, dft16_of_columns};
use crate::generate::fft::draft::{Complex, Draft, Wish, positive};
use crate::generate::schedule::{Destination, Place};
use crate::isa::{AddOp, Cond};
use crate::vpm::{Block, Store};

/// The program of a last pass.
pub fn program(kind: Kind) -> Written {
    let shape = Shape {
        write: Block::row(0),
        stores: Stores::Fixed(match kind.radix {
            16 => vec![Store::rows(16, 0), Store::rows(16, 16)],
            _ => vec![Store::rows(32, 0)],
        }),
    };
    let mut frame = Frame::new(Task::Points(kind), &shape);
    let input = frame.lanes(Lanes::Input);
    let scale = frame.lanes(Lanes::Scale);
    frame.begin_unit();
    let input = frame.base(Record::Input, input);
    frame.rows();
    let sources = [Source::Lane, Source::Small(1)];
    frame
        .draft
        .add_op_setting_flags(AddOp::And, sources, Destination::Nothing);
    let constants = frame.constants;
    let mut last = Last {
        cells: Cells::new(frame, kind, input),
        radix: kind.radix,
        outputs: [None; 16],
    };
    if kind.radix > 64 {
        let columns = last.cells.columns(None);
        dft16_of_columns(&mut last, columns);
    } else {
        dft16(&mut last, &constants);
    }
    let outputs = last.outputs.map(|output| output.expect("transformed"));
    let rows: Vec<Place> = [0, 1]
        .into_iter()
        .flat_map(|half| outputs.map(|output| output[half]))
        .collect();
    last.cells.codelet.frame.written(rows, Some([scale; 2]))
}

struct Last {
    cells: Cells,
    radix: u16,
    /// The two rows of each output.
    outputs: [Option<[Place; 2]>; 16],
}

impl Last {
    /// Both rows of an output: real parts in even lanes, imaginary in odd. Gives back z.
    fn rows(&mut self, z: Complex) -> [Place; 2] {
        let draft = &mut self.cells.codelet.frame.draft;
        let [re, im] = z.map(|part| part.place);
        // What even lanes hold of z, and then what odd lanes do.
        let even = draft.take(Wish::AnyFile);
        draft.copy(Source::Place(re), Destination::Place(even));
        draft.merge_rotated(im, 1, Cond::ZC, even);
        draft.merge_rotated(re, 15, Cond::ZS, im);
        let [even, odd] = [positive(even), positive(im)];
        if self.radix == 16 {
            // Each is a row: of one octet.
            let row = draft.take(Wish::AnyFile);
            draft.copy(Source::Place(odd.place), Destination::Place(row));
            draft.give_back_complex(z);
            return [even.place, row];
        }
        let sum = draft.add(even, odd, Wish::AnyFile);
        let difference = draft.subtract(even, odd, Wish::AnyFile);
        draft.give_back(even.place);
        draft.give_back_complex(z);
        [sum.place, difference.place]
    }
}

impl Ends for Last {
    type Uniform = Word;

    fn draft(&mut self) -> &mut Draft<Word> {
        &mut self.cells.codelet.frame.draft
    }

    fn butterfly(&mut self, n: usize) -> Butterfly {
        self.cells.butterfly(n)
    }

    fn wish(&self, _component: usize) -> Wish {
        // To be moved across lanes.
        Wish::Accumulator
    }

    fn output(&mut self, k: usize, z: Complex) {
        let output = k as u8;
        // Output 0 of part 0 is not turned; which part it is, is not known here.
        if self.radix > 32 || self.radix == 32 && output > 0 {
            let turn = |component| Word::row(Row::Turn { output, component });
            self.cells.codelet.turn_some(z, Cond::ZC, turn(0), turn(1));
        }
        self.outputs[k] = Some(self.rows(z));
    }
}

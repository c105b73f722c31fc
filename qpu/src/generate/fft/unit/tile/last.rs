//! Last passes of 128 and 256 points: each QPU transforms half of the rows of eight bins in two or four parts.
//!
//! Row 64 b + 4 m + 2 j + r is QPU j's, r what differs in neighbouring lanes. After the 16-point transforms,
//! rows are turned by W_R^((2 j + r) k), half of the outputs are exchanged, and sums and differences
//! over j made. In differences, odd lanes are turned by a quarter before sum and difference over r.

use super::super::Word;
use super::super::cells::Cells;
use super::super::codelet::Codelet;
use super::super::frame::{Frame, Shape, Source, Stores, Written};
use super::first::{KEPT, exchange};
use crate::fft::program::{Kind, Lanes, Record, Row, Start, Task};
use crate::generate::fft::dft16::{Butterfly, Ends, dft16};
use crate::generate::fft::draft::{Complex, Draft, Wish};
use crate::generate::schedule::{Destination, Operation, Place};
use crate::isa::{AddOp, Cond};
use crate::vpm::{Block, Store};

/// The program of a last pass.
pub fn program(kind: Kind) -> Written {
    let shape = Shape {
        write: Block::row(0),
        stores: Stores::Fixed(vec![Store::rows(8, 0), Store::rows(8, 8)]),
    };
    let mut frame = Frame::of_tiles(Task::Points(kind), &shape);
    let input = frame.lanes(Lanes::Input);
    let turn = frame.lanes(Lanes::Turn);
    let scale = frame.lanes(Lanes::Scale);
    // The differences of the second QPU come with a minus.
    let other = frame.number_times(scale, Start::Sharer);
    frame.begin_unit();
    let input = frame.base(Record::Input, input);
    frame.rows();
    let constants = frame.constants;
    let mut last = Last {
        cells: Cells::new(frame, kind, input),
        turn,
        outputs: [None; 16],
    };
    dft16(&mut last, &constants);
    let Last { cells, outputs, .. } = last;
    let mut frame = cells.codelet.frame;
    let outputs = outputs.map(|output| output.expect("transformed"));
    frame.draft.give_back(input);
    let taken = exchange(&mut frame, &outputs);
    let draft = &mut frame.draft;
    // Z in even lanes.
    let sources = [Source::Lane, Source::Small(1)];
    draft.add_op_setting_flags(AddOp::And, sources, Destination::Nothing);
    let mut rows = [[[None; KEPT]; 2]; 2];
    for (k, taken) in taken.into_iter().enumerate() {
        let own = outputs[k];
        let both = [0, 1].map(|c| {
            [
                draft.add(own[c], taken[c], Wish::Accumulator),
                draft.subtract(own[c], taken[c], Wish::Accumulator),
            ]
        });
        draft.give_back_complex(own);
        draft.give_back_complex(taken);
        for (half, rows) in rows.iter_mut().enumerate() {
            let made = both_rows(draft, both.map(|pair| pair[half]), half == 1);
            for (row, rows) in made.into_iter().zip(rows) {
                rows[k] = Some(row);
            }
        }
    }
    let rows = rows.as_flattened().as_flattened().iter().flatten();
    let rows = rows.copied().collect();
    frame.written(rows, Some([scale, other]))
}

/// Both rows of an output: real parts in even lanes, imaginary in odd; rows of odd lanes times -i or not. Gives
/// back z, which is in accumulators.
fn both_rows(draft: &mut Draft<Word>, z: Complex, is_turned: bool) -> [Place; 2] {
    let [re, im] = z.map(|part| part.place);
    let even = draft.take(Wish::AnyFile);
    draft.copy(Source::Place(re), Destination::Place(even));
    draft.merge_rotated(im, 1, Cond::ZC, even);
    // What odd lanes hold: theirs, and in even lanes what becomes the real part there.
    let odd = if is_turned {
        draft.merge_rotated(im, 15, Cond::ZS, re);
        re
    } else {
        draft.merge_rotated(re, 15, Cond::ZS, im);
        im
    };
    let rows = [0, 1].map(|_| draft.take(Wish::AnyFile));
    for (row, ops) in rows
        .into_iter()
        .zip([[AddOp::Fadd, AddOp::Fsub], [AddOp::Fsub, AddOp::Fadd]])
    {
        let sources = [even, odd].map(Source::Place);
        let sum = |op| Operation::add(op, sources, Destination::Place(row));
        if is_turned {
            // im - i re.
            draft.push(sum(ops[0]).when(Cond::ZS));
            draft.push(sum(ops[1]).when(Cond::ZC));
        } else {
            draft.push(sum(ops[0]));
        }
    }
    draft.give_back(even);
    draft.give_back_complex(z);
    rows
}

struct Last {
    cells: Cells,
    /// Lane offsets of turns.
    turn: Place,
    outputs: [Option<Complex>; 16],
}

impl Ends for Last {
    type Uniform = Word;

    fn draft(&mut self) -> &mut Draft<Word> {
        &mut self.cells.codelet.frame.draft
    }

    fn butterfly(&mut self, n: usize) -> Butterfly {
        self.cells.butterfly(n)
    }

    fn wish(&self) -> Wish {
        Wish::AnyFile
    }

    fn output(&mut self, k: usize, z: Complex) {
        let turn = self.turn;
        let factor = |codelet: &mut Codelet, component| {
            let output = k as u8;
            let word = Word::Row(Row::TurnOfRow { output, component });
            Source::Place(codelet.fetch(turn, word).place)
        };
        let codelet = &mut self.cells.codelet;
        self.outputs[k] = Some(codelet.turn_looked_up(z, factor, Wish::AnyFile));
    }
}

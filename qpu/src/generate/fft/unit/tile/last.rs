//! Last passes of 128 and 256 points: each of S QPUs transforms 64 rows of eight bins in two parts.
//!
//! Row 32 S b + 2 S m + 2 j + r is QPU j's, r what differs in neighbouring lanes. After the 16-point transforms,
//! rows are turned by W_R^((2 j + r) k) and what QPUs have is exchanged. Then odd rows are turned by what is left,
//! W_2S^(r k_j), together with all that the exchange turned too far; sum and difference over r are rows of
//! interleaved points.

use super::super::Word;
use super::super::cells::Cells;
use super::super::codelet::Codelet;
use super::super::frame::{Frame, Shape, Source, Stores, Written};
use super::exchange::{KEPT, exchange};
use crate::fft::program::{Kind, Lanes, Record, Row, Task};
use crate::generate::fft::dft16::{Butterfly, Ends, dft16};
use crate::generate::fft::draft::{Complex, Draft, Wish};
use crate::generate::schedule::{Destination, Place};
use crate::isa::{AddOp, Cond, File};
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
    let mut codelet = cells.codelet;
    let outputs = outputs.map(|output| output.expect("transformed"));
    codelet.frame.draft.give_back(input);
    // Turned by vectors in the other file.
    let files = [File::A, File::B];
    let met = exchange(&mut codelet.frame, &outputs);
    let turns = [0, 1].map(|half| {
        // Of two QPUs, sums are as they should be.
        if half == 0 && kind.sharers == 2 {
            return None;
        }
        let output = 16 + half as u8;
        let both = [0, 1].map(|component| {
            let word = Word::Row(Row::TurnOfRow { output, component });
            let fetched = codelet.fetch_aligned(turn, word);
            let draft = &mut codelet.frame.draft;
            let place = draft.take(Wish::File(files[half].other()));
            draft.copy(Source::Place(fetched.place), Destination::Place(place));
            place
        });
        codelet.vectors += 1;
        Some(both)
    });
    let mut frame = codelet.frame;
    let draft = &mut frame.draft;
    // Z in even lanes.
    let sources = [Source::Lane, Source::Small(1)];
    draft.add_op_setting_flags(AddOp::And, sources, Destination::Nothing);
    let mut rows = [[[None; KEPT]; 2]; 2];
    for (k, met) in met.into_iter().enumerate() {
        let wish = [0, 1].map(|half| match turns[half] {
            Some(_) => Wish::File(files[half]),
            None => Wish::Accumulator,
        });
        let sums = met.sums(draft, wish);
        for (half, z) in sums.into_iter().enumerate() {
            let z = match turns[half] {
                Some(turns) => {
                    let [cos, sin] = turns.map(|place| [Source::Place(place); 2]);
                    draft.turn(z, cos, sin, Wish::Accumulator)
                }
                None => z,
            };
            for (row, rows) in both_rows(draft, z).into_iter().zip(&mut rows[half]) {
                rows[k] = Some(row);
            }
        }
    }
    let rows = rows.as_flattened().as_flattened().iter().flatten();
    let rows = rows.copied().collect();
    frame.written(rows, Some([scale; 2]))
}

/// Both rows of an output: real parts in even lanes, imaginary in odd. Gives back z, which is in accumulators.
fn both_rows(draft: &mut Draft<Word>, z: Complex) -> [Place; 2] {
    let [re, im] = z.map(|part| part.place);
    let even = draft.take(Wish::AnyFile);
    draft.copy(Source::Place(re), Destination::Place(even));
    draft.merge_rotated(im, 1, Cond::ZC, even);
    // What odd lanes hold: theirs, and in even lanes what becomes the real part there.
    draft.merge_rotated(re, 15, Cond::ZS, im);
    let rows = [0, 1].map(|_| draft.take(Wish::AnyFile));
    for (row, op) in rows.into_iter().zip([AddOp::Fadd, AddOp::Fsub]) {
        let sources = [even, im].map(Source::Place);
        draft.add_op(op, sources, Destination::Place(row));
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
            Source::Place(codelet.fetch_aligned(turn, word).place)
        };
        let codelet = &mut self.cells.codelet;
        self.outputs[k] = Some(codelet.turn_looked_up(z, factor, Wish::AnyFile));
    }
}

//! Last passes of 128 and 256 points: each of S QPUs transforms 64 rows of eight bins in two parts.
//!
//! Row 32 S b + 2 S m + 2 j + r is QPU j's, r what differs in neighbouring lanes. After the
//! 16-point transforms, rows are turned by W_R^((2 j + r) k) and what QPUs have is exchanged. Then
//! odd rows are turned by what is left, W_2S^(r k_j), together with all that the exchange turned
//! too far; sum and difference over r are rows of interleaved points.

use super::super::Word;
use super::super::cells::Cells;
use super::super::codelet::AHEAD;
use super::super::codelet::Codelet;
use super::super::codelet::Lookup;
use super::super::frame::{Frame, Shape, Source, Stores, Written};
use super::exchange::{KEPT, Met, exchange};
use crate::fft::points::{Record, Row};
use crate::fft::program::{Kind, Lanes, Task};
use crate::generate::fft::dft16::{Butterfly, Ends, outputs_of_column};
use crate::generate::fft::draft::{Complex, Draft, Value, Wish, positive};
use crate::generate::schedule::{Destination, Place};
use crate::isa::{AddOp, Cond, File};
use crate::vpm::{Block, Store};

/// Numbers of the routines of outputs and of pairs.
const OUTPUTS: usize = 1;
const PAIR: usize = 2;

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
    frame.without_constants();
    let input = frame.base(Record::Input, input);
    frame.rows();
    let mut cells = Cells::new(frame, kind, input);
    let lookup = |word| Lookup { lanes: turn, word };
    let columns = cells.columns(Some(turns_of_outputs(0).map(lookup)));
    let mut codelet = cells.codelet;
    let halves = halves_turned(kind);
    let outputs = turned_outputs(&mut codelet, turn, columns, halves);
    let met = exchange(&mut codelet.frame, &outputs);
    let mut turns = [None; 2];
    for &half in halves {
        let both = [0, 1].map(|component| {
            let fetched = codelet.fetch_aligned(turn, of_half(half, component));
            let draft = &mut codelet.frame.draft;
            let place = draft.take(Wish::File(FILES[half].other()));
            draft.copy(Source::Place(fetched.place), Destination::Place(place));
            place
        });
        codelet.vectors += 1;
        turns[half] = Some(both);
    }
    codelet.drop_asked();
    let mut frame = codelet.frame;
    // Z in even lanes.
    let sources = [Source::Lane, Source::Small(1)];
    frame
        .draft
        .add_op_setting_flags(AddOp::And, sources, Destination::Nothing);
    let rows = pairs(&mut frame, met, turns);
    frame.written(rows, Some([scale; 2]))
}

/// Sums and differences of the last step are turned by vectors in the other file.
const FILES: [File; 2] = [File::A, File::B];

/// The halves that are multiplied by twiddle factors: for two QPUs, sums are as they should be.
const fn halves_turned(kind: Kind) -> &'static [usize] {
    match kind.sharers {
        2 => &[1],
        _ => &[0, 1],
    }
}

/// The twiddle factor of sums or differences of the last step.
fn of_half(half: usize, component: u8) -> Word {
    let output = 16 + half as u8;
    Word::row(Row::TurnOfRow { output, component })
}

/// The twiddle factors of outputs k1, k1 + 4, k1 + 8 and k1 + 12.
fn turns_of_outputs(k1: u8) -> [Word; AHEAD] {
    core::array::from_fn(|number| {
        let output = k1 + 4 * (number / 2) as u8;
        let component = (number % 2) as u8;
        Word::row(Row::TurnOfRow { output, component })
    })
}

/// All outputs of the transform, turned: a routine does four, [`outputs_of_column`] of each k1. It
/// reads where the columns of k1 = 0 are, and what it gives is copied to where those of the next k1
/// were. Behind it, what `halves` are turned by is on its way.
fn turned_outputs(
    codelet: &mut Codelet,
    turn: Place,
    columns: [[Complex; 4]; 4],
    halves: &[usize],
) -> [Complex; 16] {
    let behind = |number: usize| of_half(halves[number / 2 % halves.len()], (number % 2) as u8);
    let free = codelet.frame.draft.clone();
    let mut outputs = [None; 16];
    let mut before: Option<[Complex; 4]> = None;
    for (k1, column) in columns.into_iter().enumerate() {
        let draft = &mut codelet.frame.draft;
        if let Some(results) = before {
            // Results that lie where points come give way to them first.
            let results = results.map(|z| z.map(|value| aside(draft, value, &columns[0])));
            copy(draft, column, columns[0]);
            // By files: of the results every other one is in file A.
            let [in_a, in_b] = FILES.map(|file| {
                let is_in =
                    |z: &&Complex| matches!(z[0].place, Place::Register(of, _) if of == file);
                column.iter().filter(is_in).copied().collect::<Vec<_>>()
            });
            let stay = [in_a[0], in_b[0], in_a[1], in_b[1]];
            copy(draft, results, stay);
            for value in results.into_iter().flatten() {
                if let Place::Accumulator(_) = value.place {
                    draft.give_back(value.place);
                }
            }
            for (k2, z) in stay.into_iter().enumerate() {
                outputs[k1 - 1 + 4 * k2] = Some(z);
            }
        }
        let next = match k1 {
            ..3 => turns_of_outputs(k1 as u8 + 1),
            _ => core::array::from_fn(behind),
        };
        codelet.frame.piece(None);
        codelet.frame.draft.restore_free(&free);
        let mut four = Four {
            codelet: &mut *codelet,
            turn,
            outputs: Vec::new(),
        };
        outputs_of_column(&mut four, 0, columns[0]);
        let results = four.outputs;
        for both in next.chunks(2) {
            codelet.ask_ahead(turn, [both[0], both[1]]);
        }
        codelet.frame.call(OUTPUTS);
        before = Some(core::array::from_fn(|k2| results[k2]));
    }
    for (k2, z) in before.into_iter().flatten().enumerate() {
        outputs[3 + 4 * k2] = Some(z);
    }
    outputs.map(|output| output.expect("four times four"))
}

/// A value in an accumulator, if it lies where one of `points` does.
fn aside(draft: &mut Draft<Word>, value: Value, points: &[Complex; 4]) -> Value {
    let mut points = points.as_flattened().iter();
    if points.all(|point| point.place != value.place) {
        return value;
    }
    let place = draft.take(Wish::Accumulator);
    draft.copy(Source::Place(value.place), Destination::Place(place));
    Value { place, ..value }
}

fn copy(draft: &mut Draft<Word>, from: [Complex; 4], to: [Complex; 4]) {
    let values = from.into_iter().flatten().zip(to.into_iter().flatten());
    for (from, to) in values {
        draft.copy(Source::Place(from.place), Destination::Place(to.place));
    }
}

/// Four outputs of a transform, turned by what is looked up.
struct Four<'a> {
    codelet: &'a mut Codelet,
    /// Lane offsets of turns.
    turn: Place,
    outputs: Vec<Complex>,
}

impl Ends for Four<'_> {
    type Uniform = Word;

    fn draft(&mut self) -> &mut Draft<Word> {
        &mut self.codelet.frame.draft
    }

    fn butterfly(&mut self, _n: usize) -> Butterfly {
        unreachable!("columns have been transformed")
    }

    fn wish(&self, _component: usize) -> Wish {
        Wish::AnyFile
    }

    fn output(&mut self, k: usize, z: Complex) {
        let turn = self.turn;
        let factor = |codelet: &mut Codelet, component| {
            let output = k as u8;
            let word = Word::row(Row::TurnOfRow { output, component });
            Source::Place(codelet.fetch_aligned(turn, word).place)
        };
        let wish = Wish::File(FILES[self.outputs.len() % 2]);
        let z = self.codelet.turn_looked_up(z, factor, wish);
        self.outputs.push(z);
    }
}

/// The rows of all outputs: those of sums, then of differences, each for k_r = 0 and 1. A routine
/// makes what came together into four rows, in the registers from which it came.
fn pairs(frame: &mut Frame, met: Vec<Met>, turns: [Option<[Place; 2]>; 2]) -> Vec<Place> {
    let draft = &mut frame.draft;
    let taken = [0, 1].map(|_| FILES.map(|file| positive(draft.take(Wish::File(file)))));
    let [[own_re, came_re], [own_im, came_im]] = taken;
    let inputs = Met {
        own: [own_re, own_im],
        came: [came_re, came_im],
    };
    let free = draft.clone();
    let mut all = [[None; KEPT]; 4];
    let mut before: Option<([Place; 4], [Place; 4])> = None;
    for (k, met) in met.into_iter().enumerate() {
        let draft = &mut frame.draft;
        give_rows(draft, before);
        for (from, to) in met.values().into_iter().zip(inputs.values()) {
            draft.copy(Source::Place(from.place), Destination::Place(to.place));
        }
        frame.piece(None);
        frame.draft.restore_free(&free);
        let results = pair(&mut frame.draft, inputs, turns);
        frame.call(PAIR);
        let stay = met.values().map(|value| value.place);
        for (all, row) in all.iter_mut().zip(stay) {
            all[k] = Some(row);
        }
        before = Some((results, stay));
    }
    give_rows(&mut frame.draft, before);
    all.as_flattened().iter().flatten().copied().collect()
}

/// Copies what the routine gave.
fn give_rows(draft: &mut Draft<Word>, rows: Option<([Place; 4], [Place; 4])>) {
    for (from, to) in rows
        .into_iter()
        .flat_map(|(from, to)| from.into_iter().zip(to))
    {
        draft.copy(Source::Place(from), Destination::Place(to));
    }
}

/// The routine: four rows.
fn pair(draft: &mut Draft<Word>, met: Met, turns: [Option<[Place; 2]>; 2]) -> [Place; 4] {
    let wish = [0, 1].map(|half| match turns[half] {
        Some(_) => Wish::File(FILES[half]),
        None => Wish::Accumulator,
    });
    let mut half = 0;
    let rows = met.sums(draft, wish.map(|wish| [wish; 2])).map(|z| {
        let z = match turns[half] {
            Some(turns) => {
                let [cos, sin] = turns.map(|place| [Source::Place(place); 2]);
                draft.turn(z, cos, sin, Wish::Accumulator)
            }
            None => z,
        };
        half += 1;
        both_rows(draft, z)
    });
    let [[a, b], [c, d]] = rows;
    [a, b, c, d]
}

/// Both rows of an output: real parts in even lanes, imaginary in odd. Gives back z, which is in
/// accumulators.
fn both_rows(draft: &mut Draft<Word>, z: Complex) -> [Place; 2] {
    let [re, im] = z.map(|part| part.place);
    let even = draft.take(Wish::AnyFile);
    draft.copy(Source::Place(re), Destination::Place(even));
    draft.merge_rotated(im, 1, Cond::ZC, even);
    // What odd lanes hold: theirs, and in even lanes what becomes the real part there.
    draft.merge_rotated(re, 15, Cond::ZS, im);
    // Copied two at a time, one in each file.
    let rows = FILES.map(|file| draft.take(Wish::File(file)));
    for (row, op) in rows.into_iter().zip([AddOp::Fadd, AddOp::Fsub]) {
        let sources = [even, im].map(Source::Place);
        draft.add_op(op, sources, Destination::Place(row));
    }
    draft.give_back(even);
    draft.give_back_complex(z);
    rows
}

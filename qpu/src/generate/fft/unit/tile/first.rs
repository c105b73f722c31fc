//! First passes of 128 points: each of S QPUs transforms 128 / S rows of 2 S columns, then all come together.
//!
//! Outputs are turned so that those of others are as good as one's own before they are exchanged; what is left
//! then are sums and differences, and the twiddles.
//!
//! Two outputs at a time are turned and transformed across lanes by a routine, and then, when they are sum and
//! difference of what came together, turned by their twiddles by another: the instruction cache of a slice would
//! not hold all of them one after the other. What a routine looks up is asked for in a call before; the last calls ask
//! for the first rows of the next unit, so that these come while this one is stored, and nothing is dropped.

use super::super::Word;
use super::super::codelet::Codelet;
use super::super::frame::{Frame, Shape, Source, Stores, Written};
use super::super::points::{Points, rows_ahead};
use super::exchange::{KEPT, exchange};
use crate::fft::program::{Kind, Lanes, Record, Row, Task};
use crate::generate::fft::dft16::{Butterfly, Ends, dft16};
use crate::generate::fft::draft::{Complex, Draft, Wish, positive};
use crate::generate::schedule::{Destination, Operation, Place};
use crate::isa::{AddOp, File};
use crate::vpm::{Block, Store};

/// Number of the routine for outputs of the transform.
const OUTPUTS: usize = 0;
/// Number of the routine for outputs of the tile.
const TWIDDLES: usize = 1;
/// Outputs of a call: one for each TMU, which holds four lookups.
const AT_A_TIME: usize = 2;
/// Registers of file A that only the routine for outputs has, beside those in which they come and go.
const TEMPORARY: usize = 3;

/// cos π/8, sin π/8 and cos π/4: the constants of the transform.
const CONSTANTS: [Row; 3] = [root_of_16(1, 0), root_of_16(1, 1), root_of_16(2, 0)];

const fn root_of_16(output: u8, component: u8) -> Row {
    Row::Column {
        column: 1,
        output,
        component,
    }
}

/// The program of a first pass.
pub fn program(kind: Kind) -> Written {
    let shape = Shape {
        write: Block::column(0, 0),
        stores: Stores::Fixed(vec![Store::rows(16, 0)]),
    };
    let mut frame = Frame::of_tiles(Task::Points(kind), &shape);
    frame.has_routines();
    let turn = frame.lanes(Lanes::Turn);
    let mut points = Points::start(&mut frame, kind);
    points.ask_ahead(&mut frame);
    frame.begin_unit();
    // Behind the transform others have their registers.
    let constants = frame.constants;
    let twiddle = frame.word(Record::Twiddle);
    let columns = (kind.sharers > 2).then(|| frame.draft.take(Wish::AnyFile));
    let mut points = points.begin_unit(frame, None);
    constants.load_again_from(points.draft(), CONSTANTS.map(Word::Row));
    let mut first = First {
        sharers: kind.sharers,
        points,
        turn,
        twiddle,
        columns,
        calls: None,
        outputs: [None; 16],
    };
    dft16(&mut first, &constants);
    let First {
        points,
        twiddle,
        columns: columns_at,
        outputs,
        ..
    } = first;
    let ahead = points.ahead.expect("asked for from the start");
    let mut frame = points.codelet.frame;
    // As much is on its way as the TMUs hold: the first was asked for in the last call for outputs.
    let turns: Vec<Turns> = match columns_at {
        Some(columns) => {
            ask(&mut frame.draft, columns, turns_of_columns(0));
            vec![(twiddle, twiddles), (columns, turns_of_columns)]
        }
        None => {
            ask(&mut frame.draft, twiddle, twiddles(1));
            vec![(twiddle, twiddles)]
        }
    };
    let outputs = outputs.map(|output| output.expect("transformed"));
    let met = exchange(&mut frame, &outputs);
    let both = take_both(&mut frame.draft);
    let mut columns = [[[None; KEPT]; 2]; 2];
    for (k, met) in met.into_iter().enumerate() {
        met.sums(
            &mut frame.draft,
            both.map(|z| z.map(|part| Wish::At(part.place))),
        );
        if k + outputs_asked_for(&turns) == KEPT {
            // What is asked for from here on are rows of the next unit.
            for &(lanes, _) in &turns {
                let to = Destination::Place(lanes);
                frame.draft.copy(Source::Place(ahead), to);
            }
        }
        frame.piece(None);
        turn_both(&mut frame, both, &turns, k);
        frame.call(TWIDDLES);
        for (half, z) in both.into_iter().enumerate() {
            for (part, column) in keep(&mut frame.draft, z)
                .into_iter()
                .zip(&mut columns[half])
            {
                column[k] = Some(part.place);
            }
        }
    }
    // Of each half real parts, then imaginary parts.
    let columns = columns.as_flattened().as_flattened().iter().flatten();
    let columns = columns.copied().collect();
    frame.written(columns, None)
}

/// Registers in which outputs come to a routine, and go.
fn take_both(draft: &mut Draft<Word>) -> [Complex; AT_A_TIME] {
    [(); AT_A_TIME].map(|()| [(); 2].map(|()| positive(draft.take(Wish::AnyFile))))
}

/// A copy of what a routine gave.
fn keep(draft: &mut Draft<Word>, z: Complex) -> Complex {
    z.map(|part| {
        let place = draft.take(Wish::AnyFile);
        draft.copy(Source::Place(part.place), Destination::Place(place));
        positive(place)
    })
}

/// The words that are looked up for output `k` of both halves: twiddles, or what of them depends on the tile.
fn twiddles(k: usize) -> [[Word; 2]; AT_A_TIME] {
    [0, KEPT].map(|half| [0, 1].map(|component| of_twiddle((half + k) as u8, component)))
}

/// And what depends on the column within it.
fn turns_of_columns(k: usize) -> [[Word; 2]; AT_A_TIME] {
    [0, KEPT].map(|half| {
        let output = (half + k) as u8;
        [0, 1].map(|component| Word::Row(Row::TurnOfColumn { output, component }))
    })
}

fn of_twiddle(output: u8, component: u8) -> Word {
    Word::Row(Row::Twiddle { output, component })
}

/// Asks for what outputs are turned by, both components of one at the same TMU.
fn ask(draft: &mut Draft<Word>, lanes: Place, words: [[Word; 2]; AT_A_TIME]) {
    for (tmu, words) in (0..).zip(words) {
        words
            .into_iter()
            .for_each(|word| draft.ask(tmu, lanes, word));
    }
}

/// Asks for any word at all: addresses of rows have carries.
fn ask_for(tmu: u8, lanes: Place, word: Word) -> Operation<Word> {
    let sources = [Source::Place(lanes), Source::Uniform(word)];
    Operation::add(AddOp::Add, sources, Destination::Tmu(tmu))
}

/// What outputs of a tile are turned by: which lookups, and what is added to their addresses.
type Turns = (Place, fn(usize) -> [[Word; 2]; AT_A_TIME]);

/// Outputs of each half for which the TMUs hold what they are turned by.
const fn outputs_asked_for(turns: &[Turns]) -> usize {
    2 / turns.len()
}

/// What the call for output `k` asks for with turn number `turn`; behind the last output, rows of the next unit.
fn words_behind(turns: &[Turns], k: usize, turn: usize) -> [[Word; 2]; AT_A_TIME] {
    let next = k + outputs_asked_for(turns);
    match next.checked_sub(KEPT) {
        None => turns[turn].1(next),
        Some(behind) => {
            let first = AT_A_TIME * (behind + turn);
            [0, 1].map(|which| rows_ahead()[first + which].map(Word::Row))
        }
    }
}

/// The routine for outputs of the tile: turns output `k` of both halves by what was asked for, and asks for more, as
/// much as the TMUs hold.
fn turn_both(frame: &mut Frame, both: [Complex; AT_A_TIME], turns: &[Turns], k: usize) {
    let draft = &mut frame.draft;
    for turn in 0..turns.len() {
        for (tmu, z) in (0..).zip(both) {
            let r4 = Source::Place(Place::R4);
            draft.push(Operation::fetch(tmu));
            let [re_cos, im_cos] = z.map(|part| draft.multiply(part, r4, Wish::Accumulator));
            draft.push(Operation::fetch(tmu));
            let [re_sin, im_sin] = z.map(|part| draft.multiply(part, r4, Wish::Accumulator));
            if let ([(lanes, _)], 1) = (turns, tmu) {
                // Not before all are fetched, which the scheduler cannot know.
                for (tmu, words) in (0..).zip(words_behind(turns, k, 0)) {
                    for word in words {
                        draft.push(ask_for(tmu, *lanes, word).after_all());
                    }
                }
            }
            let [re, im] = z.map(|part| Wish::At(part.place));
            draft.add(re_cos, im_sin, re);
            draft.subtract(im_cos, re_sin, im);
            let products = [[re_cos, im_cos], [re_sin, im_sin]];
            products
                .into_iter()
                .for_each(|both| draft.give_back_complex(both));
            if turn == 1 {
                for (turn, (lanes, _)) in turns.iter().enumerate() {
                    for word in words_behind(turns, k, turn)[usize::from(tmu)] {
                        draft.push(ask_for(tmu, *lanes, word));
                    }
                }
            }
        }
    }
}

/// What the routine for outputs works on.
struct Calls {
    /// Where outputs are left for it, and where it leaves them.
    both: [Complex; AT_A_TIME],
    /// What all outputs are turned by.
    shared: [Place; 2],
    /// What is added to addresses of what it asks for.
    lanes: Place,
    /// Registers of its own.
    own: Vec<Place>,
    /// How many outputs have come.
    came: usize,
}

struct First {
    sharers: u8,
    points: Points,
    /// Lane offsets of turns.
    turn: Place,
    /// Address of the unit's twiddles.
    twiddle: Place,
    /// Lane offsets of turns by column, of four QPUs.
    columns: Option<Place>,
    /// From the first output to the last.
    calls: Option<Calls>,
    outputs: [Option<Complex>; 16],
}

/// Output number `number` of those that the transform gives, one after the other.
const fn output_of(number: usize) -> usize {
    number / 4 + 4 * (number % 4)
}

impl First {
    /// Looks up what all outputs are turned by, and leaves the lane offsets of columns: of turns, or in the address of
    /// the twiddles.
    fn look_up_shared(&mut self) -> [Place; 2] {
        let codelet = &mut self.points.codelet;
        let draft = &mut codelet.frame.draft;
        let vector = draft.take(Wish::Accumulator);
        let to = Destination::Place(vector);
        draft.add_op(AddOp::Shl, [Source::Lane, Source::Small(3)], to);
        let sources = [self.twiddle, vector].map(Source::Place);
        draft.add_op(AddOp::Add, sources, to);
        let both = [0, 1].map(|component| {
            let fetched = codelet.fetch_aligned(vector, of_twiddle(16, component));
            let draft = &mut codelet.frame.draft;
            let place = draft.take(Wish::File(File::B));
            draft.copy(Source::Place(fetched.place), Destination::Place(place));
            place
        });
        let draft = &mut codelet.frame.draft;
        // Of columns: 8 · (lane mod 2 S).
        let last = 2 * i32::from(self.sharers) - 1;
        draft.add_op(AddOp::And, [Source::Lane, Source::Small(last)], to);
        let sources = [Source::Place(vector), Source::Small(3)];
        match self.columns {
            Some(columns) => draft.add_op(AddOp::Shl, sources, Destination::Place(columns)),
            None => {
                draft.add_op(AddOp::Shl, sources, to);
                let sources = [vector, self.twiddle].map(Source::Place);
                draft.add_op(AddOp::Add, sources, Destination::Place(self.twiddle));
            }
        }
        draft.give_back(vector);
        both
    }

    /// What call number `call` asks for or finds: turns of its outputs, and behind the last twiddles.
    fn words_of_call(call: usize) -> [[Word; 2]; AT_A_TIME] {
        if call == 16 / AT_A_TIME {
            return twiddles(0);
        }
        [0, 1].map(|which| {
            let output = output_of(AT_A_TIME * call + which) as u8;
            [0, 1].map(|component| Word::Row(Row::TurnOfRow { output, component }))
        })
    }

    /// The routine: turns outputs, transforms them across lanes, and turns them by what all share.
    fn call(&mut self, calls: &Calls, call: usize) {
        let own = Draft::on(&calls.own);
        let outer = core::mem::replace(&mut self.points.codelet.frame.draft, own);
        for (tmu, both) in (0..).zip(calls.both) {
            let fetch = |codelet: &mut Codelet, _| {
                codelet.frame.draft.push(Operation::fetch(tmu));
                Source::Place(Place::R4)
            };
            let codelet = &mut self.points.codelet;
            let z = codelet.turned_looked_up(both, fetch, Wish::Accumulator);
            let Points {
                across, codelet, ..
            } = &mut self.points;
            let z = across.of_turned(codelet, z, [Wish::File(File::A); 2]);
            let [cos, sin] = calls.shared.map(|place| [Source::Place(place); 2]);
            let to = both.map(|part| Wish::At(part.place));
            let draft = &mut self.points.codelet.frame.draft;
            draft.turn_to(z, cos, sin, to);
        }
        let draft = &mut self.points.codelet.frame.draft;
        ask(draft, calls.lanes, Self::words_of_call(call + 1));
        self.points.codelet.frame.call(OUTPUTS);
        self.points.codelet.frame.draft = outer;
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

    fn begin_outputs(&mut self) {
        self.points.end_input();
        self.points.codelet.frame.without_constants();
        let shared = self.look_up_shared();
        let draft = self.draft();
        let own = (0..TEMPORARY).map(|_| draft.take(Wish::File(File::A)));
        let own = own.collect();
        let both = take_both(draft);
        let lanes = draft.take(Wish::AnyFile);
        let turn = Source::Place(self.turn);
        self.draft().copy(turn, Destination::Place(lanes));
        ask(self.draft(), lanes, Self::words_of_call(0));
        self.calls = Some(Calls {
            both,
            shared,
            lanes,
            own,
            came: 0,
        });
    }

    fn wish(&self, component: usize) -> Wish {
        let calls = self.calls.as_ref().expect("before outputs");
        Wish::At(calls.both[calls.came % AT_A_TIME][component].place)
    }

    fn output(&mut self, k: usize, _: Complex) {
        let mut calls = self.calls.take().expect("before outputs");
        assert_eq!(k, output_of(calls.came), "outputs come in their order");
        calls.came += 1;
        if !calls.came.is_multiple_of(AT_A_TIME) {
            self.calls = Some(calls);
            return;
        }
        let is_last = calls.came == self.outputs.len();
        if is_last {
            let to = Destination::Place(calls.lanes);
            let twiddle = Source::Place(self.twiddle);
            self.draft().copy(twiddle, to);
        }
        self.points.codelet.frame.piece(None);
        self.call(&calls, calls.came / AT_A_TIME - 1);
        for (which, both) in calls.both.into_iter().enumerate() {
            let output = keep(self.draft(), both);
            self.outputs[output_of(calls.came - AT_A_TIME + which)] = Some(output);
        }
        if !is_last {
            self.calls = Some(calls);
            return;
        }
        let draft = self.draft();
        calls
            .both
            .into_iter()
            .for_each(|both| draft.give_back_complex(both));
        calls
            .own
            .iter()
            .chain(&calls.shared)
            .for_each(|&place| draft.give_back(place));
        draft.give_back(calls.lanes);
    }
}

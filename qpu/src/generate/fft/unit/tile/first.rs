//! First passes of 128 points: each of S QPUs transforms R / S rows, then all come together.
//!
//! Outputs are turned so that those of others are as good as one's own before they are exchanged;
//! what is left then are sums and differences, and the twiddles.
//!
//! The instruction cache of a slice would not hold all of this one after the other. Columns of the
//! transform are done by a routine ([`columns`](super::super::columns)), the two outputs that it
//! gives one after the other by another, which turns and transforms them across lanes, and those of
//! the tile by a third ([`super::twiddles`]). What a routine looks up is asked for two calls
//! before, and in the end what the next unit begins with: so that comes while this one is stored.
//!
//! Both components of a vector go to different TMUs: they are in the same lines, of which a vector
//! has several that take each other's places in all caches. TMUs that look for them at the same
//! time get them at once.

use super::super::Word;
use super::super::codelet::AHEAD;
use super::super::codelet::{Codelet, Lookup};
use super::super::columns;
use super::super::frame::{Frame, Shape, Source, Stores, Written};
use super::super::points::Points;
use super::exchange::{KEPT, exchange};
use super::twiddles::{
    AT_A_TIME, Turns, Words, ahead, ask_for, prepare, turn_both, turns_of_columns, twiddles,
};
use crate::fft::points::{Record, Row, Start};
use crate::fft::program::{self, Kind, Lanes, Task};
use crate::generate::fft::dft16::{Butterfly, Ends, dft16_of_columns};
use crate::generate::fft::draft::{Complex, Draft, Wish, positive};
use crate::generate::schedule::{Destination, Operation, Place};
use crate::isa::{AddOp, File, MulOp};
use crate::vpm::{Block, Store};

/// Number of the routine for outputs of the transform: that of columns is the one before.
const OUTPUTS: usize = 1;
/// Number of the routine for outputs of the tile.
const TWIDDLES: usize = 2;
/// Calls of the routine for outputs.
const CALLS: usize = 16 / AT_A_TIME;
/// Calls of it that begin with their lookups on their way.
const CALLS_AHEAD: usize = AHEAD / 4;
/// Registers of file A that only the routine for outputs has, beside those in which they come and
/// go.
const TEMPORARY: usize = 3;

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
    let next = Next::start(&mut frame, points.lanes());
    points.looks_ahead(next.input);
    frame.begin_unit();
    frame.without_constants();
    let twiddle = frame.word(Record::Twiddle);
    next.begin_unit(&mut frame);
    let points = points.begin_unit(frame, None);
    let mut first = First {
        kind,
        points,
        turn,
        twiddle,
        columns: None,
        calls: None,
        outputs: [None; 16],
    };
    let shared = first.begin();
    let behind: Vec<_> = (0..CALLS_AHEAD)
        .flat_map(|call| first.words_of_call(call).1)
        .flatten()
        .map(|word| Lookup { lanes: turn, word })
        .collect();
    let behind = core::array::from_fn(|number| behind[number]);
    let columns = columns::columns(&mut first.points, Some(behind));
    first.begin_calls(shared);
    dft16_of_columns(&mut first, columns);
    let turns = first.turns();
    let outputs = first.outputs.map(|output| output.expect("transformed"));
    let mut frame = first.points.codelet.frame;
    let met = exchange(&mut frame, &outputs);
    let both = take_both(&mut frame.draft);
    let mut columns = [[[None; KEPT]; 2]; 2];
    for (k, met) in met.into_iter().enumerate() {
        let draft = &mut frame.draft;
        met.sums(draft, both.map(|z| z.map(|part| Wish::At(part.place))));
        prepare(draft, &turns, k, [next.shared, next.input]);
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

/// Addresses for [`ahead`], in its order: there a unit finds what the one before it asked for.
#[derive(Clone, Copy)]
struct Next {
    shared: Place,
    input: Place,
}

impl Next {
    /// Asks for what the first unit begins with. `lanes` are offsets of its rows.
    fn start(frame: &mut Frame, lanes: Place) -> Self {
        frame.looks_ahead();
        let draft = &mut frame.draft;
        let [shared, input] = [(); 2].map(|()| draft.take(Wish::AnyFile));
        let vector = offsets_of_a_vector(draft);
        let of = |word| Source::Uniform(Word::start(word));
        for (lanes, word, to) in [
            (vector, Start::TwiddleAhead, shared),
            (lanes, Start::InputAhead, input),
        ] {
            let sources = [Source::Place(lanes), of(word)];
            draft.add_op(AddOp::Add, sources, Destination::Place(to));
        }
        draft.give_back(vector);
        for (lanes, words) in [shared, input].into_iter().zip(ahead()) {
            let words = words.map(|words| {
                words.map(|word| match word {
                    Word::Row(row) => Word::Start(program::Start::Row(row)),
                    word => word,
                })
            });
            let asks = ask_for(lanes, words).flatten();
            asks.for_each(|ask| draft.push(ask));
        }
        Self { shared, input }
    }

    /// Reads where the next unit's shared vector is.
    fn begin_unit(&self, frame: &mut Frame) {
        let draft = &mut frame.draft;
        let vector = offsets_of_a_vector(draft);
        let word = Source::Uniform(Word::record(Record::TwiddleAhead));
        let sources = [Source::Place(vector), word];
        draft.add_op(AddOp::Add, sources, Destination::Place(self.shared));
        draft.give_back(vector);
    }
}

/// 8 · lane.
fn offsets_of_a_vector(draft: &mut Draft<Word>) -> Place {
    let vector = draft.take(Wish::Accumulator);
    let sources = [Source::Lane, Source::Small(3)];
    draft.add_op(AddOp::Shl, sources, Destination::Place(vector));
    vector
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

/// The state on which the routine for outputs works.
struct Calls {
    /// The registers in which outputs are left for it, and in which it leaves them.
    both: [Complex; AT_A_TIME],
    /// The twiddle factor that all outputs share.
    shared: [Place; 2],
    /// The vector that is added to addresses of what it asks for.
    lanes: Place,
    /// Registers of its own.
    own: Vec<Place>,
    /// Number of outputs that have come.
    came: usize,
}

struct First {
    kind: Kind,
    points: Points,
    /// Lane offsets of turns.
    turn: Place,
    /// Address of the unit's twiddles; when all points are there also lane offsets, but of four
    /// QPUs.
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
    /// Takes what all outputs are turned by, and asks for the rest of the first column.
    fn begin(&mut self) -> [Place; 2] {
        let input = self.points.input();
        let draft = self.draft();
        let shared = [0, 1].map(|tmu| {
            let place = draft.take(Wish::File(File::B));
            draft.push(Operation::fetch(tmu));
            draft.copy(Source::Place(Place::R4), Destination::Place(place));
            // It was asked for twice.
            draft.push(Operation::fetch(tmu));
            place
        });
        let rows = |component| [4, 12].map(|vector| Word::row(Row::Input { vector, component }));
        // Not before there is room in the TMUs, which the scheduler cannot know.
        for ask in ask_for(input, [0, 1].map(rows)).flatten() {
            draft.push(ask.after_all());
        }
        self.points.codelet.begin_asked();
        shared
    }

    /// All points are there: lane offsets of columns, of turns or in the address of the twiddles.
    fn begin_calls(&mut self, shared: [Place; 2]) {
        // Columns of a tile.
        let columns = 256 / i32::from(self.kind.own_radix());
        let (turn, twiddle) = (self.turn, self.twiddle);
        let splits_twiddles = self.kind.sharers > 2;
        let draft = self.draft();
        let vector = draft.take(Wish::Accumulator);
        let to = Destination::Place(vector);
        draft.add_op(AddOp::And, [Source::Lane, Source::Small(columns - 1)], to);
        let sources = [Source::Place(vector), Source::Small(3)];
        let columns = splits_twiddles.then(|| draft.take(Wish::AnyFile));
        match columns {
            Some(columns) => draft.add_op(AddOp::Shl, sources, Destination::Place(columns)),
            None => {
                draft.add_op(AddOp::Shl, sources, to);
                let sources = [vector, twiddle].map(Source::Place);
                draft.add_op(AddOp::Add, sources, Destination::Place(twiddle));
            }
        }
        draft.give_back(vector);
        let own = (0..TEMPORARY).map(|_| draft.take(Wish::File(File::A)));
        let own = own.collect();
        let both = take_both(draft);
        let lanes = draft.take(Wish::AnyFile);
        draft.copy(Source::Place(turn), Destination::Place(lanes));
        self.columns = columns;
        self.calls = Some(Calls {
            both,
            shared,
            lanes,
            own,
            came: 0,
        });
    }

    /// The twiddle factors of outputs of the tile, in two multiplications or in one.
    fn turns(&self) -> Vec<Turns> {
        let twiddles: Turns = (self.twiddle, twiddles);
        let by_column = self
            .columns
            .map(|columns| -> Turns { (columns, turns_of_columns) });
        [twiddles].into_iter().chain(by_column).collect()
    }

    /// The words that call number `call` finds, and what is added to them: twiddle factors of its
    /// outputs, and behind the last those that outputs of the tile are multiplied by first.
    fn words_of_call(&self, call: usize) -> (Place, Words) {
        let Some(behind) = call.checked_sub(CALLS) else {
            let words = [0, 1].map(|which| {
                let output = output_of(AT_A_TIME * call + which) as u8;
                [0, 1].map(|component| Word::row(Row::TurnOfRow { output, component }))
            });
            return (self.turn, words);
        };
        let turns = self.turns();
        let (lanes, words) = turns[behind % turns.len()];
        (lanes, words(behind / turns.len()))
    }

    /// The routine: turns outputs, transforms them across lanes, and turns them by what all share.
    fn call(&mut self, calls: &Calls, call: usize) {
        let (_, asked) = self.words_of_call(call + CALLS_AHEAD);
        let own = Draft::on(&calls.own);
        let outer = core::mem::replace(&mut self.points.codelet.frame.draft, own);
        for ((tmu, both), words) in (0..).zip(calls.both).zip(asked) {
            let fetch = |codelet: &mut Codelet, _| {
                codelet.frame.draft.push(Operation::fetch(tmu));
                Source::Place(Place::R4)
            };
            let codelet = &mut self.points.codelet;
            let z = codelet.turned_looked_up(both, fetch, Wish::Accumulator);
            for word in words {
                // Not before there is room in the TMU, which the scheduler cannot know.
                let sources = [Source::Place(calls.lanes), Source::Uniform(word)];
                let to = Destination::Tmu(tmu);
                let ask = Operation::either(AddOp::Add, MulOp::V8adds, sources, to);
                codelet.frame.draft.push(ask.after_all());
            }
            let Points {
                across, codelet, ..
            } = &mut self.points;
            let z = across.of_turned(codelet, z, [Wish::File(File::A); 2]);
            let [cos, sin] = calls.shared.map(|place| [Source::Place(place); 2]);
            let to = both.map(|part| Wish::At(part.place));
            let draft = &mut self.points.codelet.frame.draft;
            draft.turn_to(z, cos, sin, to);
        }
        self.points.codelet.frame.call(OUTPUTS);
        self.points.codelet.frame.draft = outer;
    }
}

impl Ends for First {
    type Uniform = Word;

    fn draft(&mut self) -> &mut Draft<Word> {
        self.points.draft()
    }

    fn butterfly(&mut self, _: usize) -> Butterfly {
        unreachable!("columns are there")
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
        let call = calls.came / AT_A_TIME - 1;
        if call + CALLS_AHEAD >= CALLS {
            // What is behind the outputs.
            let (lanes, _) = self.words_of_call(call + CALLS_AHEAD);
            let to = Destination::Place(calls.lanes);
            self.draft().copy(Source::Place(lanes), to);
        }
        self.points.codelet.frame.piece(None);
        self.call(&calls, call);
        for (which, both) in calls.both.into_iter().enumerate() {
            let output = keep(self.draft(), both);
            self.outputs[output_of(AT_A_TIME * call + which)] = Some(output);
        }
        if call + 1 < CALLS {
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

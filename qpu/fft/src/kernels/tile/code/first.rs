//! First passes of 128 points: each of S QPUs transforms R / S rows, then all come together.
//!
//! Outputs are multiplied so that those of others are as good as one's own before they are
//! exchanged; what is left then are sums and differences, and the twiddles.
//!
//! The instruction cache of a slice would not hold all of this one after the other. Columns of the
//! transform are done by a routine ([`routines`]), the two
//! outputs that it gives one after the other by another, which multiplies and transforms them
//! across lanes, and those of the tile by a third ([`super::twiddles`]). What a routine looks up is
//! asked for two calls before, and in the end what the next unit begins with: so that comes while
//! this one is stored.
//!
//! Both components of a vector go to different TMUs: they are in the same lines, of which a vector
//! has several that take each other's places in all caches. TMUs that look for them at the same
//! time get them at once.

use super::exchange::{KEPT, exchange};
use super::twiddles::{
    AT_A_TIME, Roots, Words, ahead, ask_for, multiply_both, prepare, roots_of_columns, twiddles,
};
use crate::codelet::op_list::{Complex, OpList, Wish, positive};
use crate::codelet::radix16::{CodeletEnds, dft16_of_columns};
use crate::kernels::program::{self, Kind, Lanes};
use crate::kernels::unit;
use crate::kernels::unit::code::codelet::{AHEAD, Codelet, Lookup, sums};
use crate::kernels::unit::code::points::Points;
use crate::kernels::unit::code::routines;
use crate::kernels::unit::uniforms::{Record, Row, Start};
use crate::kernels::unit_loop::{Source, UnitProgram, Word, Written, lane_offsets};
use qpu::generate::schedule::{Destination, Operation, Place};
use qpu::isa::{AddOp, File, MulOp};
use qpu::vpm::{Block, Store};

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
    let (write, stores) = (Block::column(0, 0), [Store::rows(16, 0)]);
    let mut program = UnitProgram::of_tiles(kind, write, &stores, unit::code::name);
    program.has_routines();
    let root = program.lanes(Lanes::Root);
    let mut points = Points::start(program, kind);
    let program = &mut points.codelet.program;
    let next = Next::start(program, points.input);
    program.begin_unit();
    program.without_constants();
    let twiddle = program.word(Record::Twiddle);
    next.begin_unit(program);
    points.begin_unit(None, Some(next.input));
    let shared = begin(&mut points);
    let behind: Vec<_> = (0..CALLS_AHEAD).flat_map(roots_of_outputs).collect();
    let behind = core::array::from_fn(|number| Lookup {
        lanes: root,
        word: behind[number / 2][number % 2],
    });
    let columns = routines::columns(&mut points, Some(behind));
    let mut first = TileFirst::new(kind, points, shared, root, twiddle);
    dft16_of_columns(&mut first, columns);
    first.end();
    let roots = first.roots;
    let outputs = first.outputs.map(|output| output.expect("transformed"));
    let mut program = first.points.codelet.program;
    let met = exchange(&mut program, &outputs);
    let both = take_both(&mut program.ops);
    let mut columns = [[[None; KEPT]; 2]; 2];
    for (k, met) in met.into_iter().enumerate() {
        let ops = &mut program.ops;
        let wishes = both.map(|z| z.map(|part| Wish::At(part.place)));
        sums(ops, met, wishes);
        prepare(ops, &roots, k, [next.shared, next.input]);
        program.piece(None);
        multiply_both(&mut program, both, &roots, k);
        program.call(TWIDDLES);
        for (half, z) in both.into_iter().enumerate() {
            for (part, column) in keep(&mut program.ops, z)
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
    program.written(columns, None)
}

/// Addresses for [`ahead`], in its order: there a unit finds what the one before it asked for.
#[derive(Clone, Copy)]
struct Next {
    shared: Place,
    input: Place,
}

impl Next {
    /// Asks for what the first unit begins with. `lanes` are offsets of its rows.
    fn start(program: &mut UnitProgram, lanes: Place) -> Self {
        program.of_sharing().looks_ahead = true;
        let ops = &mut program.ops;
        let [shared, input] = [(); 2].map(|()| ops.take(Wish::AnyFile));
        let vector = lane_offsets(ops, 3, Wish::Accumulator);
        let of = |word| Source::Uniform(Word::start(word));
        for (lanes, word, to) in [
            (vector, Start::TwiddleAhead, shared),
            (lanes, Start::InputAhead, input),
        ] {
            ops.add_op(AddOp::Add, lanes, of(word), to);
        }
        ops.give_back(vector);
        for (lanes, words) in [shared, input].into_iter().zip(ahead()) {
            let words = words.map(|words| {
                words.map(|word| match word {
                    Word::Row(row) => Word::Start(program::Start::Row(row)),
                    word => word,
                })
            });
            let asks = ask_for(lanes, words).flatten();
            asks.for_each(|ask| ops.push(ask));
        }
        Self { shared, input }
    }

    /// Reads where the next unit's shared vector is.
    fn begin_unit(&self, program: &mut UnitProgram) {
        let ops = &mut program.ops;
        let vector = lane_offsets(ops, 3, Wish::Accumulator);
        let word = Source::Uniform(Word::record(Record::TwiddleAhead));
        ops.add_op(AddOp::Add, vector, word, self.shared);
        ops.give_back(vector);
    }
}

/// Registers in which outputs come to a routine, and go.
fn take_both(ops: &mut OpList<Word>) -> [Complex; AT_A_TIME] {
    [(); AT_A_TIME].map(|()| [(); 2].map(|()| positive(ops.take(Wish::AnyFile))))
}

/// A copy of what a routine gave.
fn keep(ops: &mut OpList<Word>, z: Complex) -> Complex {
    z.map(|part| positive(ops.load(part.place, Wish::AnyFile)))
}

/// Output number `number` of those that the transform gives, one after the other.
const fn output_of(number: usize) -> usize {
    number / 4 + 4 * (number % 4)
}

/// The twiddle factors of the outputs of call number `call`.
fn roots_of_outputs(call: usize) -> Words {
    [0, 1].map(|which| {
        let output = output_of(AT_A_TIME * call + which) as u8;
        [0, 1].map(|component| Word::row(Row::RootOfRow { output, component }))
    })
}

/// Takes what all outputs are multiplied by, and asks for the rest of the first column.
fn begin(points: &mut Points) -> [Place; 2] {
    let input = points.input;
    let ops = points.ops();
    let shared = [0, 1].map(|tmu| {
        let place = ops.take(Wish::File(File::B));
        ops.push(Operation::fetch(tmu));
        ops.copy(Place::R4, place);
        // It was asked for twice.
        ops.push(Operation::fetch(tmu));
        place
    });
    let rows = |component| [4, 12].map(|vector| Word::row(Row::Input { vector, component }));
    // Not before there is room in the TMUs, which the scheduler cannot know.
    for ask in ask_for(input, [0, 1].map(rows)).flatten() {
        ops.push(ask.after_all());
    }
    points.codelet.begin_asked();
    shared
}

/// The outputs of the transform: two for each call of the routine.
struct TileFirst {
    points: Points,
    /// Lane offsets of roots.
    root: Place,
    /// The twiddle factors of outputs of the tile, in two multiplications or in one.
    roots: Vec<Roots>,
    /// The registers in which outputs are left for the routine, and in which it leaves them.
    both: [Complex; AT_A_TIME],
    /// The twiddle factor that all outputs share.
    shared: [Place; 2],
    /// The vector that is added to addresses of what the routine asks for.
    lanes: Place,
    /// Registers of the routine.
    own: Vec<Place>,
    /// Number of outputs that have come.
    came: usize,
    outputs: [Option<Complex>; 16],
}

impl TileFirst {
    /// None has come, and all points are there. `root` has lane offsets of roots, `twiddle` is the
    /// address of the unit's twiddles. Lane offsets of columns are added to that; where four QPUs
    /// share a tile, they find the roots by column instead.
    fn new(
        kind: Kind,
        mut points: Points,
        shared: [Place; 2],
        root: Place,
        twiddle: Place,
    ) -> Self {
        // Columns of a tile.
        let columns = 256 / i32::from(kind.own_radix());
        let ops = points.ops();
        let vector = ops.take(Wish::Accumulator);
        ops.add_op(AddOp::And, Source::Lane, columns - 1, vector);
        let mut roots: Vec<Roots> = vec![(twiddle, twiddles)];
        if kind.sharers > 2 {
            let columns = ops.take(Wish::AnyFile);
            ops.add_op(AddOp::Shl, vector, 3, columns);
            roots.push((columns, roots_of_columns));
        } else {
            ops.add_op(AddOp::Shl, vector, 3, vector);
            ops.add_op(AddOp::Add, vector, twiddle, twiddle);
        }
        ops.give_back(vector);
        let own = (0..TEMPORARY).map(|_| ops.take(Wish::File(File::A)));
        let own = own.collect();
        let both = take_both(ops);
        let lanes = ops.load(root, Wish::AnyFile);
        Self {
            points,
            root,
            roots,
            both,
            shared,
            lanes,
            own,
            came: 0,
            outputs: [None; 16],
        }
    }

    /// The words that call number `call` finds, and what is added to them: twiddle factors of its
    /// outputs, and behind the last those that outputs of the tile are multiplied by first.
    fn words_of_call(&self, call: usize) -> (Place, Words) {
        let Some(behind) = call.checked_sub(CALLS) else {
            return (self.root, roots_of_outputs(call));
        };
        let (lanes, words) = self.roots[behind % self.roots.len()];
        (lanes, words(behind / self.roots.len()))
    }

    /// The routine: multiplies outputs, transforms them across lanes, and multiplies them by what
    /// all share. Asks for `asked`.
    fn call(&mut self, asked: Words) {
        let own = OpList::on(&self.own);
        let outer = core::mem::replace(self.ops(), own);
        for ((tmu, both), words) in (0..).zip(self.both).zip(asked) {
            let fetch = |codelet: &mut Codelet, _| {
                codelet.program.ops.push(Operation::fetch(tmu));
                Source::Place(Place::R4)
            };
            let codelet = &mut self.points.codelet;
            let z = codelet.multiplied_looked_up(both, fetch, Wish::Accumulator);
            for word in words.map(Source::Uniform) {
                // Not before there is room in the TMU, which the scheduler cannot know.
                let to = Destination::Tmu(tmu);
                let ask = Operation::either(AddOp::Add, MulOp::V8adds, self.lanes, word, to);
                self.ops().push(ask.after_all());
            }
            let to = both.map(|part| Wish::At(part.place));
            let Points {
                across, codelet, ..
            } = &mut self.points;
            across.finished(codelet, z, Some(self.shared), to);
        }
        self.points.codelet.program.call(OUTPUTS);
        *self.ops() = outer;
    }

    /// Gives back the registers of the routine, behind the last output.
    fn end(&mut self) {
        let Self {
            points, both, own, ..
        } = self;
        let ops = points.ops();
        both.iter().for_each(|&z| ops.give_back_complex(z));
        let places = own.iter().chain(&self.shared).chain([&self.lanes]);
        places.for_each(|&place| ops.give_back(place));
    }
}

impl CodeletEnds for TileFirst {
    type Uniform = Word;

    fn ops(&mut self) -> &mut OpList<Word> {
        self.points.ops()
    }

    fn wish(&self, component: usize) -> Wish {
        Wish::At(self.both[self.came % AT_A_TIME][component].place)
    }

    fn output(&mut self, k: usize, _: Complex) {
        assert_eq!(k, output_of(self.came), "outputs come in their order");
        self.came += 1;
        if !self.came.is_multiple_of(AT_A_TIME) {
            return;
        }
        let call = self.came / AT_A_TIME - 1;
        let (lanes, asked) = self.words_of_call(call + CALLS_AHEAD);
        if call + CALLS_AHEAD >= CALLS {
            // What is behind the outputs.
            let to = self.lanes;
            self.ops().copy(lanes, to);
        }
        self.points.codelet.program.piece(None);
        self.call(asked);
        for (which, both) in self.both.into_iter().enumerate() {
            let output = keep(self.ops(), both);
            self.outputs[output_of(AT_A_TIME * call + which)] = Some(output);
        }
    }
}

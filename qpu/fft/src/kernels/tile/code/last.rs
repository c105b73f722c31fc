//! Last passes of 128 and 256 points: each of S QPUs transforms 64 rows of eight bins in two parts.
//!
//! After the 16-point transforms, rows are multiplied by W_R^((2 j + r) k) and what QPUs have is
//! exchanged ([`crate::kernels::tile::layout`]). Then odd rows are multiplied by what is left;
//! sum and difference over r, which differs in neighbouring lanes, are rows of interleaved points.

use super::exchange::{KEPT, Met, exchange};
use crate::codelet::op_list::{Complex, OpList, Value, Wish, positive};
use crate::codelet::radix16::{CodeletEnds, outputs_of_column};
use crate::kernels::program::{Kind, Lanes};
use crate::kernels::unit;
use crate::kernels::unit::code::cells::Cells;
use crate::kernels::unit::code::codelet::{AHEAD, Codelet, Lookup, sums};
use crate::kernels::unit::code::later::rows;
use crate::kernels::unit::code::routines::{columns, copy};
use crate::kernels::unit::uniforms::{Record, Row};
use crate::kernels::unit_loop::{Source, UnitProgram, Word, Written};
use qpu::generate::schedule::Place;
use qpu::isa::File;
use qpu::vpm::{Block, Store};

/// Numbers of the routines of outputs and of pairs.
const OUTPUTS: usize = 1;
const PAIR: usize = 2;

/// The program of a last pass.
pub fn program(kind: Kind) -> Written {
    let stores = [Store::rows(8, 0), Store::rows(8, 8)];
    let mut program = UnitProgram::of_tiles(kind, Block::row(0), &stores, unit::code::name);
    let input = program.lanes(Lanes::Input);
    let root = program.lanes(Lanes::Root);
    let scale = program.lanes(Lanes::Scale);
    program.begin_unit();
    program.without_constants();
    let input = program.base(Record::Input, input);
    program.rows();
    let mut cells = Cells::new(program, kind, input);
    let lookup = |word| Lookup { lanes: root, word };
    let columns = columns(&mut cells, Some(roots_of_outputs(0).map(lookup)));
    let mut codelet = cells.codelet;
    let halves = halves_multiplied(kind);
    let outputs = multiplied_outputs(&mut codelet, root, columns, halves);
    let met = exchange(&mut codelet.program, &outputs);
    let mut roots = [None; 2];
    for &half in halves {
        let both = [0, 1].map(|component| {
            let fetched = codelet.fetch_aligned(root, of_half(half, component));
            let ops = &mut codelet.program.ops;
            ops.load(fetched.place, Wish::File(FILES[half].other()))
        });
        codelet.vectors += 1;
        roots[half] = Some(both);
    }
    codelet.drop_asked();
    let mut program = codelet.program;
    // Z in even lanes.
    program.ops.set_lane_flags(1);
    let rows = pairs(&mut program, met, roots);
    program.written(rows, Some([scale; 2]))
}

/// Sums and differences of the last step are multiplied by vectors in the other file.
const FILES: [File; 2] = [File::A, File::B];

/// The halves that are multiplied by twiddle factors: for two QPUs, sums are as they should be.
const fn halves_multiplied(kind: Kind) -> &'static [usize] {
    match kind.sharers {
        2 => &[1],
        _ => &[0, 1],
    }
}

/// The twiddle factor of sums or differences of the last step.
fn of_half(half: usize, component: u8) -> Word {
    let output = 16 + half as u8;
    Word::row(Row::RootOfRow { output, component })
}

/// The twiddle factors of outputs k1, k1 + 4, k1 + 8 and k1 + 12.
fn roots_of_outputs(k1: u8) -> [Word; AHEAD] {
    core::array::from_fn(|number| {
        let output = k1 + 4 * (number / 2) as u8;
        let component = (number % 2) as u8;
        Word::row(Row::RootOfRow { output, component })
    })
}

/// All outputs of the transform, multiplied: a routine does four, [`outputs_of_column`] of each k1.
/// It reads where the columns of k1 = 0 are, and what it gives is copied to where those of the next
/// k1 were. Behind it, what `halves` are multiplied by is on its way.
fn multiplied_outputs(
    codelet: &mut Codelet,
    root: Place,
    columns: [[Complex; 4]; 4],
    halves: &[usize],
) -> [Complex; 16] {
    let behind = |number: usize| of_half(halves[number / 2 % halves.len()], (number % 2) as u8);
    let free = codelet.program.ops.clone();
    let mut outputs = [None; 16];
    for k1 in 0..4 {
        let next = match k1 {
            ..3 => roots_of_outputs(k1 as u8 + 1),
            _ => core::array::from_fn(behind),
        };
        codelet.program.piece(None);
        codelet.program.ops.restore_free(&free);
        let mut four = Four {
            codelet: &mut *codelet,
            root,
            outputs: Vec::new(),
        };
        outputs_of_column(&mut four, 0, columns[0]);
        let mut results: [Complex; 4] = core::array::from_fn(|k2| four.outputs[k2]);
        for both in next.chunks(2) {
            codelet.ask_ahead(root, [both[0], both[1]]);
        }
        codelet.program.call(OUTPUTS);
        if let Some(column) = columns.get(k1 + 1) {
            let ops = &mut codelet.program.ops;
            // Results that lie where points come give way to them first.
            let moved = results.map(|z| z.map(|value| aside(ops, value, &columns[0])));
            copy(ops, column, &columns[0]);
            // By files: of the results every other one is in file A.
            let [in_a, in_b] = FILES.map(|file| {
                let is_in =
                    |z: &&Complex| matches!(z[0].place, Place::Register(of, _) if of == file);
                column.iter().filter(is_in).copied().collect::<Vec<_>>()
            });
            results = [in_a[0], in_b[0], in_a[1], in_b[1]];
            // What is in accumulators is free again where the next call begins.
            copy(ops, &moved, &results);
        }
        for (k2, z) in results.into_iter().enumerate() {
            outputs[k1 + 4 * k2] = Some(z);
        }
    }
    outputs.map(|output| output.expect("four times four"))
}

/// A value in an accumulator, if it lies where one of `points` does.
fn aside(ops: &mut OpList<Word>, value: Value, points: &[Complex; 4]) -> Value {
    let mut points = points.as_flattened().iter();
    if points.all(|point| point.place != value.place) {
        return value;
    }
    let place = ops.load(value.place, Wish::Accumulator);
    Value { place, ..value }
}

/// Four outputs of a transform, multiplied by what is looked up.
struct Four<'a> {
    codelet: &'a mut Codelet,
    /// Lane offsets of roots.
    root: Place,
    outputs: Vec<Complex>,
}

impl CodeletEnds for Four<'_> {
    type Uniform = Word;

    fn ops(&mut self) -> &mut OpList<Word> {
        &mut self.codelet.program.ops
    }

    fn wish(&self, _component: usize) -> Wish {
        Wish::AnyFile
    }

    fn output(&mut self, k: usize, z: Complex) {
        let root = self.root;
        let factor = |codelet: &mut Codelet, component| {
            let output = k as u8;
            let word = Word::row(Row::RootOfRow { output, component });
            Source::Place(codelet.fetch_aligned(root, word).place)
        };
        let wish = Wish::File(FILES[self.outputs.len() % 2]);
        let z = self.codelet.multiply_looked_up(z, factor, wish);
        self.outputs.push(z);
    }
}

/// The rows of all outputs: those of sums, then of differences, each for k_r = 0 and 1. A routine
/// makes what came together into four rows, in the registers from which it came.
fn pairs(program: &mut UnitProgram, met: Vec<Met>, roots: [Option<[Place; 2]>; 2]) -> Vec<Place> {
    let ops = &mut program.ops;
    let taken = [0, 1].map(|_| FILES.map(|file| positive(ops.take(Wish::File(file)))));
    let inputs = [0, 1].map(|which| taken.map(|part| part[which]));
    let free = ops.clone();
    let mut all = [[None; KEPT]; 4];
    for (k, met) in met.into_iter().enumerate() {
        let ops = &mut program.ops;
        for (from, to) in values(met).into_iter().zip(values(inputs)) {
            ops.copy(from.place, to.place);
        }
        program.piece(None);
        program.ops.restore_free(&free);
        let results = pair(&mut program.ops, inputs, roots);
        program.call(PAIR);
        let stay = values(met).map(|value| value.place);
        for (all, row) in all.iter_mut().zip(stay) {
            all[k] = Some(row);
        }
        for (from, to) in results.into_iter().zip(stay) {
            program.ops.copy(from, to);
        }
    }
    all.as_flattened().iter().flatten().copied().collect()
}

/// Real parts, then imaginary parts: its own and the other.
fn values([own, came]: Met) -> [Value; 4] {
    [own[0], came[0], own[1], came[1]]
}

/// The routine: four rows.
fn pair(ops: &mut OpList<Word>, met: Met, roots: [Option<[Place; 2]>; 2]) -> [Place; 4] {
    let wish = [0, 1].map(|half| match roots[half] {
        Some(_) => Wish::File(FILES[half]),
        None => Wish::Accumulator,
    });
    let mut half = 0;
    let wishes = wish.map(|wish| [wish; 2]);
    let rows = sums(ops, met, wishes).map(|z| {
        let z = match roots[half] {
            Some(roots) => {
                let [cos, sin] = roots.map(|place| [Source::Place(place); 2]);
                ops.multiply_complex(z, cos, sin, [Wish::Accumulator; 2])
            }
            None => z,
        };
        half += 1;
        // Copied two at a time, one in each file.
        rows(ops, z, FILES.map(Wish::File))
    });
    let [[a, b], [c, d]] = rows;
    [a, b, c, d]
}

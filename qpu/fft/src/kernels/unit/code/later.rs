//! Middle passes, cells to cells with the twiddles of what follows; and last passes, cells to the
//! caller's points in natural order.
//!
//! In middle passes lanes 0..8 hold row 2m, lanes 8..16 row 2m + 1 of eight bins; of 16 points,
//! lanes hold row m of sixteen bins. The twiddles are a scalar for each output, which is multiplied
//! by together with the root of the upper lanes, and a vector that all outputs share.
//!
//! In last passes even lanes hold row 2m, odd lanes row 2m + 1 of eight bins. After the 16-point
//! transforms and the multiplication of the odd lanes by W_R^k, the real parts of both rows come
//! together in the even lanes and the imaginary parts in the odd ones: their sum and their
//! difference are two rows of interleaved points.

use super::across::halves_sign;
use super::cells::Cells;
use super::codelet::{Lookup, add_moved, shared_twiddle};
use super::routines::columns;
use crate::codelet::op_list::{Complex, OpList, Wish, positive};
use crate::codelet::radix16::{CodeletEnds, dft16, dft16_of_columns};
use crate::kernels::program::{self, Kind, Lanes, Task};
use crate::kernels::unit::uniforms::{Record, Row, Scalars};
use crate::kernels::unit_loop::{Source, Stores, UnitProgram, Word, Written, lane_offsets};
use qpu::generate::schedule::{Destination, Operation, Place};
use qpu::isa::{Cond, File};
use qpu::vpm::{Block, Store};

/// Both rows of each output.
type Outputs = [Option<[Place; 2]>; 16];

/// The first rows of all outputs, then the second ones.
fn rows_by_half(outputs: Outputs) -> Vec<Place> {
    let outputs = outputs.map(|output| output.expect("transformed"));
    let halves = [0, 1].into_iter();
    halves
        .flat_map(|half| outputs.map(|output| output[half]))
        .collect()
}

/// The program of a middle pass.
pub fn middle(kind: Kind) -> Written {
    let stores = Stores::Fixed(vec![Store::rows(32, 0)]);
    let mut program = UnitProgram::new(Task::Points(kind), Block::row(0), &stores, super::name);
    let input = program.lanes(Lanes::Input);
    let has_rows = kind.radix > 16;
    if has_rows {
        halves_sign(&mut program.ops);
    }
    program.begin_unit();
    let scalars = program.word(program::Record::Scalars);
    let input = program.base(Record::Input, input);
    // Lane offsets of the vector of twiddles: 8 · lane.
    let offsets = lane_offsets(&mut program.ops, 3, Wish::Accumulator);
    let twiddle = program.base(Record::Twiddle, offsets);
    program.ops.give_back(offsets);
    program.rows();
    program.ops.set_lane_flags(8);
    let constants = program.constants;
    let mut cells = Cells::new(program, kind, input);
    // Of several parts, the columns end with the lookups of the vector, and of nothing else.
    let columns = (kind.radix > 32).then(|| {
        let lookup = |number: usize| Lookup {
            lanes: twiddle,
            word: shared_twiddle((number % 2) as u8),
        };
        columns(&mut cells, Some(core::array::from_fn(lookup)))
    });
    let vector = cells.codelet.fetch_shared(twiddle);
    cells.codelet.drop_asked();
    cells.codelet.program.ops.give_back(twiddle);
    let mut middle = Middle {
        cells,
        has_rows,
        vector,
        scalars: Some(scalars),
        outputs: [None; 16],
    };
    match columns {
        Some(columns) => dft16_of_columns(&mut middle, columns),
        None => dft16(&mut middle, &constants, |middle, n| {
            middle.cells.butterfly(n)
        }),
    }
    let rows = rows_by_half(middle.outputs);
    middle.cells.codelet.program.written(rows, None)
}

struct Middle {
    cells: Cells,
    /// True: the halves of the lanes hold different rows.
    has_rows: bool,
    /// Twiddles that all outputs share.
    vector: [Place; 2],
    /// Address of the scalars, until they are read.
    scalars: Option<Place>,
    outputs: Outputs,
}

impl Middle {
    /// Times the scalars of the lanes' rows.
    fn multiplied(&mut self, output: u8, z: Complex) -> Complex {
        let ops = &mut self.cells.codelet.program.ops;
        if let Some(scalars) = self.scalars.take() {
            ops.copy(scalars, Destination::UniformsAddress);
            ops.give_back(scalars);
        }
        let has_rows = self.has_rows;
        let [cos, sin] = [0, 1].map(|component| {
            let place = ops.take(Wish::File(File::B));
            let scalar = |row| {
                Source::Uniform(Word::scalar(Scalars::Scalar {
                    output,
                    row,
                    component,
                }))
            };
            let to = Destination::Place(place);
            ops.copy(scalar(0), to);
            if has_rows {
                ops.push(Operation::copy(scalar(1), to).when(Cond::ZC));
            }
            place
        });
        // To be moved across lanes, or to be multiplied by the vector, which is in the other file.
        let wish = if has_rows {
            Wish::Accumulator
        } else {
            Wish::File(File::A)
        };
        let [of_cos, of_sin] = [cos, sin].map(|place| [Source::Place(place); 2]);
        let multiplied = ops.multiply_complex(z, of_cos, of_sin, [wish; 2]);
        ops.give_back(cos);
        ops.give_back(sin);
        multiplied
    }

    /// The cells of both rows: real parts below, imaginary parts above. Gives back z.
    fn cells_of(&mut self, z: Complex) -> [Place; 2] {
        let ops = &mut self.cells.codelet.program.ops;
        let rows = z.map(|part| ops.load(part.place, Wish::AnyFile));
        ops.merge_rotated(z[1].place, 8, Cond::ZC, rows[0]);
        ops.merge_rotated(z[0].place, 8, Cond::ZS, rows[1]);
        ops.give_back_complex(z);
        rows
    }
}

impl CodeletEnds for Middle {
    type Uniform = Word;

    fn ops(&mut self) -> &mut OpList<Word> {
        &mut self.cells.codelet.program.ops
    }

    fn wish(&self, _component: usize) -> Wish {
        // Factors are in the other.
        Wish::File(File::A)
    }

    fn output(&mut self, k: usize, y: Complex) {
        let mut z = self.multiplied(k as u8, y);
        if self.has_rows {
            z = z.map(|part| add_moved(self.ops(), part, Place::R5, Wish::File(File::A)));
        }
        let ops = &mut self.cells.codelet.program.ops;
        let [cos, sin] = self.vector.map(|place| [Source::Place(place); 2]);
        let z = ops.multiply_complex(z, cos, sin, [Wish::Accumulator; 2]);
        self.outputs[k] = Some(self.cells_of(z));
    }
}

/// The program of a last pass.
pub fn last(kind: Kind) -> Written {
    let stores = Stores::Fixed(match kind.radix {
        16 => vec![Store::rows(16, 0), Store::rows(16, 16)],
        _ => vec![Store::rows(32, 0)],
    });
    let mut program = UnitProgram::new(Task::Points(kind), Block::row(0), &stores, super::name);
    let input = program.lanes(Lanes::Input);
    let scale = program.lanes(Lanes::Scale);
    program.begin_unit();
    let input = program.base(Record::Input, input);
    program.rows();
    program.ops.set_lane_flags(1);
    let constants = program.constants;
    let mut last = Last {
        cells: Cells::new(program, kind, input),
        radix: kind.radix,
        outputs: [None; 16],
    };
    if kind.radix > 64 {
        let columns = columns(&mut last.cells, None);
        dft16_of_columns(&mut last, columns);
    } else {
        dft16(&mut last, &constants, |last, n| last.cells.butterfly(n));
    }
    let rows = rows_by_half(last.outputs);
    last.cells.codelet.program.written(rows, Some([scale; 2]))
}

struct Last {
    cells: Cells,
    radix: u16,
    outputs: Outputs,
}

/// The parts of z in even lanes and those in odd lanes, each with real parts in even lanes and
/// imaginary ones in odd lanes; the latter where imaginary parts were.
fn interleaved(ops: &mut OpList<Word>, z: Complex) -> Complex {
    let [re, im] = z.map(|part| part.place);
    let even = ops.load(re, Wish::AnyFile);
    ops.merge_rotated(im, 1, Cond::ZC, even);
    ops.merge_rotated(re, 15, Cond::ZS, im);
    [even, im].map(positive)
}

/// Both rows of an output, each where it is wished. Gives back z, which is in accumulators.
pub fn rows(ops: &mut OpList<Word>, z: Complex, wishes: [Wish; 2]) -> [Place; 2] {
    let [even, odd] = interleaved(ops, z);
    let sum = ops.add(even, odd, wishes[0]);
    let difference = ops.subtract(even, odd, wishes[1]);
    ops.give_back(even.place);
    ops.give_back_complex(z);
    [sum.place, difference.place]
}

impl CodeletEnds for Last {
    type Uniform = Word;

    fn ops(&mut self) -> &mut OpList<Word> {
        &mut self.cells.codelet.program.ops
    }

    fn wish(&self, _component: usize) -> Wish {
        // To be moved across lanes.
        Wish::Accumulator
    }

    fn output(&mut self, k: usize, z: Complex) {
        let output = k as u8;
        // Even and odd lanes hold different octets: each is a row of its own.
        let has_two_octets = self.radix == 16;
        // Output 0 of part 0 is not multiplied; which part it is, is not known here.
        if self.radix > 32 || self.radix == 32 && output > 0 {
            let root = |component| Word::row(Row::Root { output, component });
            self.cells
                .codelet
                .multiply_some(z, Cond::ZC, root(0), root(1));
        }
        let ops = self.ops();
        self.outputs[k] = Some(if has_two_octets {
            let [even, odd] = interleaved(ops, z);
            let row = ops.load(odd.place, Wish::AnyFile);
            ops.give_back_complex(z);
            [even.place, row]
        } else {
            rows(ops, z, [Wish::AnyFile; 2])
        });
    }
}

//! Last passes: cells to the caller's points, in natural order.
//!
//! Even lanes hold row 2m, odd lanes row 2m + 1 of eight bins. After the 16-point transforms and
//! the multiplication of the odd lanes by W_R^k, the real parts of both rows come together in the
//! even lanes and the imaginary parts in the odd ones: their sum and their difference are two rows
//! of interleaved points.

use super::cells::Cells;
use super::rows_by_half;
use crate::fft::kernels::program::{Kind, Lanes, Task};
use crate::fft::kernels::unit::uniforms::{Record, Row};
use crate::fft::kernels::unit_loop::{Shape, Stores, UnitProgram, Word, Written};
use crate::generate::codelet::op_list::{Complex, OpList, Wish, positive};
use crate::generate::codelet::radix16::{Butterfly, Ends, dft16, dft16_of_columns};
use crate::generate::schedule::Place;
use crate::isa::Cond;
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
    let mut program = UnitProgram::new(Task::Points(kind), &shape, super::NAMES);
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
        let columns = last.cells.columns(None);
        dft16_of_columns(&mut last, columns);
    } else {
        dft16(&mut last, &constants);
    }
    let rows = rows_by_half(last.outputs);
    last.cells.codelet.program.written(rows, Some([scale; 2]))
}

struct Last {
    cells: Cells,
    radix: u16,
    /// The two rows of each output.
    outputs: [Option<[Place; 2]>; 16],
}

/// What even lanes hold of z and what odd lanes do, each with real parts in even lanes and imaginary
/// ones in odd lanes; the latter where imaginary parts were.
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

impl Ends for Last {
    type Uniform = Word;

    fn ops(&mut self) -> &mut OpList<Word> {
        &mut self.cells.codelet.program.ops
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
        // Each of both rows is that of an octet.
        let is_of_octets = self.radix == 16;
        // Output 0 of part 0 is not multiplied; which part it is, is not known here.
        if self.radix > 32 || self.radix == 32 && output > 0 {
            let root = |component| Word::row(Row::Root { output, component });
            self.cells
                .codelet
                .multiply_some(z, Cond::ZC, root(0), root(1));
        }
        let ops = self.ops();
        self.outputs[k] = Some(if is_of_octets {
            let [even, odd] = interleaved(ops, z);
            let row = ops.load(odd.place, Wish::AnyFile);
            ops.give_back_complex(z);
            [even.place, row]
        } else {
            rows(ops, z, [Wish::AnyFile; 2])
        });
    }
}

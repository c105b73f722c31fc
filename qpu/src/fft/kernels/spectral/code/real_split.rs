//! Real spectra from transforms of half the length, and back.

use super::half::{self, Half, Roots};
use crate::fft::kernels::program::{Lanes, Task};
use crate::fft::kernels::spectral::Bins;
use crate::fft::kernels::unit_loop::{Shape, Stores, UnitProgram, Word, Written};
use crate::generate::codelet::op_list::{Complex, OpList, Wish};
use crate::generate::schedule::Place;
use crate::isa::Cond;
use crate::vpm::Block;

/// The program.
pub fn program() -> Written {
    let bins = Bins::Split;
    let shape = Shape {
        write: Block::row(0),
        stores: Stores::Listed(bins.stores()),
    };
    let mut program = UnitProgram::new(Task::Bins(bins), &shape, super::name);
    let lanes = half::lanes(&mut program);
    let scale = program.lanes(Lanes::Scale);
    program.begin_unit();
    let half = Half::begin_unit(&mut program, lanes, true);
    program.rows();
    program.ops.set_lane_flags(1);
    let mut rows = [[None; 8]; 2];
    for (run, group) in half::order(bins) {
        let x = half.group(&mut program, run, group, Roots::Looked);
        let interleaved = interleaved(&mut program.ops, x);
        rows[usize::from(run)][usize::from(group)] = Some(interleaved);
    }
    let rows = rows.into_iter().flatten().flatten().flatten();
    program.written(rows.collect(), Some([scale; 2]))
}

/// Both rows of a group, even lanes having the bins of the first: real parts in even lanes,
/// imaginary in odd ones. Gives back x, which is in accumulators.
pub fn interleaved(ops: &mut OpList<Word>, x: Complex) -> [Place; 2] {
    let [re, im] = x.map(|part| part.place);
    let rows = [re, im].map(|part| ops.load(part, Wish::AnyFile));
    ops.merge_rotated(im, 1, Cond::ZC, rows[0]);
    ops.merge_rotated(re, 15, Cond::ZS, rows[1]);
    ops.give_back_complex(x);
    rows
}

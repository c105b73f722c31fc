//! Single passes of up to 128 points: several transforms of a batch from the caller's points to his
//! points.

use super::across::Across;
use super::codelet::{AHEAD, Codelet};
use super::groups;
use super::points::{Outputs, Points, Routines};
use crate::fft::kernels::program::{Kind, Start, Task};
use crate::fft::kernels::unit_loop::{Shape, Stores, UnitProgram, Word, Written};
use crate::generate::codelet::radix16::{dft16, dft16_of_columns};
use crate::vpm::Block;

/// The program of a single pass.
pub fn program(kind: Kind) -> Written {
    let shape = Shape {
        write: Block::column(0, 0),
        stores: Stores::Listed(kind.radix as u8 / 8),
    };
    let mut program = UnitProgram::new(Task::Points(kind), &shape, super::name);
    let scale = [0, 1].map(|component| program.number(Start::Scale { component }));
    let points = Points::start(&mut program, kind);
    program.begin_unit();
    let points = points.begin_unit(program, None);
    let constants = points.codelet.program.constants;
    let mut single = Outputs::new(points);
    let mut finish = |_: &mut Codelet, _, z| z;
    match Routines::of(kind) {
        Routines::None => single.finish_with(&mut finish, |ends| dft16(ends, &constants)),
        Routines::Columns => {
            let roots = first_roots(&single.points.across);
            let columns = single.points.columns(roots);
            single.finish_with(&mut finish, |ends| dft16_of_columns(ends, columns));
        }
        Routines::ColumnsAndGroups => {
            let points = &mut single.points;
            let columns = points.columns(groups::words(points, 0));
            let finish = &mut |points: &mut Points, z, wishes| {
                points.across.of_multiplied(&mut points.codelet, z, wishes)
            };
            single.places = groups::groups(points, &columns, finish).map(Some);
        }
    }
    let outputs = single.places.map(|output| output.expect("transformed"));
    // Columns: real and imaginary parts in turn, k_lo = 8..16 in the rows below.
    let columns = outputs.into_iter().flatten().collect();
    single.points.codelet.program.written(columns, Some(scale))
}

/// The twiddle factors of outputs, in their order. For output 0 there are cosines only.
fn first_roots(across: &Across) -> [Word; AHEAD] {
    core::array::from_fn(|number| {
        let output = 4 * (number / 2);
        across.root_of(output, (number % 2).min(output))
    })
}

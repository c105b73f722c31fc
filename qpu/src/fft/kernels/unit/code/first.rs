//! First passes: rows of the caller's points to cells, with the twiddles of what follows.
//!
//! From 64 points the twiddles are in two parts. The one that depends on the output of the 16-point
//! transform is looked up together with the root before the lanes' transform, the other is a vector
//! that all outputs share.

use super::across::Across;
use super::codelet::{AHEAD, Codelet};
use super::groups;
use super::points::{Outputs, Points, Routines};
use crate::fft::kernels::program::{Kind, Lanes, Task};
use crate::fft::kernels::unit::uniforms::{Record, Row};
use crate::fft::kernels::unit_loop::{Shape, Source, Stores, UnitProgram, Word, Written};
use crate::generate::codelet::op_list::{Complex, Wish};
use crate::generate::codelet::radix16::{dft16, dft16_of_columns};
use crate::generate::schedule::Place;
use crate::isa::File;
use crate::vpm::{Block, Store};

/// The program of a first pass.
pub fn program(kind: Kind) -> Written {
    let shape = Shape {
        write: Block::column(0, 0),
        stores: Stores::Fixed(vec![Store::rows(32, 0)]),
    };
    let mut program = UnitProgram::new(Task::Points(kind), &shape, super::name);
    let twiddle = program.lanes(Lanes::Twiddle);
    let points = Points::start(&mut program, kind);
    program.begin_unit();
    let twiddle = program.base(Record::Twiddle, twiddle);
    let points = points.begin_unit(program, Some(twiddle));
    let constants = points.codelet.program.constants;
    let mut first = Outputs::new(points);
    match Routines::of(kind) {
        Routines::None => {
            let mut finish = |codelet: &mut Codelet, k, z| twiddled(codelet, twiddle, k, z);
            first.finish_with(&mut finish, |ends| dft16(ends, &constants));
        }
        Routines::Columns => {
            let lookups = first_lookups(kind, &first.points.across);
            let columns = first.points.columns(lookups);
            let codelet = &mut first.points.codelet;
            let shared = (kind.radix > 32).then(|| look_up_shared(codelet, twiddle));
            let mut finish = |codelet: &mut Codelet, k, z| match shared {
                None => twiddled(codelet, twiddle, k, z),
                Some(shared) => {
                    let [cos, sin] = shared.map(|place| [Source::Place(place); 2]);
                    let ops = &mut codelet.program.ops;
                    ops.multiply_complex(z, cos, sin, Wish::AnyFile)
                }
            };
            first.finish_with(&mut finish, |ends| dft16_of_columns(ends, columns));
        }
        Routines::ColumnsAndGroups => {
            let points = &mut first.points;
            let shared = look_up_shared(&mut points.codelet, twiddle);
            let columns = points.columns(groups::words(points, 0));
            let finish = &mut |points: &mut Points, z, wishes| {
                let wish = [Wish::File(File::A); 2];
                let z = points.across.of_multiplied(&mut points.codelet, z, wish);
                let [cos, sin] = shared.map(|place| [Source::Place(place); 2]);
                points.ops().multiply_complex_to(z, cos, sin, wishes)
            };
            first.places = groups::groups(points, &columns, finish).map(Some);
        }
    }
    let outputs = first.places.map(|output| output.expect("transformed"));
    // Columns: real parts of k_lo = 0..8, imaginary parts, and the same of 8..16 in the rows below.
    let columns: Vec<Place> = outputs
        .chunks(8)
        .flat_map(|octet| [0, 1].map(|component| octet.iter().map(move |z| z[component])))
        .flatten()
        .collect();
    first.points.codelet.program.written(columns, None)
}

/// The lookups for outputs, in their order: from 64 points on, first those that all share.
fn first_lookups(kind: Kind, across: &Across) -> [Word; AHEAD] {
    let twiddles = |output| [0, 1].map(|component| Word::row(Row::Twiddle { output, component }));
    // Of output 0 there are cosines only.
    let roots =
        |output: usize| [0, output.min(1)].map(|component| across.root_of(output, component));
    let words = match kind.radix {
        64 => [twiddles(0), roots(0), roots(4), roots(8)],
        _ => [0, 4, 8, 12].map(twiddles),
    };
    core::array::from_fn(|number| words[number / 2][number % 2])
}

/// Looks up the twiddles that all outputs share.
fn look_up_shared(codelet: &mut Codelet, lanes: Place) -> [Place; 2] {
    let both = [0, 1].map(|component| {
        let word = Word::row(Row::Twiddle {
            output: 0,
            component,
        });
        let fetched = codelet.fetch(lanes, word);
        let ops = &mut codelet.program.ops;
        let place = ops.take(Wish::File(File::B));
        ops.copy(fetched.place, place);
        place
    });
    codelet.vectors += 1;
    both
}

/// Output k_lo times its twiddles, whose addresses for the unit's lanes are in `lanes`.
fn twiddled(codelet: &mut Codelet, lanes: Place, output: u8, z: Complex) -> Complex {
    let factor = |codelet: &mut Codelet, component| {
        let word = Word::row(Row::Twiddle { output, component });
        Source::Place(codelet.fetch_aligned(lanes, word).place)
    };
    codelet.multiply_looked_up(z, factor, Wish::AnyFile)
}

//! First passes: rows of the caller's points to cells, with the twiddles of what follows.
//!
//! From 64 points the twiddles are in two parts. The one that depends on the output of the 16-point
//! transform is looked up together with the root before the lanes' transform, the other is a vector
//! that all outputs share.

use super::across::Across;
use super::codelet::{AHEAD, Codelet};
use super::groups;
use super::points::{Points, Routines};
use crate::fft::kernels::program::{Kind, Lanes, Task};
use crate::fft::kernels::unit::uniforms::{Record, Row};
use crate::fft::kernels::unit_loop::{Shape, Source, Stores, UnitProgram, Word, Written};
use crate::generate::codelet::op_list::{Complex, OpList, Wish};
use crate::generate::codelet::radix16::{Butterfly, Ends, dft16, dft16_of_columns};
use crate::generate::schedule::Place;
use crate::isa::File;
use crate::vpm::{Block, Store};

/// The program of a first pass.
pub fn program(kind: Kind) -> Written {
    let shape = Shape {
        write: Block::column(0, 0),
        stores: Stores::Fixed(vec![Store::rows(32, 0)]),
    };
    let mut program = UnitProgram::new(Task::Points(kind), &shape);
    let twiddle = program.lanes(Lanes::Twiddle);
    let points = Points::start(&mut program, kind);
    program.begin_unit();
    let twiddle = program.base(Record::Twiddle, twiddle);
    let points = points.begin_unit(program, Some(twiddle));
    let constants = points.codelet.program.constants;
    let mut first = First {
        points,
        twiddle,
        shared: None,
        outputs: [None; 16],
    };
    match Routines::of(kind) {
        Routines::None => dft16(&mut first, &constants),
        Routines::Columns => {
            let lookups = first_lookups(kind, &first.points.across);
            let columns = first.points.columns(lookups);
            first.shared = (kind.radix > 32).then(|| first.look_up_shared());
            dft16_of_columns(&mut first, columns);
        }
        Routines::ColumnsAndGroups => {
            let shared = first.look_up_shared();
            let points = &mut first.points;
            let columns = points.columns(groups::words(points, 0));
            let finish = &mut |points: &mut Points, z, wishes| {
                let wish = [Wish::File(File::A); 2];
                let z = points.across.of_multiplied(&mut points.codelet, z, wish);
                let [cos, sin] = shared.map(|place| [Source::Place(place); 2]);
                points.ops().multiply_complex_to(z, cos, sin, wishes)
            };
            first.outputs = groups::groups(points, &columns, finish).map(Some);
        }
    }
    let outputs = first.outputs.map(|output| output.expect("transformed"));
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

struct First {
    points: Points,
    /// The twiddles that all outputs share, from 64 points on.
    shared: Option<[Place; 2]>,
    /// Addresses of the unit's lanes.
    twiddle: Place,
    outputs: [Option<[Place; 2]>; 16],
}

impl First {
    /// Looks up the twiddles that all outputs share.
    fn look_up_shared(&mut self) -> [Place; 2] {
        let lanes = self.twiddle;
        let codelet = &mut self.points.codelet;
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

    /// Output k_lo times its twiddles.
    fn twiddled(&mut self, output: u8, z: Complex) -> [Place; 2] {
        if let Some(shared) = self.shared {
            let [cos, sin] = shared.map(|place| [Source::Place(place); 2]);
            let ops = &mut self.points.codelet.program.ops;
            return ops
                .multiply_complex(z, cos, sin, Wish::AnyFile)
                .map(|part| part.place);
        }
        let twiddle = self.twiddle;
        let factor = |codelet: &mut Codelet, component| {
            let word = Word::row(Row::Twiddle { output, component });
            Source::Place(codelet.fetch_aligned(twiddle, word).place)
        };
        let codelet = &mut self.points.codelet;
        codelet
            .multiply_looked_up(z, factor, Wish::AnyFile)
            .map(|part| part.place)
    }
}

impl Ends for First {
    type Uniform = Word;

    fn ops(&mut self) -> &mut OpList<Word> {
        &mut self.points.codelet.program.ops
    }

    fn butterfly(&mut self, n: usize) -> Butterfly {
        self.points.butterfly(n)
    }

    fn wish(&self, _component: usize) -> Wish {
        self.points.across.wish()
    }

    fn output(&mut self, k: usize, y: Complex) {
        if k == 0 {
            self.points.end_input();
        }
        let Points {
            across, codelet, ..
        } = &mut self.points;
        let z = across.output(codelet, k as u8, y);
        self.outputs[k] = Some(self.twiddled(k as u8, z));
    }
}

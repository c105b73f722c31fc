//! First and single passes: rows of the caller's points to cells with the twiddles of what follows,
//! or several transforms of up to 128 points to the caller's points. From 64 points the twiddles of
//! a first pass are in two parts ([`twiddle_tables`](crate::kernels::unit::twiddle_tables)).

use super::across::Across;
use super::codelet::{AHEAD, Codelet};
use super::points::Points;
use super::routines::{Routines, groups, words_of_group};
use crate::Role;
use crate::codelet::op_list::{Complex, OpList, Wish};
use crate::codelet::radix16::{CodeletEnds, dft16, dft16_of_columns};
use crate::kernels::program::{Kind, Lanes, Start, Task};
use crate::kernels::unit::uniforms::{Record, Row};
use crate::kernels::unit_loop::{Source, Stores, UnitProgram, Word, Written};
use qpu::generate::schedule::Place;
use qpu::vpm::{Block, Store};

/// The program of a first or single pass.
pub fn first(kind: Kind) -> Written {
    let is_first = kind.role == Role::First;
    let stores = if is_first {
        Stores::Fixed(vec![Store::rows(32, 0)])
    } else {
        Stores::Listed(kind.radix as u8 / 8)
    };
    let (task, write) = (Task::Points(kind), Block::column(0, 0));
    let mut program = UnitProgram::new(task, write, &stores, super::name);
    let twiddle = is_first.then(|| program.lanes(Lanes::Twiddle));
    let scale =
        (!is_first).then(|| [0, 1].map(|component| program.number(Start::Scale { component })));
    let mut points = Points::start(program, kind);
    let program = &mut points.codelet.program;
    program.begin_unit();
    let twiddle = twiddle.map(|lanes| program.base(Record::Twiddle, lanes));
    let constants = program.constants;
    points.begin_unit(twiddle, None);
    let mut ends = Outputs {
        points,
        twiddle,
        shared: None,
        places: [None; 16],
    };
    match Routines::of(kind) {
        Routines::None => dft16(&mut ends, &constants, |ends, n| ends.points.butterfly(n)),
        Routines::Columns => {
            let lookups = first_lookups(kind, &ends.points.across);
            let columns = ends.points.columns(lookups);
            if kind.radix > 32 {
                ends.look_up_shared();
            }
            dft16_of_columns(&mut ends, columns);
        }
        Routines::ColumnsAndGroups => {
            ends.look_up_shared();
            let lookups = words_of_group(&ends.points.across, 0);
            let columns = ends.points.columns(lookups);
            let Points {
                across, codelet, ..
            } = &mut ends.points;
            ends.places = groups(codelet, across, &columns, ends.shared).map(Some);
        }
    }
    let outputs = ends.places.map(|output| output.expect("transformed"));
    // Columns, real and imaginary parts: in turn, or of octets, those of k_lo = 8..16 in the rows
    // below.
    let together = if is_first { 8 } else { 1 };
    let columns = outputs
        .chunks(together)
        .flat_map(|some| [0, 1].map(|component| some.iter().map(move |z| z[component])))
        .flatten()
        .collect();
    ends.points.codelet.program.written(columns, scale)
}

/// The lookups for outputs, in their order: in first passes from 64 points on, first those that all
/// share.
fn first_lookups(kind: Kind, across: &Across) -> [Word; AHEAD] {
    let twiddles = |output| [0, 1].map(|component| Word::row(Row::Twiddle { output, component }));
    // Of output 0 there are cosines only.
    let roots =
        |output: usize| [0, output.min(1)].map(|component| across.root_of(output, component));
    let words = match (kind.role, kind.radix) {
        (Role::First, 64) => [twiddles(0), roots(0), roots(4), roots(8)],
        (Role::First, _) => [0, 4, 8, 12].map(twiddles),
        _ => [0, 4, 8, 12].map(roots),
    };
    core::array::from_fn(|number| words[number / 2][number % 2])
}

/// The outputs.
struct Outputs {
    points: Points,
    /// In a first pass, the addresses of the twiddles for the unit's lanes.
    twiddle: Option<Place>,
    /// The twiddles that all outputs share, if they do.
    shared: Option<[Place; 2]>,
    /// The places of both parts of each output that is done.
    places: [Option<[Place; 2]>; 16],
}

impl Outputs {
    /// Looks up the twiddles that all outputs of a first pass share.
    fn look_up_shared(&mut self) {
        let codelet = &mut self.points.codelet;
        self.shared = self.twiddle.map(|lanes| codelet.fetch_shared(lanes));
    }
}

impl CodeletEnds for Outputs {
    type Uniform = Word;

    fn ops(&mut self) -> &mut OpList<Word> {
        self.points.ops()
    }

    fn wish(&self, _component: usize) -> Wish {
        self.points.across.wish()
    }

    fn output(&mut self, k: usize, y: Complex) {
        if k == 0 {
            self.points.end_input();
        }
        let output = k as u8;
        let Points {
            across, codelet, ..
        } = &mut self.points;
        let z = across.output(codelet, output, y);
        let z = match (self.shared, self.twiddle) {
            (Some(shared), _) => {
                let [cos, sin] = shared.map(|place| [Source::Place(place); 2]);
                let ops = &mut codelet.program.ops;
                ops.multiply_complex(z, cos, sin, [Wish::AnyFile; 2])
            }
            (None, Some(lanes)) => {
                let factor = |codelet: &mut Codelet, component| {
                    let word = Word::row(Row::Twiddle { output, component });
                    Source::Place(codelet.fetch_aligned(lanes, word).place)
                };
                codelet.multiply_looked_up(z, factor, Wish::AnyFile)
            }
            (None, None) => z,
        };
        self.places[k] = Some(z.map(|part| part.place));
    }
}

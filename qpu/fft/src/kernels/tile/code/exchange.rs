//! The work of the QPUs of a tile between their transforms and their outputs.
//!
//! One or two steps, each an exchange of half of what a QPU has, a sum and a difference;
//! [`crate::kernels::tile::layout`] says of what. As many vectors go at a time as a QPU has
//! rows for: real parts first. While the rows are held, little else is done: sums and differences
//! that are not given come behind it.

use crate::codelet::op_list::{Complex, Value, Wish, negate, positive};
use crate::kernels::unit::uniforms::{Exchange, Row};
use crate::kernels::unit_loop::{Source, UnitProgram, Word};
use qpu::generate::schedule::{Destination, Operation, Place};
use qpu::isa::MulOp;

/// Outputs that a program keeps of those of its transform.
pub const KEPT: usize = 8;

/// The pair that the last step brought together: an output of the program's own and one of its
/// partner's. Real parts of both are in different files, and so are imaginary parts.
pub type Met = [Complex; 2];

/// From the outputs of the program's own transform to what makes those of the tile.
pub fn exchange(program: &mut UnitProgram, outputs: &[Complex; 16]) -> Vec<Met> {
    let at_a_time = 2 * KEPT / usize::from(program.sharing().sharers);
    let (own, given) = outputs.split_at(KEPT);
    let mut own = own.to_vec();
    let mut came = Vec::new();
    for (own, given) in own.chunks(at_a_time).zip(given.chunks(at_a_time)) {
        write(program, given, |program, z| {
            program.ops.copy(z.place, Destination::Vpm);
        });
        for &z in given {
            program.ops.give_back_complex(z);
        }
        came.extend(read(program, 0, own.len(), |_, k, c| own[k][c]));
    }
    if program.sharing().sharers > 2 {
        for first in (0..KEPT).step_by(at_a_time) {
            let of = first..first + at_a_time;
            // The differences are given, and the sums stay.
            let differences = of.clone().map(|k| [0, 1].map(|c| [own[k][c], came[k][c]]));
            let differences: Vec<_> = differences.collect();
            write(program, &differences, |program, [x, y]| {
                program.ops.add_into(x, negate(y), Destination::Vpm);
            });
            let sums = &mut own[of.clone()];
            let now = read(program, 1, at_a_time, |program, k, c| {
                let ops = &mut program.ops;
                let [x, y] = differences[k][c];
                sums[k][c] = ops.add(x, y, Wish::AnyFile);
                ops.give_back(x.place);
                ops.give_back(y.place);
                sums[k][c]
            });
            came[of].copy_from_slice(&now);
        }
    }
    let met = |(own, came)| [own, came];
    own.into_iter().zip(came).map(met).collect()
}

/// Writes vectors for the partner, which `put` writes each.
fn write<T: Copy>(
    program: &mut UnitProgram,
    outputs: &[[T; 2]],
    put: impl Fn(&mut UnitProgram, T),
) {
    program.begin_exchange();
    let setup = |word| Source::Uniform(Word::row(Row::Exchange(word)));
    program
        .ops
        .copy(setup(Exchange::Write), Destination::WriteSetup);
    for component in 0..2 {
        for z in outputs {
            put(program, z[component]);
        }
    }
    // Reading any vector waits until the writes are in the VPM (HW-2497).
    let ops = &mut program.ops;
    ops.copy(setup(Exchange::Drain), Destination::ReadSetup);
    ops.copy(Source::Vpm, Destination::Nothing);
    program.piece(None);
}

/// Reads vectors of the partner, each beside the one of output k and component c that it meets.
fn read(
    program: &mut UnitProgram,
    step: u8,
    outputs: usize,
    mut meets: impl FnMut(&mut UnitProgram, usize, usize) -> Value,
) -> Vec<Complex> {
    let sign = program.sharing().sign.map(Source::Place);
    let mut came = vec![[None; 2]; outputs];
    for component in 0..2 {
        let word = Row::Exchange(Exchange::Read {
            step,
            component: component as u8,
        });
        program
            .ops
            .copy(Source::Uniform(Word::row(word)), Destination::ReadSetup);
        for (k, came) in came.iter_mut().enumerate() {
            let Place::Register(file, _) = meets(program, k, component).place else {
                unreachable!("what stays is in registers")
            };
            let ops = &mut program.ops;
            let place = ops.take(Wish::File(file.other()));
            let to = Destination::Place(place);
            match sign.filter(|_| step == 0 || component == 0) {
                Some(sign) => {
                    ops.push(Operation::mul(MulOp::Fmul, Source::Vpm, sign, to));
                }
                None => ops.copy(Source::Vpm, to),
            }
            came[component] = Some(positive(place));
        }
    }
    program.taken();
    let read = |value: Option<Value>| value.expect("of both components");
    came.into_iter().map(|z| z.map(read)).collect()
}

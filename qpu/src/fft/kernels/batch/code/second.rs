//! The second half: rows of the VPM into registers; after the transform, interleaved rows and
//! stores.

use super::routine::Routine;
use crate::fft::kernels::batch::layout::Word;
use crate::fft::kernels::one_pass::rows::pair;
use crate::generate::codelet::op_list::{Complex, OpList};
use crate::generate::schedule::{Destination, Operation, Place, Source};
use crate::isa::AddOp;

/// Rows of the VPM into the registers of points. Even lanes have Z from here on.
pub fn load(ops: &mut OpList<Word>, points: [Complex; 16]) {
    for component in 0..2 {
        let setup = Word::ReadSetup {
            component: component as u8,
        };
        ops.copy(Source::Uniform(setup), Destination::ReadSetup);
        for point in &points {
            ops.copy(Source::Vpm, point[component].place);
        }
    }
    ops.set_lane_flags(1);
}

fn setup(ops: &mut OpList<Word>, word: Word) {
    ops.copy(Source::Uniform(word), Destination::WriteSetup);
}

fn store(ops: &mut OpList<Word>, index: u8, offset: Place) {
    setup(ops, Word::StoreSetup { index });
    ops.push(Operation::add(
        AddOp::Add,
        offset,
        Source::Uniform(Word::Store { index }),
        Destination::StoreAddress,
    ));
}

/// Outputs of a program that is alone, interleaved in their registers.
pub fn interleave(ops: &mut OpList<Word>, routine: &Routine, conjugate: Place) {
    for &output in &routine.outputs {
        pair(ops, output, conjugate);
    }
}

/// Writes the outputs to the VPM and to memory, in order, up to the end of the stores.
pub fn write(ops: &mut OpList<Word>, routine: &Routine, offset: Place) {
    setup(ops, Word::StoreStride);
    setup(ops, Word::OutputSetup { group: 0 });
    for (k, output) in routine.outputs.iter().enumerate() {
        for part in output {
            ops.copy(part.place, Destination::Vpm);
        }
        if k % 8 == 7 {
            store(ops, (k / 8) as u8, offset);
        }
    }
    ops.copy(Source::StoreWait, Destination::Nothing);
}

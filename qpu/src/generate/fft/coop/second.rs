//! The second half: rows of the VPM into registers; after the transform, interleaved rows and
//! stores.

use super::routine::Routine;
use super::rows::pair;
use crate::fft::columns::Word;
use crate::generate::fft::draft::{Complex, Draft};
use crate::generate::schedule::{Destination, Operation, Place, Source};
use crate::isa::AddOp;

/// Rows of the VPM into the registers of points. Even lanes have Z from here on.
pub fn load(draft: &mut Draft<Word>, points: [Complex; 16]) {
    for component in 0..2 {
        let setup = Word::ReadSetup {
            component: component as u8,
        };
        draft.copy(Source::Uniform(setup), Destination::ReadSetup);
        for point in &points {
            draft.copy(Source::Vpm, Destination::Place(point[component].place));
        }
    }
    tell_lanes(draft);
}

fn tell_lanes(draft: &mut Draft<Word>) {
    let sources = [Source::Lane, Source::Small(1)];
    draft.add_op_setting_flags(AddOp::And, sources, Destination::Nothing);
}

fn setup(draft: &mut Draft<Word>, word: Word) {
    draft.copy(Source::Uniform(word), Destination::WriteSetup);
}

fn store(draft: &mut Draft<Word>, index: u8, offset: Place) {
    setup(draft, Word::StoreSetup { index });
    draft.push(Operation::add(
        AddOp::Add,
        [
            Source::Place(offset),
            Source::Uniform(Word::Store { index }),
        ],
        Destination::StoreAddress,
    ));
}

/// Outputs of a program that is alone, interleaved in their registers.
pub fn interleave(draft: &mut Draft<Word>, routine: &Routine, conjugate: Place) {
    for &output in &routine.outputs {
        pair(draft, output, conjugate);
    }
}

/// Writes the outputs to the VPM and to memory, in order, up to the end of the stores.
pub fn write(draft: &mut Draft<Word>, routine: &Routine, offset: Place) {
    setup(draft, Word::StoreStride);
    setup(draft, Word::OutputSetup { group: 0 });
    for (k, output) in routine.outputs.iter().enumerate() {
        for part in output {
            draft.copy(Source::Place(part.place), Destination::Vpm);
        }
        if k % 8 == 7 {
            store(draft, (k / 8) as u8, offset);
        }
    }
    draft.copy(Source::StoreWait, Destination::Nothing);
}

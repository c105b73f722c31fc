//! The second half: rows of the VPM into registers; after the transform, interleaved rows and stores.

use super::routine::Routine;
use super::rows::{Factors, rows};
use crate::fft::coop::Word;
use crate::generate::fft::draft::{Complex, Draft};
use crate::generate::schedule::{Destination, Source};
use crate::isa::AddOp;

/// Rows of the VPM into the registers of points.
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
    // Even lanes have Z from here on.
    draft.add_op_setting_flags(
        AddOp::And,
        [Source::Lane, Source::Small(1)],
        Destination::Nothing,
    );
}

/// Outputs to the VPM and to memory, up to the end of the stores.
pub fn finish(draft: &mut Draft<Word>, routine: &Routine, factors: &Factors) {
    // Alone, the rows of a store are those of two groups.
    let (groups, groups_a_store, stores) = match factors {
        Factors::Pairs { .. } => ([0, 2, 1, 3], 2, 2),
        Factors::Halves { .. } => ([0, 1, 2, 3], 1, 1),
    };
    let setup = |draft: &mut Draft<Word>, word| {
        draft.copy(Source::Uniform(word), Destination::WriteSetup);
    };
    setup(draft, Word::StoreStride);
    let mut index = 0u8;
    for (count, group) in groups.into_iter().enumerate() {
        setup(draft, Word::OutputSetup { group });
        let second = [0, 4, 8, 12].map(|step| {
            let k = usize::from(group) + step;
            rows(draft, k, routine.outputs[k], factors)
        });
        for row in second {
            draft.copy(Source::Place(row), Destination::Vpm);
            draft.give_back(row);
        }
        if (count + 1) % groups_a_store == 0 {
            for _ in 0..stores {
                setup(draft, Word::StoreSetup { index });
                let address = Source::Uniform(Word::Store { index });
                draft.copy(address, Destination::StoreAddress);
                index += 1;
            }
        }
    }
    draft.copy(Source::StoreWait, Destination::Nothing);
}

//! Consumers: rows of the VPM into registers; after the transform, interleaved rows and stores.

use super::semaphore;
use crate::fft::coop::Word;
use crate::generate::fft::coop::routine::Routine;
use crate::generate::fft::coop::rows::{Factors, rows_in_registers};
use crate::generate::fft::draft::{Complex, Draft};
use crate::generate::schedule::{Destination, Operation, Place, Source};
use crate::isa::{AddOp, SemaphoreAction};

/// Rows of the VPM into the registers of points. Even lanes have Z from here on.
pub fn load(draft: &mut Draft<Word>, points: [Complex; 16]) {
    for (half, points) in points.chunks_exact(8).enumerate() {
        let component = half as u8;
        let setup = Word::ReadSetup { component };
        draft.copy(Source::Uniform(setup), Destination::ReadSetup);
        for value in points.iter().flatten() {
            draft.copy(Source::Vpm, Destination::Place(value.place));
        }
    }
    let sources = [Source::Lane, Source::Small(1)];
    draft.add_op_setting_flags(AddOp::And, sources, Destination::Nothing);
}

fn setup(draft: &mut Draft<Word>, word: Word) {
    draft.copy(Source::Uniform(word), Destination::WriteSetup);
}

/// Both rows of an output.
type Rows = [Place; 2];

/// The rows of even (0) or odd k2 (1), by group: every fourth output.
pub fn rows(
    draft: &mut Draft<Word>,
    half: u8,
    routine: &Routine,
    factors: &Factors,
) -> Vec<(u8, [Rows; 4])> {
    let groups = [half, half + 2].map(|group| {
        let rows = [0, 4, 8, 12].map(|step| {
            let k = usize::from(group) + step;
            rows_in_registers(draft, k, routine.outputs[k], factors)
        });
        (group, rows)
    });
    groups.into()
}

fn count(draft: &mut Draft<Word>, action: SemaphoreAction, semaphore: u8) {
    draft.push(Operation::semaphore(action, semaphore));
}

/// The end of the store that was begun last, and of its half of the VPM.
fn end_store(draft: &mut Draft<Word>, half: u8) {
    draft.copy(Source::StoreWait, Destination::Nothing);
    let lock = semaphore::HALVES[usize::from(half)];
    count(draft, SemaphoreAction::Increment, lock);
}

/// Rows of half `half` to the VPM and to memory; of the last up to the end of the store.
pub fn store(draft: &mut Draft<Word>, half: u8, groups: &[(u8, [Rows; 4])], offset: Place) {
    let lock = semaphore::HALVES[usize::from(half)];
    count(draft, SemaphoreAction::Decrement, lock);
    if half == 0 {
        setup(draft, Word::StoreStride);
    }
    for (group, rows) in groups {
        setup(draft, Word::OutputSetup { group: *group });
        for part in 0..2 {
            for row in rows {
                draft.copy(Source::Place(row[part]), Destination::Vpm);
                draft.give_back(row[part]);
            }
        }
    }
    if half == 1 {
        end_store(draft, 0);
    }
    setup(draft, Word::StoreSetup { index: half });
    let address = Source::Uniform(Word::Store { index: half });
    let sources = [Source::Place(offset), address];
    let to = Destination::StoreAddress;
    draft.push(Operation::add(AddOp::Add, sources, to));
    if half == 1 {
        end_store(draft, 1);
    }
}

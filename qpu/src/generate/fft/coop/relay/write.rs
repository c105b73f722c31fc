//! Vectors of producers: to consumers, or to where they are kept.

use super::producer::{Producer, of_unit};
use super::semaphore;
use crate::fft::coop::{PartWord, Word};
use crate::generate::fft::coop::roles::HALF;
use crate::generate::fft::draft::{Complex, Draft};
use crate::generate::schedule::{Destination, Operation, Source};
use crate::isa::SemaphoreAction;

impl Producer {
    /// Vectors to the VPM, when they may be written; then the next producer may write, and the semaphore `written` tells
    /// consumers.
    fn hand_on(
        draft: &mut Draft<Word>,
        [gate, written]: [u8; 2],
        pair: u8,
        vectors: impl IntoIterator<Item = Complex>,
    ) {
        draft.push(Operation::semaphore(SemaphoreAction::Decrement, gate));
        let setup = Source::Uniform(of_unit(PartWord::WriteSetup { pair }));
        draft.copy(setup, Destination::WriteSetup);
        for value in vectors.into_iter().flatten() {
            draft.copy(Source::Place(value.place), Destination::Vpm);
        }
        draft.push(Operation::semaphore(SemaphoreAction::Increment, gate));
        // Reading any vector waits until the writes are in the VPM (HW-2497).
        let drain = Source::Uniform(of_unit(PartWord::Drain { pair }));
        draft.copy(drain, Destination::ReadSetup);
        draft.copy(Source::Vpm, Destination::Nothing);
        draft.push(Operation::semaphore(SemaphoreAction::Increment, written));
    }

    /// Vectors to consumers: each and the one four positions behind it.
    pub fn write(draft: &mut Draft<Word>, vectors: &[Complex; HALF]) {
        let (first, second) = vectors.split_at(HALF / 2);
        for (pair, (&first, &second)) in first.iter().zip(second).enumerate() {
            let semaphores = [semaphore::GATES[pair], semaphore::WRITTEN[pair]];
            Self::hand_on(draft, semaphores, pair as u8, [first, second]);
        }
    }

    /// The vectors of the second half to where they are kept.
    pub fn keep(&self, draft: &mut Draft<Word>, vectors: &[Complex; HALF]) {
        Self::move_all(draft, vectors, &self.kept);
    }

    /// Of the second half of both units the first four vectors of each to where [`Producer::write`] takes them; the
    /// others of the late unit wait where nothing else is.
    pub fn pair_up(&self, draft: &mut Draft<Word>, vectors: &[Complex; HALF], wait: &[Complex]) {
        let behind = &vectors[HALF / 2..];
        Self::move_all(draft, behind, wait);
        Self::move_all(draft, &self.kept[..HALF / 2], behind);
    }

    /// The others as well.
    pub fn pair_up_others(
        &self,
        draft: &mut Draft<Word>,
        vectors: &[Complex; HALF],
        wait: &[Complex],
    ) {
        let (first, second) = vectors.split_at(HALF / 2);
        Self::move_all(draft, wait, first);
        Self::move_all(draft, &self.kept[HALF / 2..], second);
    }

    fn move_all(draft: &mut Draft<Word>, from: &[Complex], to: &[Complex]) {
        for (from, to) in from.iter().flatten().zip(to.iter().flatten()) {
            draft.copy(Source::Place(from.place), Destination::Place(to.place));
        }
    }
}

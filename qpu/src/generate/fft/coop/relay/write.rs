//! Vectors of producers: to consumers, or to where they are kept.

use super::lists::part;
use super::producer::Producer;
use super::semaphore;
use crate::fft::coop::{PartWord, Word};
use crate::generate::fft::coop::roles::{HALF, write_in_turn};
use crate::generate::fft::draft::{Complex, Draft};
use crate::generate::schedule::{Destination, Source};

impl Producer {
    /// Vectors to consumers: each and the one four positions behind it.
    pub fn write(draft: &mut Draft<Word>, vectors: &[Complex; HALF]) {
        let (first, second) = vectors.split_at(HALF / 2);
        for (number, both) in first.iter().zip(second).enumerate() {
            let pair = number as u8;
            let semaphores = [semaphore::GATES[number], semaphore::WRITTEN[number]];
            let [setup, drain] = [PartWord::WriteSetup { pair }, PartWord::Drain { pair }]
                .map(|word| Source::Uniform(part(word)));
            write_in_turn(draft, semaphores, drain, |draft| {
                draft.copy(setup, Destination::WriteSetup);
                for value in <[_; 2]>::from(both).into_iter().flatten() {
                    draft.copy(Source::Place(value.place), Destination::Vpm);
                }
            });
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
